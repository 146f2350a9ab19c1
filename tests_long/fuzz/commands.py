"""Hostile command lines over small tables, and what must hold whatever they are.

A command ends with 0, and then the files it was asked for are there, can be parsed and name only
columns of the table; or with 2 and one sentence on stderr, and then nothing was written. Engines of
clusters are named only where they are refused before they start.
"""

import csv
import json
import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from hsieve.cli.main import app
from hsieve.selectors.methods import known_methods
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import names

__all__ = ["Command", "check_command", "check_outcome", "listing", "make_command"]

QUICK = (
    *("n3lars", "hsic-lasso", "mr-nhsic", "mrmr", "bahsic", "fohsic", "qpfs", "screening", "lasso"),
    *("relieff", "fcbf", "spec", "laplacian-score", "pearson", "svm-rfe", "l1-svm"),
)
NUMBERS = (
    "1",
    "2",
    "3",
    "0",
    "-1",
    "99",
    "1e3",
    "nan",
    "inf",
    "-inf",
    "",
    " ",
    "9" * 30,
    "1.5",
    "٣",
)
WORDS = (
    *(
        "",
        " ",
        "x",
        "-",
        "--",
        "é",
        "基因",
        "a\nb",
        "\u202e",
        "<script>",
        "=1+1",
        "'",
        '"',
        "a" * 400,
    ),
    *("../x", "/", "nul\\0", "%s", "{}", "[red]", "$HOME", "*", "\udc80", "\x1b[31m", "c0", "c1"),
)
FILES = (
    *(["t.csv"] * 6),
    *(["t.npz"] * 3),
    *(["t.parquet"] * 3),
    "bad.csv",
    "empty.csv",
    "no.csv",
    "",
)
TARGETS = (*(["c0"] * 10), "c1", "nowhere")


class Command:
    """A command line, made in a folder of its own."""

    def __init__(self, arguments: list[str], outputs: list[Path], columns: list[str]) -> None:
        self.arguments = arguments
        self.outputs = outputs
        self.columns = columns


def make_command(choices: Choices, folder: Path) -> Command:
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    columns = _write_table(choices, folder)
    make = choices.pick([_select, _select, _select, _interactions, _compare, _methods])
    arguments, outputs = make(choices, folder)
    for _ in range(choices.rarely(12) + choices.rarely(24)):
        arguments.insert(choices.number(len(arguments)), choices.pick([*WORDS, *NUMBERS]))
    if choices.rarely(40) and len(arguments) > 1:
        del arguments[choices.number(len(arguments) - 1)]
    return Command(arguments, outputs, columns)


def check_command(data: bytes, folder: Path) -> bool:
    """Run a command line in this process; True if it gave an answer."""
    command = make_command(Choices(data), folder)
    before = listing(folder)
    with chdir(folder / "out"):
        result = CliRunner().invoke(app, command.arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"{command.arguments}") from result.exception
    return check_outcome(command, folder, before, result.exit_code, result.stderr)


def check_outcome(command: Command, folder: Path, before: set[str], code: int, stderr: str) -> bool:
    told = f"{command.arguments}: {code}, {stderr}"
    assert "Traceback" not in stderr, told
    assert code in (0, 2), told
    written = listing(folder) - before
    leftover = [name for name in written if name.endswith((".tmp", ".partial"))]
    assert not leftover, f"{told}, {leftover}"
    if code == 2:
        lines = stderr.splitlines()
        assert len([line for line in lines if line.startswith("error: ")]) == 1, told
        assert lines[-1].startswith("error: "), told
        assert all(line.startswith(("error: ", "warning: ")) for line in lines), told
        assert not written, f"{told}, but {sorted(written)} was written"
        return False
    for path in command.outputs:
        if path.name in {Path(name).name for name in written}:
            _check_output(path, command)
    return True


def _check_output(path: Path, command: Command) -> None:
    """What was written can be parsed, and names features of the table."""
    if path.suffix == ".html":
        text = path.read_text(encoding="utf-8")
        assert "</html>" in text
        assert "<script>alert(1)</script>" not in text
        return
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = json.loads(path.read_text(encoding="utf-8"))
    # NumPy drops zero bytes at the end of a name.
    known = {*command.columns, *(one.rstrip("\0") for one in command.columns)}
    for row in rows:
        for key in ("feature", "feature_1", "feature_2", "first", "second"):
            assert key not in row or row[key] in known, f"{row} of {command.arguments}"


def _write_table(choices: Choices, folder: Path) -> list[str]:
    """A small table in each of the usual formats, with names of which some are hostile."""
    n_rows, n_columns = choices.between(3, 12), choices.between(1, 4)
    columns = ["c0", *(one.replace("\r", "") for one in names(choices, n_columns + 1, 12)[1:])]
    values = np.frombuffer(choices.bytes(n_rows * (n_columns + 1)), np.uint8).reshape(n_rows, -1)
    table = (values % choices.pick([2, 3, 7, 255])).astype(float) / choices.pick([1, 1, 2])
    if choices.rarely(8):
        table[0, -1] = choices.pick([1e308, 5e-324, -1e308, 1e16])
    rows = [[f"{value:g}" for value in row] for row in table]
    if choices.rarely(8):
        rows[0][-1] = choices.pick(["", "inf", "a", "nan", "9007199254740993"])
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    np.savez(folder / "t.npz", X=table[:, 1:], y=table[:, 0], feature_names=np.array(columns[1:]))
    _write_parquet(folder / "t.parquet", columns, table)
    (folder / "bad.csv").write_bytes(choices.bytes(40))
    (folder / "empty.csv").write_bytes(b"")
    return columns


