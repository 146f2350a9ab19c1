"""Centring of Gram matrices, and HSIC as an inner product with a fixed matrix.

Both estimators of HSIC are linear in the Gram matrix K of the features once the Gram matrix L of
the target is fixed: ``HSIC(K, L) = sum(K * W)`` with a weight matrix W made from L alone. That one
fact carries every sweep of the package: it turns "score all d removals" into d cheap changes of
one inner product.

Everything here costs O(n^2) for n samples.
"""

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray

MIN_UNBIASED_SAMPLES = 4
# A centred Gram matrix with a smaller fraction of its norm left is constant up to rounding.
ROUNDING = 1e-12


def centre(
    gram: NDArray[np.floating], sample_weight: FloatArray | None = None
) -> NDArray[np.floating]:
    """Centre a Gram matrix in feature space: HKH with H = I - 11'/n.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Symmetric matrix.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights w of the samples: H = I - 1w'/sum(w).

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        The centred matrix; its rows and columns sum to zero, in weighted sums.

    Examples
    --------
    >>> import numpy as np
    >>> centre(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    if sample_weight is not None:
        means = gram @ sample_weight / sample_weight.sum()
        overall = means @ sample_weight / sample_weight.sum()
        return np.asarray(gram - means[:, None] - means[None, :] + overall)
    means = gram.mean(axis=0)
    return np.asarray(gram - means[:, None] - means[None, :] + means.mean())


def biased_weights(
    target_gram: NDArray[np.floating], sample_weight: FloatArray | None = None
) -> NDArray[np.floating]:
    """Weight matrix of the biased estimator: HLH / (n-1)^2, eq. 4 of the BAHSIC paper.

    With weights of samples w, n is their sum, and entry ij counts w_i w_j times.
    """
    if sample_weight is None:
        return centre(target_gram) / (len(target_gram) - 1) ** 2
    scale = sample_weight / (sample_weight.sum() - 1.0)
    return centre(target_gram, sample_weight) * np.outer(scale, scale)


def unbiased_weights(
    target_gram: NDArray[np.floating], sample_weight: FloatArray | None = None
) -> NDArray[np.floating]:
    """Weight matrix of the unbiased estimator, eq. 5 of the BAHSIC paper.

    The diagonal of the result is zero, so the diagonal of K plays no part.

    Raises
    ------
    ValueError
        With fewer than four samples, where the estimator is not defined, and with weights of
        samples: it leaves out pairs of one sample with itself, which copies of it are not.
    """
    if sample_weight is not None:
        msg = "The unbiased estimator needs distinct samples, without sample_weight."
        raise ValueError(msg)
    n = len(target_gram)
    if n < MIN_UNBIASED_SAMPLES:
        msg = f"The unbiased estimator needs at least 4 samples, got n_samples = {n}."
        raise ValueError(msg)
    hollow = target_gram.copy()
    np.fill_diagonal(hollow, 0.0)
    # Subtracting the mean first changes nothing in exact arithmetic (the estimator ignores
    # constants) and keeps the three terms from cancelling when L has a large offset.
    hollow -= hollow.sum() / (n * (n - 1))
    np.fill_diagonal(hollow, 0.0)
    row = hollow.sum(axis=1)
    weights: NDArray[np.floating] = (
        hollow + row.sum() / ((n - 1) * (n - 2)) - (row[:, None] + row[None, :]) / (n - 2)
    )
    np.fill_diagonal(weights, 0.0)
    return weights / (n * (n - 3))


def centred_squared_norm(
    gram: NDArray[np.floating], sample_weight: FloatArray | None = None
) -> float:
    """Squared Frobenius norm of the centred Gram matrix; zero where only rounding is left."""
    centred = centre(gram, sample_weight)
    if sample_weight is not None:
        roots = np.sqrt(sample_weight)
        scale = np.outer(roots, roots)
        centred, gram = centred * scale, gram * scale
    squared = float(np.vdot(centred, centred))
    return squared if squared > ROUNDING**2 * float(np.vdot(gram, gram)) else 0.0
