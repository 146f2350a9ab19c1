"""What stability selection does with one draw: select from a half of the samples, or from both."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import IndexArray
from hsieve.data.subsamples import half_samples
from hsieve.data.validation import TargetKind
from hsieve.exceptions import ignored, warn_user
from hsieve.parallel import Engine
from hsieve.progress import report
from hsieve.selectors.base import MIN_SAMPLES
from hsieve.selectors.regularisation import Range

# Two for each half.
FEWEST_GROUPS = 4

# Where the first features of a subsample are too many: at which point, and how many.
Jump: TypeAlias = tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Halves:
    """What all draws share: the range of the base, data and target, and most features of a half."""

    points: Range
    data: NDArray[np.floating]
    seen: NDArray[Any]
    most: int
    # Whether each half is drawn with the other one, and from which classes.
    pairs: bool
    classes: NDArray[Any] | None
    # A Gram matrix holds the samples as rows and as columns.
    both_sides: bool
    # Samples that belong together.
    groups: NDArray[np.intp] | None = None

    @property
    def known_by(self) -> tuple[()]:
        """Nothing: one selector on one set of data has one range, and draws differ by chance."""
        return ()


@dataclass(frozen=True, eq=False)
class Counts:
    """What came of all draws: shares at each point, and size and jump of each half."""

    frequencies: NDArray[np.floating]
    sizes: NDArray[np.intp]
    jumps: list[Jump]


def count_selections(
    halves: Halves, rngs: Sequence[np.random.Generator], workers: Engine
) -> Counts:
    """Select from every draw, one for each source of chance, and count."""
    counts = np.zeros((len(halves.points.values), halves.data.shape[1]))
    sizes: list[int] = []
    jumps: list[Jump] = []
    # Around all jobs, too: those that run as threads share one list of filters.
    with ignored(halves.points.unheard):
        runs = workers.map(select_from_halves, rngs, shared=halves)
        for n_done, found in enumerate(runs, start=1):
            for selections, jump in _unpacked(found):
                jumps.append(jump)
                for row, selected in zip(counts, selections, strict=True):
                    row[selected] += 1
                sizes.append(len(np.unique(np.concatenate(selections))))
            report(n_done / len(rngs), "subsamples")
    return Counts(counts / len(sizes), np.array(sizes), jumps)


def select_from_halves(rng: np.random.Generator, halves: Halves) -> tuple[IndexArray, ...]:
    """Features selected at each point from one half, or from both; a task of one worker.

    Three arrays for each half: the selections one after the other, how long each is, and the jump.
    """
    points = halves.points
    found: list[IndexArray] = []
    parts = half_samples(len(halves.data), rng, classes=halves.classes, groups=halves.groups)
    for half in parts if halves.pairs else parts[:1]:
        seed = int(rng.integers(2**31 - 1))
        target = halves.seen[np.ix_(half, half)] if halves.both_sides else halves.seen[half]
        selections = points.selections(halves.data[half], target, seed)
        kept, jump = _limited(selections, len(points.values), halves.most)
        lengths = np.array([len(selected) for selected in kept], dtype=np.intp)
        found += [np.concatenate(kept), lengths, np.array(jump or (), dtype=np.intp)]
    return tuple(found)


def _unpacked(found: Sequence[IndexArray]) -> Iterator[tuple[list[IndexArray], Jump]]:
    """Give the selections and the jump of each half."""
    for together, lengths, jump in zip(found[::3], found[1::3], found[2::3], strict=True):
        place, n_selected = (*jump.tolist(), -1, -1)[:2]
        selections = np.split(together, np.cumsum(lengths)[:-1])
        yield selections, None if place < 0 else (place, n_selected)


def _limited(
    selections: Iterable[IndexArray], n_points: int, most: int
) -> tuple[list[IndexArray], Jump]:
    """End the range where so many features have been selected; the last set stays."""
    kept: list[IndexArray] = []
    together = np.zeros(0, dtype=np.intp)
    for selected in selections:
        together = np.union1d(together, selected)
        if len(together) > most:
            last = kept[-1] if kept else np.zeros(0, dtype=np.intp)
            is_first = not any(len(before) for before in kept)
            jump = (len(kept), len(selected)) if is_first else None
            return kept + [last] * (n_points - len(kept)), jump
        kept.append(selected)
    return kept, None


def check_sparse(counts: Counts, most: int) -> None:
    """Refuse a base that always selects everything; warn if it always selects too much."""
    n_features = counts.frequencies.shape[1]
    everything = all(jump == (0, n_features) for jump in counts.jumps)
    if n_features > 1 and (everything or counts.frequencies.min() == 1):
        msg = (
            "Every feature is selected at every point of the range, so that the base is not "
            "sparse, or its regularisation too weak."
        )
        raise ValueError(msg)
    if None not in counts.jumps:
        msg = (
            f"The first features are more than {most} at once in every subsample, the most that it "
            "may select, so that nothing is selected. Allow for more by expected_false_selections "
            "or n_per_subsample, or give stronger or finer values."
        )
        warn_user(msg)


def checked_groups(groups: ArrayLike, n_samples: int) -> NDArray[np.intp]:
    """Give the groups of which halves are drawn numbers from 0."""
    codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
    if len(codes) != n_samples:
        msg = f"groups must be one for each of {n_samples} samples, got {len(codes)}."
        raise ValueError(msg)
    if codes.max() + 1 < FEWEST_GROUPS:
        msg = (
            f"groups holds {codes.max() + 1} groups; halves of them need at least {FEWEST_GROUPS}."
        )
        raise ValueError(msg)
    return codes


def check_halves(target: NDArray[Any], n_samples: int, kind: TargetKind) -> None:
    """Refuse data of which a half is not enough."""
    if n_samples < 2 * MIN_SAMPLES:
        msg = (
            f"Found n_samples = {n_samples}; halves of the data are selected from, so that at "
            f"least {2 * MIN_SAMPLES} samples are needed."
        )
        raise ValueError(msg)
    if kind == "classes" and target.ndim == 2:
        msg = f"Classes must be one column, got a target of shape {target.shape}."
        raise ValueError(msg)
    if kind == "classes" and np.sum(np.unique(target, return_counts=True)[1] >= 2) < 2:
        msg = "Two classes at least must have two samples each, one for each half of the data."
        raise ValueError(msg)
