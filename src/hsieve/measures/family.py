"""The older scores that are HSIC with linear kernels (BAHSIC paper, sec. 4).

With a linear kernel on one feature x and on coded labels Y, ``tr(KHLH) = |Y'Hx|^2``. Dividing the
feature by a scale of its own first gives a whole family of scores used on micro-arrays:

================  =====================  ==================================================
statistic         label coding           scale of the feature
================  =====================  ==================================================
pc                standardised y         standard deviation: the squared correlation (for classes
                                         the mean over their indicators, weighted by their shares)
centroid          signed                 1
t                 signed                 ``sqrt(s_+^2 / m_+ + s_-^2 / m_-)``
snr               signed                 ``s_+ + s_-``
moderated-t       signed                 pooled deviation shrunk towards that of all features
lods              (from moderated-t)     log odds of differential expression
pam               centroid (eq. 12)      pooled deviation plus its median over all features
one-vs-rest       one-vs-rest (eq. 14)   standard deviation
block             block (eq. 14)         standard deviation
================  =====================  ==================================================

The first takes numbers or classes, pam and the last two any number of classes, the others two.
Deviations divide by m - 1. Cost: O(n d).

References
----------
L. Song et al. 2007 (sec. 4); G. Smyth, "Linear models and empirical Bayes methods for assessing
differential expression", 2004 (moderated t, log odds); R. Tibshirani et al. 2002 (shrunken
centroids).
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special, stats

from hsieve.array_types import FloatArray
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import block_coding, centroid_coding, one_vs_rest_coding, signed_coding
from hsieve.measures.base import KnownScores, Measure
from hsieve.measures.targets import number_columns
from hsieve.parameters import check_parameters, rules, word

# These compare features on the scale they are given; the others have none.
UNSCALED = ("centroid", "moderated-t", "lods", "pam")
# Values that an unscaled statistic takes: their squares, and ratios of these, are numbers.
UNSCALED_LIMITS = (1e-70, 1e70)
# Fraction of features taken to be differentially expressed, in the log odds (Smyth's convention).
PRIOR_SHARE = 0.01
# Limits of half the degrees of freedom of the prior of variances; above they are infinite.
PRIOR_LIMITS = (1e-8, 1e8)
# Limits of the prior deviation of an effect, in units of the prior deviation of the noise.
EFFECT_LIMITS = (0.1, 4.0)


@dataclass(eq=False, repr=False)
class FamilyScore(Measure):
    """One of the older scores of the BAHSIC family, as a measure of single features.

    Parameters
    ----------
    statistic : str, default="pc"
        One of ``pc``, ``centroid``, ``t``, ``snr``, ``moderated-t``, ``lods``, ``pam``,
        ``one-vs-rest``, ``block``.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    Notes
    -----
    Columns are centred first, twice, so that a large offset takes no more digits than it took from
    the values themselves. All but ``centroid``, ``moderated-t``, ``lods`` and ``pam`` are worked
    out on standardised columns: neither shift nor scale of a feature changes them, whatever its
    size. These four compare features on the scale they are given, and refuse data whose largest
    size is above 1e70 or below 1e-70.
    """

    statistic: str = "pc"
    _: KW_ONLY
    target_kind: str = "auto"

    bound_type = KnownScores
    takes_survival = True
    allowed = rules(
        statistic=word(
            "pc", "centroid", "t", "snr", "moderated-t", "lods", "pam", "one-vs-rest", "block"
        )
    )

    def bind(self, X: ArrayLike, y: Any) -> KnownScores:
        """Bind the measure to data."""
        check_parameters(self)
        labels = np.asarray(y)
        is_classes = target_kind_of(labels, self.target_kind) == "classes"
        if not is_classes and self.statistic != "pc":
            msg = (
                f"The statistic {self.statistic!r} needs classes; "
                "only 'pc' takes a continuous target."
            )
            raise ValueError(msg)
        columns = self._centred(np.asarray(X, dtype=np.float64))
        check_lengths(len(columns), len(labels))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.statistic == "pc":
                scores = (_class_correlation if is_classes else _correlation)(columns, labels)
            elif self.statistic == "lods":
                scores = _log_odds(columns, labels)
            else:
                coding, scale = CODINGS_AND_SCALES[self.statistic]
                scores = linear_hsic(columns, coding(labels), scale(columns, labels))
        # A feature without any spread inside the classes has no scale: it has no score either,
        # unless its classes differ, in which case nothing separates them better.
        return KnownScores(np.nan_to_num(scores, nan=0.0, posinf=np.finfo(float).max))

    def _centred(self, columns: FloatArray) -> FloatArray:
        """Columns without their offset, and without their scale if the statistic has no use for it.

        No statistic depends on an offset, but a large one would take the digits of their means.
        """
        if self.statistic not in UNSCALED:
            return standardised(columns)
        least, most = UNSCALED_LIMITS
        largest = float(np.abs(columns).max())
        if not least <= largest <= most:
            msg = (
                f"The statistic {self.statistic!r} compares features on the scale they are given, "
                f"and takes values of a size between {least:g} and {most:g}, got {largest:.3g}; "
                "scale the features, or use 'pc', 't' or 'snr'."
            )
            raise ValueError(msg)
        centred = columns - columns.mean(axis=0)
        return np.asarray(centred - centred.mean(axis=0))


def linear_hsic(X: FloatArray, codes: FloatArray, scales: FloatArray | float = 1.0) -> FloatArray:
    """tr(KHLH) with linear kernels for each column of X, divided by its scale, and coded labels."""
    centred = (X - X.mean(axis=0)) / scales
    # Not a matrix product: its digits would depend on where in the table a column stands, and a
    # feature and its copy would not be tied.
    return np.asarray((np.einsum("ik,ij->kj", codes, centred) ** 2).sum(axis=0))


def _correlation(X: FloatArray, outputs: NDArray[Any]) -> FloatArray:
    """Squared correlation with numbers, the mean over several outputs."""
    outputs = number_columns(outputs)
    return np.asarray(linear_hsic(X, outputs / len(X), X.std(axis=0)) / outputs.shape[1])


def _class_correlation(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    """Squared correlation with each class, the mean weighted by the fractions of the classes."""
    classes, codes = np.unique(y, return_inverse=True)
    indicators = (codes[:, None] == np.arange(len(classes))).astype(float)
    shares = indicators.mean(axis=0)
    outputs = (indicators - shares) / indicators.std(axis=0)
    return linear_hsic(X, outputs * np.sqrt(shares) / len(X), X.std(axis=0))


def _t_scale(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    (s_0, m_0), (s_1, m_1) = _class_deviations(X, y)
    return np.asarray(np.sqrt(s_0**2 / m_0 + s_1**2 / m_1))


def _noise_scale(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    (s_0, _), (s_1, _) = _class_deviations(X, y)
    return s_0 + s_1


def _moderated_scale(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    variance, factor, _ = _shrunken_variance(X, y)
    return np.asarray(np.sqrt(variance * factor))


def _centroid_scale(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    deviation = np.sqrt(_pooled_variance(X, y)[0])
    return np.asarray(deviation + np.median(deviation))


def _deviation(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    return np.asarray(X.std(axis=0))


CODINGS_AND_SCALES: Mapping[str, tuple[Callable[..., FloatArray], Callable[..., Any]]] = {
    "centroid": (signed_coding, lambda X, y: 1.0),
    "t": (signed_coding, _t_scale),
    "snr": (signed_coding, _noise_scale),
    "moderated-t": (signed_coding, _moderated_scale),
    "pam": (centroid_coding, _centroid_scale),
    "one-vs-rest": (one_vs_rest_coding, _deviation),
    "block": (block_coding, _deviation),
}


def _log_odds(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    """Log odds that a feature differs between the classes, eq. 6 ff. of Smyth (2004).

    With one design for all features it is a rising function of the moderated t.
    """
    variance, factor, freedom = _shrunken_variance(X, y)
    squared_t = linear_hsic(X, signed_coding(y), np.sqrt(variance * factor))
    effect = _effect_variance(squared_t, factor, freedom, float(np.median(variance)))
    ratio = factor / (factor + effect)
    if np.isinf(freedom):
        odds = squared_t * (1 - ratio) / 2
    else:
        odds = (1 + freedom) / 2 * np.log((squared_t + freedom) / (squared_t * ratio + freedom))
    return np.asarray(np.log(PRIOR_SHARE / (1 - PRIOR_SHARE)) + np.log(ratio) / 2 + odds)


def _class_deviations(X: FloatArray, y: NDArray[Any]) -> list[tuple[FloatArray, int]]:
    """Deviation of each feature inside each of two classes, and the class sizes."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) != 2:
        msg = f"This score needs two classes, got {len(classes)}; use pam, one-vs-rest or block."
        raise ValueError(msg)
    if counts.min() < 2:
        msg = f"This score needs two samples in each class, got {counts.min()} in one."
        raise ValueError(msg)
    return [
        (np.sqrt(_squared_deviations(X[y == label]) / (m - 1)), int(m))
        for label, m in zip(classes, counts, strict=True)
    ]


