"""Pictures of the data: each chosen feature beside the target, pairs, and what features share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.report.curves import Names, plain_number
from hsieve.report.evidence import Evidence
from hsieve.text import shortened

__all__ = ["data_pictures", "target_summary"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

MOST_PANELS = 24
MOST_PLANES = 6
MOST_POINTS = 250
MOST_GROUPS = 10
MOST_CELLS = 30
MOST_SCATTERED = 300
N_BINS = 12
# Numeric features of no more values than this are shown level by level.
FEW_VALUES = 6
LONGEST_LABEL = 40
OUTERMOST = (0.01, 0.99)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
OTHERS = "others"
# How each form of a small picture is to be read.
FORMS = {
    "groups": "Boxes reach from the lower to the upper quartile, with a line at the median; "
    "whiskers from 5 % to 95 % of the samples.",
    "points": "Dots are samples, the outermost at the edge where they lie very far out; the line "
    "joins the means of twelve equal parts of them.",
    "shares": "Bars are the fractions of the classes at each level of the feature.",
}


def data_pictures(
    selector: Any, evidence: Evidence, names: Names, target_name: str
) -> list[dict[str, Any]]:
    """Make the pictures that need the data."""
    made = (
        _landscape(evidence, names),
        _heat(evidence, names),
        _panels(selector, evidence, names, target_name),
        _planes(selector, evidence, names, target_name),
    )
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
            {"name": _label(classes[place]), "count": int(counts[place])}
            for place in largest[:MOST_GROUPS]
        ]
        rest = int(counts[largest[MOST_GROUPS:]].sum())
        if rest:
            summary["classes"].append({"name": OTHERS, "count": rest})
    elif target.kind == "outputs":
        summary["n_outputs"] = int(target.values.shape[1])
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
        made = _beside(values, target, is_category=is_category, is_classes=is_classes)
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


def _beside(
    values: FloatArray, target: NDArray[Any], *, is_category: bool, is_classes: bool
) -> dict[str, Any]:
    """One feature beside the target, in the form that suits the kinds of both."""
    few = is_category or len(np.unique(values)) <= FEW_VALUES
    if few and is_classes:
        return _shares(values, target)
    if is_classes:
        groups, labels = _groups(target)
        return {"form": "groups", "along": "feature", "groups": _boxes(values, groups, labels)}
    numbers = target.astype(np.float64)
    if few:
        groups, labels = _groups(values)
        return {"form": "groups", "along": "target", "groups": _boxes(numbers, groups, labels)}
    points = [_within(one) for one in (values, numbers)]
    return {"form": "points", "points": _points(*points), "line": _means(values, numbers)}


def _in_words(panel: dict[str, Any]) -> str:
    """Describe a small picture for those who cannot see it."""
    if panel["form"] == "points":
        (low, first), (high, last) = panel["line"][0], panel["line"][-1]
        means = [value for _, value in panel["line"] if value is not None]
        return (
            f"Mean of the target in equal parts of the samples, by the feature from {low} to "
            f"{high}: it begins at {first} and ends at {last}, the lowest is {min(means)}, the "
            f"highest {max(means)}."
        )
    if panel["form"] == "groups":
        medians = (f"{one['name']} {one['quantiles'][2]}" for one in panel["groups"])
        return f"Medians: {', '.join(medians)}."
    first = panel["classes"][0]
    shares = (f"{one['name']} {one['shares'][0]:.0%}" for one in panel["levels"])
    return f"Fraction of {first} at each level: {', '.join(shares)}."


def _groups(labels: NDArray[Any]) -> tuple[IndexArray, list[str]]:
    """Give numbers to the largest groups of equal labels; the rest are one group."""
    distinct, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(distinct) <= MOST_GROUPS:
        return codes.ravel(), [_label(one) for one in distinct]
    largest = np.sort(np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1])
    place = np.full(len(distinct), MOST_GROUPS - 1, dtype=np.intp)
    place[largest] = np.arange(len(largest))
    return place[codes.ravel()], [*(_label(distinct[one]) for one in largest), OTHERS]


def _boxes(values: FloatArray, groups: IndexArray, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Quantiles of each group."""
    boxes = []
    for group, label in enumerate(labels):
        own = values[groups == group]
        quantiles = [plain_number(value) for value in np.quantile(own, QUANTILES)]
        boxes.append({"name": label, "count": len(own), "quantiles": quantiles})
    return boxes


