"""Results of a comparison of selectors, as text, rows and frames."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hsieve.comparison.summary import NO_FEATURES, SelectorSummary
from hsieve.io.frames import pandas_frame
from hsieve.text import html_table, listed

if TYPE_CHECKING:
    from hsieve.comparison.page import ComparisonReport

NOTHING = "-"
TEXT_WIDTH = 100
MOST_SHOWN = 10
HOW_TO_READ = (
    "Consistency: Nogueira's index, 1 if every fold selects the same features, about 0 if they "
    "could as well be drawn at random, ± half of its 95 % interval, which is rather too short, as "
    "folds share samples."
)


@dataclass(frozen=True)
class TextTable:
    """A table of text."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]  # one whose first cell is empty belongs to the one above it
    n_labels: int = 1  # how many of the columns, from the left, hold words; the others hold figures


@dataclass(frozen=True, eq=False, repr=False)
class SelectorComparison:
    """Selectors beside each other; made by :func:`hsieve.compare`.

    Parameters
    ----------
    summaries : tuple of SelectorSummary
        One for each selector, best score first; selectors that failed on some folds come after
        those that never did.
    criterion : str
        What the scores are, such as accuracy or R2.
    predictor : str
        What predicted, in words.
    records : list of dict
        One for each fold and selector: score, selected features (best first), seconds, or failure.
    notes : tuple of str, default=()
        What else is to be known.
    baseline : SelectorSummary or None, default=None
        Predictions that look at no feature: the most frequent class, or the mean.
    target_name : str, default="y"
        What was predicted.
    """

    summaries: tuple[SelectorSummary, ...]
    criterion: str
    predictor: str
    records: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    baseline: SelectorSummary | None = None
    target_name: str = "y"

    @property
    def best(self) -> SelectorSummary:
        """The selector with the best mean score."""
        return self.summaries[0]

    def __getitem__(self, name: str) -> SelectorSummary:
        """Return what came of a selector, by its name."""
        for summary in self.rows_shown:
            if summary.name == name:
                return summary
        names = ", ".join(summary.name for summary in self.summaries)
        msg = f"There is no selector {name!r} in this comparison; there are {names}."
        raise KeyError(msg)

    @property
    def rows_shown(self) -> tuple[SelectorSummary, ...]:
        """The selectors, and what looks at no feature."""
        return self.summaries if self.baseline is None else (*self.summaries, self.baseline)

    def tables(self) -> list[TextTable]:
        """Lay out the selectors, and the features that each selects most often."""
        shown = [self._scores()]
        if any(summary.frequent for summary in self.summaries):
            shown.append(self._features())
        return shown

    def sentences(self) -> list[str]:
        """Say which differences are more than chance, and how to read the figures."""
        told = [
            f"{self.criterion}: mean ± deviation over folds, of samples held out, predicted by "
            f"{self.predictor}."
        ]
        told += self._about_differences()
        told += self._about_baseline()
        if any(summary.consistency for summary in self.summaries):
            told.append(HOW_TO_READ)
        told += [sentence for summary in self.summaries for sentence in _remarks(summary)]
        return [*told, *self.notes]

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dictionary for each selector, with None for what is not known."""
        return [_row(summary, self.criterion) for summary in self.rows_shown]

    def to_frame(self) -> Any:
        """Return the rows as a pandas frame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return pandas_frame(self.rows(), "rows()").set_index("selector")

    def report(self) -> "ComparisonReport":
        """Tell the comparison on one page: ``found.report().save("comparison.html")``.

        Returns
        -------
        ComparisonReport
            With ``save(path)`` and ``html``; in a notebook it shows itself. Needs Jinja:
            ``pip install "hsieve[report]"``.
        """
        from hsieve.comparison.page import ComparisonReport

        return ComparisonReport(self)

    @property
    def title(self) -> str:
        """The finding in a few words."""
        if self.best.score is None:
            return f"No selector predicts {self.target_name}"
        if self.baseline is not None and (against := self.baseline.difference) is not None:
            is_better = against.low is None or (against.is_clear and against.mean < 0)
            if not is_better:
                return f"No selector clearly predicts {self.target_name} better than a guess"
        if len(self.summaries) == 1:
            return f"{self.best.name} predicts {self.target_name}"
        return (
            f"{self.best.name} predicts {self.target_name} best of {len(self.summaries)} selectors"
        )

    def _scores(self) -> TextTable:
        """One row for each selector."""
        has_failures = any(summary.n_failed for summary in self.summaries)
        headings = ["selector", self.criterion, "from best", "features", "consistency", "seconds"]
        rows = []
        for place, summary in enumerate(self.rows_shown):
            cells = _cells(summary, is_best=place == 0)
            rows.append([*cells, _count_failed(summary)] if has_failures else cells)
        n_folds = max((summary.n_folds for summary in self.summaries), default=0)
        what = "1 selector" if len(self.summaries) == 1 else f"{len(self.summaries)} selectors"
        title = f"{what} on {n_folds} {'fold' if n_folds == 1 else 'folds'}"
        return TextTable(title, headings + ["failed"] * has_failures, rows)

    def _features(self) -> TextTable:
        """Name the features that each selector finds again and again."""
        rows = [(summary.name, _often(summary)) for summary in self.summaries if summary.frequent]
        title = "Features selected in more than half of the folds, and in how many"
        return TextTable(title, ("selector", "features"), rows, n_labels=2)

    def _about_baseline(self) -> list[str]:
        """Say whether the best selector predicts better than a guess."""
        if self.baseline is None or self.baseline.difference is None:
            return []
        told = f"{NO_FEATURES}: predictions that look at none, the most frequent class or the mean"
        low = self.baseline.difference.low
        if low is None:  # a single fold does not tell
            return [f"{told}."]
        if self.baseline.difference.is_clear and self.baseline.difference.mean < 0:
            return [f"{told}; {self.best.name} is better by more than chance."]
        return [
            f"{told}; no selector is better by more than chance as far as these folds tell, so "
            f"that these features may not predict {self.target_name} at all."
        ]

    def _about_differences(self) -> list[str]:
        """Say which selectors are worse than the best by more than chance."""
        others = [one for one in self.summaries[1:] if one.difference is not None]
        if not others:
            return []
        if all(one.difference.low is None for one in others if one.difference):
            return ["A single fold does not tell whether a difference is more than chance."]
        clear = [one.name for one in others if one.difference and one.difference.is_clear]
        same = [one.name for one in others if one.difference and one.difference.mean == 0]
        unclear = [one.name for one in others if one.name not in {*clear, *same}]
        told = [f"{listed(same, len(same))} scored the same as {self.best.name}"] if same else []
        if clear:
            told.append(
                f"{self.best.name} is better than {listed(clear, len(clear))} by more than chance"
            )
        if unclear:
            told.append(f"its lead over {listed(unclear, len(unclear))} may be chance")
        words = "; ".join(told)
        if not clear and unclear:
            words = f"Best is {self.best.name}, but {'; '.join(reversed(told))}"
        return [
            "from best: mean difference over the same folds ± half of its 95 % interval, corrected "
            "for the samples that folds share; each difference is judged by itself.",
            f"{words}.",
        ]

    def __repr__(self) -> str:
        wrapped = [textwrap.fill(sentence, TEXT_WIDTH) for sentence in self.sentences()]
        return "\n\n".join([*map(to_text, self.tables()), "\n".join(wrapped)])

    def _repr_html_(self) -> str:
        *first, last = self.tables()
        parts = [html_table(table.title, table.headings, table.rows) for table in first]
        return "\n".join(
            [*parts, html_table(last.title, last.headings, last.rows, self.sentences())]
        )


