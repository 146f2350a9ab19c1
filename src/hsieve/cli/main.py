"""The command `hsieve`: parse, call, print; no numerics.

Scikit-learn and pyarrow are imported by the commands that need them, so that help is quick. Only
results go to stdout. See :mod:`hsieve.cli.errors` for exit codes.
"""

from itertools import groupby
from typing import Annotated

import typer
from rich.text import Text

from hsieve.cli.comparison import compare_command
from hsieve.cli.console import escape_unprintable, replace_closed_streams, result_console
from hsieve.cli.errors import PlainGroup
from hsieve.cli.interactions import interactions_command
from hsieve.cli.selection import select_command

TRUTH_NOT_FOUND = 1

app = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Find the few features that matter, also where the relation is not linear.",
)


def run() -> None:
    """Run the command line; the entry point of the package."""
    replace_closed_streams()
    escape_unprintable()
    app(prog_name="hsieve")


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)
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
    from hsieve.selectors.methods import AUTO, known_methods

    listed = [AUTO, *known_methods().values()]
    console = result_console()
    width = max(len(method.name) for method in listed)
    for group, members in groupby(listed, key=lambda method: method.group):
        console.print(Text(group, style="bold"))
        for method in members:
            line = f"  {method.name:<{width}}  {method.purpose:<56}  {method.cost}"
            console.print(line, soft_wrap=True)
    console.print("The last column is the cost, in n samples, d features and k features wanted.")


@app.command()
def demo(
    random_state: Annotated[
        int, typer.Option(min=0, help="Seed of the data; 0 is the usual one.")
    ] = 0,
) -> None:
    """Select features on data that come with the package, and compare them with the truth."""
    from hsieve.cli.demo import solve_and_print

    if not solve_and_print(random_state):
        raise typer.Exit(TRUTH_NOT_FOUND)
