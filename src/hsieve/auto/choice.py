"""Choose features, their number and the method, within the time allowed.

1. :class:`~hsieve.KernelPursuit` chooses features and their number on all samples, or on as many as
   the time allows.
2. Unless these explain everything, it is compared on samples held out. Of few samples, with N3LARS
   and BAHSIC: features that explain what is left only all together, or many weak ones, pass no test
   of a single feature, and yet predict. Of many samples, with BAHSIC where more than half is left,
   and with larger sets by N3LARS from which a forest predicts.
3. The pursuit's own answer is kept unless another proposal predicts clearly better. Then the
   smallest set is taken that predicts as well as the best one but for chance.

Where nothing is related to the target beyond chance, and no method predicts held-out samples better
than no feature does, no feature is chosen.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.auto.fitting import SelectOptions, as_selection, fitted, made_for
from hsieve.auto.holdout_comparison import (
    Chooser,
    HoldoutComparison,
    Proposal,
    Sets,
    compare_on_holdout,
)
from hsieve.auto.reasons import about_data, why_chosen
from hsieve.auto.selection import Selection
from hsieve.dataset import Dataset
from hsieve.deadline import Deadline
from hsieve.inference.feature_number import representative_rows
from hsieve.progress import stage
from hsieve.selectors.methods import find_method

__all__ = ["Choice"]

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
SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
# Larger sets are proposed by N3LARS alone, and no forest predicts from more.
MOST_OF_OTHERS = 64
# Up to so many features all of them are tried, too: collinear ones predict best together.
FEW_FEATURES = 256
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


class Choice:
    """The choice of features, method and number."""

    def __init__(self, data: Dataset, wish: SelectOptions) -> None:
        self._data, self._wish = data, wish
        self._deadline = Deadline(wish.seconds)
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
        reasons = (about_data(self._data), *why_chosen(method, selector, pursuit, comparison))
        return as_selection(self._data, method, selector, reasons, self._told)

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
        n_most = min(self._data.columns.n_features, MOST_OF_OTHERS)
        if 0 < len(own) < n_most and self._wish.n_features_to_select is None:
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
            deadline=Deadline(self._deadline.left(COMPARISON_TIME)),
        )

    def _chosen_by_pursuit(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        sizes = self._sizes(MOST_OF_OTHERS)
        limit = FOLD_TIME * self._wish.seconds
        selector = self._made("pursuit", sizes[-1], time_limit=limit).fit(X, y)
        order, n_found = selector.path_.order, selector.path_.n_found
        if self._wish.n_features_to_select is not None:
            return {None: order[: sizes[-1]]}
        chosen: Sets = {size: order[: max(size, n_found)] for size in sizes}
        return {None: order[:n_found]} | chosen

    def _chosen_by_n3lars(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        sizes = self._sizes()
        order = self._made("n3lars", sizes[-1]).fit(X, y).path_.nested_order
        return {size: order[:size] for size in sizes}

    def _chosen_by_bahsic(self, X: NDArray[Any], y: NDArray[Any]) -> Sets:
        order = self._made("bahsic", 1).fit(X, y).path_.nested_order
        sizes = set(self._sizes(MOST_OF_OTHERS) if self._has_few_rows else ())
        if self._wish.n_features_to_select is None:
            sizes |= {size for size in GROUP_SIZES if size < len(order)}
        return {size: order[:size] for size in sorted(sizes or self._sizes(MOST_OF_OTHERS))}

    def _sizes(self, most: int = FEW_FEATURES) -> list[int]:
        """Numbers of features that are tried, up to a number."""
        n_features = self._data.columns.n_features
        if self._wish.n_features_to_select is not None:
            return [min(self._wish.n_features_to_select, n_features)]
        sizes = [size for size in SIZES if size < n_features]
        whole = [n_features] if n_features <= FEW_FEATURES else []
        return [size for size in (*sizes, *whole) if size <= most]

    def _made(self, method: str, number: int | str | None, **options: Any) -> Any:
        """Make a selector for these data."""
        selector = made_for(method, self._data, self._wish.random_state)
        return selector.set_params(n_features_to_select=number, **options)

    def _fitted(self, method: str, number: int | None, **options: Any) -> Any:
        """Fit a method to the samples in use."""
        wanted: int | str | None = self._wish.n_features_to_select if number is None else number
        if wanted is None:
            wanted = find_method(method).number_rule
        rows = self._used
        if method == "bahsic":
            most, n_features = len(rows), self._data.columns.n_features
            while _seconds_of_bahsic(most, n_features) > 0.5 * max(self._deadline.left(), 1.0):
                most //= 2
            rows = self._rows(most) if most < len(rows) else rows
        if method == "pursuit" and "time_limit" not in options:
            options["time_limit"] = max(0.5 * self._deadline.left(), 0.1 * self._wish.seconds)
        selector = self._made(method, wanted, **options)
        return fitted(method, selector, self._data, self._told, rows)


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


def _seconds_of_bahsic(n_samples: int, n_features: int) -> float:
    """Estimate the time of one fit, on one core."""
    pairs = float(n_samples) ** 2
    return 6e-9 * pairs * n_features + 3e-7 * pairs + 1.5e-4 * n_features
