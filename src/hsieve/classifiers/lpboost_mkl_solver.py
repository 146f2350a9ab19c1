"""LPBoost over the functions of several kernels: the largest soft margin with norms of sum one.

Thesis of Athanasakis (section 5.3), after Hussain, Fortuna and Shawe-Taylor. Weak learners are all
functions of norm at most one in the space of any of the kernels; a sum of such functions is

    maximise  rho - D sum_i xi_i
    so that   y_i (sum_k f_k(x_i) + b) >= rho - xi_i,   xi_i >= 0,   sum_k |f_k|_k <= 1

======  ==========================================================================================
symbol  meaning
======  ==========================================================================================
D       price of a violation, 1 / (nu m), where m is twice the size of the smaller class
u_i     dual weights of the samples: 0 <= u_i <= D, sum u = 1, sum u_i y_i = 0; a_i = u_i y_i
edge    sqrt(a' K_k a), that of the best learner of kernel k, h_k = K_k a / sqrt(a' K_k a); the
        largest over all kernels is minimised over u
======  ==========================================================================================

h_k is the thesis' learner, sum_i u_i y_i k(x_i, x), brought to norm one. The thesis adds one h_k
after the other, each for another u, which converges slowly: hundreds of linear programs for 1 %. At
the optimum the learners of one u suffice, and which u, and how much of each kernel, is one convex
program (:mod:`hsieve.classifiers.largest_edge`) over the kernels met so far. Kernels outside whose
edge is above the optimum join, and those without weight leave where there are too many, until there
are none: then u is allowed for all kernels, which proves the optimum to within the `gap`.

Gaussian kernels on distinct samples separate any classes, if need be by functions of huge norm.
From an edge of 1e-4 on, rounding shows; nu is raised until the edge is at least that (larger for a
larger nu), as in :mod:`hsieve.classifiers.lpboost` where classes overlap too much for a nu.

Cost: some 12 steps of n^3 / 3 multiplications for each set of kernels met, mostly one to three.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.classifiers.base import equal_weights
from hsieve.classifiers.largest_edge import EdgeBounds, lowest_edge
from hsieve.classifiers.lpboost import NU_ABOVE_LEAST

TOLERANCE = 1e-6
# The program over the kernels at hand is solved this much better.
INNER_SHARE = 0.5
# An edge that large at most is none: nothing can be learned with this nu.
NO_EDGE = 1e-4
# Tolerance with which to see whether there is an edge.
ROUGH = 0.5
# Kernels that make up the first program, and that join in one round.
MOST_AT_FIRST = 60
BATCH = 10
MOST_ROUNDS = 200
# Kernels with less weight may leave.
NO_WEIGHT = 1e-6
DEFAULT_MEMORY = 1 << 30


@dataclass(frozen=True, eq=False)
class LPBoostMKLFit:
    """An optimal classifier: sum_k shares_k K_k(x, .) @ coefficients + intercept."""

    # (n_kernels,): norm of each kernel's function; of sum one, or all zero if nothing can be
    # learned.
    kernel_weights: FloatArray
    shares: FloatArray  # (n_kernels,): the weights over the edges, with which kernels are summed up
    coefficients: FloatArray  # (n_samples,): a, the weights of the samples with their signs
    intercept: float  # b
    margin: float  # rho
    values: FloatArray  # (n_samples,): what the classifier says of each sample, intercept included
    objective: float  # rho - D sum xi
    # Largest edge of any kernel less the objective, as a fraction of that edge: a bound on what is
    # missing to the optimum.
    gap: float
    nu: float  # the nu used, above that given where it has no classifier
    n_rounds: int  # programs solved


class KernelPool:
    """Kernels on the training samples, held as far as memory allows and computed again else."""

    def __init__(
        self,
        gram: Callable[[int], FloatArray],
        n_kernels: int,
        n_samples: int,
        *,
        memory_limit: int = DEFAULT_MEMORY,
    ) -> None:
        self.n_kernels, self.n_samples = n_kernels, n_samples
        self.capacity = max(1, min(n_kernels, memory_limit // max(1, 8 * n_samples**2)))
        self._gram = gram
        self._held: dict[int, FloatArray] = {}

    def edges(self, coefficients: FloatArray, kernels: Iterable[int] | None = None) -> FloatArray:
        """Return the edge of each kernel's best learner for signed weights of the samples."""
        asked = range(self.n_kernels) if kernels is None else kernels
        squares = [float(coefficients @ (self._look(kernel) @ coefficients)) for kernel in asked]
        return np.sqrt(np.maximum(squares, 0.0))

    def hold(self, kernels: Iterable[int]) -> list[FloatArray]:
        """Return matrices that are needed again and again; others make room for them."""
        wanted = {kernel: self._look(kernel) for kernel in kernels}
        others = {kernel: held for kernel, held in self._held.items() if kernel not in wanted}
        n_others = max(0, self.capacity - len(wanted))
        self._held = {**wanted, **dict(list(others.items())[:n_others])}
        return list(wanted.values())

    def _look(self, kernel: int) -> FloatArray:
        """Return a matrix, and keep it if there is room."""
        held = self._held.get(kernel)
        if held is None:
            held = np.ascontiguousarray(self._gram(kernel), dtype=np.float64)
            if len(self._held) < self.capacity:
                self._held[kernel] = held
        return held


