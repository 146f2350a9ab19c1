"""One call that chooses a method and a number of features, and says why."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from hsieve.automatic.candidates import CANDIDATES, Candidate, make_candidate
from hsieve.automatic.contest import hold_contest
from hsieve.automatic.costs import seconds_of
from hsieve.automatic.opening import Opened, open_data
from hsieve.automatic.rules import (
    N_FOLDS,
    SHARE_OF_TIME,
    SIGNIFICANT,
    Choice,
    Plan,
    Situation,
    by_contest,
    by_tests,
    make_plan,
    tried_sizes,
)
from hsieve.automatic.selection import Selection
from hsieve.data.blocks import ColumnBlocks
from hsieve.data.tables.errors import listed
from hsieve.estimators import InteractionScan
from hsieve.estimators._base import BaseSelector, check_target
from hsieve.estimators._categories import on_arrays
from hsieve.estimators._number import RuleSettings
from hsieve.estimators._ranges import ignored
from hsieve.exceptions import (
    ConstantFeatureWarning,
    CrowdedInteractionsWarning,
    FewerFeaturesWarning,
)
from hsieve.inference.feature_number import representative_rows
from hsieve.inference.hsic_tests import least_p_value
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.progress import stage
from hsieve.threads import one_blas_thread

__all__ = ["TIMES", "Wish", "make_wish", "select", "select_opened"]

TIMES = {"seconds": 10.0, "minutes": 300.0, "hours": 7200.0}
# Features that are tested singly: those of most relevance.
N_TESTED = 20
# Shares of the work, for who shows how far it is.
TRIED, TESTED = 0.8, 0.4


@dataclass(frozen=True)
class Wish:
    """What the user asks for.

    Parameters
    ----------
    method : str or BaseSelector
        A name, "auto", or a selector.
    n_features : int or None
        How many features.
    seconds : float
        Time allowed.
    random_state : int
        Seed.
    """

    method: Any
    n_features: int | None
    seconds: float
    random_state: int

    @property
    def method_name(self) -> str:
        """What the method is called."""
        return self.method if isinstance(self.method, str) else type(self.method).__name__


def select(
    X: Any,
    y: Any,
    *,
    n_features: int | None = None,
    time_allowed: str | float = "minutes",
    names: Sequence[str] | None = None,
    missing: str = "refuse",
    method: Any = "auto",
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    random_state: int = 0,
) -> Selection:
    """Choose features, and how: one call for data as people have them.

    Parameters
    ----------
    X : array, sparse matrix, data frame, ColumnBlocks or AnnData
        Features in columns. Frames of pandas, polars and Arrow say themselves which columns are
        categories.
    y : array-like or str
        Target: classes, numbers or several outputs; or the name of its column in a data frame, or
        in ``obs`` of an AnnData.
    n_features : int or None, default=None
        How many features; None finds the number.
    time_allowed : {"seconds", "minutes", "hours"} or float, default="minutes"
        About how long it may take, on one core: 10 seconds, 5 minutes, 2 hours, or a number of
        seconds. It decides what is tried; much is done sooner. The one method that is always tried,
        N3LARS, takes what it takes.
    names : sequence of str or None, default=None
        Names of the features, where X has none.
    missing : {"refuse", "impute"}, default="refuse"
        What to do with missing values: refuse them in words, or fill them in as
        :class:`FillMissing` does, which is told in the reasons.
    method : {"auto", "n3lars", "mrmr", "pairs", "l1-lsmi", "bahsic", "randsel"} or selector, \
