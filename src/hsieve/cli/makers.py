"""How the selectors of the command line are made from what the user wants.

A maker takes a :class:`MethodRequest` and gives a selector. It hands on those wishes that the
constructor of the selector, or of its measure, knows. Selectors are imported when one is made, so
that the list of methods itself is there at once.
"""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hsieve.cli.errors import BadInputError

if TYPE_CHECKING:
    from hsieve.parallel import EngineSettings
    from hsieve.selectors.base import BaseSelector

__all__ = [
    "Maker",
    "MethodRequest",
    "along_path",
    "automatic",
    "bahsic_of_the_paper",
    "elimination",
    "linear_hsic",
    "number_or_rule",
    "pursuit",
    "ranking",
    "screening",
    "selector",
    "stability",
    "stability_logistic",
    "stability_lpboost",
]

# As in hsieve.inference.feature_number, which would take long to import.
NUMBER_RULES = ("alignment", "guarded", "cv")
# Methods that choose their number themselves take this word, too.
OWN_NUMBER = "auto"
USUAL_FALSE_SELECTIONS = 1.0
HANDED_ON = ("categorical", "target_kind", "random_state", "engine", "checkpoint")


@dataclass(frozen=True)
class MethodRequest:
    """What the user wants of a selector, whichever method it is.

    Parameters
    ----------
    n_features : int, str or None
        Number of features to choose, or a rule that finds it; None leaves it to the selector.
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
    false_selections : float or None, default=None
        Wished bound on the expected number of false selections, for stability selection; None for
        1, unless a number of features is asked for.
    n_subsamples : int, default=100
        Number of halves of the samples that it selects from.
    engine : EngineSettings or None, default=None
        Who works on the columns.
    checkpoint : Path or None, default=None
        Folder that keeps results.
    time_allowed : str or float, default="minutes"
        How long choosing a method may take.
    """

    n_features: int | str | None
    categorical: tuple[int, ...]
    target_kind: str
    random_state: int
    covariates: tuple[int, ...] = ()
    max_redundancy: float | None = None
    memory_limit: str | None = None
    n_relatives: int | None = None
    interactions: bool = False
    false_selections: float | None = None
    n_subsamples: int = 100
    engine: "EngineSettings | None" = None
    checkpoint: Path | None = None
    time_allowed: str | float = "minutes"

    @property
    def least_screened(self) -> int:
        """How many features must be left after a screen."""
        return self.n_features if isinstance(self.n_features, int) else 0


Maker: TypeAlias = Callable[[MethodRequest], "BaseSelector"]


def number_or_rule(text: str | None) -> int | str | None:
    """Understand how many features are wanted.

    Parameters
    ----------
    text : str or None
        What was given.

    Returns
    -------
    int, str or None
        A number, the name of a rule, or None where nothing was given.

    Raises
    ------
    BadInputError
        If it is neither.

    Examples
    --------
    >>> number_or_rule("12"), number_or_rule("guarded")
    (12, 'guarded')
    """
    if text is None or text in (*NUMBER_RULES, OWN_NUMBER):
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        rules = ", ".join((*NUMBER_RULES, OWN_NUMBER))
        msg = f"--n-features takes a whole number of at least 1, or one of {rules}, not {text!r}"
        raise BadInputError(msg)
    return number


def selector(name: str, **options: Any) -> Maker:
    """Return a maker of a selector, by the name of its class.

    Examples
    --------
    >>> selector("MRMR")(MethodRequest(3, (), "classes", 0))
    MRMR(n_features_to_select=3, target_kind='classes')
    """

    def make(request: MethodRequest) -> "BaseSelector":
        kind = getattr(importlib.import_module("hsieve"), name)
        made: BaseSelector = kind(request.n_features, **options, **_known_to(kind, request))
        return made

    return make


def along_path(name: str) -> Maker:
    """Return a maker of a selector with a path, with all that these can take into account."""

    def make(request: MethodRequest) -> "BaseSelector":
        return selector(
            name,
            covariates=request.covariates,
            max_redundancy=request.max_redundancy,
            memory_limit=request.memory_limit,
            interactions="pairs" if request.interactions else None,
        )(request)

    return make


