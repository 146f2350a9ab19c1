"""One call that chooses features, their number and the method, and says why.

1. :class:`~hsieve.KernelPursuit` chooses features and their number on all samples, or on as many as
   the time allows.
2. Unless these explain everything, it is compared on samples held out. Of few samples, with N3LARS
   and BAHSIC: features that explain what is left only all together, or many weak ones, pass no test
   of a single feature, and yet predict. Of many samples, with BAHSIC where more than half is left,
   and with larger sets by N3LARS from which a forest predicts.
3. The pursuit's own answer is kept unless another proposal predicts clearly better. Then the
   smallest set is taken that predicts as well as the best one but for chance.

Where nothing is related to the target beyond chance, and no method predicts held-out samples better
than no feature does, no feature is chosen. A method or a number that the user gives is kept.
"""

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.auto.holdout_comparison import (
    Chooser,
    HoldoutComparison,
    Proposal,
    Sets,
    compare_on_holdout,
)
from hsieve.auto.selection import Selection
from hsieve.data.errors import listed
from hsieve.dataset import Dataset, opened
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    NothingFoundWarning,
)
from hsieve.inference.feature_number import representative_rows
from hsieve.parameters import NONE, integer
from hsieve.progress import stage
from hsieve.selectors.base import MIN_SAMPLES, BaseSelector, check_target
from hsieve.selectors.input_data import fingerprint_of_data
from hsieve.selectors.input_data import told as told_of
from hsieve.selectors.methods import find_method
from hsieve.selectors.number_rules import RuleSettings

__all__ = ["TIMES", "SelectOptions", "make_wish", "select", "select_opened"]

TIMES = {"seconds": 10.0, "minutes": 300.0, "hours": 7200.0}
# Parts of the time after which the pursuit ends, where a comparison of methods on all samples may
# follow and where not, and by which comparisons end.
PURSUIT_TIME = 0.5
PURSUIT_ALONE_TIME = 0.7
COMPARISON_TIME = 0.85
FOLD_TIME = 0.06
# Samples, and values, that the pursuit can use in a second, about; of more it gets some samples.
ROWS_A_SECOND = 400
VALUES_A_SECOND = 700_000
FEWEST_ROWS = 300
# A pursuit that leaves less than this fraction of the variance needs no comparison.
EXPLAINED = 0.02
# With few samples all take part in a comparison; with more, tests of single features, pairs and
# triples on all of them tell more than predictions from some, and the comparison is about larger
# groups that act only together, and about many features that each help a little.
FEW_ROWS = 1_000
ROWS_FOR_GROUPS = 1_500
ROWS_FOR_TREES = 4_000
FEWEST_COMPARED = 30
FEWEST_OF_CLASS = 4
# Samples of each class, if there are so many, that are kept where only some samples are used.
FEW_OF_CLASS = 20
N_FOLDS = 3
N_FOLDS_OF_TREES = 2
SIZES = (1, 2, 4, 8, 16, 32, 64)
# A group that acts only together predicts best by just its own number.
GROUP_SIZES = (2, 3, 4, 5, 6, 8, 10, 12)
MOSTLY_EXPLAINED = 0.5
# Standard errors by which another proposal must predict better than the pursuit's own, where all
# samples were compared, where groups were on some of them, and where a forest predicts; then those
# by which a smaller set may be worse than the best.
CLEARLY_BETTER = 1.0
BETTER_AS_GROUP = 4.0
BETTER_BY_TREES = 3.0
AS_GOOD = 0.3
# Standard errors by which features must predict better than none where no test finds any.
BEYOND_NOTHING = 3.0


