"""Pictures of how a selector came to its choice, as plain numbers that a page can draw.

Each is a dictionary: what kind of picture, title, caption, a description for those who cannot see
it, axes, and lines or bars of features. A feature has the same colour in every picture.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hsieve.report.shapes import plain_number, plain_numbers
from hsieve.solvers import LarsPath
from hsieve.strategies.lars_path import LarsSelectionPath
from hsieve.strategies.pursuit_path import PursuitPath
from hsieve.strategies.randomised import ContributionPath
from hsieve.text import shortened

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

MOST_LINES = 60
MOST_POINTS = 240
MOST_BARS = 30
LONGEST_NAME = 200


class Names:
    """Names of features as they are shown, and the colours of the chosen ones.

    Parameters
    ----------
    names : sequence of str
        Names of all features.
    chosen : ndarray of int
        Chosen features, best first; each has a colour by its place.
    """

    def __init__(self, names: Sequence[str], chosen: IndexArray) -> None:
        self._names = names
        self._colours = {int(feature): place for place, feature in enumerate(chosen)}

    def __call__(self, feature: int) -> str:
        """Name a feature."""
        return shortened(self._names[feature], LONGEST_NAME)

    def of(self, feature: int) -> dict[str, Any]:
        """Say what a picture knows of a feature: position, name, and colour if it was chosen."""
        feature = int(feature)
        return {
            "feature": feature,
            "name": self(feature),
            "colour": self._colours.get(feature),
            "chosen": feature in self._colours,
        }

    @property
    def all(self) -> Sequence[str]:
        """The names in full."""
        return self._names


def names_of(selector: Any, feature_names: Iterable[Any] | None = None) -> list[str]:
    """Return a name for each feature: as given, those of the data frame, or x0, x1, ..."""
    n_features = selector.n_features_in_
    if feature_names is None:
        feature_names = getattr(
            selector, "feature_names_in_", [f"x{feature}" for feature in range(n_features)]
        )
    names = [str(name) for name in feature_names]
    if len(names) != n_features:
        msg = f"feature_names must hold {n_features} names, one for each feature, got {len(names)}."
        raise ValueError(msg)
    return names


def curves(selector: Any, names: Names) -> list[dict[str, Any]]:
    """Make the pictures that a selector can give without its data."""
    makers: tuple[Callable[[Any, Names], dict[str, Any] | None], ...] = (
        _scores,
        _explained,
        _stability,
        _contributions,
        _number,
        _path,
    )
    made = (make(selector, names) for make in makers)
    return [picture for picture in made if picture is not None]


def _path(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw coefficients along the regularisation path."""
    path = getattr(selector, "path_", None)
    if not isinstance(path, LarsSelectionPath) or not len(path.lars.order):
        return None
    lars, values = path.lars, coefficients_in_order(path.lars)
    in_at_end = np.isin(lars.order, lars.selected)
    ends = np.where(in_at_end, np.nan_to_num(values[-1]), -1.0)
    kept = np.sort(np.argsort(-ends, kind="stable")[:MOST_LINES])
    knots = _some(len(lars.levels))
    series = []
    for place in kept:
        atom = int(lars.order[place])
        features = path.features_of(atom)
        line = names.of(features[0])
        if len(features) > 1:
            line["name"] = shortened(atom_name(path, atom, names.all), LONGEST_NAME)
            line["also"] = [int(feature) for feature in features[1:]]
        line["chosen"] = bool(in_at_end[place])
        series.append({**line, "values": plain_numbers(values[knots, place])})
    return {
        "id": "path",
        "kind": "lines",
        "title": "The path",
        "caption": "How the method searched. At the left the penalty on coefficients is so high "
        "that no feature is in; as it falls, features come in one by one, by what they add to "
        "those already in. A line that begins early and rises high is a feature that tells much "
        "that the others do not."
        + _left_out(len(lars.order) - len(kept), "lines of other features"),
        "description": _ends(series, "coefficient at the end of the path"),
        "x": {
            "label": "level of the penalty (falling)",
            "values": plain_numbers(lars.levels[knots]),
        },
        "y": {"label": "coefficient"},
        "series": series,
    }