def pursuit(request: MethodRequest) -> "BaseSelector":
    """Make a kernel pursuit, which chooses the number of features unless one is given.

    Examples
    --------
    >>> pursuit(MethodRequest(None, (), "auto", 0))
    KernelPursuit()
    """
    number = OWN_NUMBER if request.n_features is None else request.n_features
    make = selector("KernelPursuit", memory_limit=request.memory_limit)
    return make(replace(request, n_features=number))


def ranking(measure: str) -> Maker:
    """Return a maker of a ranking of single features by a measure, by the name of its class."""

    def make(request: MethodRequest) -> "BaseSelector":
        from hsieve.selectors import DependenceSelector

        return DependenceSelector(
            _measure(measure, request), n_features_to_select=request.n_features
        )

    return make


def elimination(measure: str) -> Maker:
    """Return a maker that drops a quarter of the features each round, by a measure of sets."""

    def make(request: MethodRequest) -> "BaseSelector":
        from hsieve.selectors import DependenceSelector
        from hsieve.strategies import Backward

        return DependenceSelector(
            _measure(measure, request),
            strategy=Backward(step=0.25),
            n_features_to_select=request.n_features,
        )

    return make


def screening(request: MethodRequest) -> "BaseSelector":
    """Make a screening of as many features as by default, or as are wanted if these are more."""
    from hsieve.strategies import IterativeScreening

    n_screened = max(IterativeScreening().n_screened, request.least_screened)
    return selector("MaxRelevance", n_screened=n_screened)(request)


def bahsic_of_the_paper(request: MethodRequest) -> "BaseSelector":
    """Make BAHSIC as it was published."""
    from hsieve.kernels import Gaussian

    return selector(
        "BAHSIC", kernel_x=Gaussian("maximise"), compensate=False, n_contexts=1, step=0.1
    )(request)


def linear_hsic(request: MethodRequest) -> "BaseSelector":
    """Make a ranking by HSIC with a linear kernel."""
    from hsieve.kernels import Linear
    from hsieve.selectors import DependenceSelector

    return DependenceSelector(
        _measure("HSIC", request, kernel_x=Linear()), n_features_to_select=request.n_features
    )


def automatic(request: MethodRequest) -> "BaseSelector":
    """Refuse to make a selector of what chooses one itself."""
    del request
    msg = "auto chooses among methods itself and works with 'hsieve select' alone"
    raise BadInputError(msg)


def stability(make_base: Maker | None) -> Maker:
    """Return a maker of stability selection around another selector; None is the lasso."""

    def make(request: MethodRequest) -> "BaseSelector":
        from hsieve.selectors import StabilitySelection

        # How many features a subsample may select follows from the bound, or from the number.
        alone = replace(request, n_features=None, checkpoint=None)
        base = None if make_base is None else make_base(alone)
        return StabilitySelection(base, **_stability_options(request))

    return make


def stability_logistic(request: MethodRequest) -> "BaseSelector":
    """Make stability selection around sparse logistic regression of standardised features."""
    from sklearn.linear_model import LogisticRegression

    from hsieve.selectors import StabilitySelection

    base = LogisticRegression(l1_ratio=1.0, solver="liblinear")
    return StabilitySelection(base, standardise=True, **_stability_options(request))


def stability_lpboost(request: MethodRequest) -> "BaseSelector":
    """Make stability selection around LPBoost."""
    from hsieve.classifiers import LPBoost
    from hsieve.selectors import StabilitySelection

    return StabilitySelection(LPBoost(), **_stability_options(request))


def _stability_options(request: MethodRequest) -> dict[str, Any]:
    bound = request.false_selections
    if bound is None and not isinstance(request.n_features, int):
        bound = USUAL_FALSE_SELECTIONS
    return {
        "n_features_to_select": request.n_features,
        # With a number and no bound, subsamples may select so many.
        "expected_false_selections": bound,
        "n_subsamples": request.n_subsamples,
        "target_kind": request.target_kind,
        "checkpoint": request.checkpoint,
        "random_state": request.random_state,
    }


def _measure(name: str, request: MethodRequest, **options: Any) -> Any:
    kind = getattr(importlib.import_module("hsieve.measures"), name)
    return kind(**options, **_known_to(kind, request))


def _known_to(kind: type, request: MethodRequest) -> dict[str, Any]:
    """Pick the wishes that a constructor has a parameter for."""
    known = inspect.signature(kind).parameters
    return {name: getattr(request, name) for name in HANDED_ON if name in known}
