"""The pages written by hand: their blocks of code, what these print, their links and names."""

import contextlib
import doctest
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GENERATED = ("_build", "gallery", "reference/api/generated", "reference/api/backreferences")

FENCE = re.compile(
    r"^(?P<before><!-- not run: (?P<reason>[^>]+) -->\n+)?"
    r"(?P<ticks>`{3,})(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=ticks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
PRINTED = "text"
CHECKER = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its kind, its text, its line, and why it is not run, if so."""

    kind: str
    body: str
    line: int
    start: int
    end: int
    reason: str | None = None


def prepared_in(folder):
    """Write the files that pages take for granted; return the names that they start with."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 110))
    y = X[:, 3] ** 2 + X[:, 7]
    columns = {f"f{place}": column for place, column in enumerate(X.T)}
    cells = pa.table(columns | {"batch": np.arange(len(X)) % 3, "type": np.where(y > 1, "a", "b")})
    pq.write_table(cells, folder / "cells.parquet")
    return {"X": X, "y": y, "__name__": "page"}


def pages():
    """All pages written by hand, README and CONTRIBUTING first."""
    found = [
        page
        for page in sorted(DOCS.rglob("*.md"))
        if not page.relative_to(DOCS).as_posix().startswith(GENERATED)
    ]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *found]


def name_of(page):
    """Name of a page, from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """Fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            kind=match["kind"].strip(),
            body=match["body"],
            line=text.count("\n", 0, match.start("ticks")) + 1,
            start=match.start(),
            end=match.end(),
            reason=match["reason"],
        )
        for match in FENCE.finditer(text)
    ]


def prose(page):
    """Text of a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def run_page(page, namespace):
    """Run the Python blocks of a page one after the other, and compare what they print.

    A block ```text right after a block ```python holds what that prints; "..." stands for anything.
    """
    text = page.read_text(encoding="utf-8")
    found = blocks(page)
    for place, block in enumerate(found):
        if block.kind != "python":
            continue
        where = f"{name_of(page)}:{block.line}"
        code = compile("\n" * block.line + block.body, where, "exec")
        if block.reason:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        following = found[place + 1] if place + 1 < len(found) else None
        if (
            following
            and following.kind == PRINTED
            and not text[block.end : following.start].strip()
        ):
            got = printed.getvalue()
            message = f"{where} prints\n{got}\nbut the page says\n{following.body}"
            assert CHECKER.check_output(following.body, got, FLAGS), message
