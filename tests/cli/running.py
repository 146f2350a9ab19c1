"""Running commands, and what a refusal looks like."""

from typer.testing import CliRunner

from hsieve.cli.main import app

__all__ = ["assert_refused", "cells_of", "invoke"]


def invoke(*arguments, app=app):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def assert_refused(result, *words):
    """Exit code 2, one sentence on stderr that holds the words, silence on stdout."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


def cells_of(result):
    """The cells of every line of the tables printed, without headings."""
    lines = [line for line in result.stdout.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]
