"""Test whether a feature adds to what some other features tell about a target.

With r what other features leave unexplained of the target, and F~ what they leave unexplained of
the factor of the feature's kernel, the product F~' r is tested. Each of the two regressions only
needs to be roughly right, since an error shows in their product [1]_: a relative of a chosen
feature gains nothing from a poor fit of the target, as it would if its own factor were multiplied.

F~ may be multiplied by functions of the other features, which changes nothing of this. So the
kernel whose factor is tested is k_j (1 + mean of the others' kernels): a feature that acts only
together with another one shows, too.

Where the spread of r depends on the other features, as it may, the law of T = |sum_i F~_i r_i|^2
is that of |sum_i e_i F~_i r_i|^2 with independent normal multipliers e_i: a sum of chi-squares
weighted by the eigenvalues of M = sum_i (F~_i r_i)(F~_i r_i)'. The first three moments of this sum
are traces of powers of M, and a shifted gamma law has the same.

References
----------
.. [1] R. D. Shah and J. Peters, "The hardness of conditional independence testing and the
   generalised covariance measure", Annals of Statistics 48, 2020.
.. [2] N. Meinshausen, L. Meier, P. Buehlmann, "p-values for high-dimensional regression", Journal
   of the American Statistical Association 104, 2009.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import clone

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.arrays import ArrayBlocks
from hsieve.data.validation import refuse_constant
from hsieve.dataset import Dataset, opened
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    NothingFoundWarning,
    ignored,
    warn_user,
)
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.io.frames import pandas_frame
from hsieve.kernels.columns import check_positions
from hsieve.kernels.null_laws import log_gamma_tail, log_ratio_tail
from hsieve.measures.regression_data import RegressionData
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import integer, number
from hsieve.progress import report
from hsieve.text import first_rows

__all__ = ["ConditionalTests", "conditional_p_value", "conditional_tests"]

# Landmarks of the regression of a feature on the few that are most like it.
N_LANDMARKS = 64
# Columns of each other feature's factor that the feature's own are multiplied by.
COLUMNS_OF_OTHERS = 4
# Fewer samples than this, in each half where there are halves, show nothing.
LEAST_SAMPLES = 20
# The least fraction of splits that p-values are combined over.
LEAST_QUANTILE = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTests:
    """What each of some features adds to the others.

    Parameters
    ----------
    features : ndarray of int of shape (n_tested,)
        Positions of the features.
    names : tuple of str
        Their names.
    p_values : ndarray of shape (n_tested,)
        Probability of a dependence this strong if the feature adds nothing to the others.
    contributions : ndarray of shape (n_tested,)
        Fraction of the variance of the target that only this feature explains, estimated from
        samples left out: by how much the squared error rises without it. May be below zero.
    low, high : ndarray of shape (n_tested,)
        Confidence limits of the contributions.
    frequencies : ndarray of shape (n_tested,)
        Fraction of splits in which the feature was selected; 1 where nothing was split.
    """

    features: IndexArray
    names: tuple[str, ...]
    p_values: FloatArray
    contributions: FloatArray
    low: FloatArray
    high: FloatArray
    frequencies: FloatArray

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each feature, which needs pandas."""
        columns = {
            "feature": self.names,
            "p_value": self.p_values,
            "contribution": self.contributions,
            "low": self.low,
            "high": self.high,
            "frequency": self.frequencies,
        }
        return pandas_frame(columns, "the arrays p_values and contributions").set_index("feature")

    def __repr__(self) -> str:
        columns = {
            "p_value": self.p_values,
            "contribution": self.contributions,
            "low": self.low,
            "high": self.high,
            "frequency": self.frequencies,
        }
        rows = first_rows(self.names, columns)
        return f"Tests of {len(self.names):,} features given the others\n{rows}"


