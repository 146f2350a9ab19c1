"""How to get a selection again: Python code, a command line, versions and the seed.

A selector written out as the Python code that makes it again.
"""

import importlib
import inspect
import math
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from hsieve.selectors.spec import MethodSpec
from hsieve.text import legible, shortened

PACKAGES = ("hsieve", "numpy", "scipy", "scikit-learn")
POSITIONS_NAMED = 10
MOST_NAMES = 20
LONGEST_CODE = 20_000
# The answer does not depend on these; they belong to the machine.
OF_THE_MACHINE = ("checkpoint", "engine", "n_jobs")
LONGEST_LINE = 88
NUMBER_OPTIONS = {
    "n_features_to_select": "-k",
    "random_state": "--random-state",
}
PLAIN_OPTIONS = (
    "max_redundancy",
    "memory_limit",
    "method",
    "missing",
    "target_kind",
    "time_allowed",
)
MOST_VALUES = 2000


class Constructor:
    """Python code that makes a selector, or calls a function: imports, and gaps left in it."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        self.gaps: list[str] = []

    @property
    def imports(self) -> list[str]:
        """Lines to be run first."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]

    def estimator(self, estimator: BaseEstimator) -> str:
        """Write a call with all parameters that are not the usual ones."""
        return self.call(self._named(type(estimator)), changed_parameters(estimator))

    def call(self, name: str, arguments: Mapping[str, Any], *first: str) -> str:
        """Write a call, on one line if it is short; the first arguments are written already."""
        parts = list(first)
        for key, value in arguments.items():
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
            parts = [self._sequence(pair) for pair in value.items()]
            return None if None in parts else f"dict([{', '.join(map(str, parts))}])"
        return self.estimator(value) if isinstance(value, BaseEstimator) else None

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
    """Return the parameters that are not the usual ones."""
    parameters = inspect.signature(type(estimator)).parameters.values()
    usual = {one.name: one.default for one in parameters if one.default is not one.empty}
    given = estimator.get_params(deep=False)
    in_order = [name for name in usual if name in given]
    in_order += [name for name in given if name not in usual]
    return {
        name: given[name]
        for name in in_order
        if name not in usual or not _is_same(given[name], usual[name])
    }


def _is_same(value: Any, usual: Any) -> bool:
    """Whether two values are the same to a constructor."""
    if isinstance(value, np.ndarray) or isinstance(usual, np.ndarray):
        return False
    if isinstance(value, list | tuple) and isinstance(usual, list | tuple):
        return list(value) == list(usual)
    return type(value) is type(usual) and bool(value == usual)


def written_out(value: Any) -> str:
    """Show a value of a parameter on one line."""
    if isinstance(value, BaseEstimator):
        return " ".join(Constructor().estimator(value).split())
    if isinstance(value, np.ndarray):
        return f"array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, list | tuple | set | frozenset) and len(value) > 10:
        first = ", ".join(repr(one) for one in list(value)[:5])
        return f"{first}, ... ({len(value)} values)"
    return repr(value.item() if isinstance(value, np.generic) else value)


@dataclass(frozen=True)
class Origin:
    """Where a selection comes from, as far as whoever asks for an analysis knows."""

    # The command line, lines of Python that read the data, and what these are called then.
    command: str = ""
    reading: str = ""
    data: str = "X, y"
    # What was warned of, and what was done to the data.
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # Why hsieve.select chose as it did, and what it was given; None where it was not asked.
    reasons: tuple[str, ...] = ()
    settings: Mapping[str, Any] | None = None

    @property
    def number_is_found(self) -> bool:
        """Whether hsieve.select chose the number of features, too."""
        return self.settings is not None and "n_features_to_select" not in self.settings


@dataclass(frozen=True)
class Repetition:
    """How to get a selection again: code, perhaps a command, and what the answer depends on.

    `gaps` are parameters that could not be written out as code.
    """

    python: str
    gaps: list[str]
    command: str | None
    command_needs: str
    seed: str
    versions: dict[str, str]


