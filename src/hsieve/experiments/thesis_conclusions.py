"""What chapters 3 and 4 of the thesis conclude from their synthetic sets, held to our figures.

A conclusion is a list of comparisons between cells. It is confirmed if all of them come out as the
thesis says, confirmed in part if at least half of them do, and contradicted otherwise. What is
compared, and how near counts as equal, was written down before the figures were seen: accuracies
are alike within 0.03 (about one standard error of 300 samples), a share is perfect from 0.99 on.
The conclusions of chapter 3 are about its linear methods, those of chapter 4 about those of a
Gaussian kernel with their number found by cross validation, as in the thesis.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hsieve.experiments.layout import TextTable
from hsieve.experiments.thesis_cells import DATASETS, Cell, Cells
from hsieve.experiments.thesis_methods import KERNEL, LINEAR, METHODS, RANDOM, RULES

__all__ = ["CONCLUSIONS", "Conclusion", "Verdict", "in_words", "judged", "table"]

ALIKE = 0.03
PERFECT = 0.99
CHANCE = 0.5
# Accuracy from which on a method works well on the non-linear sets, and up to which it fails.
WELL, FAILING = 0.9, 0.6


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


@dataclass(frozen=True)
class Conclusion:
    """One sentence of the thesis and the comparisons that it stands for.

    Parameters
    ----------
    section, words : str
        Where the thesis says what.
    compare : callable
        ``compare(cells)`` gives for each comparison whether it holds.
    show : callable
        ``show(cells)`` gives the figures.
    """

    section: str
    words: str
    compare: Callable[[Cells], list[bool]]
    show: Callable[[Cells], str]


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


def _of(cells: Cells, dataset: str, methods: Iterable[str], rule: str) -> list[Cell]:
    return [cells[dataset, method, rule] for method in methods]


def _pairs(
    cells: Cells, datasets: Iterable[str], methods: Sequence[str]
) -> list[tuple[Cell, Cell]]:
    """Cells of alignment beside those of cross validation."""
    return [
        (cells[dataset, method, "alignment"], cells[dataset, method, "cv"])
        for dataset in datasets
        for method in methods
    ]


def _variance(cell: Cell) -> float:
    return cell.mean_variance or 0.0


def _log_probability(cell: Cell) -> float:
    return cell.log_probability or 0.0


def _listed(cells: Cells, dataset: str, methods: Iterable[str], rule: str, name: str) -> str:
    """One quantity of several methods."""
    shown = []
    for method in methods:
        value = getattr(cells[dataset, method, rule], name)
        value = getattr(value, "mean", value)
        shown.append(f"{method} {value:.{1 if name == 'number' else 3}f}")
    return "; ".join(shown)


def _both(cells: Cells, dataset: str, methods: Iterable[str], name: str) -> str:
    """One quantity of several methods by alignment and by cross validation."""
    shown = []
    for method in methods:
        values = [getattr(cells[dataset, method, rule], name) for rule in ("alignment", "cv")]
        values = [getattr(value, "mean", value) for value in values]
        digits = {"number": 1, "mean_variance": 4}.get(name, 2)
        shown.append(f"{method} {values[0]:.{digits}f} / {values[1]:.{digits}f}")
    return "; ".join(shown)


def _more_consistent(cells: Cells, datasets: Iterable[str], methods: Sequence[str]) -> list[bool]:
    """Whether alignment has the smaller mean variance, method by method."""
    return [_variance(a) < _variance(b) for a, b in _pairs(cells, datasets, methods)]


def _sparser(cells: Cells, datasets: Iterable[str], methods: Sequence[str]) -> list[bool]:
    return [a.number.mean < b.number.mean for a, b in _pairs(cells, datasets, methods)]


def _first(
    cells: Cells, dataset: str, method: str, cost: Callable[[Cell], float], rule: str = "cv"
) -> bool:
    """Whether no other method of chapter 4 has a lower cost."""
    own = cost(cells[dataset, method, rule])
    return all(own <= cost(cells[dataset, other, rule]) for other in KERNEL)


def _count(cells: Cells, datasets: Sequence[str], methods: Sequence[str]) -> str:
    """Tell on which sets alignment is more consistent, and for how many methods."""
    return "; ".join(
        f"{dataset} {sum(_more_consistent(cells, [dataset], methods))} of {len(methods)}"
        for dataset in datasets
    )


CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion(
        "3.3.1.1",
        "Labels at random: no method predicts better than chance",
        lambda c: [
            cell.accuracy.mean <= CHANCE + 2 * ALIKE
            for rule in ("alignment", "cv")
            for cell in _of(c, "fake-class", LINEAR, rule)
        ],
        lambda c: _both(c, "fake-class", LINEAR, "accuracy"),
    ),
    Conclusion(
        "3.3.1.1",
        "Labels at random: alignment is the more stable, by mean variance and log-probability",
        lambda c: [
            *_more_consistent(c, ["fake-class"], LINEAR),
            *(
                _log_probability(a) < _log_probability(b)
                for a, b in _pairs(c, ["fake-class"], LINEAR)
            ),
        ],
        lambda c: _both(c, "fake-class", LINEAR, "mean_variance"),
    ),
    Conclusion(
        "3.3.1.1",
        "Labels at random: alignment keeps far more of a random order than a tenth, to no avail",
        lambda c: [
            c["fake-class", RANDOM, "alignment"].number.mean
            > 1.5 * c["fake-class", RANDOM, "cv"].number.mean,
            c["fake-class", RANDOM, "alignment"].accuracy.mean <= CHANCE + 2 * ALIKE,
        ],
        lambda c: _both(c, "fake-class", [RANDOM], "number"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: all methods are far better than a random tenth",
        lambda c: [
            cell.accuracy.mean > c["zhang-feature", RANDOM, "cv"].accuracy.mean + 2 * ALIKE
            for rule in ("alignment", "cv")
            for cell in _of(c, "zhang-feature", LINEAR, rule)
        ],
        lambda c: _both(c, "zhang-feature", [*LINEAR, RANDOM], "accuracy"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment keeps fewer features; linear RFE fewest",
        lambda c: [
            *_sparser(c, ["zhang-feature"], LINEAR),
            c["zhang-feature", "linear RFE", "alignment"].number.mean
            == min(cell.number.mean for cell in _of(c, "zhang-feature", LINEAR, "alignment")),
        ],
        lambda c: _both(c, "zhang-feature", LINEAR, "number"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: precision is perfect by alignment, diminished by cross validation",
        lambda c: [
            a.precision >= PERFECT > b.precision for a, b in _pairs(c, ["zhang-feature"], LINEAR)
        ],
        lambda c: _both(c, "zhang-feature", LINEAR, "precision"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment has the lower recall",
        lambda c: [a.recall < b.recall for a, b in _pairs(c, ["zhang-feature"], LINEAR)],
        lambda c: _both(c, "zhang-feature", LINEAR, "recall"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment is the more consistent by far",
        lambda c: [
            2 * _variance(a) < _variance(b) for a, b in _pairs(c, ["zhang-feature"], LINEAR)
        ],
        lambda c: _both(c, "zhang-feature", LINEAR, "mean_variance"),
    ),
    Conclusion(
        "3.3.1.3",
        "Sample outliers: accuracies are indistinguishable; alignment is sparser",
        lambda c: [
            *(
                abs(a.accuracy.mean - b.accuracy.mean) <= ALIKE
                for a, b in _pairs(c, ["zhang-sample"], LINEAR)
            ),
            *_sparser(c, ["zhang-sample"], LINEAR),
        ],
        lambda c: _both(c, "zhang-sample", LINEAR, "number"),
    ),
    Conclusion(
        "3.3.1.3",
        "Sample outliers: correlation, logistic and LPBoost with alignment find all true features "
        "and no other",
        lambda c: [
            share >= PERFECT
            for method in ("correlation", "stability, logistic", "stability, LPBoost")
            for cell in [c["zhang-sample", method, "alignment"]]
            for share in (cell.precision, cell.recall)
        ],
        lambda c: (
            "precision, "
            + _listed(c, "zhang-sample", LINEAR, "alignment", "precision")
            + "; recall, "
            + _listed(c, "zhang-sample", LINEAR, "alignment", "recall")
        ),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: alignment leaves correlation and linear RFE with too few features "
        "(1.3 and 1.1), at the cost of accuracy",
        lambda c: [
            holds
            for a, b in _pairs(c, ["linear-weston"], ["correlation", "linear RFE"])
            for holds in (a.number.mean < 2, a.accuracy.mean < b.accuracy.mean - ALIKE)
        ],
        lambda c: (
            "features, "
            + _both(c, "linear-weston", ["correlation", "linear RFE"], "number")
            + "; accuracy, "
            + _both(c, "linear-weston", ["correlation", "linear RFE"], "accuracy")
        ),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: alignment leads to perfect precision",
        lambda c: [
            cell.precision >= PERFECT for cell in _of(c, "linear-weston", LINEAR, "alignment")
        ],
        lambda c: _both(c, "linear-weston", LINEAR, "precision"),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: with alignment correlation and linear RFE are less consistent than with "
        "cross validation",
        lambda c: [
            not more
            for more in _more_consistent(c, ["linear-weston"], ["correlation", "linear RFE"])
        ],
        lambda c: _both(c, "linear-weston", ["correlation", "linear RFE"], "mean_variance"),
    ),
    Conclusion(
        "3.3.1.5",
        "Non-linear Weston: all linear methods but RFE fail",
        lambda c: [
            (cell.accuracy.mean <= FAILING) != (method == "linear RFE")
            for rule in ("alignment", "cv")
            for method in LINEAR
            for cell in [c["nonlinear-weston", method, rule]]
        ],
        lambda c: _both(c, "nonlinear-weston", LINEAR, "accuracy"),
    ),
    Conclusion(
        "3.3.1.5",
        "Non-linear Weston: alignment on a random order sees something, a random tenth less",
        lambda c: [
            c["nonlinear-weston", RANDOM, "alignment"].accuracy.mean
            > c["nonlinear-weston", RANDOM, "cv"].accuracy.mean + ALIKE
        ],
        lambda c: _both(c, "nonlinear-weston", [RANDOM], "accuracy"),
    ),
    Conclusion(
        "3.3.1.6",
        "Xor: alignment has the higher accuracy and recall",
        lambda c: [
            holds
            for a, b in _pairs(c, ["xor"], LINEAR)
            for holds in (a.accuracy.mean > b.accuracy.mean, a.recall > b.recall)
        ],
        lambda c: (
            "accuracy, "
            + _both(c, "xor", LINEAR, "accuracy")
            + "; recall, "
            + _both(c, "xor", LINEAR, "recall")
        ),
    ),
    Conclusion(
        "3.3.1",
        "Alignment nearly always gives the more consistent selections",
        lambda c: _more_consistent(c, DATASETS, LINEAR),
        lambda c: _count(c, DATASETS, LINEAR),
    ),
    Conclusion(
        "3.4",
        "Alignment gives the sparser models on all sets but xor",
        lambda c: _sparser(c, [name for name in DATASETS if name != "xor"], LINEAR),
        lambda c: "; ".join(
            f"{dataset} {sum(_sparser(c, [dataset], LINEAR))} of {len(LINEAR)}"
            for dataset in DATASETS
        ),
    ),
    Conclusion(
        "3.3.1",
        "Alignment saves time, stability selection nearly ten times (table 3.2)",
        lambda c: [
            _decrease(c, method) > (8 if method.startswith("stability") else 5) for method in LINEAR
        ],
        lambda c: "; ".join(f"{method} {_decrease(c, method):.1f}" for method in LINEAR),
    ),
    Conclusion(
        "4.3.1.2",
        "Feature outliers: Gaussian kernels predict alike; RFE has the lowest precision, randSel "
        "the highest and the best recall",
        lambda c: [
            max(cell.accuracy.mean for cell in _of(c, "zhang-feature", KERNEL, "cv"))
            - min(cell.accuracy.mean for cell in _of(c, "zhang-feature", KERNEL, "cv"))
            <= 2 * ALIKE,
            _first(c, "zhang-feature", "Gaussian RFE", lambda cell: cell.precision),
            _first(c, "zhang-feature", "randSel", lambda cell: -cell.precision),
            _first(c, "zhang-feature", "randSel", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + _listed(c, "zhang-feature", KERNEL, "cv", "precision")
            + "; recall, "
            + _listed(c, "zhang-feature", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.2",
        "Feature outliers: FOHSIC is the sparsest, BAHSIC the most consistent",
        lambda c: [
            _first(c, "zhang-feature", "FOHSIC", lambda cell: cell.number.mean),
            _first(c, "zhang-feature", "BAHSIC", _variance),
        ],
        lambda c: (
            "features, "
            + _listed(c, "zhang-feature", KERNEL, "cv", "number")
            + "; mean variance, "
            + _listed(c, "zhang-feature", KERNEL, "cv", "mean_variance")
        ),
    ),
    Conclusion(
        "4.3.1.3",
        "Sample outliers: FOHSIC is the most precise, sparsest and most consistent, randSel has "
        "the best recall",
        lambda c: [
            _first(c, "zhang-sample", "FOHSIC", lambda cell: -cell.precision),
            _first(c, "zhang-sample", "FOHSIC", lambda cell: cell.number.mean),
            _first(c, "zhang-sample", "FOHSIC", _variance),
            _first(c, "zhang-sample", "randSel", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + _listed(c, "zhang-sample", KERNEL, "cv", "precision")
            + "; recall, "
            + _listed(c, "zhang-sample", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.4",
        "Linear Weston: HSIC methods are precise, sparse and stable, randSel most; RFE has the "
        "best recall",
        lambda c: [
            c["linear-weston", "randSel", "cv"].precision >= PERFECT - 0.04,
            _first(c, "linear-weston", "randSel", lambda cell: -cell.precision),
            _first(c, "linear-weston", "randSel", _variance),
            _first(c, "linear-weston", "Gaussian RFE", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + _listed(c, "linear-weston", KERNEL, "cv", "precision")
            + "; recall, "
            + _listed(c, "linear-weston", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.5",
        "Non-linear Weston: all Gaussian methods predict very well; randSel and FOHSIC are "
        "perfectly precise",
        lambda c: [
            *(cell.accuracy.mean >= WELL for cell in _of(c, "nonlinear-weston", KERNEL, "cv")),
            *(
                cell.precision >= PERFECT
                for cell in _of(c, "nonlinear-weston", ["randSel", "FOHSIC"], "cv")
            ),
        ],
        lambda c: (
            "accuracy, "
            + _listed(c, "nonlinear-weston", KERNEL, "cv", "accuracy")
            + "; precision, "
            + _listed(c, "nonlinear-weston", KERNEL, "cv", "precision")
        ),
    ),
    Conclusion(
        "4.3.1.6",
        "Xor: FOHSIC fails; randSel and BAHSIC are the same on every measure; RFE follows",
        lambda c: [
            c["xor", "FOHSIC", "cv"].accuracy.mean <= FAILING,
            c["xor", "randSel", "cv"].accuracy.mean >= WELL,
            abs(c["xor", "randSel", "cv"].accuracy.mean - c["xor", "BAHSIC", "cv"].accuracy.mean)
            <= ALIKE,
            _variance(c["xor", "randSel", "cv"]) == _variance(c["xor", "BAHSIC", "cv"]),
            c["xor", "Gaussian RFE", "cv"].accuracy.mean <= c["xor", "randSel", "cv"].accuracy.mean,
        ],
        lambda c: (
            "accuracy, "
            + _listed(c, "xor", KERNEL, "cv", "accuracy")
            + "; features, "
            + _listed(c, "xor", KERNEL, "cv", "number")
        ),
    ),
    Conclusion(
        "4.4",
        "HSIC methods tend to give sparser models than the linear methods of chapter 3, with no "
        "clear winner in accuracy",
        lambda c: [
            _mean_number(c, dataset, KERNEL[:3]) < _mean_number(c, dataset, LINEAR)
            for dataset in DATASETS
        ],
        lambda c: "; ".join(
            f"{dataset} {_mean_number(c, dataset, KERNEL[:3]):.1f} against "
            f"{_mean_number(c, dataset, LINEAR):.1f}"
            for dataset in DATASETS
        ),
    ),
)


def _decrease(cells: Cells, method: str) -> float:
    """Time of cross validation over that of alignment, over all sets."""
    totals = [
        sum(cells[dataset, method, rule].cpu_seconds for dataset in DATASETS)
        for rule in ("cv", "alignment")
    ]
    return totals[0] / totals[1]


def _mean_number(cells: Cells, dataset: str, methods: Sequence[str]) -> float:
    """Mean number of features that some methods keep with cross validation."""
    numbers = [cell.number.mean for cell in _of(cells, dataset, methods, "cv")]
    return sum(numbers) / len(numbers)
