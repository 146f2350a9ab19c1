"""The command `hsieve compare`: methods side by side on folds of a table."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hsieve.cli import options
from hsieve.cli.console import (
    complain,
    origin,
    print_tables,
    result_console,
)
from hsieve.cli.engines import Engine, engine_for_jobs
from hsieve.cli.errors import BadInputError, InterruptedRunError, kept_in
from hsieve.cli.files import (
    check_columns,
    check_outputs,
    read_dataset,
    reading_options,
    refusing,
    write_report,
    write_rows,
)
from hsieve.progress import show_progress
from hsieve.text import as_text, legible

if TYPE_CHECKING:
    from hsieve.comparison.compare import ComparisonPlan, SelectorComparison

USUAL_METHODS = ("n3lars", "bahsic", "mrmr", "lasso", "mr-nhsic")
LOST = "nothing of this comparison is kept; with --results FOLDER it could be resumed"


def compare_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="NAMES",
            help=f"Methods to compare{options.SEVERAL}; if not given, n3lars, bahsic, mrmr, lasso "
            "(where all features are numbers) and mr-nhsic.",
        ),
    ] = None,
    n_features: options.NFeatures = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Number of folds; fewer where a class has fewer samples.")
    ] = 10,
    repeats: Annotated[
        int,
        typer.Option(
            min=1,
            max=options.MOST_REPEATS,
            help="How often the folds are drawn; more steadies the figures.",
        ),
    ] = 1,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            max=options.MOST_WORKERS,
            help="Number of processes; the scores do not depend on it.",
        ),
    ] = 1,
    engine: Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    results: Annotated[
        Path | None,
        typer.Option(
            parser=options.path,
            help="Folder that keeps results; what is in it is not measured again, so an "
            "interrupted run is resumed, and methods can be added. If not given, nothing is kept.",
        ),
    ] = None,
    scoring: Annotated[
        str | None,
        typer.Option(
            help="A score of scikit-learn, such as roc_auc or neg_mean_absolute_error; if not "
            "given, accuracy (balanced where classes are unequal), and R2 of numbers.",
        ),
    ] = None,
    out: options.Out = None,
    report: options.Report = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    missing: options.MissingOption = options.Missing.refuse,
    random_state: options.RandomState = 0,
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Discard what is in --results and start over.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the methods only, best first, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Compare methods on folds of a table: how well, how many, how alike, how long."""
    from hsieve.comparison.compare import plan_comparison
    from hsieve.selectors.methods import find_method

    with refusing():
        names = options.names_in("--methods", methods)
        found = {name: find_method(name) for name in names or USUAL_METHODS}
        number = options.checked_number(n_features, *found.values())
        asked_for: dict[str, Any] = {} if number is None else {"n_features_to_select": number}
        who = engine_for_jobs(jobs, engine, scheduler, workers)
    if "auto" in found:
        msg = "auto chooses among methods itself and works with 'hsieve select' alone"
        raise BadInputError(msg)
    if fresh and results is None:
        msg = "--fresh discards what is in --results FOLDER, which is not given"
        raise BadInputError(msg)
    check_outputs(file, out, report)
    reading = reading_options(context)
    started = time.perf_counter()
    with show_progress(f"reading {file}", shown=not quiet):
        table = read_dataset(file, reading)
        left_out = []
        if table.categorical and not names:
            # Nobody named these, so that one that cannot take the columns is no mistake.
            left_out = [name for name, one in found.items() if not one.takes("categorical")]
            found = {name: one for name, one in found.items() if name not in left_out}
        with refusing(table.source):
            for method in found.values():
                check_columns(table, method)
            plan = plan_comparison(
                {
                    name: method.make(random_state=random_state, **asked_for)
                    for name, method in found.items()
                },
                table,
                scoring=scoring,
                cv=folds,
                n_repeats=repeats,
                n_jobs=jobs if who is None else None,
                engine=who,
                random_state=random_state,
                is_kept=results is not None,
            )
            compared = _measured(plan, results, fresh=fresh)
    if out is not None:
        _write(out, compared)
    if report is not None:
        write_report(report, compared.report())
    if quiet:
        if out is None:
            typer.echo("\n".join(legible(one.name) for one in compared.summaries))
        return
    for name in left_out:
        complain("warning", f"{name} is left out, since it takes numbers only")
    print_tables(compared.tables())
    console = result_console()
    seconds = time.perf_counter() - started
    console.print(as_text(f"{len(table.names)} features, {origin(table)}; {seconds:.1f} s"))
    for sentence in compared.sentences():
        console.print(as_text(sentence))


def _measured(plan: "ComparisonPlan", folder: Path | None, *, fresh: bool) -> "SelectorComparison":
    """Measure what is not yet measured."""
    from hsieve.comparison import runner

    try:
        records = runner.run(plan.experiment, plan.settings, folder, fresh=fresh).records
    except KeyboardInterrupt:
        if folder is None:
            raise InterruptedRunError(LOST) from None
        done = runner.gather(plan.experiment, plan.settings, folder)
        if done.records:
            print_tables(plan.result(done.records).tables())
        result_console().print(f"{done.n_done} of {done.n_planned} pieces are done.")
        raise InterruptedRunError(kept_in(folder)) from None
    return plan.complete_result(records)


def _write(path: Path, found: "SelectorComparison") -> None:
    """Write a row for each method, whole or not at all."""
    rows = found.rows()
    if path.suffix.lower() == ".csv":
        for row in rows:
            named = (f"{one['feature']} ({one['share']:.2f})" for one in row["frequent"])
            row["frequent"] = "; ".join(named)
    write_rows(path, rows, list(rows[0]))
