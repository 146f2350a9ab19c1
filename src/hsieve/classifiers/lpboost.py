"""LPBoost: the classifier of largest soft margin over single features, by column generation.

Thesis of Athanasakis (eq. 3.3, 3.4), after Demiriz, Bennett and Shawe-Taylor (2002):

    maximise  rho - D sum_i xi_i
    so that   y_i (sum_j w_j x_ij + b) >= rho - xi_i,   xi_i >= 0,   sum_j |w_j| = 1

======  ==========================================================================================
symbol  meaning
======  ==========================================================================================
x_j     standardised features; each may be used with either sign
D       price of a violation, 1 / (nu m), where m is twice the size of the smaller class
u_i     dual weights of the samples: 0 <= u_i <= D, sum u = 1, sum u_i y_i = 0
beta    largest edge |sum_i u_i y_i x_ij|, which is minimised over u
======  ==========================================================================================

At most nu m samples lie within the margin. m is n for classes of one size; with n in its place, an
intercept and unequal classes, some nu below 1 would have no solution. With data that overlap, too
small a nu has none either but w = 0 (beta = 0): the smallest that has one is H / m, where H is the
least sum of hinge losses any of these classifiers reaches, and is found by a second program.

The dual is solved by HiGHS for a few features; the features outside whose edge is above beta join,
until there are none. Then u is feasible for all features, which proves w optimal: the distance is
the `gap`. Equal columns are taken once, the first by position.

One program lives for a whole path over nu. A feature that joins is one more row of it, and another
nu changes no more than the bounds of u (12 steps a round for 135 samples and 200 features).

Cost: O(n d) a round and these steps, in a linear program of n variables and as many rows as
features met. Where data have no classifier for a small nu, the second program is solved once.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import BaseClassifier, equal_weights
from hsieve.classifiers.linear_program import SOLVER_TOLERANCE, LinearProgram, Solution
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.labels import sign_coding
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import Rule, number

# Features that join in one round.
BATCH = 30
MOST_ROUNDS = 1000
# Edges above beta by less than this count as equal to it.
EDGE_TOLERANCE = 1e-8
# An edge that large at most is none: nothing can be learned with this nu.
NO_EDGE = 1e-7
# How far above the least nu possible it is raised.
NU_ABOVE_LEAST = 1.01
# Digits to which columns and edges are compared.
DIGITS = 10


@dataclass(eq=False, repr=False)
class LPBoost(BaseClassifier):
    """Classifier of largest soft margin over single features, with weights of l1 norm one.

    Parameters
    ----------
    nu : float, default=0.5
        Fraction of samples that may lie within the margin, above 0 and at most 1; a fraction of
        twice the smaller class, which is all samples if both classes are of one size. Few features
        have a weight for a large nu, more for a smaller one. The price of a violation, D in the
        paper, is 1 / (nu * m), where m is twice the size of the smaller class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Size of each feature's weight, summing to one; the mean over classes if there are several.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients of the features as given, not standardised. Infinite for values so small that
        theirs is no number; decisions do not need it.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts that belong to them.
    fits_ : list of LPBoostFit
        Margin, weights of the samples, optimum and proof of it, for each classifier.
    nu_ : ndarray of shape (1,) or (n_classes,)
        The nu used: data that overlap have no classifier for too small a nu, and the smallest
        that has one, and one percent, is taken instead.

    Notes
    -----
    With two classes there is one classifier, with several each class has one against the rest, and
    the largest decision wins. A feature that repeats another has no weight: the first by position
    does. If nothing can be learned, as with constant features, the larger class is predicted.

    References
    ----------
    A. Demiriz, K. Bennett, J. Shawe-Taylor, "Linear programming boosting via column generation",
    2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import LPBoost
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> model = LPBoost(nu=0.3).fit(X, X[:, 3] > X[:, 7])
    >>> np.argsort(-model.feature_importances_)[:2]
    array([3, 7])
    """

    _: KW_ONLY
    nu: float = 0.5

    # For stability selection: what is varied, see `selections_along`.
    path_parameter: ClassVar[str] = "nu"
    _precisions: ClassVar[tuple[type[np.floating], ...]] = (np.float64,)

    allowed: ClassVar[Mapping[str, Rule]] = {"nu": number(above=0, most=1)}

    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Fit one classifier for two classes, else one for each against the rest."""
        self._scale = scale = ColumnScale.of(data)
        columns = scale.apply(data)
        with one_blas_thread():
            self.fits_: list[LPBoostFit] = [
                lpboost(columns, labels, float(self.nu)) for labels in sign_coding(codes).T
            ]
        self._weights = np.zeros((len(self.fits_), data.shape[1]))
        for row, fit in zip(self._weights, self.fits_, strict=True):
            row[fit.features] = fit.weights
        self._scaled_intercept: FloatArray = np.array([fit.intercept for fit in self.fits_])
        scaled_coef = self._weights / scale.deviation
        self.intercept_ = self._scaled_intercept - scaled_coef @ scale.mean
        # Of values near the end of the range a coefficient may lie beyond it; no decision needs it.
        with np.errstate(over="ignore"):
            self.coef_ = scaled_coef / scale.divisor
        self.feature_importances_ = np.abs(self._weights).mean(axis=0)
        self.nu_ = np.array([fit.nu for fit in self.fits_])

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Sum up the features by their weights."""
        return self._scale.apply(data) @ self._weights.T + self._scaled_intercept

    def selections_along(
        self, X: FloatArray, y: NDArray[Any], values: NDArray[Any]
    ) -> Iterator[IndexArray]:
        """Features used at each value of nu, in turn; one counts if any class uses it."""
        columns = ColumnScale.of(X).apply(X)
        paths = [lpboost_path(columns, labels, values) for labels in sign_coding(y).T]
        for fits in zip(*paths, strict=True):
            yield np.unique(np.concatenate([fit.features for fit in fits]))


@dataclass(frozen=True, eq=False)
class LPBoostFit:
    """An optimal classifier."""

    features: IndexArray  # (n_used,): the features that have a weight
    weights: FloatArray  # (n_used,): their weights, of norm one; none if nothing can be learned
    intercept: float  # b
    margin: float  # rho
    sample_weights: FloatArray  # (n_samples,): u
    objective: float  # rho - D sum xi = beta
    # Largest edge of any feature less the objective: a bound on what is missing to the optimum.
    gap: float
    nu: float  # the nu used, above that given where the data overlap too much for it
    n_rounds: int  # linear programs solved


def lpboost(columns: FloatArray, labels: FloatArray, nu: float) -> LPBoostFit:
    """Fit the classifier, for a fraction nu of samples that may lie within the margin."""
    return next(lpboost_path(columns, labels, [nu]))


def lpboost_path(
    columns: FloatArray, labels: FloatArray, nus: Iterable[float]
) -> Iterator[LPBoostFit]:
    """Fit for each nu in turn, each begun where the last ended; quickest from large to small."""
    n_above = int(np.sum(labels > 0))
    twice_smaller = 2 * min(n_above, len(labels) - n_above)
    master = _Master(columns, labels)
    for nu in nus:
        master.n_rounds = 0
        yield _fit(master, nu, twice_smaller)


def _fit(master: "_Master", nu: float, twice_smaller: int) -> LPBoostFit:
    """Fit for one nu, or for the least above it for which there is a classifier."""
    if master.least_loss is None or nu * twice_smaller > master.least_loss:
        fit = master.largest_margin(nu, twice_smaller)
        if fit.objective > NO_EDGE:
            return fit
    least_nu = master.least_hinge_loss() / twice_smaller
    if least_nu >= 1 / NU_ABOVE_LEAST:
        return _nothing_learned(master.largest_margin(nu, twice_smaller), master.labels)
    fit = master.largest_margin(max(nu, NU_ABOVE_LEAST * least_nu), twice_smaller)
    return fit if fit.objective > 0 else _nothing_learned(fit, master.labels)


class _Master:
    """The features met so far, and linear programs over them."""

    def __init__(self, columns: FloatArray, labels: FloatArray) -> None:
        """Begin with the features that are best for classes of equal weight."""
        self.columns, self.labels = columns, labels
        self.features: list[int] = []
        self.signs: list[float] = []
        self.n_rounds = 0
        # Kept, as it does not depend on nu.
        self.least_loss: float | None = None
        self._met: set[bytes] = set()
        n_samples = len(labels)
        self._program = LinearProgram(
            np.r_[np.zeros(n_samples), 1.0], np.full(n_samples + 1, np.inf)
        )
        sums = np.zeros((2, n_samples + 1))
        sums[0, :-1], sums[1, :-1] = 1.0, labels
        self._program.add(sums, lower=[1.0, 0.0], upper=[1.0, 0.0])
        self._largest_edge(equal_weights(labels), 0.0)

    def largest_margin(self, nu: float, twice_smaller: int) -> LPBoostFit:
        """Minimise the largest edge over weights of the samples."""
        program = self._program
        program.bound(np.full(len(self.labels), 1 / (nu * twice_smaller)))
        while True:
            rows = self._rows_from(program.n_rows - 2)
            below = np.zeros(len(rows))
            program.add(np.hstack([rows, below[:, None] - 1]), lower=below - np.inf, upper=below)
            solved = self._solve(program)
            sample_weights, edge = solved.values[:-1], solved.objective
            largest, n_joined = self._largest_edge(sample_weights, edge)
            if n_joined == 0:
                break
        weights = -solved.duals[2:] * np.array(self.signs)
        used = np.flatnonzero(np.abs(weights) > SOLVER_TOLERANCE)
        return LPBoostFit(
            features=np.array(self.features, dtype=np.intp)[used],
            weights=weights[used],
            intercept=-float(solved.duals[1]),
            margin=float(solved.duals[0]),
            sample_weights=sample_weights,
            objective=edge,
            gap=max(0.0, largest - edge),
            nu=nu,
            n_rounds=self.n_rounds,
        )

    def least_hinge_loss(self) -> float:
        """Give the least sum of max(0, 1 - y f(x)) over all f, whatever the norm of w."""
        if self.least_loss is not None:
            return self.least_loss
        n_samples = len(self.labels)
        program = LinearProgram(-np.ones(n_samples), np.ones(n_samples))
        program.add(self.labels[None], lower=[0.0], upper=[0.0])
        while True:
            rows = self._rows_from(program.n_rows - 1)
            program.add(rows, lower=np.zeros(len(rows)), upper=np.zeros(len(rows)))
            solved = self._solve(program)
            _, n_joined = self._largest_edge(solved.values, NO_EDGE * n_samples)
            if n_joined == 0:
                self.least_loss = -solved.objective
                return self.least_loss

    def _largest_edge(self, sample_weights: FloatArray, edge: float) -> tuple[float, int]:
        """Let features with an edge above the one given join; tell the largest, and how many."""
        edges = self.columns.T @ (sample_weights * self.labels)
        sizes = np.abs(edges)
        n_joined = 0
        # Rounded, so that copies come in the order of their positions.
        for feature in np.argsort(-np.round(sizes, DIGITS), kind="stable").tolist():
            if n_joined == BATCH or sizes[feature] <= edge + EDGE_TOLERANCE:
                break
            n_joined += self._join(feature, float(np.sign(edges[feature])))
        return float(sizes.max()), n_joined

    def _join(self, feature: int, sign: float) -> bool:
        """Take a feature in, unless one that says the same is there already."""
        # Adding zero turns -0.0 into 0.0, which has other bytes.
        key = (np.round(sign * self.columns[:, feature], DIGITS) + 0.0).tobytes()
        if key in self._met:
            return False
        self._met.add(key)
        self.features.append(feature)
        self.signs.append(sign)
        return True

    def _rows_from(self, start: int) -> FloatArray:
        """Give the features met from one on, times their signs and the labels."""
        rows = self.columns[:, self.features[start:]].T * self.labels
        return np.asarray(rows * np.array(self.signs[start:])[:, None])

    def _solve(self, program: LinearProgram) -> Solution:
        """Solve a linear program, unless there were too many."""
        self.n_rounds += 1
        if self.n_rounds > MOST_ROUNDS:
            msg = f"LPBoost was not solved by {MOST_ROUNDS} linear programs."
            raise RuntimeError(msg)
        return program.solve()


def _nothing_learned(fit: LPBoostFit, labels: FloatArray) -> LPBoostFit:
    """Give the larger class as the answer to everything."""
    intercept = float(labels.mean())
    return replace(
        fit,
        features=np.zeros(0, dtype=np.intp),
        weights=np.zeros(0),
        intercept=intercept,
        margin=0.0,
        objective=0.0,
    )
