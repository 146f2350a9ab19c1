"""Knockoffs: copies of features that relate to the others as they do, but not to the target.

A method that ranks features beside their knockoffs cannot tell an irrelevant feature from its own
knockoff, so knockoffs that rank before their features show how many false ones to expect [1]_.

The law is a Gaussian copula: the ranks of each feature become normal scores z with a correlation
matrix C. With distances s, the knockoffs are

    z~ = z - D C^-1 z + N(0, 2D - D C^-1 D),    D = diag(s),

and each takes the values of its feature in the order of z~, so that both hold the same values. The
distances maximise log det(2C - D) + sum log s_j, the entropy of features and knockoffs together:
they stay away from the edge of what C allows, which an estimated C has in the wrong place.

C is estimated in two ways, of which the one is taken that makes left-out samples more likely.

- Few pairs of features depend on each other given all others. The graphical lasso [3]_ tells which,
  and the correlations are those of greatest likelihood among such laws [4]_. The lasso alone would
  make them too small.
- Shrunk towards the identity, as by Ledoit and Wolf [2]_. Then each sample's C^-1 z is that of the
  other samples, C^-1 z / (1 - h) with h its weight in C (Sherman and Morrison): the sample itself
  would be predicted too well, and its knockoff be too far away. Shrinkage by a weight l makes the
  correlation of a knockoff with the neighbours of its feature too small, by l s_j |(C^-1)_jk|, so
  that an irrelevant neighbour of a relevant feature ranks before its knockoff too often. With few
  samples that exceeds the rate, above all for bases that look at features one by one.

With more features than samples, and many of them, C is a multiple of the identity and a matrix of
low rank. Nothing of size (n_features, n_features) is held then, at the price of distances of at
most twice that multiple.

Cost: O(n d^2 + 60 d^3), or O(20 n^2 d) for many features.

References
----------
.. [1] E. Candes, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high
   dimensional controlled variable selection", 2018.
.. [2] O. Ledoit, M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices",
   2004.
.. [3] J. Friedman, T. Hastie, R. Tibshirani, "Sparse inverse covariance estimation with the
   graphical lasso", 2008.
.. [4] A. P. Dempster, "Covariance selection", 1972.
"""

import warnings
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from scipy.special import ndtri
from sklearn.covariance import graphical_lasso, log_likelihood
from sklearn.exceptions import ConvergenceWarning

from hsieve.array_types import FloatArray

__all__ = ["KnockoffLaw", "in_order_of", "knockoff_law", "normal_scores", "shrinkage"]

# Up to so many features a matrix between all of them is held, however few the samples are.
MOST_DENSE = 1000
# Penalties of the graphical lasso that are tried, in units of sqrt(log(n_features) / n_samples).
PENALTIES = (1.0, 1.5, 2.0)
MOST_SWEEPS = 10
# Of the samples, every so many-th is left out to compare estimates of C.
LEFT_OUT = 5
# The ascent ends where no distance changes by more.
TOLERANCE = 1e-3
MOST_STEPS = 100
LEAST_STEP = 1e-4
# Distances of a law of low rank stay below twice its multiple of the identity by this fraction.
MARGIN = 1e-6


def normal_scores(X: NDArray[np.floating], rng: np.random.Generator) -> FloatArray:
    """Replace values by normal quantiles of their ranks within each column.

    Ties are broken at random: otherwise the scores of a feature with few values would not have the
    law that its knockoff is drawn from.
    """
    n_samples = len(X)
    order = np.lexsort((rng.random(X.shape), X), axis=0)
    quantiles = ndtri((np.arange(n_samples) + 0.5) / n_samples)
    scores = np.empty(X.shape)
    np.put_along_axis(scores, order, (quantiles / quantiles.std())[:, None], axis=0)
    return scores


def in_order_of(scores: FloatArray, X: NDArray[np.floating]) -> NDArray[np.floating]:
    """Put the values of each column in the order of some scores."""
    values = np.empty_like(X)
    np.put_along_axis(values, np.argsort(scores, axis=0, kind="stable"), np.sort(X, axis=0), axis=0)
    return values


def shrinkage(scores: FloatArray) -> float:
    """Weight of the identity in the correlation matrix, as Ledoit and Wolf estimate it.

    Columns are centred and have variance 1. Only the smaller of the two products of the scores with
    themselves is formed.
    """
    n_samples, n_features = scores.shape
    product = scores.T @ scores if n_features < n_samples else scores @ scores.T
    squares = np.vdot(product, product) / n_samples**2
    noise = np.sum(np.sum(scores**2, axis=1) ** 2) / n_samples - squares
    distance = squares - n_features
    if distance <= 0:
        return 1.0
    # With a weight of zero, C might have no inverse.
    return float(np.clip(noise / n_samples / distance, 1e-6, 1.0))


