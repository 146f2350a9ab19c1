"""Knockoffs of features of any kind: numbers by a Gaussian law, categories by regressions.

Given the categories, normal scores of the numbers are Gaussian around means that are linear in
indicators of the categories; their knockoffs are those of the residuals, with the same means. Then
comes one category after the other: its knockoff is drawn from what a multinomial logistic
regression says of it given the numbers, all other categories, and all knockoffs drawn before
(sequential conditional pairs, [1]_). Samples are predicted by regressions on other samples.

References
----------
.. [1] E. Candes, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high
   dimensional controlled variable selection", 2018, algorithm 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from hsieve.array_types import FloatArray, IndexArray
from hsieve.inference.knockoffs import in_order_of, knockoff_law, normal_scores
from hsieve.parallel.threads import one_blas_thread

__all__ = ["KnockoffMatch", "KnockoffModel"]

N_FOLDS = 5
# Ridge penalty, in samples, of the means given the categories.
MEAN_PENALTY = 1.0
# Inverse penalty of the logistic regressions, on standardised predictors.
LOGISTIC_C = 0.1
MOST_LOGISTIC_STEPS = 200
# Samples that the diagnostic looks at, and random swaps that it compares with.
MOST_SAMPLES = 1000
N_SWAPS = 199


@dataclass(frozen=True)
class KnockoffMatch:
    """How well knockoffs match their features.

    Parameters
    ----------
    correlation_gap : float
        Root mean square, over pairs of different features, of the difference between the
        correlation of one with the knockoff of the other and the correlation of the two.
    sampling_error : float
        What this would be by chance alone, from the number of samples.
    p_value : float
        Probability that the data and the data with half of the features swapped with their
        knockoffs are so different if the knockoffs are right, from what correlations do not show:
        the squares of normal scores of two features, or of one beside the scores of another. Small
        values say that the false discovery rate may be exceeded.
    """

    correlation_gap: float
    sampling_error: float
    p_value: float


class KnockoffModel:
    """The law of some features, from which their knockoffs are drawn.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features, none of them constant.
    categorical : ndarray of int
        Positions of the features that are categories.
    rng : Generator
        Breaks ties.
    """

    def __init__(
        self, X: NDArray[np.floating], categorical: IndexArray, rng: np.random.Generator
    ) -> None:
        self._X = X
        self._categorical = categorical
        self._numeric = np.setdiff1d(np.arange(X.shape[1]), categorical)
        self.distances = np.full(X.shape[1], np.nan)
        self._codes = [np.unique(X[:, one], return_inverse=True)[1] for one in categorical]
        indicators = [_indicators(codes) for codes in self._codes]
        with one_blas_thread():
            scores = normal_scores(X[:, self._numeric], rng)
            self._means = _linear_means(indicators, scores)
            residuals = scores - self._means
            self._deviations = np.maximum(residuals.std(axis=0), np.finfo(np.float64).tiny)
            self._residuals = residuals / self._deviations
            if len(self._numeric):
                self._law = knockoff_law(self._residuals)
                self.distances[self._numeric] = self._law.distances

    def draw(self, rng: np.random.Generator) -> NDArray[np.floating]:
        """Draw knockoffs of all features."""
        knockoffs = np.empty_like(self._X)
        with one_blas_thread():
            scores, drawn = self._means, self._means
            if len(self._numeric):
                drawn = self._means + self._deviations * self._law.draw(rng)
                knockoffs[:, self._numeric] = in_order_of(drawn, self._X[:, self._numeric])
                scores = self._means + self._deviations * self._residuals
            known = [scores, drawn]
            for place, codes in zip(self._categorical, self._codes, strict=True):
                others = [_indicators(other) for other in self._codes if other is not codes]
                chosen = _drawn(codes, np.hstack(known + others), rng)
                knockoffs[:, place] = np.unique(self._X[:, place])[chosen]
                known.append(_indicators(chosen, codes.max() + 1))
        return knockoffs

    def match(self, knockoffs: NDArray[np.floating], rng: np.random.Generator) -> KnockoffMatch:
        """Tell how well knockoffs of the numbers match them."""
        rows = rng.permutation(len(self._X))[:MOST_SAMPLES]
        own, other = (
            normal_scores(X[np.ix_(rows, self._numeric)], rng) for X in (self._X, knockoffs)
        )
        n_samples, n_features = own.shape
        some = rng.permutation(n_features)[:MOST_SAMPLES]
        gap = own[:, some].T @ (own[:, some] - other[:, some]) / n_samples
        # The correlation of a feature with its own knockoff is smaller on purpose.
        np.fill_diagonal(gap, 0)
        n_pairs = max(1, len(some) * (len(some) - 1))
        noise = np.sqrt(2 * self.distances[self._numeric].mean() / n_samples) if n_features else 0.0
        return KnockoffMatch(
            correlation_gap=float(np.sqrt(np.sum(gap**2) / n_pairs)),
            sampling_error=float(noise),
            p_value=_swap_p_value(own, other, rng),
        )


def _swap_p_value(own: FloatArray, other: FloatArray, rng: np.random.Generator) -> float:
    """Test whether half of the columns can be swapped with their knockoffs.

    With w the row of a sample, w' the swapped row and k a kernel, the statistic is the sum of
    k(w_i, w_j) - k(w_i, w'_j) - k(w'_i, w_j) + k(w'_i, w'_j): a maximum mean discrepancy. If
    columns can be swapped, so can the two rows of any sample, which changes the signs of its terms.
    The kernel sees products of squares with scores and with other squares. Correlations are left
    out: knockoffs have those of the very sample, and would match them too well for a test.
    """
    n_samples, n_features = own.shape
    if not n_features:
        return 1.0
    is_swapped = rng.permutation(n_features) < (n_features + 1) // 2
    row = np.hstack([own, other])
    swapped = np.hstack([np.where(is_swapped, other, own), np.where(is_swapped, own, other)])

    def kernel(one: FloatArray, two: FloatArray) -> FloatArray:
        squares = (one**2 - 1) @ (two**2 - 1).T / 2
        return np.asarray(squares * (one @ two.T + squares))

    cross = kernel(row, swapped)
    terms = kernel(row, row) - cross - cross.T + kernel(swapped, swapped)
    np.fill_diagonal(terms, 0)
    signs = rng.choice([-1.0, 1.0], size=(n_samples, N_SWAPS))
    by_chance = np.sum(signs * (terms @ signs), axis=0)
    return float((1 + np.count_nonzero(by_chance >= terms.sum())) / (1 + N_SWAPS))


def _indicators(codes: IndexArray, n_levels: int | None = None) -> FloatArray:
    """Make a column for each level but the first."""
    levels = np.arange(1, codes.max() + 1 if n_levels is None else n_levels)
    return np.asarray(codes[:, None] == levels, dtype=np.float64)


def _linear_means(indicators: list[FloatArray], scores: FloatArray) -> FloatArray:
    """Means of scores given the categories, by ridge regression."""
    if not indicators:
        return np.zeros(scores.shape)
    design = np.hstack(indicators)
    design = design - design.mean(axis=0)
    products = design.T @ design + MEAN_PENALTY * np.eye(design.shape[1])
    return np.asarray(design @ np.linalg.solve(products, design.T @ scores))


def _drawn(codes: IndexArray, predictors: FloatArray, rng: np.random.Generator) -> IndexArray:
    """Draw each sample's category given its predictors, from a regression on other samples."""
    n_samples, n_levels = len(codes), codes.max() + 1
    deviations = predictors.std(axis=0)
    predictors = (predictors - predictors.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    folds = rng.permutation(n_samples) % N_FOLDS
    # A level that the other folds lack, or all of them but one, keeps some probability.
    chances = np.tile(
        np.bincount(codes, minlength=n_levels) / n_samples / n_samples, (n_samples, 1)
    )
    for fold in range(N_FOLDS):
        is_held_out = folds == fold
        seen = np.unique(codes[~is_held_out])
        if len(seen) == 1:
            chances[is_held_out, seen[0]] += 1
        elif is_held_out.any():
            model = LogisticRegression(C=LOGISTIC_C, max_iter=MOST_LOGISTIC_STEPS, tol=1e-3)
            model.fit(predictors[~is_held_out], codes[~is_held_out])
            chances[np.ix_(is_held_out, seen)] += model.predict_proba(predictors[is_held_out])
    summed = np.cumsum(chances, axis=1)
    return np.asarray((summed < rng.random(n_samples)[:, None] * summed[:, -1:]).sum(axis=1))