def conditional_tests(
    X: ArrayLike | Dataset,
    y: Any = None,
    features: Any = None,
    *,
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    level: float = 0.95,
    n_splits: int = 20,
    random_state: int | np.random.Generator | None = 0,
) -> ConditionalTests:
    """Test what each feature of a short list adds to the rest of the list.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or Dataset
        Features.
    y : array-like
        Target, or the name of its column in a data frame. A Dataset has its own.
    features : list of int or str, Selection, selector, or None, default=None
        The features, by position or name; each is tested given all others of the list. Of what
        :func:`hsieve.select` returns, the chosen features are tested. A selector
        selects them on one half of the samples and the tests use the other half, several times;
        this is the way to p-values that account for the selection. None is all features.
    categorical, target_kind
        As in :func:`hsieve.open_dataset`.
    level : float, default=0.95
        Coverage of the confidence limits.
    n_splits : int, default=20
        Number of random halves, where `features` is a selector.
    random_state : int, Generator or None, default=0
        Seed of the halves and of the landmarks of regressions.

    Returns
    -------
    ConditionalTests
        P-values and contributions, in the order of `features`; of a selector, all features that
        were selected in any half, the smallest p-value first. `frequencies` are the fractions of
        halves in which each was selected. It has `to_frame()`.

    Notes
    -----
    The target and the factor of each feature's kernel are regressed on the other features, by
    kernel ridge regression with leave-one-out residuals. A p-value is right if the *product* of the
    errors of both regressions is small beside ``1 / sqrt(n_samples)``, so that each may converge
    slowly. With dozens of other features and few samples it is not.

    If the features were selected on the same samples, p-values do not account for the selection:
    they tell which of the selected features another one could replace, not whether the selection is
    right. With a selector as `features` they do. Each split multiplies its p-values by the number
    of features it selected; over the splits they are combined by the quantile rule of Meinshausen,
    Meier and Buehlmann (2009). Then the chance of any false feature under 0.05 is at most 5 %,
    provided that the features selected on each half include all that matter. Contributions and
    their limits are medians over the splits that selected the feature.

    References
    ----------
    R. D. Shah, J. Peters, "The hardness of conditional independence testing and the generalised
    covariance measure", 2020; N. Meinshausen, L. Meier, P. Buehlmann, "p-values for
    high-dimensional regression", 2009.

    Examples
    --------
    A feature that acts, and one that is only correlated with it:

    >>> import numpy as np
    >>> from hsieve import conditional_tests
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> X = np.column_stack([x, 0.8 * x + 0.6 * rng.normal(size=300)])
    >>> tests = conditional_tests(X, x**2 + rng.normal(size=300))
    >>> tests.p_values < 0.05
    array([ True, False])
    """
    number(above=0, below=1).check("level", level)
    integer(1).check("n_splits", n_splits)
    data = opened(X, y, categorical=categorical, target_kind=target_kind)
    if data.n_samples < 2 * LEAST_SAMPLES:
        msg = f"Conditional tests need at least {2 * LEAST_SAMPLES} samples, got {data.n_samples}."
        raise ValueError(msg)
    refuse_constant(data.y, data.target_kind, "test features")
    rng = np.random.default_rng(random_state)
    if hasattr(features, "fit") and not isinstance(features, type):
        return _of_halves(data, features, level, n_splits, rng)
    if features is None:
        features = range(data.n_features)
    if isinstance(features, str | type) or callable(features):
        msg = (
            "features must be a list of names or positions, what hsieve.select returned, or a "
            f"selector such as KernelPursuit(), got {features!r}."
        )
        raise TypeError(msg)
    features = getattr(features, "features", features)  # those of a Selection
    chosen = check_positions(features, data.n_features, name="features", names=data.names)
    chosen = chosen % data.n_features
    if len(np.unique(chosen)) < len(chosen):
        msg = f"features must differ from each other, got {features!r}."
        raise ValueError(msg)
    return _tests_of(data, chosen, np.arange(data.n_samples), level, rng)


def _tests_of(
    data: Dataset, features: IndexArray, rows: IndexArray, level: float, rng: np.random.Generator
) -> ConditionalTests:
    """Test each of some features given the others, on some samples."""
    smoother = KernelSmoother(
        RegressionData.of(
            data.columns.read(features)[rows],
            data.y[rows],
            target_kind=data.target_kind,
            categorical=np.isin(features, data.categorical),
        ),
        seed=rng,
    )
    n_features = len(features)
    p_values, gains, errors = np.empty((3, n_features))
    with one_blas_thread():
        whole = smoother.fit(list(range(n_features))) if n_features else smoother.nothing()
        for place in range(n_features):
            given = [other for other in range(n_features) if other != place]
            without = smoother.fit(given, whole) if given else smoother.nothing()
            p_values[place] = multiplier_p_value(
                _left_beside(smoother, place, given), without.residuals
            )
            gains[place], errors[place] = _gain(without, whole)
            report((place + 1) / n_features, "testing features given the others")
    reach = float(stats.norm.ppf(0.5 + level / 2)) * errors
    return ConditionalTests(
        features,
        tuple(data.names[feature] for feature in features),
        p_values,
        gains,
        gains - reach,
        gains + reach,
        np.ones(n_features),
    )


def _left_beside(smoother: KernelSmoother, feature: int, given: Sequence[int]) -> FloatArray:
    """Give what others leave unexplained of a feature's factor, alone and times each of them."""
    left = smoother.left_of_factor(feature, given, n_landmarks=N_LANDMARKS)
    parts = [left]
    for other in given:
        leading = smoother.factor(other)[:, -COLUMNS_OF_OTHERS:] / np.sqrt(len(given))
        parts.append((left[:, :, None] * leading[:, None, :]).reshape(len(left), -1))
    return np.hstack(parts)


def _gain(without: Smooth, whole: Smooth) -> tuple[float, float]:
    """By how much the loss is smaller with a feature, and the standard error of that."""
    differences = without.losses - whole.losses
    return float(differences.mean()), float(differences.std() / np.sqrt(len(differences)))