def to_text(table: TextTable) -> str:
    """Write a table as plain text, words to the left and figures to the right."""
    rows = [table.headings, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.headings))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < table.n_labels else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([table.title, lines[0], rule, *lines[1:]])


def _cells(summary: SelectorSummary, *, is_best: bool) -> list[str]:
    """Write out the figures of a selector, a dash for what is not known."""
    score, sizes = summary.score, summary.n_selected
    if score is None or sizes is None:
        return [summary.name, *[NOTHING] * 5]
    against = "best" if is_best else NOTHING
    if summary.difference is not None:
        mean, high = summary.difference.mean, summary.difference.high
        against = f"{mean:+.3f}" + ("" if high is None else f" ± {high - mean:.3f}")
    number = f"{sizes.mean:.3g}"
    if summary.fewest < summary.most:
        number += f" ({summary.fewest}-{summary.most})"
    index = summary.consistency.nogueira if summary.consistency else None
    alike = f"{index.stability:.2f} ± {index.high - index.stability:.2f}" if index else NOTHING
    return [
        summary.name,
        f"{score.mean:.3f} ± {score.deviation:.3f}",
        against,
        number,
        alike,
        NOTHING if summary.seconds is None else f"{summary.seconds:.2g}",
    ]


def _count_failed(summary: SelectorSummary) -> str:
    """Say on how many folds a selector failed."""
    return f"{summary.n_failed} of {summary.n_folds}" if summary.n_failed else "0"


