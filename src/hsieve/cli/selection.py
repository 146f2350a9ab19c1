"""The work of `hsieve select`, apart from options and tables on the screen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.automatic import automatic_selection
from hsieve.cli.checks import check_columns
from hsieve.cli.engine_options import traffic_note, workers_ready
from hsieve.cli.files import (
    gathered_warnings,
    read_dataset,
    refusing,
    write_rows,
    written,
)
from hsieve.cli.methods import MethodRequest

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.report.analysis import Analysis, AnalysisOptions
    from hsieve.report.tables import RelatedFeature
    from hsieve.selectors.base import BaseSelector
    from hsieve.selectors.methods import Method

__all__ = ["SelectOutcome", "in_words", "read", "select", "write", "write_plot"]

P_VALUES = ("p_value", "adjusted_p_value")
RELATED = ("substitutes", "partners")


@dataclass(frozen=True)
class SelectOutcome:
    """The fitted selector, all that there is to say of it, and which method `auto` chose."""

    selector: "BaseSelector"
    analysis: "Analysis"
    chosen: str = ""


def read(path: Path, options: dict[str, Any], method_name: str, method: "Method") -> "Dataset":
    """Read a file and see that the method can take its columns."""
    table = read_dataset(path, options)
    check_columns(table, method_name, method)
    return table


def select(
    table: "Dataset",
    method: "Method",
    request: MethodRequest,
    options: "AnalysisOptions",
) -> SelectOutcome:
    """Select features of a table, and look at the result once.

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
    from hsieve.report.analysis import analyse

    with workers_ready(request), refusing(table.source):
        # The analysis says these, by names.
        with gathered_warnings(
            ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
        ) as warned:
            found = automatic_selection(table, request) if method.is_automatic else None
            selector = (
                method.make(**request.parameters).fit(table) if found is None else found.selector
            )
        # Only these may find nothing where there is something to select from.
        if not len(selector.selected_indices_) and not method.may_find_nothing:
            msg = "all features beside the covariates are constant: there is nothing to select from"
            raise ValueError(msg)
        origin = options.origin
        done = () if found is None else found.notes
        notes = (*origin.notes, *done, *traffic_note(selector, request))
        origin = replace(origin, warnings=tuple(warned), notes=notes)
        if found is not None:
            origin = replace(origin, reasons=found.reasons, settings=found.settings)
        analysis = analyse(selector, table, options=replace(options, origin=origin))
    chosen = "" if found is None else f"{found.method}, chosen by auto"
    return SelectOutcome(selector, analysis, chosen)


def write(path: Path, analysis: "Analysis", *, p_values: bool) -> None:
    """Write the chosen features, whole or not at all.

    Substitutes and partners are lists in JSON and one text in CSV.
    """
    keys = ["rank", "feature", "index", "score"]
    if "frequency" in {column.key for column in analysis.columns}:
        keys.append("frequency")
    keys += P_VALUES if p_values else ()
    chosen = analysis.chosen
    keys += [key for key in RELATED if any(getattr(row, key) is not None for row in chosen)]
    is_text = path.suffix.lower() == ".csv"
    rows = []
    for row in chosen:
        cells: dict[str, Any] = {"feature": row.name, "index": row.feature}
        cells.update({key: getattr(row, key) for key in keys if key not in cells})
        for key in RELATED:
            if key in cells:
                related = cells[key] or ()
                plain = [{"feature": one.name, "score": one.score} for one in related]
                cells[key] = in_words(related) if is_text else plain
        rows.append({key: cells[key] for key in keys})
    write_rows(path, rows, keys)


def in_words(related: "Sequence[RelatedFeature]") -> str:
    """Write features with their scores as one text, for files of plain columns."""
    return "; ".join(f"{one.name} ({one.score:.2f})" for one in related)


def write_plot(path: Path, selector: "BaseSelector", feature_names: Sequence[str]) -> None:
    """Draw the path of a selector into a file."""
    from hsieve.report import PathDisplay

    display = PathDisplay.from_selector(selector, feature_names=feature_names)
    with written(path, "the picture"):
        display.save(path)
