"""The methods that can be named on the command line.

A method is a line of :data:`METHODS`: what it is for, what it costs, and how to make its selector.
Costs are in n samples, d features and k features wanted.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hsieve.cli import makers
from hsieve.cli.errors import BadInputError

__all__ = ["AUTO", "AUTO_NAME", "DEFAULT_METHOD", "METHODS", "Method", "find_method"]

AUTO_NAME = "auto"
DEFAULT_METHOD = AUTO_NAME
# What can be done by methods that work on some columns at a time, wherever these are.
ON_COLUMNS = {"takes_blocks": True, "takes_engine": True, "takes_checkpoint": True}


@dataclass(frozen=True)
class Method:
    """A method on offer.

    Parameters
    ----------
    purpose, cost : str
        One line each, for `hsieve methods`.
    make : callable
        Makes the selector from a :class:`~hsieve.cli.makers.MethodRequest`.
    takes_categories : bool, default=True
        Whether columns may be declared categorical.
    has_path : bool, default=False
        Whether its selector follows a regularisation path, which can be told and drawn.
    takes_blocks : bool, default=False
        Whether its selector reads columns in blocks, so that data may be larger than memory.
    takes_engine : bool, default=False
        Whether its selector can leave the work to an engine.
    takes_checkpoint : bool, default=False
        Whether its selector can keep results, to be taken up after it was killed.
    uses_target : bool, default=True
        Whether its selector looks at the target at all.
    only_classes : bool, default=False
        Whether a target of numbers is refused.
    is_stability : bool, default=False
        Whether it selects again and again from halves of the samples.
    is_automatic : bool, default=False
        Whether it chooses one of the others, and their number of features.
    finds_number : bool, default=False
        Whether its selector can choose the number of features by itself (``-k auto``), which it
        does unless another number is given.
    takes_memory_limit : bool, default=False
        Whether the memory of its selector can be limited.
    """

    purpose: str
    cost: str
    make: makers.Maker
    takes_categories: bool = True
    has_path: bool = False
    takes_blocks: bool = False
    takes_engine: bool = False
    takes_checkpoint: bool = False
    uses_target: bool = True
    only_classes: bool = False
    is_stability: bool = False
    is_automatic: bool = False
    finds_number: bool = False
    takes_memory_limit: bool = False


def find_method(name: str) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        A key of :data:`METHODS`, or "auto".

    Returns
    -------
    Method
        What is listed under it.

    Raises
    ------
    BadInputError
        If there is none, with near matches.

    Examples
    --------
    >>> find_method("pearson").cost
    'n d'
    """
    if name == AUTO_NAME:
        return AUTO
    if name in METHODS:
        return METHODS[name]
    near = difflib.get_close_matches(name.lower(), METHODS)
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {', '.join(METHODS)}"
    msg = f"there is no method {name!r}; {hint} (see 'hsieve methods')"
    raise BadInputError(msg)


AUTO = Method(
    "the default, as hsieve.select: pursuit, compared with n3lars and bahsic on held-out samples "
    "where that is worth it; chooses the number of features, and says why",
    "as pursuit, within --time-allowed",
    makers.automatic,
    takes_blocks=True,
    is_automatic=True,
)


