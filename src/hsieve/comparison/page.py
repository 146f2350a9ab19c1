"""A comparison of selectors as one page that needs nothing else."""

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


def _picture(found: SelectorComparison) -> dict[str, Any] | None:
    """Lay out the scores of all folds, a row for each selector."""
    rows: list[tuple[SelectorSummary, float, list[float]]] = []
    for summary in found.rows_shown:
        own = [one for one in found.records if one["selector"] == summary.name]
        scores = [float(record["score"]) for record in own if "score" in record]
        if summary.score is not None:
            rows.append((summary, summary.score.mean, scores))
    if not rows:
        return None
    values = [score for _, mean, scores in rows for score in (mean, *scores)]
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    low, high = low - 0.04 * reach, high + 0.04 * reach

    def place(score: float) -> float:
        return round(LABELS + (score - low) / (high - low) * (WIDTH - LABELS - RIGHT), 1)

    ticks = [low + (high - low) * number / (N_TICKS - 1) for number in range(N_TICKS)]
    bottom = TOP + ROW * len(rows)
    return {
        "width": WIDTH,
        "height": bottom + 44,
        "left": LABELS,
        "bottom": bottom,
        "ticks": [(place(tick), f"{tick:.3g}") for tick in ticks],
        "rows": [
            {
                "name": summary.name,
                "label": shortened(summary.name, LONGEST_LABEL),
                "at": TOP + ROW * (number + 0.5),
                "mean": place(mean),
                "dots": [place(score) for score in scores],
                "is_best": summary is found.best,
            }
            for number, (summary, mean, scores) in enumerate(rows)
        ],
    }
