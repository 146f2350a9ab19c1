"""The selectors that chapters 3 and 4 of the thesis compare, with its settings.

Chapter 3 ranks by linear methods: correlation, stability selection over the lasso, l1-logistic
regression and LPBoost, recursive elimination by a linear machine. Chapter 4 ranks by a Gaussian
kernel: randSel, FOHSIC, BAHSIC and elimination by a Gaussian machine, which all drop a quarter of
the features a round. A random order stands beside them.

How many features of a ranking are kept is found by alignment (algorithm 3), by the guarded rule, or
by nested cross validation (sec. 2.5.1). Under cross validation the random baseline of the
thesis is a random tenth of the features.

Where this is not the thesis: stability selection draws 50 subsamples, not 1000, in complementary
pairs, each of which selects 20 features at most; FOHSIC adds 100 features, not 150; RandSel and
BAHSIC are this package's (swept contributions, several widths).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from hsieve.classifiers import LPBoost
from hsieve.measures.base import KnownScores, Measure
from hsieve.selectors import (
    BAHSIC,
    FOHSIC,
    SVMRFE,
    DependenceSelector,
    FamilyRanking,
    KernelSVMRFE,
    RandSel,
    StabilitySelection,
)
from hsieve.selectors.base import BaseSelector

__all__ = [
    "KERNEL",
    "LINEAR",
    "METHODS",
    "RANDOM",
    "RULES",
    "STABILITY",
    "RandomScores",
    "make_selector",
]

RULES = ("alignment", "guarded", "cv")
RANDOM = "random"
STABILITY = ("stability, lasso", "stability, logistic", "stability, LPBoost")
LINEAR = ("correlation", *STABILITY, "linear RFE")
KERNEL = ("randSel", "FOHSIC", "BAHSIC", "Gaussian RFE")
METHODS = (*LINEAR, *KERNEL, RANDOM)

STEP = 0.25
RANDOM_SHARE = 0.1
N_SUBSAMPLES = 50
N_PER_SUBSAMPLE = 20


class RandomScores(Measure):
    """Scores that have nothing to do with the target.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the scores.
    """

    bound_type = KnownScores

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def bind(self, X: ArrayLike, y: Any) -> KnownScores:
        """Draw a score for each feature."""
        rng = np.random.default_rng(self.random_state)
        return KnownScores(rng.random(size=(np.shape(X)[1],)))


def _stability(base: BaseEstimator | None, rule: str, seed: int) -> StabilitySelection:
    return StabilitySelection(
        base,
        n_features_to_select=rule,
        n_subsamples=N_SUBSAMPLES,
        n_per_subsample=N_PER_SUBSAMPLE,
        target_kind="classes",
        random_state=seed,
    )


def _random(rule: str, seed: int) -> DependenceSelector:
    number = RANDOM_SHARE if rule == "cv" else rule
    return DependenceSelector(RandomScores(seed), n_features_to_select=number)


MAKERS: Mapping[str, Callable[[str, int], BaseSelector]] = MappingProxyType(
    {
        "correlation": lambda rule, _: FamilyRanking(rule, target_kind="classes"),
        "stability, lasso": lambda rule, seed: _stability(None, rule, seed),
        "stability, logistic": lambda rule, seed: _stability(
            LogisticRegression(l1_ratio=1.0, solver="liblinear"), rule, seed
        ),
        "stability, LPBoost": lambda rule, seed: _stability(LPBoost(), rule, seed),
        "linear RFE": lambda rule, _: SVMRFE(rule, target_kind="classes"),
        "randSel": lambda rule, seed: RandSel(
            rule, step=STEP, target_kind="classes", random_state=seed
        ),
        "FOHSIC": lambda rule, _: FOHSIC(rule, target_kind="classes"),
        "BAHSIC": lambda rule, _: BAHSIC(rule, step=STEP, target_kind="classes"),
        "Gaussian RFE": lambda rule, _: KernelSVMRFE(rule, step=STEP, target_kind="classes"),
        RANDOM: _random,
    }
)


def make_selector(method: str, rule: str, seed: int) -> BaseSelector:
    """Make a selector of the thesis.

    Parameters
    ----------
    method : str
        One of :data:`METHODS`.
    rule : {"alignment", "guarded", "cv"}
        How it finds its number of features.
    seed : int
        Seed of whatever is random in it.

    Returns
    -------
    BaseSelector
        Not fitted.

    Examples
    --------
    >>> make_selector("linear RFE", "cv", 0)
    SVMRFE(n_features_to_select='cv', target_kind='classes')
    """
    return MAKERS[method](rule, seed)
