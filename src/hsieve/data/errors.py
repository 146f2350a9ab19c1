"""What is wrong with a file, in one plain sentence.

Every refusal names the file, then the problem, where it is first seen and the way out. Values and
names are quoted, clipped and counted here, so that a sentence stays one line whatever the file
holds, and what a library raises over a damaged file becomes such a sentence too.
"""

import csv
import difflib
import lzma
import shlex
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hsieve.text import how

__all__ = [
    "COUNTS_ROWS",
    "IS_IDENTIFIER",
    "IS_INDEX",
    "LIBRARY_ERRORS",
    "TableError",
    "as_categories",
    "brief",
    "clipped",
    "columns_are",
    "did_you_mean",
    "drop_them",
    "how_to_fill",
    "incomplete_column",
    "incomplete_feature",
    "left_out",
    "listed",
    "no_numbers",
    "on_one_line",
    "plainly",
    "quoted",
    "rounded_integer",
    "table_error",
    "taken_as_category",
    "unknown_name",
]

NAMES_SHOWN = 10
IS_IDENTIFIER = "is different in every row, an identifier"
COUNTS_ROWS = "counts the rows"
IS_INDEX = "is a row index saved by pandas or Dask"
CHARACTERS_SHOWN = 60
LIBRARY_CHARACTERS_SHOWN = 160
LIBRARY_ERRORS = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    csv.Error,
    SyntaxError,  # this and the next from the header of a damaged NumPy file
    tokenize.TokenError,
)


class TableError(ValueError):
    """A file or a column cannot be used as asked; the message is one plain sentence."""


def table_error(path: Path | str, problem: str) -> TableError:
    """Name the file before the problem."""
    return TableError(f"{path}: {problem}")


def drop_them(names: Sequence[str] = ()) -> str:
    """Say by which option columns are left out."""
    return _by_option("drop", names)


def as_categories(names: Sequence[str] = ()) -> str:
    """Say by which option columns become categories."""
    return _by_option("categorical", names)


def _by_option(option: str, names: Sequence[str]) -> str:
    if not 0 < len(names) <= NAMES_SHOWN:
        return how(f"{option}=[...]", f"--{option} NAME")
    # As the command line reads lists: names with commas in quotes.
    cells = ['"' + n.replace('"', '""') + '"' if {",", '"'} & set(n) else n for n in names]
    typed = " ".join(f"--{option} {shlex.quote(cell)}" for cell in cells)
    return how(f"{option}={list(names)}", typed)


@contextmanager
def plainly(
    path: Path, form: str, errors: tuple[type[Exception], ...] = LIBRARY_ERRORS
) -> Iterator[None]:
    """Turn whatever a library raises over a bad file into one sentence."""
    try:
        yield
    except (TableError, Warning):  # whoever turns warnings into errors wants to see them
        raise
    except errors as error:
        raise table_error(path, f"cannot be read as {form} ({brief(error)})") from error


def rounded_integer(path: Path, name: str, row: int, value: object) -> TableError:
    """Say which integer would lose digits."""
    problem = f"column {quoted(name)} has {clipped(str(value))} in data row {row}"
    problem += ", an integer beyond 2^53 that would be rounded"
    return table_error(path, f"{problem}; rescale it or leave it out with {drop_them()}")


def incomplete_column(
    path: Path, name: str, values: npt.NDArray[Any], bad: npt.NDArray[np.bool_], n_others: int
) -> TableError:
    """Say where the first missing or infinite value is and how many there are."""
    row = int(np.flatnonzero(bad)[0])
    is_infinite = values.dtype.kind == "f" and np.isinf(values[row])
    problem = f"column {quoted(name)} has {'an infinite' if is_infinite else 'a missing'} value"
    problem += f" in data row {row + 1}, the first of {int(bad.sum())} missing or infinite"
    if n_others:
        problem += f", and {n_others} other column{'s have' if n_others > 1 else ' has'} some too"
    return table_error(path, f"{problem}; fill or remove them first")


