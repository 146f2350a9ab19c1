"""What stability selection does with one draw: select from a half of the samples, or from both."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.data.subsamples import half_samples
from hsieve.data.validation import TargetKind
from hsieve.estimators._base import MIN_SAMPLES
from hsieve.estimators._ranges import Range
from hsieve.threads import one_blas_thread

__all__ = ["Draw", "Jump", "check_halves", "check_sparse", "select_from_halves"]

IndexArray = NDArray[np.intp]
# Where the first features of a subsample are too many: at which point, and how many.
Jump: TypeAlias = tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Draw:
    """How subsamples are drawn: with their other half or alone, and from which target."""

    pairs: bool
    classes: NDArray[Any] | None
    # A Gram matrix holds the samples as rows and as columns.
    both_sides: bool


def select_from_halves(
    points: Range,
    data: NDArray[np.floating],
    seen: NDArray[Any],
    draw: Draw,
    rng: np.random.Generator,
    *,
    most: int,
) -> list[tuple[list[IndexArray], Jump]]:
    """Features selected at each point from one half, or from both."""
    halves = half_samples(len(data), rng, classes=draw.classes)
    found = []
    with one_blas_thread():
        for half in halves if draw.pairs else halves[:1]:
            seed = int(rng.integers(2**31 - 1))
            target = seen[np.ix_(half, half)] if draw.both_sides else seen[half]
            selections = points.selections(data[half], target, seed)
            found.append(_limited(selections, len(points.values), most))
    return found


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


def check_sparse(frequencies: NDArray[np.floating], jumps: list[Jump], most: int) -> None:
    """Refuse a base that always selects everything; warn if it always selects too much."""
    n_features = frequencies.shape[1]
    everything = all(jump == (0, n_features) for jump in jumps)
    if n_features > 1 and (everything or frequencies.min() == 1):
        msg = (
            "Every feature is selected at every point of the range, so that the base is not "
            "sparse, or its regularisation too weak."
        )
        raise ValueError(msg)
    if None not in jumps:
        msg = (
            f"The first features are more than {most} at once in every subsample, the most that it "
            "may select, so that nothing is selected. Allow for more by expected_false_selections "
            "or n_per_subsample, or give stronger or finer values."
        )
        warnings.warn(msg, UserWarning, stacklevel=3)


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
