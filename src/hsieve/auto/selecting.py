"""One call that chooses features, their number and the method, and says why.

How it chooses is written down in :mod:`hsieve.auto.choice`. A method or a number of features that
the user gives is kept.
"""

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from hsieve.auto.choice import Choice
from hsieve.auto.fitting import SelectOptions, as_selection, fitted, make_selector
from hsieve.auto.reasons import about_data
from hsieve.auto.selection import Selection
from hsieve.data.errors import listed
from hsieve.dataset import Dataset, opened
from hsieve.parameters import NONE, integer, number
from hsieve.selectors.base import MIN_SAMPLES, BaseSelector
from hsieve.selectors.feature_groups import GROUPS, FeatureGroups
from hsieve.selectors.input_data import check_target
from hsieve.selectors.input_data import told as with_data_of
from hsieve.selectors.knockoffs import KnockoffSelector
from hsieve.selectors.methods import find_method
from hsieve.selectors.number_rules import RuleSettings

__all__ = ["TIMES", "check_options", "select", "select_from"]

TIMES = {"seconds": 10.0, "minutes": 300.0, "hours": 7200.0}


def select(  # noqa: PLR0913 - one parameter for each option
    X: Any,
    y: Any = None,
    *,
    n_features_to_select: int | None = None,
    fdr: float | None = None,
    time_allowed: str | float = "seconds",
    names: Sequence[str] | None = None,
    missing: str = "refuse",
    method: Any = "auto",
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    sample_weight: Any = None,
    feature_groups: Any = None,
    random_state: int = 0,
) -> Selection:
    """Choose features, their number and the method in one call.

    Parameters
    ----------
    X : array, sparse matrix, data frame, ColumnBlocks, AnnData or Dataset
        Features in columns. Frames of pandas, polars and Arrow say themselves which columns are
        categories.
    y : array-like or str
        Target: classes, numbers or several outputs; or the name of its column in a data frame, or
        in ``obs`` of an AnnData. A :class:`hsieve.Dataset` has its own.
    n_features_to_select : int or None, default=None
        How many features; None finds the number.
    fdr : float or None, default=None
        Bound on the expected fraction of chosen features that do not depend on the target given all
        others, such as 0.1: :class:`hsieve.KnockoffSelector` around the method, "auto" being its
        own. It decides the number.
    time_allowed : {"seconds", "minutes", "hours"} or float, default="seconds"
        How long it may take: 10 seconds, 5 minutes, 2 hours, or a number of seconds. It decides how
        many samples are used and what is tried; much is done sooner.
    names : sequence of str or None, default=None
        Names of the features, where X has none.
    missing : {"refuse", "impute", "category"}, default="refuse"
        What to do with missing values, as in :func:`hsieve.open_dataset`: refuse them, fill them
        in, or make them a level of a category.
    method : str or selector, default="auto"
        How to select: "pursuit", "n3lars" or any other name that ``hsieve methods`` lists, or a
        selector; "auto" chooses as :mod:`hsieve.auto.choice` says.
    categorical : iterable of int or str, default=()
        Further features that are categories, by position or name.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
    sample_weight : array-like, str or None, default=None
        How often each sample counts, or the name of a column of a data frame that says so. "auto"
        is then the pursuit, which takes integers; other methods take fractions, too.
    feature_groups : mapping, sequence of labels or None, default=None
        Features that are chosen together or not at all: a mapping of names to columns, or one label
        for each column. "auto" is then N3LARS, and numbers count groups.
    random_state : int, default=0
        Seed of folds and of methods that draw.

    Returns
    -------
    Selection
        The features, best first, and the reasons in sentences.

    Notes
    -----
    To know how well features predict, put a selector into a pipeline and validate that: the
    figures in the reasons compare methods, and flatter the one that was chosen.

    Examples
    --------
    >>> import hsieve
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(200, 30, random_state=0)
    >>> found = hsieve.select(problem.X, problem.y, time_allowed=1)
    >>> sorted(found.features), found.method
    (['x0', 'x1'], 'pursuit')
    """
    options = check_options(method, n_features_to_select, time_allowed, random_state, fdr)
    options = replace(options, feature_groups=feature_groups)
    if not isinstance(categorical, str):
        categorical = tuple(categorical)  # which an iterator gives only once
    reading: dict[str, Any] = {
        "names": names if names is None or isinstance(names, str) else tuple(names),
        "missing": missing,
        "categorical": categorical,
        "target_kind": target_kind,
        "sample_weight": sample_weight,
    }
    found = select_from(opened(X, y, takes_weights=True, **reading), options)
    told: Any = feature_groups
    if feature_groups is not None:
        is_mapping = isinstance(feature_groups, Mapping)
        told = dict(feature_groups) if is_mapping else list(map(str, feature_groups))
    given = _not_usual({**reading, "feature_groups": told})
    if not isinstance(sample_weight, str):
        given.pop("sample_weight", None)  # whose values say nothing
    return replace(found, settings={**found.settings, **given})


