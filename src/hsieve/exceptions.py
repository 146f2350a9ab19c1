"""Errors and warnings of the package, each saying what was given and what is accepted."""

__all__ = [
    "ConstantFeatureWarning",
    "CrowdedInteractionsWarning",
    "FewerFeaturesWarning",
    "IdentifierWarning",
    "IncompatibleCombinationError",
    "MissingExtraError",
    "NoRankingError",
    "NothingFoundWarning",
]


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
