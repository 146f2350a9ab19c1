"""Spectral scores: features that vary smoothly over a graph of similar samples (SPEC).

With similarities S, degrees D = diag(S 1), the normalised Laplacian N = I - D^-1/2 S D^-1/2, its
eigenvalues 0 = l_1 <= l_2 <= ... <= 2 with eigenvectors v_j, and g = D^1/2 f / |D^1/2 f| for a
feature f (Zhao and Liu 2007):

    phi1 = g' N g                       small for smooth features
    phi2 = g' N g / (1 - (g' v_1)^2)    the same of what varies at all, v_1 being D^1/2 1
    phi3 = sum_{j = 2}^m (2 - l_j) (g' v_j)^2    large for features along the first eigenvectors

The scores here are 2 - phi1, 2 - phi2 and phi3, from 0 to 2, so that higher is better for all.
phi1 favours features with a large offset, which hardly vary in proportion, and phi3 features
without one; phi2 does not depend on it.

Graphs: the target's (classes: S_ij = 1 / n_c within class c; numbers: a Gaussian kernel of width
one deviation), a Gaussian kernel of all features as wide as their median distance, or the nearest
neighbours in them with Gaussian weights as wide as the median distance of neighbours. phi2 on the
last is the Laplacian score of He, Cai and Niyogi (2006), f' L f / f' D f for L = D - S and f less
its mean weighted by D. Features are standardised for distances. Of samples that are equally near,
the first ones are neighbours.

Cost: O(n^2 d), less for classes (O(n d)) and neighbours (O(n^2 d) for the search, O(n k d) beyond).
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from hsieve.array_types import FloatArray
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.kernels import Gaussian
from hsieve.kernels.column_scale import safe_scale
from hsieve.kernels.columns import check_finite, slices, standardised
from hsieve.kernels.labels import block_coding
from hsieve.measures.base import KnownScores, Measure
from hsieve.measures.targets import target_gram
from hsieve.parameters import NONE, check_parameters, integer, rules, word

BLOCK_NUMBERS = 4_000_000
LEAST_DEGREE = 1e-100
# Shares of the largest squared norm and of a distance within which two distances may be the same.
ROUNDED = 1e-10
TIED = 1e-9


@dataclass(eq=False, repr=False)
class SpectralScore(Measure):
    """How smooth single features are over a graph of similar samples.

    Parameters
    ----------
    ranking_function : {"phi1", "phi2", "phi3"}, default="phi2"
        See :mod:`hsieve.measures.spectral`.
    graph : {"target", "features", "neighbours"}, default="target"
        Which samples are similar: by the target, by all features, or the nearest neighbours by
        features. The latter two do not look at the target.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph "neighbours".
    n_eigenvectors : int or None, default=None
        How many eigenvectors, the trivial one included, "phi3" takes; the number of clusters
        looked for. None is all.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    """

    ranking_function: str = "phi2"
    _: KW_ONLY
    graph: str = "target"
    n_neighbors: int = 5
    n_eigenvectors: int | None = None
    target_kind: str = "auto"

    allowed = rules(
        ranking_function=word("phi1", "phi2", "phi3"),
        graph=word("target", "features", "neighbours"),
        n_neighbors=integer(1),
        n_eigenvectors=NONE | integer(2),
    )

    bound_type = KnownScores

    def bind(self, X: ArrayLike, y: Any = None) -> KnownScores:
        """Bind the measure to data; y is needed for the graph "target" only."""
        check_parameters(self)
        columns = np.asarray(X, dtype=np.float64)
        check_finite(columns)
        if self.graph == "target":
            graph = _graph_of_target(y, self.target_kind)
        else:
            n_neighbors = int(self.n_neighbors) if self.graph == "neighbours" else None
            graph = _graph_of_features(standardised(columns), n_neighbors)
        check_lengths(len(columns), len(graph.degrees))
        eigen = None
        if self.ranking_function == "phi3" and self.n_eigenvectors is not None:
            eigen = graph.smoothest(min(int(self.n_eigenvectors), len(columns)) - 1)
        scores = np.empty(columns.shape[1])
        for block in slices(len(scores), BLOCK_NUMBERS // len(columns)):
            scores[block] = self._scores(columns[:, block], graph, eigen)
        return KnownScores(scores)

    def _scores(
        self, columns: FloatArray, graph: "_Graph", eigen: tuple[FloatArray, FloatArray] | None
    ) -> FloatArray:
        """Score of each column, from 0 to 2; zero where it is constant."""
        # Every formula is taken of what varies, u, and then scaled by its fraction of the feature:
        # differences of nearly equal numbers are avoided where offsets are large.
        degrees = graph.degrees
        low, high = columns.min(axis=0), columns.max(axis=0)
        divisor = safe_scale(low, high)
        columns = columns / divisor
        # Without the least value first, which loses no digit, however large the offset.
        varying = columns - low / divisor
        varying -= (degrees @ varying) / degrees.sum()
        varying -= (degrees @ varying) / degrees.sum()
        whole, part = degrees @ columns**2, degrees @ varying**2
        constant = low == high
        part = np.where(constant, 1.0, part)
        share = part / np.where(whole > 0, whole, 1.0)
        unit = graph.roots * varying / np.sqrt(part)
        if self.ranking_function == "phi3" and eigen is not None:
            values, vectors = eigen
            scores = share * ((2.0 - values) @ (vectors.T @ unit) ** 2)
        else:
            roughness = 1.0 - np.einsum("ij,ij->j", unit, graph.smoothed(unit))
            scores = {
                "phi1": 2.0 - share * roughness,
                "phi2": 2.0 - roughness,
                "phi3": share * (2.0 - roughness),
            }[self.ranking_function]
        return np.where(constant, 0.0, scores)


@dataclass(frozen=True, eq=False)
class _Graph:
    """Similarities of samples, as what they make of columns, and the degrees."""

    times: Callable[[FloatArray], FloatArray]
    degrees: FloatArray

    @classmethod
    def of(cls, similarities: Any) -> "_Graph":
        # A sample so far from all others that its similarities vanish must not divide by zero.
        degrees = np.maximum(np.asarray(similarities.sum(axis=1)).ravel(), LEAST_DEGREE)
        return cls(lambda columns: similarities @ columns, degrees)

    @property
    def roots(self) -> FloatArray:
        """Square roots of the degrees, as a column."""
        return np.sqrt(self.degrees)[:, None]

    def smoothed(self, columns: FloatArray) -> FloatArray:
        """D^-1/2 S D^-1/2 times columns."""
        return self.times(columns / self.roots) / self.roots

    def smoothest(self, n_vectors: int) -> tuple[FloatArray, FloatArray]:
        """Smallest eigenvalues of the normalised Laplacian but the trivial one, and vectors."""
        smoothing = self.smoothed(np.eye(len(self.degrees)))
        trivial = self.roots / linalg.norm(self.roots)
        # The trivial vector is moved to the far end, so that a zero that occurs more often (a graph
        # in several pieces) leaves the others well defined.
        smoothing -= 2.0 * trivial * trivial.T
        n = len(smoothing)
        values, vectors = linalg.eigh(smoothing, subset_by_index=[n - n_vectors, n - 1])
        return 1.0 - values, vectors


def _graph_of_target(y: Any, target_kind: str) -> _Graph:
    """1 / n_c within classes, or a Gaussian kernel of numbers."""
    if y is None:
        msg = "The graph 'target' needs a target, got y=None; choose 'features' or 'neighbours'."
        raise ValueError(msg)
    if target_kind_of(y, target_kind) == "classes":
        coding = block_coding(y)
        return _Graph(lambda columns: coding @ (coding.T @ columns), np.ones(len(coding)))
    return _Graph.of(target_gram(y, target_kind="continuous"))


def _graph_of_features(columns: FloatArray, n_neighbors: int | None) -> _Graph:
    """Gaussian kernel of all pairs, or of those where one is among the nearest of the other."""
    if n_neighbors is None:
        return _Graph.of(Gaussian("median").gram(columns))
    distances, others = _nearest(columns, min(n_neighbors, len(columns) - 1))
    width = float(np.median(distances)) or float(distances.mean()) or 1.0
    weights = np.exp(-0.5 * (distances / width) ** 2)
    rows = np.repeat(np.arange(len(columns)), distances.shape[1])
    graph = sparse.csr_array((weights.ravel(), (rows, others.ravel())), shape=2 * (len(columns),))
    return _Graph.of(graph.maximum(graph.T))


def _nearest(columns: FloatArray, n_neighbors: int) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return distances and positions of each sample's neighbours, of equally near ones the first.

    The search subtracts products, so that its distances are rounded by a fraction of the norms, and
    rounding would choose among neighbours that tie, as they do where features have few values. So
    samples with such ties are looked at again, difference by difference.
    """
    n_samples = len(columns)
    search = NearestNeighbors(n_neighbors=min(n_neighbors + 1, n_samples - 1), algorithm="brute")
    squares, others = search.set_params(metric="sqeuclidean").fit(columns).kneighbors()
    others = others[:, :n_neighbors].astype(np.intp)
    rounding = ROUNDED * np.einsum("ij,ij->i", columns, columns).max(initial=0.0)
    tied = np.flatnonzero(
        (squares[:, n_neighbors:] - squares[:, [n_neighbors - 1]] < rounding).any(1)
    )
    for part in slices(len(tied), BLOCK_NUMBERS // n_samples):
        rows = tied[part]
        exact = cdist(columns[rows], columns)
        exact[np.arange(len(rows)), rows] = np.inf
        last = np.partition(exact, n_neighbors - 1, axis=1)[:, [n_neighbors - 1]]
        order = (exact >= last * (1 - TIED)).astype(np.int8) + (exact > last * (1 + TIED))
        others[rows] = np.argsort(order, axis=1, kind="stable")[:, :n_neighbors]
    distances = np.empty(others.shape)
    for part in slices(n_samples, BLOCK_NUMBERS // (n_neighbors * columns.shape[1])):
        gaps = columns[part, None, :] - columns[others[part]]
        distances[part] = np.linalg.norm(gaps, axis=2)
    return distances, others
