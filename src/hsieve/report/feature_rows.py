"""The table of a report: one row for each feature shown, best first."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.hsic_tests import (
    MIN_GAMMA_SAMPLES,
    FeatureTests,
    among_all_features,
    feature_tests,
)
from hsieve.kernels import Precomputed
from hsieve.measures.hsic import HSIC
from hsieve.report.evidence import LEAST_SHARED, Evidence, knowledge_of
from hsieve.report.names import shortened
from hsieve.strategies.overlaps import INTERCHANGEABLE

__all__ = [
    "P_VALUES",
    "check_p_values",
    "columns_of",
    "feature_rows",
    "plain_number",
    "shown_tests",
]

FloatArray = NDArray[np.floating]

P_VALUES = ("auto", "none", "gamma", "permutation")
# Features times samples cubed, as the gamma test goes: some seconds on one core.
UNASKED_WORK = 5e10
LONGEST_NAME = 200
DIGITS = 6
# What a column of the table is called, and what it holds; {measure} and the like are filled in.
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("rank", "Rank", "Place of the feature, 1 for the best."),
    ("name", "Feature", "Name of the feature."),
    ("chosen", "Chosen", "Whether the feature is among those selected."),
    ("score", "Score", ""),
    (
        "stability",
        "Stability",
        "Largest share of the subsamples that select the feature.",
    ),
    (
        "relevance",
        "Relevance",
        "NHSIC of the feature alone with the target: 0 for independent, 1 for as good as a copy.",
    ),
    (
        "redundancy",
        "Redundancy",
        "Largest NHSIC of the feature with another chosen feature: 1 for a copy.",
    ),
    (
        "p_value",
        "p alone",
        "HSIC test of the feature by itself, as if no other had been looked at and nothing chosen.",
    ),
    (
        "adjusted_p_value",
        "Adjusted p",
        "The same, adjusted for the number of all features (Benjamini-Hochberg).",
    ),
    (
        "relatives",
        "Relatives",
        f"Features most like this one, with their NHSIC, from {LEAST_SHARED:g} on. An equals sign: "
        f"interchangeable ({INTERCHANGEABLE:g} or more).",
    ),
)


def plain_number(value: Any) -> float | None:
    """Return a number of few digits that JSON knows; None for NaN and infinity.

    Examples
    --------
    >>> plain_number(1 / 3), plain_number(float("nan"))
    (0.333333, None)
    """
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None


def check_p_values(p_values: Any, n_features: int) -> None:
    """Refuse other wishes for p-values than those there are.

    Parameters
    ----------
    p_values : object
        What was given.
    n_features : int
        Number of all features.

    Raises
    ------
    ValueError
        If it is neither a known word nor tests of all features.
    """
    if isinstance(p_values, FeatureTests):
        if len(p_values.p_values) == n_features:
            return
        given = f"tests of {len(p_values.p_values)} features"
    elif p_values in P_VALUES:
        return
    else:
        given = repr(p_values)
    words = ", ".join(repr(word) for word in P_VALUES)
    msg = (
        f"p_values must be one of {words}, or what feature_tests gives for all {n_features} "
        f"features, got {given}."
    )
    raise ValueError(msg)


def shown_tests(
    selector: Any, evidence: Evidence, p_values: str | FeatureTests
) -> FeatureTests | None:
    """Test the shown features, as far as that is wished for and possible.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    evidence : Evidence
        The data.
    p_values : {"auto", "none", "gamma", "permutation"} or FeatureTests
        Which test; "auto" tests as many of the best features as takes a few seconds.

    Returns
    -------
    FeatureTests or None
        One entry for each of all features, NaN where one was not tested. Those count as p = 1
        where others are adjusted, so that no adjusted p-value is too small.
    """
    if isinstance(p_values, FeatureTests):
        return p_values
    target, rows, values = evidence.target, evidence.rows, evidence.values
    if p_values == "none" or target is None or rows is None or values is None:
        return None
    n_tested, method = len(evidence.features), p_values
    if p_values == "auto":
        method = "gamma"
        n_tested = min(n_tested, int(UNASKED_WORK // len(rows) ** 3))
        if n_tested == 0 or len(rows) < MIN_GAMMA_SAMPLES or evidence.relevance is None:
            return None
    tested = evidence.features[:n_tested]
    known = knowledge_of(selector)
    is_gram = isinstance(known.kernel_y, Precomputed)
    measure = HSIC(
        categorical=np.flatnonzero(np.isin(tested, evidence.categorical)).tolist(),
        target_kind="classes" if target.kind == "classes" else "continuous",
        kernel_y=known.kernel_y if is_gram else None,
    )
    seen = target.values[np.ix_(rows, rows)] if is_gram else target.values[rows]
    found = feature_tests(values[:, :n_tested], seen, measure=measure, method=method)
    return among_all_features(found, tested, selector.n_features_in_)


def feature_rows(
    selector: Any, evidence: Evidence, tests: FeatureTests | None, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Make the rows.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    evidence : Evidence
        What the data tell about the features shown.
    tests : FeatureTests or None
        Tests of all features.
    names : sequence of str
        Names of all features.

    Returns
    -------
    list of dict
        One for each feature shown, best first; what is not known is None.
    """
    chosen = set(selector.selected_indices_.tolist())
    constant = set(selector.constant_features_.tolist())
    known: dict[str, FloatArray | None] = {
        "score": selector.scores_[evidence.features],
        "relevance": _relevance(selector, evidence),
        "redundancy": evidence.redundancy(),
        "stability": getattr(selector, "stability_scores_", None),
    }
    if known["stability"] is not None:
        known["stability"] = known["stability"][evidence.features]
    for key in ("p_values", "adjusted_p_values"):
        values = None if tests is None else getattr(tests, key)[evidence.features]
        known[key.removesuffix("s")] = values
    rows = []
    for place, feature in enumerate(evidence.features.tolist()):
        row: dict[str, Any] = {
            "feature": feature,
            "name": shortened(names[feature], LONGEST_NAME),
            "rank": int(selector.ranking_[feature]),
            "chosen": feature in chosen,
            "constant": feature in constant,
        }
        for key, numbers in known.items():
            row[key] = None if numbers is None else plain_number(numbers[place])
        row["relatives"] = [
            {
                "feature": other,
                "name": shortened(names[other], LONGEST_NAME),
                "score": plain_number(score),
                "interchangeable": score >= INTERCHANGEABLE,
            }
            for other, score in evidence.relatives.get(feature, ())
        ]
        rows.append(row)
    return rows


def _relevance(selector: Any, evidence: Evidence) -> FloatArray | None:
    """Tell what each shown feature tells alone, from the data or as the selector knows it."""
    if evidence.relevance is not None:
        return evidence.relevance
    known = getattr(selector, "relevance_", None)
    # Not HSIC Lasso's, which is no share.
    if known is None or not getattr(selector, "_normalised", False):
        return None
    relevance: FloatArray = known[evidence.features]
    return relevance


def columns_of(rows: Sequence[dict[str, Any]], score: str) -> list[dict[str, str]]:
    """Tell which columns have something to show.

    Parameters
    ----------
    rows : sequence of dict
        The rows.
    score : str
        What the score is, in one sentence.

    Returns
    -------
    list of dict
        Key, label and meaning of each column.
    """
    met = {key for key, *_ in COLUMNS if any(row[key] not in (None, []) for row in rows)}
    if "stability" in met:
        met.discard("score")  # it is the stability
    return [
        {"key": key, "label": label, "meaning": meaning or score}
        for key, label, meaning in COLUMNS
        if key in met
    ]