def check_options(
    method: Any,
    n_features_to_select: Any,
    time_allowed: Any,
    random_state: Any,
    fdr: Any = None,
) -> SelectOptions:
    """Check what the user asks for, before any data are looked at.

    Parameters
    ----------
    method, n_features_to_select, time_allowed, random_state, fdr
        As in :func:`select`.

    Returns
    -------
    SelectOptions
        The same, in order.
    """
    if isinstance(method, str):
        find_method(method)
    elif not isinstance(method, BaseSelector):
        msg = f"method must be the name of a method or a selector, got {method!r}."
        raise ValueError(msg)
    (NONE | integer(1)).check("n_features_to_select", n_features_to_select)
    seconds = TIMES.get(time_allowed) if isinstance(time_allowed, str) else time_allowed
    if (
        not isinstance(seconds, Real)
        or isinstance(seconds, bool)
        or not 0 < float(seconds) < math.inf
    ):
        shown = ", ".join(map(repr, TIMES))
        msg = f"time_allowed must be one of {shown}, or seconds above 0, got {time_allowed!r}."
        raise ValueError(msg)
    integer(0).check("random_state", random_state)
    (NONE | number(above=0, below=1)).check("fdr", fdr)
    if fdr is not None and n_features_to_select is not None:
        msg = (
            f"fdr={fdr!r} and n_features_to_select={n_features_to_select!r} both decide how many "
            "features are chosen; give one of them."
        )
        raise ValueError(msg)
    n_wanted = None if n_features_to_select is None else int(n_features_to_select)
    return SelectOptions(method, n_wanted, float(seconds), int(random_state), fdr)


def select_from(data: Dataset, options: SelectOptions) -> Selection:
    """Choose features of data that were opened.

    Parameters
    ----------
    data : Dataset
        Columns, target and names.
    options : SelectOptions
        Method, number and time.

    Returns
    -------
    Selection
        The features and the reasons.
    """
    if data.n_samples < MIN_SAMPLES:
        msg = f"Found n_samples = {data.n_samples}; at least {MIN_SAMPLES} samples are needed."
        raise ValueError(msg)
    check_target(data.y, RuleSettings(data.target_kind))
    if options.fdr is not None and data.sample_weight is not None:
        msg = f"fdr={options.fdr!r} takes no sample_weight: knockoffs count all samples alike."
        raise ValueError(msg)
    if options.feature_groups is not None:
        options = _with_groups(data, options)
    if options.fdr is not None:
        found = _at_error_rate(data, options, options.fdr)
    elif isinstance(options.method, str) and options.method == "auto":
        found = Choice(data, options).selection()
    else:
        found = _by_given_method(data, options)
    settings = {
        "method": options.method,
        "n_features_to_select": options.n_features_to_select,
        "fdr": options.fdr,
        "time_allowed": options.seconds,
        "random_state": options.random_state,
    }
    return replace(found, settings=_not_usual(settings))


def _not_usual(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, as far as it is not the default."""
    usual = {
        name: parameter.default for name, parameter in inspect.signature(select).parameters.items()
    }
    usual["time_allowed"] = TIMES[usual["time_allowed"]]
    return {
        name: value
        for name, value in settings.items()
        if not (value is usual[name] or np.array_equal(value, usual[name]))
    }


def _with_groups(data: Dataset, options: SelectOptions) -> SelectOptions:
    """Choose a method that knows groups, whose columns are told by position."""
    if options.fdr is not None:
        msg = f"fdr={options.fdr!r} takes no feature_groups: knockoffs are of single features."
        raise ValueError(msg)
    method = options.method
    if isinstance(method, str):
        method = "n3lars" if method == "auto" else method
        find_method(method).check_takes("feature_groups")
    elif "feature_groups" not in method.get_params(deep=False):
        msg = f"{type(method).__name__} takes no feature_groups; N3LARS and MaxRelevance do."
        raise ValueError(msg)
    GROUPS.check("feature_groups", options.feature_groups)
    groups = FeatureGroups.of(options.feature_groups, data.n_features, data.names)
    positions = {
        label: members.tolist()
        for label, members in zip(groups.labels, groups.members, strict=True)
    }
    return replace(options, method=method, feature_groups=positions)


def _at_error_rate(data: Dataset, options: SelectOptions, fdr: float) -> Selection:
    """Keep a false discovery rate, by knockoffs around the method."""
    notes = list[str]()
    base = options.method
    if isinstance(base, str):
        base = find_method(base).make_base()
    selector = KnockoffSelector(base, fdr=fdr, random_state=options.random_state)
    selector = fitted("knockoffs", with_data_of(selector, data), data, notes)
    around = "" if base is None else f" around {options.method_name}"
    reasons = (about_data(data), f"A false discovery rate was asked for: knockoffs{around}.")
    return as_selection(data, "knockoffs", selector, (*reasons, selector.in_words()), notes)


def _by_given_method(data: Dataset, options: SelectOptions) -> Selection:
    """Take the method that the user names, and find the number if none is given."""
    name, notes = options.method_name, list[str]()
    if isinstance(options.method, str):
        selector = make_selector(name, data, options.random_state)
        wanted: int | str | None = find_method(name).number_rule
    else:
        selector = with_data_of(options.method, data)
        wanted = None
    if options.feature_groups is not None:
        selector.set_params(feature_groups=options.feature_groups)
        wanted = None
    wanted = wanted if options.n_features_to_select is None else options.n_features_to_select
    if wanted is not None:
        selector.set_params(n_features_to_select=wanted)
    selector = fitted(name, selector, data, notes)
    why = "was asked for" if options.feature_groups is None else "chooses groups of features"
    reasons = [about_data(data), f"{name} {why}."]
    if isinstance(selector, KnockoffSelector):
        reasons.append(selector.in_words())
    elif options.feature_groups is not None:
        reasons.append(f"Chosen groups: {listed(selector.selected_groups_)}.")
    elif wanted is None:
        reasons.append("Its number of features is its own.")
    return as_selection(data, name, selector, tuple(reasons), notes)
