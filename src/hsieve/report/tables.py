"""The tables of an analysis: features, pairs of features, and the steps of a search."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.hsic_tests import FeatureTests
from hsieve.report.evidence import Evidence
from hsieve.strategies.overlaps import SUBSTITUTE
from hsieve.strategies.pursuit_path import PursuitPath

FloatArray = NDArray[np.floating]

# Scores of substitutes are right to about so many digits.
DIGITS = 4
ADDS = (
    "Fraction of the variance of the target that the feature explains in left-out samples, beyond "
    "the features above it; features found only together share theirs equally."
)


@dataclass(frozen=True)
class Column:
    """A column of a table: its key in the rows, what it is called, and what it holds."""

    key: str
    label: str
    meaning: str


@dataclass(frozen=True)
class RelatedFeature:
    """A feature beside another one: a substitute with its NHSIC, a partner with a coefficient."""

    feature: int
    name: str
    score: float


@dataclass(frozen=True)
class FeatureRow:
    """What there is to say of one feature; None for what is not known or was not looked for.

    `substitutes` could replace it, and it is in a pair with `partners`.
    """

    feature: int
    name: str
    rank: int
    chosen: bool
    constant: bool
    score: float | None = None
    frequency: float | None = None
    relevance: float | None = None
    redundancy: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    given_others_p: float | None = None
    substitutes: tuple[RelatedFeature, ...] | None = None
    partners: tuple[RelatedFeature, ...] | None = None


@dataclass(frozen=True)
class PairRow:
    """Two or three features that matter together; None for what the method does not tell."""

    features: tuple[int, ...]
    names: tuple[str, ...]
    coefficient: float | None = None
    relevance: float | None = None
    strength: float | None = None
    p_value: float | None = None
    family_wise_p: float | None = None
    false_discovery_rate: float | None = None


@dataclass(frozen=True)
class Step:
    """What happened to some features in a search."""

    what: str
    features: tuple[int, ...]
    names: tuple[str, ...]
    error: float | None
    standard_errors: float | None
    p_value: float | None


@dataclass(frozen=True)
class Steps:
    """What happened in a search, what the events and columns mean, and why the search ended."""

    rows: tuple[Step, ...]
    events: tuple[Column, ...]
    columns: tuple[Column, ...]
    ended: str


FEATURE_COLUMNS = (
    Column("rank", "Rank", "Place of the feature, 1 for the best."),
    Column("name", "Feature", "Name of the feature."),
    Column("chosen", "Chosen", "Whether the feature is among those selected."),
    Column("score", "Score", ""),
    Column("frequency", "Frequency", "Largest fraction of the subsamples that select the feature."),
    Column(
        "relevance",
        "Relevance",
        "NHSIC of the feature alone with the target: 0 if they are independent, 1 for a copy, "
        "however many features are selected.",
    ),
    Column(
        "redundancy",
        "Redundancy",
        "Largest NHSIC of the feature with another chosen feature: 1 for a copy.",
    ),
    Column(
        "p_value",
        "p alone",
        "HSIC test of the feature by itself, before any selection; it does not see features that "
        "matter only together.",
    ),
    Column(
        "adjusted_p_value",
        "Adjusted p",
        "The same, adjusted for the number of all features (Benjamini-Hochberg).",
    ),
    Column(
        "given_others_p",
        "p given the others",
        "Test whether the feature adds anything to the other chosen ones. A feature that is only "
        "correlated with a relevant one has a small p alone and a large p given the others; so has "
        "each of two features that could replace each other.",
    ),
    Column(
        "substitutes",
        "Substitutes",
        f"Features that could replace this one, with the NHSIC of the two, from {SUBSTITUTE:g} "
        "on; 1 for a copy.",
    ),
)
PAIR_COLUMNS = (
    Column("coefficient", "Coefficient", "Coefficient of the pair where the path stops."),
    Column(
        "relevance", "Relevance", "Dependence on the pair beyond the effects of its features alone."
    ),
    Column(
        "strength",
        "Strength",
        "How much the features tell together beyond what fewer of them tell.",
    ),
    Column(
        "p_value", "p alone", "Chance of such a score for these features, had no others been tried."
    ),
    Column(
        "family_wise_p",
        "Family-wise p",
        "Chance that any of all pairs (or triples) reaches such a score by accident. This is the "
        "one to report.",
    ),
    Column(
        "false_discovery_rate",
        "False discovery rate",
        "Estimated fraction of false ones from the top down to this one.",
    ),
)
STEP_COLUMNS = (
    Column(
        "error",
        "Error",
        "Mean squared leave-one-out error after the event, or with the feature that was set aside "
        "(1 with no feature).",
    ),
    Column(
        "standard_errors",
        "Change",
        "By how many of its standard errors the mean loss fell; for a feature that left, by how "
        "many it rises without the feature.",
    ),
    Column(
        "p_value",
        "p",
        "Probability that any of the features, pairs or triples searched would be as relevant to "
        "the residuals by chance.",
    ),
)
EVENTS = {
    "joined": "the features were added to those chosen.",
    "set aside": "the features were related to the residuals, but added nothing to the chosen "
    "features most like them, or did not lower the error enough.",
    "left": "the feature tells no more than other chosen ones, or the error hardly rises without "
    "it, so it was removed.",
    "replaced": "the second feature, a near duplicate of the first, took its place, because the "
    "error is lower with it.",
}


def finite(value: Any) -> float | None:
    """Return a number that JSON knows; None for NaN and infinity."""
    number = float(value)
    return number if math.isfinite(number) else None


def feature_rows(
    selector: Any,
    evidence: Evidence,
    tests: FeatureTests | None,
    names: Sequence[str],
    given_others: FloatArray | None = None,
) -> tuple[FeatureRow, ...]:
    """Make one row for each feature shown, and for each that was chosen, best first."""
    n_rows = max(len(evidence.features), len(selector.selected_indices_))
    features = selector.path_.order[:n_rows]
    chosen = set(selector.selected_indices_.tolist())
    constant = set(selector.constant_features_.tolist())
    numbers = _numbers(selector, evidence, tests, features)
    if given_others is not None:
        numbers["given_others_p"] = given_others
    substitutes, partners = _substitutes(evidence, names), _partners(selector, names)
    return tuple(
        FeatureRow(
            feature,
            names[feature],
            int(selector.ranking_[feature]),
            feature in chosen,
            feature in constant,
            substitutes=None if substitutes is None else substitutes.get(feature, ()),
            partners=None if partners is None else partners.get(feature, ()),
            **{
                key: finite(values[place]) for key, values in numbers.items() if place < len(values)
            },
        )
        for place, feature in enumerate(features.tolist())
    )


def _numbers(
    selector: Any, evidence: Evidence, tests: FeatureTests | None, features: NDArray[np.intp]
) -> dict[str, FloatArray]:
    """Gather what is known of features, or of the first of them, in numbers."""
    known = {
        "score": selector.scores_[features],
        "relevance": evidence.relevance,
        "redundancy": evidence.redundancy(),
    }
    # Not the relevance of HSIC Lasso, which is not normalised.
    if known["relevance"] is None and getattr(selector, "_normalised", False):
        known["relevance"] = selector.relevance_[features]
    if hasattr(selector, "stability_scores_"):
        known["frequency"] = selector.stability_scores_[features]
    if tests is not None:
        known["p_value"] = tests.p_values[features]
        known["adjusted_p_value"] = tests.adjusted_p_values[features]
    return {key: values for key, values in known.items() if values is not None}


def _substitutes(
    evidence: Evidence, names: Sequence[str]
) -> dict[int, tuple[RelatedFeature, ...]] | None:
    """Substitutes of the chosen features, with their names."""
    if evidence.substitutes is None:
        return None
    return {
        feature: tuple(
            RelatedFeature(one, names[one], round(score, DIGITS)) for one, score in found
        )
        for feature, found in evidence.substitutes.items()
    }


def _partners(selector: Any, names: Sequence[str]) -> dict[int, tuple[RelatedFeature, ...]] | None:
    """Features that each one is in a pair with, on a path that has pairs."""
    if getattr(selector, "interactions", None) is None or not hasattr(selector, "coef_"):
        return None
    found: dict[int, tuple[RelatedFeature, ...]] = {}
    for pair in selector.pairs_:
        a, b = pair.features
        for one, other in ((a, b), (b, a)):
            partner = RelatedFeature(other, names[other], pair.coefficient)
            found[one] = (*found.get(one, ()), partner)
    return found


def columns_of(selector: Any, rows: Sequence[FeatureRow], score: str) -> tuple[Column, ...]:
    """Return the columns of features that have something to show; `score` says what a score is."""
    met = {
        column.key
        for column in FEATURE_COLUMNS
        if any(getattr(row, column.key) not in (None, ()) for row in rows)
    }
    if hasattr(selector, "stability_scores_"):
        met = (met - {"score"}) | {"frequency"}  # which is the score
    name, meaning = ("Adds", ADDS) if isinstance(selector.path_, PursuitPath) else ("Score", score)
    named = (
        Column("score", name, meaning) if column.key == "score" else column
        for column in FEATURE_COLUMNS
    )
    return tuple(column for column in named if column.key in met)


def pair_rows(selector: Any, names: Sequence[str]) -> tuple[PairRow, ...]:
    """List pairs and triples of features, best first, with what their method tells of them."""
    found = [*getattr(selector, "pairs_", ()), *getattr(selector, "triples_", ())]
    return tuple(
        PairRow(
            tuple(int(feature) for feature in one.features),
            tuple(names[feature] for feature in one.features),
            **{
                column.key: finite(getattr(one, column.key))
                for column in PAIR_COLUMNS
                if hasattr(one, column.key)
            },
        )
        for one in found
    )


def pair_columns(rows: Sequence[PairRow]) -> tuple[Column, ...]:
    """Return the columns of the pairs that have something to show."""
    return tuple(
        column
        for column in PAIR_COLUMNS
        if any(getattr(row, column.key) is not None for row in rows)
    )


def steps_of(selector: Any, names: Sequence[str]) -> Steps | None:
    """List what happened in the search of a pursuit, in order; None for other searches."""
    path = selector.path_
    if not isinstance(path, PursuitPath):
        return None
    met = {event.what for event in path.events}
    return Steps(
        tuple(
            Step(
                event.what,
                tuple(int(feature) for feature in event.features),
                tuple(names[feature] for feature in event.features),
                finite(event.error),
                finite(event.standard_errors),
                finite(event.p_value),
            )
            for event in path.events
        ),
        tuple(Column(what, what, meaning) for what, meaning in EVENTS.items() if what in met),
        STEP_COLUMNS,
        path.stop_reason,
    )
