"""Results as files for people: records as CSV, tables as Markdown, each whole or not at all."""

import re
from collections.abc import Sequence
from pathlib import Path

from hsieve.data.tables.writing import write_features, written_whole
from hsieve.experiments.base import Experiment, Record
from hsieve.experiments.layout import to_markdown

__all__ = ["MarkersError", "check_markers", "insert_tables", "write_records", "write_tables"]


class MarkersError(ValueError):
    """A Markdown file that has no place for the tables; the message is one plain sentence."""


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write records as CSV.

    Parameters
    ----------
    path : Path
        A file ending in .csv; an existing one is replaced.
    records : sequence of Record
        One row each. What a record does not have is left empty.
    """
    columns = list(dict.fromkeys(name for record in records for name in record))
    if columns:
        rows = ({name: record.get(name) for name in columns} for record in records)
        write_features(path, rows, columns=columns)


def write_tables(path: Path, experiment: Experiment, records: Sequence[Record]) -> None:
    """Write the tables of an experiment, with its explanation, as Markdown.

    Parameters
    ----------
    path : Path
        A file to write or replace.
    experiment : Experiment
        What was run.
    records : sequence of Record
        What was measured.
    """
    sentences = "".join(f"- {sentence}\n" for sentence in experiment.explain(records))
    _write(path, f"# {experiment.title}\n\n{to_markdown(experiment.tables(records))}\n{sentences}")


def insert_tables(path: Path, experiment: Experiment, records: Sequence[Record]) -> None:
    """Replace what a Markdown file has between the markers of an experiment by its tables.

    Parameters
    ----------
    path : Path
        A file with the lines ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
    experiment : Experiment
        What was run.
    records : sequence of Record
        What was measured.

    Raises
    ------
    MarkersError
        If the file cannot be read, or does not have each marker once and in this order.
    """
    before, after = check_markers(path, experiment.name)
    _write(path, f"{before}\n\n{to_markdown(experiment.tables(records))}\n{after}")


def check_markers(path: Path, name: str) -> tuple[str, str]:
    """Find the place for the tables.

    Parameters
    ----------
    path : Path
        A Markdown file.
    name : str
        Name of the experiment.

    Returns
    -------
    tuple of str
        The text up to and with the first marker, and from the second on.

    Raises
    ------
    MarkersError
        As in :func:`insert_tables`.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        msg = f"{path}: this file cannot be read ({error.strerror or error})"
        raise MarkersError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: this is no text in UTF-8"
        raise MarkersError(msg) from error
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    places = [
        [found.start() for found in re.finditer(rf"^{re.escape(mark)}\s*$", text, re.MULTILINE)]
        for mark in (begin, end)
    ]
    if [len(found) for found in places] != [1, 1] or places[0][0] > places[1][0]:
        msg = (
            f"{path}: tables go between the lines '{begin}' and '{end}', which this file must "
            "have once each, in this order"
        )
        raise MarkersError(msg)
    return text[: places[0][0] + len(begin)], text[places[1][0] :]


def _write(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))
