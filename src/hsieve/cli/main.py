"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

import sys
import time
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hsieve.cli import options
from hsieve.cli.errors import PlainGroup
from hsieve.cli.files import Columns, check_memory_limit, check_output
from hsieve.cli.makers import Request, number_or_rule
from hsieve.cli.methods import DEFAULT_METHOD, METHODS, find_method
from hsieve.cli.path_options import USUAL_RELATIVES, PathOptions
from hsieve.cli.printing import print_experiments, print_lesson, print_selection
from hsieve.cli.screen import complain, legible, progress_bar, result_console

__all__ = ["app", "run"]

TRUTH_NOT_FOUND = 1

app = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Find the few features that matter, also where the relation is not linear.",
)


def run() -> None:
    """Run the command line; the entry point of the package."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks is shown escaped instead of ending the run.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="hsieve")


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)
    ] = False,
) -> None:
    """Find the few features that matter, also where the relation is not linear."""
    if version:
        from hsieve import __version__

        typer.echo(f"hsieve {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("select")
def select_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    file: options.File,
    target: options.Target = None,
    n_features: options.NFeatures = None,
    method_name: Annotated[
        str, typer.Option("--method", "-m", help="One of those that 'hsieve methods' lists.")
    ] = DEFAULT_METHOD,
    out: options.Out = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Also draw the regularisation path into this .png, .svg or .pdf file."
        ),
    ] = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    p_values: Annotated[
        options.PValues, typer.Option(help="Test each selected feature on its own, by HSIC.")
    ] = options.PValues.none,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            help="A column to adjust for, never selected; may be repeated. This and the next "
            "four: n3lars and hsic-lasso only."
        ),
    ] = None,
    max_redundancy: Annotated[
        float | None,
        typer.Option(help="Most that two selected features may share (NHSIC); 0.9 bars copies."),
    ] = None,
    memory_limit: options.MemoryLimit = None,
    relatives: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many features most like each selected one to name; if not given, "
            f"{USUAL_RELATIVES} unless that takes long; 0 for none.",
        ),
    ] = None,
    *,
    interactions: Annotated[
        bool,
        typer.Option("--interactions", help="Also find features that matter only in pairs."),
    ] = False,
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

    method = find_method(method_name)
    n_wanted = number_or_rule(n_features)
    wanted = PathOptions(covariate or (), max_redundancy, memory_limit, relatives, interactions)
    wanted.check(method)
    if quiet and out is None:
        wanted = replace(wanted, n_relatives=0)  # nobody would see them
    if out is not None:
        check_output(out, file)
    if plot is not None:
        selection.check_plot(plot, file, method_name, method)
    columns = Columns(target, target_kind.value, categorical or (), drop or ())
    started = time.perf_counter()
    with progress_bar(f"reading {file}", shown=not quiet):
        table = selection.read(file, columns, method_name, method)
        request = Request(
            n_wanted,
            table.categorical,
            table.target_kind,
            random_state,
            covariates=wanted.positions(table, columns.drop),
            max_redundancy=max_redundancy,
            memory_limit=memory_limit,
            n_relatives=wanted.n_relatives,
            interactions=interactions,
        )
        outcome = selection.select(table, method, request, p_values.value)
    if out is not None:
        selection.write(out, outcome.rows)
    if plot is not None:
        selection.write_plot(plot, outcome.selector, table.feature_names)
    if quiet:
        if out is None:
            typer.echo("\n".join(legible(row["feature"]) for row in outcome.rows))
        return
    for warning in outcome.warnings:
        complain("warning", warning)
    print_selection(table, outcome, method_name, time.perf_counter() - started)


@app.command("interactions")
def interactions_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    file: options.File,
    target: options.Target = None,
    top: Annotated[int, typer.Option(min=1, help="How many pairs to show.")] = 20,
    order: Annotated[
        int, typer.Option(min=2, max=3, help="3 looks for triples of features too.")
    ] = 2,
    out: options.Out = None,
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
        int, typer.Option(min=0, help="Random orders of the target, to know what chance does.")
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
        int | None, typer.Option(min=1, help="Number of threads; if not given, one a core.")
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
    columns = Columns(target, target_kind.value, categorical or (), drop or (), missing.value)
    wish = interactions.Wish(
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
    with progress_bar(f"reading {file}", shown=not quiet):
        table = interactions.read(file, columns)
        findings = interactions.scan(table, wish)
    if out is not None:
        interactions.write(out, findings)
    if quiet:
        if out is None:
            for found in (*findings.pairs, *findings.triples):
                typer.echo("\t".join(map(legible, found.names)))
        return
    for warning in findings.warnings:
        complain("warning", warning)
    print_interactions(table, findings)


@app.command()
def methods() -> None:
    """List the methods, what each is for and what it costs."""
    table = Table(
        title="Methods for 'hsieve select --method NAME'",
        caption="Cost in n samples, d features and k features wanted.",
    )
    for heading in ("method", "what it is for", "cost"):
        table.add_column(heading, no_wrap=heading == "method")
    for name, method in METHODS.items():
        table.add_row(name, method.purpose, method.cost)
    result_console().print(table)


@app.command()
def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data; 0 is the usual one.")] = 0,
) -> None:
    """Select features on data that come with the package, and hold them to the truth."""
    from hsieve.cli import demo as demonstration

    console = result_console()
    console.print("Made-up data with a known answer: does hsieve find the features that matter?\n")
    with progress_bar("selecting features"):
        found = list(demonstration.outcomes(seed))
    for number, outcome in enumerate(found, start=1):
        print_lesson(console, number, outcome)
    seconds = sum(outcome.seconds for outcome in found)
    n_right = sum(outcome.agrees for outcome in found)
    if n_right == len(found):
        console.print(f"All true features were found, in {seconds:.1f} s.")
        return
    console.print(f"The truth was found in {n_right} of {len(found)} tasks, in {seconds:.1f} s.")
    raise typer.Exit(TRUTH_NOT_FOUND)


@app.command()
def reproduce(  # noqa: PLR0917 - one parameter for each option
    name: Annotated[str | None, typer.Argument(help="Name of the experiment.")] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Repeat the protocol so often, with other splits; if not given, as often as "
            "'--list' says. More than before adds to what is there.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Number of processes; the figures do not depend on it.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    datasets: Annotated[
        str | None, typer.Option(help="Only these data, with commas between their names.")
    ] = None,
    only_methods: Annotated[
        str | None,
        typer.Option("--methods", help="Only these methods, where they are measured apart."),
    ] = None,
    results: Annotated[
        Path,
        typer.Option(
            help="Folder that keeps results; what is in it is not measured again, so an "
            "interrupted run goes on. If not given, a folder 'reproduction' in the current one."
        ),
    ] = Path("reproduction"),
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Also write the tables into this file, between the lines '<!-- NAME: begin -->' "
            "and '<!-- NAME: end -->'."
        ),
    ] = None,
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away earlier results and start over.")
    ] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Run a published experiment again, or go on with it, beside the published figures."""
    from hsieve.cli import reproduction

    if list_them:
        from hsieve.experiments import EXPERIMENTS

        print_experiments(EXPERIMENTS.values())
        return
    wish = reproduction.Wish(
        trials,
        jobs,
        seed,
        reproduction.names_in(datasets),
        reproduction.names_in(only_methods),
        results,
        fresh,
        markdown,
    )
    reproduction.reproduce(reproduction.find_experiment(name), wish)
