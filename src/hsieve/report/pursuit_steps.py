"""What happened in a kernel pursuit, event by event, as a table."""

from typing import Any

from hsieve.report.curves import Names
from hsieve.report.feature_rows import plain_number
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath

__all__ = ["pursuit_steps"]

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
