"""Is the dependence real? Variance, confidence intervals and p-values for HSIC.

*Variance.* Eq. 8 of [1]_ is a sum over quadruples of samples; :func:`hsic_variance` computes it in
O(n^2). It describes the spread of the unbiased estimator where there *is* dependence, and serves
confidence intervals. Under independence the estimator is degenerate and that normal law gives no
test level.

*Tests.* Under independence every order of the targets is equally likely. The permutation test
draws such orders. The gamma test takes the mean and the variance of ``tr(KHLH)`` over *all* orders,
known in closed form (:mod:`hsieve.kernels.null_laws`), and fits a gamma law to them in
O(n^2), without random numbers. Its tail is an approximation, good near the usual levels; far out,
prefer permutations.

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.base import clone

from hsieve.array_types import FloatArray
from hsieve.data.validation import refuse_constant
from hsieve.dataset import Dataset, opened
from hsieve.inference.feature_number import representative_rows
from hsieve.inference.group_tests import GroupOrders
from hsieve.inference.risk_sets import RiskSets
from hsieve.io.frames import pandas_frame
from hsieve.kernels import Kernel, centre, unbiased_weights
from hsieve.kernels.columns import check_positions
from hsieve.kernels.null_laws import MatrixMoments, log_gamma_tail, permutation_law
from hsieve.measures.hsic import HSIC, as_table, gram_pair
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.parameters import integer, number, word
from hsieve.progress import report
from hsieve.text import first_rows

METHODS = ("gamma", "permutation")
MIN_GAMMA_SAMPLES = 6
# Samples that are enough to tell whether anything shows.
MOST_TESTED_SAMPLES = 500


@dataclass(frozen=True)
class HSICTest:
    """Outcome of a test of independence.

    Parameters
    ----------
    statistic : float
        Biased HSIC, tr(KHLH) / (n-1)^2.
    p_value : float
        Probability of a statistic at least as large under independence.
    method : {"gamma", "permutation"}
        How it was found.
    """

    statistic: float
    p_value: float
    method: str


@dataclass(frozen=True)
class HSICInterval:
    """Estimate with a confidence interval, for data in which dependence is present."""

    estimate: float
    low: float
    high: float
    standard_error: float


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTests:
    """Tests of all single features.

    Parameters
    ----------
    scores : ndarray of shape (n_features,)
        Biased HSIC of each feature with the target.
    p_values : ndarray of shape (n_features,)
        P-value of each feature on its own.
    adjusted_p_values : ndarray of shape (n_features,)
        Benjamini-Hochberg: of the features under q at most a fraction q is expected to be false.
    method : {"gamma", "permutation"}
        How the p-values were found.
    names : tuple of str, default=()
        Names of the features; x0, x1, ... where they have none.
    """

    scores: FloatArray
    p_values: FloatArray
    adjusted_p_values: FloatArray
    method: str
    names: tuple[str, ...] = ()

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each feature, which needs pandas."""
        columns = {
            "feature": self.names or [f"x{place}" for place in range(len(self.scores))],
            "score": self.scores,
            "p_value": self.p_values,
            "adjusted_p_value": self.adjusted_p_values,
        }
        return pandas_frame(columns, "the arrays scores and p_values").set_index("feature")

    def __repr__(self) -> str:
        best = np.lexsort((-self.scores, self.p_values))
        names = self.names or [f"x{place}" for place in range(len(self.scores))]
        columns = {
            "score": self.scores[best],
            "p_value": self.p_values[best],
            "adjusted_p_value": self.adjusted_p_values[best],
        }
        head = f"Tests of {len(best):,} features ({self.method}), the smallest p-values first"
        return f"{head}\n{first_rows([names[place] for place in best], columns)}"


def hsic_variance(gram_x: ArrayLike, gram_y: ArrayLike) -> float:
    """Variance of the unbiased HSIC estimator, eq. 8 of the BAHSIC paper, in O(n^2).

    Parameters
    ----------
    gram_x, gram_y : array-like of shape (n_samples, n_samples)
        Gram matrices; their diagonals play no part. At least four samples.

    Returns
    -------
    float
        The estimated variance, never negative.
    """
    K, L = np.array(gram_x, dtype=float), np.array(gram_y, dtype=float)
    n = len(K)
    estimate = float(np.vdot(K, unbiased_weights(L)))
    for hollow in (K, L):
        np.fill_diagonal(hollow, 0.0)
    rows_x, rows_y = K.sum(axis=1), L.sum(axis=1)
    products = (K * L).sum(axis=1)
    h = (
        (n - 2) ** 2 * products
        + (n - 2) * (products.sum() - K @ rows_y - L @ rows_x)
        - n * rows_x * rows_y
        + rows_y.sum() * rows_x
        + rows_x.sum() * rows_y
        - rows_x @ rows_y
    )
    R = (h @ h) / (4.0 * n * ((n - 1) * (n - 2) * (n - 3)) ** 2)
    return float(max(16.0 / n * (R - estimate**2), 0.0))


