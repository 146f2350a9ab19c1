"""The methods as the command line lists them, and what the user wants of one."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hsieve.cli.console import result_console
from hsieve.cli.errors import BadInputError

if TYPE_CHECKING:
    from hsieve.parallel import EngineSettings
    from hsieve.selectors.methods import Method

__all__ = [
    "DEFAULT_METHOD",
    "PATH",
    "MethodRequest",
    "check_takes",
    "find_method",
    "print_methods",
]

# As hsieve.select in Python.
DEFAULT_METHOD = "auto"
# A parameter that only methods with a regularisation path have.
PATH = "covariates"


@dataclass(frozen=True)
class MethodRequest:
    """What the user wants of a selector, whichever method it is.

    Parameters
    ----------
    n_features : int, str or None
        Number of features to choose, or a rule that finds it; None leaves it to the selector.
    categorical : tuple of int
        Columns that hold categories.
    target_kind : {"classes", "continuous"}
        What the target holds.
    random_state : int
        Seed.
    covariates : tuple of int, default=()
        Columns to adjust for, never selected.
    max_redundancy, memory_limit, false_selections, n_subsamples, engine, checkpoint
        As the selectors take them; None for what they do by themselves.
    interactions : bool, default=False
        Whether pairs of features are on the path too.
    time_allowed : str or float, default="minutes"
        How long choosing a method may take.
    """

    n_features: int | str | None
    categorical: tuple[int, ...]
    target_kind: str
    random_state: int
    covariates: tuple[int, ...] = ()
    max_redundancy: float | None = None
    memory_limit: str | None = None
    interactions: bool = False
    false_selections: float | None = None
    n_subsamples: int | None = None
    engine: "EngineSettings | None" = None
    checkpoint: Path | None = None
    time_allowed: str | float = "minutes"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the selector: those asked for, and what is known of the data."""
        asked_for = {
            "n_features_to_select": self.n_features,
            "covariates": self.covariates or None,
            "max_redundancy": self.max_redundancy,
            "memory_limit": self.memory_limit,
            "interactions": "pairs" if self.interactions else None,
            "expected_false_selections": self.false_selections,
            "n_subsamples": self.n_subsamples,
            "engine": self.engine,
            "checkpoint": self.checkpoint,
        }
        return {
            "categorical": self.categorical,
            "target_kind": self.target_kind,
            "random_state": self.random_state,
            **{name: value for name, value in asked_for.items() if value is not None},
        }


def find_method(name: str) -> "Method":
    """Return the method of that name, or refuse it."""
    from hsieve.selectors import methods

    try:
        return methods.find_method(name)
    except ValueError as error:
        msg = f"{error} (see 'hsieve methods')"
        raise BadInputError(msg) from error


def check_takes(method: "Method", parameter: str, option: str) -> None:
    """Refuse an option for a method whose selector has no such parameter."""
    try:
        method.check_takes(parameter, option)
    except ValueError as error:
        raise BadInputError(str(error)) from error


def print_methods() -> None:
    """Print all methods, grouped by what one wants; no line is longer than 100 characters."""
    from hsieve.selectors.methods import AUTO, known_methods

    listed = [AUTO, *known_methods().values()]
    console = result_console()
    width = max(len(method.name) for method in listed)
    for group, methods in groupby(listed, key=lambda method: method.group):
        console.print(Text(group, style="bold"))
        for method in methods:
            line = f"  {method.name:<{width}}  {method.purpose:<56}  {method.cost}"
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print("The last column is the cost, in n samples, d features and k features wanted.")