def _often(summary: SelectorSummary) -> str:
    """Name the features that a selector finds most often, each with its fraction of the folds."""
    shown = [f"{one.name} {one.share:.0%}" for one in summary.frequent[:MOST_SHOWN]]
    n_more = len(summary.frequent) - len(shown)
    return ", ".join(shown) + (f" and {n_more} more" if n_more else "")


def _remarks(summary: SelectorSummary) -> list[str]:
    """Tell what else is to be known about a selector."""
    name, told = summary.name, []
    if summary.n_failed:
        where = "every fold" if summary.score is None else f"{_count_failed(summary)} folds"
        told.append(f"{name} failed on {where} and has no score there: {summary.failure}")
    if summary.score is not None and summary.most == 0:
        told.append(f"{name} selects nothing on any fold; its score is that of a guess.")
    elif summary.consistency is not None and summary.consistency.nogueira is None:
        told.append(f"{name} selects all features on every fold, which tells no consistency.")
    elif summary.score is not None and summary.fewest == 0:
        told.append(f"{name} selects nothing on some folds; its score there is that of a guess.")
    told += [
        f"{name} warned on {times} of {summary.n_folds} folds: {message}"
        for message, times in summary.warnings.items()
    ]
    return told


def _row(summary: SelectorSummary, criterion: str) -> dict[str, Any]:
    """One flat dictionary."""
    score, sizes, difference = summary.score, summary.n_selected, summary.difference
    alike = summary.consistency
    index = alike.nogueira if alike else None
    return {
        "selector": summary.name,
        "criterion": criterion,
        "score": score.mean if score else None,
        "deviation": score.deviation if score else None,
        "difference": difference.mean if difference else None,
        "difference_low": difference.low if difference else None,
        "difference_high": difference.high if difference else None,
        "n_selected": sizes.mean if sizes else None,
        "fewest": summary.fewest if sizes else None,
        "most": summary.most if sizes else None,
        "consistency": index.stability if index else None,
        "consistency_low": index.low if index else None,
        "consistency_high": index.high if index else None,
        "jaccard": alike.jaccard if alike else None,
        "mean_variance": alike.mean_variance if alike else None,
        "log_probability": alike.log_probability if alike else None,
        "seconds": summary.seconds,
        "n_folds": summary.n_folds,
        "n_failed": summary.n_failed,
        "failure": summary.failure,
        "frequent": [{"feature": one.name, "share": one.share} for one in summary.frequent],
    }
