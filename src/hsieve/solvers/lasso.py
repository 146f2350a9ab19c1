"""The lasso with a given number of features.

One output: the path of least angle regression (scikit-learn's `lars_path`) is followed knot by
knot. Between two knots the set of features with a weight does not change, so the first stretch with
k of them is the answer, and the coefficients midway along it. Every number from one on is passed
unless features tie or repeat each other, or the samples are used up. Then, and for several outputs
(the multi-task lasso, one weight vector a feature), :func:`~hsieve.solvers.sparse_fits.fit_of_size`
searches for the penalty.

Cost: O(n d) a knot, some more knots than features wanted.

Group lasso over features that are orthonormal blocks of columns, with one or several outputs.

Minimises, over one matrix C_j of coefficients a feature,

    |Y - sum_j B_j C_j|^2 / 2n + penalty * sum_j |C_j|,     B_j' B_j = n I,

with Frobenius norms. Blocks of one standardised column make it the lasso and, with several outputs,
the multi-task lasso; blocks of spline bases make it the sparse additive model of Ravikumar et al.
(2009), whose backfitting with soft thresholding is the same descent. With orthonormal blocks the
best C_j, the others held, is a shrunken projection:

    G_j = B_j' R / n + C_j,     C_j = max(0, 1 - penalty / |G_j|) G_j,

R being the residual. Only features that have a weight, or ought to, are swept over; all the others
are looked at in one product when these have settled.

Cost: O(n d m) for each look at all d features of m columns, O(n m) a feature swept; q outputs times
that.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from hsieve.solvers.sparse_fits import SparseFit, fit_of_size

__all__ = ["GroupLasso", "lasso_of_size"]

FloatArray = NDArray[np.floating]

# Knots looked at first for each feature wanted, and how many times more if they do not suffice.
KNOTS_A_FEATURE = 2
TIMES_MORE_KNOTS = 4

# A sweep that changes no fitted value by more than this, in deviations of the outputs, is the last.
TOLERANCE = 1e-10
MOST_SWEEPS = 2000
MOST_ROUNDS = 50
# A feature may pull by this much more than the penalty before it is let in.
SLACK = 1e-7


def lasso_of_size(columns: FloatArray, outputs: FloatArray, n_wanted: int) -> SparseFit:
    """Fit the lasso with the penalty that keeps so many features.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Standardised features.
    outputs : ndarray of shape (n_samples, n_outputs)
        Centred outputs.
    n_wanted : int
        Number of features wanted.

    Returns
    -------
    SparseFit
        The penalty is that of |Y - X C|^2 / 2n + penalty * (sum of the norms of C's rows).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linalg.qr(np.arange(12.0).reshape(4, 3) ** 2)[0] * 2
    >>> lasso_of_size(X, X @ [[3.0], [0.0], [-5.0]], 2).order[:2]
    array([2, 0])
    """
    if outputs.shape[1] == 1:
        fit = _along_path(columns, outputs[:, 0], n_wanted)
        if fit is not None:
            return fit
    problem = GroupLasso(np.ascontiguousarray(columns.T)[:, :, None], outputs)
    return fit_of_size(problem.fit, problem.strongest, n_wanted)


def _along_path(columns: FloatArray, output: FloatArray, n_wanted: int) -> SparseFit | None:
    """First stretch of the path with so many features, or None where there is none."""
    most_knots = KNOTS_A_FEATURE * n_wanted + 2
    while True:
        with warnings.catch_warnings():
            # Copies of features are dropped, and the path may end early: both are looked after.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            levels, _, knots = lars_path(columns, output, method="lasso", max_iter=most_knots)
        between = (knots[:, 1:] + knots[:, :-1]) / 2
        exact = np.flatnonzero(np.count_nonzero(between, axis=0) == n_wanted)
        if len(exact):
            coefficients = between[:, exact[0]]
            residual = output - columns @ coefficients
            return SparseFit(
                penalty=float(levels[exact[0] : exact[0] + 2].mean()),
                weights=np.abs(coefficients),
                pull=np.abs(columns.T @ residual) / len(output),
            )
        if len(levels) <= most_knots:
            return None
        most_knots *= TIMES_MORE_KNOTS


@dataclass(frozen=True, eq=False)
class GroupLasso:
    """A group lasso problem, to be solved for any penalty.

    Parameters
    ----------
    blocks : ndarray of shape (n_features, n_samples, n_columns)
        Centred columns of each feature, with B_j' B_j = n I except for columns that are zero.
    outputs : ndarray of shape (n_samples, n_outputs)
        Centred outputs.
    """

    blocks: FloatArray
    outputs: FloatArray

    @property
    def strongest(self) -> float:
        """The penalty at which the first feature enters."""
        return float(_norms(self._gradient(self.outputs)).max())

    def fit(self, penalty: float, sparser: SparseFit | None = None) -> SparseFit:
        """Solve for one penalty.

        Parameters
        ----------
        penalty : float
            Positive.
        sparser : SparseFit or None, default=None
            Solution for a larger penalty to begin with.

        Returns
        -------
        SparseFit
            ``state`` holds the coefficients, of shape (n_features, n_columns, n_outputs).
        """
        n_features, _, n_columns = self.blocks.shape
        coefficients: FloatArray = np.zeros((n_features, n_columns, self.outputs.shape[1]))
        if sparser is not None:
            coefficients[:] = sparser.state
        active = np.flatnonzero(_norms(coefficients))
        residual: FloatArray = self.outputs - _fitted(self.blocks[active], coefficients[active])
        pull = _norms(self._gradient(residual))
        for _ in range(MOST_ROUNDS):
            entering = np.setdiff1d(np.flatnonzero(pull > penalty * (1 + SLACK)), active)
            active = np.union1d(active, entering)
            residual, settled = self._sweep(active, coefficients[active], penalty)
            coefficients[active] = settled
            pull = _norms(self._gradient(residual))
            active = np.flatnonzero(_norms(coefficients))
            if (np.delete(pull, active) <= penalty * (1 + SLACK)).all():
                break
        return SparseFit(penalty, _norms(coefficients), pull, coefficients)

    def _gradient(self, residual: FloatArray) -> FloatArray:
        """B_j' R / n of every feature."""
        return np.asarray(np.matmul(self.blocks.transpose(0, 2, 1), residual) / len(residual))

    def _sweep(
        self, active: NDArray[np.intp], coefficients: FloatArray, penalty: float
    ) -> tuple[FloatArray, FloatArray]:
        """Descend over some features until they settle; return residual and coefficients."""
        n = len(self.outputs)
        blocks, coefficients = self.blocks[active], coefficients.copy()
        residual = self.outputs - _fitted(blocks, coefficients)
        scale = float(np.sqrt((self.outputs**2).mean()))
        for _ in range(MOST_SWEEPS):
            largest_change = 0.0
            for block, own in zip(blocks, coefficients, strict=True):
                wanted = block.T @ residual / n + own
                size = float(np.linalg.norm(wanted))
                change = (max(0.0, 1.0 - penalty / size) if size else 0.0) * wanted - own
                step = float(np.abs(change).max())
                if step > 0.0:
                    residual -= block @ change
                    own[:] += change
                    largest_change = max(largest_change, step)
            if largest_change <= TOLERANCE * scale:
                break
        return residual, coefficients


def _norms(matrices: FloatArray) -> FloatArray:
    """Frobenius norm of each matrix of a stack."""
    return np.asarray(np.sqrt(np.einsum("jab,jab->j", matrices, matrices)))


def _fitted(blocks: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Sum of B_j C_j."""
    return np.asarray(np.einsum("jnm,jmq->nq", blocks, coefficients, optimize=True))
