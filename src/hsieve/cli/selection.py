"""The work of `hsieve select`, apart from options and tables on the screen."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.automatic import automatic_selection
from hsieve.cli.checks import check_columns, check_number, few_names
from hsieve.cli.engine_options import traffic_note, workers_ready
from hsieve.cli.errors import BadInputError
from hsieve.cli.files import gathered_warnings, plainly, read_dataset, refusing, write_rows
from hsieve.cli.methods import MethodRequest
from hsieve.cli.path_options import (
    NO_PAIRS,
    NOT_LOOKED_FOR,
    add_partners,
    add_relatives,
    capped,
    in_words,
    selected_pairs,
)
from hsieve.cli.selection_notes import nothing_shows, pursuit_notes
from hsieve.cli.stability_options import add_frequencies, stability_notes

if TYPE_CHECKING:
    from hsieve.auto import Selection
    from hsieve.dataset import Dataset
    from hsieve.inference import FeatureTests
    from hsieve.selectors.base import BaseSelector
    from hsieve.selectors.methods import Method

__all__ = ["SelectOutcome", "read", "select", "write", "write_plot"]

NO_P_VALUES = "none"


@dataclass(frozen=True)
class SelectOutcome:
    """What was selected.

    Parameters
    ----------
    rows : list of dict
        For each feature chosen, best first: rank, feature, index, score, frequency (stability
        selection only) and, if wanted, p_value, adjusted_p_value, relatives and partners (lists of
        dict with feature and score).
    columns : list of str
        Keys of the rows, also where there are none.
    warnings : list of str
        What the user should know.
    seconds : float
        Time of the selection.
    method : Method
        How it was selected.
    selector : BaseSelector
        The fitted selector.
    notes : list of str, default=[]
        Sentences to be printed below the features.
    pairs : list of tuple, default=[]
        Names and coefficient of each pair of features on the path, the largest first.
    tests : FeatureTests or None, default=None
        Tests of all features, if wanted; NaN where one was not tested.
    chosen : str, default=""
        The method that was chosen, where that was left to the program.
    """

    rows: list[dict[str, Any]]
    columns: list[str]
    warnings: list[str]
    seconds: float
    method: "Method"
    selector: "BaseSelector"
    notes: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str, float]] = field(default_factory=list)
    tests: "FeatureTests | None" = None
    chosen: str = ""


def read(path: Path, options: dict[str, Any], method_name: str, method: "Method") -> "Dataset":
    """Read a file and see that the method can take its columns.

    The features stay in the file where it allows that and the method can read blocks of them.

    Parameters
    ----------
    path : Path
        The file.
    options : dict
        Arguments of :func:`hsieve.open_dataset`.
    method_name : str
        Name of the method, for the message.
    method : Method
        The method.

    Returns
    -------
    Dataset
        The features and the target.

    Raises
    ------
    BadInputError
        If it cannot be read, or has categories that the method does not know.
    """
    table = read_dataset(path, options)
    check_columns(table, method_name, method)
    return table


def select(
    table: "Dataset", method: "Method", request: MethodRequest, p_values: str
) -> SelectOutcome:
    """Select features of a table.

    Parameters
    ----------
    table : Dataset
        Features and target.
    method : Method
        How to select.
    request : MethodRequest
        What is wanted.
    p_values : {"none", "gamma", "permutation"}
        Which test of single features to add.

    Returns
    -------
    SelectOutcome
        The chosen features and what is to be said about them.

    Raises
    ------
    BadInputError
        If the data do not allow it.
    """
    from hsieve.exceptions import (
        ConstantFeatureWarning,
        FewerFeaturesWarning,
        NothingFoundWarning,
    )

    check_number(table, request)
    started = time.perf_counter()
    # These are said below: by names, since the selector may have been given positions only, and in
    # the words of the command line.
    with (
        gathered_warnings(
            ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
        ) as warned,
        workers_ready(request),
        plainly(table.source),
    ):
        rows, selector, tests, found = _fitted_rows(table, method, request, p_values)
    seconds = time.perf_counter() - started
    told = [
        *_constant_columns(table, selector),
        *capped(rows, request),
        *([] if method.is_automatic else nothing_shows(table, selector, request)),
        *warned,
    ]
    skipped = method.has_path and request.n_relatives is None and "relatives" not in rows[0]
    notes = [NOT_LOOKED_FOR] if skipped else []
    notes += [] if found is None else [*found.notes, *found.reasons]
    choice = getattr(selector, "n_features_choice_", None)
    if rows and choice is not None and not method.is_automatic:
        notes.insert(0, f"How many, by {choice.rule}: {choice.reason}")
    notes += stability_notes(rows, selector, table)
    # Where auto chooses nothing its reasons have said so.
    notes += pursuit_notes(rows, selector, table) if rows or found is None else []
    pairs = selected_pairs(selector, table)
    if request.interactions:
        add_partners(rows, pairs)
        notes += [] if pairs else [NO_PAIRS]
    notes += traffic_note(selector, request)
    columns = list(rows[0]) if rows else _columns_of_nothing(method, p_values)
    chosen = "" if found is None else f"{found.method}, chosen by auto"
    return SelectOutcome(
        rows, columns, told, seconds, method, selector, notes, pairs, tests, chosen
    )


def write(path: Path, outcome: SelectOutcome) -> None:
    """Write the chosen features, whole or not at all.

    Relatives and partners are lists in JSON and one text in CSV.

    Parameters
    ----------
    path : Path
        A file ending in .csv or .json.
    outcome : SelectOutcome
        What was selected.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    rows = outcome.rows
    if path.suffix.lower() == ".csv":
        lists = [key for key in ("relatives", "partners") if key in outcome.columns]
        rows = [{**row, **{key: in_words(row[key]) for key in lists}} for row in rows]
    write_rows(path, rows, outcome.columns)


