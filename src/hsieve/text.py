"""Any text on one line, and not too long, as screens and pages show it; options by their names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text
from typing import Any

__all__ = [
    "as_text",
    "at_command_line",
    "first_rows",
    "how",
    "html_table",
    "is_at_command_line",
    "legible",
    "listed",
    "shortened",
]

ELLIPSIS = "…"
LONGEST = 28


def legible(text: str) -> str:
    r"""Show a text on one line, with escapes for characters that cannot be seen.

    Examples
    --------
    >>> print(legible("two\nlines"))
    two\nlines
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def as_text(value: str) -> "Text":
    """Return a text for the screen that is shown as it is, with no markup in it."""
    from rich.text import Text

    return Text(legible(value))


def shortened(name: str, longest: int = LONGEST) -> str:
    """Show a name on one line of at most so many characters, with an ellipsis in the middle.

    Beginning and end are kept: long names of one table often differ in one of them only.

    Examples
    --------
    >>> shortened("expression_of_gene_0417", 11)
    'expre…_0417'
    """
    if len(name) > 2 * longest:
        name = name[:longest] + name[-longest:]  # the middle would go anyway
    text = legible(name)
    if len(text) <= longest:
        return text
    n_last = (longest - 1) // 2
    return text[: longest - 1 - n_last] + ELLIPSIS + text[-n_last:]


def listed(texts: Sequence[str], n_all: int, *, longest: int = 40) -> str:
    """List the first of `n_all` names in a sentence, each kept to so many characters.

    Examples
    --------
    >>> listed(["a", "b", "c"], 3), listed(["a", "b"], 7)
    ('a, b and c', 'a, b and 5 more')
    """
    parts = [shortened(text, longest) for text in texts]
    if n_all > len(parts):
        parts.append(f"{n_all - len(parts):,} more")
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def first_rows(names: Sequence[str], columns: Mapping[str, Any], n_rows: int = 10) -> str:
    """Show the first rows of a table of numbers, a name before each, for ``print``.

    Examples
    --------
    >>> print(first_rows(["age", "weight"], {"p_value": [1.5e-7, 0.25]}, n_rows=1))
                  p_value
         age      1.5e-07
         ... and 1 more
    """
    shown = [shortened(name) for name in names[:n_rows]]
    width = max(map(len, shown), default=0)
    head = " " * (width + 5) + "".join(f"  {title:>{max(len(title), 9)}}" for title in columns)
    lines = [head]
    for place, name in enumerate(shown):
        values = (
            f"  {values[place]:>{max(len(title), 9)}.2g}" for title, values in columns.items()
        )
        lines.append(f"     {name:<{width}}{''.join(values)}")
    if len(names) > n_rows:
        lines.append(f"     ... and {len(names) - n_rows:,} more")
    return "\n".join(line.rstrip() for line in lines)


def html_table(
    caption: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    sentences: Sequence[str] = (),
) -> str:
    """Show a table in a notebook, with sentences below it.

    Examples
    --------
    >>> html_table("Ages", ["name"], [["<x>"]])[-43:]
    '<tr><td>&lt;x&gt;</td></tr></tbody></table>'
    """
    heads = "".join(f"<th scope='col'>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(legible(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    told = "".join(f"<li>{escape(legible(sentence))}</li>" for sentence in sentences)
    return (
        f"<table><caption>{escape(legible(caption))}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table>{told and f'<ul>{told}</ul>'}"
    )


_is_command = False


@contextmanager
def at_command_line() -> Iterator[None]:
    """Let messages name options of the command line instead of arguments in Python."""
    global _is_command  # noqa: PLW0603 - of this process, whichever thread finds something
    before, _is_command = _is_command, True
    try:
        yield
    finally:
        _is_command = before


def is_at_command_line() -> bool:
    """Say whether messages name options of the command line."""
    return _is_command


def how(python: str, command: str) -> str:
    """Return what an option is called where the user is: in Python or at the command line."""
    return command if _is_command else python
