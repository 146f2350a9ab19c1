"""A comparison of selectors as one page that needs nothing else."""

from dataclasses import dataclass
from typing import Any

from hsieve.comparison.result import SelectorComparison
from hsieve.comparison.summary import SelectorSummary
from hsieve.report.page import Report, page_from, require_jinja2
from hsieve.text import shortened

# The picture, in its own units.
LABELS, RIGHT, WIDTH, ROW, TOP = 210, 24, 720, 34, 12
LONGEST_LABEL = 26
N_TICKS = 5


class ComparisonReport(Report):
    """A page on a comparison; made by ``hsieve.compare(...).report()``.

    Parameters
    ----------
    summary : SelectorComparison
        What is shown.
    """

    def __init__(self, summary: SelectorComparison) -> None:
        require_jinja2()
        self.summary: Any = summary
        self.html = page_from("comparison.html", summary=summary, picture=_picture(summary))


@dataclass(frozen=True)
class Row:
    """A selector in the picture: places from left to right, and from top to bottom."""

    name: str
    label: str
    at: float
    mean: float | None
    dots: tuple[float, ...]
    is_best: bool


def _picture(found: SelectorComparison) -> dict[str, Any] | None:
    """Lay out the scores of all folds, a row for each selector."""
    shown: list[tuple[SelectorSummary, list[float]]] = []
    for summary in found.rows_shown:
        scores = [
            float(record["score"])
            for record in found.records
            if record["selector"] == summary.name and "score" in record
        ]
        if summary.score is not None:
            shown.append((summary, scores))
    values = [score for summary, scores in shown for score in (*scores, _mean(summary))]
    if not values:
        return None
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    low, high = low - 0.04 * reach, high + 0.04 * reach

    def place(score: float) -> float:
        return round(LABELS + (score - low) / (high - low) * (WIDTH - LABELS - RIGHT), 1)

    ticks = [low + (high - low) * number / (N_TICKS - 1) for number in range(N_TICKS)]
    return {
        "width": WIDTH,
        "height": TOP + ROW * len(shown) + 44,
        "left": LABELS,
        "bottom": TOP + ROW * len(shown),
        "ticks": [(place(tick), f"{tick:.3g}") for tick in ticks],
        "rows": [
            Row(
                summary.name,
                shortened(summary.name, LONGEST_LABEL),
                TOP + ROW * (number + 0.5),
                place(_mean(summary)),
                tuple(map(place, scores)),
                summary is found.best,
            )
            for number, (summary, scores) in enumerate(shown)
        ],
    }


def _mean(summary: SelectorSummary) -> float:
    assert summary.score is not None
    return summary.score.mean
