"""Data and selectors for comparisons of selectors."""

import warnings

import numpy as np

from hsieve.selectors.base import BaseSelector

__all__ = ["N_FEATURES", "N_SAMPLES", "Fixed", "make_classes", "untimed"]

N_SAMPLES, N_FEATURES = 90, 8


class Fixed(BaseSelector):
    """Selects what it is told, and fails where it is told to."""

    def __init__(self, features=(0,), *, sick_sample=None, message="no luck", tells=None):
        self.features = features
        self.sick_sample = sick_sample
        self.message = message
        self.tells = tells

    def fit(self, X, y):
        if self.sick_sample is not None and self.sick_sample in X[:, -1]:
            raise ValueError(self.message)
        if self.tells:
            warnings.warn(self.tells, UserWarning, stacklevel=2)
        self.n_features_in_ = X.shape[1]
        self.selected_indices_ = np.array(self.features, dtype=np.intp)
        return self


def make_classes():
    """Classes that depend on features 0 and 1; the last column counts the samples."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    X[:, -1] = np.arange(N_SAMPLES)
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.3, "up", "down")


def untimed(found):
    """Records without the times."""
    return [
        {key: value for key, value in record.items() if "seconds" not in key}
        for record in found.records
    ]
