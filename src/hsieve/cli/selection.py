"""The work of `hsieve select`, apart from options and tables on the screen.

Everything that can be wrong with the request is found before the search starts, and nothing is
written before it has ended.
"""

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.errors import BadInputError
from hsieve.cli.methods import Method, Request

if TYPE_CHECKING:
    from hsieve.data.tables import Table

__all__ = ["Columns", "Outcome", "check_output", "read", "select", "write"]

OUTPUT_ENDINGS = (".csv", ".json")
NAMES_SHOWN = 5
NO_P_VALUES = "none"


@dataclass(frozen=True)
class Columns:
    """Roles of the columns of a file.

    Parameters
    ----------
    target : str or None
        Name of the target.
    target_kind : {"auto", "classes", "continuous"}
        What it holds.
    categorical, drop : sequence of str
        Columns that are categories, and columns to leave out.
    """

    target: str | None
    target_kind: str
    categorical: Sequence[str]
    drop: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """What was selected.

    Parameters
    ----------
    rows : list of dict
        For each feature chosen, best first: rank, feature, index, score and, if wanted, p_value and
        adjusted_p_value.
    warnings : list of str
        What the user should know.
    seconds : float
        Time of the selection.
    """

    rows: list[dict[str, Any]]
    warnings: list[str]
    seconds: float


def check_output(path: Path, source: Path) -> None:
    """Refuse an output file that could not be written, before any work is done.

    Parameters
    ----------
    path : Path
        Where the features are to go.
    source : Path
        The file that is read.

    Raises
    ------
    BadInputError
        If the ending is unknown, the folder is missing or closed, or it would replace the data.
    """
    folder = path.parent
    problem = ""
    if path.suffix.lower() not in OUTPUT_ENDINGS:
        problem = f"the output must end in {' or '.join(OUTPUT_ENDINGS)}"
    elif path.is_dir():
        problem = "the output is a folder, not a file"
    elif not folder.is_dir():
        problem = "the folder of the output does not exist"
    elif not os.access(folder, os.W_OK):
        problem = "the folder of the output cannot be written to"
    elif path.exists() and source.exists() and path.samefile(source):
        problem = "the output would replace the data"
    if problem:
        msg = f"{path}: {problem}"
        raise BadInputError(msg)


def read(path: Path, columns: Columns, method_name: str, method: Method) -> "Table":
    """Read a file and see that the method can take its columns.

    Parameters
    ----------
    path : Path
        The file.
    columns : Columns
        Roles of its columns.
    method_name : str
        Name of the method, for the message.
    method : Method
        The method.

    Returns
    -------
    Table
        The features and the target.

    Raises
    ------
    BadInputError
        If it cannot be read, or has categories that the method does not know.
    """
    from hsieve.data.tables import TableError, read_table

    try:
        table = read_table(
            path,
            target=columns.target,
            categorical=columns.categorical,
            target_kind=columns.target_kind,
            drop=columns.drop,
        )
    except TableError as error:
        raise BadInputError(str(error)) from error
    if table.categorical and not method.takes_categories:
        names = _listed([table.feature_names[i] for i in table.categorical])
        msg = f"{path}: the method {method_name} takes numbers only, but {names} are categories"
        raise BadInputError(msg)
    return table


def select(table: "Table", method: Method, request: Request, p_values: str) -> Outcome:
    """Select features of a table.

    Parameters
    ----------
    table : Table
        Features and target.
    method : Method
        How to select.
    request : Request
        What is wanted.
    p_values : {"none", "gamma", "permutation"}
        Which test of single features to add.

    Returns
    -------
    Outcome
        The chosen features and what is to be said about them.

    Raises
    ------
    BadInputError
        If the data do not allow it.
    """
    n_features = len(table.feature_names)
    if request.n_features is not None and request.n_features > n_features:
        msg = (
            f"{table.source}: {request.n_features} features are asked for, "
            f"but there are only {n_features}"
        )
        raise BadInputError(msg)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        _show_each_warning_once()
        rows = _plainly(table, method, request, p_values)
    seconds = time.perf_counter() - started
    told = [*_constant_columns(table), *(str(warning.message) for warning in caught)]
    return Outcome(rows, list(dict.fromkeys(told)), seconds)


def write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the chosen features, whole or not at all.

    Parameters
    ----------
    path : Path
        A file ending in .csv or .json.
    rows : sequence of dict
        The rows of an :class:`Outcome`.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    from hsieve.data.tables import TableError, write_features

    try:
        write_features(path, rows, columns=list(rows[0]))
    except TableError as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        msg = f"{path}: the output cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _show_each_warning_once() -> None:
    """Let warnings for users through; those for programmers are not for this screen."""
    from hsieve.exceptions import ConstantFeatureWarning

    warnings.simplefilter("always")
    for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter("ignore", category)
    # Its text has positions for names, since the selector is given an array; ours has the names.
    warnings.simplefilter("ignore", ConstantFeatureWarning)


def _plainly(
    table: "Table", method: Method, request: Request, p_values: str
) -> list[dict[str, Any]]:
    """Fit, and turn what selectors refuse into a sentence about the file."""
    import numpy as np

    from hsieve.exceptions import IncompatibleCombinationError

    try:
        return _fitted_rows(table, method, request, p_values)
    except np.linalg.LinAlgError:
        raise  # a ValueError by inheritance, but no fault of the user's
    except (ValueError, IncompatibleCombinationError) as error:
        msg = f"{table.source}: {error}"
        raise BadInputError(msg) from error


def _fitted_rows(
    table: "Table", method: Method, request: Request, p_values: str
) -> list[dict[str, Any]]:
    """One row for each feature chosen, best first."""
    selector = method.make(request).fit(table.X, table.y)
    rows: list[dict[str, Any]] = [
        {
            "rank": rank,
            "feature": table.feature_names[index],
            "index": int(index),
            "score": float(selector.scores_[index]),
        }
        for rank, index in enumerate(selector.selected_indices_, start=1)
    ]
    if p_values != NO_P_VALUES:
        from hsieve.inference import feature_tests
        from hsieve.measures import HSIC

        measure = HSIC(categorical=request.categorical, target_kind=request.target_kind)
        tests = feature_tests(
            table.X, table.y, measure=measure, method=p_values, random_state=request.random_state
        )
        for row in rows:
            row["p_value"] = float(tests.p_values[row["index"]])
            row["adjusted_p_value"] = float(tests.adjusted_p_values[row["index"]])
    return rows


def _constant_columns(table: "Table") -> list[str]:
    """Name the columns that could not be selected, if there are any."""
    import numpy as np

    from hsieve.data.validation import constant_columns

    names = [table.feature_names[i] for i in np.flatnonzero(constant_columns(table.X))]
    if not names:
        return []
    what = "column holds" if len(names) == 1 else "columns hold"
    return [f"{len(names)} {what} one single value and can never be selected: {_listed(names)}"]


def _listed(names: Sequence[str]) -> str:
    """Show the first few names."""
    shown = ", ".join(repr(name) for name in names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"