def _pooled_variance(X: FloatArray, y: NDArray[Any]) -> tuple[FloatArray, int]:
    """Variance inside the classes, pooled, and its degrees of freedom."""
    classes, codes = np.unique(y, return_inverse=True)
    freedom = len(X) - len(classes)
    if freedom < 1:
        msg = f"Pooled variances need more samples ({len(X)}) than classes ({len(classes)})."
        raise ValueError(msg)
    squares = [_squared_deviations(X[codes == c]) for c in range(len(classes))]
    return np.sum(squares, axis=0) / freedom, freedom


def _squared_deviations(part: FloatArray) -> FloatArray:
    """Sum of squared deviations from the mean; none at all where all values are the same.

    Rounding of the mean would leave some, which is no spread but would be divided by.
    """
    varies = part.max(axis=0) > part.min(axis=0)
    return np.where(varies, np.square(part - part.mean(axis=0)).sum(axis=0), 0.0)


def _shrunken_variance(X: FloatArray, y: NDArray[Any]) -> tuple[FloatArray, float, float]:
    """Posterior variances, the design factor 1/m_+ + 1/m_-, and the total degrees of freedom."""
    (_, m_0), (_, m_1) = _class_deviations(X, y)
    variance, freedom = _pooled_variance(X, y)
    prior_freedom, prior_variance = _prior_of_variances(variance[variance > 0], freedom)
    if np.isinf(prior_freedom):
        shrunken = np.full_like(variance, prior_variance)
    else:
        shrunken = (prior_freedom * prior_variance + freedom * variance) / (prior_freedom + freedom)
    return shrunken, 1.0 / m_0 + 1.0 / m_1, prior_freedom + freedom


