"""What docstrings say of parameters and papers, so that it is written once."""

import inspect
import re

import hsieve

__all__ = ["first_line", "parameter_meanings", "references_of"]

# The underline of a heading in a docstring.
HEADING = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# Parameters are flush left, what is said of them is not.
PARAMETER = re.compile(
    r"^(?P<names>\w[\w, ]*?)(?: : .*)?\n(?P<text>(?:(?: {4}.*)?\n)+)", re.MULTILINE
)
ROLE = re.compile(r":\w+:`~?([^`]+)`")
ELSEWHERE = re.compile(r"^As in :class:`(?P<name>\w+)`")


def first_line(kind: type) -> str:
    """Return what a class is, in one line.

    Parameters
    ----------
    kind : type
        A class.

    Returns
    -------
    str
        The first line of its docstring, or its name where docstrings were stripped.
    """
    return _plain(_docstring(kind).partition("\n")[0]) or kind.__name__


def references_of(kind: type) -> list[str]:
    """Return the papers that a class names.

    Parameters
    ----------
    kind : type
        A class with a numpydoc docstring.

    Returns
    -------
    list of str
        One for each paper.

    Examples
    --------
    >>> from hsieve import LaplacianScore
    >>> references_of(LaplacianScore)
    ['X. He, D. Cai, P. Niyogi, "Laplacian score for feature selection", 2006.']
    """
    section = _section(kind, "References").replace("\n", " ").strip()
    papers = re.split(r"; (?=[A-Z]\. )", _plain(section)) if section else []
    return [f"{paper.rstrip('. ')}." for paper in papers]


def parameter_meanings(kind: type) -> dict[str, str]:
    """Return what each parameter of a class means.

    Parameters
    ----------
    kind : type
        A class with a numpydoc docstring. Where it says "As in :class:`Other`", the other class of
        this package is asked.

    Returns
    -------
    dict of str to str
        The meaning of each parameter, as far as it is written down.

    Examples
    --------
    >>> from hsieve import HSICLasso
    >>> parameter_meanings(HSICLasso)["target_kind"]
    'What y holds.'
    """
    meanings: dict[str, str] = {}
    for found in PARAMETER.finditer(_section(kind, "Parameters") + "\n"):
        text = " ".join(found["text"].split())
        elsewhere = ELSEWHERE.match(text)
        other = getattr(hsieve, elsewhere["name"], None) if elsewhere else None
        for name in re.split(r", *", found["names"]):
            meaning = parameter_meanings(other).get(name, text) if other else text
            meanings[name] = _plain(meaning)
    return meanings


def _docstring(kind: type) -> str:
    """Return the docstring of a class itself, not one that it inherits."""
    return inspect.cleandoc(kind.__doc__ or "")


def _section(kind: type, title: str) -> str:
    """Return the text under a heading."""
    text = _docstring(kind)
    headings = list(HEADING.finditer(text))
    for place, heading in enumerate(headings):
        if heading["title"] == title:
            later = headings[place + 1 :]
            return text[heading.end() : later[0].start() if later else len(text)]
    return ""


def _plain(text: str) -> str:
    """Take the marks of reStructuredText away."""
    return ROLE.sub(r"\1", text).replace("``", "").replace("`", "")
