"""Errors and warnings of the package, each saying what was given and what is accepted."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = [
    "ConstantFeatureWarning",
    "CrowdedInteractionsWarning",
    "FewerFeaturesWarning",
    "IdentifierWarning",
    "IncompatibleCombinationError",
    "MissingExtraError",
    "NoRankingError",
    "NothingFoundWarning",
    "ignored",
    "warn_user",
]

# Code that stands between a line of the user and what is found out.
NOT_OF_USERS = ("hsieve", "sklearn", "joblib")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something, at the line of the user that has asked for the work."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _package_of(frame) in NOT_OF_USERS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def ignored(categories: Iterable[type[Warning]]) -> Iterator[None]:
    """Ignore some warnings inside the block."""
    with warnings.catch_warnings():
        for category in categories:
            warnings.simplefilter("ignore", category)
        yield


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


class IncompatibleCombinationError(TypeError):
    """A strategy was given a measure that lacks what the strategy asks for."""


class MissingExtraError(ImportError):
    """A package that only a part of this one needs is not installed."""


class NoRankingError(ValueError):
    """A search puts no features in order beyond those asked for; the message says why."""


class FewerFeaturesWarning(UserWarning):
    """Fewer features are selected than were asked for."""


class NothingFoundWarning(UserWarning):
    """No feature is related to the target beyond chance, so that none is selected."""


class CrowdedInteractionsWarning(UserWarning):
    """So many pairs stand out that not all of them could be tested."""


class IdentifierWarning(UserWarning):
    """A column of text that is different in every row, or that counts the rows, is left out."""


class ConstantFeatureWarning(UserWarning):
    """A column holds one single value: it carries no information and is never selected."""
