"""Stability selection over standardised features, for bases that do not see to that themselves."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hsieve.estimators import StabilitySelection
from hsieve.kernels.columns import standardised

__all__ = ["StandardisedStability"]


class StandardisedStability(StabilitySelection):
    """Stability selection of a base that is given features of mean 0 and deviation 1.

    The range of the base's parameter is found from the data as they are given to it, so that they
    are standardised before, and not inside of, the base.
    """

    def fit(self, X: ArrayLike, y: Any) -> Self:
        """Choose features, as :class:`StabilitySelection` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like
            What the base takes.

        Returns
        -------
        self
            The fitted selector.
        """
        return super().fit(standardised(np.asarray(X, dtype=np.float64)), y)
