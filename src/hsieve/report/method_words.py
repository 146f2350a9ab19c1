"""What each method does, in words for people who did not choose it."""

import inspect
import re
from dataclasses import dataclass, replace
from typing import Any

import hsieve

__all__ = ["MethodWords", "first_line", "parameter_meanings", "references_of", "words_for"]

YAMADA = (
    'M. Yamada, W. Jitkrittum, L. Sigal, E. Xing, M. Sugiyama, "High-dimensional feature selection '
    'by feature-wise kernelized lasso", 2014.'
)
ALONE, PAIRS, TOGETHER = "alone", "pairs", "together"

# The underline of a heading in a docstring.
HEADING = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# Parameters are flush left, what is said of them is not.
PARAMETER = re.compile(
    r"^(?P<names>\w[\w, ]*?)(?: : .*)?\n(?P<text>(?:(?: {4}.*)?\n)+)", re.MULTILINE
)
ROLE = re.compile(r":\w+:`~?([^`]+)`")
ELSEWHERE = re.compile(r"^As in :class:`(?P<name>\w+)`")


@dataclass(frozen=True)
class MethodWords:
    """A method in words.

    Parameters
    ----------
    does : str
        What it does, in a sentence or two.
    score : str
        What its score of a feature is, in one sentence.
    sees : {"alone", "pairs", "together"}, default="alone"
        Whether features are judged one by one, in pairs too, or in any company.
    keeps_copies : bool, default=True
        Whether features that repeat each other may all be chosen.
    references : tuple of str, default=()
        Papers beside those that the docstring names.
    papers_of : str, default=""
        Another class of this package, whose papers it comes from too.
    """

    does: str
    score: str
    sees: str = ALONE
    keeps_copies: bool = True
    references: tuple[str, ...] = ()
    papers_of: str = ""


WORTH = "What the feature was worth to the others when it was dropped; the last ones kept are best."
JOINED = "What the feature brought to those chosen before it."
WEIGHT = "Weight of the feature, the largest being 1; zero for features that lost theirs."

