"""Test whether a feature adds to what some other features tell about a target.

With r what other features leave unexplained of the target, and F~ what they leave unexplained of
the factor of the feature's kernel, the product F~' r is tested. Each of the two regressions only
needs to be roughly right, since an error shows in their product [1]_: a relative of a chosen
feature gains nothing from a poor fit of the target, as it would if its own factor were multiplied.

References
----------
.. [1] R. D. Shah and J. Peters, "The hardness of conditional independence testing and the
   generalised covariance measure", Annals of Statistics 48, 2020.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.kernel_smoother import KernelSmoother
from hsieve.kernels.null_laws import log_ratio_tail

FloatArray = NDArray[np.floating]

# Landmarks of the regression of a feature on the few that are most like it.
N_LANDMARKS = 64


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
