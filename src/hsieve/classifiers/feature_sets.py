"""Sets of features for kernel classifiers: given by the user, or nested ones found by a search.

The thesis (section 5.3) builds kernels on the sets of positive contribution of every iteration of
randSel, a nested series from many features to few. Any selector that ranks can take its place: its
sets are then the first d, d/2, d/4, ... features.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hsieve.array_types import IndexArray
from hsieve.data.subsamples import balanced_samples
from hsieve.data.validation import constant_columns
from hsieve.kernels.columns import check_positions
from hsieve.selectors.hsic import RandSel
from hsieve.strategies.randomised import ContributionPath

# Fewer samples or features tell a selector nothing.
LEAST_SAMPLES, LEAST_FEATURES = 8, 3
# Samples of a round of RandSel, where there are more than twice as many.
SAMPLES_A_ROUND = 500


def checked_sets(
    feature_sets: Any, n_features: int, names: NDArray[Any] | None = None
) -> tuple[IndexArray, ...]:
    """Return sets of features as sorted positions, each set once; invalid ones raise ValueError."""
    if isinstance(feature_sets, str | bytes) or not isinstance(feature_sets, Iterable):
        msg = f"feature_sets must be a list of lists of features, got {feature_sets!r}."
        raise ValueError(msg)
    sets: dict[bytes, IndexArray] = {}
    for given in feature_sets:
        places = np.unique(
            check_positions(given, n_features, name="Each of feature_sets", names=names)
        )
        if len(places) == 0:
            msg = "Each of feature_sets must hold at least one feature, got an empty one."
            raise ValueError(msg)
        sets.setdefault(places.tobytes(), places)
    if not sets:
        msg = "feature_sets must hold at least one set, got none."
        raise ValueError(msg)
    return tuple(sets.values())


def find_sets(
    selector: Any,
    X: NDArray[np.floating],
    y: NDArray[Any],
    *,
    max_samples: int,
    max_sets: int | None,
    rng: np.random.Generator,
) -> tuple[Any, tuple[IndexArray, ...]]:
    """Let a selector find nested sets of features that vary, all of these first.

    The selector, :class:`RandSel` unless given, is copied; it sees at most `max_samples` samples,
    as many of each class as there are. It is None where there are too few samples or features to
    select from, and sets are none where nothing varies.
    """
    seen = balanced_samples(y, max_samples, rng)
    shown, target = X[seen], y[seen]
    varying = np.flatnonzero(~constant_columns(shown))
    if len(seen) < LEAST_SAMPLES or len(varying) < LEAST_FEATURES:
        return None, (varying,) if len(varying) else ()
    if selector is None:
        few = SAMPLES_A_ROUND if len(seen) > 2 * SAMPLES_A_ROUND else None
        seed = int(rng.integers(2**31 - 1))
        fitted = RandSel(target_kind="classes", subsample=few, random_state=seed)
    else:
        fitted = clone(selector)
    fitted.fit(shown[:, varying], target)
    found = nested_sets(fitted)
    kept = spread_sets(found, len(found) if max_sets is None else max_sets)
    return fitted, tuple(varying[features] for features in kept)


def nested_sets(selector: Any) -> tuple[IndexArray, ...]:
    """Return the nested sets that a fitted selector found, from many features to few.

    These are all features that vary; then the sets of positive contribution of every iteration
    (:class:`RandSel`), or the first half, quarter, ... of the ranking (any other selector); then
    the features chosen. Each set is there once, none is empty, positions are sorted.
    """
    path = selector.path_
    varying = np.setdiff1d(np.arange(selector.n_features_in_), selector.constant_features_)
    if isinstance(path, ContributionPath):
        series = list(path.nested_sets)
    else:
        ranked = path.nested_order[np.isin(path.nested_order, varying)]
        halvings = range(len(ranked).bit_length())
        series = [ranked[: -(-len(ranked) // 2**halving)] for halving in halvings]
    found: dict[bytes, IndexArray] = {}
    for features in [varying, *series, selector.selected_indices_]:
        ordered = np.sort(features).astype(np.intp)
        if len(ordered):
            found.setdefault(ordered.tobytes(), ordered)
    return tuple(found.values())


def spread_sets(sets: Sequence[IndexArray], most: int) -> tuple[IndexArray, ...]:
    """Return the largest set, the smallest and some between, spread evenly by their log sizes."""
    ordered = sorted(sets, key=len, reverse=True)
    if len(ordered) <= most:
        return tuple(ordered)
    sizes = np.log([len(features) for features in ordered])
    wanted = np.linspace(sizes[0], sizes[-1], most) if most > 1 else sizes[:1]
    kept = np.unique([int(np.argmin(np.abs(sizes - size))) for size in wanted])
    return tuple(ordered[place] for place in kept)