def _of_halves(
    data: Dataset, selector: Any, level: float, n_splits: int, rng: np.random.Generator
) -> ConditionalTests:
    """Select on random halves, test on the others, and combine the tests."""
    with ignored((ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning)):
        found = _combined([_of_a_split(data, selector, level, rng) for _ in range(n_splits)])
    if not len(found.features):
        warn_user(
            f"{type(selector).__name__} chose no feature on any of {n_splits} random halves, so "
            "conditional_tests has nothing to test.",
            NothingFoundWarning,
        )
    return found


def _of_a_split(
    data: Dataset, selector: Any, level: float, rng: np.random.Generator
) -> ConditionalTests:
    """Select on one random half of the samples, and test on the other."""
    order = rng.permutation(data.n_samples)
    half = np.sort(order[: data.n_samples // 2])
    part = replace(data, columns=ArrayBlocks(data.X[half], data.names), y=data.y[half])
    selected = clone(selector).fit(part).selected_indices_
    return _tests_of(data, selected, np.sort(order[data.n_samples // 2 :]), level, rng)


def _combined(splits: Sequence[ConditionalTests]) -> ConditionalTests:
    """Combine tests of several splits by the quantile rule, smallest p-value first."""
    features = np.unique(np.concatenate([split.features for split in splits]))
    names = {
        feature: name
        for split in splits
        for feature, name in zip(split.features.tolist(), split.names, strict=True)
    }
    corrected = np.ones((len(splits), len(features)))
    sizes = np.full((3, len(splits), len(features)), np.nan)
    for number_of, split in enumerate(splits):
        places = np.searchsorted(features, split.features)
        corrected[number_of, places] = np.minimum(1.0, split.p_values * len(places))
        sizes[:, number_of, places] = split.contributions, split.low, split.high
    p_values = quantile_rule(corrected)
    contributions, low, high = np.nanmedian(sizes, axis=1)
    best = np.lexsort((-contributions, p_values))
    return ConditionalTests(
        features[best],
        tuple(names[feature] for feature in features[best].tolist()),
        p_values[best],
        contributions[best],
        low[best],
        high[best],
        np.isfinite(sizes[0]).mean(axis=0)[best],
    )


def quantile_rule(p_values: FloatArray) -> FloatArray:
    """Combine p-values of dependent tests of the same hypotheses, by their quantiles.

    Parameters
    ----------
    p_values : ndarray of shape (n_tests, n_hypotheses)
        Each column is combined: the least of quantile / fraction, times a factor for looking at
        all fractions from 0.05 on.

    Returns
    -------
    ndarray of shape (n_hypotheses,)

    Examples
    --------
    >>> quantile_rule(np.full((10, 1), 0.001)).round(4)
    array([0.004])
    """
    n_tests = len(p_values)
    fractions = np.arange(1, n_tests + 1) / n_tests
    kept = fractions >= LEAST_QUANTILE
    quantiles = np.sort(p_values, axis=0)[kept] / fractions[kept, None]
    return np.asarray(np.minimum(1.0, (1 - np.log(LEAST_QUANTILE)) * quantiles.min(axis=0)))


def multiplier_p_value(own: FloatArray, residuals: FloatArray) -> float:
    """Chance of such a product of residuals by the law of normal multipliers."""
    own, residuals = own - own.mean(axis=0), residuals - residuals.mean(axis=0)
    products = (own[:, :, None] * residuals[:, None, :]).reshape(len(own), -1)
    statistic = np.sum(products.sum(axis=0) ** 2)
    if products.shape[1] < len(own):
        moments = products.T @ products
    else:
        moments = (own @ own.T) * (residuals @ residuals.T)
    squared = moments @ moments
    mean, squares = np.trace(moments), np.trace(squared)
    if mean <= 0:
        return 1.0
    skewness = 8 * np.vdot(squared, moments) / (2 * squares) ** 1.5
    return float(np.exp(log_gamma_tail(statistic, mean, 2 * squares, skewness)))


def conditional_p_value(
    smoother: KernelSmoother, feature: int, given: Sequence[int], residuals: FloatArray
) -> float:
    """Chance of such a product of residuals where the feature adds nothing to some others.

    Parameters
    ----------
    smoother : KernelSmoother
        Regressions on the features, which may hold some of their columns already.
    feature : int
        The feature to test.
    given : sequence of int
        The others, few, at least one.
    residuals : ndarray of shape (n_samples, n_targets)
        Residuals of the target from a regression on the others, and perhaps more; normal scores of
        them for a test that holds for any law.

    Returns
    -------
    float
        The p-value.
    """
    own = smoother.left_of_factor(feature, given, n_landmarks=N_LANDMARKS)
    own = own - own.mean(axis=0)
    centred = residuals - residuals.mean(axis=0)
    ratio = np.sum((own.T @ centred) ** 2) / np.vdot(centred, centred)
    weights = np.linalg.eigvalsh(own.T @ own)
    of_targets = np.linalg.eigvalsh(centred.T @ centred)
    log_p = log_ratio_tail([ratio], weights[None], of_targets, len(centred) - 1)
    return float(np.exp(log_p[0]))