def _shares(values: FloatArray, target: NDArray[Any]) -> dict[str, Any]:
    """Fractions of the classes at each level of a feature."""
    levels, level_names = _groups(values)
    groups, labels = _groups(target)
    rows = []
    for level, name in enumerate(level_names):
        own = groups[levels == level]
        counts = np.bincount(own, minlength=len(labels))
        rows.append(
            {
                "name": name,
                "count": len(own),
                "shares": [plain_number(count / len(own)) for count in counts],
            }
        )
    return {"form": "shares", "levels": rows, "classes": labels}


def _within(values: FloatArray) -> FloatArray:
    """Bring the outermost values to the edge, where they would squeeze all others."""
    low, high = np.quantile(values, OUTERMOST)
    far = 2 * (high - low)
    squeezes = values.max() > high + far or values.min() < low - far
    return np.clip(values, low, high) if squeezes and high > low else values


def _points(values: FloatArray, target: FloatArray) -> list[list[float | None]]:
    """Take some of the samples."""
    step = max(1, -(-len(values) // MOST_POINTS))
    return [
        [plain_number(x), plain_number(y)]
        for x, y in zip(values[::step], target[::step], strict=True)
    ]


def _means(values: FloatArray, target: FloatArray) -> list[list[float | None]]:
    """Mean of both in equal parts of the samples, by the feature."""
    parts = np.array_split(np.argsort(values, kind="stable"), min(N_BINS, len(values)))
    return [[plain_number(values[own].mean()), plain_number(target[own].mean())] for own in parts]


def _planes(
    selector: Any, evidence: Evidence, names: Names, target_name: str
) -> dict[str, Any] | None:
    """Draw the best pairs, one feature against the other, coloured by the target."""
    target, pairs = evidence.target_rows, getattr(selector, "pairs_", [])
    if evidence.values is None or target is None or evidence.target is None or not pairs:
        return None
    place = {int(feature): position for position, feature in enumerate(evidence.features)}
    drawn = [pair for pair in pairs if all(f in place for f in pair.features)][:MOST_PLANES]
    if not drawn:
        return None
    is_classes = evidence.target.kind == "classes"
    groups, labels = _groups(target) if is_classes else _quarters(target.astype(np.float64))
    step = max(1, -(-len(target) // MOST_POINTS))
    panels = []
    for pair in drawn:
        a, b = pair.features
        first, second = (_within(evidence.values[:, place[f]])[::step] for f in (a, b))
        panels.append(
            {
                **names.of(a),
                "also": [int(b)],
                "names": [names(a), names(b)],
                "form": "plane",
                "description": f"Samples of {len(labels)} kinds, by {names(a)} and {names(b)}.",
                "points": [
                    [plain_number(x), plain_number(y), int(group)]
                    for x, y, group in zip(first, second, groups[::step], strict=True)
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
        "groups": labels,
        "panels": panels,
    }


def _quarters(target: FloatArray) -> tuple[IndexArray, list[str]]:
    """Cut numbers into four parts of equal size, as far as ties allow."""
    cuts = np.unique(np.quantile(target, (0.25, 0.5, 0.75)))
    parts = np.searchsorted(cuts, target, side="left")
    met, codes = np.unique(parts, return_inverse=True)
    ends = [f"up to {cut:.3g}" for cut in cuts] + [f"above {cuts[-1]:.3g}"]
    return codes.ravel(), [ends[part] for part in met]


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
        "values": [[plain_number(value) for value in row] for row in values],
    }


def _label(value: Any) -> str:
    """Name a class or a level."""
    plain = value.item() if isinstance(value, np.generic) else value
    is_whole = isinstance(plain, float) and plain.is_integer() and abs(plain) < 1e15
    return shortened(str(int(plain) if is_whole else plain), LONGEST_LABEL)
