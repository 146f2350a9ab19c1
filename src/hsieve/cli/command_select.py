"""The command `hsieve select`: its options, and what is done with them."""

import time
from pathlib import Path
from typing import Annotated

import typer

from hsieve.cli import checks, options
from hsieve.cli.automatic import time_wanted
from hsieve.cli.checks import check_own_number, check_plot, check_report
from hsieve.cli.console import legible, progress_bar
from hsieve.cli.engine_options import EngineOptions
from hsieve.cli.errors import telling_what_is_kept
from hsieve.cli.files import check_output, reading_options
from hsieve.cli.methods import DEFAULT_METHOD, MethodRequest, find_method
from hsieve.cli.options import number_or_rule
from hsieve.cli.path_options import PathOptions
from hsieve.cli.printing import print_selection
from hsieve.cli.reporting import command_line, origin_of, write_report
from hsieve.cli.stability_options import StabilityOptions

__all__ = ["select_command"]


def select_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    n_features: options.NFeatures = None,
    fdr: options.FalseDiscoveryRate = None,
    method_name: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="One of those that 'hsieve methods' lists; auto chooses method and number of "
            "features, and says why.",
        ),
    ] = DEFAULT_METHOD,
    out: options.Out = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            parser=options.path,
            help="Also draw the regularisation path into this .png, .svg or .pdf file.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    report: options.Report = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    missing: options.MissingOption = options.Missing.refuse,
    time_allowed: options.TimeAllowed = None,
    p_values: Annotated[
        options.PValues,
        typer.Option(
            help="Test each selected feature on its own, by HSIC.",
            rich_help_panel=options.DETAILS,
        ),
    ] = options.PValues.none,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help=f"Columns to adjust for, never selected{options.SEVERAL}.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    max_redundancy: Annotated[
        float | None,
        typer.Option(
            help="Most that two selected features may share (NHSIC); 0.9 bars copies.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    memory_limit: options.MemoryLimit = None,
    substitutes: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many features that could stand for a selected one (NHSIC 0.5 or more) to "
            "name; if not given, 3, among all features unless that takes long; 0 for none.",
            rich_help_panel=options.DETAILS,
        ),
    ] = None,
    *,
    interactions: Annotated[
        bool,
        typer.Option(
            "--interactions",
            help="Also find features that matter only in pairs.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Select again and again from halves of the samples, by the method named, and keep "
            "what is found in most of them: as many features as are stable, unless --n-features "
            "says more.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = False,
    false_selections: Annotated[
        float | None,
        typer.Option(
            help="Most false selections to expect, with --stability; 1 if not given, unless "
            "--n-features is a number.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = None,
    subsamples: Annotated[
        int | None,
        typer.Option(
            help="Number of halves, with --stability; 100 if not given.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = None,
    engine: options.Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    checkpoint: options.Checkpoint = None,
    random_state: options.RandomState = 0,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the names only, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Select the features of a table that tell most about its target."""
    from hsieve.cli import selection
    from hsieve.report.analysis import AnalysisOptions

    method = find_method(method_name)
    n_wanted = number_or_rule(n_features)
    if fdr is not None:
        method = checks.at_error_rate(method, fdr, n_wanted, stability=stability)
    check_own_number(n_wanted, method_name, method, stability=stability)
    covariates = options.names_in("--covariate", covariate)
    wanted = PathOptions(covariates, max_redundancy, memory_limit, interactions)
    wanted.check(method)
    seconds_allowed = time_wanted(time_allowed, method, n_wanted, stability=stability)
    if out is not None:
        check_output(out, file)
    if plot is not None:
        check_plot(plot, file, method)
    if report is not None:
        check_report(report, file)
    repeated = StabilityOptions(stability, false_selections, subsamples)
    repeated.check(method_name, method, [*wanted.given, *(["--plot"] if plot else [])])
    placed = EngineOptions(engine and engine.value, scheduler, workers, checkpoint)
    method = repeated.applied(method)
    placed.check(method)
    text = (sep, decimal, encoding)
    reading = reading_options(
        target, target_kind.value, categorical, drop, missing.value, written=text
    )
    started = time.perf_counter()
    kept = placed.kept_after_interruption(method_name, method)
    with telling_what_is_kept(kept), progress_bar(f"reading {file}", shown=not quiet):
        table = selection.read(file, reading, method_name, method)
        request = MethodRequest(
            n_wanted,
            table.categorical,
            table.target_kind,
            random_state,
            covariates=wanted.positions(table, reading.get("drop", ())),
            max_redundancy=max_redundancy,
            memory_limit=memory_limit,
            interactions=interactions,
            engine=placed.made(),
            checkpoint=checkpoint,
            time_allowed=seconds_allowed,
        )
        is_seen = not quiet or out is not None
        analysed = AnalysisOptions(
            p_values="auto" if report and p_values is options.PValues.none else p_values.value,
            n_shown=300 if report else None,
            n_substitutes=substitutes if is_seen or report else 0,
            pictures=report is not None,
            seed=random_state,
            origin=origin_of(table, reading, command_line(context)),
        )
        outcome = selection.select(table, method, repeated.add_to(request), analysed)
    has_p_values = p_values is not options.PValues.none
    if out is not None:
        selection.write(out, outcome.analysis, p_values=has_p_values)
    if plot is not None:
        selection.write_plot(plot, outcome.selector, table.names)
    if report is not None:
        from hsieve.report.page import Report

        write_report(report, Report(outcome.analysis))
    if quiet:
        if out is None:
            for row in outcome.analysis.chosen:
                typer.echo(legible(row.name))
        return
    how = f"stability selection over {method_name}" if stability else outcome.chosen or method_name
    if fdr is not None:
        how = "knockoffs" if method_name == DEFAULT_METHOD else f"knockoffs around {method_name}"
    seconds = time.perf_counter() - started
    print_selection(table, outcome, how, seconds, p_values=has_p_values)
