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
nu changes no more than the bounds of u (12 steps a round for 135 samples and 200 features).

Weak learners are families over single features, priced without ever being written out. A family
answers two questions: which learners have the largest edge for given signed weights of the samples,
at most one for each feature, and what a learner says of each sample. Every learner also comes with
its opposite, so the size of the edge counts and its sign says which of the two is meant.

Cost: O(n d) a round and these steps, in a linear program of n variables and as many rows as
learners met. Where data have no classifier for a small nu, the second program is solved once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.largest_edge import equal_weights
from hsieve.classifiers.linear_program import SOLVER_TOLERANCE, LinearProgram, Solution

# Columns whose order statistics are looked at together: 8 MB for 1,000 samples.
BLOCK = 1024
# Learners that join in one round.
BATCH = 30
MOST_ROUNDS = 1000
# Edges above beta by less than this count as equal to it.
EDGE_TOLERANCE = 1e-8
# An edge that large at most is none: nothing can be learned with this nu.
NO_EDGE = 1e-7
# How far above the least nu possible it is raised.
NU_ABOVE_LEAST = 1.01
# Digits to which answers and edges are compared.
DIGITS = 10


class WeakLearners(ABC):
    """A family of learners, each over one feature."""

    @abstractmethod
    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature's best learner, with its sign, and the place of its cut."""

    @abstractmethod
    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give what a learner says of each sample."""


@dataclass(frozen=True, eq=False)
class SingleFeatures(WeakLearners):
    """Features as they are."""

    columns: FloatArray  # (n_samples, n_features): standardised features

    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature; there are no cuts."""
        return self.columns.T @ signed_weights, np.zeros(self.columns.shape[1], dtype=np.intp)

    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give the feature."""
        return np.asarray(self.columns[:, feature])


class Stumps(WeakLearners):
    """Decision stumps: +1 from a threshold on, -1 below, at every gap between values of a feature.

    The cut k of a feature lies between its k-th and its (k + 1)-th smallest value.
    """

    def __init__(self, columns: FloatArray) -> None:
        self._columns = columns
        self._order = np.argsort(columns, axis=0, kind="stable")

    def best_edges(self, signed_weights: FloatArray) -> tuple[FloatArray, IndexArray]:
        """Give the edge of each feature's best cut: what lies above minus what lies below."""
        n_features = self._columns.shape[1]
        edges, cuts = np.zeros(n_features), np.zeros(n_features, dtype=np.intp)
        for start in range(0, n_features, BLOCK):
            order = self._order[:, start : start + BLOCK]
            values = np.take_along_axis(self._columns[:, start : start + BLOCK], order, axis=0)
            below = np.cumsum(signed_weights[order], axis=0)
            edge = (below[-1] - 2 * below)[:-1]
            edge[values[1:] == values[:-1]] = 0.0
            best = np.argmax(np.abs(edge), axis=0)
            edges[start : start + BLOCK] = edge[best, np.arange(edge.shape[1])]
            cuts[start : start + BLOCK] = best
        return edges, cuts

    def answers(self, feature: int, cut: int) -> FloatArray:
        """Give +1 above the cut and -1 below."""
        said = np.ones(len(self._columns))
        said[self._order[: cut + 1, feature]] = -1.0
        return said

    def threshold(self, feature: int, cut: int) -> float:
        """Give the value from which on the stump says +1: midway between two values."""
        low, high = self._columns[self._order[cut : cut + 2, feature], feature].tolist()
        middle = low + (high - low) / 2
        # Two neighbouring floats have nothing between them.
        return float(middle if low < middle <= high else high)


@dataclass(frozen=True, eq=False)
class LPBoostFit:
    """An optimal classifier."""

    features: IndexArray  # (n_learners,): the learners that have a weight
    cuts: IndexArray
    # (n_learners,): their weights, whose sizes sum to one; none if nothing can be learned.
    weights: FloatArray
    intercept: float  # b
    margin: float  # rho
    sample_weights: FloatArray  # (n_samples,): u
    objective: float  # rho - D sum xi = beta
    # Largest edge of any learner less the objective: a bound on what is missing to the optimum.
    gap: float
    nu: float  # the nu used, above that given where the data overlap too much for it
    n_rounds: int  # linear programs solved


def lpboost(learners: WeakLearners, labels: FloatArray, nu: float) -> LPBoostFit:
    """Fit the classifier, for a fraction nu of samples that may lie within the margin."""
    return next(lpboost_path(learners, labels, [nu]))


def lpboost_path(
    learners: WeakLearners, labels: FloatArray, nus: Iterable[float]
) -> Iterator[LPBoostFit]:
    """Fit for one nu after the other, from large to small best, each begun where the last ended."""
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
        self.program = LinearProgram(
            np.r_[np.zeros(n_samples), 1.0], np.full(n_samples + 1, np.inf)
        )
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
        program = LinearProgram(-np.ones(n_samples), np.ones(n_samples))
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

    def _solve(self, program: LinearProgram) -> Solution:
        """Solve a linear program, unless there were too many."""
        self.n_rounds += 1
        if self.n_rounds > MOST_ROUNDS:
            msg = f"LPBoost was not solved by {MOST_ROUNDS} linear programs."
            raise RuntimeError(msg)
        return program.solve()


def _nothing_learned(fit: LPBoostFit, labels: FloatArray) -> LPBoostFit:
    """Give the larger class as the answer to everything."""
    none = np.zeros(0, dtype=np.intp)
    intercept = float(labels.mean())
    return replace(
        fit,
        features=none,
        cuts=none,
        weights=np.zeros(0),
        intercept=intercept,
        margin=0.0,
        objective=0.0,
    )
