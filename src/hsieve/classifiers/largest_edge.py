"""Weights of the samples that keep the largest edge of several kernels small.

The edge of kernel k under weights u of the samples is that of the best function of norm one in its
space, sqrt(a' K_k a) with a_i = u_i y_i. Solved here, for kernels that are all at hand:

    minimise t
    so that   1/2 a' K_k a <= t for all k,   sum of u = 1/2 in each class,   0 <= u <= D

==========  ======================================================================================
name        meaning
==========  ======================================================================================
`weights`   u; `room` is D - u
`largest`   t, half of the largest squared edge; `slack`_k is t - 1/2 a' K_k a
`slopes`    column k holds the slopes of 1/2 a' K_k a in u, y_i (K_k a)_i
`mixture`   multipliers of the kernels, of sum one at the optimum
`pull`      multipliers of u >= 0; `push` of u <= D: violations of the margin
`levels`    multipliers of sum u and sum u y, margin and intercept: free, so solved for in each step
==========  ======================================================================================

It is a convex program, solved by a primal-dual interior point method with Mehrotra's predictor and
corrector. Each step needs one Cholesky factor of sum_k mixture_k K_k plus a diagonal, and two more
solutions with it; what is left is a system of as many unknowns as kernels, and three. Some 8 steps
give a gap of 1e-2, 12 one of 1e-6.

**The bound from below.** For any mixture of sum one, f = sum_k mixture_k K_k a / edge_k is a
function allowed in the primal program, and its best margin and intercept follow from sorting: the
objective is sum_i u_i y_i f(x_i) for the u that puts all its mass on the lowest margins of each
class. So each step knows how far it is from the optimum at most.

Cost: n^3 / 3 + O(q n^2) multiplications a step, for n samples and q kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import daxpy

from hsieve.array_types import FloatArray
from hsieve.classifiers.base import equal_weights

MOST_STEPS = 60
# Part of the way to the nearest bound that a step goes at most.
SHORT_OF_BOUND = 0.99
# The exponent of Mehrotra's rule.
CENTRING_POWER = 3
# A class whose equal weights are this near the ceiling has no other: see `_collapsed`.
LEAST_ROOM = 1e-7
# The mass ends between two samples if less than this share of one is left.
WHOLE = 1e-9
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class EdgeBounds:
    """What was found: the optimum lies between two bounds."""

    sample_weights: FloatArray  # (n_samples,): u, which keeps to all bounds
    mixture: FloatArray  # (n_kernels,): weights of the kernels, not negative, of sum one
    edges: FloatArray  # (n_kernels,): edges under u; their largest is the upper bound
    # (n_samples,): what the function made of u and the mixture says of each sample.
    values: FloatArray
    levels: "EdgeLevels"  # its margin, intercept and objective, which is the lower bound
    n_steps: int  # steps taken

    @property
    def upper(self) -> float:
        """The largest edge."""
        return float(self.edges.max())


@dataclass(frozen=True)
class EdgeLevels:
    """Best margin and intercept of a function, and its objective rho - D sum xi."""

    margin: float
    intercept: float
    objective: float


def lowest_edge(
    grams: Sequence[FloatArray],
    labels: FloatArray,
    ceiling: float,
    *,
    tolerance: float,
    no_edge: float = 0.0,
) -> EdgeBounds:
    """Minimise the largest edge under a ceiling D of at least half over the smaller class's size.

    It stops where the two bounds are apart by `tolerance` as a fraction of the upper one, where
    rounding allows no better, or as soon as the largest edge is at most `no_edge`.
    """
    allowed = min(ceiling, 1.0)  # Half of the weight is all that a sample can have.
    spread = _spread(labels, allowed)
    program = _collapsed(grams, labels, allowed, spread)
    point = program.start()
    best, (lower, upper) = point, program.bounds(point)
    n_steps = 0
    while n_steps < MOST_STEPS and upper - lower > tolerance * upper and upper > no_edge:
        n_steps += 1
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                point = program.step(point)
                bounds = program.bounds(point)
        except (FloatingPointError, LinAlgError):
            # Rounding has the last word where edges are as small as it.
            break
        if bounds[1] - bounds[0] < upper - lower:
            best, (lower, upper) = point, bounds
    weights = best.weights if spread is None else best.weights @ spread
    mixture = best.mixture / best.mixture.sum()
    return _allowed_bounds(_EdgeProgram(grams, labels, allowed), weights, mixture, n_steps)


def margin_levels(values: FloatArray, labels: FloatArray, ceiling: float) -> EdgeLevels:
    """Return margin and intercept that are best for a function; of several, the middle of them."""
    n_bearing = 0.5 / ceiling
    n_whole = int(n_bearing + WHOLE)
    levels, objective = [], 0.0
    for sign in (1.0, -1.0):
        margins = np.sort(sign * values[labels == sign])
        last = min(n_whole, len(margins) - 1)
        level = float(margins[last])
        objective += ceiling * float(margins[:last].sum()) + (0.5 - ceiling * last) * level
        if n_bearing - n_whole <= WHOLE and 0 < n_whole < len(margins):
            # All between the last sample that bears weight and the first without is as good.
            level = (float(margins[n_whole - 1]) + level) / 2
        levels.append(level)
    return EdgeLevels(sum(levels) / 2, (levels[1] - levels[0]) / 2, objective)


@dataclass(frozen=True, eq=False)
class _Point:
    """A point of the interior, or a move from one."""

    weights: FloatArray
    pull: FloatArray
    push: FloatArray
    slack: FloatArray
    mixture: FloatArray
    largest: float


@dataclass(frozen=True, eq=False)
class _Bounded(_Point):
    """A point, with what the kernels say of it."""

    room: FloatArray
    slopes: FloatArray

    @property
    def halves(self) -> FloatArray:
        """Half of each squared edge."""
        return np.asarray(0.5 * (self.weights @ self.slopes))

    @property
    def products(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Variables times their multipliers, which all go to zero."""
        return self.weights * self.pull, self.room * self.push, self.slack * self.mixture