def _explained(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw what a pursuit explains with each more feature."""
    path = getattr(selector, "path_", None)
    if not isinstance(path, PursuitPath) or not path.n_found:
        return None
    sizes = [0, *path.sizes.tolist()]
    explained = 1.0 - path.errors
    steps = range(1, min(len(sizes), MOST_LINES + 1))
    n_points = len(steps) + 1
    series = []
    for step in steps:
        features = path.order[sizes[step - 1] : sizes[step]].tolist()
        line = names.of(features[0])
        if len(features) > 1:
            line["name"] = " × ".join(names(feature) for feature in features)
            line["also"] = features[1:]
        values = np.full(n_points, np.nan)
        values[step - 1 : step + 1] = explained[step - 1 : step + 1]
        series.append({**line, "values": plain_numbers(values)})
    choice = getattr(selector, "n_features_choice_", None)
    reason = f" {choice.reason}" if choice is not None and choice.rule == "auto" else ""
    return {
        "id": "explained",
        "kind": "lines",
        "title": "What each feature adds",
        "caption": "Explained fraction of the variance of the target (1 less the leave-one-out "
        "error of a kernel regression) as features are added, each line being what one feature, "
        f"or features found only together, add to those before.{reason}"
        + _left_out(len(sizes) - n_points, "more steps"),
        "description": _ends(series, "explained fraction after the feature"),
        "x": {"label": "number of features", "values": sizes[:n_points]},
        "y": {"label": "explained fraction of the variance"},
        "series": series,
        "lines": [],
    }


def _stability(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw selection frequencies along the range of regularisation."""
    frequencies = getattr(selector, "frequencies_", None)
    if frequencies is None:
        return None
    order = selector.path_.order[:MOST_LINES]
    order = order[selector.stability_scores_[order] > 0]
    points = _some(len(selector.range_))
    series = [
        {**names.of(feature), "values": plain_numbers(frequencies[points, feature])}
        for feature in order
    ]
    n_ever = int(np.count_nonzero(selector.stability_scores_))
    threshold = float(selector.threshold_)
    return {
        "id": "stability",
        "kind": "lines",
        "title": "Stability along the range",
        "caption": f"Fraction of {len(selector.n_selected_)} subsamples that select each feature, "
        "at each point of the range of regularisation. Features that reach the dashed line "
        "anywhere are stable." + _left_out(n_ever - len(order), "features less often selected"),
        "description": _ends(
            [
                {**line, "values": [plain_number(selector.stability_scores_[line["feature"]])]}
                for line in series
            ],
            "largest fraction of subsamples",
        ),
        "x": {"label": "point of the range", "values": [int(point) + 1 for point in points]},
        "y": {"label": "fraction of subsamples", "from": 0.0, "to": 1.0},
        "series": series,
        "lines": [
            {"axis": "y", "value": plain_number(threshold), "label": f"threshold {threshold:.3g}"}
        ],
    }


def _contributions(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw contributions of the features that stayed longest."""
    path = getattr(selector, "path_", None)
    if not isinstance(path, ContributionPath) or len(path.contributions) < 2:
        return None
    order = path.order[: max(MOST_LINES // 2, min(len(selector.selected_indices_), MOST_LINES))]
    order = order[~np.isnan(path.contributions[0, order])]
    rounds = _some(len(path.contributions))
    series = [
        {**names.of(feature), "values": plain_numbers(path.contributions[rounds, feature])}
        for feature in order
    ]
    n_ever = int(np.sum(~np.isnan(path.contributions[0])))
    return {
        "id": "contributions",
        "kind": "lines",
        "title": "Contributions, iteration by iteration",
        "caption": "What each feature brings to random sets of the others. After each iteration "
        "the worst are culled, where their line ends; a line above zero to the right is a feature "
        "that held out." + _left_out(n_ever - len(order), "features culled earlier"),
        "description": _ends(series, "last contribution"),
        "x": {"label": "iteration", "values": [int(one) + 1 for one in rounds]},
        "y": {"label": "contribution"},
        "series": series,
        "lines": [{"axis": "y", "value": 0.0, "label": ""}],
    }


def _number(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw the curve by which the number of features was found."""
    choice = getattr(selector, "n_features_choice_", None)
    if choice is None or choice.rule == "auto":
        return None  # what a pursuit explains with each number is drawn by itself
    del names
    places = _some(len(choice.sizes), always=np.flatnonzero(choice.sizes == choice.number))
    return {
        "id": "number",
        "kind": "lines",
        "title": "How many features",
        "caption": choice.reason,
        "description": choice.reason,
        "x": {
            "label": "number of features",
            "values": [int(size) for size in choice.sizes[places]],
            "log": bool(choice.sizes[-1] > 20 * choice.sizes[0] > 0),
        },
        "y": {"label": choice.criterion},
        "series": [
            {
                "feature": None,
                "name": choice.criterion,
                "colour": 0,
                "chosen": True,
                "values": plain_numbers(choice.values[places]),
            }
        ],
        "lines": [
            {"axis": "x", "value": int(choice.number), "label": f"{choice.number} chosen"},
            {"axis": "y", "value": plain_number(choice.threshold), "label": ""},
        ],
    }


def _scores(selector: Any, names: Names) -> dict[str, Any] | None:
    """Draw scores of the best features."""
    n_chosen = len(selector.selected_indices_)
    order = selector.path_.order[: min(MOST_BARS, n_chosen + MOST_BARS // 3)]
    # Those not chosen say something only where they have a score.
    worth = np.isin(order, selector.selected_indices_) | (selector.scores_[order] != 0)
    order = order[worth]
    if not len(order):
        return None
    bars = [{**names.of(f), "value": plain_number(selector.scores_[f])} for f in order]
    n_more = len(selector.path_.order) - len(order)
    return {
        "id": "scores",
        "kind": "bars",
        "title": "Scores by rank",
        "caption": "Filled bars are chosen features, hollow ones are not."
        + _left_out(n_more, "features of lower rank, or with a score of zero"),
        "description": _ends([{**bar, "values": [bar["value"]]} for bar in bars], "score"),
        "x": {"label": "score"},
        "bars": bars,
    }


def _some(n_points: int, *, always: IndexArray | None = None) -> IndexArray:
    """Places of all points, or of so many, evenly spread, that a picture needs no more."""
    if n_points <= MOST_POINTS:
        return np.arange(n_points)
    spread = np.linspace(0, n_points - 1, MOST_POINTS).round().astype(np.intp)
    return np.unique(spread if always is None else np.concatenate([spread, always]))


def _left_out(n_more: int, what: str) -> str:
    """Say how much is not shown."""
    return f" Not drawn: {n_more:,} {what}." if n_more > 0 else ""


def _ends(series: Sequence[dict[str, Any]], what: str, n_named: int = 5) -> str:
    """Describe lines or bars by where the first few of them end."""
    parts = []
    for line in series[:n_named]:
        known = [value for value in line["values"] if value is not None]
        parts.append(f"{line['name']} {known[-1]:.3g}" if known else f"{line['name']} none")
    more = f", and {len(series) - n_named} more" if len(series) > n_named else ""
    return f"{len(series)} drawn; {what}: {', '.join(parts)}{more}."


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
