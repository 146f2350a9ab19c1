"""Problems whose true features are known.

Whether a selector works is seen on data made by a recipe, where the features that determine
the target are known beforehand. Each generator follows the recipe of a paper and answers with a
:class:`Problem`: the data, the true columns, and what kind of target it is.

* and-or, quad and xor-toy are the toy sets of [1]_, section 6.2.
* fake-class, linear-weston, zhang-sample, zhang-feature, nonlinear-weston and xor are the six sets
  of [2]_, section 3.3.1 and appendix A.3, made after [3]_ (Weston) and [4]_ (Zhang).
* n3lars is the regression problem of [5]_, section 5.2, in which every feature has a near copy.

The second argument of N(a, b) is read as the *variance* throughout. The appendix of [2]_ leaves no
other consistent reading: it writes N(mu, Sigma) with a covariance matrix, and its N(0.25, 100)
is the counterpart of a standard deviation increased by a factor of 10. The noise N(0, 20) thus has
a standard deviation of 4.47; pass ``noise_variance=400`` for the other reading.

Labels drawn as fair coins are not forced into balance, so a very small sample may hold one class.
Drawing n samples of d features costs O(n d).

References
----------
.. [1] W. Jitkrittum, H. Hachiya and M. Sugiyama, "Feature selection via l1-penalized squared-loss
   mutual information", 2012.
.. [2] D. Athanasakis, "Feature selection in computational biology", University College London,
   2014.
.. [3] J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio and V. Vapnik, "Feature selection
   for SVMs", NIPS, 2000.
.. [4] X. Zhang et al., "Recursive SVM feature selection and sample classification for
   mass-spectrometry and microarray data", BMC Bioinformatics 7:197, 2006.
.. [5] M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large
   and high-dimensional data", 2014.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PROBLEMS",
    "Problem",
    "make_and_or",
    "make_fake_class",
    "make_linear_weston",
    "make_n3lars",
    "make_nonlinear_weston",
    "make_problem",
    "make_quad",
    "make_xor",
    "make_xor_toy",
    "make_zhang_feature_outliers",
    "make_zhang_sample_outliers",
]

Seed: TypeAlias = int | np.random.Generator | None
TargetKind: TypeAlias = Literal["classes", "continuous"]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

MIN_SAMPLES = 4
N_THESIS_RELEVANT = 10
N_XOR_RELEVANT = 2
N_N3LARS_RELEVANT = 3

FLIP_PROBABILITY = 0.2
BIASED_COIN = 0.75
TARGET_NOISE = 0.1
CLASS_SHIFT = 0.25
OUTLIER_SHARE = 0.05
OUTLIER_SCALE = 10.0
FIRST_HALF_PROBABILITY = 0.7
CLUSTER_DEVIATION = 0.3

XOR_KINDS = ("binary", "clustered", "continuous")
XOR_NOISES = ("gaussian", "same")


@dataclass(frozen=True, eq=False)
class Problem:
    """Data together with the features that determine the target.

    Parameters
    ----------
    name : str
        Name under which :data:`PROBLEMS` lists the generator.
    X : ndarray of shape (n_samples, n_features)
        Features, float64.
    y : ndarray of shape (n_samples,)
        Target: int64 class labels, or float64 values.
    relevant : ndarray of shape (n_relevant,)
        Zero-based indices of the true features in rising order; empty if there are none.
    target_kind : {"classes", "continuous"}
        What `y` holds.
    description : str
        The recipe in one sentence.
    copies : dict of int to tuple of int, default={}
        For each true feature that has near duplicates, the columns that duplicate it. Choosing
        a copy in place of its original loses next to nothing.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_quad
    >>> problem = make_quad(50, random_state=0)
    >>> problem.X.shape, problem.relevant.tolist(), problem.target_kind
    ((50, 10), [0, 1], 'continuous')
    """

    name: str
    X: FloatArray = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    relevant: IntArray
    target_kind: TargetKind
    description: str
    copies: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def n_relevant(self) -> int:
        """Number of true features."""
        return len(self.relevant)


def make_and_or(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the and-or problem: weak interaction beside redundant copies of the target.

    y = (x0 and x1) or (x2 and x3). Columns 0 to 6 are fair coins in {0, 1}; columns 7 to 9 are y,
    each bit flipped with probability 0.2, and so predict y better than any true feature alone.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 4 relevant, labels 0 and 1.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_and_or
    >>> make_and_or(random_state=0).relevant.tolist()
    [0, 1, 2, 3]
    """
    _check_samples(n_samples)
    rng = np.random.default_rng(random_state)
    coins = rng.integers(0, 2, size=(n_samples, 7)).astype(bool)
    truth = (coins[:, 0] & coins[:, 1]) | (coins[:, 2] & coins[:, 3])
    flipped = truth[:, np.newaxis] ^ (rng.random((n_samples, 3)) < FLIP_PROBABILITY)
    return Problem(
        name="and-or",
        X=np.hstack([coins, flipped]).astype(np.float64),
        y=truth.astype(np.int64),
        relevant=np.arange(4),
        target_kind="classes",
        description="y = (x0 and x1) or (x2 and x3); three noisy copies of y distract.",
    )