class _EdgeProgram:
    """The program, with steps from one point to the next."""

    def __init__(self, grams: Sequence[FloatArray], labels: FloatArray, ceiling: float) -> None:
        self.grams, self.labels, self.ceiling = grams, labels, ceiling
        self.sums = np.column_stack([np.ones(len(labels)), labels])
        self.equal = equal_weights(labels)

    def start(self) -> _Bounded:
        """Begin with equal weights within each class."""
        slopes = self.slopes(self.equal)
        halves = 0.5 * (self.equal @ slopes)
        largest = 1.5 * float(halves.max()) + TINY
        slack = np.maximum(largest - halves, 0.1 * largest)
        mixture = (1 / slack) / np.sum(1 / slack)
        # The one sample that stands for a class must have half of the weight, whatever the ceiling.
        room = np.where(self.equal == 0.5, 1.0, self.ceiling) - self.equal
        size = float(np.abs(slopes @ mixture).mean()) + TINY
        pull = np.full(len(self.labels), size)
        push = pull * np.minimum(1.0, self.equal / room)
        return _Bounded(self.equal, pull, push, slack, mixture, largest, room, slopes)

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return the slopes of half of each squared edge."""
        signed = weights * self.labels
        return np.column_stack([gram @ signed for gram in self.grams]) * self.labels[:, None]

    def bounds(self, point: _Bounded) -> tuple[float, float]:
        """Bound the optimum from both sides, as if the weights were allowed."""
        edges = np.sqrt(np.maximum(2 * point.halves, 0.0))
        mixture = point.mixture / (point.mixture.sum() * np.maximum(edges, TINY))
        values = self.labels * (point.slopes @ mixture)
        return margin_levels(values, self.labels, self.ceiling).objective, float(edges.max())

    def step(self, point: _Bounded) -> _Bounded:
        """Move: once in thought to see how far one could go, then in earnest."""
        system = _NewtonSystem(self, point)
        below, above, kernels = point.products
        mean = _mean(point.products)
        aim = system.move(-below, -above, -kernels)
        length = _longest(point, aim)
        reached = _mean(
            (
                (point.weights + length * aim.weights) * (point.pull + length * aim.pull),
                (point.room - length * aim.weights) * (point.push + length * aim.push),
                (point.slack + length * aim.slack) * (point.mixture + length * aim.mixture),
            )
        )
        target = mean * (reached / mean) ** CENTRING_POWER
        move = system.move(
            target - below - aim.weights * aim.pull,
            target - above + aim.weights * aim.push,
            target - kernels - aim.slack * aim.mixture,
        )
        return self._moved(point, move, SHORT_OF_BOUND * _longest(point, move))

    def _moved(self, point: _Bounded, move: _Point, length: float) -> _Bounded:
        """Go a part of a move."""
        weights = point.weights + length * move.weights
        return _Bounded(
            weights=weights,
            pull=point.pull + length * move.pull,
            push=point.push + length * move.push,
            slack=point.slack + length * move.slack,
            mixture=point.mixture + length * move.mixture,
            largest=point.largest + length * move.largest,
            room=point.room - length * move.weights,
            slopes=self.slopes(weights),
        )


class _NewtonSystem:
    """The linear equations of a step, factored once for several right sides."""

    def __init__(self, program: _EdgeProgram, point: _Bounded) -> None:
        self._point, n_kernels = point, len(point.mixture)
        sums = program.sums
        combined = _combined(program.grams, point.mixture)
        combined *= program.labels
        combined *= program.labels[:, None]
        combined.flat[:: len(combined) + 1] += point.pull / point.weights + point.push / point.room
        # Turned, a symmetric matrix is the same and lies as LAPACK wants it.
        self._factor = cho_factor(combined.T, overwrite_a=True, check_finite=False)
        self._sides = np.hstack([point.slopes, sums])
        self._solved = self._solve(self._sides)
        products = self._sides.T @ self._solved
        self._small = np.zeros((n_kernels + 3, n_kernels + 3))
        self._small[:-1, :-1] = products * np.r_[-np.ones(n_kernels), 1.0, 1.0]
        self._small[:n_kernels, -1] = -1.0
        self._small[-1, :n_kernels] = 1.0
        places = np.arange(n_kernels)
        self._small[places, places] -= point.slack / point.mixture
        # What is missing to the equations that must hold at the optimum.
        self._unbalanced = point.slopes @ point.mixture - point.pull + point.push
        self._unmixed = 1.0 - point.mixture.sum()
        self._unequal = point.halves - point.largest + point.slack
        self._unsummed = np.array([1.0, 0.0]) - sums.T @ point.weights

    def move(self, below: FloatArray, above: FloatArray, kernels: FloatArray) -> _Point:
        """Return the move after which the products have changed by what is given."""
        point, n_kernels = self._point, len(kernels)
        first = self._solve(below / point.weights - above / point.room - self._unbalanced)
        side = np.empty(n_kernels + 3)
        side[:n_kernels] = -self._unequal - kernels / point.mixture
        side[n_kernels:-1] = self._unsummed
        side[:-1] -= self._sides.T @ first
        side[-1] = self._unmixed
        found = np.linalg.solve(self._small, side)
        mixture, levels = found[:n_kernels], found[n_kernels:-1]
        weights = first - self._solved[:, :n_kernels] @ mixture
        weights += self._solved[:, n_kernels:] @ levels
        return _Point(
            weights=weights,
            pull=(below - point.pull * weights) / point.weights,
            push=(above + point.push * weights) / point.room,
            slack=(kernels - point.slack * mixture) / point.mixture,
            mixture=mixture,
            largest=float(found[-1]),
        )

    def _solve(self, sides: FloatArray) -> FloatArray:
        """Solve with the large matrix."""
        return np.asarray(cho_solve(self._factor, sides, check_finite=False))


def _combined(grams: Sequence[FloatArray], mixture: FloatArray) -> FloatArray:
    """Sum kernels up with their shares."""
    total = np.zeros(grams[0].size)
    for gram, share in zip(grams, mixture.tolist(), strict=True):
        total = daxpy(gram.ravel(), total, a=share)
    return total.reshape(grams[0].shape)


def _longest(point: _Bounded, move: _Point) -> float:
    """Return the longest part of a move, up to all of it, that stays within the bounds."""
    pairs = (
        (point.weights, move.weights),
        (point.room, -move.weights),
        (point.pull, move.pull),
        (point.push, move.push),
        (point.slack, move.slack),
        (point.mixture, move.mixture),
    )
    steepest = max(float(np.max(-change / value)) for value, change in pairs)
    return 1.0 if steepest <= 1.0 else 1.0 / steepest


def _mean(products: tuple[FloatArray, FloatArray, FloatArray]) -> float:
    """Return the mean product of a variable and its multiplier."""
    return sum(float(part.sum()) for part in products) / sum(len(part) for part in products)


def _spread(labels: FloatArray, ceiling: float) -> FloatArray | None:
    """Return how one sample for each class without a choice is spread out over the class."""
    equal = equal_weights(labels)
    fixed = equal * (1 + LEAST_ROOM) >= ceiling
    if not fixed.any():
        return None
    rows = [np.eye(len(labels))[~fixed]]
    rows += [2 * equal * (labels == sign) for sign in np.unique(labels[fixed])]
    return np.vstack(rows)


def _collapsed(
    grams: Sequence[FloatArray], labels: FloatArray, ceiling: float, spread: FloatArray | None
) -> _EdgeProgram:
    """Return the program with one sample for each class whose weights are all at the ceiling.

    An interior point method needs an interior, and such a class has none. Its sample is the mean
    of the class in the space of each kernel.
    """
    if spread is None:
        return _EdgeProgram(grams, labels, ceiling)
    return _EdgeProgram(
        [spread @ gram @ spread.T for gram in grams], np.sign(spread @ labels), ceiling
    )


def _allowed_bounds(
    program: _EdgeProgram, weights: FloatArray, mixture: FloatArray, n_steps: int
) -> EdgeBounds:
    """Bound the optimum with weights that keep to the letter of the program."""
    labels, ceiling = program.labels, program.ceiling
    weights = np.clip(weights, 0.0, ceiling)
    for sign in (1.0, -1.0):
        part = weights[labels == sign]
        missing = 0.5 - float(part.sum())
        if missing > 0:
            part += missing * (ceiling - part) / max(float((ceiling - part).sum()), TINY)
        else:
            part *= 0.5 / (0.5 - missing)
        weights[labels == sign] = np.minimum(part, ceiling)
    slopes = program.slopes(weights)
    edges = np.sqrt(np.maximum(weights @ slopes, 0.0))
    values = labels * (slopes @ (mixture / np.maximum(edges, TINY)))
    return EdgeBounds(
        weights, mixture, edges, values, margin_levels(values, labels, ceiling), n_steps
    )
