"""Short fingerprints of values, data and estimators, to know them again in another process.

Equal things have equal fingerprints whenever and wherever they are taken; other things have, but
for a chance of about one in 10^14, other fingerprints.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import joblib
from numpy.typing import NDArray

__all__ = ["Ignored", "fingerprint_of", "fingerprint_of_arrays", "fingerprint_of_estimator"]

N_DIGITS = 12
COLUMNS_AT_A_TIME = 64
# What a result does not depend on.
WITHOUT_EFFECT = ("checkpoint", "engine", "n_jobs", "verbose")


@dataclass(frozen=True, eq=False)
class Ignored:
    """A value that fingerprints do not look at, because something else says which one it is."""

    value: Any


def fingerprint_of(value: Any) -> str:
    """Return a fingerprint of anything that can be pickled, 32 hexadecimal digits.

    A function or a class counts by its name, an estimator by its class and parameters, an array by
    its values and how they lie in memory. :class:`Ignored` values are passed over where they are
    parts of tuples or lists, and what has an attribute ``known_by`` counts by that.
    """
    return str(joblib.hash(_described(value)))


def fingerprint_of_arrays(arrays: Iterable[NDArray[Any]]) -> str:
    """Return a fingerprint of the values of some arrays, however they lie in memory."""
    digest = hashlib.blake2b()
    for array in arrays:
        digest.update(f"{array.shape} ".encode())
        if array.dtype.kind in "biuf":
            digest.update(array.dtype.str.encode())
            for start in range(0, array.shape[-1], COLUMNS_AT_A_TIME):
                digest.update(array[..., start : start + COLUMNS_AT_A_TIME].tobytes())
        else:
            digest.update(repr(array.tolist()).encode())
    return digest.hexdigest()[:N_DIGITS]


def fingerprint_of_estimator(estimator: Any) -> str:
    """Return a fingerprint of an estimator's class and parameters, not of what it learned.

    A parameter that cannot be stored, so that it could not be known again, is a ValueError.
    """
    try:
        found = fingerprint_of(estimator)
    except Exception as error:  # pickling fails with whatever the parameter's class raises
        msg = (
            f"{estimator!r} has a parameter that cannot be stored, so that its results could not "
            f"be told from others in a folder; do without a folder ({error})."
        )
        raise ValueError(msg) from error
    return found[:N_DIGITS]


def _described(value: Any) -> Any:
    """Replace estimators by their class and parameters, wherever they are."""
    if isinstance(value, Ignored):
        return Ignored
    if hasattr(value, "known_by") and not isinstance(value, type):
        return (type(value).__qualname__, _described(value.known_by))
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = {
            name: _described(parameter)
            for name, parameter in value.get_params(deep=False).items()
            if name not in WITHOUT_EFFECT
        }
        return (f"{type(value).__module__}.{type(value).__qualname__}", parameters)
    if isinstance(value, list | tuple):
        return [_described(part) for part in value]
    return value
