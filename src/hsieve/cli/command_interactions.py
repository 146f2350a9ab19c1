"""The command `hsieve interactions`: its options, and what is done with them."""

from typing import Annotated

import typer

from hsieve.cli import options
from hsieve.cli.checks import check_report
from hsieve.cli.console import complain, legible, progress_bar
from hsieve.cli.errors import telling_what_is_kept
from hsieve.cli.files import Columns, check_memory_limit, check_output
from hsieve.cli.reporting import Retelling, command_line, made_report, write_report

__all__ = ["interactions_command"]

LOST = "nothing is kept of a search for interactions; --screen and --top make it shorter"


def interactions_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    top: Annotated[int, typer.Option(min=1, help="How many pairs to show.")] = 20,
    order: Annotated[
        int, typer.Option(min=2, max=3, help="3 looks for triples of features too.")
    ] = 2,
    out: options.Out = None,
    report: options.Report = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    target_kernel: Annotated[
        options.TargetKernel,
        typer.Option(
            help="For a target of numbers: linear asks for more than a sum of effects on its mean, "
            "gaussian for anything that depends on features together."
        ),
    ] = options.TargetKernel.linear,
    missing: Annotated[
        options.Missing,
        typer.Option(
            help="Refuse missing values, or make them one more category of their column, which "
            "suits columns of few values such as genotypes."
        ),
    ] = options.Missing.refuse,
    permutations: Annotated[
        int,
        typer.Option(
            min=0,
            max=options.MOST_REPEATS,
            help="Random orders of the target, to know what chance does.",
        ),
    ] = 20,
    screen: Annotated[
        int | None,
        typer.Option(min=3, help="Look only at pairs among so many features, for large tables."),
    ] = None,
    screen_by: Annotated[
        options.ScreenBy,
        typer.Option(help="Choose these by a narrow kernel, or by what each tells alone."),
    ] = options.ScreenBy.narrow,
    time_limit: Annotated[
        float,
        typer.Option(min=0, help="Refuse what would take more seconds than this; 0 for no limit."),
    ] = 3600,
    memory_limit: options.MemoryLimit = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, max=options.MOST_WORKERS, help="Number of threads; if not given, one a core."
        ),
    ] = None,
    random_state: options.RandomState = 0,
    *,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the names only, between tabs, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Look at every pair of features for those that tell about the target together."""
    from hsieve.cli import interactions
    from hsieve.cli.interaction_tables import print_interactions

    check_memory_limit(memory_limit)
    if out is not None:
        check_output(out, file)
    if report is not None:
        check_report(report, file)
    columns = Columns(target, target_kind.value, categorical or (), drop or (), missing.value)
    wish = interactions.ScanOptions(
        top,
        order,
        target_kernel.value,
        missing.value,
        permutations,
        screen,
        screen_by.value,
        time_limit,
        memory_limit,
        threads,
        random_state,
    )
    with telling_what_is_kept(LOST), progress_bar(f"reading {file}", shown=not quiet):
        table = interactions.read(file, columns)
        findings = interactions.scan(table, wish)
        page = None
        if report is not None:
            told = Retelling(findings.warnings)
            page = made_report(findings.selector, table, columns, told, command_line(context))
    if out is not None:
        interactions.write(out, findings)
    if report is not None and page is not None:
        write_report(report, page)
    if quiet:
        if out is None:
            for found in (*findings.pairs, *findings.triples):
                typer.echo("\t".join(map(legible, found.names)))
        return
    for warning in findings.warnings:
        complain("warning", warning)
    print_interactions(table, findings)