def lpboost_mkl_path(
    pool: KernelPool, labels: FloatArray, nus: Iterable[float], *, tolerance: float = TOLERANCE
) -> Iterator[LPBoostMKLFit]:
    """Fit the classifier for one nu after the other, each begun with the kernels met before.

    The gap of each is at most `tolerance`, but where rounding leaves more. Of labels of one sign
    nothing can be learned but that.
    """
    if np.all(labels == labels[0]):
        for nu in nus:
            yield _nothing_learned(labels, pool.n_kernels, nu)
        return
    master = _KernelMaster(pool, labels, tolerance)
    for nu in nus:
        master.n_rounds = 0
        yield master.fit(nu)


class _KernelMaster:
    """The kernels in the program, and its solution for one nu after the other."""

    def __init__(self, pool: KernelPool, labels: FloatArray, tolerance: float) -> None:
        self.pool, self.labels, self.tolerance = pool, labels, tolerance
        self.n_rounds = 0
        above = labels > 0
        self._twice_smaller = 2 * int(min(np.sum(above), np.sum(~above)))
        # The largest nu met that has no classifier, and the least that has one.
        self._without, self._least = 0.0, np.inf
        self._most = min(pool.capacity, MOST_AT_FIRST)
        self._working = list(range(pool.n_kernels))
        if self._most < pool.n_kernels:
            edges = pool.edges(equal_weights(labels) * labels)
            self._working = np.argsort(-edges, kind="stable")[: self._most].tolist()

    def fit(self, nu: float) -> LPBoostMKLFit:
        """Fit for one nu, or for the least above it for which there is a classifier."""
        if nu > self._without:
            found, edges = self._solve(nu, self.tolerance)
            if found.upper > NO_EDGE:
                return self._fitted(found, edges, nu)
            self._without = nu
        if not self._find_least():
            return _nothing_learned(self.labels, self.pool.n_kernels, nu, self.n_rounds)
        raised = max(nu, self._least)
        return self._fitted(*self._solve(raised, self.tolerance), raised)

    def _find_least(self) -> bool:
        """Find the least nu that has a classifier, to one percent; whether there is one."""
        if self._least == np.inf:
            if self._without >= 1 or not self._has_classifier(1.0):
                self._without = 1.0
                return False
            self._least = 1.0
        while self._least > NU_ABOVE_LEAST * self._without:
            middle = float(np.sqrt(self._without * self._least))
            if self._has_classifier(middle):
                self._least = middle
            else:
                self._without = middle
        return True

    def _has_classifier(self, nu: float) -> bool:
        """Whether there is an edge for a nu, for which a rough solution is enough."""
        return self._solve(nu, ROUGH)[0].levels.objective > NO_EDGE

    def _solve(self, nu: float, tolerance: float) -> tuple[EdgeBounds, FloatArray]:
        """Solve for one nu over all kernels; return the edges of all, too."""
        ceiling, inner = 1 / (nu * self._twice_smaller), INNER_SHARE * tolerance
        while True:
            self.n_rounds += 1
            grams = self.pool.hold(self._working)
            found = lowest_edge(grams, self.labels, ceiling, tolerance=inner, no_edge=NO_EDGE)
            edges = np.zeros(self.pool.n_kernels)
            edges[self._working] = found.edges
            outside = np.setdiff1d(np.arange(len(edges)), self._working)
            edges[outside] = self.pool.edges(found.sample_weights * self.labels, outside)
            above = outside[edges[outside] > max(found.upper, NO_EDGE) * (1 + inner)]
            if len(above) == 0 or self.n_rounds >= MOST_ROUNDS:
                return found, edges
            self._exchange(found, above[np.argsort(-edges[above], kind="stable")])

    def _exchange(self, found: EdgeBounds, joining: NDArray[np.intp]) -> None:
        """Let kernels join, best first; those without weight leave where there is no room."""
        weighted = np.flatnonzero(found.mixture > NO_WEIGHT)
        n_joining = max(1, min(len(joining), BATCH, self._most - len(weighted)))
        n_staying = max(len(weighted), self._most - n_joining)
        staying = np.argsort(-found.mixture, kind="stable")[:n_staying]
        self._working = [self._working[place] for place in staying.tolist()]
        self._working += joining[:n_joining].tolist()

    def _fitted(self, found: EdgeBounds, edges: FloatArray, nu: float) -> LPBoostMKLFit:
        """Put a classifier together."""
        weights, shares = np.zeros((2, self.pool.n_kernels))
        weights[self._working] = found.mixture
        shares[self._working] = found.mixture / found.edges
        largest = float(edges.max())
        return LPBoostMKLFit(
            kernel_weights=weights,
            shares=shares,
            coefficients=found.sample_weights * self.labels,
            intercept=found.levels.intercept,
            margin=found.levels.margin,
            values=found.values + found.levels.intercept,
            objective=found.levels.objective,
            gap=(largest - found.levels.objective) / largest,
            nu=nu,
            n_rounds=self.n_rounds,
        )


def _nothing_learned(
    labels: FloatArray, n_kernels: int, nu: float, n_rounds: int = 0
) -> LPBoostMKLFit:
    """Give the larger class as the answer to everything."""
    intercept = float(labels.mean())
    return LPBoostMKLFit(
        kernel_weights=np.zeros(n_kernels),
        shares=np.zeros(n_kernels),
        coefficients=np.zeros(len(labels)),
        intercept=intercept,
        margin=0.0,
        values=np.full(len(labels), intercept),
        objective=0.0,
        gap=0.0,
        nu=nu,
        n_rounds=n_rounds,
    )
