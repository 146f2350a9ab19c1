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

Cost: O(n d) a round and a linear program of n variables and as many rows as learners met.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from hsieve.solvers.weak_learners import WeakLearners

__all__ = ["LPBoostFit", "lpboost", "lpboost_path"]

FloatArray = NDArray[np.floating]

# Learners that join in one round.
BATCH = 30
MOST_ROUNDS = 1000
# Edges above beta by less than this count as equal to it.
EDGE_TOLERANCE = 1e-8
SOLVER_TOLERANCE = 1e-9
# An edge that large at most is none: nothing can be learned with this nu.
NO_EDGE = 1e-7
# How far above the least nu possible it is raised.
NU_ABOVE_LEAST = 1.01
# Digits to which answers and edges are compared.
DIGITS = 10


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
    >>> from hsieve.solvers.weak_learners import SingleFeatures
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
    twice_smaller = 2 * int(min(np.sum(labels > 0), np.sum(labels < 0)))
    master = _Master(learners, labels)
    for nu in nus:
        master.n_rounds = 0
        yield _fit(master, nu, twice_smaller)


def _fit(master: "_Master", nu: float, twice_smaller: int) -> LPBoostFit:
    """Fit for one nu, or for the least above it for which there is a classifier."""
    fit = master.largest_margin(nu, twice_smaller)
    if fit.objective > NO_EDGE:
        return fit
    least_nu = master.least_hinge_loss() / twice_smaller
    if least_nu < 1 / NU_ABOVE_LEAST:
        fit = master.largest_margin(max(nu, NU_ABOVE_LEAST * least_nu), twice_smaller)
        if fit.objective > 0:
            return fit
    return _nothing_learned(fit, master.labels)


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

    def __post_init__(self) -> None:
        """Begin with the learners that are best for classes of equal weight."""
        above = self.labels > 0
        equal = np.where(above, 0.5 / np.sum(above), 0.5 / np.sum(~above))
        self.largest_edge(equal, 0.0)

    def largest_margin(self, nu: float, twice_smaller: int) -> LPBoostFit:
        """Minimise the largest edge over weights of the samples."""
        n_samples, price = len(self.labels), 1 / (nu * twice_smaller)
        cost = np.r_[np.zeros(n_samples), 1.0]
        sums = np.zeros((2, n_samples + 1))
        sums[0, :-1], sums[1, :-1] = 1.0, self.labels
        bounds = [(0.0, price)] * n_samples + [(0.0, None)]
        while True:
            rows = np.array(self.rows).reshape(-1, n_samples)
            solved = self._solve(
                cost,
                A_ub=np.hstack([rows, -np.ones((len(rows), 1))]),
                b_ub=np.zeros(len(rows)),
                A_eq=sums,
                b_eq=[1.0, 0.0],
                bounds=bounds,
            )
            sample_weights, edge = solved.x[:-1], float(solved.fun)
            largest, n_joined = self.largest_edge(sample_weights, edge)
            if n_joined == 0:
                break
        weights = -solved.ineqlin.marginals * np.array(self.signs)
        used = np.flatnonzero(weights)
        return LPBoostFit(
            features=np.array(self.features, dtype=np.intp)[used],
            cuts=np.array(self.cuts, dtype=np.intp)[used],
            weights=weights[used],
            intercept=-float(solved.eqlin.marginals[1]),
            margin=float(solved.eqlin.marginals[0]),
            sample_weights=sample_weights,
            objective=edge,
            gap=max(0.0, largest - edge),
            nu=nu,
            n_rounds=self.n_rounds,
        )

    def least_hinge_loss(self) -> float:
        """Give the least sum of max(0, 1 - y f(x)) over all f, whatever the norm of w."""
        n_samples = len(self.labels)
        while True:
            rows = np.vstack([self.labels, *self.rows])
            solved = self._solve(
                -np.ones(n_samples), A_eq=rows, b_eq=np.zeros(len(rows)), bounds=(0.0, 1.0)
            )
            _, n_joined = self.largest_edge(solved.x, NO_EDGE * n_samples)
            if n_joined == 0:
                return -float(solved.fun)

    def largest_edge(self, sample_weights: FloatArray, edge: float) -> tuple[float, int]:
        """Let learners with an edge above the one given join; tell the largest, and how many."""
        edges, cuts = self.learners.best_edges(sample_weights * self.labels)
        sizes = np.abs(edges)
        largest = float(sizes.max(initial=0.0))
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

    def _solve(self, cost: FloatArray, **program: Any) -> Any:
        """Solve a linear program by HiGHS' simplex method, whose answers are vertices."""
        self.n_rounds += 1
        options = {
            "primal_feasibility_tolerance": SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": SOLVER_TOLERANCE,
        }
        solved = linprog(cost, method="highs-ds", options=options, **program)
        if solved.status != 0 or self.n_rounds > MOST_ROUNDS:
            msg = f"The linear program of LPBoost was not solved: {solved.message}"
            raise RuntimeError(msg)
        return solved


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
