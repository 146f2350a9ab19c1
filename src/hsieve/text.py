"""Any text on one line, and not too long, as screens and pages show it."""

__all__ = ["legible", "shortened"]

ELLIPSIS = "…"
LONGEST = 28


def legible(text: str) -> str:
    r"""Show the characters that cannot be seen as escapes.

    Parameters
    ----------
    text : str
        Any text, such as a column name from a file.

    Returns
    -------
    str
        The text on one line.

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
    """Show a name on one line, with an ellipsis in the middle if it is too long.

    Parameters
    ----------
    name : str
        Any text.
    longest : int, default=28
        Number of characters to keep to, at least 3.

    Returns
    -------
    str
        Beginning and end of the name: long names of one table often differ in one of them only.

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
