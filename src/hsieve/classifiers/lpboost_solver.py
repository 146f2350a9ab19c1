"""LPBoost: the classifier of largest soft margin with an l1 norm of one, by column generation.

Thesis of Athanasakis (eq. 3.3, 3.4), after Demiriz, Bennett and Shawe-Taylor (2002):

    maximise  rho - D sum_i xi_i
    so that   y_i (sum_j w_j h_j(x_i) + b) >= rho - xi_i,   xi_i >= 0,   sum_j |w_j| = 1

======  ==========================================================================================
symbol  meaning
======  ==========================================================================================
h_j     weak learners; each may be used with either sign
D       price of a violation, 1 / (nu m), where m is twice the size of the smaller class
u_i     dual weights of the samples: 0 <= u_i <= D, sum u = 1, sum u_i y_i = 0
beta    largest edge |sum_i u_i y_i h_j(x_i)|, which is minimised over u
======  ==========================================================================================

At most nu m samples lie within the margin. m is n for classes of one size; with n in its place, an
intercept and unequal classes, some nu below 1 would have no solution. With data that overlap, too
small a nu has none either but w = 0 (beta = 0): the smallest that has one is H / m, where H is the
least sum of hinge losses any of these classifiers reaches, and is found by a second program.

The dual is solved by HiGHS for a few learners; the learners outside whose edge is above beta join,
until there are none. Then u is feasible for all learners, which proves w optimal: the distance is
the `gap`. Learners that say the same of all samples are taken once, the first by position.

One program lives for a whole path over nu. A learner that joins is one more row of it, and another
nu changes no more than the bounds of u; neither spoils the last basis for the dual simplex method,
which goes on from there with a few steps (12 a round for 135 samples and 200 features).

Cost: O(n d) a round and these steps, in a linear program of n variables and as many rows as
learners met. Where data have no classifier for a small nu, the second program is solved once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import highspy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.classifiers.largest_edge import equal_weights
from hsieve.classifiers.weak_learners import WeakLearners

__all__ = ["LPBoostFit", "lpboost", "lpboost_path"]

FloatArray = NDArray[np.floating]

# Learners that join in one round.
BATCH = 30
MOST_ROUNDS = 1000
# Edges above beta by less than this count as equal to it.
EDGE_TOLERANCE = 1e-8
# Weights of that size at most are zero, too.
SOLVER_TOLERANCE = 1e-9
# An edge that large at most is none: nothing can be learned with this nu.
NO_EDGE = 1e-7
# How far above the least nu possible it is raised.
NU_ABOVE_LEAST = 1.01
# Digits to which answers and edges are compared.
DIGITS = 10
# Steps of the simplex method after which it is thought to run in circles, as among columns that
# are nearly equal: so many a row, and so many for a start.
STEPS_A_ROW = 20
STEPS_AT_LEAST = 1000


@dataclass(frozen=True, eq=False)
class LPBoostFit:
    """An optimal classifier.

    Parameters
    ----------
    features, cuts : ndarray of shape (n_learners,)
        The learners that have a weight.
    weights : ndarray of shape (n_learners,)
        Their weights, whose sizes sum to one; none if nothing can be learned.
    intercept : float
        b.
    margin : float
        rho.
    sample_weights : ndarray of shape (n_samples,)
        u.
    objective : float
        rho - D sum xi = beta.
    gap : float
        Largest edge of any learner less the objective: a bound on what is missing to the optimum.
    nu : float
        The nu used, above that given where the data overlap too much for it.
    n_rounds : int
        Linear programs solved.
    """

    features: NDArray[np.intp]
    cuts: NDArray[np.intp]
    weights: FloatArray
    intercept: float
    margin: float
    sample_weights: FloatArray
    objective: float
    gap: float
    nu: float
    n_rounds: int


def lpboost(learners: WeakLearners, labels: FloatArray, nu: float) -> LPBoostFit:
    """Fit the classifier.

    Parameters
    ----------
    learners : WeakLearners
        The family to combine.
    labels : ndarray of shape (n_samples,)
        +1 and -1, both present.
    nu : float
        Share of samples that may lie within the margin, above 0 and at most 1.

    Returns
    -------
    LPBoostFit
        With a gap of about 1e-8 or less.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.classifiers.weak_learners import SingleFeatures
    >>> X = np.array([[-2.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, -1.0]])
    >>> fit = lpboost(SingleFeatures(X), np.array([-1.0, -1.0, 1.0, 1.0]), 0.5)
    >>> fit.features, round(fit.margin, 6)
    (array([0]), 1.0)
    """
    return next(lpboost_path(learners, labels, [nu]))


def lpboost_path(
    learners: WeakLearners, labels: FloatArray, nus: Iterable[float]
) -> Iterator[LPBoostFit]:
    """Fit the classifier for one nu after the other, each begun with the learners met before.

    Parameters
    ----------
    learners, labels
        As in :func:`lpboost`.
    nus : iterable of float
        Values of nu; from large to small is quickest.

    Yields
    ------
    LPBoostFit
        The optimum for each.
    """
    n_above = int(np.sum(labels > 0))
    twice_smaller = 2 * min(n_above, len(labels) - n_above)
    master = _Master(learners, labels)
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


@dataclass(eq=False)
class _Master:
    """The learners met so far, and linear programs over them."""

    learners: WeakLearners
    labels: FloatArray
    features: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    signs: list[float] = field(default_factory=list)
    rows: list[FloatArray] = field(default_factory=list)
    met: set[bytes] = field(default_factory=set)
    n_rounds: int = 0
    # Kept, as it does not depend on nu.
    least_loss: float | None = None

    def __post_init__(self) -> None:
        """Begin with the learners that are best for classes of equal weight."""
        n_samples = len(self.labels)
        self.program = _Program(np.r_[np.zeros(n_samples), 1.0], np.full(n_samples + 1, np.inf))
        sums = np.zeros((2, n_samples + 1))
        sums[0, :-1], sums[1, :-1] = 1.0, self.labels
        self.program.add(sums, lower=[1.0, 0.0], upper=[1.0, 0.0])
        self.largest_edge(equal_weights(self.labels), 0.0)

    def largest_margin(self, nu: float, twice_smaller: int) -> LPBoostFit:
        """Minimise the largest edge over weights of the samples."""
        program = self.program
        program.bound(np.full(len(self.labels), 1 / (nu * twice_smaller)))
        while True:
            rows = self._rows_from(program.n_rows - 2)
            below = np.zeros(len(rows))
            program.add(np.hstack([rows, below[:, None] - 1]), lower=below - np.inf, upper=below)
            solved = self._solve(program)
            sample_weights, edge = solved.values[:-1], solved.objective
            largest, n_joined = self.largest_edge(sample_weights, edge)
            if n_joined == 0:
                break
        weights = -solved.duals[2:] * np.array(self.signs)
        used = np.flatnonzero(np.abs(weights) > SOLVER_TOLERANCE)
        return LPBoostFit(
            features=np.array(self.features, dtype=np.intp)[used],
            cuts=np.array(self.cuts, dtype=np.intp)[used],
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
        program = _Program(-np.ones(n_samples), np.ones(n_samples))
        program.add(self.labels[None], lower=[0.0], upper=[0.0])
        while True:
            rows = self._rows_from(program.n_rows - 1)
            program.add(rows, lower=np.zeros(len(rows)), upper=np.zeros(len(rows)))
            solved = self._solve(program)
            _, n_joined = self.largest_edge(solved.values, NO_EDGE * n_samples)
            if n_joined == 0:
                self.least_loss = -solved.objective
                return self.least_loss

    def largest_edge(self, sample_weights: FloatArray, edge: float) -> tuple[float, int]:
        """Let learners with an edge above the one given join; tell the largest, and how many."""
        edges, cuts = self.learners.best_edges(sample_weights * self.labels)
        sizes = np.abs(edges)
        largest = float(sizes.max())
        n_joined = 0
        # Rounded, so that copies come in the order of their positions.
        for feature in np.argsort(-np.round(sizes, DIGITS), kind="stable").tolist():
            if n_joined == BATCH or sizes[feature] <= edge + EDGE_TOLERANCE:
                break
            n_joined += self._join(feature, int(cuts[feature]), float(np.sign(edges[feature])))
        return largest, n_joined

    def _join(self, feature: int, cut: int, sign: float) -> bool:
        """Take a learner in, unless one that says the same is there already."""
        said = sign * self.learners.answers(feature, cut)
        # Adding zero turns -0.0 into 0.0, which has other bytes.
        key = (np.round(said, DIGITS) + 0.0).tobytes()
        if key in self.met:
            return False
        self.met.add(key)
        self.features.append(feature)
        self.cuts.append(cut)
        self.signs.append(sign)
        self.rows.append(said * self.labels)
        return True

    def _rows_from(self, start: int) -> FloatArray:
        """Give what the learners from one on say, times the labels."""
        return np.array(self.rows[start:]).reshape(-1, len(self.labels))

    def _solve(self, program: "_Program") -> "_Solved":
        """Solve a linear program, unless there were too many."""
        self.n_rounds += 1
        if self.n_rounds > MOST_ROUNDS:
            msg = f"LPBoost was not solved by {MOST_ROUNDS} linear programs."
            raise RuntimeError(msg)
        return program.solve()


@dataclass(frozen=True, eq=False)
class _Solved:
    """Values of the variables, how the optimum follows the bounds of the rows, and the optimum."""

    values: FloatArray
    duals: FloatArray
    objective: float


class _Program:
    """A linear program that HiGHS keeps: variables of at least zero, whose cost is minimised.

    Parameters
    ----------
    cost, upper : ndarray of shape (n_variables,)
        Cost and upper bound of each variable.
    """

    def __init__(self, cost: FloatArray, upper: FloatArray) -> None:
        self._highs = highspy.Highs()
        self.n_rows = 0
        # The simplex method's answers are vertices, and it needs no second thread for them.
        for option, value in {
            "output_flag": False,
            "solver": "simplex",
            "presolve": "off",
            "parallel": "off",
            "threads": 1,
            "primal_feasibility_tolerance": SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": SOLVER_TOLERANCE,
        }.items():
            self._highs.setOptionValue(option, value)
        self._places = np.arange(len(cost), dtype=np.int32)
        self._highs.addVars(len(cost), np.zeros(len(cost)), upper)
        self._highs.changeColsCost(len(cost), self._places, cost)

    def add(self, rows: FloatArray, *, lower: ArrayLike, upper: ArrayLike) -> None:
        """Add rows between bounds."""
        n_rows, width = rows.shape
        if n_rows == 0:
            return
        starts = np.arange(0, rows.size, width, dtype=np.int32)
        places = np.tile(self._places, n_rows)
        self._highs.addRows(
            n_rows, np.asarray(lower), np.asarray(upper), rows.size, starts, places, rows.ravel()
        )
        self.n_rows += n_rows

    def bound(self, upper: FloatArray) -> None:
        """Change the upper bounds of the first variables."""
        places = self._places[: len(upper)]
        self._highs.changeColsBounds(len(upper), places, np.zeros(len(upper)), upper)

    def solve(self) -> _Solved:
        """Go on from the last basis; from none, or by interior points, if that leads nowhere."""
        if not (self._is_solved() or self._is_solved_anew() or self._is_solved_inside()):
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            msg = f"The linear program of LPBoost was not solved: {status}"
            raise RuntimeError(msg)
        solution = self._highs.getSolution()
        return _Solved(
            values=np.array(solution.col_value),
            duals=np.array(solution.row_dual),
            objective=float(self._highs.getObjectiveValue()),
        )

    def _is_solved(self) -> bool:
        """Run the method chosen, not for ever; whether it found the optimum."""
        most_steps = STEPS_A_ROW * self.n_rows + STEPS_AT_LEAST
        self._highs.setOptionValue("simplex_iteration_limit", most_steps)
        ran = self._highs.run()
        optimal = self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return bool(ran == highspy.HighsStatus.kOk and optimal)

    def _is_solved_anew(self) -> bool:
        """Forget the last basis."""
        self._highs.clearSolver()
        # All programs of a process must agree in this, and another package may have come first.
        self._highs.setOptionValue("threads", 0)
        return self._is_solved()

    def _is_solved_inside(self) -> bool:
        """Go through the interior, and from there to a vertex, which the simplex method needs."""
        self._highs.clearSolver()
        self._highs.setOptionValue("solver", "ipm")
        try:
            return self._is_solved()
        finally:
            self._highs.setOptionValue("solver", "simplex")


def _nothing_learned(fit: LPBoostFit, labels: FloatArray) -> LPBoostFit:
    """Give the larger class as the answer to everything."""
    none = np.zeros(0, dtype=np.intp)
    return LPBoostFit(
        features=none,
        cuts=none,
        weights=np.zeros(0),
        intercept=float(labels.mean()),
        margin=0.0,
        sample_weights=fit.sample_weights,
        objective=0.0,
        gap=fit.gap,
        nu=fit.nu,
        n_rounds=fit.n_rounds,
    )
