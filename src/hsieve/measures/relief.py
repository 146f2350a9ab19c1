"""Relief: features that differ between near samples of other classes, not of the same class.

With diff(x, i, j) = |x_i - x_j| / (max x - min x) for numbers and 0 or 1 for categories, samples
are near each other where the sum of diff over all features is small.

*ReliefF* (Kononenko 1994), for classes of shares P:

    W(x) = mean over samples i of (sum over classes c of P(c) / (1 - P(own)) * miss_c - hit),

where miss_c is the mean diff to the k nearest samples of another class c, and hit that to the k
nearest of i's own class.

*RReliefF* (Robnik-Sikonja and Kononenko 1997, 2003), for numbers: with w_ij the weight of the
neighbour j of i (summing to one over j), and D the diff of the target,

    A = sum w D,    B(x) = sum w diff(x),    C(x) = sum w D diff(x),
    W(x) = C(x) / A - (B(x) - C(x)) / (n - A).

Both are sums over pairs of neighbours with weights that depend on the pair alone, so the scores of
all features are one weighted sum of their diffs. Distances take every feature into account: an
interaction is seen as long as noise features do not drown the distances.

Ties: samples at one distance share the weights of the places they hold. The answer does not depend
on the order of the samples, which matters where features have few values and most distances tie.

Cost: O(n^2 d) for the distances, O(n k d) a class for the scores; blocks of some megabytes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import check_finite, check_positions, within_range
from hsieve.measures.base import KnownScores, Measure
from hsieve.measures.targets import one_output
from hsieve.parameters import NONE, check_parameters, integer, number, rules
from hsieve.progress import report

CLASS_NEIGHBORS = 10
NUMBER_NEIGHBORS = 70
NUMBER_SIGMA = 20.0
# Blocks hold about this many numbers.
BLOCK_NUMBERS = 4_000_000
# Distances closer than this, for each feature, are equal: sums of diffs are rounded.
ROUNDING = 1e-13


@dataclass(eq=False, repr=False, kw_only=True)
class Relief(Measure):
    """ReliefF for classes, RReliefF for numbers.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Neighbours of each sample: of each class, or in all for numbers. None is 10 for classes and
        70 for numbers. Where there are fewer, all are taken.
    sigma : float or None, default=None
        How fast the weight exp(-(place / sigma)^2) of a neighbour falls with its place. None is
        20 for numbers if `n_neighbors` is None too, as in the paper of 2003, else equal weights.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
    2003.

    Examples
    --------
    >>> from hsieve.datasets import make_xor_toy
    >>> from hsieve.measures import Relief
    >>> problem = make_xor_toy(random_state=0)
    >>> scores = Relief().bind(problem.X, problem.y).feature_scores(range(10))
    >>> sorted(scores.argsort()[-2:].tolist())
    [0, 1]
    """

    n_neighbors: int | None = None
    sigma: float | None = None
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    bound_type = KnownScores
    allowed = rules(n_neighbors=NONE | integer(1), sigma=NONE | number(above=0))

    def bind(self, X: ArrayLike, y: Any) -> KnownScores:
        """Bind the measure to data."""
        check_parameters(self)
        columns = np.asarray(X, dtype=np.float64)
        check_finite(columns)
        target = one_output(y, self, len(columns))
        places = _Columns.of(columns, check_positions(self.categorical, columns.shape[1]))
        if target_kind_of(target, self.target_kind) == "classes":
            return KnownScores(self._with_classes(places, target))
        return KnownScores(self._with_numbers(places, target.astype(np.float64)))

    def _with_classes(self, columns: "_Columns", labels: NDArray[Any]) -> FloatArray:
        """ReliefF."""
        classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            msg = f"Relief needs at least two classes, got {len(classes)}."
            raise ValueError(msg)
        if counts.min() < 2:
            alone = classes[int(np.argmin(counts))]
            msg = f"Relief needs two samples in each class, got one of class {alone!s}."
            raise ValueError(msg)
        shares = counts / len(labels)
        scores = np.zeros(columns.n_features)
        for rows, distances in columns.distances():
            weights = np.zeros_like(distances)
            for c in range(len(classes)):
                members = np.flatnonzero(codes == c)
                near = self._neighbour_weights(distances[:, members], CLASS_NEIGHBORS, None)
                own = codes[rows] == c
                factors = np.where(own, -1.0, shares[c] / (1.0 - shares[codes[rows]]))
                weights[:, members] = factors[:, None] * near
            scores += columns.weighted_diffs(rows, weights)[0]
        return np.asarray(scores / len(labels))

    def _with_numbers(self, columns: "_Columns", numbers: FloatArray) -> FloatArray:
        """RReliefF."""
        check_finite(numbers)
        if numbers.min() == numbers.max():
            msg = "Relief needs a target with at least two distinct values, got one."
            raise ValueError(msg)
        target = within_range(numbers)
        sigma = NUMBER_SIGMA if self.n_neighbors is None else None
        differ, both, total = np.zeros(columns.n_features), np.zeros(columns.n_features), 0.0
        for rows, distances in columns.distances():
            weights = self._neighbour_weights(distances, NUMBER_NEIGHBORS, sigma)
            of_target = weights * np.abs(target[rows, None] - target)
            total += float(of_target.sum())
            here = columns.weighted_diffs(rows, weights, of_target)
            differ += here[0]
            both += here[1]
        # Where all neighbours agree in the target, or none does, one of the terms is empty.
        same = len(numbers) - total
        first = both / total if total > 0 else np.zeros_like(both)
        second = (differ - both) / same if same > 0 else np.zeros_like(both)
        return np.asarray(first - second)

    def _neighbour_weights(
        self, distances: FloatArray, n_neighbors: int, sigma: float | None
    ) -> FloatArray:
        """Weights of neighbours, summing to one a row; tied neighbours share theirs."""
        n_neighbors = n_neighbors if self.n_neighbors is None else int(self.n_neighbors)
        sigma = sigma if self.sigma is None else float(self.sigma)
        order = np.argsort(distances, axis=1, kind="stable")
        ordered = np.take_along_axis(distances, order, axis=1)
        places = np.arange(1, distances.shape[1] + 1)
        # Over the weight of the first place, or a small sigma would leave no neighbour any weight.
        decay = np.ones(len(places)) if sigma is None else np.exp((1 - places**2) / sigma**2)
        # A sample is no neighbour of its own: its distance is infinite.
        by_place = np.where(np.isfinite(ordered), decay * (places <= n_neighbors), 0.0)
        by_place /= by_place.sum(axis=1, keepdims=True)
        weights = np.empty_like(by_place)
        np.put_along_axis(weights, order, _shared_by_ties(ordered, by_place), axis=1)
        return weights


@dataclass(frozen=True, eq=False)
class _Columns:
    """Features scaled to their range; the levels of categories are mere names."""

    scaled: FloatArray
    categorical: IndexArray

    @classmethod
    def of(cls, columns: FloatArray, categorical: IndexArray) -> "_Columns":
        scaled = within_range(columns)
        scaled[:, categorical] = columns[:, categorical]
        return cls(scaled, np.unique(categorical))

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return int(self.scaled.shape[1])

    def distances(self) -> Iterator[tuple[IndexArray, FloatArray]]:
        """Blocks of samples and their distances to all; infinite to themselves."""
        n_samples = len(self.scaled)
        numeric = np.delete(self.scaled, self.categorical, axis=1)
        height = max(1, BLOCK_NUMBERS // n_samples)
        for start in range(0, n_samples, height):
            rows = np.arange(start, min(start + height, n_samples))
            distances = cdist(numeric[rows], numeric, "cityblock")
            for column in self.scaled[:, self.categorical].T:
                distances += column[rows, None] != column
            distances[np.arange(len(rows)), rows] = np.inf
            yield rows, distances
            report((rows[-1] + 1) / n_samples, "neighbours")

    def weighted_diffs(self, rows: IndexArray, *weights: FloatArray) -> FloatArray:
        """Add up the diffs of each feature over pairs of samples, for each set of weights."""
        first, second = np.nonzero(weights[0])
        of_pairs = np.stack([part[first, second] for part in weights])
        sums = np.zeros((len(weights), self.n_features))
        length = max(1, BLOCK_NUMBERS // self.n_features)
        for start in range(0, len(first), length):
            part = slice(start, start + length)
            here, there = self.scaled[rows[first[part]]], self.scaled[second[part]]
            diffs = np.abs(here - there)
            unlike = here[:, self.categorical] != there[:, self.categorical]
            diffs[:, self.categorical] = unlike
            sums += of_pairs[:, part] @ diffs
        return sums


def _shared_by_ties(ordered: FloatArray, by_place: FloatArray) -> FloatArray:
    """Mean of the weights of the places that samples at one distance hold."""
    n_rows = len(ordered)
    with np.errstate(invalid="ignore"):
        gaps = np.diff(ordered, axis=1)
        starts = gaps > ROUNDING * np.maximum(1.0, ordered[:, :-1])
    starts = np.hstack([np.ones((n_rows, 1), dtype=bool), starts])
    groups = np.cumsum(starts.ravel()) - 1
    means = np.bincount(groups, by_place.ravel()) / np.bincount(groups)
    return np.asarray(means[groups].reshape(by_place.shape))
