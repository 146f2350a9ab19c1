"""What a search strategy is, and the one result that every strategy gives.

A strategy walks over sets of features with the help of a bound measure. It lists the methods it
needs; a measure that lacks one is refused by name, before any work is done.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from hsieve.array_types import FloatArray, IndexArray
from hsieve.exceptions import IncompatibleCombinationError
from hsieve.measures.base import DOUBLE_PRECISION, Measure
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import Rule, check_parameters
from hsieve.progress import report

BLOCK = 256
# Searches that add one feature after the other go so far where the number is not known yet.
LONGEST_SEARCH = 100
# A kernel of which less than this fraction (squared) lies outside the span of those taken counts as
# dependent on them: redundancies through factors are right to about 1e-5.
DEPENDENCE_TOLERANCE = 1e-4
# Properties of measures that strategies demand, and what is wrong with a measure without them.
DEMANDS = {
    "redundancy_is_psd": (
        "it does not say that its redundancies are positive semi-definite, as inner products are "
        "(redundancy_is_psd). Choose PairwiseHSIC() or Pearson(squared=True)."
    ),
    "redundancy_is_positive": (
        "its redundancy of unrelated features may be estimated at or below zero, and nothing can "
        "be divided by that. Choose form='difference'."
    ),
    "normalised": (
        "its relevance and redundancy are on different scales and cannot be compared. Choose "
        "PairwiseHSIC(), or MRMRSearch(form='quotient')."
    ),
}


@dataclass(frozen=True, eq=False)
class SelectionPath:
    """The way a search took through the features.

    Parameters
    ----------
    order : ndarray of shape (n_features,)
        All features, best first.
    feature_scores : ndarray of shape (n_features,)
        For each feature *in that order*, the score that decided its place: its own dependence
        (ranking), what it brought when it joined (forward), what it was worth when it left
        (backward).
    sizes : ndarray of shape (n_sets,)
        Sizes of the sets visited; the set of size s is ``order[:s]``.
    set_scores : ndarray of shape (n_sets,)
        Score of each of those sets.
    stop_reason : str
        Why the search ended, in words.
    n_selectable : int or None, default=None
        How many features, from the front of `order`, may be selected at all; None for all.

    Attributes
    ----------
    is_nested : bool
        Whether the best k features of a longer search are those of a search for k.
    """

    is_nested: ClassVar[bool] = True

    order: IndexArray
    feature_scores: FloatArray
    sizes: IndexArray
    set_scores: FloatArray
    stop_reason: str
    n_selectable: int | None = field(default=None, kw_only=True)

    @property
    def nested_order(self) -> IndexArray:
        """Features that may be selected, in the order in which ever longer selections get them."""
        return self.order[: self.n_selectable]

    def among(self, features: IndexArray, n_features: int) -> Self:
        """Return the path of a search over some features as one over all of them.

        Parameters
        ----------
        features : ndarray of int
            Features that were searched; position i of this path is ``features[i]``.
        n_features : int
            Number of all features; those not searched come last, with a score of zero.
        """
        others = np.setdiff1d(np.arange(n_features), features)
        return replace(
            self,
            order=np.concatenate([features[self.order], others]),
            feature_scores=np.concatenate([self.feature_scores, np.zeros(len(others))]),
        )


class Strategy(BaseEstimator, ABC):
    """A way to search, independent of the measure; `search` is all that it must have.

    ``needs`` lists the methods that a bound measure must offer, and ``demands`` what else must be
    true of the measure; ``refusal`` says what to do with a measure that lacks a method; ``allowed``
    says what the parameters may be. ``no_weights`` says why samples cannot have weights, if so;
    where ``weights_are_counts``, a sample that counts twice is handed over twice.
    """

    no_weights: str = ""
    weights_are_counts: ClassVar[bool] = False

    needs: ClassVar[tuple[str, ...]] = ()
    demands: tuple[str, ...] = ()
    refusal: ClassVar[str] = ""
    allowed: ClassVar[Mapping[str, Rule]] = {}

    @abstractmethod
    def search(self, bound: Any, n_features_to_select: int) -> SelectionPath:
        """Search for the best features.

        Parameters
        ----------
        bound : BoundMeasure
            Measure bound to data.
        n_features_to_select : int
            How many features are wanted; the path may go further.

        Returns
        -------
        SelectionPath
            All features, best first.
        """

    def check(self, measure: Measure, n_features: int, n_wanted: int) -> None:
        """Refuse a measure or parameters that do not fit, before any work is done.

        Parameters
        ----------
        measure : Measure
            Whose bound form is to be searched with.
        n_features, n_wanted : int
            How many features there are, and how many are wanted.

        Raises
        ------
        IncompatibleCombinationError
            Naming measure, strategy and the missing methods.
        ValueError
            If a parameter is wrong.
        """
        bound_type = getattr(measure, "bound_type", None)
        if bound_type is None:
            msg = (
                f"{type(measure).__name__} has no bound_type: the class of bound measures that its "
                "bind(X, y) returns."
            )
            raise IncompatibleCombinationError(msg)
        missing = [name for name in self.needs if not hasattr(bound_type, name)]
        if missing:
            msg = (
                f"{type(self).__name__} cannot search with {type(measure).__name__}: "
                f"it lacks {', '.join(missing)}. {self.refusal}"
            )
            raise IncompatibleCombinationError(msg)
        check_parameters(self)
        settings = self.get_params(deep=False)
        if "engine" in settings:
            make_job_engine(settings.get("n_jobs"), settings["engine"])
        for fact in self.demands:
            if not getattr(measure, fact, True):
                msg = f"{type(self).__name__} cannot search with {measure!r}: {DEMANDS[fact]}"
                raise IncompatibleCombinationError(msg)

    def n_ranked(self, n_features: int) -> int:
        """Return how many features to look for where a rule is to choose their number afterwards.

        All, unless the search takes the longer the more are looked for.

        Parameters
        ----------
        n_features : int
            How many features there are.

        Raises
        ------
        NoRankingError
            If there is no ranking of which as many features as one likes could be kept.
        """
        return n_features


def scores_of_all(
    score: Callable[[IndexArray], FloatArray], n_features: int, *, share_of_work: float = 1.0
) -> FloatArray:
    """Score every feature by itself, in blocks so that the progress can be told."""
    scores = np.empty(n_features)
    for start in range(0, n_features, BLOCK):
        block = np.arange(start, min(start + BLOCK, n_features))
        scores[block] = score(block)
        report(share_of_work * (block[-1] + 1) / n_features, "scores of single features")
    if np.isnan(scores).any():
        bad = np.flatnonzero(np.isnan(scores))
        msg = f"The measure gave NaN for {len(bad)} of {n_features} features, such as {bad[0]}."
        raise ValueError(msg)
    return scores


def best_first(scores: FloatArray, *, each_by_itself: bool = False) -> IndexArray:
    """Positions by falling score; ties, which may differ by rounding, go to the lower position.

    Scores `each_by_itself` are rounded as fractions of themselves, as quotients are, and not of the
    largest, as differences are.
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    sizes = np.abs(falling[:-1]) if each_by_itself else np.abs(scores[np.isfinite(scores)])
    tie = DOUBLE_PRECISION * (sizes if each_by_itself else sizes.max(initial=0.0))
    with np.errstate(invalid="ignore"):
        is_tied = falling[:-1] - falling[1:] <= tie
    # Infinite scores have no difference, but may be equal.
    is_tied |= falling[:-1] == falling[1:]
    place = np.concatenate([[0], np.cumsum(~is_tied)])[: len(order)]
    return np.asarray(order[np.lexsort((order, place))])
