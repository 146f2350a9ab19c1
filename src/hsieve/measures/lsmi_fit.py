"""LSMI of one set of features as a function, with the density ratio that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.weighted_distances import squared_to
from hsieve.measures.density_ratio import RIDGES, WIDTH_FACTORS, target_basis, target_width
from hsieve.measures.lsmi import LSMI, N_CENTRES, N_FOLDS


@dataclass(frozen=True, eq=False)
class LSMIFit:
    """A fitted density ratio and the estimate that follows from it.

    Parameters
    ----------
    value : float
        Squared-loss mutual information; near zero for independent x and y.
    width, ridge : float
        Width of the Gaussian over x and penalty, as chosen.
    target_width : float or None
        Width of the Gaussian over y; None where y holds classes.
    centres : ndarray of shape (n_centres, n_features)
        Standardised features at the centres.
    target_centres : ndarray of shape (n_centres,) or (n_centres, n_outputs)
        Target at the centres; numbers are standardised.
    coefficients : ndarray of shape (n_centres,)
        alpha.
    scale : ColumnScale
        Means and deviations of the features.
    target_scale : ColumnScale or None
        Those of the target; None where y holds classes.
    """

    value: float
    width: float
    ridge: float
    target_width: float | None
    centres: FloatArray = field(repr=False)
    target_centres: NDArray[Any] = field(repr=False)
    coefficients: FloatArray = field(repr=False)
    scale: ColumnScale = field(repr=False)
    target_scale: ColumnScale | None = field(repr=False)

    def density_ratio(self, X: ArrayLike, y: Any) -> FloatArray:
        """Ratio p(x, y) / (p(x) p(y)) at pairs of features and targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as they were handed to :func:`lsmi`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets, as they were handed to it.

        Returns
        -------
        ndarray of shape (n_samples,)
            The ratio; it may be a little negative where the fit is poor.
        """
        squared = squared_to(self.scale.apply(np.asarray(X, dtype=np.float64)), self.centres)
        phi = np.exp(-squared / (2 * self.width**2))
        target = np.asarray(y)
        if self.target_scale is not None:
            target = self.target_scale.apply(_columns_of(target))
        psi = target_basis(target, self.target_centres, self.target_width)
        return np.asarray((phi * psi) @ self.coefficients)


def lsmi(
    X: ArrayLike,
    y: Any,
    *,
    n_centres: int = N_CENTRES,
    width_factors: Sequence[float] = WIDTH_FACTORS,
    ridges: Sequence[float] = RIDGES,
    n_folds: int = N_FOLDS,
    target_kind: str = "auto",
    random_state: int | np.random.Generator | None = 0,
) -> LSMIFit:
    """Estimate the squared-loss mutual information of all columns of X together and y.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; standardised first.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes, numbers or several outputs; numbers are standardised.
    n_centres : int, default=100
        Number of basis functions; all samples where there are fewer.
    width_factors : sequence of float
        Widths to choose from, in median distances; by default the authors' ten.
    ridges : sequence of float, default=(1e-4, ..., 10)
        Penalties to choose from.
    n_folds : int, default=5
        Folds of the cross validation, even within classes.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    random_state : int, Generator or None, default=0
        Seed of centres and folds.

    Returns
    -------
    LSMIFit
        The estimate and the fitted density ratio.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import lsmi
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> bool(lsmi(X, y).value > 0.2 > lsmi(X[:, :1], y).value)
    True
    """
    measure = LSMI(
        n_centres=n_centres,
        width_factors=width_factors,
        ridges=ridges,
        n_folds=n_folds,
        target_kind=target_kind,
        random_state=random_state,
    )
    bound = measure.bind(X, y)
    ratio, columns = bound.ratio, bound.distances.columns.matrix
    squared = bound.distances.squared(np.ones(bound.n_features))
    model = ratio.model(squared)
    at_centres = ratio.samples[ratio.centres]
    return LSMIFit(
        value=ratio.value(squared, model),
        width=model.width,
        ridge=model.ridge,
        target_width=target_width(bound.target, is_classes=bound.is_classes),
        centres=columns[ratio.centres],
        target_centres=bound.target[at_centres],
        coefficients=ratio.coefficients(squared, model),
        scale=ColumnScale.of(np.asarray(X, dtype=np.float64)),
        target_scale=None if bound.is_classes else ColumnScale.of(_columns_of(y)),
    )


def _columns_of(target: ArrayLike) -> FloatArray:
    """Return outputs as columns of numbers."""
    numbers = np.asarray(target, dtype=np.float64)
    return numbers.reshape(len(numbers), -1)
