"""Algorithm 3 of the thesis, one kernel at a time, and the jackknife by leaving samples out."""

import numpy as np


def centred(gram):
    """HKH by two matrix products."""
    n = len(gram)
    H = np.eye(n) - np.ones((n, n)) / n
    return H @ gram @ H


def gaussian(X, width):
    """Gaussian kernel of all columns together."""
    distances = sum((X[:, [j]] - X[:, [j]].T) ** 2 for j in range(X.shape[1]))
    return np.exp(-distances / (2 * width**2))


def alignment(gram_x, gram_y):
    """Centred alignment; 0 for a constant kernel."""
    C_x, C_y = centred(gram_x), centred(gram_y)
    norm = np.linalg.norm(C_x) * np.linalg.norm(C_y)
    return float(np.sum(C_x * C_y) / norm) if norm > 1e-12 * gram_x.size else 0.0


def alignments(X, gram_y, widths_of):
    """Alignment of each prefix of the columns of X, for the widths of its size."""
    return np.array(
        [
            [alignment(gaussian(X[:, :size], width), gram_y) for width in widths_of(size)]
            for size in range(1, X.shape[1] + 1)
        ]
    )


def greedy_alignment(X, gram_y, widths_of):
    """Number of features to keep: drop the last ones while that does not lower the alignment."""
    a_best, kept = 0.0, X.shape[1]
    for size in range(X.shape[1], 0, -1):
        a = max(alignment(gaussian(X[:, :size], width), gram_y) for width in widths_of(size))
        if a >= a_best:
            a_best, kept = a, size
    return kept


def jackknife_error(gram_x, gram_y):
    """Standard error of the alignment from all samples but one, again and again."""
    n = len(gram_x)
    values = []
    for left_out in range(n):
        others = np.delete(np.arange(n), left_out)
        inside = np.ix_(others, others)
        values.append(alignment(gram_x[inside], gram_y[inside]))
    return float(np.sqrt((n - 1) / n * np.sum((np.array(values) - np.mean(values)) ** 2)))
