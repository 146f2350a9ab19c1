"""Test whether a feature has an effect on times of events, whatever decides who is censored.

At each event the feature map of the subject is compared with the mean over all still at risk. If
the feature has no effect these differences have mean 0, given all that happened before, however it
decides how long subjects are observed. The square of their sum is the test statistic: HSIC with a
linear kernel on martingale residuals. Its law under independence is that of the sum with random
signs: drawn, or a gamma law with its mean and variance. Residuals cannot be permuted, since their
spread may depend on the feature.

Cost: O(n^2) for each feature.

References
----------
T. Fernandez, A. Gretton, D. Rindt, D. Sejdinovic, "A kernel log-rank test of independence for
right-censored data", 2023.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.null_laws import log_gamma_tail

__all__ = ["RiskSets"]


@dataclass(frozen=True, eq=False)
class RiskSets:
    """Who is at risk at each event.

    Parameters
    ----------
    order : ndarray of shape (n_samples,)
        Samples, the longest observed first.
    events : ndarray of shape (n_events,)
        Places of the events in that order.
    n_at_risk : ndarray of shape (n_events,)
        How many are at risk at each event, those that come first in the order.
    """

    order: IndexArray
    events: IndexArray
    n_at_risk: IndexArray

    @classmethod
    def of(cls, times: NDArray[Any]) -> Self:
        """Find the risk sets of a structured array of event and time."""
        order = np.argsort(-times["time"], kind="stable")
        falling = -times["time"][order]
        events = np.flatnonzero(times["event"][order])
        return cls(order, events, np.searchsorted(falling, falling[events], side="right"))

    def differences(self, gram: FloatArray) -> FloatArray:
        """Inner products of the differences between events and the means of those at risk."""
        sorted_gram = gram[np.ix_(self.order, self.order)]
        return self._beside_means(self._beside_means(sorted_gram).T)

    def p_value(self, gram: FloatArray, signs: FloatArray | None) -> float:
        """Chance of such a sum of differences with random signs.

        Parameters
        ----------
        gram : ndarray of shape (n_samples, n_samples)
            Kernel of a feature.
        signs : ndarray of shape (n_draws, n_events) or None
            The signs drawn; None for the gamma law.
        """
        products = self.differences(gram)
        statistic = float(products.sum())
        if signs is None:
            variance = 2 * float(np.vdot(products, products))
            return float(np.exp(log_gamma_tail(statistic, float(np.trace(products)), variance)))
        drawn = np.einsum("ij,ij->i", signs @ products, signs)
        # Sums of the same numbers in another order differ in the last digits; ties must count.
        least = statistic - 1e-12 * float(np.abs(products).sum())
        return (1 + int(np.count_nonzero(drawn >= least))) / (len(signs) + 1)

    def _beside_means(self, rows: FloatArray) -> FloatArray:
        """Rows of the events less the means of the rows at risk."""
        means = np.cumsum(rows, axis=0)[self.n_at_risk - 1] / self.n_at_risk[:, None]
        return np.asarray(rows[self.events] - means)
