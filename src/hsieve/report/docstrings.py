"""What each method does and what its parameters mean, as its class and docstring say."""

import inspect
import re
from dataclasses import replace
from typing import Any

import hsieve
from hsieve.measures.base import Measure
from hsieve.selectors.search import DependenceSelector, SearchSelector
from hsieve.selectors.spec import ALONE, PAIRS, TOGETHER, MethodSpec
from hsieve.selectors.stability import StabilitySelection
from hsieve.strategies.base import Strategy

SCORE = "Score that decided the place of the feature."
# A bound measure that is asked for these lets redundant features stay out.
KEEP_COPIES_OUT = {"redundancy", "addition_scores", "conditional_log_p"}

# The underline of a heading in a docstring.
HEADING = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# Parameters are flush left, what is said of them is not.
PARAMETER = re.compile(
    r"^(?P<names>\w[\w, ]*?)(?: : .*)?\n(?P<text>(?:(?: {4}.*)?\n)+)", re.MULTILINE
)
ROLE = re.compile(r":\w+:`~?([^`]+)`")
ELSEWHERE = re.compile(r"^As in :class:`(?P<name>\w+)`")


def spec_of(selector: Any) -> MethodSpec:
    """Describe the method of a selector with its settings taken into account, and its papers.

    Examples
    --------
    >>> from hsieve import MaxRelevance
    >>> spec_of(MaxRelevance()).does
    'ranks features by their own dependence on the target, whatever its shape.'
    """
    kind = type(selector)
    spec = None if isinstance(selector, DependenceSelector) else getattr(kind, "spec", None)
    if spec is None and isinstance(selector, SearchSelector):
        return _of_parts(*selector.make_components())
    if spec is None:
        spec = MethodSpec(f"is this: {first_line(kind)}", SCORE)
    spec = replace(spec, references=tuple(references_of(kind)))
    if getattr(selector, "interactions", None) is not None:
        return replace(spec, sees=PAIRS)
    if isinstance(selector, StabilitySelection) and selector.estimator is not None:
        inner = spec_of(selector.estimator)
        return replace(spec, sees=inner.sees, keeps_copies=inner.keeps_copies)
    return spec


def _of_parts(measure: Measure, strategy: Strategy) -> MethodSpec:
    """Describe a free combination of a measure and a strategy."""
    needs = set(strategy.needs)
    # Sets that are not grown from single features are judged as a whole.
    is_joint = "subset_score" in needs and "addition_scores" not in needs
    kinds = (type(strategy), type(measure))
    return MethodSpec(
        f"searches by {kinds[0].__name__} with the measure {kinds[1].__name__}: "
        f"{first_line(kinds[0])} {first_line(kinds[1])}",
        SCORE,
        sees=TOGETHER if is_joint else ALONE,
        keeps_copies=not needs & KEEP_COPIES_OUT,
        references=tuple(paper for kind in kinds for paper in references_of(kind)),
    )


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
        A class with a numpydoc docstring. Where it says "As in :class:`Other`", the other class of
        this package is asked.

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
    if elsewhere := ELSEWHERE.match(section):
        return references_of(getattr(hsieve, elsewhere["name"]))
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