default="auto"
        How to select; "auto" chooses by the rules of :mod:`hsieve.automatic.rules`.
    categorical : iterable of int or str, default=()
        Further features that are categories, by position or name.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.
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
    >>> from hsieve.data.synthetic import make_xor
    >>> problem = make_xor(200, 30, random_state=0)
    >>> found = hsieve.select(problem.X, problem.y, time_allowed=1)
    >>> sorted(found.features), found.method
    (['x0', 'x1'], 'pairs')
    """
    wish = make_wish(method, n_features, time_allowed, random_state)
    data = open_data(
        X, y, names=names, missing=missing, categorical=categorical, target_kind=target_kind
    )
    return select_opened(data, wish)


def make_wish(method: Any, n_features: Any, time_allowed: Any, random_state: Any) -> Wish:
    """Check what the user asks for, before any data are looked at.

    Parameters
    ----------
    method, n_features, time_allowed, random_state
        As in :func:`select`.

    Returns
    -------
    Wish
        The same, in order.
    """
    known = ("auto", *CANDIDATES)
    if not (isinstance(method, str) and method in known) and not isinstance(method, BaseSelector):
        shown = ", ".join(map(repr, known))
        msg = f"method must be one of {shown}, or a selector, got {method!r}."
        raise ValueError(msg)
    is_whole = isinstance(n_features, Integral) and not isinstance(n_features, bool)
    if n_features is not None and not (is_whole and n_features >= 1):
        msg = f"n_features must be None or a whole number of at least 1, got {n_features!r}."
        raise ValueError(msg)
    seconds = TIMES.get(time_allowed) if isinstance(time_allowed, str) else time_allowed
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or float(seconds) <= 0:
        shown = ", ".join(map(repr, TIMES))
        msg = f"time_allowed must be one of {shown}, or seconds above 0, got {time_allowed!r}."
        raise ValueError(msg)
    is_seed = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not (is_seed and random_state >= 0):
        msg = f"random_state must be a whole number of at least 0, got {random_state!r}."
        raise ValueError(msg)
    number = None if n_features is None else int(n_features)
    return Wish(method, number, float(seconds), int(random_state))


def select_opened(data: Opened, wish: Wish) -> Selection:
    """Choose features of data that were opened.

    Parameters
    ----------
    data : Opened
        Columns, target and names.
    wish : Wish
        Method, number and time.

    Returns
    -------
    Selection
        The features and the reasons.
    """
    situation = _situation(data, wish)
    if isinstance(wish.method, str) and wish.method == "auto":
        choice = _chosen(data, situation, wish)
    else:
        choice = _given(wish)
    selector, told = _fitted(data, choice, wish)
    number = getattr(selector, "n_features_choice_", None)
    if number is not None:
        told.append(number.reason)
    chosen = selector.selected_indices_
    width = choice.width if number is None else number.width
    return Selection(
        features=tuple(data.names[i] for i in chosen),
        indices=chosen,
        scores=selector.scores_[chosen],
        method=choice.method,
        reasons=(*data.notes, _about(data, situation), *choice.reasons, *told),
        selector=selector,
        width=width,
        names=data.names,
        filler=data.filler,
    )


def _situation(data: Opened, wish: Wish) -> Situation:
    """Describe the data to the rules."""
    check_target(data.y, RuleSettings(data.kind))
    n_classes = rarest = None
    if data.kind == "classes":
        counts = np.unique(data.y, return_counts=True)[1]
        n_classes, rarest = len(counts), int(counts.min())
    return Situation(
        n_samples=data.columns.n_samples,
        n_features=data.columns.n_features,
        kind=data.kind,
        seconds=wish.seconds,
        n_classes=n_classes,
        rarest=rarest,
        n_outputs=1 if data.y.ndim == 1 else data.y.shape[1],
        fits=data.fits,
        n_wanted=wish.n_features,
    )


def _about(data: Opened, situation: Situation) -> str:
    """Say what was looked at."""
    target = "numbers" if situation.n_classes is None else f"{situation.n_classes} classes"
    if situation.n_outputs > 1:
        target = f"{situation.n_outputs} outputs"
    categories = f", {len(data.categorical)} of them categories" if data.categorical else ""
    size = f"{situation.n_samples:,} samples, {situation.n_features:,} features{categories}"
    return f"{size}, a target of {target}."


def _chosen(data: Opened, situation: Situation, wish: Wish) -> Choice:
    """Choose method and number by the rules."""
    plan = make_plan(situation)
    if plan.way == "try":
        rows = representative_rows(data.y, plan.n_samples, seed=wish.random_state)
        with stage(0.0, TRIED):
            contest = hold_contest(
                [_candidate(method, data, wish) for method in plan.methods],
                data.rows(rows),
                data.y[rows],
                sizes=tried_sizes(situation),
                kind=data.kind,
                categorical=data.categorical,
                n_folds=N_FOLDS,
                seed=wish.random_state,
            )
        choice = by_contest(contest, situation)
    else:
        with stage(0.0, TESTED):
            choice = _tested(data, situation, plan, wish)
    return replace(choice, reasons=(*plan.reasons, *choice.reasons))


def _tested(data: Opened, situation: Situation, plan: Plan, wish: Wish) -> Choice:
    """Choose by tests of single features and of pairs."""
    single_p, pair_p = _single_p(data), None
    lone = situation.rarest is not None and situation.rarest < 2
    limit = SHARE_OF_TIME * situation.seconds
    is_short = seconds_of("scan", situation.size) <= limit
    if single_p >= SIGNIFICANT and situation.n_features > 1 and is_short and not lone:
        scan = InteractionScan(
            n_pairs=1,
            categorical=data.categorical,
            target_kind=data.kind,
            time_limit=None,
            random_state=wish.random_state,
        )
        with ignored((ConstantFeatureWarning, CrowdedInteractionsWarning)):
            pairs = scan.fit(data.features, data.y).pairs_
        pair_p = float(pairs[0].family_wise_p) if pairs else 1.0
    return by_tests(plan, situation, single_p=single_p, pair_p=pair_p)


def _single_p(data: Opened) -> float:
    """Return the smallest p-value of the most relevant features, times the number of all."""
    measure = PairwiseHSIC(categorical=data.categorical, target_kind=data.kind)
    with one_blas_thread():
        relevance = measure.bind(data.columns, data.y).relevance(np.arange(data.columns.n_features))
    best = np.argsort(-relevance, kind="stable")[:N_TESTED]
    return least_p_value(
        data.columns.read(best),
        data.y,
        data.columns.n_features,
        categorical=np.flatnonzero(np.isin(best, data.categorical)).tolist(),
        target_kind=data.kind,
    )


def _given(wish: Wish) -> Choice:
    """Take the method that the user names, and find the number if none is given."""
    name = wish.method_name
    told = f"{name} was asked for."
    if wish.n_features is not None:
        return Choice(name, wish.n_features, reasons=(told,))
    if isinstance(wish.method, str) and CANDIDATES[name].is_nested:
        return Choice(name, "guarded", reasons=(told,))
    return Choice(name, None, reasons=(told, "Its number of features is its own."))


def _candidate(method: str, data: Opened, wish: Wish) -> Candidate:
    """Make a method for these data."""
    return make_candidate(
        method,
        categorical=data.categorical,
        target_kind=data.kind,
        random_state=wish.random_state,
    )


def _fitted(data: Opened, choice: Choice, wish: Wish) -> tuple[Any, list[str]]:
    """Fit the chosen method to all data; what it has to say about features comes along."""
    if isinstance(wish.method, str):
        selector = _candidate(choice.method, data, wish).selector
        takes_blocks = CANDIDATES[choice.method].reads_blocks
    else:
        selector = on_arrays(wish.method, np.array(data.categorical, dtype=np.intp))
        takes_blocks = False
    if choice.number is not None:
        selector.set_params(n_features_to_select=choice.number)
    if not takes_blocks and isinstance(data.features, ColumnBlocks):
        _refuse_large(data, choice.method)
    with warnings.catch_warnings(record=True) as caught, stage(TRIED, 1.0):
        warnings.simplefilter("always")
        selector.fit(data.features if takes_blocks else data.whole(), data.y)
    told = _about_constant(data, selector)
    for one in caught:
        if issubclass(one.category, FewerFeaturesWarning):
            told.append(str(one.message))
        elif not issubclass(one.category, ConstantFeatureWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if not hasattr(selector, "feature_names_in_"):
        selector.feature_names_in_ = np.array(data.names, dtype=object)
    return selector, told


def _refuse_large(data: Opened, method: str) -> None:
    """Refuse to bring columns into memory that do not fit there."""
    if not data.fits:
        able = [name for name, known in CANDIDATES.items() if known.reads_blocks]
        msg = (
            f"{method} holds all data in memory, twice, and {data.columns.n_samples} samples of "
            f"{data.columns.n_features} features do not fit; take {', '.join(able[:-1])} or "
            f"{able[-1]}, which read some columns at a time."
        )
        raise ValueError(msg)


def _about_constant(data: Opened, selector: Any) -> list[str]:
    """Name the columns that could not be chosen, if there are any."""
    names = [data.names[feature] for feature in selector.constant_features_]
    if not names:
        return []
    what = "column holds" if len(names) == 1 else "columns hold"
    return [f"{len(names)} {what} one single value and can never be chosen: {listed(names)}."]