WORDS: dict[str, MethodWords] = {
    "N3LARS": MethodWords(
        "follows a path of falling penalty on which a feature comes in as soon as it tells "
        "something about the target, by normalised HSIC, that those already in do not. It sees "
        "relations of any shape, and copies of a feature are kept back.",
        "Coefficient of the feature where the path stops, with those of its pairs.",
        keeps_copies=False,
    ),
    "HSICLasso": MethodWords(
        "explains the kernel of the target by a sparse, non-negative sum of the kernels of single "
        "features: relevant features of any shape that do not repeat each other.",
        "Coefficient of the feature where the path stops, with those of its pairs.",
        keeps_copies=False,
        references=(YAMADA,),
    ),
    "KernelPursuit": MethodWords(
        "adds features that explain what those already chosen leave unexplained: each step takes "
        "the feature most related to the leave-one-out residuals of a kernel regression on the "
        "features chosen so far. A feature stays only if its relation to the residuals is beyond "
        "chance and it lowers the leave-one-out error, so the number of features is part of the "
        "result. Where no single feature is left, pairs and triples that act only together are "
        "searched, if that takes no more than a few seconds.",
        "How much the leave-one-out error fell when the feature was added, as a fraction of the "
        "variance of the target; features that were added together share it equally.",
        keeps_copies=False,
    ),
    "BAHSIC": MethodWords(
        "begins with all features and drops, again and again, those whose going costs the least "
        "dependence (HSIC) of the rest on the target. Features that matter only together are seen.",
        WORTH,
        TOGETHER,
    ),
    "FOHSIC": MethodWords(
        "adds, one by one, the feature with which the chosen ones depend most on the target, by "
        "HSIC. Features that say nothing alone are hardly ever found.",
        JOINED,
        papers_of="BAHSIC",
    ),
    "RandSel": MethodWords(
        "asks random sets of features, on random parts of the samples, what each feature brings to "
        "them, and culls those that bring least. Features that matter only together are seen.",
        "The last contribution of the feature.",
        TOGETHER,
    ),
    "HalvesRegression": MethodWords(
        "compares random halves of the features by their dependence on the target (HSIC) and "
        "explains the differences by a sparse, non-negative regression.",
        "Weight of the feature in that regression.",
        TOGETHER,
    ),
    "L1LSMI": MethodWords(
        "climbs the squared-loss mutual information of weighted features with the target, while "
        "the weights shrink until few are left. Features that matter only together are seen, and "
        "what repeats another loses its weight.",
        WEIGHT,
        TOGETHER,
        keeps_copies=False,
    ),
    "L1HSIC": MethodWords(
        "climbs the dependence (HSIC) of weighted features on the target, while the weights shrink "
        "until few are left.",
        WEIGHT,
        TOGETHER,
        keeps_copies=False,
        papers_of="L1LSMI",
    ),
    "ForwardLSMI": MethodWords(
        "adds, one by one, the feature with which the squared-loss mutual information of the set "
        "with the target is highest.",
        JOINED,
    ),
    "BackwardLSMI": MethodWords(
        "drops, one by one, the feature whose going costs the least squared-loss mutual "
        "information of the set with the target.",
        WORTH,
        TOGETHER,
        papers_of="L1LSMI",
    ),
    "MRMR": MethodWords(
        "adds, one by one, the feature that is most relevant less what it repeats of those chosen.",
        "Relevance less mean redundancy (or their quotient) when the feature was chosen.",
        keeps_copies=False,
    ),
    "QPFS": MethodWords(
        "weighs all features at once, by a quadratic program of relevance and redundancy.",
        "Weight of the feature; all weights sum up to 1.",
        keeps_copies=False,
    ),
    "MaxRelevance": MethodWords(
        "ranks features by their own dependence on the target, whatever its shape.",
        "Dependence of the feature alone on the target.",
    ),
    "InteractionScan": MethodWords(
        "looks at every pair of features for those that tell more about the target together than "
        "the sum of what each tells alone, and says what chance does among so many.",
        "Minus log10 of the p-value of the best pair, or triple, that the feature is in.",
        PAIRS,
    ),
    "StabilitySelection": MethodWords(
        "selects again and again from random halves of the samples and keeps the features that "
        "come up in most of them, with a bound on the expected number of false ones.",
        "Largest share of the subsamples that select the feature.",
    ),
    "ReliefF": MethodWords(
        "ranks features by how much they differ between near samples of different and of the same "
        "target. Interactions are seen among few features.",
        "Difference from -1 to 1; about 0 for noise.",
        TOGETHER,
    ),
    "FCBF": MethodWords(
        "keeps relevant features for which no more relevant one stands.",
        "Relevance of the feature.",
        keeps_copies=False,
    ),
    "HITONPC": MethodWords(
        "keeps features that stay dependent on the target, whichever few of the others are given.",
        "Minus the logarithm of the p-value of the feature alone.",
        keeps_copies=False,
    ),
    "SPEC": MethodWords(
        "ranks features by how smoothly they vary over a graph of similar samples.",
        "Smoothness; higher is better.",
    ),
    "LaplacianScore": MethodWords(
        "ranks features by how well they keep near samples near. The target is not looked at.",
        "2 less the Laplacian score; higher is better.",
    ),
    "SpAM": MethodWords(
        "fits a sum of curves, one for each feature, of which most are zero.",
        "Size of the curve of the feature (root mean square).",
        keeps_copies=False,
    ),
    "LassoSelector": MethodWords(
        "fits a linear model of which most coefficients are zero: straight-line effects only.",
        "Absolute coefficient of the feature.",
        keeps_copies=False,
    ),
    "SVMRFE": MethodWords(
        "drops, again and again, the features that a linear support vector machine needs least.",
        "Half the squared weight of the feature when it was dropped.",
    ),
    "KernelSVMRFE": MethodWords(
        "drops, again and again, the features that a kernel support vector machine needs least.",
        "Change of the objective of the machine when the feature was dropped.",
        TOGETHER,
    ),
    "L1SVM": MethodWords(
        "fits a linear support vector machine of which most weights are zero.",
        "Absolute weight of the feature (root of the sum of squares over classes).",
        keeps_copies=False,
    ),
    "FamilyRanking": MethodWords(
        "ranks features one by one by one of the older scores that HSIC with linear kernels "
        "unifies.",
        "That score of the feature.",
        papers_of="BAHSIC",
    ),
}
JOINT_SEARCHES = ("Backward", "RandomisedContributions", "RandomHalves", "L1Ball")


def words_for(selector: Any) -> MethodWords:
    """Describe the method of a selector.

    Parameters
    ----------
    selector : BaseSelector
        Any selector.

    Returns
    -------
    MethodWords
        What it does, with the papers that it comes from.

    Examples
    --------
    >>> from hsieve import MaxRelevance
    >>> words_for(MaxRelevance()).does
    'ranks features by their own dependence on the target, whatever its shape.'
    """
    kind = type(selector)
    found = WORDS.get(kind.__name__)
    if found is None and hasattr(selector, "make_components"):
        found = _of_parts(selector)
    if found is None:
        found = MethodWords(f"is this: {first_line(kind)}", "Score that decided the place.")
    others = references_of(getattr(hsieve, found.papers_of)) if found.papers_of else ()
    found = replace(found, references=(*references_of(kind), *others, *found.references))
    if getattr(selector, "interactions", None) is not None:
        return replace(found, sees=PAIRS)
    base = getattr(selector, "estimator", None)
    if kind.__name__ == "StabilitySelection" and base is not None:
        inner = words_for(base)
        return replace(found, sees=inner.sees, keeps_copies=inner.keeps_copies)
    return found


def _of_parts(selector: Any) -> MethodWords:
    """Describe a free combination of a measure and a strategy."""
    measure, strategy = selector.make_components()
    name = type(strategy).__name__
    return MethodWords(
        f"searches by {name} with the measure {type(measure).__name__}: "
        f"{first_line(type(strategy))} {first_line(type(measure))}",
        "Score that decided the place of the feature.",
        TOGETHER if name in JOINT_SEARCHES else ALONE,
        keeps_copies=name in ("Ranking", *JOINT_SEARCHES),
        references=(*references_of(type(strategy)), *references_of(type(measure))),
        papers_of="BAHSIC" if type(measure).__name__.endswith("HSIC") else "",
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
