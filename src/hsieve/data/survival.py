"""Times of events, some of them censored, and the numbers that selectors use instead of them.

A subject is observed until its event or, where it is censored, until some earlier time. The target
of a selection is the martingale residual of each subject under the model without features: 1 for
an event, 0 for none, less the cumulative hazard (Nelson and Aalen) up to the time observed. It is
positive for events that came early.

If a feature has no effect on the times, the mean of the residual does not depend on it, even where
the feature decides how early subjects are censored. Its spread and the rest of its distribution do.
So only measures that compare means (a linear kernel on the target) take such a target; the sum of a
feature times the residuals is then the log-rank statistic, or the score of Cox's model at zero.

References
----------
T. Therneau, P. Grambsch, T. Fleming, "Martingale-based residuals for survival models", 1990.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray

__all__ = [
    "SURVIVAL",
    "kaplan_meier",
    "looks_like_survival",
    "martingale_residuals",
    "of_columns",
    "of_structured",
    "refuse_survival",
    "survival_times",
]

# The kind of such a target.
SURVIVAL: Final = "survival"
TIMES = np.dtype([("event", bool), ("time", np.float64)])
FEWEST_EVENTS = 2


def survival_times(event: ArrayLike, time: ArrayLike) -> NDArray[Any]:
    """Check events and times, and put them together as survival packages do.

    Parameters
    ----------
    event : array-like of shape (n_samples,)
        True or 1 where the event was observed, False or 0 where the time is censored.
    time : array-like of shape (n_samples,)
        Time of the event or of censoring, never negative.

    Returns
    -------
    ndarray of shape (n_samples,)
        A structured array of the fields ``event`` and ``time``.

    Examples
    --------
    >>> survival_times([1, 0, 1], [2.5, 4.0, 5.5])["event"]
    array([ True, False,  True])
    """
    events, times = np.asarray(event), np.asarray(time)
    values = list(dict.fromkeys(events.ravel().tolist()))
    if any(value not in (0, 1) for value in values):
        odd = next(value for value in values if value not in (0, 1))
        msg = f"Events must be True or False, or 1 and 0 (censored), got {odd!r}."
        raise ValueError(msg)
    if times.dtype.kind not in "biuf" or not np.isfinite(times).all() or (times < 0).any():
        msg = "Times of events must be numbers that are finite and never negative."
        raise ValueError(msg)
    n_events = int(events.astype(bool).sum())
    if n_events < FEWEST_EVENTS:
        msg = f"The target holds {n_events} event(s); at least {FEWEST_EVENTS} are needed."
        raise ValueError(msg)
    found = np.empty(len(times), dtype=TIMES)
    found["event"], found["time"] = events.astype(bool), times
    return found


def of_structured(y: NDArray[Any]) -> NDArray[Any]:
    """Read a structured array of a boolean field and a field of numbers, as scikit-survival has.

    Examples
    --------
    >>> y = np.array([(True, 2.0), (True, 3.0)], dtype=[("death", "?"), ("days", "<f8")])
    >>> of_structured(y).dtype.names
    ('event', 'time')
    """
    fields = y.dtype.names or ()
    kinds = [y.dtype[name].kind for name in fields]
    if len(fields) != 2 or kinds[0] != "b" or kinds[1] not in "iuf":
        shown = ", ".join(f"{name} ({y.dtype[name]})" for name in fields)
        msg = (
            f"The target is a structured array of the fields {shown}; survival data have two, "
            "first the event (bool) and then the time (a number)."
        )
        raise ValueError(msg)
    return survival_times(y[fields[0]], y[fields[1]])


def of_columns(values: NDArray[Any]) -> NDArray[Any]:
    """Read two columns of numbers, of which one is 0 and 1: the events."""
    is_event = [bool(np.isin(column, (0, 1)).all()) for column in values.T]
    if sum(is_event) != 1:
        msg = (
            "The target has two columns, and of times with events exactly one must hold nothing "
            "but 0 (censored) and 1."
        )
        raise ValueError(msg)
    place = is_event.index(True)
    return survival_times(values[:, place], values[:, 1 - place])


def looks_like_survival(values: NDArray[Any]) -> bool:
    """Say whether two columns of numbers look like events and times."""
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "biuf":
        return False
    is_event = [np.array_equal(np.unique(column), (0, 1)) for column in values.T]
    return sum(is_event) == 1 and bool((values >= 0).all())


def refuse_survival(y: Any, target_kind: str = "auto") -> None:
    """Refuse times and events where they would be taken for two outputs, or cannot be used."""
    values = np.asarray(y)
    if values.dtype.names:
        fields = ", ".join(values.dtype.names)
        msg = (
            f"The target is a structured array of the fields {fields}, which is not supported "
            "here. Times with events are taken by fit, hsieve.select, hsieve.feature_tests and "
            "hsieve.open_dataset."
        )
        raise ValueError(msg)
    if target_kind == "auto" and looks_like_survival(values):
        msg = (
            "The target has two columns, one of zeros and ones and one of numbers that are never "
            "negative: they look like events and times. If they are, say target_kind='survival'; "
            "if they are two outputs, say target_kind='continuous'."
        )
        raise ValueError(msg)


def martingale_residuals(times: NDArray[Any]) -> FloatArray:
    """Events less the cumulative hazard up to the time observed, the same for all subjects.

    Parameters
    ----------
    times : ndarray of shape (n_samples,)
        What :func:`survival_times` gives.

    Returns
    -------
    ndarray of shape (n_samples,)
        Numbers of mean 0, at most 1.

    Examples
    --------
    >>> martingale_residuals(survival_times([1, 0, 1], [1.0, 2.0, 3.0])).round(2)
    array([ 0.67, -0.33, -0.33])
    """
    met, places = np.unique(times["time"], return_inverse=True)
    n_events = np.bincount(places, weights=times["event"], minlength=len(met))
    n_at_risk = np.cumsum(np.bincount(places, minlength=len(met))[::-1])[::-1]
    hazard = np.cumsum(n_events / n_at_risk)
    return np.asarray(times["event"] - hazard[places])


def kaplan_meier(times: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Fraction of subjects without an event after each time at which some had one.

    Returns
    -------
    ndarray, ndarray
        Times, beginning with 0 and ending with the last one observed, and fractions.

    Examples
    --------
    >>> kaplan_meier(survival_times([1, 0, 1], [1.0, 2.0, 3.0]))[1].round(2)
    array([1.  , 0.67, 0.  , 0.  ])
    """
    met, places = np.unique(times["time"], return_inverse=True)
    n_events = np.bincount(places, weights=times["event"], minlength=len(met))
    n_at_risk = np.cumsum(np.bincount(places, minlength=len(met))[::-1])[::-1]
    fractions = np.cumprod(1 - n_events / n_at_risk)
    kept = n_events > 0
    last = fractions[-1] if len(fractions) else 1.0
    return (
        np.concatenate([[0.0], met[kept], met[-1:]]),
        np.concatenate([[1.0], fractions[kept], [last]]),
    )