def make_quad(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the quad problem: a smooth non-linear regression on two features.

    y = (x0^2 + x1) / (0.5 + (x1 + 1.5)^2) + 0.1 e. Columns 0 to 7 and e are standard normal;
    column 8 is 0.5 x0 + u and column 9 is 0.5 x1 + u', with u, u' uniform on [-1, 1].

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 2 relevant, continuous target.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_quad
    >>> make_quad(random_state=0).X.shape
    (400, 10)
    """
    _check_samples(n_samples)
    rng = np.random.default_rng(random_state)
    normal = rng.standard_normal((n_samples, 8))
    related = 0.5 * normal[:, :2] + rng.uniform(-1.0, 1.0, (n_samples, 2))
    first, second = normal[:, 0], normal[:, 1]
    signal = (first**2 + second) / (0.5 + (second + 1.5) ** 2)
    return Problem(
        name="quad",
        X=np.hstack([normal, related]),
        y=signal + TARGET_NOISE * rng.standard_normal(n_samples),
        relevant=np.arange(2),
        target_kind="continuous",
        description="y = (x0^2 + x1) / (0.5 + (x1 + 1.5)^2) plus noise; two relatives distract.",
    )


def make_xor_toy(n_samples: int = 400, *, random_state: Seed = None) -> Problem:
    """Make the small xor problem: pure interaction of two bits among ten.

    y = x0 xor x1. Columns 0 to 4 are fair coins in {0, 1}; columns 5 to 9 are coins that show
    1 with probability 0.75.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples, at least 4.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        10 features, the first 2 relevant, labels 0 and 1.

    See Also
    --------
    make_xor : The same interaction among many features.

    References
    ----------
    Jitkrittum, Hachiya and Sugiyama (2012), section 6.2.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_xor_toy
    >>> problem = make_xor_toy(random_state=0)
    >>> bool(((problem.X[:, 0] != problem.X[:, 1]) == problem.y).all())
    True
    """
    _check_samples(n_samples)
    rng = np.random.default_rng(random_state)
    chance_of_one = np.repeat([0.5, BIASED_COIN], 5)
    coins = rng.random((n_samples, 10)) < chance_of_one
    return Problem(
        name="xor-toy",
        X=coins.astype(np.float64),
        y=(coins[:, 0] ^ coins[:, 1]).astype(np.int64),
        relevant=np.arange(N_XOR_RELEVANT),
        target_kind="classes",
        description="y = x0 xor x1 among ten binary features.",
    )


def make_fake_class(
    n_samples: int = 300, n_features: int = 200, *, random_state: Seed = None
) -> Problem:
    """Make the negative control: two real groups of samples, but labels permuted at random.

    Columns 0 to 9 are N(0.25, 1) in one group and N(-0.25, 1) in the other, the rest N(0, 1). The
    labels are permuted after that, so *no* feature is relevant and `relevant` is empty. The first
    ten columns remain weakly correlated with one another.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 10.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        No relevant features, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), appendix A.3, set 1.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_fake_class
    >>> make_fake_class(random_state=0).n_relevant
    0
    """
    rng, groups = _draw_classes(n_samples, n_features, random_state)
    X = _shift_classes(rng.standard_normal((n_samples, n_features)), groups)
    return Problem(
        name="fake-class",
        X=X,
        y=rng.permutation(groups),
        relevant=np.arange(0),
        target_kind="classes",
        description="Labels permuted at random: no feature is relevant.",
    )


def make_linear_weston(
    n_samples: int = 300,
    n_features: int = 200,
    *,
    noise_variance: float = 20.0,
    random_state: Seed = None,
) -> Problem:
    """Make the linear Weston problem: two groups of features that take turns.

    With probability 0.7 a sample has x_i = y N(i, 1) for i = 1..5 and x_i = N(0, 1) for i = 6..10;
    otherwise x_i = N(0, 1) for i = 1..5 and x_i = y N(i - 5, 1) for i = 6..10 (i counts from one;
    the indices printed in the thesis are garbled and are mended after Weston et al.). The
    remaining features are N(0, `noise_variance`).

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 10.
    noise_variance : float, default=20.0
        Variance of the irrelevant features (see the module's notes on this reading).
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 10 features relevant, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), appendix A.3, set 2; Weston et al. (2000).

    Examples
    --------
    >>> from hsieve.data.synthetic import make_linear_weston
    >>> make_linear_weston(random_state=0).n_relevant
    10
    """
    _check_non_negative("noise_variance", noise_variance)
    rng, y = _draw_classes(n_samples, n_features, random_state)
    X = rng.standard_normal((n_samples, n_features))
    X[:, N_THESIS_RELEVANT:] *= np.sqrt(noise_variance)
    first_half_speaks = rng.random(n_samples) < FIRST_HALF_PROBABILITY
    loud, silent = np.arange(1.0, 6.0), np.zeros(5)
    means = np.where(first_half_speaks[:, np.newaxis], np.r_[loud, silent], np.r_[silent, loud])
    # The standard normal law is symmetric, so adding y * i to a draw equals y times N(i, 1).
    X[:, :N_THESIS_RELEVANT] += y[:, np.newaxis] * means
    return Problem(
        name="linear-weston",
        X=X,
        y=y,
        relevant=np.arange(N_THESIS_RELEVANT),
        target_kind="classes",
        description="Class means shift in x0..x4 for 70 % of the samples, in x5..x9 for the rest.",
    )


def make_zhang_sample_outliers(
    n_samples: int = 300, n_features: int = 200, *, random_state: Seed = None
) -> Problem:
    """Make the linear Zhang problem with outlying samples.

    Columns 0 to 9 are N(0.25, 1) in class 1 and N(-0.25, 1) in class -1, the rest N(0, 1). In
    5 % of the samples, rounded to a whole number, every feature has ten times the deviation.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 10.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 10 features relevant, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), appendix A.3, set 3; Zhang et al. (2006).

    Examples
    --------
    >>> from hsieve.data.synthetic import make_zhang_sample_outliers
    >>> problem = make_zhang_sample_outliers(random_state=0)
    >>> int((problem.X.std(axis=1) > 5).sum())
    15
    """
    rng, y = _draw_classes(n_samples, n_features, random_state)
    deviations = rng.standard_normal((n_samples, n_features))
    outlying = rng.choice(n_samples, size=round(OUTLIER_SHARE * n_samples), replace=False)
    deviations[outlying] *= OUTLIER_SCALE
    return Problem(
        name="zhang-sample",
        X=_shift_classes(deviations, y),
        y=y,
        relevant=np.arange(N_THESIS_RELEVANT),
        target_kind="classes",
        description="Class means shift in x0..x9; 5 % of the samples are outliers.",
    )


def make_zhang_feature_outliers(
    n_samples: int = 300, n_features: int = 200, *, random_state: Seed = None
) -> Problem:
    """Make the linear Zhang problem with outlying values in the true features.

    Columns 0 to 9 are N(0.25, 1) in class 1 and N(-0.25, 1) in class -1, the rest N(0, 1). In the
    true features 5 % of all values, rounded to a whole number, have variance 100 in place of 1.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 10.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 10 features relevant, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), appendix A.3, set 4; Zhang et al. (2006).

    Examples
    --------
    >>> from hsieve.data.synthetic import make_zhang_feature_outliers
    >>> make_zhang_feature_outliers(random_state=0).X.shape
    (300, 200)
    """
    rng, y = _draw_classes(n_samples, n_features, random_state)
    deviations = rng.standard_normal((n_samples, n_features))
    n_values = n_samples * N_THESIS_RELEVANT
    outlying = rng.choice(n_values, size=round(OUTLIER_SHARE * n_values), replace=False)
    deviations[np.unravel_index(outlying, (n_samples, N_THESIS_RELEVANT))] *= OUTLIER_SCALE
    return Problem(
        name="zhang-feature",
        X=_shift_classes(deviations, y),
        y=y,
        relevant=np.arange(N_THESIS_RELEVANT),
        target_kind="classes",
        description="Class means shift in x0..x9; 5 % of the values there are outliers.",
    )


def make_nonlinear_weston(
    n_samples: int = 300,
    n_features: int = 200,
    *,
    noise_variance: float = 20.0,
    random_state: Seed = None,
) -> Problem:
    """Make the non-linear Weston problem: each class is a pair of opposite clusters.

    In class -1 the ten true features are N(mu, I) or N(-mu, I) with equal probability, in class
    1 they are N(nu, I) or N(-nu, I), with mu = -0.75, ..., -3 and nu = 3, ..., -3, ten equal steps
    each. Both classes have mean zero, so no linear rule sees the difference. The remaining features
    are N(0, `noise_variance`).

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 10.
    noise_variance : float, default=20.0
        Variance of the irrelevant features (see the module's notes on this reading).
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 10 features relevant, labels -1 and 1.

    Notes
    -----
    The thesis prints the second cluster of class -1 equal to one of class 1; here it is -mu, as in
    Weston et al. Its step of 0.6 in nu would give eleven values; here the ten are evenly spaced.

    References
    ----------
    Athanasakis (2014), appendix A.3, set 5; Weston et al. (2000).

    Examples
    --------
    >>> from hsieve.data.synthetic import make_nonlinear_weston
    >>> make_nonlinear_weston(random_state=0).n_relevant
    10
    """
    _check_non_negative("noise_variance", noise_variance)
    rng, y = _draw_classes(n_samples, n_features, random_state)
    X = rng.standard_normal((n_samples, n_features))
    X[:, N_THESIS_RELEVANT:] *= np.sqrt(noise_variance)
    side = _draw_signs(rng, n_samples)
    negative_centre = np.linspace(-0.75, -3.0, N_THESIS_RELEVANT)
    positive_centre = np.linspace(3.0, -3.0, N_THESIS_RELEVANT)
    centres = np.where(y[:, np.newaxis] < 0, negative_centre, positive_centre)
    X[:, :N_THESIS_RELEVANT] += side[:, np.newaxis] * centres
    return Problem(
        name="nonlinear-weston",
        X=X,
        y=y,
        relevant=np.arange(N_THESIS_RELEVANT),
        target_kind="classes",
        description="Each class is a pair of opposite clusters in x0..x9; class means are equal.",
    )


def make_xor(
    n_samples: int = 300,
    n_features: int = 200,
    *,
    kind: str = "clustered",
    noise: str = "gaussian",
    shuffle: bool = False,
    random_state: Seed = None,
) -> Problem:
    """Make an xor problem: pure interaction of two features among many.

    y is the product of two signs, 1 where they agree and -1 where they differ. Neither true feature
    says anything about y alone. The thesis uses such a set but does not describe it; kind
    "clustered" with Gaussian noise stands for it.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=200
        Number of features, at least 2.
    kind : {"binary", "clustered", "continuous"}, default="clustered"
        "binary": every feature is a fair coin in {0, 1}, with 0 for the negative sign.
        "clustered": the true features are their signs plus noise of deviation 0.3.
        "continuous": every feature is standard normal.
    noise : {"gaussian", "same"}, default="gaussian"
        For kind "clustered", whether the other features are standard normal or clustered like
        the true ones. The other kinds have one law for all features, whatever `noise` says.
    shuffle : bool, default=False
        Whether to permute the columns. Otherwise the true features are columns 0 and 1.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        Two relevant features, labels -1 and 1.

    References
    ----------
    Athanasakis (2014), section 3.3.1.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_xor
    >>> problem = make_xor(kind="continuous", random_state=0)
    >>> x0, x1 = problem.X[:, problem.relevant].T
    >>> bool(((x0 * x1 > 0) == (problem.y > 0)).all())
    True
    """
    _check_samples(n_samples)
    _check_features(n_features, N_XOR_RELEVANT)
    _check_choice("kind", kind, XOR_KINDS)
    _check_choice("noise", noise, XOR_NOISES)
    rng = np.random.default_rng(random_state)
    X, signs = _draw_xor_features(rng, (n_samples, n_features), kind, noise)
    relevant = np.arange(N_XOR_RELEVANT)
    if shuffle:
        order = rng.permutation(n_features)
        X = np.take(X, order, axis=1)
        relevant = np.flatnonzero(order < N_XOR_RELEVANT)
    return Problem(
        name="xor",
        X=X,
        y=signs.prod(axis=1).astype(np.int64),
        relevant=relevant,
        target_kind="classes",
        description=f"y is the product of the signs of two {kind} features.",
    )


def make_n3lars(
    n_samples: int = 300,
    n_features: int = 2000,
    *,
    noise: float = 0.01,
    random_state: Seed = None,
) -> Problem:
    """Make the N3LARS problem: non-linear regression in which every feature has a near copy.

    y = x0 exp(x1) + x2 + 0.1 e. The first half of the features and e are standard normal; feature
    j + n_features / 2 is feature j plus `noise` times a standard normal draw of its own.

    Parameters
    ----------
    n_samples : int, default=300
        Number of samples, at least 4.
    n_features : int, default=2000
        Number of features with the copies: even, at least 6.
    noise : float, default=0.01
        Standard deviation of what is added to a copy.
    random_state : int, Generator or None, default=None
        Seed or source of the draws.

    Returns
    -------
    Problem
        The first 3 features relevant, their copies in `copies`, continuous target.

    References
    ----------
    Yamada et al. (2014), section 5.2.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_n3lars
    >>> make_n3lars(100, 20, random_state=0).copies
    {0: (10,), 1: (11,), 2: (12,)}
    """
    _check_samples(n_samples)
    _check_features(n_features, 2 * N_N3LARS_RELEVANT)
    if n_features % 2:
        msg = f"n_features must be even, one copy for each feature, got {n_features}"
        raise ValueError(msg)
    _check_non_negative("noise", noise)
    rng = np.random.default_rng(random_state)
    half = n_features // 2
    originals = rng.standard_normal((n_samples, half))
    duplicates = originals + noise * rng.standard_normal((n_samples, half))
    signal = originals[:, 0] * np.exp(originals[:, 1]) + originals[:, 2]
    return Problem(
        name="n3lars",
        X=np.hstack([originals, duplicates]),
        y=signal + TARGET_NOISE * rng.standard_normal(n_samples),
        relevant=np.arange(N_N3LARS_RELEVANT),
        target_kind="continuous",
        description="y = x0 exp(x1) + x2 plus noise; the second half copies the first.",
        copies={feature: (feature + half,) for feature in range(N_N3LARS_RELEVANT)},
    )


PROBLEMS: Mapping[str, Callable[..., Problem]] = MappingProxyType(
    {
        "and-or": make_and_or,
        "quad": make_quad,
        "xor-toy": make_xor_toy,
        "fake-class": make_fake_class,
        "linear-weston": make_linear_weston,
        "zhang-sample": make_zhang_sample_outliers,
        "zhang-feature": make_zhang_feature_outliers,
        "nonlinear-weston": make_nonlinear_weston,
        "xor": make_xor,
        "n3lars": make_n3lars,
    }
)


def make_problem(name: str, **options: Any) -> Problem:
    """Make the problem of a given name.

    Parameters
    ----------
    name : str
        A key of :data:`PROBLEMS`.
    **options
        Arguments of that problem's generator, such as `n_samples` and `random_state`.

    Returns
    -------
    Problem
        What the generator returns.

    Examples
    --------
    >>> from hsieve.data.synthetic import make_problem
    >>> make_problem("xor", n_samples=40, n_features=5, random_state=0).X.shape
    (40, 5)
    """
    _check_choice("name", name, tuple(PROBLEMS))
    return PROBLEMS[name](**options)


def _check_samples(n_samples: int) -> None:
    """Refuse a sample size that is no integer or too small."""
    if not isinstance(n_samples, Integral) or n_samples < MIN_SAMPLES:
        msg = f"n_samples must be an integer of at least {MIN_SAMPLES}, got {n_samples!r}"
        raise ValueError(msg)


def _check_features(n_features: int, least: int) -> None:
    """Refuse a number of features that is no integer or leaves no room for the true ones."""
    if not isinstance(n_features, Integral) or n_features < least:
        msg = f"n_features must be an integer of at least {least}, got {n_features!r}"
        raise ValueError(msg)


def _check_non_negative(name: str, value: float) -> None:
    """Refuse a negative or non-finite scale."""
    if not (np.isfinite(value) and value >= 0):
        msg = f"{name} must be a finite number of at least 0, got {value!r}"
        raise ValueError(msg)


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a value outside the known ones, listing them."""
    if value not in known:
        msg = f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}"
        raise ValueError(msg)