@dataclass(frozen=True)
class SelectOptions:
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
    y: Any = None,
    *,
    n_features: int | None = None,
    time_allowed: str | float = "seconds",
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
    X : array, sparse matrix, data frame, ColumnBlocks, AnnData or Dataset
        Features in columns. Frames of pandas, polars and Arrow say themselves which columns are
        categories.
    y : array-like or str
        Target: classes, numbers or several outputs; or the name of its column in a data frame, or
        in ``obs`` of an AnnData. A :class:`hsieve.Dataset` has its own.
    n_features : int or None, default=None
        How many features; None finds the number.
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
        selector; "auto" chooses as :mod:`hsieve.auto.selecting` says.
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
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(200, 30, random_state=0)
    >>> found = hsieve.select(problem.X, problem.y, time_allowed=1)
    >>> sorted(found.features), found.method
    (['x0', 'x1'], 'pursuit')
    """
    wish = make_wish(method, n_features, time_allowed, random_state)
    if not isinstance(categorical, str):
        categorical = tuple(categorical)  # which an iterator gives only once
    reading = {
        "names": names if names is None or isinstance(names, str) else tuple(names),
        "missing": missing,
        "categorical": categorical,
        "target_kind": target_kind,
    }
    found = select_opened(opened(X, y, **reading), wish)
    return replace(found, settings={**found.settings, **_not_usual(reading)})


def make_wish(method: Any, n_features: Any, time_allowed: Any, random_state: Any) -> SelectOptions:
    """Check what the user asks for, before any data are looked at.

    Parameters
    ----------
    method, n_features, time_allowed, random_state
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
    (NONE | integer(1)).check("n_features", n_features)
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
    number = None if n_features is None else int(n_features)
    return SelectOptions(method, number, float(seconds), int(random_state))