def _family(statistic: str, purpose: str) -> Method:
    """One of the older scores, all of which rank single numeric features."""
    make = makers.selector("FamilyRanking", statistic=statistic)
    return Method(purpose, "n d", make, takes_categories=False)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "n3lars": Method(
            "relevant features that do not repeat each other, any shape of single effects; "
            "with --interactions also pairs that matter only together",
            "n d, and few pairs of features; with --interactions 9 n d^2",
            makers.along_path("N3LARS"),
            has_path=True,
            takes_memory_limit=True,
            **ON_COLUMNS,
        ),
        "hsic-lasso": Method(
            "as n3lars, kernels not normalised",
            "n d, and few pairs of features",
            makers.along_path("HSICLasso"),
            has_path=True,
            takes_memory_limit=True,
            **ON_COLUMNS,
        ),
        "pursuit": Method(
            "features that explain what those chosen before leave unexplained, also weak effects "
            "beside strong ones; chooses the number of features, perhaps none",
            "n d and a kernel regression for each feature tried; pairs of up to some thousand "
            "features n d^2",
            makers.pursuit,
            finds_number=True,
            takes_memory_limit=True,
            **ON_COLUMNS,
        ),
        "bahsic": Method(
            "features that matter, also those that matter only together",
            "about 32 n^2 d",
            makers.selector("BAHSIC"),
            takes_checkpoint=True,
        ),
        "bahsic-paper": Method(
            "BAHSIC as published in 2007: each feature's own effect, few interactions",
            "n^2 d for each tenth dropped and each width tried",
            makers.bahsic_of_the_paper,
            takes_checkpoint=True,
        ),
        "randsel": Method(
            "as bahsic, from random subsamples and random sets of the features",
            "about 64 n^2 d, on as many cores as wanted",
            makers.selector("RandSel"),
            takes_engine=True,
            takes_checkpoint=True,
        ),
        "fohsic": Method(
            "few features, added one by one; quick, but blind to pure interactions",
            "k n^2 d",
            makers.selector("FOHSIC"),
            takes_checkpoint=True,
        ),
        "l1-lsmi": Method(
            "features that matter, also those that matter only together, and that do not repeat "
            "each other; up to some hundreds of features",
            "some 200 gradients, each 100 n d",
            makers.selector("L1LSMI"),
            takes_engine=True,
            takes_checkpoint=True,
        ),
        "l1-hsic": Method(
            "as l1-lsmi by HSIC; quicker with few samples",
            "some 200 gradients, each n^2 d",
            makers.selector("L1HSIC"),
            takes_engine=True,
            takes_checkpoint=True,
        ),
        "forward-lsmi": Method(
            "few features, added one by one, by mutual information of the whole set",
            "10^4 n d k",
            makers.selector("ForwardLSMI"),
            takes_checkpoint=True,
        ),
        "backward-lsmi": Method(
            "drop one feature after the other that the mutual information of the set does not miss",
            "10^4 n d^2",
            makers.selector("BackwardLSMI"),
            takes_checkpoint=True,
        ),
        "mrmr": Method(
            "relevant features that do not repeat each other, one by one, by information",
            "n d, and up to k d pairs of features",
            makers.selector("MRMR"),
            **ON_COLUMNS,
        ),
        "qpfs": Method(
            "relevant features that do not repeat each other, weighed all at once",
            "n d^2, or 400 n d above 1000 features",
            makers.selector("QPFS"),
        ),
        "mr-nhsic": Method(
            "rank single features, any shape, score between 0 and 1; for many samples",
            "n d",
            makers.selector("MaxRelevance"),
            **ON_COLUMNS,
        ),
        "screening": Method(
            "as mr-nhsic, then pass over what repeats the features taken",
            "n d, and 500 k pairs of features",
            makers.screening,
            **ON_COLUMNS,
        ),
        "hsic": Method(
            "rank single features, any shape of relation", "n^2 d", makers.ranking("HSIC")
        ),
        "nhsic": Method(
            "rank single features, any shape, score between 0 and 1",
            "n^2 d",
            makers.ranking("NHSIC"),
        ),
        "linear-hsic": Method(
            "rank single features, straight-line effects", "n^2 d", makers.linear_hsic
        ),
        "mutual-information": Method(
            "rank single features, any shape, in nats",
            "n log(n) d, slow steps",
            makers.ranking("MutualInformation"),
        ),
        "pearson": Method(
            "rank single features by absolute correlation",
            "n d",
            makers.ranking("Pearson"),
            takes_categories=False,
        ),
        "ridge": Method(
            "drop features that a linear ridge regression does not miss",
            "n^3 + n^2 d a round",
            makers.elimination("Ridge"),
        ),
        "kernel-ridge": Method(
            "drop features that a kernel ridge regression does not miss; small tables only",
            "n^3 d a round",
            makers.elimination("KernelRidge"),
        ),
        "relieff": Method(
            "rank by differences between near samples; interactions among few features",
            "n^2 d",
            makers.selector("ReliefF"),
        ),
        "fcbf": Method(
            "relevant features that no more relevant one stands for; finds their number itself",
            "n d for each feature kept",
            makers.selector("FCBF"),
        ),
        "hiton-pc": Method(
            "features that stay dependent given any three others; finds their number itself",
            "n d, and up to t^3 tests a feature where t are found",
            makers.selector("HITONPC"),
        ),
        "spec": Method(
            "rank features by how little they vary among samples of similar target",
            "n d, or n^2 d for numbers",
            makers.selector("SPEC"),
            takes_categories=False,
        ),
        "laplacian-score": Method(
            "rank features by the clusters that all of them show; the target is not looked at",
            "n^2 d",
            makers.selector("LaplacianScore"),
            takes_categories=False,
            uses_target=False,
        ),
        "spam": Method(
            "a sum of curves, one a feature, most of them zero; no interactions",
            "5 n d a step, some hundreds of steps",
            makers.selector("SpAM"),
            takes_categories=False,
        ),
        "lasso": Method(
            "straight-line effects, features that do not repeat each other",
            "k n d",
            makers.selector("LassoSelector"),
            takes_categories=False,
        ),
        "svm-rfe": Method(
            "drop features that a linear support vector machine does not need",
            "n d min(n, d) for each tenth dropped",
            makers.selector("SVMRFE"),
            takes_categories=False,
        ),
        "kernel-svm-rfe": Method(
            "drop features that a Gaussian support vector machine does not need",
            "n^2 d and one fit for each tenth dropped",
            makers.selector("KernelSVMRFE"),
        ),
        "l1-svm": Method(
            "features of a sparse linear support vector machine; classes only",
            "n d a sweep, some tens of fits",
            makers.selector("L1SVM"),
            takes_categories=False,
        ),
        "stability-lasso": Method(
            "features that the lasso finds from most halves of the data, as many as are stable, "
            "with a bound on false ones; --stability does it with any method",
            "100 n d a step, some tens of steps",
            makers.stability(None),
            takes_categories=False,
            takes_checkpoint=True,
            is_stability=True,
        ),
        "stability-logistic": Method(
            "as stability-lasso by sparse logistic regression; classes only",
            "100 n d a sweep, some hundreds of sweeps",
            makers.stability_logistic,
            takes_categories=False,
            only_classes=True,
            takes_checkpoint=True,
            is_stability=True,
        ),
        "stability-lpboost": Method(
            "as stability-lasso by boosting of single features; classes only",
            "100 n d and a linear program of n variables, some tens of times",
            makers.stability_lpboost,
            takes_categories=False,
            only_classes=True,
            takes_checkpoint=True,
            is_stability=True,
        ),
        "pc": _family("pc", "rank by squared correlation; numbers or classes"),
        "centroid": _family("centroid", "rank by the distance of two class means"),
        "t": _family("t", "rank by the squared t of two classes"),
        "snr": _family("snr", "rank by signal-to-noise ratio of two classes"),
        "moderated-t": _family("moderated-t", "t with variances shrunk, for few samples of genes"),
        "lods": _family("lods", "log odds that a gene differs between two classes"),
        "pam": _family("pam", "shrunken centroids, any number of classes"),
        "one-vs-rest": _family("one-vs-rest", "each class against the others, any number of them"),
        "block": _family("block", "classes as blocks of a kernel, any number of them"),
    }
)
