"""SpAM: sparse additive models."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.kernels.splines import spline_blocks
from hsieve.selectors.sparse_models import SparseSelector, model_outputs
from hsieve.solvers import GroupLasso, SparseFit, fit_of_size

__all__ = ["SpAM"]


class SpAM(SparseSelector):
    """Features of a sparse additive model: a sum of curves, one a feature, most of them zero.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a share below 1, or None for 10 (or all, where there are fewer).
    n_knots : int, default=4
        Knots of the cubic splines, evenly spaced over the range of each feature; a curve has
        n_knots + 1 degrees of freedom.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds. Two classes are coded as -1 and 1.

    Attributes
    ----------
    penalty_ : float
        Penalty at which the features have a curve, for standardised numbers.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features by the size of their curve, place of each feature,
        size of each feature's curve (its root mean square), the fit.

    Notes
    -----
    Minimises |y - sum_j f_j(x_j)|^2 / 2n + penalty * sum_j sqrt(mean f_j^2) over splines f_j by the
    paper's backfitting with soft thresholding. Classes are fitted by least squares rather than by
    logistic regression; several classes or outputs share their features, each with curves of its
    own. Where no penalty gives the number wanted, that with the nearest number is taken (the
    smaller of two as near); surplus features are those of the smallest curves, and missing ones
    those nearest to a curve, with a score of zero. Interactions are not seen. Extreme outliers
    leave most samples of a feature between two knots; take ranks or logarithms first.

    References
    ----------
    P. Ravikumar, J. Lafferty, H. Liu, L. Wasserman, "Sparse additive models", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SpAM
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> sorted(SpAM(2).fit(X, np.abs(X[:, 3]) + X[:, 7]).selected_indices_.tolist())
    [3, 7]
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_knots: int = 4,
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_knots = n_knots
        self.target_kind = target_kind

    def _sparse_fit(self, X: NDArray[np.floating], y: NDArray[Any], n_wanted: int) -> SparseFit:
        if not isinstance(self.n_knots, Integral) or self.n_knots < 2:
            msg = f"n_knots must be a whole number of at least 2, got {self.n_knots!r}."
            raise ValueError(msg)
        blocks = spline_blocks(X, n_knots=int(self.n_knots))
        problem = GroupLasso(blocks, model_outputs(y, self.target_kind))
        return fit_of_size(problem.fit, problem.strongest, n_wanted)
