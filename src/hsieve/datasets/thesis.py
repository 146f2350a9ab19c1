"""Two classes that differ in ten features, after Weston and Zhang.

These are five of the six sets of [1]_, section 3.3.1 and appendix A.3, made after [2]_ (Weston)
and [3]_ (Zhang); the sixth is :func:`hsieve.datasets.make_xor`.

The second argument of N(a, b) is read as the *variance* throughout. The appendix of [1]_ leaves no
other consistent reading: it writes N(mu, Sigma) with a covariance matrix, and its N(0.25, 100)
is the counterpart of a standard deviation increased by a factor of 10. The noise N(0, 20) thus has
a standard deviation of 4.47; pass ``noise_variance=400`` for the other reading.

Labels drawn as fair coins are not forced into balance, so a very small sample may hold one class.
Drawing n samples of d features costs O(n d).

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", University College London,
   2014.
.. [2] J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio and V. Vapnik, "Feature selection
   for SVMs", NIPS, 2000.
.. [3] X. Zhang et al., "Recursive SVM feature selection and sample classification for
   mass-spectrometry and microarray data", BMC Bioinformatics 7:197, 2006.
"""

import numpy as np

from hsieve.datasets.base import (
    MIN_SAMPLES,
    FloatArray,
    IntArray,
    Problem,
    Seed,
    draw_signs,
)
from hsieve.parameters import integer, number

N_THESIS_RELEVANT = 10
CLASS_SHIFT = 0.25
OUTLIER_SHARE = 0.05
OUTLIER_SCALE = 10.0
FIRST_HALF_PROBABILITY = 0.7


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
    >>> from hsieve.datasets import make_fake_class
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
    the indices printed in the thesis are garbled and corrected after Weston et al.). The
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
    >>> from hsieve.datasets import make_linear_weston
    >>> make_linear_weston(random_state=0).n_relevant
    10
    """
    number(least=0).check("noise_variance", noise_variance)
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
    5 % of the samples, rounded to an integer, every feature has ten times the deviation.

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
    >>> from hsieve.datasets import make_zhang_sample_outliers
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
    true features 5 % of all values, rounded to an integer, have variance 100 in place of 1.

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
    >>> from hsieve.datasets import make_zhang_feature_outliers
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
    >>> from hsieve.datasets import make_nonlinear_weston
    >>> make_nonlinear_weston(random_state=0).n_relevant
    10
    """
    number(least=0).check("noise_variance", noise_variance)
    rng, y = _draw_classes(n_samples, n_features, random_state)
    X = rng.standard_normal((n_samples, n_features))
    X[:, N_THESIS_RELEVANT:] *= np.sqrt(noise_variance)
    side = draw_signs(rng, n_samples)
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


def _draw_classes(
    n_samples: int, n_features: int, random_state: Seed
) -> tuple[np.random.Generator, IntArray]:
    """Check the size of a thesis set; return its generator and fair labels in {-1, 1}."""
    integer(MIN_SAMPLES).check("n_samples", n_samples)
    integer(N_THESIS_RELEVANT).check("n_features", n_features)
    rng = np.random.default_rng(random_state)
    return rng, draw_signs(rng, n_samples)


def _shift_classes(deviations: FloatArray, y: IntArray) -> FloatArray:
    """Add the class means of the Zhang sets, +-0.25 in the true features and 0 elsewhere."""
    X = deviations.copy()
    X[:, :N_THESIS_RELEVANT] += CLASS_SHIFT * y[:, np.newaxis]
    return X
