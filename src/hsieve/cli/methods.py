"""The methods that can be named on the command line.

A method is a line of :data:`METHODS`: what it is for, what it costs, and how to make its selector.
The selectors are imported when one is made, so that the list itself is there at once. Costs are in
n samples, d features and k features wanted.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError

if TYPE_CHECKING:
    from hsieve.estimators import N3LARS, HSICLasso
    from hsieve.estimators._base import BaseSelector
    from hsieve.measures.base import Measure

__all__ = ["DEFAULT_METHOD", "METHODS", "Method", "Request", "find_method"]

DEFAULT_METHOD = "n3lars"


@dataclass(frozen=True)
class Request:
    """What the user wants of a selector, whichever method it is.

    Parameters
    ----------
    n_features : int or None
        Number of features to choose; None leaves it to the selector.
    categorical : tuple of int
        Columns that hold categories.
    target_kind : {"classes", "continuous"}
        What the target holds.
    random_state : int
        Seed.
    covariates : tuple of int, default=()
        Columns to adjust for, never selected; as the rest, only for methods with a path.
    max_redundancy : float or None, default=None
        Most that two selected features may share.
    memory_limit : str or None, default=None
        Most memory to use, such as "2GB".
    n_relatives : int or None, default=None
        How many relatives of each selected feature to look for; None for the usual number,
        unless that takes long.
    interactions : bool, default=False
        Whether pairs of features are on the path too.
    """

    n_features: int | None
    categorical: tuple[int, ...]
    target_kind: str
    random_state: int
    covariates: tuple[int, ...] = ()
    max_redundancy: float | None = None
    memory_limit: str | None = None
    n_relatives: int | None = None
    interactions: bool = False


@dataclass(frozen=True)
class Method:
    """A method on offer.

    Parameters
    ----------
    purpose, cost : str
        One line each, for `hsieve methods`.
    make : callable
        Makes the selector from a :class:`Request`.
    takes_categories : bool, default=True
        Whether columns may be declared categorical.
    has_path : bool, default=False
        Whether its selector follows a regularisation path, which can be told and drawn.
    takes_blocks : bool, default=False
        Whether its selector reads columns in blocks, so that data may be larger than memory.
    """

    purpose: str
    cost: str
    make: Callable[[Request], "BaseSelector"]
    takes_categories: bool = True
    has_path: bool = False
    takes_blocks: bool = False


def find_method(name: str) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        A key of :data:`METHODS`.

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
    if name in METHODS:
        return METHODS[name]
    near = difflib.get_close_matches(name.lower(), METHODS)
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {', '.join(METHODS)}"
    msg = f"there is no method {name!r}; {hint} (see 'hsieve methods')"
    raise BadInputError(msg)


def _bahsic(request: Request) -> "BaseSelector":
    from hsieve.estimators import BAHSIC

    return BAHSIC(
        request.n_features,
        categorical=request.categorical,
        target_kind=request.target_kind,
        random_state=request.random_state,
    )


def _n3lars(request: Request) -> "BaseSelector":
    from hsieve.estimators import N3LARS

    return _along_path(N3LARS, request)


def _hsic_lasso(request: Request) -> "BaseSelector":
    from hsieve.estimators import HSICLasso

    return _along_path(HSICLasso, request)


def _mr_nhsic(request: Request) -> "BaseSelector":
    from hsieve.estimators import MaxRelevance

    return MaxRelevance(
        request.n_features, categorical=request.categorical, target_kind=request.target_kind
    )


def _screening(request: Request) -> "BaseSelector":
    from hsieve.estimators import DependenceSelector
    from hsieve.measures import PairwiseHSIC
    from hsieve.strategies import IterativeScreening

    return DependenceSelector(
        PairwiseHSIC(categorical=request.categorical, target_kind=request.target_kind),
        # As many as by default, or as many as are wanted if these are more.
        strategy=IterativeScreening(
            max(IterativeScreening().n_screened, request.n_features or 0),
        ),
        n_features_to_select=request.n_features,
    )


def _mrmr(request: Request) -> "BaseSelector":
    from hsieve.estimators import MRMR

    return MRMR(
        request.n_features, categorical=request.categorical, target_kind=request.target_kind
    )


def _qpfs(request: Request) -> "BaseSelector":
    from hsieve.estimators import QPFS

    return QPFS(
        request.n_features,
        categorical=request.categorical,
        target_kind=request.target_kind,
        random_state=request.random_state,
    )


def _bahsic_of_the_paper(request: Request) -> "BaseSelector":
    from hsieve.estimators import BAHSIC
    from hsieve.kernels import Gaussian

    return BAHSIC(
        request.n_features,
        kernel_x=Gaussian("maximise"),
        compensate=False,
        n_contexts=1,
        step=0.1,
        categorical=request.categorical,
        target_kind=request.target_kind,
        random_state=request.random_state,
    )


def _fohsic(request: Request) -> "BaseSelector":
    from hsieve.estimators import FOHSIC

    return FOHSIC(
        request.n_features, categorical=request.categorical, target_kind=request.target_kind
    )


def _hsic(request: Request) -> "BaseSelector":
    from hsieve.measures import HSIC

    return _ranking(HSIC(categorical=request.categorical, target_kind=request.target_kind), request)


def _nhsic(request: Request) -> "BaseSelector":
    from hsieve.measures import NHSIC

    return _ranking(
        NHSIC(categorical=request.categorical, target_kind=request.target_kind), request
    )


def _linear_hsic(request: Request) -> "BaseSelector":
    from hsieve.kernels import Linear
    from hsieve.measures import HSIC

    measure = HSIC(
        kernel_x=Linear(), categorical=request.categorical, target_kind=request.target_kind
    )
    return _ranking(measure, request)


def _mutual_information(request: Request) -> "BaseSelector":
    from hsieve.measures import MutualInformation

    measure = MutualInformation(
        categorical=request.categorical,
        target_kind=request.target_kind,
        random_state=request.random_state,
    )
    return _ranking(measure, request)


def _pearson(request: Request) -> "BaseSelector":
    from hsieve.measures import Pearson

    return _ranking(Pearson(target_kind=request.target_kind), request)


def _ridge(request: Request) -> "BaseSelector":
    from hsieve.measures import Ridge

    return _elimination(
        Ridge(categorical=request.categorical, target_kind=request.target_kind), request
    )


def _kernel_ridge(request: Request) -> "BaseSelector":
    from hsieve.measures import KernelRidge

    return _elimination(
        KernelRidge(categorical=request.categorical, target_kind=request.target_kind), request
    )


def _along_path(kind: "type[N3LARS | HSICLasso]", request: Request) -> "BaseSelector":
    """Follow a regularisation path, with all that these selectors can take into account."""
    return kind(
        request.n_features,
        categorical=request.categorical,
        target_kind=request.target_kind,
        covariates=request.covariates,
        max_redundancy=request.max_redundancy,
        memory_limit=request.memory_limit,
        interactions="pairs" if request.interactions else None,
    )


def _ranking(measure: "Measure", request: Request) -> "BaseSelector":
    """Sort single features by a measure."""
    from hsieve.estimators import DependenceSelector

    return DependenceSelector(measure, n_features_to_select=request.n_features)


def _elimination(measure: "Measure", request: Request) -> "BaseSelector":
    """Drop a quarter of the features each round, by a measure of sets."""
    from hsieve.estimators import DependenceSelector
    from hsieve.strategies import Backward

    return DependenceSelector(
        measure, strategy=Backward(step=0.25), n_features_to_select=request.n_features
    )


def _family(statistic: str, purpose: str) -> Method:
    """One of the older scores, all of which rank single numeric features."""

    def make(request: Request) -> "BaseSelector":
        from hsieve.estimators import FamilyRanking

        return FamilyRanking(
            request.n_features, statistic=statistic, target_kind=request.target_kind
        )

    return Method(purpose, "n d", make, takes_categories=False)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "n3lars": Method(
            "relevant features that do not repeat each other, any shape of single effects; "
            "the first choice; with --interactions also pairs that matter only together",
            "n d, and few pairs of features; with --interactions 9 n d^2",
            _n3lars,
            has_path=True,
            takes_blocks=True,
        ),
        "hsic-lasso": Method(
            "as n3lars, kernels not normalised",
            "n d, and few pairs of features",
            _hsic_lasso,
            has_path=True,
            takes_blocks=True,
        ),
        "bahsic": Method(
            "features that matter, also those that matter only together",
            "about 32 n^2 d",
            _bahsic,
        ),
        "bahsic-paper": Method(
            "BAHSIC as published in 2007: each feature's own effect, few interactions",
            "n^2 d for each tenth dropped and each width tried",
            _bahsic_of_the_paper,
        ),
        "fohsic": Method(
            "few features, added one by one; quick, but blind to pure interactions",
            "k n^2 d",
            _fohsic,
        ),
        "mrmr": Method(
            "relevant features that do not repeat each other, one by one, by information",
            "k n d",
            _mrmr,
        ),
        "qpfs": Method(
            "relevant features that do not repeat each other, weighed all at once",
            "n d^2, or 400 n d above 1000 features",
            _qpfs,
        ),
        "mr-nhsic": Method(
            "rank single features, any shape, score between 0 and 1; for many samples",
            "n d",
            _mr_nhsic,
            takes_blocks=True,
        ),
        "screening": Method(
            "as mr-nhsic, then pass over what repeats the features taken",
            "n d, and 500 k pairs of features",
            _screening,
            takes_blocks=True,
        ),
        "hsic": Method("rank single features, any shape of relation", "n^2 d", _hsic),
        "nhsic": Method("rank single features, any shape, score between 0 and 1", "n^2 d", _nhsic),
        "linear-hsic": Method("rank single features, straight-line effects", "n^2 d", _linear_hsic),
        "mutual-information": Method(
            "rank single features, any shape, in nats",
            "n log(n) d, slow steps",
            _mutual_information,
        ),
        "pearson": Method(
            "rank single features by absolute correlation",
            "n d",
            _pearson,
            takes_categories=False,
        ),
        "ridge": Method(
            "drop features that a linear ridge regression does not miss",
            "n^3 + n^2 d a round",
            _ridge,
        ),
        "kernel-ridge": Method(
            "drop features that a kernel ridge regression does not miss; small tables only",
            "n^3 d a round",
            _kernel_ridge,
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