def select_opened(data: Dataset, wish: SelectOptions) -> Selection:
    """Choose features of data that were opened.

    Parameters
    ----------
    data : Dataset
        Columns, target and names.
    wish : SelectOptions
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
    if isinstance(wish.method, str) and wish.method == "auto":
        found = _Choice(data, wish).made()
    else:
        found = _by_given_method(data, wish)
    settings = {
        "method": wish.method,
        "n_features": wish.n_features,
        "time_allowed": wish.seconds,
        "random_state": wish.random_state,
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
        if type(value) is not type(usual[name]) or value != usual[name]
    }


class _Choice:
    """The choice of features, method and number."""

    def __init__(self, data: Dataset, wish: SelectOptions) -> None:
        self._data, self._wish = data, wish
        self._began = monotonic()
        self._told: list[str] = []
        self._used = np.arange(len(data.y))

    def made(self) -> Selection:
        """Choose, and say why."""
        with stage(0.0, 0.4):
            pursuit = self._pursuit()
        method, selector = "pursuit", pursuit
        comparison = None
        for number, (least, compare) in enumerate(self._comparisons(pursuit)):
            with stage(0.4 + 0.25 * number, 0.65 + 0.25 * number):
                comparison = compare()
            winner = _winner(comparison, found=len(pursuit.selected_indices_) > 0, least=least)
            if winner is not None:
                method = winner.method
                with stage(0.9, 1.0):
                    selector = self._fitted(method, winner.number)
                break
        reasons = (_about(self._data), *_why(method, selector, pursuit, comparison))
        return _selection(self._data, method, selector, reasons, self._told)

    @property
    def _seconds_left(self) -> float:
        return self._wish.seconds - (monotonic() - self._began)

    def _seconds_to_compare(self) -> float:
        return self._seconds_left - (1 - COMPARISON_TIME) * self._wish.seconds

    def _pursuit(self) -> Any:
        """Let the pursuit choose features on as many samples as the time allows."""
        n_samples, n_features = self._data.columns.n_samples, self._data.columns.n_features
        most = self._wish.seconds * min(ROWS_A_SECOND, VALUES_A_SECOND / n_features)
        self._used = self._rows(max(int(most), FEWEST_ROWS))
        if len(self._used) < n_samples:
            self._told.append(
                f"{len(self._used):,} of {n_samples:,} samples were used, for want of time."
            )
        part = PURSUIT_TIME if self._has_few_rows else PURSUIT_ALONE_TIME
        return self._fitted("pursuit", None, time_limit=part * self._wish.seconds)

    def _rows(self, most: int) -> NDArray[np.intp]:
        """Pick so many samples at most, and a few of each class."""
        y, seed = self._data.y, self._wish.random_state
        rows = representative_rows(y, most, seed=seed)
        if self._data.target_kind != "classes" or len(rows) == len(y):
            return rows
        codes = np.unique(y, return_inverse=True)[1]
        order = np.random.default_rng(seed).permutation(len(y))
        few = [order[codes[order] == code][:FEW_OF_CLASS] for code in range(codes.max() + 1)]
        return np.unique(np.concatenate([rows, *few]))

    def _comparisons(self, pursuit: Any) -> Iterator[tuple[float, Callable[[], HoldoutComparison]]]:
        """Yield comparisons with others, and standard errors by which they must do better."""
        counts = np.unique(self._data.y, return_counts=True)[1]
        is_classes = self._data.target_kind == "classes"
        left = float(pursuit.path_.errors[-1])
        if (
            left <= EXPLAINED
            or self._data.columns.n_features == 1
            or len(self._data.y) < FEWEST_COMPARED
            or (is_classes and counts.min() < FEWEST_OF_CLASS)
        ):
            return
        if self._has_few_rows:
            yield CLEARLY_BETTER, self._compared_methods
            return
        own = pursuit.selected_indices_
        if left > MOSTLY_EXPLAINED and self._has_time_for_bahsic:
            yield BETTER_AS_GROUP, lambda: self._compared_groups(own)
        n_most = min(self._data.columns.n_features, SIZES[-1])
        if 0 < len(own) < n_most and self._wish.n_features is None:
            yield BETTER_BY_TREES, lambda: self._compared_larger_sets(own, n_most)

    @property
    def _has_few_rows(self) -> bool:
        return len(self._data.y) <= FEW_ROWS

    @property
    def _has_time_for_bahsic(self) -> bool:
        n_training = min(len(self._data.y), ROWS_FOR_GROUPS) * (N_FOLDS - 1) // N_FOLDS
        seconds = N_FOLDS * _seconds_of_bahsic(n_training, self._data.columns.n_features)
        return self._data.fits and seconds <= 0.15 * self._wish.seconds

    def _compared_methods(self) -> HoldoutComparison:
        """Compare methods, each of which chooses from the training samples alone."""
        methods = {"pursuit": self._chosen_by_pursuit, "n3lars": self._chosen_by_n3lars}
        if self._has_time_for_bahsic:
            methods["bahsic"] = self._chosen_by_bahsic
        return self._compared(methods, self._rows(FEW_ROWS))

    def _compared_groups(self, own: NDArray[np.intp]) -> HoldoutComparison:
        """Compare the pursuit's features with groups that act only together."""
        methods = {"pursuit": _always(own), "bahsic": self._chosen_by_bahsic}
        return self._compared(methods, self._rows(ROWS_FOR_GROUPS))

    def _compared_larger_sets(self, own: NDArray[np.intp], most: int) -> HoldoutComparison:
        """Compare the pursuit's features with more, from which a forest predicts."""
        sizes = [most]
        while sizes[0] >= 2 * (len(own) + 1):
            sizes.insert(0, sizes[0] // 2)

        def larger(X: NDArray[Any], y: NDArray[Any]) -> Sets:
            order = self._made("n3lars", most).fit(X, y).path_.nested_order
            return {size: order[:size] for size in sizes}

        methods = {"pursuit": _always(own), "n3lars": larger}
        rows = self._rows(ROWS_FOR_TREES)
        return self._compared(methods, rows, by_trees=True, n_folds=N_FOLDS_OF_TREES)

    def _compared(
        self,
        methods: Mapping[str, Chooser],
        rows: NDArray[np.intp],
        *,
        by_trees: bool = False,
        n_folds: int = N_FOLDS,
    ) -> HoldoutComparison:
        """Compare methods on samples held out."""
        return compare_on_holdout(
            methods,
            self._data.rows(rows),
            self._data.y[rows],
            kind=self._data.target_kind,
            categorical=self._data.categorical,
            by_trees=by_trees,
            n_folds=n_folds,
            seed=self._wish.random_state,
            seconds_left=self._seconds_to_compare,
        )

    def _chosen_by_pursuit(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        sizes = self._sizes
        limit = FOLD_TIME * self._wish.seconds
        selector = self._made("pursuit", sizes[-1], time_limit=limit).fit(X, y)
        order, n_found = selector.path_.order, selector.path_.n_found
        if self._wish.n_features is not None:
            return {None: order[: sizes[-1]]}
        chosen: Sets = {size: order[: max(size, n_found)] for size in sizes}
        return {None: order[:n_found]} | chosen

    def _chosen_by_n3lars(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        order = self._made("n3lars", self._sizes[-1]).fit(X, y).path_.nested_order
        return {size: order[:size] for size in self._sizes}

    def _chosen_by_bahsic(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        order = self._made("bahsic", 1).fit(X, y).path_.nested_order
        sizes = set(self._sizes if self._has_few_rows else ())
        if self._wish.n_features is None:
            sizes |= {size for size in GROUP_SIZES if size < len(order)}
        return {size: order[:size] for size in sorted(sizes or self._sizes)}

    @property
    def _sizes(self) -> list[int]:
        """Numbers of features that are tried."""
        n_features = self._data.columns.n_features
        if self._wish.n_features is not None:
            return [min(self._wish.n_features, n_features)]
        return [size for size in SIZES if size < n_features] + [min(n_features, SIZES[-1])]

    def _made(self, method: str, number: int | str | None, **options: Any) -> Any:
        """Make a selector for these data."""
        selector = _made(method, self._data, self._wish.random_state)
        return selector.set_params(n_features_to_select=number, **options)

    def _fitted(self, method: str, number: int | None, **options: Any) -> Any:
        """Fit a method to the samples in use."""
        wanted: int | str | None = self._wish.n_features if number is None else number
        if wanted is None:
            wanted = find_method(method).number_rule
        rows = self._used
        if method == "bahsic":
            most, n_features = len(rows), self._data.columns.n_features
            while _seconds_of_bahsic(most, n_features) > 0.5 * max(self._seconds_left, 1.0):
                most //= 2
            rows = self._rows(most) if most < len(rows) else rows
        if method == "pursuit" and "time_limit" not in options:
            options["time_limit"] = max(0.5 * self._seconds_left, 0.1 * self._wish.seconds)
        selector = self._made(method, wanted, **options)
        return _fit(method, selector, self._data, self._told, rows)


def _winner(comparison: HoldoutComparison, *, found: bool, least: float) -> Proposal | None:
    """Choose a proposal; None for the pursuit's own answer, found or not."""
    if not comparison.proposals:
        return None
    best = comparison.best
    own = next(p for p in comparison.of("pursuit") if p.number is None)
    if found and (own.lack(best) <= least or best.loss >= comparison.nothing.loss):
        return None
    if not found and comparison.nothing.lack(best) <= max(least, BEYOND_NOTHING):
        return None
    as_good = [p for p in comparison.proposals if p.lack(best) <= AS_GOOD]
    winner = min(as_good, key=lambda proposal: proposal.n_features)
    return None if winner is own else winner


def _always(features: NDArray[np.intp]) -> Chooser:
    """Return a method that chooses these, whatever the samples are."""
    return lambda X, y: {None: features}


def _why(
    method: str, selector: Any, pursuit: Any, comparison: HoldoutComparison | None
) -> tuple[str, ...]:
    """Say in at most two sentences why this method and this number."""
    n_chosen = len(selector.selected_indices_)
    explained = 1.0 - float(pursuit.path_.errors[-1])
    if not n_chosen:
        return ("No feature is related to the target beyond chance, or predicts samples held out.",)
    features = f"{n_chosen} feature{'s' if n_chosen > 1 else ''}"
    others = []
    if comparison is not None:
        for name in dict.fromkeys(p.method for p in comparison.proposals if p.method != method):
            least = min(comparison.of(name), key=lambda proposal: proposal.loss)
            others.append(f"{name} {1 - least.loss:.2f}")
    beside = f" (others: {', '.join(others)})" if others else ""
    if method == "pursuit" and selector is pursuit:
        first = (
            f"Kernel pursuit found {features} that together explain {explained:.0%} of the target "
            f"in left-out samples; it ended because {pursuit.path_.stop_reason}."
        )
        if pursuit.path_.n_found < n_chosen:
            first = (
                f"Kernel pursuit: {pursuit.path_.n_found} of {features} passed its tests, and "
                "the others fill up the number, by relevance less redundancy."
            )
        if not others:
            return (first,)
        return (first, f"No other method predicted held-out samples clearly better{beside}.")
    assert comparison is not None
    chosen = [p for p in comparison.of(method) if p.number == selector.n_features_to_select]
    score = f"{1 - chosen[0].loss:.2f}" if chosen else "best"
    return (
        f"{method} with {features} predicted held-out samples best{beside or ''}: "
        f"explained fraction {score} ({find_method(method).purpose}).",
        "More features did not predict better but for chance.",
    )


def _seconds_of_bahsic(n_samples: int, n_features: int) -> float:
    """Estimate the time of one fit, on one core."""
    pairs = float(n_samples) ** 2
    return 6e-9 * pairs * n_features + 3e-7 * pairs + 1.5e-4 * n_features


def _about(data: Dataset) -> str:
    """Say what was looked at."""
    target = "numbers"
    if data.y.ndim > 1 and data.y.shape[1] > 1:
        target = f"{data.y.shape[1]} outputs"
    elif data.target_kind == "classes":
        target = f"{len(np.unique(data.y))} classes"
    categories = f", {len(data.categorical)} of them categories" if data.categorical else ""
    size = f"{data.columns.n_samples:,} samples, {data.columns.n_features:,} features{categories}"
    return f"{size}, a target of {target}."


def _by_given_method(data: Dataset, wish: SelectOptions) -> Selection:
    """Take the method that the user names, and find the number if none is given."""
    name, told = wish.method_name, list[str]()
    if isinstance(wish.method, str):
        selector = _made(name, data, wish.random_state)
        number: int | str | None = find_method(name).number_rule
    else:
        selector = told_of(wish.method, data)
        number = None
    number = number if wish.n_features is None else wish.n_features
    if number is not None:
        selector.set_params(n_features_to_select=number)
    selector = _fit(name, selector, data, told)
    reasons = [_about(data), f"{name} was asked for."]
    if number is None:
        reasons.append("Its number of features is its own.")
    return _selection(data, name, selector, tuple(reasons), told)


def _made(method: str, data: Dataset, random_state: int) -> Any:
    """Make a method for these data."""
    return find_method(method).make(
        categorical=data.categorical, target_kind=data.target_kind, random_state=random_state
    )


def _selection(
    data: Dataset, method: str, selector: Any, reasons: tuple[str, ...], told: list[str]
) -> Selection:
    """Put the answer together."""
    number = getattr(selector, "n_features_choice_", None)
    if number is not None and number.rule != "auto":
        reasons = (*reasons, number.reason)
    chosen = selector.selected_indices_
    alike = getattr(selector, "substitutes_", [[]] * len(chosen))
    return Selection(
        features=tuple(data.names[i] for i in chosen),
        indices=chosen,
        scores=selector.scores_[chosen],
        method=method,
        reasons=reasons,
        selector=selector,
        notes=(*data.notes, *told),
        substitutes={
            data.names[feature]: tuple(data.names[other] for other in others)
            for feature, others in zip(chosen, alike, strict=True)
            if len(others)
        },
        width=None if number is None else number.width,
        names=data.names,
    )


def _fit(
    method: str, selector: Any, data: Dataset, told: list[str], rows: NDArray[np.intp] | None = None
) -> Any:
    """Fit a selector to all samples or to some; what it has to say about features is told."""
    X: Any = data.columns
    y = data.y
    if rows is not None and len(rows) < data.columns.n_samples:
        X, y = data.rows(rows), data.y[rows]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y)
    told += _about_constant(data, selector)
    for one in caught:
        if issubclass(one.category, FewerFeaturesWarning):
            told.append(str(one.message))
        elif not issubclass(one.category, (ConstantFeatureWarning, NothingFoundWarning)):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if not hasattr(selector, "feature_names_in_") and data.columns.names is not None:
        selector.feature_names_in_ = np.array(data.names, dtype=object)
    selector._fitted_data = fingerprint_of_data(data.columns, data.y)
    return selector


def _about_constant(data: Dataset, selector: Any) -> list[str]:
    """Name the columns that could not be chosen, if there are any."""
    names = [data.names[feature] for feature in selector.constant_features_]
    if not names:
        return []
    what = "column holds" if len(names) == 1 else "columns hold"
    return [f"{len(names)} {what} one single value and can never be chosen: {listed(names)}."]
