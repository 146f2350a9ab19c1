"""Choose features, their number and the method, within the time allowed.

1. :class:`~hsieve.KernelPursuit` chooses features and their number on all samples, or on as many as
   the time allows.
2. Where it leaves more than half of the target unexplained, its features are compared on samples
   held out with groups by :class:`~hsieve.BAHSIC`: features that act only together, all of them.
3. Unless the pursuit explains everything, its features are compared with more of them, in the order
   of their importance in a forest: many features that each help a little pass no test one by one,
   and yet predict together.

The pursuit's own answer is kept unless another one predicts clearly better. Where nothing is
related to the target beyond chance, and no method predicts held-out samples better than no feature
does, no feature is chosen.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.auto.fitting import SelectOptions, as_selection, fitted, make_selector
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

# Part of the time after which the pursuit ends, and that by which comparisons end.
PURSUIT_TIME = 0.7
COMPARISON_TIME = 0.85
# Samples, and values, that the pursuit can use in a second, about; of more it gets some samples.
ROWS_A_SECOND = 400
VALUES_A_SECOND = 2_000_000
FEWEST_ROWS = 300
# A pursuit that leaves less than this fraction of the variance needs no comparison.
EXPLAINED = 0.005
# One that leaves more than this may have missed a group of features that act only together.
MOSTLY_EXPLAINED = 0.5
FEWEST_COMPARED = 30
FEWEST_OF_CLASS = 4
# Samples of each class, if there are so many, that are kept where only some samples are used.
FEW_OF_CLASS = 20
# Most samples on which groups are compared, and larger sets.
ROWS_FOR_GROUPS = 1_500
ROWS_FOR_LARGER_SETS = 4_000
N_FOLDS = 3
N_FOLDS_OF_MANY = 2
# A group that acts only together predicts best by just its own number.
GROUP_SIZES = (2, 3, 4, 5, 6, 8, 10, 12)
# Larger sets that are compared; up to so many features all of them are one of the sets.
SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 64, 128)
FEW_FEATURES = 256
# Of many samples, of which a forest takes longer, all features and at most so many halvings.
HALVINGS = 2
# Standard errors by which a group must predict better than the pursuit's own features.
BETTER_AS_GROUP = 4.0
# The same of larger sets. Tests of single features on few samples miss much, and on many samples
# little.
FEW_ROWS = 1_000
BETTER_OF_FEW_ROWS = 1.0
BETTER_OF_MANY_ROWS = 3.0
# With many samples a tiny difference is many standard errors: less than this fraction of the loss
# is not worth further features.
LEAST_GAIN = 0.02
# Standard errors by which features must predict better than none where no test finds any.
BEYOND_NOTHING = 3.0


class Choice:
    """The choice of features, method and number."""

    def __init__(self, data: Dataset, options: SelectOptions) -> None:
        self._data, self._options = data, options
        self._deadline = Deadline(options.seconds)
        self._notes: list[str] = []
        self._used = np.arange(len(data.y))

    def selection(self) -> Selection:
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
        return as_selection(self._data, method, selector, reasons, self._notes)

    def _pursuit(self) -> Any:
        """Let the pursuit choose features on as many samples as the time allows."""
        n_samples, n_features = self._data.columns.n_samples, self._data.columns.n_features
        most = self._options.seconds * min(ROWS_A_SECOND, VALUES_A_SECOND / n_features)
        self._used = self._rows(max(int(most), FEWEST_ROWS))
        if len(self._used) < n_samples:
            self._notes.append(
                f"{len(self._used):,} of {n_samples:,} samples were used, for want of time."
            )
        return self._fitted("pursuit", None, time_limit=PURSUIT_TIME * self._options.seconds)

    def _rows(self, most: int) -> NDArray[np.intp]:
        """Pick so many samples at most, and a few of each class."""
        y, seed = self._data.y, self._options.random_state
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
            # Copies of samples would be in several folds.
            or self._data.sample_weight is not None
        ):
            return
        own = pursuit.selected_indices_
        if left > MOSTLY_EXPLAINED and self._has_time_for_bahsic:
            yield BETTER_AS_GROUP, lambda: self._compared_groups(own)
        sizes = self._larger_sizes(len(own))
        if sizes:
            least = BETTER_OF_FEW_ROWS if self._has_few_rows else BETTER_OF_MANY_ROWS
            yield least, lambda: self._compared_larger_sets(own, sizes)

    @property
    def _has_few_rows(self) -> bool:
        return len(self._data.y) <= FEW_ROWS

    @property
    def _has_time_for_bahsic(self) -> bool:
        n_training = min(len(self._data.y), ROWS_FOR_GROUPS) * (N_FOLDS - 1) // N_FOLDS
        seconds = N_FOLDS * _seconds_of_bahsic(n_training, self._data.columns.n_features)
        return self._data.fits and seconds <= 0.15 * self._options.seconds

    def _larger_sizes(self, n_own: int) -> list[int]:
        """Numbers of features of the sets that are compared with the pursuit's own."""
        n_features = self._data.columns.n_features
        if self._options.n_features_to_select is not None:
            return [n_own] if 0 < n_own < n_features else []
        whole = n_features if n_features <= FEW_FEATURES else SIZES[-1]
        sizes = {size for size in SIZES if size < whole}
        if not self._has_few_rows:
            sizes = {whole >> halving for halving in range(1, HALVINGS + 1)}
        return sorted(size for size in {*sizes, whole} if size > n_own)

    def _compared_groups(self, own: NDArray[np.intp]) -> HoldoutComparison:
        """Compare the pursuit's features with groups that act only together."""

        def groups(X: NDArray[Any], y: NDArray[Any]) -> Sets:
            order = self._make("bahsic", 1).fit(X, y).path_.nested_order
            wanted = self._options.n_features_to_select
            sizes = GROUP_SIZES if wanted is None else (wanted,)
            return {size: order[:size] for size in sizes if size <= len(order)}

        rows = self._rows(ROWS_FOR_GROUPS)
        return self._compared({"pursuit": _always(own), "bahsic": groups}, rows, ("kernels",))

    def _compared_larger_sets(self, own: NDArray[np.intp], sizes: list[int]) -> HoldoutComparison:
        """Compare the pursuit's features with more, or others, by importance in a forest."""

        def most_important(X: NDArray[Any], y: NDArray[Any]) -> Sets:
            order = self._make("forest", sizes[-1]).fit(X, y).path_.nested_order
            return {size: order[:size] for size in sizes}

        methods = {"pursuit": _always(own), "forest": most_important}
        rows = self._rows(ROWS_FOR_LARGER_SETS)
        if self._has_few_rows:
            return self._compared(methods, rows, ("kernels", "forest"))
        return self._compared(methods, rows, ("forest",), N_FOLDS_OF_MANY)

    def _compared(
        self,
        methods: Mapping[str, Chooser],
        rows: NDArray[np.intp],
        predictors: tuple[str, ...],
        n_folds: int = N_FOLDS,
    ) -> HoldoutComparison:
        """Compare methods on samples held out."""
        return compare_on_holdout(
            methods,
            self._data.rows(rows),
            self._data.y[rows],
            kind=self._data.target_kind,
            categorical=self._data.categorical,
            predictors=predictors,
            n_folds=n_folds,
            seed=self._options.random_state,
            deadline=Deadline(self._deadline.left(COMPARISON_TIME)),
        )

    def _make(self, method: str, number: int | str | None, **settings: Any) -> Any:
        """Make a selector for these data."""
        selector = make_selector(method, self._data, self._options.random_state)
        return selector.set_params(n_features_to_select=number, **settings)

    def _fitted(self, method: str, number: int | None, **settings: Any) -> Any:
        """Fit a method to the samples in use."""
        wanted: int | str | None = self._options.n_features_to_select if number is None else number
        if wanted is None:
            wanted = find_method(method).number_rule
        rows = self._used
        if method == "bahsic":
            most, n_features = len(rows), self._data.columns.n_features
            while _seconds_of_bahsic(most, n_features) > 0.5 * max(self._deadline.left(), 1.0):
                most //= 2
            rows = self._rows(most) if most < len(rows) else rows
        selector = self._make(method, wanted, **settings)
        return fitted(method, selector, self._data, self._notes, rows)


def _winner(comparison: HoldoutComparison, *, found: bool, least: float) -> Proposal | None:
    """Choose a proposal; None for the pursuit's own answer, found or not."""
    if not comparison.proposals:
        return None
    (own,), best = comparison.of("pursuit"), comparison.best
    if not found:
        least = max(least, BEYOND_NOTHING)
    if own.lack(best) <= least or best.loss >= comparison.nothing.loss:
        return None
    if found and best.loss > (1 - LEAST_GAIN) * own.loss:
        return None
    return best


def _always(features: NDArray[np.intp]) -> Chooser:
    """Return a method that chooses these, whatever the samples are."""
    return lambda X, y: {None: features}


def _seconds_of_bahsic(n_samples: int, n_features: int) -> float:
    """Estimate the time of one fit, on one core."""
    pairs = float(n_samples) ** 2
    return 6e-9 * pairs * n_features + 3e-7 * pairs + 1.5e-4 * n_features
