"""The penalty at which a sparse model keeps a given number of features.

Lasso, L1-SVM and sparse additive models all have one knob, and people ask for a number of features.
The penalty falls in even ratios from where nothing is kept until enough is, then the step between
is halved (on a logarithmic scale) until the number is met. A number that is jumped over - by ties,
by copies, or because a feature leaves as another enters - has no exact answer; then the fit with
the nearest number is taken, the smaller of two that are as near, as in the l1-LSMI paper.

Cost: some tens of fits, each begun where a sparser one ended.

L1-SVM: |w|_1 + C sum_i max(0, 1 - y_i (w'x_i + b))^2 (scikit-learn's `LinearSVC`), for several
classes one against the rest each; a feature is used if any class gives it a weight. The smallest C
with a model that is not empty is known in closed form (`l1_min_c`), and C rises from there. Of
equal columns only the first is fitted: the machine could share their weight in any way, at random.

Lasso of one output: the path of least angle regression (scikit-learn's `lars_path`) is followed
knot by knot. Between two knots the set of features with a weight does not change, so the first
stretch with k of them is the answer, and the coefficients midway along it. Every number from one on
is passed unless features tie or repeat each other, or the samples are used up. Then, and for
several outputs (one weight vector per feature), `fit_of_size` searches for the penalty.

Group lasso over features that are orthonormal blocks of columns, with one or several outputs:
minimise, over one matrix C_j of coefficients per feature,

    |Y - sum_j B_j C_j|^2 / 2n + penalty * sum_j |C_j|,     B_j' B_j = n I,

with Frobenius norms. Blocks of one standardised column make it the lasso and, with several outputs,
the multi-task lasso; blocks of spline bases make it the sparse additive model of Ravikumar et al.
(2009), whose backfitting with soft thresholding is the same descent. With orthonormal blocks the
best C_j, the others held, is a shrunken projection:

    G_j = B_j' R / n + C_j,     C_j = max(0, 1 - penalty / |G_j|) G_j,

R being the residual. Only features that have a weight, or ought to, are swept over; all the others
are looked at in one product when these have settled.

Cost: some tens of fits of liblinear, O(n d) per sweep and class; O(n d) per knot of the lasso; for
the group lasso O(n d m) for each look at all d features of m columns, times the outputs.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path
from sklearn.svm import LinearSVC, l1_min_c

from hsieve.array_types import FloatArray, IndexArray
from hsieve.progress import report

# Each penalty of the descent is this fraction of the one before; the last is 1e-4 of the first.
RATIO = 0.8
N_STEPS = 41
MOST_HALVINGS = 25

MOST_SWEEPS = 10_000

# Knots looked at first for each feature wanted, and how many times more if they do not suffice.
KNOTS_A_FEATURE = 2
TIMES_MORE_KNOTS = 4

# A sweep that changes no fitted value by more than this, in deviations of the outputs, is the last.
TOLERANCE = 1e-10
MOST_GROUP_SWEEPS = 2000
MOST_ROUNDS = 50
# A feature may pull by this much more than the penalty before it is let in.
SLACK = 1e-7


@dataclass(frozen=True, eq=False)
class SparseFit:
    """A fitted model that uses some of the features.

    Parameters
    ----------
    penalty : float
        Penalty it was fitted with.
    weights : ndarray of shape (n_features,)
        Size of each feature's coefficients, zero where it is not used.
    pull : ndarray of shape (n_features,)
        Size of the loss's gradient at each feature: the feature with the largest among those not
        used is the next to enter.
    state : Any, default=None
        What the next fit may begin with.
    """

    penalty: float
    weights: FloatArray
    pull: FloatArray
    state: Any = field(default=None, repr=False)

    @property
    def n_used(self) -> int:
        """Number of features with a weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def order(self) -> IndexArray:
        """All features: those used by weight, the others by pull; ties by position."""
        return np.lexsort((-self.pull, -self.weights))


def fit_of_size(
    fit: Callable[[float, SparseFit | None], SparseFit], strongest: float, n_wanted: int
) -> SparseFit:
    """Search for the penalty that keeps so many features.

    Parameters
    ----------
    fit : callable
        Takes a penalty and a sparser fit to begin with, or None.
    strongest : float
        Penalty at and above which no feature is kept.
    n_wanted : int
        Number of features wanted.

    Returns
    -------
    SparseFit
        With exactly so many features if one was met, else with the nearest number.
    """
    if strongest == 0.0:
        # Nothing pulls at any feature, as with an output that is constant: all penalties are alike.
        return fit(1.0, None)
    tried: list[SparseFit] = []
    sparser: SparseFit | None = None
    for step in range(1, N_STEPS + 1):
        tried.append(fit(RATIO**step * strongest, sparser))
        report(min(0.9, tried[-1].n_used / n_wanted), "lowering the penalty")
        if tried[-1].n_used >= n_wanted:
            break
        sparser = tried[-1]
    low, high = tried[-1].penalty, strongest if sparser is None else sparser.penalty
    for _ in range(MOST_HALVINGS if tried[-1].n_used > n_wanted else 0):
        tried.append(fit(math.sqrt(low * high), sparser))
        if tried[-1].n_used == n_wanted:
            break
        if tried[-1].n_used > n_wanted:
            low = tried[-1].penalty
        else:
            sparser, high = tried[-1], tried[-1].penalty
    report(1.0, "lowering the penalty")
    return min(tried, key=lambda found: (abs(found.n_used - n_wanted), found.n_used))


def l1_svm_of_size(
    columns: FloatArray, labels: FloatArray, n_wanted: int, *, random_state: int | None = 0
) -> SparseFit:
    """Fit the machine with the C that keeps so many features.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        Standardised features.
    labels : ndarray of shape (n_samples, n_outputs)
        Columns of +1 and -1: one for two classes, else one a class.
    n_wanted : int
        Number of features wanted.
    random_state : int or None, default=0
        Seed of the order in which liblinear visits the features.

    Returns
    -------
    SparseFit
        Its penalty is 1 / C. A copy of an earlier column has no weight, and its pull.
    """
    _, first, original = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    distinct = np.sort(first)
    if len(distinct) < columns.shape[1]:
        fit_of_distinct = l1_svm_of_size(
            columns[:, distinct], labels, n_wanted, random_state=random_state
        )
        weights = np.zeros(columns.shape[1])
        weights[distinct] = fit_of_distinct.weights
        place = np.searchsorted(distinct, first[np.ravel(original)])
        return SparseFit(fit_of_distinct.penalty, weights, fit_of_distinct.pull[place])

    def fit(penalty: float, sparser: SparseFit | None) -> SparseFit:
        squared = np.zeros((2, columns.shape[1]))
        for label in labels.T:
            machine = LinearSVC(
                penalty="l1",
                C=1.0 / penalty,
                dual=False,
                max_iter=MOST_SWEEPS,
                random_state=random_state,
            ).fit(columns, label)
            slack = np.maximum(0.0, 1.0 - label * machine.decision_function(columns))
            squared += [machine.coef_[0] ** 2, (2.0 * (label * slack) @ columns) ** 2]
        weights, pull = np.sqrt(squared)
        return SparseFit(penalty, weights, pull)

    smallest = min(l1_min_c(columns, label) for label in labels.T)
    return fit_of_size(fit, 1.0 / smallest, n_wanted)


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
        for _ in range(MOST_GROUP_SWEEPS):
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