def hsic_interval(
    X: ArrayLike | Dataset,
    y: Any = None,
    *,
    level: float = 0.95,
    kernel_x: Kernel | None = None,
    kernel_y: Kernel | None = None,
) -> HSICInterval:
    """Estimate HSIC without bias, with a confidence interval from the normal law.

    Parameters
    ----------
    X, y
        As in :func:`hsieve.hsic`.
    level : float, default=0.95
        Coverage of the interval.
    kernel_x, kernel_y : Kernel or None, default=None
        As in :func:`hsieve.hsic`.

    Returns
    -------
    HSICInterval
        Estimate, limits, standard error. The law holds where dependence is present; to ask
        *whether* it is, use :func:`hsic_test`.
    """
    number(above=0, below=1).check("level", level)
    gram_x, gram_y = gram_pair(X, y, kernel_x, kernel_y)
    estimate = float(np.vdot(gram_x, unbiased_weights(gram_y)))
    error = float(np.sqrt(hsic_variance(gram_x, gram_y)))
    reach = float(stats.norm.ppf(0.5 + level / 2)) * error
    return HSICInterval(estimate, estimate - reach, estimate + reach, error)


def hsic_test(
    X: ArrayLike | Dataset,
    y: Any = None,
    *,
    method: str = "permutation",
    n_permutations: int = 999,
    kernel_x: Kernel | None = None,
    kernel_y: Kernel | None = None,
    groups: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> HSICTest:
    """Test whether all columns of X together are independent of y.

    Parameters
    ----------
    X, y
        As in :func:`hsieve.hsic`.
    method : {"permutation", "gamma"}, default="permutation"
        How the p-value is found.
    n_permutations : int, default=999
        Number of random orders; the smallest possible p-value is 1 / (n_permutations + 1).
    kernel_x, kernel_y : Kernel or None, default=None
        As in :func:`hsieve.hsic`.
    groups : array-like of shape (n_samples,) or None, default=None
        Which samples belong together; orders keep them so (:mod:`hsieve.inference.group_tests`),
        by permutations. None for those of a Dataset, or independent samples.
    random_state : int, Generator or None, default=0
        Seed of the orders.

    Returns
    -------
    HSICTest
        Statistic, p-value and method.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import hsic_test
    >>> x = np.random.default_rng(0).normal(size=60)
    >>> hsic_test(x, np.cos(2 * x), method="gamma").p_value < 0.001
    True
    """
    data = opened(as_table(X), y, takes_groups=True)
    groups = data.groups if groups is None else groups
    gram_x, gram_y = gram_pair(replace(data, groups=None), None, kernel_x, kernel_y)
    centred_x, centred_y = centre(gram_x), centre(gram_y)
    _check_method(method, len(gram_x), n_permutations)
    if method == "gamma" and groups is not None:
        msg = "With groups only method='permutation' is supported."
        raise ValueError(msg)
    if method == "gamma":
        p_value = _gamma_p_value(
            centred_x, MatrixMoments.of(centred_y), float(np.vdot(centred_x, centred_y))
        )
    else:
        design = None if groups is None else GroupOrders.of(groups, data.y)
        orders = _orders(len(gram_x), n_permutations, random_state, design)
        p_value = _permutation_p_value(centred_x, centred_y, list(orders))
    statistic = float(np.vdot(centred_x, centred_y)) / (len(gram_x) - 1) ** 2
    return HSICTest(statistic, p_value, method)


def feature_tests(
    X: ArrayLike | Dataset,
    y: Any = None,
    *,
    measure: HSIC | None = None,
    method: str = "gamma",
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> FeatureTests:
    """Test every single feature against the target, with p-values adjusted for their number.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or Dataset
        Features. Columns of a frame that identify or count the rows are left out with a warning.
    y : array-like
        Target, or the name of its column in a data frame; or times with events, as
        :func:`hsieve.open_dataset` takes them. A Dataset has its own.
    measure : HSIC or None, default=None
        Kernels, and categories and kind of the target beside those that frames and Datasets tell;
        None is ``HSIC()``. The statistic is the biased one.
    method : {"gamma", "permutation"}, default="gamma"
        How p-values are found. Permutations need many draws to survive the adjustment for
        thousands of features; the gamma approximation does not.
    n_permutations : int, default=999
        Number of random orders, the same for all features.
    groups : array-like of shape (n_samples,) or None, default=None
        Which samples belong together, such as cells of one donor. Tests are then by permutations
        that keep them so (:mod:`hsieve.inference.group_tests`). None for those of a Dataset, or
        independent samples.
    random_state : int, Generator or None, default=0
        Seed of the orders.

    Returns
    -------
    FeatureTests
        Scores, p-values and adjusted p-values, in the order of the columns, and `to_frame()`.

    Notes
    -----
    These are p-values of single features before any selection. A feature chosen *because* of its
    score has no honest p-value on the same data; adjusted p-values account for the number of
    features looked at, not for further choices.

    Of times with events the tests are those of :mod:`hsieve.inference.risk_sets`, which hold where
    features decide who is censored; "permutation" then draws signs of events.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import feature_tests
    >>> X = np.random.default_rng(0).normal(size=(80, 5))
    >>> np.flatnonzero(feature_tests(X, X[:, 2] ** 2).adjusted_p_values < 0.01)
    array([2])
    """
    data, measure = _opened_for(HSIC() if measure is None else measure, X, y)
    if measure.kernel_y is None:
        refuse_constant(data.y, data.target_kind, "test features")
    groups = data.groups if groups is None else groups
    if groups is not None:
        return _tests_of_groups(data, measure, groups, n_permutations, random_state)
    bound = measure.bind(data.X, data.y)
    n = len(bound.gram_y)
    _check_method(method, n, n_permutations)
    centred_y = centre(bound.gram_y)
    p_value: Callable[[FloatArray], float]
    if data.times is not None and measure.kernel_y is None:
        p_value = _survival_test(data.times, method, n_permutations, random_state)
    elif method == "gamma":
        moments_y = MatrixMoments.of(centred_y)
        p_value = lambda gram: _gamma_p_value(gram, moments_y, float(np.vdot(gram, centred_y)))  # noqa: E731
    else:
        orders = list(_orders(n, n_permutations, random_state))
        p_value = lambda gram: _permutation_p_value(gram, centred_y, orders)  # noqa: E731
    scores, p_values = np.empty(bound.n_features), np.empty(bound.n_features)
    for feature in range(bound.n_features):
        centred_x = centre(bound.kernel.on_subset(bound.columns, np.array([feature])).gram)
        scores[feature] = np.vdot(centred_x, centred_y)
        p_values[feature] = p_value(centred_x)
        report((feature + 1) / bound.n_features, "testing features")
    adjusted = stats.false_discovery_control(p_values, method="bh")
    return FeatureTests(scores / (n - 1) ** 2, p_values, adjusted, method, data.names)


def _tests_of_groups(
    data: Dataset,
    measure: HSIC,
    groups: ArrayLike,
    n_permutations: int,
    random_state: int | np.random.Generator | None,
) -> FeatureTests:
    """Test features by orders that keep groups together, on low-rank factors of the kernels."""
    _check_method("permutation", data.n_samples, n_permutations)
    if measure.kernel_x is not None or measure.kernel_y is not None:
        msg = "With groups the kernels are the usual ones; leave kernel_x and kernel_y out."
        raise ValueError(msg)
    if data.times is not None:
        msg = "Times with events are not tested with groups; leave groups out."
        raise ValueError(msg)
    design = GroupOrders.of(groups, data.y)
    pairwise = PairwiseHSIC(categorical=measure.categorical, target_kind=measure.target_kind)
    bound = pairwise.bind(data.columns, data.y)
    factors = [bound.store.rows(feature)[0].astype(np.float64) for feature in bound.columns]
    factors = [rows - rows.mean(axis=1, keepdims=True) for rows in factors]
    rng = np.random.default_rng(random_state)
    p_values = design.p_values(factors, bound.target, n_permutations, rng)
    scores = np.array([np.sum((rows @ bound.target) ** 2) for rows in factors])
    adjusted = stats.false_discovery_control(p_values, method="bh")
    n = data.n_samples
    return FeatureTests(scores / (n - 1) ** 2, p_values, adjusted, "permutation", data.names)


def _survival_test(
    times: NDArray[Any],
    method: str,
    n_permutations: int,
    random_state: int | np.random.Generator | None,
) -> Callable[[FloatArray], float]:
    """Test features against times with events: by random signs of events, not by permutations."""
    risk_sets, signs = RiskSets.of(times), None
    if method == "permutation":
        rng = np.random.default_rng(random_state)
        signs = rng.choice((-1.0, 1.0), (n_permutations, len(risk_sets.events)))
    return lambda gram: risk_sets.p_value(gram, signs)


def _opened_for(measure: HSIC, X: Any, y: Any) -> tuple[Dataset, HSIC]:
    """Open data, and tell the measure which features are categories and what the target holds."""
    given = measure.categorical
    if isinstance(X, Dataset):
        data = opened(X, y, takes_groups=True)
        own = check_positions(given, data.n_features, names=data.names)
        categorical = np.union1d(own, data.categorical).astype(int).tolist()
    else:
        data = opened(X, y, categorical=given, target_kind=measure.target_kind)
        categorical = list(data.categorical)
    kind = data.target_kind if measure.target_kind == "auto" else measure.target_kind
    return data, clone(measure).set_params(categorical=categorical, target_kind=kind)


def among_all_features(tests: FeatureTests, tested: ArrayLike, n_features: int) -> FeatureTests:
    """Return tests of some features as tests among all that were looked at.

    Parameters
    ----------
    tests : FeatureTests
        Tests of some features.
    tested : array-like of int of shape (n_tested,)
        Positions of these among all.
    n_features : int
        Number of all features.

    Returns
    -------
    FeatureTests
        One entry for each feature, NaN for those not tested. They count as if they had nothing to
        show, so that an adjusted p-value is never too small for the number of features looked at.

    Examples
    --------
    >>> tests = FeatureTests(np.array([1.0]), np.array([0.01]), np.array([0.01]), "gamma")
    >>> among_all_features(tests, [2], 4).adjusted_p_values
    array([ nan,  nan, 0.04,  nan])
    """
    places = np.asarray(tested, dtype=np.intp)
    alone = np.ones(n_features)
    alone[places] = tests.p_values
    scores, p_values, adjusted = np.full((3, n_features), np.nan)
    scores[places], p_values[places] = tests.scores, tests.p_values
    adjusted[places] = stats.false_discovery_control(alone, method="bh")[places]
    return FeatureTests(scores, p_values, adjusted, tests.method)


def least_p_value(
    X: FloatArray,
    y: NDArray[Any],
    n_features: int,
    *,
    categorical: Sequence[int] = (),
    target_kind: str = "auto",
) -> float:
    """Tell whether any of a few features shows a dependence by itself, at little cost.

    Gives the least p-value of the columns of X times the number of all features, from at most 500
    samples; 1 if there are too few samples for a test.
    """
    rows = representative_rows(y["time"] if y.dtype.names else y, MOST_TESTED_SAMPLES)
    if len(rows) < MIN_GAMMA_SAMPLES:
        return 1.0
    measure = HSIC(categorical=categorical, target_kind=target_kind)
    tests = feature_tests(X[rows].astype(np.float64), y[rows], measure=measure)
    return min(1.0, float(tests.p_values.min()) * n_features)


def _gamma_p_value(centred_x: FloatArray, moments_y: MatrixMoments, statistic: float) -> float:
    """Tail of the gamma law with the exact mean and variance over all orders."""
    law = permutation_law(MatrixMoments.of(centred_x), moments_y)
    return float(np.exp(log_gamma_tail(statistic, *law)))


def _permutation_p_value(
    centred_x: FloatArray, centred_y: FloatArray, orders: list[NDArray[np.intp]]
) -> float:
    """Fraction of orders, the given one included, with a statistic at least as large."""
    # Sums of the same numbers in another order differ in the last digits; ties must count.
    slack = 1e-12 * np.linalg.norm(centred_x) * np.linalg.norm(centred_y)
    least = np.vdot(centred_x, centred_y) - slack
    n_as_large = sum(
        bool(np.vdot(centred_x, centred_y[np.ix_(order, order)]) >= least) for order in orders
    )
    return (1 + n_as_large) / (len(orders) + 1)


def _orders(
    n_samples: int,
    n_permutations: int,
    random_state: int | np.random.Generator | None,
    design: GroupOrders | None = None,
) -> Iterator[NDArray[np.intp]]:
    rng = np.random.default_rng(random_state)
    for _ in range(n_permutations):
        yield rng.permutation(n_samples) if design is None else design.draw(rng)


def _check_method(method: str, n_samples: int, n_permutations: int) -> None:
    word(*METHODS).check("method", method)
    if method == "gamma" and n_samples < MIN_GAMMA_SAMPLES:
        msg = f"The gamma test needs at least 6 samples, got {n_samples}; use permutations."
        raise ValueError(msg)
    if method == "permutation":
        integer(1).check("n_permutations", n_permutations)