def repetition(
    selector: Any, n_samples: int | None, origin: Origin, names: Sequence[str], target_name: str
) -> Repetition:
    """Say how to get a selection again."""
    made = Constructor()
    command, needs = origin.command, ""
    if not command:
        command = _command(selector, origin.settings, names, target_name)
        needs = (
            "For the same columns in a table data.csv, the target among them." if command else ""
        )
    if origin.settings is None:
        seed = selector.get_params(deep=False).get("random_state", "none")
    else:
        seed = origin.settings.get("random_state", 0)
    return Repetition(
        python=_python(selector, made, n_samples, origin, names),
        gaps=made.gaps,
        command=command or None,
        command_needs=needs,
        seed=_about_seed(seed),
        versions=_versions(),
    )


def quoted(argument: str) -> str:
    r"""Quote an argument for a shell, with nothing in it that cannot be seen.

    Examples
    --------
    >>> print(quoted("two words"), quoted("two\nlines"))
    'two words' $'two\nlines'
    """
    if argument.isprintable():
        return shlex.quote(argument)
    escaped = argument.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{legible(escaped)}'"


def _python(
    selector: Any, made: Constructor, n_samples: int | None, origin: Origin, names: Sequence[str]
) -> str:
    """Write the code."""
    chosen = selector.selected_indices_.tolist()
    more = ", ..." if len(chosen) > POSITIONS_NAMED else ""
    shown = chosen[:POSITIONS_NAMED]
    if origin.settings is None:
        call = [f"selector = {made.estimator(selector)}", f"selector.fit({origin.data})"]
        call.append(f"selector.selected_indices_  # [{', '.join(map(str, shown))}{more}]")
    else:
        call = [f"found = {made.call('hsieve.select', origin.settings, origin.data)}"]
        features = ", ".join(repr(shortened(names[feature])) for feature in shown)
        call.append(f"found.features  # {features or 'none'}{more}")
    lines = [*(["import hsieve"] if origin.settings is not None else []), *made.imports]
    if origin.reading:
        lines += [origin.reading]
    else:
        size = f"{selector.n_features_in_:,} features"
        if n_samples is not None:
            size = f"{n_samples:,} samples of {size}"
        lines += ["", f"# X holds {size}, y is the target."]
    if made.gaps:
        lines.append(f"# Not written out, and None below: {', '.join(made.gaps)}.")
    code = "\n".join([*lines, *call])
    if len(code) > LONGEST_CODE:
        name = type(selector).__name__
        return f"# The parameters are too long to be written here.\nselector = {name}(...)"
    return code


def _command(
    selector: Any, settings: Mapping[str, Any] | None, names: Sequence[str], target_name: str
) -> str:
    """Write a command line that does the same with a file; empty if there is none."""
    words = ["hsieve", "select", "data.csv", "--target", target_name]
    if settings is None:
        spec: MethodSpec | None = getattr(type(selector), "spec", None)
        if spec is None or not spec.name:
            return ""
        words += ["--method", spec.name]
        settings = changed_parameters(selector)
    for key, value in settings.items():
        option = _option(key, value, names)
        if option is None:
            return ""
        words += option
    return " ".join(map(quoted, words))


def _option(key: str, value: Any, names: Sequence[str]) -> list[str] | None:
    """Write a parameter as options; None if there is no such option."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if key in NUMBER_OPTIONS and (is_whole or isinstance(value, str)):
        return [NUMBER_OPTIONS[key], str(value)]
    if key in ("categorical", "covariates"):
        option = "--categorical" if key == "categorical" else "--covariate"
        listed = [item if isinstance(item, str) else names[item] for item in value]
        if len(listed) > MOST_NAMES:
            return None
        return [word for name in listed for word in (option, name)]
    if key == "interactions":
        return ["--interactions"] if value == "pairs" else None
    if key == "names":
        return []  # a table has its own
    is_option = key in PLAIN_OPTIONS and (is_whole or isinstance(value, str | float))
    return [f"--{key.replace('_', '-')}", str(value)] if is_option else None


def _about_seed(seed: Any) -> str:
    """Say what the random choices depend on."""
    if isinstance(seed, str):
        return "The method makes no random choices."
    if seed is None:
        return "random_state=None: random choices differ from run to run."
    if isinstance(seed, int | np.integer):
        return f"random_state={int(seed)}: the same data give the same answer again."
    return (
        "random_state was a generator, whose state is not kept: random choices differ from run to "
        "run."
    )


def _versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # used from its sources, not installed
            continue
    return found
