"""Figures of a comparison of selectors, from the records of its folds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from hsieve.comparison.results_file import Record
from hsieve.inference import stability

LEVEL = 0.95
# Name of the predictions that look at none.
NO_FEATURES = "no features"


@dataclass(frozen=True)
class Figure:
    """A mean and the deviation around it."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Figure":
        """Summarise values that were measured, at least one."""
        measured = np.fromiter(values, dtype=np.float64)
        return cls(float(measured.mean()), float(measured.std()))


class FrequentFeature(NamedTuple):
    """A feature that is selected in more than half of the folds, and in which fraction of them."""

    feature: int
    name: str
    share: float


@dataclass(frozen=True)
class Difference:
    """Mean difference of two scores over the same folds."""

    mean: float
    low: float | None = None  # of its interval; None where a single fold does not tell
    high: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class Consistency:
    """How alike the selections of all folds are, by indices of `hsieve.inference.stability`."""

    nogueira: stability.NogueiraStability | None  # None where all folds select all, or none
    jaccard: float
    mean_variance: float
    log_probability: float


@dataclass(frozen=True)
class SelectorSummary:
    """Results of one selector.

    Parameters
    ----------
    name : str
        Name of the selector.
    n_folds, n_failed : int
        Number of folds that were measured, and of those on which it failed.
    failure : str
        What it said on the first of these.
    warnings : dict of str to int
        What else it said, and on how many folds.
    score : Figure or None
        Mean score and its deviation over the folds on which it did not fail; None if on all.
    difference : Difference or None
        Score minus that of the best, over the same folds; None for the best itself.
    n_selected : Figure or None
        Number of features, mean and deviation.
    fewest, most : int
        Smallest and largest number of features.
    consistency : Consistency or None
        None where there are less than two selections.
    seconds : float or None
        Median time of a selection.
    frequent : tuple of FrequentFeature
        Features in more than half of the folds, the most frequent first.
    """

    name: str
    n_folds: int
    n_failed: int = 0
    failure: str = ""
    warnings: Mapping[str, int] = field(default_factory=dict)
    score: Figure | None = None
    difference: Difference | None = None
    n_selected: Figure | None = None
    fewest: int = 0
    most: int = 0
    consistency: Consistency | None = None
    seconds: float | None = None
    frequent: tuple[FrequentFeature, ...] = ()


def corrected_difference(differences: ArrayLike, test_share: float) -> Difference:
    """Mean difference of two scores over folds, with the corrected resampled t interval.

    Folds share most of their training samples, so that their scores are not independent and the
    usual variance of a mean, s^2 / k, is far too small. Nadeau and Bengio take
    (1 / k + n_test / n_train) s^2 with k - 1 degrees of freedom, where s^2 is the variance of the k
    differences.

    C. Nadeau, Y. Bengio, "Inference for the generalization error", 2003.
    """
    values = np.asarray(differences, dtype=np.float64)
    mean, n_folds = float(values.mean()), len(values)
    if n_folds < 2:
        return Difference(mean)
    error = float(np.sqrt((1 / n_folds + test_share) * values.var(ddof=1)))
    reach = float(student.ppf((1 + LEVEL) / 2, n_folds - 1)) * error
    return Difference(mean, mean - reach, mean + reach)


def consistency_of(selections: Sequence[Sequence[int]], n_features: int) -> Consistency | None:
    """Say how alike selections are."""
    if len(selections) < 2:
        return None
    chosen = stability.selection_matrix(selections, n_features)
    # All full, or all empty: chance would agree as well.
    is_defined = chosen.any() and not chosen.all()
    return Consistency(
        stability.nogueira(chosen, level=LEVEL) if is_defined else None,
        stability.jaccard(chosen),
        stability.mean_variance(chosen),
        stability.log_probability(chosen),
    )


