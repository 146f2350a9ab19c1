"""Pictures of the data: each chosen feature beside the target, pairs, and what features share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.report.curves import Names
from hsieve.report.evidence import Evidence
from hsieve.report.p_values import SIGNIFICANT
from hsieve.report.shapes import (
    LONGEST_LABEL,
    MOST_GROUPS,
    MOST_POINTS,
    SampleLevels,
    beside,
    edges,
    level_name,
    levels_of,
    plain_number,
    plain_numbers,
    survival_curves,
)
from hsieve.strategies.pursuit_path import PursuitPath
from hsieve.text import shortened

FloatArray = NDArray[np.floating]

MOST_PANELS = 24
MOST_PLANES = 6
MOST_CELLS = 30
MOST_SCATTERED = 300
OTHERS = "others"
# How each form of a small picture is to be read.
FORMS = {
    "survival": "Lines are the fraction without an event (Kaplan and Meier), at each level of the "
    "feature or in each third of its values.",
    "fractions": "Bars are the fractions of the classes at each level of the feature.",
    "points": "Dots are samples, the outermost at the edge where they lie very far out; the line "
    "is a smooth curve through all of them.",
    "violins": "A violin is wide where many samples lie; dots are some of them, the bar reaches "
    "from the lower to the upper quartile, and the mark in it is the median.",
}


def data_pictures(
    selector: Any, evidence: Evidence, names: Names, target_name: str
) -> list[dict[str, Any]]:
    """Make the pictures that need the data."""
    beside_target = [make(selector, evidence, names, target_name) for make in (_panels, _planes)]
    if hasattr(next(iter(getattr(selector, "pairs_", ())), None), "family_wise_p"):
        beside_target.reverse()  # features of a scan matter in pairs
    made = (*beside_target, _landscape(evidence, names), _heat(evidence, names))
    return [picture for picture in made if picture is not None]


def target_summary(evidence: Evidence, name: str) -> dict[str, Any] | None:
    """Describe the target in numbers."""
    target = evidence.target
    if target is None:
        return None
    summary: dict[str, Any] = {"name": shortened(name, LONGEST_LABEL), "kind": target.kind}
    if target.kind == "classes":
        classes, counts = np.unique(target.values, return_counts=True)
        largest = np.argsort(-counts, kind="stable")
        summary["n_classes"] = len(classes)
        summary["smallest"] = int(counts.min())
        summary["classes"] = [
            {"name": level_name(classes[place]), "count": int(counts[place])}
            for place in largest[:MOST_GROUPS]
        ]
        rest = int(counts[largest[MOST_GROUPS:]].sum())
        if rest:
            summary["classes"].append({"name": OTHERS, "count": rest})
    elif target.kind == "outputs":
        summary["n_outputs"] = int(target.values.shape[1])
    if target.times is not None:
        summary["n_events"] = int(target.times["event"].sum())
        summary["numbers"] = [
            {"name": word, "value": plain_number(value)}
            for word, value in zip(
                ("shortest time", "median time observed", "longest time"),
                np.quantile(target.times["time"], (0, 0.5, 1)),
                strict=True,
            )
        ]
    if target.kind in ("continuous", "outputs"):
        shown = np.asarray(target.shown, dtype=np.float64)
        summary["numbers"] = [
            {"name": word, "value": plain_number(value)}
            for word, value in zip(
                ("smallest", "lower quartile", "median", "upper quartile", "largest"),
                np.quantile(shown, (0, 0.25, 0.5, 0.75, 1)),
                strict=True,
            )
        ]
    return summary


def _landscape(evidence: Evidence, names: Names) -> dict[str, Any] | None:
    """Relevance of the features against their redundancy."""
    redundancy = evidence.redundancy()
    if evidence.relevance is None or redundancy is None:
        return None
    points = [
        {**names.of(feature), "x": plain_number(relevant), "y": plain_number(redundant)}
        for feature, relevant, redundant in zip(
            evidence.features[:MOST_SCATTERED], evidence.relevance, redundancy, strict=False
        )
        if np.isfinite(redundant)
    ]
    if len(points) < 2:
        return None
    chosen = [point for point in points if point["chosen"]]
    words = ", ".join(f"{p['name']} {p['x']:.2g} and {p['y']:.2g}" for p in chosen[:5])
    return {
        "id": "landscape",
        "kind": "scatter",
        "title": "Relevance against redundancy",
        "caption": "Each dot is a feature: to the right what it tells about the target alone, "
        "upwards what it shares with the chosen feature most like it (both NHSIC). Filled: chosen. "
        "Chosen features far to the left matter together with others, or not at all.",
        "description": f"{len(points)} features, {len(chosen)} of them chosen. Relevance and "
        f"redundancy of the first chosen ones: {words}.",
        "x": {"label": "relevance", "from": 0.0},
        "y": {"label": "redundancy", "from": 0.0},
        "points": points,
    }


def _panels(
    selector: Any, evidence: Evidence, names: Names, target_name: str
) -> dict[str, Any] | None:
    """Each chosen feature beside the target."""
    target = evidence.target_rows
    if evidence.values is None or target is None or evidence.target is None:
        return None
    n_chosen = min(len(selector.selected_indices_), len(evidence.features))
    if not n_chosen:
        return None
    is_classes = evidence.target.kind == "classes"
    target_label = shortened(target_name, LONGEST_LABEL)
    if evidence.target.kind == "outputs":
        target_label = f"{target_label} (first output)"
    panels = []
    for place in range(min(n_chosen, MOST_PANELS)):
        values, feature = evidence.values[:, place], int(evidence.features[place])
        is_category = feature in evidence.categorical
        made = (
            survival_curves(
                values,
                evidence.target.times[evidence.rows],
                is_category=is_category,
                level_names=evidence.levels.get(feature),
            )
            if evidence.target.times is not None
            else beside(
                values,
                target,
                is_category=is_category,
                is_classes=is_classes,
                level_names=evidence.levels.get(feature),
            )
        )
        panels.append({**names.of(feature), **made, "description": _in_words(made)})
    more = n_chosen - len(panels)
    return {
        "id": "panels",
        "kind": "panels",
        "title": "Chosen features beside the target",
        "caption": " ".join(FORMS[form] for form in sorted({panel["form"] for panel in panels}))
        + (f" Not drawn: {more:,} more chosen features." if more else ""),
        "description": "One small picture for each chosen feature, with the target "
        f"{target_label}.",
        "target": target_label,
        "panels": panels,
    }


def _in_words(panel: dict[str, Any]) -> str:
    """Describe a small picture for those who cannot see it."""
    if panel["form"] == "points":
        (low, first), (high, last) = panel["line"][0], panel["line"][-1]
        heights = [height for _, height in panel["line"]]
        return (
            f"Smooth curve of the target, by the feature from {low} to {high}: it begins at "
            f"{first} and ends at {last}, the lowest is {min(heights)}, the highest {max(heights)}."
        )
    if panel["form"] == "survival":
        ends = (f"{one['name']} {one['curve'][-1][1]:.0%}" for one in panel["groups"])
        return f"Fraction without an event at the end: {', '.join(ends)}."
    if panel["form"] == "violins":
        medians = (f"{one['name']} {one['quantiles'][2]}" for one in panel["groups"])
        return f"Medians: {', '.join(medians)}."
    first = panel["classes"][0]
    fractions = (f"{one['name']} {one['fractions'][0]:.0%}" for one in panel["levels"])
    return f"Fraction of {first} at each level: {', '.join(fractions)}."


def _planes(
    selector: Any, evidence: Evidence, names: Names, target_name: str
) -> dict[str, Any] | None:
    """Draw the best pairs, one feature against the other, coloured by the target."""
    target, pairs = evidence.target_rows, _pairs_of(selector)
    if evidence.values is None or target is None or evidence.target is None:
        return None
    place = {int(feature): position for position, feature in enumerate(evidence.features)}
    drawn = [pair for pair in pairs if all(f in place for f in pair)][:MOST_PLANES]
    if not drawn:
        return None
    is_classes = evidence.target.kind == "classes"
    groups = levels_of(target, MOST_GROUPS) if is_classes else _quarters(target.astype(np.float64))
    step = max(1, -(-len(target) // MOST_POINTS))
    panels = []
    for pair in drawn:
        a, b = pair
        first, second = (evidence.values[:, place[f]] for f in (a, b))
        first, second = (np.clip(one, *edges(one))[::step] for one in (first, second))
        panels.append(
            {
                **names.of(a),
                "also": [int(b)],
                "names": [names(a), names(b)],
                "form": "plane",
                "description": f"{len(groups.names)} kinds of samples, by {names(a)} and "
                f"{names(b)}.",
                "points": [
                    [plain_number(x), plain_number(y), int(group)]
                    for x, y, group in zip(first, second, groups.codes[::step], strict=True)
                ],
            }
        )
    what = "the class" if is_classes else "the quarter of the samples that the target lies in"
    return {
        "id": "planes",
        "kind": "panels",
        "title": "Pairs beside the target",
        "caption": f"Samples by two features that matter together; colour and shape tell {what}.",
        "description": f"One small picture for each of {len(panels)} pairs: "
        + "; ".join(f"{one['names'][0]} and {one['names'][1]}" for one in panels)
        + ".",
        "target": shortened(target_name, LONGEST_LABEL),
        "groups": groups.names,
        "panels": panels,
    }


def _pairs_of(selector: Any) -> list[tuple[int, int]]:
    """Features that a method found together: of a scan, the best and what else is not chance."""
    path = selector.path_
    if isinstance(path, PursuitPath):
        found = [one.features for one in path.events if one.what == "joined"]
        return [(int(pair[0]), int(pair[1])) for pair in found if len(pair) == 2]
    pairs = getattr(selector, "pairs_", [])
    return [
        pair.features
        for place, pair in enumerate(pairs)
        if not place or not getattr(pair, "family_wise_p", 0.0) > SIGNIFICANT
    ]


def _quarters(target: FloatArray) -> SampleLevels:
    """Cut numbers into four parts of equal size, as far as ties allow."""
    cuts = np.unique(np.quantile(target, (0.25, 0.5, 0.75)))
    parts = np.searchsorted(cuts, target, side="left")
    met, codes = np.unique(parts, return_inverse=True)
    ends = [f"up to {cut:.3g}" for cut in cuts] + [f"above {cuts[-1]:.3g}"]
    return SampleLevels(codes.ravel(), [ends[part] for part in met])


def _heat(evidence: Evidence, names: Names) -> dict[str, Any] | None:
    """How much the chosen features share with each other."""
    if evidence.overlap is None or len(evidence.compared) < 2:
        return None
    place = {int(feature): position for position, feature in enumerate(evidence.features)}
    kept = [int(f) for f in evidence.compared[:MOST_CELLS] if int(f) in place]
    rows = [place[feature] for feature in kept]
    values = evidence.overlap[np.ix_(rows, range(len(kept)))]
    above = np.triu(values, 1)
    a, b = np.unravel_index(int(above.argmax()), above.shape)
    more = len(evidence.compared) - len(kept)
    return {
        "id": "heat",
        "kind": "heat",
        "title": "What chosen features share",
        "caption": "NHSIC of each two chosen features: 0 for independent ones, 1 for copies. "
        "Rows and columns are in the order of rank."
        + (f" Not drawn: {more:,} more chosen features." if more > 0 else ""),
        "description": f"{len(kept)} features; most is shared by {names(kept[a])} and "
        f"{names(kept[b])}, {above[a, b]:.2g}.",
        "features": [names.of(feature) for feature in kept],
        "values": [plain_numbers(row) for row in values],
    }
