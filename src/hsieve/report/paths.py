"""A regularisation path in plain words."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hsieve.report.names import names_of
from hsieve.solvers import LarsPath
from hsieve.strategies.lars_path import LarsSelectionPath

__all__ = ["atom_name", "coefficients_in_order", "lars_selection_path", "path_in_words"]


def lars_selection_path(selector: Any) -> LarsSelectionPath:
    """Return the regularisation path of a fitted selector."""
    check_is_fitted(selector)
    path = getattr(selector, "path_", None)
    if not isinstance(path, LarsSelectionPath):
        msg = (
            f"{type(selector).__name__} follows no regularisation path; accepted are N3LARS, "
            "HSICLasso and selectors whose strategy is LarsSearch()."
        )
        raise TypeError(msg)
    return path


def atom_name(path: LarsSelectionPath, atom: int, names: Sequence[str]) -> str:
    """Name a feature, or the features of a pair, on a path."""
    return " x ".join(names[feature] for feature in path.features_of(atom))


def coefficients_in_order(lars: LarsPath) -> NDArray[np.floating]:
    """Return the coefficients at the knots of what ever came in."""
    lines: NDArray[np.floating] = np.full((len(lars.levels), len(lars.order)), np.nan)
    places = {int(atom): place for place, atom in enumerate(lars.order)}
    for knot, (active, values) in enumerate(zip(lars.active_sets, lars.values, strict=True)):
        known = [
            (places[atom], value)
            for atom, value in zip(active.tolist(), values, strict=True)
            if atom in places
        ]  # covariates are never in the order
        for place, value in known:
            lines[knot, place] = value
            if knot and np.isnan(lines[knot - 1, place]):
                lines[knot - 1, place] = 0.0
    # Who came in at the last knot, by a tie, has no segment yet.
    ends = lines[-1]
    ends[np.isin(lars.order, lars.selected) & np.isnan(ends)] = 0.0
    return lines


def path_in_words(selector: Any, *, feature_names: Iterable[Any] | None = None) -> str:
    """Tell how a path ended, and how many comparisons of features it did without.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector with a regularisation path.
    feature_names : iterable or None, default=None
        Names of all features; None for those of the data frame, or x0, x1, ...

    Returns
    -------
    str
        One or two sentences.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import path_in_words
    >>> problem = make_n3lars(600, 100, random_state=0)
    >>> path_in_words(N3LARS(3).fit(problem.X, problem.y))
    "The path ended with 3 features in, where 'x...' would have come in next (level ...). ..."
    """
    path = lars_selection_path(selector)
    names = names_of(selector, feature_names)
    lars = path.lars
    parts = [_ending(path, names)]
    n_left = len(lars.order) - len(lars.selected)
    if n_left:
        parts.append(f"{n_left} came in and left again")
    n_filled = len(selector.selected_indices_) - len(path.features_on_path)
    if n_filled:
        parts.append(f"{n_filled} with a coefficient of zero were added by relevance")
    return (
        f"{'; '.join(parts)}. Of the pairs of a feature that came in with any feature, "
        f"{lars.share_spared:.1%} never had to be compared."
    )


def _ending(path: LarsSelectionPath, names: list[str]) -> str:
    """Tell where the path ended and why."""
    lars = path.lars
    n_in = len(lars.selected)
    features = f"{n_in} feature{'' if n_in == 1 else 's'} in"
    n_pairs = int((lars.selected >= len(path.relevance)).sum())
    if n_pairs:
        n_single = n_in - n_pairs
        features = (
            f"{n_single} single feature{'' if n_single == 1 else 's'} and "
            f"{n_pairs} pair{'' if n_pairs == 1 else 's'} in"
        )
    stop = lars.events[-1]
    if lars.stop_reason == "enough features":
        next_one = atom_name(path, stop.feature, names)
        return (
            f"The path ended with {features}, where {next_one!r} would have come in next "
            f"(level {stop.level:.3g})"
        )
    if lars.stop_reason == "lowest level":
        return (
            f"The path was followed down to level {stop.level:.3g}, below which not all pairs were "
            f"looked at, with {features}"
        )
    if lars.stop_reason == "level zero":
        return (
            f"The path ran down to level zero with {features}; no other feature adds to them "
            "or may come in"
        )
    return (
        f"The path was cut off by its limit of steps at level {stop.level:.3g} with {features}, "
        "so other features may be as good"
    )