class KnockoffLaw(ABC):
    """The law of the knockoffs of some normal scores.

    Attributes
    ----------
    identity : float
        Weight of the identity in the correlation matrix, beside the products of the samples.
    distances : ndarray of shape (n_features,)
        For each feature, by how much its correlation with its knockoff is below 1.
    """

    def __init__(self, scores: FloatArray, identity: float) -> None:
        self._scores = scores
        self.identity = identity
        self._prepare(np.sqrt((1 - identity) / len(scores)) * scores)
        self.distances = self._spread()

    @abstractmethod
    def _prepare(self, factor: FloatArray) -> None:
        """Factor ``C = identity * I + factor' factor``."""

    @abstractmethod
    def _solved(self) -> FloatArray:
        """Scores times the inverse of C."""

    @abstractmethod
    def _start(self) -> tuple[FloatArray, float]:
        """Distances to begin with, and their upper bound."""

    @abstractmethod
    def _determinant(self, s: FloatArray) -> tuple[float, FloatArray]:
        """Log determinant of 2C - D and the diagonal of its inverse; an error if not positive."""

    @abstractmethod
    def _noise(self, rng: np.random.Generator) -> FloatArray:
        """Draw from N(0, 2D - D C^-1 D) for each sample."""

    def _spread(self) -> FloatArray:
        """Distances of greatest entropy.

        The best value of one of them alone, with the diagonal m of the inverse of 2C - D, is
        (s + 1 / m) / 2: all of them move towards that, by as much as raises the entropy.
        """
        s, most = self._start()
        determinant, diagonal = self._determinant(s)
        entropy = determinant + np.log(s).sum()
        step = 1.0
        for _ in range(MOST_STEPS):
            change = np.minimum((s + 1 / diagonal) / 2, most) - s
            if np.abs(change).max() < TOLERANCE:
                break
            while step > LEAST_STEP:
                tried = s + step * change
                try:
                    determinant, diagonal = self._determinant(tried)
                except LinAlgError:
                    step /= 2
                    continue
                reached = determinant + np.log(tried).sum()
                if reached >= entropy:
                    break
                step /= 2
            else:
                break
            s, entropy, step = tried, reached, min(1.0, 1.5 * step)
        return s

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Draw the scores of the knockoffs.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        solved = self._solved()
        weights = (1 - self.identity) / len(solved) * np.sum(self._scores * solved, axis=1)
        solved /= (1 - weights)[:, None]
        return np.asarray(self._scores - solved * self.distances + self._noise(rng))


class DenseLaw(KnockoffLaw):
    """The law where a matrix between all features is held."""

    def _prepare(self, factor: FloatArray) -> None:
        self._matrix = factor.T @ factor
        self._matrix[np.diag_indices_from(self._matrix)] += self.identity
        self._root = cholesky(self._matrix, lower=True)

    def _solved(self) -> FloatArray:
        return np.asarray(cho_solve((self._root, True), self._scores.T).T)

    def _start(self) -> tuple[FloatArray, float]:
        smallest = np.linalg.eigvalsh(self._matrix)[0]
        return np.full(len(self._matrix), min(1.0, smallest)), np.inf

    def _determinant(self, s: FloatArray) -> tuple[float, FloatArray]:
        root = cholesky(2 * self._matrix - np.diag(s), lower=True)
        inverse = solve_triangular(root, np.eye(len(s)), lower=True)
        return 2 * float(np.log(np.diag(root)).sum()), np.sum(inverse**2, axis=0)

    def _noise(self, rng: np.random.Generator) -> FloatArray:
        s = self.distances
        part = solve_triangular(self._root, np.diag(s), lower=True)
        root = cholesky(np.diag(2 * s) - part.T @ part, lower=True)
        return np.asarray(rng.normal(size=self._scores.shape) @ root.T)


class SparseLaw(DenseLaw):
    """The law of a correlation matrix that is given, in which no single sample has much weight."""

    def __init__(self, scores: FloatArray, matrix: FloatArray) -> None:
        self._matrix = np.asarray(matrix, dtype=np.float64)
        super().__init__(scores, 1.0)

    def _prepare(self, factor: FloatArray) -> None:
        self._root = cholesky(self._matrix, lower=True)


