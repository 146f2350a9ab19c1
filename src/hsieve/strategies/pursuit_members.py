"""The features that a pursuit has chosen, and whether each of them is still needed.

Members leave that tell nothing beside those most like them, or that the leave-one-out error does
not miss, such as a noisy copy that came in before its original. A member is replaced by a feature
that carries nearly the same information if that lowers the error.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.deadline import Deadline
from hsieve.inference.conditional import conditional_p_value
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.strategies.base import best_first
from hsieve.strategies.overlaps import SUBSTITUTE
from hsieve.strategies.pursuit_candidates import SHARED, normal_scores
from hsieve.strategies.pursuit_path import PursuitEvent

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# A chosen feature leaves if the loss would rise by less than this part of what let it in.
STAYS_FROM = 0.5
# Members most like a feature that it is tested against, and that are looked at after it joined.
N_ALIKE = 3
# So many features that could replace a chosen one are tried in its place.
N_SUBSTITUTES = 4


class PursuitMembers:
    """Features chosen, the regression on them, and what was set aside.

    Parameters
    ----------
    bound : BoundMeasure
        Data of the regression, and redundancy.
    deadline : Deadline
        After it no member is looked at again.
    level : float
        Chance that a copy passes for more than one.
    least_gain : float
        Standard errors by which the loss must fall for a feature to join.
    seed : int, Generator or None
        Draws the landmarks of the regression.
    """

    def __init__(
        self, bound: Any, deadline: Deadline, *, level: float, least_gain: float, seed: Any
    ) -> None:
        # Each member and the step in which it joined.
        self._steps: dict[int, int] = {}
        self.events: list[PursuitEvent] = []
        # What was set aside, the regression that it would not better, and its p-value.
        self.aside: dict[tuple[int, ...], tuple[Smooth, float]] = {}
        self._bound, self._deadline = bound, deadline
        self._level, self._least_gain = level, least_gain
        self._smoother = KernelSmoother(bound.regression_data, seed=seed)
        self.current = self._smoother.nothing()
        self._substitutes: dict[int, list[int]] = {}
        # What two features share (NHSIC).
        self._shared: dict[frozenset[int], float] = {}

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def features(self) -> list[int]:
        """The members, in the order in which they joined."""
        return list(self._steps)

    def with_others(self, others: Iterable[int], together: tuple[int, ...] = ()) -> Smooth:
        """Regress on the members and others, of which some may act together."""
        return self._smoother.fit([*self._steps, *others], self.current, together)

    def set_aside(self, features: tuple[int, ...], p_value: float) -> None:
        """Keep features from being tried again as long as the regression stays the same."""
        self.aside[features] = (self.current, p_value)

    def trim(self, n_wanted: int) -> None:
        """Drop the features that are missed least."""
        suspects = self.features
        while len(self._steps) > n_wanted:
            losses = self._losses_without(suspects, quickly=True)
            suspects = sorted(losses, key=lambda feature: losses[feature])
            least = suspects.pop(0)
            self._leave(least, losses[least])
            # Those missed most now will be missed most after it, too.
            suspects = suspects[: 2 * (len(self._steps) - n_wanted)]
        self._refit()
        self._replace()

    def steps(self) -> tuple[IndexArray, FloatArray, FloatArray]:
        """Sizes and errors along the steps, and what each member added."""
        members, numbers = self.features, np.array(list(self._steps.values()), dtype=np.intp)
        sizes = np.cumsum([np.count_nonzero(numbers == step) for step in np.unique(numbers)])
        fits = [self._refitted(members[:size], quickly=True) for size in sizes]
        errors = np.array([self._smoother.nothing().error, *(fit.error for fit in fits)])
        counts = np.diff([0, *sizes]).astype(np.intp)
        return sizes.astype(np.intp), errors, np.repeat(-np.diff(errors) / counts, counts)

    @property
    def width(self) -> float:
        """Width of the kernel of the regression; NaN with no member."""
        kernel = self.current.kernel
        return float("nan") if kernel is None else kernel.width

    def substitutes(self) -> dict[int, IndexArray]:
        """Features that share much with a member and are not members, for each member."""
        return {
            member: np.array([f for f in alike if f not in self._steps], dtype=np.intp)
            for member, alike in self._substitutes.items()
            if member in self._steps
        }

    def adopt(self, fit: Smooth) -> None:
        """Go on from a better regression."""
        self.current = self._smoother.turned(fit)

    def join(self, groups: list[tuple[int, ...]], fit: Smooth, pool: IndexArray) -> None:
        """Make features members, each group in a step of its own."""
        self.adopt(fit)
        earlier = self.features
        for step, group in enumerate(groups, max(self._steps.values(), default=0) + 1):
            self._steps.update(dict.fromkeys(group, step))
        new = [feature for group in groups for feature in group]
        for feature in new:
            self._substitutes[feature] = self._like(feature, pool)
        suspects = self._most_like(earlier, new)
        # Of many samples, whose regressions take longer, only the closest relative for now.
        self._drop_copies(suspects if self._smoother.tries_all else suspects[:1])
        self._drop_unneeded([feature for feature in suspects if feature in self._steps])

    def settle(self) -> None:
        """Drop what is not needed, replace what can be bettered."""
        self._drop_copies(self.features[::-1])
        self._drop_unneeded(self._suspects())
        self._replace()

    def is_copy(self, feature: int, fit: Smooth) -> bool:
        """Say whether a feature tells nothing beside the members that share most with it.

        The regression is one on other members.
        """
        alike = self._alike(feature)
        if not alike:
            return False
        scores = normal_scores(fit.residuals)
        chance = conditional_p_value(self._smoother, feature, alike, scores)
        return chance > self._level

    def _alike(self, feature: int) -> list[int]:
        """Other members that share most with a feature."""
        others = [member for member in self._steps if member != feature]
        # Asked for again and again, and each takes a product over all samples.
        unknown = [other for other in others if frozenset((feature, other)) not in self._shared]
        if unknown:
            found = self._bound.redundancy(np.array([feature]), np.array(unknown))[0]
            pairs = [frozenset((feature, other)) for other in unknown]
            self._shared.update(zip(pairs, found.tolist(), strict=True))
        shared = np.array([self._shared[frozenset((feature, other))] for other in others])
        closest = best_first(shared)[:N_ALIKE]
        return [others[place] for place in closest if shared[place] >= SHARED]

    def _like(self, feature: int, pool: IndexArray) -> list[int]:
        """Features of a pool that carry nearly the same information as one, the closest first."""
        others = pool[pool != feature]
        shared = self._bound.redundancy(others, np.array([feature]))[:, 0]
        close = best_first(shared)[:N_SUBSTITUTES]
        return [int(other) for other in others[close[shared[close] >= SUBSTITUTE]]]

    def _most_like(self, members: list[int], new: list[int]) -> list[int]:
        """Members that share most with the features that joined."""
        if not members:
            return []
        shared = self._bound.redundancy(np.array(members), np.array(new)).max(axis=1)
        least = 0.0 if self._smoother.tries_all else SHARED
        most_like = best_first(shared)[:N_ALIKE]
        return [members[place] for place in most_like if shared[place] >= least]

    def _drop_copies(self, suspects: list[int]) -> None:
        """Let those of some members leave that tell nothing beside others."""
        left = list[int]()
        for member in suspects:
            acts_alone = not any(member in group for group in self.current.groups)
            if self._is_late or not acts_alone or not self._alike(member):
                continue
            without = self._refitted([m for m in self._steps if m != member])
            if self.is_copy(member, without):
                self._leave(member, standard_errors(without.losses - self.current.losses))
                left.append(member)
        self._part_with(left)

    def _drop_unneeded(self, suspects: list[int]) -> None:
        """Let those of some members leave that the error does not miss."""
        least, left = STAYS_FROM * self._least_gain, list[int]()
        while suspects and len(self._steps) > 1 and not self._is_late:
            losses = self._losses_without(suspects)
            worst = min(losses, key=lambda feature: losses[feature])
            if losses[worst] >= least:
                break
            self._leave(worst, losses[worst])
            # With one feature less the others are needed all the more.
            suspects = [f for f in suspects if f != worst and losses[f] < least]
            left.append(worst)
        self._part_with(left)

    def _part_with(self, left: list[int]) -> None:
        """Regress again on the members when some have left, which are set aside."""
        if left:
            self._refit()
            for feature in left:
                self.set_aside((feature,), 1.0)

    def _suspects(self) -> list[int]:
        """Members that might not be needed: all, or those that share something, of many samples."""
        members = self.features
        if self._smoother.tries_all or not members:
            return members
        shared = self._bound.redundancy(np.array(members), np.array(members))
        np.fill_diagonal(shared, 0.0)
        return [f for f, most in zip(members, shared.max(axis=1), strict=True) if most >= SHARED]

    def _losses_without(self, members: list[int], *, quickly: bool = False) -> dict[int, float]:
        """Tell for some members by how many standard errors the loss rises without them."""
        whole = self._refitted(self.features, quickly=quickly).losses
        without = {
            f: self._refitted([m for m in self._steps if m != f], quickly=quickly) for f in members
        }
        return {f: standard_errors(fit.losses - whole) for f, fit in without.items()}

    def _leave(self, feature: int, loss: float) -> None:
        """Take a member out."""
        del self._steps[feature]
        error = self._refitted(self.features).error
        self.events.append(PursuitEvent("left", (feature,), error, loss))

    def _replace(self) -> None:
        """Replace members by near duplicates, where that lowers the error."""
        changed = False
        for member in self.features:
            if self._is_late:
                break
            best, error = member, self._refitted(self.features).error
            quick_error = self._refitted(self.features, quickly=True).error
            for other in self._substitutes.get(member, []):
                if other in self._steps:
                    continue
                # Of many samples some tell which exchanges are worth a regression on all.
                if self._exchanged(member, other, quickly=True).error > quick_error:
                    continue
                tried = self._exchanged(member, other)
                if tried.error < error:
                    best, error = other, tried.error
            if best != member:
                self._put_in_place(member, best, error)
                changed = True
        if changed:
            self._refit()

    def _put_in_place(self, member: int, other: int, error: float) -> None:
        """Give the place of a member to another feature."""
        exchanged = self._exchanged(member, other)
        rising = standard_errors(self._refitted(self.features).losses - exchanged.losses)
        self.current = replace(self.current, groups=exchanged.groups)
        self._steps = {other if f == member else f: step for f, step in self._steps.items()}
        alike = [f for f in self._substitutes.pop(member, []) if f != other]
        self._substitutes[other] = [member, *alike]
        self.events.append(PursuitEvent("replaced", (member, other), error, rising))

    def _exchanged(self, member: int, other: int, *, quickly: bool = False) -> Smooth:
        """Regress on the members, with another feature in the place of one."""

        def put(features: Iterable[int]) -> tuple[int, ...]:
            return tuple(other if feature == member else feature for feature in features)

        groups = tuple(put(group) for group in self.current.groups)
        like = replace(self.current, groups=groups)
        return self._smoother.refit(put(self._steps), like, quickly=quickly)

    @property
    def _is_late(self) -> bool:
        return not self._deadline.allows_step()

    def _refitted(self, features: list[int], *, quickly: bool = False) -> Smooth:
        """Regress on some features by the kernel of the current regression."""
        return self._smoother.refit(features, self.current, quickly=quickly)

    def _refit(self) -> None:
        """Regress on the members again."""
        self.current = self._smoother.fit(self.features, self.current)


def standard_errors(differences: FloatArray) -> float:
    """Mean of differences in units of its standard error."""
    spread = float(differences.std())
    mean = float(differences.mean())
    if spread == 0.0:
        return 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))
    return mean / spread * float(np.sqrt(len(differences)))
