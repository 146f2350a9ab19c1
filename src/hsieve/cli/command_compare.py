"""The command `hsieve compare`: its options, and what is done with them."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hsieve.cli import engine_options, options
from hsieve.cli.checks import check_report
from hsieve.cli.console import complain, legible, progress_bar
from hsieve.cli.files import check_output, read_dataset, reading_options
from hsieve.cli.options import number_or_rule
from hsieve.cli.reporting import write_report

__all__ = ["compare_command"]


def compare_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
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
    engine: engine_options.Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    results: Annotated[
        Path | None,
        typer.Option(
            parser=options.path,
            help="Folder that keeps results; what is in it is not measured again, so an "
            "interrupted run goes on, and methods can be added. If not given, nothing is kept.",
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
        bool, typer.Option("--fresh", help="Throw away what is in --results and start over.")
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
    from hsieve.cli import comparison

    wish = comparison.ComparisonOptions(
        options.names_in("--methods", methods),
        number_or_rule(n_features),
        folds,
        repeats,
        jobs,
        random_state,
        results,
        fresh,
        engine_options.engine_for_jobs(jobs, engine, scheduler, workers),
        scoring,
    )
    comparison.check(wish)
    if out is not None:
        check_output(out, file)
    if report is not None:
        check_report(report, file)
    text = (sep, decimal, encoding)
    reading = reading_options(
        target, target_kind.value, categorical, drop, missing.value, written=text
    )
    started = time.perf_counter()
    with progress_bar(f"reading {file}", shown=not quiet):
        table = read_dataset(file, reading)
        plan, warnings = comparison.make_plan(table, wish)
        found = comparison.run_plan(plan, table, wish)
    if out is not None:
        comparison.write(out, found)
    if report is not None:
        write_report(report, found.report())
    if quiet:
        if out is None:
            typer.echo("\n".join(legible(one.name) for one in found.summaries))
        return
    for warning in warnings:
        complain("warning", warning)
    comparison.show(found, table, started)