def write_plot(path: Path, selector: "BaseSelector", feature_names: Sequence[str]) -> None:
    """Draw the path of a selector into a file.

    Parameters
    ----------
    path : Path
        The picture.
    selector : BaseSelector
        A fitted selector that has a path.
    feature_names : sequence of str
        One name for each feature.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    from hsieve.report import PathDisplay

    display = PathDisplay.from_selector(selector, feature_names=feature_names)
    try:
        with refusing():
            display.save(path)
    except OSError as error:
        msg = f"{path}: the picture cannot be written ({error.strerror or error})"
        raise BadInputError(msg) from error


def _fitted_rows(
    table: "Dataset", method: "Method", request: MethodRequest, p_values: str
) -> "tuple[list[dict[str, Any]], BaseSelector, FeatureTests | None, Selection | None]":
    """One row for each feature chosen, best first, who chose them, tests, and what auto did."""
    found = automatic_selection(table, request) if method.is_automatic else None
    selector = method.make(**request.parameters).fit(table) if found is None else found.selector
    rows: list[dict[str, Any]] = [
        {
            "rank": rank,
            "feature": table.names[index],
            "index": int(index),
            "score": float(selector.scores_[index]),
        }
        for rank, index in enumerate(selector.selected_indices_, start=1)
    ]
    # Only these may find nothing where there is something to select from.
    if not rows and not (method.is_stability or method.finds_number or method.is_automatic):
        msg = "all features beside the covariates are constant: there is nothing to select from"
        raise ValueError(msg)
    add_frequencies(rows, selector)
    tests = None
    if rows and p_values != NO_P_VALUES:
        tests = _add_p_values(rows, table, request, p_values)
    add_relatives(rows, selector, table, request)
    return rows, selector, tests, found


def _columns_of_nothing(method: "Method", p_values: str) -> list[str]:
    """Keys that rows would have, if there were any."""
    columns = ["rank", "feature", "index", "score"]
    columns += ["frequency"] if method.is_stability else []
    return columns + (["p_value", "adjusted_p_value"] if p_values != NO_P_VALUES else [])


def _add_p_values(
    rows: list[dict[str, Any]], table: "Dataset", request: MethodRequest, p_values: str
) -> "FeatureTests":
    """Test features on their own: all of a table in memory, else only those chosen."""
    import numpy as np

    from hsieve.inference import among_all_features, feature_tests
    from hsieve.measures import HSIC

    tested = np.arange(table.n_features)
    if not table.in_memory:
        tested = np.array([row["index"] for row in rows], dtype=np.intp)
    X = table.columns.read(tested)
    categorical = tuple(np.flatnonzero(np.isin(tested, request.categorical)).tolist())
    measure = HSIC(categorical=categorical, target_kind=request.target_kind)
    tests = feature_tests(
        X, table.y, measure=measure, method=p_values, random_state=request.random_state
    )
    among_all = among_all_features(tests, tested, len(table.names))
    for row in rows:
        row["p_value"] = float(among_all.p_values[row["index"]])
        row["adjusted_p_value"] = float(among_all.adjusted_p_values[row["index"]])
    return among_all


def _constant_columns(table: "Dataset", selector: "BaseSelector") -> list[str]:
    """Name the columns that could not be selected, if there are any."""
    names = [table.names[feature] for feature in selector.constant_features_]
    if not names:
        return []
    what = "column holds" if len(names) == 1 else "columns hold"
    return [f"{len(names)} {what} one single value and can never be selected: {few_names(names)}"]
