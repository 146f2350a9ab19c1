"""What features are worth to support vector machines, linear or with any kernel.

**With a kernel** (Guyon et al. 2002). The machine minimises J = a'Ka / 2 - |a|_1 over its dual
variables, here with the signs of the classes in them. With these held, taking feature j out of the
kernel changes J by

    DJ(j) = (a'Ka - a'K_(-j)a) / 2,

and the features of smallest DJ are dropped. For a linear kernel this is w_j^2 / 2. For others it
may be negative: a Gaussian kernel grows when a feature goes, and with it a'Ka, unless samples of
different classes become alike. Such features are the ones to drop, so the sign is kept; some
authors take the size of DJ instead (``absolute=True``). a'Ka is the sum over K * aa', so all
removals, and all additions, are one sweep of the kernels over sets of features
(:mod:`hsieve.kernels.subsets`). Hinge loss for classes, several as one class against the rest each,
their J added up; for numbers the loss outside a tube of a tenth of a deviation. The machines are
``SVC`` and ``SVR`` of scikit-learn, with an offset that is not penalised. Cost: O(n^2) a feature
for the sweep, and the fit of one machine a class, between n^2 and n^3.

**Linear.** The machine minimises J = |w|^2 / 2 + C sum_i l_i^2. With its dual variables held,
taking feature j out changes J by w_j^2 / 2 (their eq. 5), so backward elimination by that worth is
SVM-RFE. The same dual variables give a weight to features outside the set, w_j = sum_i a_i x_ij,
and w_j^2 / 2 is then what they would bring: the measure serves forward search and ranking, too. The
loss is l = max(0, 1 - y f) for signs y, or that outside a tube, l = max(0, |y - f| - tube), for
numbers, as in ``LinearSVC`` and ``LinearSVR`` of scikit-learn; f = x'w, the offset being the weight
of a column of ones.

J is quadratic as long as the samples with a loss stay the same, so Newton's step from a set A of
them is a ridge regression on A towards t = y, or y -+ tube (Chapelle 2007):

    w = X_A' (X_A X_A' + I / 2C)^-1 t_A = (X_A' X_A + I / 2C)^-1 X_A' t_A,

whichever is smaller. It ends when the set stays, after some five steps, where liblinear needs
hundreds of sweeps on standardised data and stops short of the optimum. With more features than
samples the machine is fitted to n principal coordinates instead, which is the same problem in
another basis. Cost: O(n d min(n, d)) for the coordinates, then some solutions of at most min(n, d)
equations a class.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.svm import SVC, SVR

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import check_lengths, target_kind_of
from hsieve.kernels import Gaussian, Kernel, encode_columns
from hsieve.kernels.labels import sign_coding
from hsieve.kernels.subsets import SubsetKernel
from hsieve.measures.base import JointBoundMeasure, Measure
from hsieve.measures.targets import checked_kernel, number_columns
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import check_parameters, number, rules

# Principal coordinates of less than this fraction of the largest variance are rounding.
NEGLIGIBLE = 1e-12
# Half the width of the tube, in deviations of the target.
TUBE = 0.1
MOST_STEPS = 200
MOST_HALVINGS = 30


@dataclass(eq=False, repr=False)
class KernelSVM(Measure):
    """Worth of features to a support vector machine with a kernel.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses.
    kernel_x : Kernel or None, default=None
        None is a Gaussian of width sqrt(number of features in the set).
    absolute : bool, default=False
        Whether the size of the change counts, whatever its sign.
    categorical : iterable of int, default=()
        Features that are categories.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using
    support vector machines", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.measures import KernelSVM
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> bound = KernelSVM().bind(X, X[:, 1] ** 2 > 0.5)
    >>> int(np.argmax(bound.elimination_scores([0, 1, 2], [0, 1, 2])))
    1
    """

    C: float = 1.0
    _: KW_ONLY
    kernel_x: Kernel | None = None
    absolute: bool = False
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    allowed = rules(C=number(above=0))

    def bind(self, X: ArrayLike, y: Any) -> "BoundKernelSVM":
        """Bind the measure to data."""
        check_parameters(self)
        kernel = checked_kernel(self.kernel_x, Gaussian("sqrt_d"))
        columns = encode_columns(
            np.asarray(X, dtype=np.float64), categorical=self.categorical
        ).astype(np.float64)
        outputs, tube = machine_outputs(y, self.target_kind)
        check_lengths(columns.n_samples, len(outputs))
        return BoundKernelSVM(columns, outputs, tube, float(self.C), kernel, self.absolute)


@dataclass(frozen=True, eq=False)
class _BoundMachine(JointBoundMeasure):
    """A machine bound to data, which keeps the last set that it was fitted to.

    Elimination asks for the score of a set and then for the worth of its members.
    """

    columns: Any
    outputs: FloatArray
    tube: float | None
    C: float
    last: list[tuple[IndexArray, Any]] = field(default_factory=list, repr=False, kw_only=True)

    def _fitted(self, subset: IndexArray) -> Any:
        """Fit one machine an output to a set of features, unless it was the last one fitted."""
        if not self.last or not np.array_equal(self.last[0][0], subset):
            self.last[:] = [(subset, self._fit(subset))]
        return self.last[0][1]

    @abstractmethod
    def _fit(self, subset: IndexArray) -> Any:
        """Fit one machine an output to a set of features."""


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Kernel of a set, the sum of aa' over the machines fitted to it, and minus their J."""

    kernel: SubsetKernel
    products: FloatArray
    score: float


