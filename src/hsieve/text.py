"""Any text on one line, and not too long, as screens and pages show it; options by their names."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["at_command_line", "how", "is_at_command_line", "legible", "listed", "shortened"]

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
