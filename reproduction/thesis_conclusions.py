"""What chapters 3 and 4 of the thesis conclude from their synthetic sets, held to our figures.

A conclusion is a list of comparisons between cells. It is confirmed if all of them come out as the
thesis says, confirmed in part if at least half of them do, and contradicted otherwise.
"""

from dataclasses import dataclass

from reproduction.tables import TextTable
from reproduction.thesis_cells import DATASETS, Cells
from reproduction.thesis_chapter3 import CHAPTER_3
from reproduction.thesis_chapter4 import CHAPTER_4
from reproduction.thesis_comparisons import Conclusion
from reproduction.thesis_methods import METHODS, RULES

__all__ = ["CONCLUSIONS", "Verdict", "in_words", "judged", "table"]

CONCLUSIONS = (*CHAPTER_3, *CHAPTER_4)


@dataclass(frozen=True)
class Verdict:
    """What becomes of a conclusion.

    Parameters
    ----------
    n_held, n_compared : int
        Comparisons that came out as the thesis says, and all.
    figures : str
        The figures it rests on.
    """

    n_held: int
    n_compared: int
    figures: str

    @property
    def word(self) -> str:
        """Confirmed, confirmed in part, or contradicted."""
        if self.n_held == self.n_compared:
            return "confirmed"
        return "in part" if 2 * self.n_held >= self.n_compared else "contradicted"


def judged(cells: Cells) -> list[tuple[Conclusion, Verdict]]:
    """Hold all conclusions to the figures.

    Parameters
    ----------
    cells : mapping of (str, str, str) to Cell
        By set, method and rule.

    Returns
    -------
    list of tuple
        Conclusions with their verdicts; none before all cells are complete.
    """
    wanted = [(d, m, r) for d in DATASETS for m in METHODS for r in RULES]
    if any(key not in cells or cells[key].mean_variance is None for key in wanted):
        return []
    found = []
    for conclusion in CONCLUSIONS:
        held = conclusion.compare(cells)
        verdict = Verdict(sum(held), len(held), conclusion.show(cells))
        found.append((conclusion, verdict))
    return found


def table(cells: Cells) -> list[TextTable]:
    """Lay out the conclusions with their verdicts.

    Parameters
    ----------
    cells : mapping of (str, str, str) to Cell
        By set, method and rule.

    Returns
    -------
    list of TextTable
        One, or none before all cells are complete.
    """
    rows = [
        (
            conclusion.section,
            conclusion.words,
            verdict.word,
            f"{verdict.n_held} of {verdict.n_compared}",
            verdict.figures,
        )
        for conclusion, verdict in judged(cells)
    ]
    headings = ("section", "the thesis concludes", "here", "comparisons", "figures")
    return [TextTable("The conclusions, one by one", headings, rows, n_labels=5)] if rows else []


def in_words(cells: Cells) -> list[str]:
    """Sum the verdicts up.

    Parameters
    ----------
    cells : mapping of (str, str, str) to Cell
        By set, method and rule.

    Returns
    -------
    list of str
        One sentence, or none before all cells are complete.
    """
    words = [verdict.word for _, verdict in judged(cells)]
    if not words:
        return []
    counts = [f"{words.count(word)} {word}" for word in ("confirmed", "in part", "contradicted")]
    return [f"Of {len(words)} conclusions of the thesis: {', '.join(counts)}."]