@dataclass(frozen=True, eq=False)
class BoundKernelSVM(_BoundMachine):
    """The machine bound to data; the score of a set is minus the primal objective reached."""

    kernel: Kernel
    absolute: bool

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set and DJ of each candidate, dual variables held."""
        fitted = self._fitted(subset)
        changes = np.empty(len(candidates))
        member = np.isin(candidates, subset)
        for chosen, removal in ((member, True), (~member, False)):
            change = fitted.kernel.changes(fitted.products, candidates[chosen], removal=removal)
            changes[chosen] = -0.5 * change if removal else 0.5 * change
        return fitted.score, np.abs(changes) if self.absolute else changes

    def _fit(self, subset: IndexArray) -> _Fitted:
        kernel = self.kernel.on_subset(self.columns, subset)
        duals = np.array([self._duals(kernel.gram, output) for output in self.outputs.T])
        products = duals.T @ duals
        # The dual optimum is the primal one: gains of the dual variables minus a'Ka / 2.
        score = 0.5 * float(np.vdot(products, kernel.gram))
        score -= float(np.vdot(duals, self.outputs.T)) - (self.tube or 0.0) * float(
            np.abs(duals).sum()
        )
        return _Fitted(kernel, products, score)

    def _duals(self, gram: FloatArray, output: FloatArray) -> FloatArray:
        """Dual variables of one machine, with the signs of its output."""
        if self.tube is None:
            machine = SVC(kernel="precomputed", C=self.C).fit(gram, output)
        else:
            machine = SVR(kernel="precomputed", C=self.C, epsilon=self.tube).fit(gram, output)
        duals = np.zeros(len(gram))
        duals[machine.support_] = machine.dual_coef_[0]
        return duals


KernelSVM.bound_type = BoundKernelSVM


@dataclass(eq=False, repr=False)
class LinearSVM(Measure):
    """Worth of features to a linear support vector machine.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the size of the weights, for standardised features.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using
    support vector machines", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.measures import LinearSVM
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> bound = LinearSVM().bind(X, X[:, 1] > 0)
    >>> int(np.argmax(bound.elimination_scores([0, 1, 2], [0, 1, 2])))
    1
    """

    C: float = 1.0
    _: KW_ONLY
    target_kind: str = "auto"

    allowed = rules(C=number(above=0))

    def bind(self, X: ArrayLike, y: Any) -> "BoundLinearSVM":
        """Bind the measure to data."""
        check_parameters(self)
        columns = encode_columns(np.asarray(X, dtype=np.float64)).matrix
        outputs, tube = machine_outputs(y, self.target_kind)
        check_lengths(len(columns), len(outputs))
        return BoundLinearSVM(columns, outputs, tube, float(self.C))


@dataclass(frozen=True, eq=False)
class _Machines:
    """Fitted machines, one an output: weights of features, values, and minus the sum of the J."""

    weights: FloatArray
    fitted: FloatArray
    score: float


@dataclass(frozen=True, eq=False)
class BoundLinearSVM(_BoundMachine):
    """The machine bound to data: standardised features; signs of classes, or standardised numbers.

    The score of a set is minus the J reached with it.
    """

    def feature_scores(self, features: ArrayLike) -> FloatArray:
        """Worth of each feature to a machine that has none yet."""
        return self.contributions(np.array([], dtype=np.intp), features)

    def scored_contributions(
        self, subset: IndexArray, candidates: IndexArray
    ) -> tuple[float, FloatArray]:
        """Score of the set and w_j^2 / 2 of each candidate, dual variables held."""
        machines = self._fitted(subset)
        return machines.score, 0.5 * (machines.weights[:, candidates] ** 2).sum(axis=0)

    @one_blas_thread()
    def _fit(self, subset: IndexArray) -> _Machines:
        rows = np.column_stack([_coordinates(self.columns[:, subset]), np.ones(len(self.columns))])
        # The last set will mostly have been a similar one.
        start = self.last[0][1].fitted if self.last else None
        weights, fitted, score = [], [], 0.0
        for position, output in enumerate(self.outputs.T):
            guess = None if start is None else start[position]
            own = fit_machine(rows, output, self.C, tube=self.tube, start=guess)
            fitted.append(rows @ own)
            lost = losses(fitted[-1], output, self.tube)
            # The dual variables of the optimum are 2 C times the losses.
            weights.append(2.0 * self.C * (lost @ self.columns))
            score -= 0.5 * float(own @ own) + self.C * float(lost @ lost)
        return _Machines(np.array(weights), np.array(fitted), score)


LinearSVM.bound_type = BoundLinearSVM


def _coordinates(columns: FloatArray) -> FloatArray:
    """Columns, or as many principal coordinates as there are samples where these are fewer."""
    if columns.shape[1] <= len(columns):
        return columns
    variances, directions = linalg.eigh(columns @ columns.T)
    kept = variances > NEGLIGIBLE * variances[-1]
    return np.asarray(directions[:, kept] * np.sqrt(variances[kept]))


def machine_outputs(y: Any, target_kind: str) -> tuple[FloatArray, float | None]:
    """Give what machines are fitted to, one a column, and the tube.

    Shape of the result: (n_samples, n_machines).
    """
    if target_kind_of(y, target_kind) == "classes":
        return sign_coding(y), None
    return number_columns(y), TUBE


def losses(fitted: FloatArray, target: FloatArray, tube: float | None) -> FloatArray:
    """Loss of each sample with the sign of what would make it smaller."""
    errors = target - fitted
    if tube is None:
        return np.where(target * errors > 0, errors, 0.0)
    return np.asarray(np.sign(errors) * np.maximum(np.abs(errors) - tube, 0.0))


def fit_machine(
    rows: FloatArray,
    target: FloatArray,
    C: float,
    *,
    tube: float | None = None,
    start: FloatArray | None = None,
) -> FloatArray:
    """Fit a machine to signs, or to numbers if there is a tube, and give its weights.

    A column of ones in `rows` makes an offset. `start` holds values of a similar machine, from
    which to guess the samples with a loss.

    Examples
    --------
    >>> import numpy as np
    >>> fit_machine(np.array([[1.0], [-2.0]]), np.array([1.0, -1.0]), 0.5)
    array([0.5])
    """

    def objective(weights: FloatArray, fitted: FloatArray) -> float:
        lost = losses(fitted, target, tube)
        return 0.5 * float(weights @ weights) + C * float(lost @ lost)

    weights = np.zeros(rows.shape[1])
    fitted = np.zeros(len(rows))
    signs = np.sign(losses(fitted if start is None else start, target, tube))
    value = np.inf
    for _ in range(MOST_STEPS):
        wanted = _ridge(rows, target - signs * (tube or 0.0), signs != 0, C)
        reached = rows @ wanted
        step = 1.0
        # A full step may overshoot into another set; the objective is convex along it.
        for _ in range(MOST_HALVINGS):
            new_weights = weights + step * (wanted - weights)
            new_fitted = fitted + step * (reached - fitted)
            new_value = objective(new_weights, new_fitted)
            if new_value <= value:
                break
            step /= 2
        new_signs = np.sign(losses(new_fitted, target, tube))
        settled = step == 1.0 and np.array_equal(new_signs, signs)
        stuck = new_value >= value and not settled
        weights, fitted, signs, value = new_weights, new_fitted, new_signs, new_value
        if settled or stuck:
            break
    return weights


def _ridge(
    rows: FloatArray, target: FloatArray, members: NDArray[np.bool_], C: float
) -> FloatArray:
    """Ridge regression on some samples, in the smaller of both forms."""
    rows, target = rows[members], target[members]
    if len(rows) <= rows.shape[1]:
        gram = rows @ rows.T
        gram.flat[:: len(gram) + 1] += 0.5 / C
        return np.asarray(rows.T @ linalg.solve(gram, target, assume_a="pos"))
    gram = rows.T @ rows
    gram.flat[:: len(gram) + 1] += 0.5 / C
    return np.asarray(linalg.solve(gram, rows.T @ target, assume_a="pos"))