def _prior_of_variances(variances: FloatArray, freedom: int) -> tuple[float, float]:
    """Degrees of freedom and scale of the scaled inverse chi-square prior.

    By moments of logarithms.
    """
    if len(variances) < 2:
        return 0.0, float(variances.mean()) if len(variances) else 0.0
    logs = np.log(variances) - special.digamma(freedom / 2) + np.log(freedom / 2)
    excess = logs.var(ddof=1) - special.polygamma(1, freedom / 2)
    least, most = PRIOR_LIMITS
    if excess <= special.polygamma(1, most):
        return np.inf, float(np.exp(logs.mean()))
    half = optimize.brentq(lambda h: float(special.polygamma(1, h)) - excess, least, most)
    scale = float(np.exp(logs.mean() + special.digamma(half) - np.log(half)))
    return 2 * half, scale


def _effect_variance(
    squared_t: FloatArray, factor: float, freedom: float, noise_variance: float
) -> float:
    """Prior variance of an effect, from how far the largest t exceed what chance would give."""
    n_features = len(squared_t)
    n_top = int(np.ceil(PRIOR_SHARE / 2 * n_features))
    top = np.sqrt(np.sort(squared_t)[::-1][:n_top])
    law = stats.norm if np.isinf(freedom) else stats.t(freedom)
    by_chance = 2 * law.sf(top)
    expected = (np.arange(1, n_top + 1) - 0.5) / n_features
    share = (expected - (1 - PRIOR_SHARE) * by_chance) / PRIOR_SHARE
    usable = share > by_chance
    estimates = np.zeros(n_top)
    quantiles = law.isf(np.clip(share[usable], 0, 1) / 2)
    estimates[usable] = factor * np.maximum((top[usable] / quantiles) ** 2 - 1, 0)
    low, high = (limit**2 / max(noise_variance, np.finfo(float).tiny) for limit in EFFECT_LIMITS)
    return float(np.clip(estimates.mean(), low, high))
