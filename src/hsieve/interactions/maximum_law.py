"""How high does the best of very many scores rise by chance? A few permutations and a fitted tail.

Scores are minus logarithms of p-values, so that under independence the number of scores above s
falls like exp(-s / scale), with a scale near one that is measured twice: by how the highest scores
of each permutation fall, and by how far the maxima of permutations lie apart (further, where scores
come in clusters of features that depend on each other). The larger scale is taken, which errs to
the safe side. Then the highest score of each permutation, m_i, makes e_i = exp(-m_i / scale)
exponentially distributed with one common rate, and the chance that the highest of another
permutation reaches s is known exactly for any number B of permutations,

    p(s) = 1 - (1 + c exp(-s / scale) / sum_i e_i)^(-B),

since a ratio of exponential variables has an F law; c is how many times more scores there are than
each permutation looked at. This is the *family-wise* p-value: the chance that any of the scores
reaches s without any effect. The expected number of scores above s, over the number
found there, estimates the *false discovery rate*.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hsieve.array_types import FloatArray

# Scores of each permutation, from the top, that show how the tail falls.
TAIL_SCORES = 10


@dataclass(frozen=True, eq=False)
class MaximumLaw:
    """The law of the highest score without any effect."""

    maxima: FloatArray  # (n_permutations,): highest score of each permutation
    scale: float  # the number of scores above s falls like exp(-s / scale)
    threshold: float  # score from which on that was measured
    n_above: float  # mean number of scores of a permutation above the threshold
    times_more: float  # how many times more scores there are than each permutation looked at

    @classmethod
    def fitted(cls, scores: Sequence[FloatArray], times_more: float) -> "MaximumLaw":
        """Fit the law to the highest scores of some permutations."""
        falling = [np.sort(of_one)[::-1] for of_one in scores]
        # Above the highest of these thresholds the scores of every permutation are complete.
        place = min(TAIL_SCORES, *(len(of_one) - 1 for of_one in falling))
        threshold = max(float(of_one[place]) for of_one in falling)
        above = np.concatenate([of_one[of_one > threshold] for of_one in falling])
        scale = float((above - threshold).mean()) if len(above) > 1 else 1.0
        maxima = np.array([of_one[0] for of_one in falling])
        return cls(
            maxima,
            max(scale, _gumbel_scale(maxima), 1e-3),
            threshold,
            max(len(above), 1) / len(falling),
            times_more,
        )

    def family_wise(self, scores: FloatArray) -> FloatArray:
        """Chance that the highest of all scores rises so far, for each score."""
        n_permutations = len(self.maxima)
        # On a common scale, so that far scores do not vanish before the ratio is taken.
        lowest = float(self.maxima.min())
        total = np.exp(-(self.maxima - lowest) / self.scale).sum()
        ratio = self.times_more * np.exp(-(scores - lowest) / self.scale) / total
        chances = -np.expm1(-n_permutations * np.log1p(ratio))
        return np.asarray(np.maximum(chances, _chance_alone(scores)))

    def false_discovery(self, scores: FloatArray) -> FloatArray:
        """Estimate the fraction of false ones among all scores as high or higher."""
        exponent = np.clip(-(scores - self.threshold) / self.scale, None, 700.0)
        expected = self.times_more * self.n_above * np.exp(exponent)
        # Never fewer than the law of the maximum expects.
        expected = np.maximum(expected, -np.log1p(-np.minimum(self.family_wise(scores), 1 - 1e-12)))
        rates = np.clip(expected / np.arange(1, len(scores) + 1), _chance_alone(scores), 1.0)
        rates[scores <= 0] = 1.0
        return np.asarray(np.minimum.accumulate(rates[::-1])[::-1])


def _chance_alone(scores: FloatArray) -> FloatArray:
    """Chance of one score on its own, below which nothing said of many can fall."""
    return np.exp(-np.maximum(scores, 0.0))


def _gumbel_scale(maxima: FloatArray) -> float:
    """Scale of the Gumbel law of maxima, from half their mean distance (its second L-moment)."""
    n = len(maxima)
    if n < 2:
        return 0.0
    ranks = 2.0 * np.arange(n) - n + 1
    return float(ranks @ np.sort(maxima) / (n * (n - 1)) / np.log(2.0))
