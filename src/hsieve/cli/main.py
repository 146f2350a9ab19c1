"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

from typing import Annotated

import typer

from hsieve.cli.command_compare import compare_command
from hsieve.cli.command_interactions import interactions_command
from hsieve.cli.command_select import select_command
from hsieve.cli.console import escape_unprintable, progress_bar, result_console
from hsieve.cli.errors import PlainGroup
from hsieve.cli.methods import print_methods
from hsieve.cli.printing import print_lesson

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
    escape_unprintable()
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


app.command("select")(select_command)
app.command("compare")(compare_command)
app.command("interactions")(interactions_command)


@app.command()
def methods() -> None:
    """List the methods, what each is for and what it costs."""
    print_methods()


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