class LowRankLaw(KnockoffLaw):
    """The law where there are many more features than samples.

    With A the scaled scores, C = l I + A'A and C^-1 = (I - G'G) / l, where G is L^-1 A and LL' is
    l I + AA', so that 2D - D C^-1 D = diag(2s - s^2 / l) + (GD)'(GD) / l.
    """

    def _prepare(self, factor: FloatArray) -> None:
        self._factor = factor
        gram = factor @ factor.T
        gram[np.diag_indices_from(gram)] += self.identity
        self._small = solve_triangular(cholesky(gram, lower=True), factor, lower=True)

    def _solved(self) -> FloatArray:
        inside = (self._scores @ self._small.T) @ self._small
        return np.asarray((self._scores - inside) / self.identity)

    def _start(self) -> tuple[FloatArray, float]:
        most = 2 * self.identity * (1 - MARGIN)
        return np.full(self._scores.shape[1], min(1.0, self.identity)), most

    def _determinant(self, s: FloatArray) -> tuple[float, FloatArray]:
        own = 2 * self.identity - s
        scaled = self._factor * np.sqrt(2 / own)
        root = cholesky(np.eye(len(scaled)) + scaled @ scaled.T, lower=True)
        inside = solve_triangular(root, scaled, lower=True)
        determinant = float(np.log(own).sum()) + 2 * float(np.log(np.diag(root)).sum())
        return determinant, (1 - np.sum(inside**2, axis=0)) / own

    def _noise(self, rng: np.random.Generator) -> FloatArray:
        s, own = self.distances, self.identity
        noise = np.sqrt(2 * s - s**2 / own) * rng.normal(size=self._scores.shape)
        n_samples = len(self._scores)
        noise += rng.normal(size=(n_samples, n_samples)) @ self._small * (s / np.sqrt(own))
        return np.asarray(noise)


def knockoff_law(scores: FloatArray) -> KnockoffLaw:
    """Return the law of the knockoffs of normal scores, in the form that suits them."""
    n_samples, n_features = scores.shape
    if n_features > max(MOST_DENSE, n_samples):
        return LowRankLaw(scores, shrinkage(scores))
    if 1 < n_features <= MOST_DENSE and n_samples >= 2 * LEFT_OUT:
        is_left_out = np.arange(n_samples) % LEFT_OUT == 0
        kept, left_out = scores[~is_left_out], _products(scores[is_left_out])
        weight = shrinkage(kept)
        shrunk = weight * np.eye(n_features) + (1 - weight) * _products(kept)
        likelihood, penalty = log_likelihood(left_out, np.linalg.inv(shrunk)), None
        for tried in PENALTIES:
            matrix = sparse_correlations(kept, tried)
            if matrix is None:
                continue
            reached = log_likelihood(left_out, np.linalg.inv(matrix))
            if reached > likelihood:
                likelihood, penalty = reached, tried
        matrix = None if penalty is None else sparse_correlations(scores, penalty)
        if matrix is not None:
            return SparseLaw(scores, matrix)
    return DenseLaw(scores, shrinkage(scores))


def sparse_correlations(scores: FloatArray, penalty: float) -> FloatArray | None:
    """Estimate correlations, most pairs independent given the others; None where it fails.

    The graphical lasso chooses the pairs that depend on each other given the others. Of these the
    result has the correlations of the scores, and its inverse is zero for all other pairs.
    """
    n_samples, n_features = scores.shape
    products = _products(scores)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            matrix, precision = graphical_lasso(
                products,
                penalty * np.sqrt(np.log(n_features) / n_samples),
                max_iter=MOST_SWEEPS,
                tol=TOLERANCE * n_features,
            )
        matrix = _fitted_again(matrix, products, precision != 0)
        cholesky(matrix)
    except (FloatingPointError, LinAlgError):
        return None
    return matrix


def _fitted_again(
    matrix: FloatArray, products: FloatArray, depends: NDArray[np.bool_]
) -> FloatArray:
    """Find the correlations of greatest likelihood, given which pairs depend on each other.

    One feature after the other is regressed on those that it depends on.
    """
    matrix = matrix.copy()
    partners = [np.setdiff1d(np.flatnonzero(row), place) for place, row in enumerate(depends)]
    for _ in range(MOST_SWEEPS):
        largest = 0.0
        for place, others in enumerate(partners):
            slopes = np.linalg.solve(matrix[np.ix_(others, others)], products[others, place])
            column = matrix[:, others] @ slopes
            column[place] = products[place, place]
            largest = max(largest, np.abs(column - matrix[place]).max())
            matrix[place] = matrix[:, place] = column
        if largest < TOLERANCE:
            break
    return matrix


def _products(scores: FloatArray) -> FloatArray:
    return np.asarray(scores.T @ scores / len(scores))
