"""What a method is, said once on the class of its selector, and what docstrings share."""

import re
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
        Whether a numeric target is refused.
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


# Entries of docstrings that many selectors share: a line ``{name}`` stands for each.
ENTRIES = {
    "n_features_to_select": """\
    n_features_to_select : int, float, str or None, default=None
        A number, a fraction below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.""",
    "number_without_rules": """\
    n_features_to_select : int, float or None, default=None
        A number, a fraction below 1, or None for 10 (or all, where there are fewer).""",
    "categorical": """\
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category type
        and text are categories anyway.""",
    "feature_groups": """\
    feature_groups : mapping, sequence of labels or None, default=None
        Features that are selected together or not at all, such as one-hot columns: a mapping of
        names to columns (positions or names), or one label for each column. A feature in no group
        is one of its own. `n_features_to_select` then counts groups.""",
    "target_kind": """\
    target_kind : {"auto", "classes", "continuous", "survival"}, default="auto"
        What y holds.""",
    "usual_attributes": """\
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature, the whole search.""",
    "n_jobs": """\
    n_jobs : int or None, default=None
        Number of threads; -1 for one on each core, None for one. Worth it from some 10 million
        values on. The answer does not depend on it.""",
    "engine": """\
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        What processes the columns: see :func:`hsieve.parallel.make_engine`. None and "local": this
        process, without threads. The answer does not depend on it.""",
    "checkpoint": """\
    checkpoint : path-like or None, default=None
        Folder in which results of the work are kept as they come. If `fit` is killed, the same
        `fit` with the same folder computes only what is missing, and finds the same; other data or
        parameters are refused. It may be deleted afterwards. One folder per fit: not inside cross
        validation, where each fold has other data.""",
}
PLACE = re.compile(rf"^    \{{({'|'.join(ENTRIES)})\}}$", re.MULTILINE)


def with_common_parameters(docstring: str | None) -> str | None:
    r"""Fill in the entries that a docstring names; what is indented below one adds to it.

    Examples
    --------
    >>> print(with_common_parameters("    {target_kind}\n        Only classes are accepted."))
        target_kind : {"auto", "classes", "continuous", "survival"}, default="auto"
            What y holds.
            Only classes are accepted.
    """
    if docstring is None:  # left out by python -OO
        return None
    return PLACE.sub(lambda place: ENTRIES[place[1]], docstring)
