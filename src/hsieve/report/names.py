"""Names of features as they can be shown: on one line, and not too long."""

from collections.abc import Iterable
from typing import Any

__all__ = ["legible", "names_of", "shortened"]

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


def names_of(selector: Any, feature_names: Iterable[Any] | None = None) -> list[str]:
    """Return a name for each feature that a selector has seen.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    feature_names : iterable or None, default=None
        The names; None for those of the data frame, or x0, x1, ... where there was none.

    Returns
    -------
    list of str
        One name for each feature.

    Raises
    ------
    ValueError
        If their number is not that of the features.
    """
    n_features = selector.n_features_in_
    if feature_names is None:
        feature_names = getattr(
            selector, "feature_names_in_", [f"x{feature}" for feature in range(n_features)]
        )
    names = [str(name) for name in feature_names]
    if len(names) != n_features:
        msg = f"feature_names must hold {n_features} names, one for each feature, got {len(names)}."
        raise ValueError(msg)
    return names
