"""What a measure of dependence is, and what it may offer to a search strategy.

A *measure* holds hyper-parameters. ``measure.bind(X, y)`` gives a *bound measure*: immutable, bound
to data, offering some of the capabilities below. A strategy names the methods it needs; a partner
that lacks them is refused by name before any work is done.

=================  =====================================================================
capability         methods of the bound measure
=================  =====================================================================
feature scores     ``feature_scores(features)``: dependence of each feature alone
subset scores      ``subset_score``, ``addition_scores``, ``removal_scores``,
                   ``contributions``, ``elimination_scores``: dependence of sets, and of all sets
                   one feature away, with the kernel's width that of the set before the change
sampled scores     ``part``, ``sample_groups``: the subset scores on some of the samples
weighted scores    ``weighted_model``, ``weighted_value_and_gradient``: dependence of features
                   multiplied by weights, and its slope in them
pairwise           ``relevance``, ``redundancy``, ``self_redundancy``: dependence of single
                   features on the target and on each other, for the pairs asked for only
regression         ``regression_data``, ``relevance_to``, ``redundancy``: columns and target for
                   a regression, and dependence of all features on what it leaves
conditional        ``feature_scores``, ``conditional_log_p``: p-values of single features, alone
                   and given others
=================  =====================================================================

Features are given by position; all arrays are samples x features.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from hsieve.array_types import FloatArray, IndexArray
from hsieve.parameters import Rule

# Fraction of the largest score by which scores of exact copies may differ, from products of
# matrices in either precision.
DOUBLE_PRECISION = 1e-12
SINGLE_PRECISION = 2e-6


class BoundMeasure(ABC):
    """A measure bound to data; immutable.

    ``redundancy_may_be_skipped`` tells whether no redundancy falls below zero nor depends, but for
    rounding, on what else is asked for, so that a search may leave out those that cannot matter.
    ``rounding`` is the fraction of the largest score by which scores of exact copies may differ,
    since products of matrices round by position: closer ones are ties.
    """

    columns: Any
    redundancy_may_be_skipped: ClassVar[bool] = False
    rounding: ClassVar[float] = DOUBLE_PRECISION

    @cached_property
    def n_features(self) -> int:
        """Number of features."""
        if not hasattr(self, "columns"):
            msg = f"{type(self).__name__} needs a property n_features: the number of features."
            raise TypeError(msg)
        return int(self.columns.shape[1])

    @property
    def worthwhile_entries(self) -> int:
        """How many redundancies take about as long as asking for them does."""
        return 1024


@dataclass(frozen=True, eq=False)
class KnownScores(BoundMeasure):
    """Scores of features that share something, so that those of all come at once."""

    scores: FloatArray

    @cached_property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.scores)

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Score of each feature."""
        return self.scores[np.asarray(features, dtype=np.intp)]


class PairwiseBoundMeasure(BoundMeasure):
    """Base for pairwise measures: they rank single features by relevance, too."""

    @abstractmethod
    def relevance(self, features: ArrayLike) -> FloatArray:
        """Dependence of each feature on the target, of shape (n_features,)."""

    @abstractmethod
    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Dependence between features and active ones, of shape (n_features, n_active)."""

    @abstractmethod
    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Redundancy of each feature with itself, of shape (n_features,)."""

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Relevance of each feature."""
        return self.relevance(features)


class JointBoundMeasure(BoundMeasure):
    """Base for measures of sets: all scores follow from one method, `scored_contributions`."""

    @abstractmethod
    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set, and each candidate's contribution to it.

        That of a member is by how much the score falls without it, that of another feature by how
        much the score rises with it.
        """

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Score of each feature alone."""
        return np.array([self.subset_score([feature]) for feature in np.ravel(features)])

    def subset_score(self, subset: ArrayLike) -> float:
        """Score a set of features."""
        return self.scored_contributions(_positions(subset), _positions([]))[0]

    def contributions(self, subset: ArrayLike, candidates: ArrayLike) -> FloatArray:
        """Score what each candidate adds: lost when a member leaves, gained when another joins."""
        return self.scored_contributions(_positions(subset), _positions(candidates))[1]

    def elimination_scores(self, subset: ArrayLike, candidates: ArrayLike) -> FloatArray:
        """Judge candidates for elimination; the contributions, unless a measure knows better."""
        return self.contributions(subset, candidates)

    def addition_scores(self, subset: ArrayLike, candidates: ArrayLike) -> FloatArray:
        """Score the set with each candidate added."""
        subset, candidates = _positions(subset), _positions(candidates)
        if np.isin(candidates, subset).any():
            msg = "addition_scores takes candidates outside the set."
            raise ValueError(msg)
        score, contributions = self.scored_contributions(subset, candidates)
        return score + contributions

    def removal_scores(self, subset: ArrayLike, candidates: ArrayLike | None = None) -> FloatArray:
        """Score the set with each candidate (by default each member) removed."""
        subset = _positions(subset)
        candidates = subset if candidates is None else _positions(candidates)
        if not np.isin(candidates, subset).all():
            msg = "removal_scores takes members of the set."
            raise ValueError(msg)
        score, contributions = self.scored_contributions(subset, candidates)
        return score - contributions


class Measure(BaseEstimator, ABC):
    """Hyper-parameters of a measure of dependence.

    ``bound_type`` is the class of what :meth:`bind` returns; strategies look at it to see whether
    measure and strategy fit together.
    """

    bound_type: ClassVar[type[BoundMeasure]]
    # What its parameters may be, where there are rules; `bind` checks them.
    allowed: ClassVar[Mapping[str, Rule]] = {}
    # Whether its products are so small that several threads only wait for each other.
    has_small_products: ClassVar[bool] = False
    # Whether `bind` takes column blocks. The bound measure then finds constant features itself
    # (`constant`) and can be narrowed to others (`among`).
    takes_blocks: bool = False
    # Why samples cannot have weights; empty where they can, and `bind` takes `sample_weight`.
    no_weights: str = "is no weighted mean over samples"
    # Whether `bind` takes `feature_groups`, positions of the features of each group, and answers
    # with a measure of groups.
    takes_groups: bool = False
    # Whether the matrix of redundancies is positive semi-definite by construction, and whether no
    # estimate of a redundancy falls below zero.
    redundancy_is_psd: bool = False
    # Whether only the mean of a target of times with events is compared: features may decide how
    # long subjects are observed, and so the rest of its distribution.
    takes_survival: bool = False
    redundancy_is_positive: bool = True

    @abstractmethod
    def bind(self, X: Any, y: Any) -> Any:
        """Bind the measure to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, finite numbers.
        y : array-like
            Target.
        """


def _positions(features: ArrayLike) -> IndexArray:
    return np.asarray(features, dtype=np.intp)
