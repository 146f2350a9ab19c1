"""What the data tell about a selection: values, relevance, redundancy and substitutes.

A selector keeps no data. Where these are handed over once more, its features are compared by one
common yardstick, whatever the method that selected: NHSIC, which is 0 for independent variables
and 1 for copies. A few thousand samples show as much as millions, so at most :data:`MOST_ROWS` are
looked at.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.columns import ColumnBlocks
from hsieve.data.engine_columns import EngineColumns
from hsieve.data.survival import SURVIVAL
from hsieve.data.validation import numbers_if_all_are, target_kind_of
from hsieve.data.views import MissingAsLevel
from hsieve.inference.feature_number import representative_rows
from hsieve.io.distributed import is_distributed
from hsieve.io.frames import FrameBlocks
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import check_positions
from hsieve.measures.pairwise import PairwiseHSIC, nearest_relatives
from hsieve.parallel.settings import CLUSTERS, make_engine
from hsieve.parallel.threads import one_blas_thread
from hsieve.selectors.number_rules import samples_of
from hsieve.strategies.base import best_first
from hsieve.strategies.overlaps import SUBSTITUTE

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

MOST_ROWS = 2000
# Chosen features that others are compared with, where these are many.
MOST_COMPARED = 40
N_SUBSTITUTES = 3
# Samples times pairs of a feature and a chosen one: some seconds on one core. A pair costs
# something by itself, as much as so many samples.
MOST_COMPARISONS = 2e8
COST_OF_A_PAIR = 500
MOST_VALUES, MOST_VALUES_READ = 2e7, 2e8
# Features among which substitutes are looked for where they cannot be among all.
N_LOOKED_AT = 300
# Up to so many classes, each has samples among those looked at.
MOST_CLASSES_KEPT = 100


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a selection; its kind is classes, continuous, survival, outputs or gram."""

    values: NDArray[Any]
    kind: str
    # Of survival data, whose values are residuals, the events and times.
    times: NDArray[Any] | None = None

    @property
    def shown(self) -> NDArray[Any] | None:
        """One value a sample, the first of several outputs; None for a Gram matrix."""
        if self.kind == "gram":
            return None
        return self.values if self.values.ndim == 1 else self.values[:, 0]

    @property
    def read_as(self) -> str:
        """The kind as measures take it."""
        return self.kind if self.kind in ("classes", SURVIVAL) else "continuous"

    def tested(self, rows: IndexArray) -> NDArray[Any]:
        """Return the target of some samples for tests, which take times with events."""
        return self.of(rows) if self.times is None else self.times[rows]

    def of(self, rows: IndexArray) -> NDArray[Any]:
        """Return the target of some samples."""
        return self.values[np.ix_(rows, rows)] if self.kind == "gram" else self.values[rows]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What data beside the selector tell of some features, the best ones."""

    n_samples: int | None  # None where neither X nor y is at hand
    target: Target | None
    features: IndexArray  # those looked at, best first
    # All columns, where this process can read them; samples looked at, and their values.
    blocks: ColumnBlocks | None = None
    rows: IndexArray | None = None
    values: FloatArray | None = None
    categorical: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    # Which samples belong together.
    groups: IndexArray | None = None
    # Of categories that were text, what their codes stand for.
    levels: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    # NHSIC of each feature with the target, and with each of the first chosen ones.
    relevance: FloatArray | None = None
    compared: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    overlap: FloatArray | None = None
    # Features that could replace each of these, with their NHSIC; None if not looked for.
    substitutes: dict[int, list[tuple[int, float]]] | None = None
    notes: tuple[str, ...] = ()

    @property
    def target_rows(self) -> NDArray[Any] | None:
        """One value of the target for each of the samples looked at."""
        if self.target is None or self.target.shown is None or self.rows is None:
            return None
        return np.asarray(self.target.shown[self.rows])

    def redundancy(self) -> FloatArray | None:
        """Largest NHSIC of each feature with a chosen one other than itself."""
        if self.overlap is None or not len(self.compared):
            return None
        others = np.where(self.features[:, None] == self.compared, -1.0, self.overlap)
        largest: FloatArray = others.max(axis=1)
        return np.where(largest < 0, np.nan, largest)

    def categories_among(self, features: IndexArray) -> list[int]:
        """Places of the categories among some features."""
        places: list[int] = np.flatnonzero(np.isin(features, self.categorical)).tolist()
        return places


def gather(
    selector: Any,
    X: Any,
    y: Any,
    features: IndexArray,
    *,
    times: NDArray[Any] | None = None,
    groups: IndexArray | None = None,
    levels: Mapping[int, Sequence[Any]] | None = None,
    n_substitutes: int | None = None,
    for_page: bool = True,
) -> Evidence:
    """Look at the data once more.

    `times` are the events and times whose residuals are `y`; `levels` are the names of levels of
    categories, where those who read the data know them; a data frame has its own. A page needs
    values in any case, the screen only what is quickly read and asked for.
    """
    categorical = np.sort(categories_of(selector))
    if X is None or is_distributed(X):
        target = None if y is None or isinstance(y, str) else _target(y, selector, times)
        n_samples = None if target is None else len(target.values)
        return Evidence(
            n_samples, target, features, categorical=categorical, notes=(_without_data(X),)
        )
    with warnings.catch_warnings():
        # The names are those of the fit.
        warnings.filterwarnings("ignore", message="X (has|does not have valid) feature names")
        blocks = selector._as_blocks(X, reset=False)
    target = None if y is None else _target(y, selector, times)
    if target is not None:
        check_consistent_length(target.values, np.empty(blocks.n_samples))
    selector.refuse_other_data(blocks, None if target is None else target.values)
    if levels is None and isinstance(blocks, FrameBlocks):
        levels = {i: column.levels for i, column in enumerate(blocks.columns) if column.levels}
    if getattr(selector, "missing", None) == "category":
        blocks = MissingAsLevel(blocks)
        categorical = np.union1d(categorical, np.flatnonzero(blocks.has_missing))
    evidence = Evidence(
        blocks.n_samples,
        target,
        features,
        categorical=categorical,
        levels=levels or {},
        groups=groups,
    )
    if not blocks.is_local:
        return replace(evidence, notes=(_without_data(X),))
    evidence = replace(evidence, blocks=blocks)
    if for_page or not (n_substitutes == 0 or is_on_cluster(selector)):
        return _compared(selector, evidence, blocks, asked=n_substitutes)
    if n_substitutes:
        evidence = replace(evidence, compared=selector.selected_indices_)
        evidence = _looked_for_in_all(selector, evidence, blocks, n_substitutes)
    return evidence


def is_on_cluster(selector: Any) -> bool:
    """Whether workers of a cluster read the columns for the selector."""
    engine = getattr(selector, "engine", None)
    return getattr(engine, "name", engine) in CLUSTERS


def _target(y: Any, selector: Any, times: NDArray[Any] | None) -> Target:
    """Check a target and tell its kind."""
    values = numbers_if_all_are(check_array(y, ensure_2d=False, dtype=None, input_name="y"))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if isinstance(declared(selector, "kernel_y", None), Precomputed):
        return Target(values, "gram")
    if values.ndim == 2:
        return Target(values, "outputs")
    if times is not None:
        return Target(values, SURVIVAL, times)
    return Target(values, target_kind_of(values, declared(selector, "target_kind", "auto")))


def _without_data(X: Any) -> str:
    """Say why nothing is shown that needs the data."""
    left_out = "how features look beside the target, substitutes and p-values are left out"
    if X is None:
        return f"The data were not given, so {left_out}."
    return f"The data are held by a cluster, not by this process, so {left_out}."


def _compared(
    selector: Any, evidence: Evidence, blocks: ColumnBlocks, *, asked: int | None
) -> Evidence:
    """Read the shown features, and compare them with the chosen ones and the target."""
    if not len(evidence.features):
        return evidence
    features, compared, notes = evidence.features, selector.selected_indices_, list[str]()
    rows = _rows(evidence.target, blocks.n_samples)
    cost = (len(rows) + COST_OF_A_PAIR) * blocks.n_features
    if len(compared) > MOST_COMPARED and cost * len(compared) > MOST_COMPARISONS:
        compared = compared[:MOST_COMPARED]
        notes.append(f"Only the first {MOST_COMPARED} chosen features were compared with others.")
    looked_at = _candidates(selector, evidence, len(rows), len(compared), asked=asked)
    takes_all = len(looked_at) == blocks.n_features
    values = samples_of(blocks, looked_at, rows)
    place = {int(feature): position for position, feature in enumerate(looked_at)}
    shown = np.array([place[int(feature)] for feature in features], dtype=np.intp)
    partners = np.array([place[int(feature)] for feature in compared], dtype=np.intp)
    evidence = replace(evidence, rows=rows, compared=compared, values=values[:, shown])
    relevance, overlap = _statistics(evidence, values, looked_at, partners)
    evidence = replace(
        evidence,
        relevance=None if relevance is None else relevance[shown],
        overlap=overlap[shown],
    )
    if len(rows) < blocks.n_samples:
        notes.append(
            f"Relevance, redundancy and substitutes come from {len(rows):,} of "
            f"{blocks.n_samples:,} samples, spread evenly over the target."
        )
    if asked and not takes_all:
        return _looked_for_in_all(selector, replace(evidence, notes=tuple(notes)), blocks, asked)
    if asked != 0 and not takes_all:
        notes.append(
            f"Substitutes were looked for among the {len(looked_at):,} best features, not among "
            "all."
        )
    wanted = N_SUBSTITUTES if asked is None else asked
    found = _substitutes(overlap, looked_at, compared, wanted) if wanted else None
    return replace(evidence, substitutes=found, notes=tuple(notes))


def _candidates(
    selector: Any, evidence: Evidence, n_rows: int, n_compared: int, *, asked: int | None
) -> IndexArray:
    """Choose features among which substitutes are looked for: all, the best, or those shown."""
    blocks, order = evidence.blocks, selector.path_.order
    shown: IndexArray = order[: max(len(evidence.features), n_compared)]
    if blocks is None or asked == 0 or is_on_cluster(selector):
        return shown
    for features in (np.arange(blocks.n_features), order[: max(len(shown), N_LOOKED_AT)]):
        n_looked_at = len(features)
        is_quick = n_rows * n_looked_at <= MOST_VALUES
        is_quick &= blocks.n_samples * n_looked_at <= MOST_VALUES_READ
        is_quick &= (n_rows + COST_OF_A_PAIR) * n_looked_at * n_compared <= MOST_COMPARISONS
        if is_quick:
            return features
    return shown


def _rows(target: Target | None, n_samples: int) -> IndexArray:
    """Choose samples to look at: of rare classes at least two."""
    leading = None if target is None else target.shown
    if target is None or leading is None:
        return representative_rows(np.zeros(n_samples), MOST_ROWS)
    rows = representative_rows(leading, MOST_ROWS)
    if target.kind != "classes" or len(rows) == n_samples:
        return rows
    _, firsts, codes = np.unique(leading, return_index=True, return_inverse=True)
    seconds = np.full(len(firsts), -1)
    later = np.setdiff1d(np.arange(n_samples), firsts)[::-1]
    seconds[codes[later]] = later
    kept = np.concatenate([firsts, seconds[seconds >= 0]])
    return np.union1d(rows, kept) if len(firsts) <= MOST_CLASSES_KEPT else rows


def _is_comparable(target: Target, rows: IndexArray) -> bool:
    """Whether features can depend on what is left of a target."""
    if target.kind == "gram" or (
        target.kind != "classes" and target.values.dtype.kind not in "biuf"
    ):
        return False
    n_values = len(np.unique(target.values[rows], axis=0))
    return n_values > 1 and (target.kind != "classes" or n_values < len(rows))


def _statistics(
    evidence: Evidence, values: FloatArray, looked_at: IndexArray, partners: IndexArray
) -> tuple[FloatArray | None, FloatArray]:
    """Compute NHSIC of features with the target, and with some of them."""
    target, rows = evidence.target, evidence.rows
    is_comparable = target is not None and rows is not None and _is_comparable(target, rows)
    # Without a target to compare with any other does, since only redundancies are asked for then.
    leading = target.values[rows] if target and is_comparable else np.arange(len(values))
    measure = PairwiseHSIC(
        categorical=evidence.categories_among(looked_at),
        target_kind=target.read_as if target and is_comparable else "continuous",
    )
    with one_blas_thread():
        bound = measure.bind(values, leading)
        everything = np.arange(len(looked_at))
        overlap = bound.redundancy(everything, partners)
    return bound.relevance(everything) if is_comparable else None, np.clip(overlap, 0.0, 1.0)


def _substitutes(
    overlap: FloatArray, looked_at: IndexArray, compared: IndexArray, most: int
) -> dict[int, list[tuple[int, float]]]:
    """Features that could replace each of the compared ones, closest first."""
    found: dict[int, list[tuple[int, float]]] = {}
    for feature, shares in zip(compared.tolist(), overlap.T, strict=True):
        others = np.where(looked_at == feature, -1.0, shares)
        nearest = best_first(others)[:most]
        closest = nearest[others[nearest] >= SUBSTITUTE]
        found[feature] = [(int(looked_at[place]), float(others[place])) for place in closest]
    return found


def _looked_for_in_all(
    selector: Any, evidence: Evidence, blocks: ColumnBlocks, most: int
) -> Evidence:
    """Look for substitutes among all features, a block of columns at a time."""
    compared = evidence.compared
    most = min(most, blocks.n_features - 1)
    if not most or not len(compared):
        return replace(evidence, substitutes={})
    measure = PairwiseHSIC(
        categorical=evidence.categorical.tolist(),
        memory_limit=getattr(selector, "memory_limit", None),
    )
    with one_blas_thread(), make_engine(getattr(selector, "engine", None)) as engine:
        columns = EngineColumns(blocks, engine) if is_on_cluster(selector) else blocks
        listed = nearest_relatives(columns, compared, most, measure=measure)
    found = {
        feature: [
            (int(other), float(score))
            for other, score in zip(others, scores, strict=True)
            if score >= SUBSTITUTE
        ]
        for feature, (others, scores) in zip(compared.tolist(), listed, strict=True)
    }
    return replace(evidence, substitutes=found)


def declared(selector: Any, name: str, default: Any) -> Any:
    """Find a setting of a selector, of its measure or of what it is wrapped around."""
    value = getattr(selector, f"{name}_", getattr(selector, name, default))
    for part in ("measure", "estimator", "selector"):
        if not (value is default or (isinstance(value, str) and value == default)):
            break
        inner = getattr(selector, part, None)
        value = default if inner is None else declared(inner, name, default)
    return value


def categories_of(selector: Any) -> IndexArray:
    """Find the features that a fitted selector treats as categories."""
    found = declared(selector, "categorical_", None)
    if found is None:
        found = check_positions(declared(selector, "categorical", ()), selector.n_features_in_)
    positions: IndexArray = np.asarray(found, dtype=np.intp) % selector.n_features_in_
    return positions