def _draw_classes(
    n_samples: int, n_features: int, random_state: Seed
) -> tuple[np.random.Generator, IntArray]:
    """Check the size of a thesis set; return its generator and fair labels in {-1, 1}."""
    _check_samples(n_samples)
    _check_features(n_features, N_THESIS_RELEVANT)
    rng = np.random.default_rng(random_state)
    return rng, _draw_signs(rng, n_samples)


def _draw_signs(rng: np.random.Generator, size: int | tuple[int, ...]) -> IntArray:
    """Return fair draws from {-1, 1}."""
    return 2 * rng.integers(0, 2, size=size) - 1


def _shift_classes(deviations: FloatArray, y: IntArray) -> FloatArray:
    """Add the class means of the Zhang sets, +-0.25 in the true features and 0 elsewhere."""
    X = deviations.copy()
    X[:, :N_THESIS_RELEVANT] += CLASS_SHIFT * y[:, np.newaxis]
    return X


def _draw_xor_features(
    rng: np.random.Generator, shape: tuple[int, int], kind: str, noise: str
) -> tuple[FloatArray, FloatArray]:
    """Return the features of an xor problem and the signs of the first two."""
    if kind == "continuous":
        X = rng.standard_normal(shape)
        return X, np.sign(X[:, :N_XOR_RELEVANT])
    if kind == "binary":
        coins = rng.integers(0, 2, size=shape).astype(np.float64)
        return coins, 2.0 * coins[:, :N_XOR_RELEVANT] - 1.0
    X = rng.standard_normal(shape)
    n_clustered = N_XOR_RELEVANT if noise == "gaussian" else shape[1]
    centres = _draw_signs(rng, (shape[0], n_clustered)).astype(np.float64)
    X[:, :n_clustered] = centres + CLUSTER_DEVIATION * X[:, :n_clustered]
    return X, centres[:, :N_XOR_RELEVANT]