def _write_parquet(path: Path, columns: list[str], table: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_arrays([pa.array(one) for one in table.T], names=columns), path)


def _file(choices: Choices, folder: Path) -> list[str]:
    name = choices.pick(FILES)
    target = "y" if name == "t.npz" else choices.pick(TARGETS)
    return [str(folder / name), *([] if choices.rarely(16) else ["--target", target])]


def _output(choices: Choices, folder: Path, endings: list[str]) -> Path:
    name = "r" if choices.rarely(16) else f"r{choices.pick(endings)}"
    place = "out" if not choices.rarely(12) else choices.pick(["out/no/such", ".", "t.csv"])
    return folder / place / name


def _given(
    choices: Choices, options: dict[str, Callable[[], str] | None], one_in: int
) -> list[str]:
    """Some options, with their values."""
    given = []
    for option in choices.some(list(options), one_in):
        value = options[option]
        given += [option] if value is None else [option, value()]
    return given


def _common(choices: Choices) -> dict[str, Callable[[], str] | None]:
    return {
        "--categorical": lambda: choices.pick(["c1", "c2", *WORDS]),
        "--drop": lambda: choices.pick(["c1", "c2", *WORDS]),
        "--target-kind": lambda: choices.pick(["classes", "continuous", "auto", "x"]),
        "--random-state": lambda: choices.pick(NUMBERS),
        "--quiet": None,
    }


def _select(choices: Choices, folder: Path) -> tuple[list[str], list[Path]]:
    outputs = []
    arguments = ["select", *_file(choices, folder)]
    if not choices.rarely(4):
        method = (
            choices.pick([*known_methods(), *WORDS]) if choices.rarely(8) else choices.pick(QUICK)
        )
        arguments += ["--method", method]
    if not choices.rarely(4):
        arguments += [
            "-k",
            choices.pick(["1", "1", "2", "1"])
            if choices.rarely(2)
            else choices.pick([*NUMBERS, "alignment", "guarded", "cv"]),
        ]
    if choices.rarely(2):
        outputs.append(_output(choices, folder, [".csv", ".json"]))
        arguments += ["--out", str(outputs[-1])]
    if choices.rarely(24):
        outputs.append(_output(choices, folder, [".html"]))
        arguments += ["--report", str(outputs[-1])]
    numbers = {
        "--missing": lambda: choices.pick(["impute", "refuse", "x"]),
        "--p-values": lambda: choices.pick(["gamma", "none", "x"]),
        "--covariate": lambda: choices.pick(["c1", "c0", *WORDS]),
        "--max-redundancy": lambda: choices.pick(["0.5", *NUMBERS]),
        "--memory-limit": lambda: choices.pick(["100MB", "1", "1e9", "-1GB", "99999999TB", *WORDS]),
        "--substitutes": lambda: choices.pick(NUMBERS),
        "--interactions": None,
        "--false-selections": lambda: choices.pick(NUMBERS),
        "--subsamples": lambda: choices.pick(["2", "4", *NUMBERS]),
        "--workers": lambda: choices.pick(NUMBERS),
        "--scheduler": lambda: choices.pick(WORDS),
        "--time-allowed": lambda: choices.pick(NUMBERS),
        "--plot": lambda: str(_output(choices, folder, [".txt", ""])),
    }
    return arguments + _given(choices, {**_common(choices), **numbers}, 24), outputs


def _interactions(choices: Choices, folder: Path) -> tuple[list[str], list[Path]]:
    arguments = ["interactions", *_file(choices, folder), "--threads", "1"]
    outputs = []
    if choices.rarely(2):
        outputs.append(_output(choices, folder, [".csv", ".json"]))
        arguments += ["--out", str(outputs[-1])]
    numbers = {
        "--top": lambda: choices.pick(NUMBERS),
        "--order": lambda: choices.pick(["2", "3", *NUMBERS]),
        "--target-kernel": lambda: choices.pick(["linear", "gaussian", "x"]),
        "--missing": lambda: choices.pick(["category", "refuse", "x"]),
        "--permutations": lambda: choices.pick(["0", "3", *NUMBERS]),
        "--screen": lambda: choices.pick(NUMBERS),
        "--screen-by": lambda: choices.pick(["narrow", "relevance", "x"]),
        "--time-limit": lambda: choices.pick(NUMBERS),
        "--memory-limit": lambda: choices.pick(["100MB", "1", *WORDS]),
    }
    return arguments + _given(choices, {**_common(choices), **numbers}, 16), outputs


def _compare(choices: Choices, folder: Path) -> tuple[list[str], list[Path]]:
    arguments = ["compare", *_file(choices, folder), "--folds", choices.pick(["2", "2", "0", "x"])]
    arguments += ["--methods", choices.pick(["mrmr", "mr-nhsic,mrmr", "", ",", "x", '"', "a,a\nb"])]
    outputs = []
    if choices.rarely(2):
        outputs.append(_output(choices, folder, [".csv", ".json"]))
        arguments += ["--out", str(outputs[-1])]
    numbers = {
        "-k": lambda: choices.pick(["1", *NUMBERS]),
        "--repeats": lambda: choices.pick(["1", *NUMBERS]),
        "--workers": lambda: choices.pick(NUMBERS),
        "--scheduler": lambda: choices.pick(WORDS),
    }
    return arguments + _given(choices, {**_common(choices), **numbers}, 16), outputs


def _methods(choices: Choices, folder: Path) -> tuple[list[str], list[Path]]:
    odd = choices.some(["--help", "--version", *WORDS], 24)
    return ["methods", *odd], []


def listing(folder: Path) -> set[str]:
    return {
        str(Path(place, name))
        for place, folders, files in os.walk(folder)
        for name in files + folders
    }
