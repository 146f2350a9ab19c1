"""A selector written out as the Python code that makes it again."""

import importlib
import math
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["Constructor", "changed_parameters", "written_out"]

# The answer does not depend on these; they belong to the machine.
OF_THE_MACHINE = ("checkpoint", "engine", "n_jobs", "n_threads")
LONGEST_LINE = 88
MOST_VALUES = 2000


class Constructor:
    """Python code that makes a selector.

    Attributes
    ----------
    imports : list of str
        Lines to be run first.
    expression : str
        What makes the selector.
    gaps : list of str
        Parameters that cannot be written out; the code has None in their place.
    """

    def __init__(self, selector: BaseEstimator) -> None:
        self._names: dict[str, set[str]] = {}
        self.gaps: list[str] = []
        self.expression = self._estimator(selector)

    @property
    def imports(self) -> list[str]:
        """Lines to be run first."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]

    def _estimator(self, estimator: BaseEstimator) -> str:
        """Write a call with all parameters that are not the usual ones."""
        name = self._named(type(estimator))
        parts = []
        for key, value in changed_parameters(estimator).items():
            if key in OF_THE_MACHINE:
                continue
            text = self._value(value)
            if text is None:
                self.gaps.append(key)
            parts.append(f"{key}={text}")
        line = f"{name}({', '.join(parts)})"
        if len(line) <= LONGEST_LINE:
            return line
        inner = "".join(f"    {part},\n".replace("\n    ", "\n        ") for part in parts)
        return f"{name}(\n{inner})"

    def _value(self, value: Any) -> str | None:
        """Write a value; None if it has no plain form."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, PathLike):
            value = fspath(value)
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        if isinstance(value, np.ndarray):
            value = value.tolist() if value.size <= MOST_VALUES else None
        if isinstance(value, list | tuple | range | set | frozenset):
            return self._sequence(value)
        if isinstance(value, dict):
            return self._mapping(value)
        return self._estimator(value) if isinstance(value, BaseEstimator) else None

    def _sequence(self, values: Any) -> str | None:
        """Write a list or a tuple."""
        if len(values) > MOST_VALUES:
            return None
        parts = [self._value(value) for value in values]
        if None in parts:
            return None
        inner = ", ".join(map(str, parts))
        if isinstance(values, tuple):
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        return f"[{inner}]"

    def _mapping(self, values: dict[Any, Any]) -> str | None:
        """Write a dictionary."""
        keys, entries = self._sequence(list(values)), self._sequence(list(values.values()))
        if keys is None or entries is None:
            return None
        pairs = (f"{self._value(key)}: {self._value(value)}" for key, value in values.items())
        return f"{{{', '.join(pairs)}}}"

    def _named(self, kind: type) -> str:
        """Import a class from the outermost package that has it by its name."""
        parts = kind.__module__.split(".")
        for length in range(1, len(parts) + 1):
            module = ".".join(parts[:length])
            if getattr(importlib.import_module(module), kind.__name__, None) is kind:
                break
        self._names.setdefault(module, set()).add(kind.__name__)
        return kind.__name__


def changed_parameters(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters that are not the usual ones.

    Parameters
    ----------
    estimator : BaseEstimator
        Any estimator.

    Returns
    -------
    dict of str to object
        In the order of the constructor.
    """
    usual = _usual_parameters(type(estimator))
    given = estimator.get_params(deep=False)
    in_order = [name for name in usual if name in given]
    in_order += [name for name in given if name not in usual]
    return {
        name: given[name]
        for name in in_order
        if name not in usual or not _is_same(given[name], usual[name])
    }


def _usual_parameters(kind: type) -> dict[str, Any]:
    """Defaults of a constructor, for those parameters that have one."""
    import inspect

    parameters = inspect.signature(kind).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def _is_same(value: Any, usual: Any) -> bool:
    """Whether two values are the same to a constructor."""
    if isinstance(value, np.ndarray) or isinstance(usual, np.ndarray):
        return False
    if isinstance(value, list | tuple) and isinstance(usual, list | tuple):
        return list(value) == list(usual)
    return type(value) is type(usual) and bool(value == usual)


def written_out(value: Any) -> str:
    """Show a value of a parameter on one line.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    str
        As Python would write it, where that is short.
    """
    if isinstance(value, BaseEstimator):
        return " ".join(Constructor(value).expression.split())
    if isinstance(value, np.ndarray):
        return f"array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, list | tuple | set | frozenset) and len(value) > 10:
        first = ", ".join(repr(one) for one in list(value)[:5])
        return f"{first}, ... ({len(value)} values)"
    return repr(value.item() if isinstance(value, np.generic) else value)