def incomplete_feature(
    path: Path, name: str, values: npt.NDArray[Any], bad: npt.NDArray[np.bool_], n_others: int
) -> TableError:
    """Say the same of a feature, and how missing values can be read."""
    if np.isnan(values).all():
        advice = f"leave it out with {drop_them([name])}"
        return table_error(path, f"column {quoted(name)} holds no value at all; {advice}")
    error = incomplete_column(path, name, values, bad, n_others)
    return TableError(f"{error}, or use {how_to_fill()}") if np.isnan(values[bad][0]) else error


def how_to_fill() -> str:
    """Say by which options missing values are read."""
    impute = how("missing='impute'", "--missing impute")
    category = how("missing='category'", "--missing category")
    words = "the median of numbers, a level of its own for categories"
    return f"{impute} ({words}) or {category} (a level in every such column)"


def unknown_name(path: Path | str, role: str, name: str, names: Sequence[str]) -> TableError:
    """Say what the name might have been."""
    problem = f"there is no {quoted(name)}, given for {role}"
    hint = did_you_mean(name, names)
    available = f"{hint} Available" if hint else "available"
    return table_error(path, f"{problem}; {available} are {listed(names)}")


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Ask whether a similar name was meant, if there is one."""
    folded = {known.casefold(): known for known in reversed(names)}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded)]
    return f"did you mean {listed(near, 'or')}?" if near else ""


def columns_are(names: Sequence[str]) -> str:
    """Begin a sentence about one or several columns."""
    if len(names) == 1:
        return f"column {quoted(names[0])} is"
    return f"columns {listed(names)} are"


def no_numbers(names: Sequence[str], kind: object, left_out: str) -> ValueError:
    """Say which columns of a data frame are no numbers, and how they are left out."""
    verb, them = ("holds", "it") if len(names) == 1 else ("hold", "them")
    return ValueError(
        f"{listed(names)} {verb} no numbers ({kind}); code levels as numbers and list their "
        f"positions in categorical=[...], or leave {them} out with {left_out}. Or fit to "
        "hsieve.open_dataset(frame, target), which makes text a category."
    )


def left_out(name: str, why: str) -> str:
    """Say that a column is no feature, and how it becomes one."""
    advice = f"keep it as a category by {as_categories([name])}"
    if why == COUNTS_ROWS:
        advice = "store it with decimals if it is a measurement"
    return f"Column {quoted(name)} {why}: left out; {advice}."


def taken_as_category(name: str, levels: Sequence[object]) -> str:
    """Say that a column of text is a category."""
    n_shown = 4 if len(levels) == 4 else 3  # dots would hide a single one
    shown = ", ".join(clipped(str(level), 20) for level in levels[:n_shown])
    more = ", ..." if len(levels) > n_shown else ""
    return f"Column {quoted(name)} is text: a category of {len(levels)} levels ({shown}{more})."


def listed(names: Iterable[str], last: str = "and") -> str:
    """Show the first few names, and how many more there are."""
    every = list(names)
    shown = [quoted(name) for name in every[:NAMES_SHOWN]]
    if len(every) > NAMES_SHOWN:
        return f"{', '.join(shown)} and {len(every) - NAMES_SHOWN} more"
    if len(every) > 1:
        return f"{', '.join(shown[:-1])} {last} {shown[-1]}"
    return shown[0] if shown else "none"


def quoted(value: object) -> str:
    """Quote a value on one line, whatever is in it."""
    return clipped(repr(value))


def clipped(text: str, length: int = CHARACTERS_SHOWN) -> str:
    """Cut a text that would hide the rest of the sentence."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def on_one_line(text: str) -> str:
    """Return what a library calls something, which may be made of names in a file."""
    return clipped(" ".join(text.split()))


def brief(error: BaseException) -> str:
    """Return what a library says about the cause, in its first line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return clipped(text.splitlines()[0], LIBRARY_CHARACTERS_SHOWN)