def summaries_of(
    records: Sequence[Record], names: Sequence[str], feature_names: Sequence[str]
) -> tuple[SelectorSummary, ...]:
    """Summarise the records of a comparison, as far as there are any."""
    of_each = {name: [r for r in records if r["selector"] == name] for name in names}
    measured = {name: [r for r in found if "score" in r] for name, found in of_each.items()}

    def place(name: str) -> tuple[bool, float]:
        scores = [float(record["score"]) for record in measured[name]]
        is_complete = bool(scores) and len(scores) == len(of_each[name])
        return not is_complete, -float(np.mean(scores)) if scores else np.inf

    ordered = sorted((name for name in names if of_each[name]), key=place)
    best = measured[ordered[0]] if ordered else []
    return tuple(
        _summary(
            name,
            of_each[name],
            feature_names,
            _against(measured[name], best) if name != ordered[0] else None,
        )
        for name in ordered
    )


def summary_of_nothing(
    guesses: Sequence[Record], records: Sequence[Record], best: str
) -> SelectorSummary | None:
    """Summarise predictions that look at no feature, held against the best of the selectors."""
    if not guesses:
        return None
    measured = [record for record in records if record["selector"] == best and "score" in record]
    return SelectorSummary(
        NO_FEATURES,
        len(guesses),
        score=Figure.of(float(record["score"]) for record in guesses),
        difference=_against(guesses, measured),
        n_selected=Figure(0.0, 0.0),
    )


def selected_in(record: Record) -> list[int]:
    """Return the features of a record, which holds them as one text."""
    return [int(feature) for feature in str(record["selected"]).split()]


def readable(record: Record) -> dict[str, Any]:
    """Return a record with lists in place of texts."""
    found: dict[str, Any] = dict(record)
    if "selected" in record:
        found["selected"] = selected_in(record)
    found["warnings"] = [line for line in str(record["warnings"]).split("\n") if line]
    return found


def _summary(
    name: str,
    records: Sequence[Record],
    feature_names: Sequence[str],
    difference: Difference | None,
) -> SelectorSummary:
    """Summarise the records of one selector, of which there is at least one."""
    failures = [str(record["failure"]) for record in records if "failure" in record]
    told = [str(r["warnings"]).split("\n") for r in records if r.get("warnings")]
    said = [message for messages in told for message in messages]
    summary = SelectorSummary(
        name,
        len(records),
        n_failed=len(failures),
        failure=failures[0] if failures else "",
        warnings={message: said.count(message) for message in dict.fromkeys(said)},
    )
    measured = [record for record in records if "score" in record]
    if not measured:
        return summary
    selections = [selected_in(record) for record in measured]
    sizes = [len(selected) for selected in selections]
    return replace(
        summary,
        score=Figure.of(float(record["score"]) for record in measured),
        difference=difference,
        n_selected=Figure.of(sizes),
        fewest=min(sizes),
        most=max(sizes),
        consistency=consistency_of(selections, len(feature_names)),
        seconds=float(np.median([float(record["seconds"]) for record in measured])),
        frequent=_frequent(selections, feature_names),
    )


def _frequent(
    selections: Sequence[Sequence[int]], feature_names: Sequence[str]
) -> tuple[FrequentFeature, ...]:
    """Find the features in more than half of the selections."""
    counts = np.zeros(len(feature_names), dtype=np.intp)
    for selected in selections:
        counts[list(selected)] += 1
    order = np.argsort(-counts, kind="stable")
    return tuple(
        FrequentFeature(int(i), feature_names[i], float(counts[i] / len(selections)))
        for i in order[: int(np.sum(2 * counts > len(selections)))]
    )


def _against(records: Sequence[Record], best: Sequence[Record]) -> Difference | None:
    """Compare with the best over the folds that both have."""
    scores = {(record["trial"], record["fold"]): float(record["score"]) for record in best}
    common = [record for record in records if (record["trial"], record["fold"]) in scores]
    if not common:
        return None
    differences = [
        float(record["score"]) - scores[record["trial"], record["fold"]] for record in common
    ]
    share = np.mean([int(record["n_test"]) / int(record["n_train"]) for record in common])
    return corrected_difference(differences, float(share))
