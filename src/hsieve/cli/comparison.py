"""The work of `hsieve compare`: methods side by side on folds of a table."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hsieve.cli.checks import check_columns, check_own_number
from hsieve.cli.console import as_text, result_console
from hsieve.cli.errors import BadInputError, InterruptedRunError, kept_in
from hsieve.cli.files import refusing, write_rows
from hsieve.cli.methods import MethodRequest, find_method
from hsieve.cli.printing import origin, print_tables

if TYPE_CHECKING:
    from hsieve.comparison.compare import ComparisonPlan, SelectorComparison
    from hsieve.dataset import Dataset
    from hsieve.parallel import EngineSettings
    from hsieve.selectors.methods import Method

__all__ = [
    "USUAL_METHODS",
    "ComparisonOptions",
    "check",
    "make_plan",
    "run_plan",
    "show",
    "write",
]

USUAL_METHODS = ("n3lars", "bahsic", "mrmr", "lasso", "mr-nhsic")
LOST = "nothing of this comparison is kept; with --results FOLDER it could go on where it was"


@dataclass(frozen=True)
class ComparisonOptions:
    """What to compare, and where results go.

    Parameters
    ----------
    methods : sequence of str
        Names of the methods; empty for the usual ones.
    n_features : int, str or None
        Number of features or rule, the same for all.
    n_folds, n_repeats, jobs, seed : int
        Folds, how often they are drawn, processes, and seed of all random choices.
    folder : Path or None
        Where results are kept; None for nowhere.
    fresh : bool
        Whether to throw away what is there.
    engine : EngineSettings or None
        Who evaluates, instead of processes.
    scoring : str or None
        Name of a scorer.
    """

    methods: Sequence[str]
    n_features: int | str | None
    n_folds: int
    n_repeats: int
    jobs: int
    seed: int
    folder: Path | None
    fresh: bool
    engine: "EngineSettings | None" = None
    scoring: str | None = None


def check(wish: ComparisonOptions) -> None:
    """Refuse what can be refused before the file is read."""
    for name, method in _methods_of(wish).items():
        if method.is_automatic:
            msg = f"{name} chooses among methods itself and works with 'hsieve select' alone"
            raise BadInputError(msg)
        check_own_number(wish.n_features, name, method)
    if wish.fresh and wish.folder is None:
        msg = "--fresh throws away what is in --results FOLDER, which is not given"
        raise BadInputError(msg)


def make_plan(table: "Dataset", wish: ComparisonOptions) -> tuple["ComparisonPlan", list[str]]:
    """Check everything and make the selectors; nothing is measured."""
    from hsieve.comparison.compare import plan_comparison

    methods, told = _methods_of(wish), []
    if not wish.methods and table.categorical:
        # Nobody named these, so that one that cannot take the columns is no mistake of the user's.
        left_out = [name for name, method in methods.items() if not method.takes("categorical")]
        methods = {name: one for name, one in methods.items() if name not in left_out}
        told = [f"{name} is left out, since it takes numbers only" for name in left_out]
    request = MethodRequest(wish.n_features, table.categorical, table.target_kind, wish.seed)
    for name, method in methods.items():
        check_columns(table, name, method)
    with refusing(table.source):
        plan = plan_comparison(
            {name: method.make(**request.parameters) for name, method in methods.items()},
            table,
            scoring=wish.scoring,
            cv=wish.n_folds,
            n_repeats=wish.n_repeats,
            n_jobs=wish.jobs if wish.engine is None else None,
            engine=wish.engine,
            random_state=wish.seed,
            is_kept=wish.folder is not None,
        )
    return plan, told


def run_plan(
    plan: "ComparisonPlan", table: "Dataset", wish: ComparisonOptions
) -> "SelectorComparison":
    """Measure what is not yet measured."""
    from hsieve.comparison import runner

    try:
        with refusing():
            records = runner.run(
                plan.experiment, plan.settings, wish.folder, fresh=wish.fresh
            ).records
    except KeyboardInterrupt:
        if wish.folder is None:
            raise InterruptedRunError(LOST) from None
        _show_part(plan, wish.folder)
        raise InterruptedRunError(kept_in(wish.folder)) from None
    with refusing(table.source):
        return plan.complete_result(records)


def write(path: Path, found: "SelectorComparison") -> None:
    """Write a row for each method, whole or not at all."""
    rows = found.rows()
    if path.suffix.lower() == ".csv":
        for row in rows:
            named = (f"{one['feature']} ({one['share']:.2f})" for one in row["frequent"])
            row["frequent"] = "; ".join(named)
    write_rows(path, rows, list(rows[0]))


def show(found: "SelectorComparison", table: "Dataset", started: float) -> None:
    """Print the tables and how to read them."""
    print_tables(found.tables())
    console = result_console()
    seconds = time.perf_counter() - started
    console.print(as_text(f"{len(table.names)} features, {origin(table)}; {seconds:.1f} s"))
    for sentence in found.sentences():
        console.print(as_text(sentence))


def _methods_of(wish: ComparisonOptions) -> dict[str, "Method"]:
    """Find the methods that are wanted, each once, in the order given."""
    return {name: find_method(name) for name in wish.methods or USUAL_METHODS}


def _show_part(plan: "ComparisonPlan", folder: Path) -> None:
    """Print what was done before an interruption."""
    from hsieve.comparison import runner

    with refusing():
        outcome = runner.gather(plan.experiment, plan.settings, folder)
    if outcome.records:
        print_tables(plan.result(outcome.records).tables())
    result_console().print(f"{outcome.n_done} of {outcome.n_planned} pieces are done.")
