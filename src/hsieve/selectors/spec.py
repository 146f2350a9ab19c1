"""What a method is, said once on the class of its selector, for lists and for reports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ALONE, PAIRS, TOGETHER = "alone", "pairs", "together"

# What one wants, in the order of the list of methods.
GROUPS = (
    "To begin with",
    "Few features, without redundant ones",
    "Features that matter only together",
    "Quick rankings of single features",
    "Linear and sparse models",
    "Stable features, with a bound on false ones",
)
BEGIN, FEW, JOINT, RANKINGS, MODELS, STABLE = GROUPS


@dataclass(frozen=True)
class Variant:
    """A further name on the command line for a selector with some parameters set.

    Parameters
    ----------
    name : str
        The name.
    purpose : str
        What one gets, in at most 56 characters.
    parameters : callable
        Returns the parameters as a dict, made again for each selector.
    cost : str, default=""
        Empty for that of the selector.
    group : str, default=""
        Empty for that of the selector.
    needs_classes : bool, default=False
        Whether a target of numbers is refused.
    """

    name: str
    purpose: str
    parameters: Callable[[], dict[str, Any]]
    cost: str = ""
    group: str = ""
    needs_classes: bool = False


@dataclass(frozen=True)
class MethodSpec:
    """What the selector of a class does, as its class attribute ``spec``.

    What follows from the parameters or the measure of a selector is not repeated here: whether it
    takes categories, engines, checkpoints or column blocks, see :mod:`hsieve.selectors.methods`.

    Parameters
    ----------
    does : str
        What it does, after the name of the class, in a sentence or two.
    score : str
        What its score of a feature is, in one sentence.
    name : str, default=""
        Name on the command line; empty where only Python has it.
    purpose : str, default=""
        What one gets, in at most 56 characters.
    cost : str, default=""
        In n samples, d features and k features wanted, in at most 20 characters.
    group : str, default=""
        One of :data:`GROUPS`.
    sees : {"alone", "pairs", "together"}, default="alone"
        Whether features are judged one by one, in pairs too, or in any company.
    keeps_copies : bool, default=True
        Whether redundant features may all be selected.
    variants : tuple of Variant, default=()
        Further names, for the same class with other parameters.
    references : tuple of str, default=()
        Papers; those of a class stand in its docstring, and reports fill them in.
    """

    does: str
    score: str
    name: str = ""
    purpose: str = ""
    cost: str = ""
    group: str = ""
    sees: str = ALONE
    keeps_copies: bool = True
    variants: tuple[Variant, ...] = ()
    references: tuple[str, ...] = ()
