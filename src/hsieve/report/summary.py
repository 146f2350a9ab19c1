"""From a fitted selector to a plain dictionary: all that a report shows, in numbers and words.

The dictionary holds nothing but dictionaries, lists, texts, numbers, booleans and None, so that it
can be kept as JSON or shown by other means. Texts are legible: characters that cannot be seen are
escaped, and long names are shortened. How much it holds does not depend on the size of the data.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hsieve.inference.hsic_tests import FeatureTests
from hsieve.report.curves import Names, curves
from hsieve.report.evidence import Evidence, gather
from hsieve.report.feature_rows import (
    check_p_values,
    columns_of,
    feature_rows,
    plain_number,
    shown_tests,
)
from hsieve.report.headline import headline
from hsieve.report.method_words import parameter_meanings, words_for
from hsieve.report.names import names_of, shortened
from hsieve.report.panels import data_pictures, target_summary
from hsieve.report.pitfalls import pitfalls, warnings_of
from hsieve.report.repetition import Origin, changed_parameters, repetition, written_out
from hsieve.selectors.base import BaseSelector
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath

__all__ = ["MOST_SHOWN", "ReportOptions", "pursuit_steps", "summarise"]

MOST_SHOWN = 500
LONGEST_TITLE = 200
LONGEST_TEXT = 1000
LONGEST_VALUE = 300
MOST_PAIRS = 50
PAIR_COLUMNS = {
    "coefficient": ("Coefficient", "Coefficient of the pair where the path stops."),
    "relevance": ("Relevance", "Dependence on the pair beyond what each feature tells alone."),
    "strength": ("Strength", "How much the features tell together beyond what fewer of them tell."),
    "p_value": ("p alone", "Chance of such a score for these features, had no others been tried."),
    "family_wise_p": (
        "Family-wise p",
        "Chance that any of all pairs (or triples) reaches such a score by accident. This is the "
        "one to report.",
    ),
    "false_discovery_rate": (
        "False discovery rate",
        "Estimated share of false ones from the top down to this one.",
    ),
}

MOST_STEPS = 60
COLUMNS = (
    (
        "error",
        "Error",
        "Mean squared leave-one-out error after the event, or with the feature that was set aside "
        "(1 with no feature).",
    ),
    (
        "standard_errors",
        "Change",
        "By how many of its standard errors the mean loss fell; for a feature that left, by how "
        "many it rises without the feature.",
    ),
    (
        "p_value",
        "p",
        "Probability that any of the features, pairs or triples searched would be as relevant to "
        "the residuals by chance.",
    ),
)
MEANINGS = {
    "joined": "the features were added to those chosen.",
    "set aside": "the features were related to the residuals, but told no more than the chosen "
    "features most like them, or did not lower the error enough.",
    "left": "the feature tells no more than other chosen ones, or the error hardly rises without "
    "it, so it was removed.",
    "replaced": "the second feature, a near duplicate of the first, took its place, because the "
    "error is lower with it.",
}


@dataclass(frozen=True)
class ReportOptions:
    """What a report is to show.

    Parameters
    ----------
    title : str or None, default=None
        Heading of the page; None for the method and the target.
    feature_names : iterable or None, default=None
        Names of all features; None for those of the data frame, or x0, x1, ...
    target_name : str or None, default=None
        What the target is called; None for the name that it brings along, or y.
    p_values : {"auto", "none", "gamma", "permutation"} or FeatureTests, default="auto"
        Which test of single features to show.
    n_shown : int, default=300
        How many features to show, the best ones, from 1 to 500.
    origin : Origin, default=Origin()
        Where the selection comes from.
    """

    title: str | None = None
    feature_names: Iterable[Any] | None = None
    target_name: str | None = None
    p_values: str | FeatureTests = "auto"
    n_shown: int = 300
    origin: Origin = field(default_factory=Origin)


def summarise(
    selector: BaseSelector, X: Any = None, y: Any = None, wish: ReportOptions | None = None
) -> dict[str, Any]:
    """Tell all about a selection.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    X : array-like, ColumnBlocks or None, default=None
        The features it was fitted on. Without them nothing is told that needs values.
    y : array-like or None, default=None
        The target.
    wish : Wish or None, default=None
        What is to be shown; None for the usual.

    Returns
    -------
    dict
        Plain data, ready for JSON.

    Raises
    ------
    NotFittedError
        If the selector is not fitted.
    ValueError
        If the data are not those of the fit, or a wish makes no sense.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report.summary import summarise
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> summary = summarise(N3LARS(3).fit(problem.X, problem.y), problem.X, problem.y)
    >>> summary["headline"]
    'N3LARS chose 3 of 100 features from 300 samples: x..., x... and x....'
    """
    wish = ReportOptions() if wish is None else wish
    check_is_fitted(selector)
    _check(wish, selector.n_features_in_)
    all_names = names_of(selector, wish.feature_names)
    names = Names(all_names, selector.selected_indices_)
    target_name = str(wish.target_name or getattr(y, "name", None) or "y")
    evidence = gather(selector, X, y, selector.path_.order[: wish.n_shown])
    tests = shown_tests(selector, evidence, wish.p_values)
    words = words_for(selector)
    rows = feature_rows(selector, evidence, tests, all_names)
    title = wish.title or f"{type(selector).__name__}: features for {target_name}"
    return {
        "title": shortened(title, LONGEST_TITLE),
        "headline": headline(selector, evidence, names),
        "notes": [_text(note) for note in (*wish.origin.notes, *evidence.notes)],
        "warnings": [_text(text) for text in warnings_of(selector, names, wish.origin.warnings)],
        "counts": {
            "n_features": int(selector.n_features_in_),
            "n_selected": len(selector.selected_indices_),
            "n_shown": len(rows),
            "n_samples": evidence.n_samples,
        },
        "columns": columns_of(rows, words.score),
        "features": rows,
        "pairs": _pairs(selector, names),
        "steps": pursuit_steps(selector, names),
        "pictures": [
            *curves(selector, names),
            *data_pictures(selector, evidence, names, target_name),
        ],
        "method": {
            "name": type(selector).__name__,
            "does": words.does,
            "settings": _settings(selector),
            "references": list(words.references),
        },
        "data": _data(selector, evidence, target_name),
        "p_values": None if tests is None else tests.method,
        "pitfalls": pitfalls(selector, evidence, tests, words, names),
        "repeat": repetition(selector, evidence, wish.origin, all_names, target_name),
    }


def _check(wish: ReportOptions, n_features: int) -> None:
    """Refuse wishes that make no sense, before any work."""
    n_shown = wish.n_shown
    is_whole = isinstance(n_shown, Integral) and not isinstance(n_shown, bool)
    if not is_whole or not 1 <= n_shown <= MOST_SHOWN:
        msg = f"n_shown must be an integer from 1 to {MOST_SHOWN}, got {n_shown!r}."
        raise ValueError(msg)
    if wish.title is not None and not isinstance(wish.title, str):
        msg = f"title must be a text or None, got {wish.title!r}."
        raise ValueError(msg)
    check_p_values(wish.p_values, n_features)


def _text(text: str) -> str:
    """Show a sentence that may hold names of any length."""
    return shortened(" ".join(text.split()), LONGEST_TEXT)


def _settings(selector: BaseSelector) -> list[dict[str, Any]]:
    """All parameters with their values and meanings; those that were changed come first."""
    changed = changed_parameters(selector)
    meanings = parameter_meanings(type(selector))
    given = selector.get_params(deep=False)
    in_order = [*changed, *(name for name in given if name not in changed)]
    return [
        {
            "name": name,
            "value": shortened(written_out(given[name]), LONGEST_VALUE),
            "is_usual": name not in changed,
            "meaning": meanings.get(name, ""),
        }
        for name in in_order
    ]


def _data(selector: BaseSelector, evidence: Evidence, target_name: str) -> dict[str, Any]:
    """Sizes and kinds."""
    n_constant = len(selector.constant_features_)
    categorical = np.setdiff1d(evidence.categorical, selector.constant_features_)
    return {
        "n_samples": evidence.n_samples,
        "n_features": int(selector.n_features_in_),
        "kinds": {
            "numbers": int(selector.n_features_in_) - n_constant - len(categorical),
            "categories": len(categorical),
            "constant": n_constant,
        },
        "target": target_summary(evidence, target_name),
    }


def _pairs(selector: Any, names: Names) -> dict[str, Any] | None:
    """Pairs and triples of features, in a form that fits where they come from."""
    found = [*getattr(selector, "pairs_", ()), *getattr(selector, "triples_", ())]
    if not found:
        return None
    rows = []
    for one in found[:MOST_PAIRS]:
        row: dict[str, Any] = {
            "features": [int(feature) for feature in one.features],
            "names": [names(feature) for feature in one.features],
        }
        for key in PAIR_COLUMNS:
            if hasattr(one, key):
                row[key] = plain_number(getattr(one, key))
        rows.append(row)
    columns = [
        {"key": key, "label": label, "meaning": meaning}
        for key, (label, meaning) in PAIR_COLUMNS.items()
        if any(row.get(key) is not None for row in rows)
    ]
    return {"rows": rows, "columns": columns, "n_more": max(0, len(found) - MOST_PAIRS)}


def pursuit_steps(selector: Any, names: Names) -> dict[str, Any] | None:
    """List what happened in the search of a selector.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    names : Names
        Names of the features.

    Returns
    -------
    dict or None
        Rows, columns, meanings of the events, how many events are left out, and why the search
        ended; None for other searches.
    """
    path = getattr(selector, "path_", None)
    if not isinstance(path, PursuitPath):
        return None
    met = {event.what for event in path.events}
    return {
        "rows": [_row(event, names) for event in path.events[:MOST_STEPS]],
        "columns": [
            {"key": key, "label": label, "meaning": meaning} for key, label, meaning in COLUMNS
        ],
        "meanings": [
            {"what": what, "meaning": meaning} for what, meaning in MEANINGS.items() if what in met
        ],
        "n_more": max(0, len(path.events) - MOST_STEPS),
        "ended": path.stop_reason,
    }


def _row(event: PursuitEvent, names: Names) -> dict[str, Any]:
    """One event, in plain values."""
    return {
        "what": event.what,
        "features": [int(feature) for feature in event.features],
        "names": [names(feature) for feature in event.features],
        **{key: plain_number(getattr(event, key)) for key, *_ in COLUMNS},
    }
