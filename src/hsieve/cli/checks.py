"""What is refused because a method, its options and a table do not go together."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError
from hsieve.cli.files import check_output
from hsieve.cli.methods import PATH, check_takes
from hsieve.cli.options import OWN_NUMBER

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.selectors.methods import Method

__all__ = [
    "check_columns",
    "check_own_number",
    "check_plot",
    "check_report",
    "few_names",
]

NAMES_SHOWN = 5


def check_plot(path: Path, source: Path, method: "Method") -> None:
    """Refuse a picture that could not be drawn, before any work is done."""
    from hsieve.report.plots import PICTURE_ENDINGS, require_matplotlib

    check_takes(method, PATH, "--plot")
    check_output(path, source, PICTURE_ENDINGS)
    try:
        require_matplotlib()
    except ImportError as error:
        raise BadInputError(str(error)) from error


def check_report(path: Path, source: Path) -> None:
    """Refuse a report that could not be written, before any work is done."""
    from hsieve.report.page import REPORT_ENDINGS, require_jinja2

    check_output(path, source, REPORT_ENDINGS)
    try:
        require_jinja2()
    except ImportError as error:
        raise BadInputError(str(error)) from error


def check_columns(table: "Dataset", method_name: str, method: "Method") -> None:
    """Refuse columns and targets that a method does not know."""
    if table.categorical and not method.takes("categorical"):
        names = few_names([table.names[i] for i in table.categorical])
        msg = f"the method {method_name} takes numbers only, but {names} are categories"
    elif method.needs_classes and table.target_kind != "classes":
        msg = (
            f"the method {method_name} takes a target of classes only, but {table.target_name!r} "
            "holds numbers; if these are classes, say --target-kind classes"
        )
    else:
        return
    msg = f"{table.source}: {msg}"
    raise BadInputError(msg)


def check_own_number(
    n_features: int | str | None, method_name: str, method: "Method", *, stability: bool = False
) -> None:
    """Refuse to leave the number of features to a method that cannot choose it."""
    if n_features != OWN_NUMBER:
        return
    option = f"--n-features {OWN_NUMBER}"
    if stability:
        msg = f"{option} does not go with --stability, which selects as many features as are stable"
        raise BadInputError(msg)
    if not method.finds_number:
        msg = f"{option} does not work with {method_name}, which takes a number or another rule"
        raise BadInputError(msg)


def at_error_rate(
    method: "Method", fdr: float, n_features: int | str | None, *, stability: bool
) -> "Method":
    """Return knockoffs around a method, or refuse what does not go with them."""
    if not 0 < fdr < 1:
        msg = f"--fdr must be between 0 and 1, got {fdr:g}"
        raise BadInputError(msg)
    if n_features is not None or stability:
        other = "--stability" if stability else "--n-features"
        msg = f"--fdr does not go with {other}: both decide how many features are selected"
        raise BadInputError(msg)
    return method.at_error_rate(fdr)


def few_names(names: Sequence[str]) -> str:
    """Show the first few names of a list."""
    shown = ", ".join(repr(name) for name in names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"
