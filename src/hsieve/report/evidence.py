"""What the data tell about a selection: values, relevance, redundancy and relatives.

A selector keeps no data. Where these are handed over once more, a report shows how each chosen
feature looks beside the target and how much the features share, by one common yardstick: NHSIC,
which is 0 for independent variables and 1 for copies, whatever the method that selected. A few
thousand samples show as much as millions, so at most :data:`MOST_ROWS` are looked at.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from hsieve.data.blocks import ColumnBlocks, MissingAsLevel, is_distributed
from hsieve.data.validation import numbers_if_all_are, target_kind_of
from hsieve.inference.feature_number import representative_rows
from hsieve.kernels import Precomputed
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.parallel.threads import one_blas_thread
from hsieve.report.fitted import categories_of
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.number_rules import RuleSettings, samples_of
from hsieve.selectors.search import SearchSelector
from hsieve.strategies.base import best_first

__all__ = ["LEAST_SHARED", "MOST_ROWS", "Evidence", "Target", "gather", "knowledge_of"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

MOST_ROWS = 2000
# Chosen features that others are compared with.
MOST_COMPARED = 40
N_RELATIVES = 3
# Features that share less than this (NHSIC) are no relatives.
LEAST_SHARED = 0.1
# Samples times pairs of a feature and a compared one: some seconds on one core. A pair costs
# something by itself, as much as so many samples.
MOST_COMPARISONS = 2e8
COST_OF_A_PAIR = 500
MOST_VALUES = 2e7
# Up to so many classes, each has samples among those looked at.
MOST_CLASSES_KEPT = 100


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a selection.

    Parameters
    ----------
    values : ndarray of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
        The target.
    kind : {"classes", "continuous", "outputs", "gram"}
        What it holds.
    """

    values: NDArray[Any]
    kind: str

    @property
    def shown(self) -> NDArray[Any] | None:
        """One value a sample, the first of several outputs; None for a Gram matrix."""
        if self.kind == "gram":
            return None
        return self.values if self.values.ndim == 1 else self.values[:, 0]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What data beside the selector tell.

    Parameters
    ----------
    n_samples : int or None
        Number of samples; None where neither X nor y is at hand.
    target : Target or None
        The target.
    features : ndarray of shape (n_shown,)
        Features that are looked at, best first.
    rows : ndarray of int or None
        Samples that are looked at.
    values : ndarray of shape (n_rows, n_shown) or None
        Values of the features.
    categorical : ndarray of int
        Features that are categories, also those that are not shown.
    relevance : ndarray of shape (n_shown,) or None
        NHSIC of each feature with the target.
    compared : ndarray of shape (n_compared,)
        The first of the chosen features.
    overlap : ndarray of shape (n_shown, n_compared) or None
        NHSIC of each feature with each of these.
    relatives : dict of int to list of (int, float)
        Features most like each of the compared ones, and their NHSIC.
    notes : tuple of str
        What is not shown, and why.
    """

    n_samples: int | None
    target: Target | None
    features: IndexArray
    rows: IndexArray | None = None
    values: FloatArray | None = None
    categorical: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    relevance: FloatArray | None = None
    compared: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    overlap: FloatArray | None = None
    relatives: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
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


def knowledge_of(selector: Any) -> RuleSettings:
    """Tell what a selector knows of its target and of categories, wherever it keeps it.

    Parameters
    ----------
    selector : BaseSelector
        Any selector, also stability selection around one.

    Returns
    -------
    RuleSettings
        Kind and kernel of the target, and the features that are categories.
    """
    base = getattr(selector, "estimator", None)
    if isinstance(base, BaseSelector):
        known, own = knowledge_of(base), getattr(selector, "target_kind", "auto")
        return replace(known, target_kind=own) if known.target_kind == "auto" else known
    knowing = selector.make_components()[0] if isinstance(selector, SearchSelector) else selector
    return RuleSettings(
        getattr(selector, "target_kind", getattr(knowing, "target_kind", "auto")),
        getattr(knowing, "categorical", ()),
        getattr(knowing, "kernel_y", None),
    )


def gather(selector: Any, X: Any, y: Any, features: IndexArray) -> Evidence:
    """Look at the data once more.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    X : array-like, ColumnBlocks or None
        The features it was fitted on; None where they are not at hand.
    y : array-like or None
        The target.
    features : ndarray of int
        Features to be shown, best first.

    Returns
    -------
    Evidence
        All that these data tell.

    Raises
    ------
    ValueError
        If the data are not those of the fit.
    """
    known = knowledge_of(selector)
    categorical = np.sort(categories_of(selector))
    if X is None or is_distributed(X):
        target = None if y is None or isinstance(y, str) else _target(y, known)
        n_samples = None if target is None else len(target.values)
        return Evidence(
            n_samples, target, features, categorical=categorical, notes=(_without_data(X),)
        )
    blocks = selector._as_blocks(X, reset=False)
    if getattr(selector, "missing", None) == "category":
        blocks = MissingAsLevel(blocks)
        categorical = np.union1d(categorical, np.flatnonzero(blocks.has_missing))
    target = None if y is None else _target(y, known)
    if target is not None:
        check_consistent_length(target.values, np.empty(blocks.n_samples))
    evidence = Evidence(blocks.n_samples, target, features, categorical=categorical)
    if not blocks.is_local:
        return replace(evidence, notes=(_without_data(X),))
    return _compared(evidence, blocks, selector.selected_indices_)


def _target(y: Any, known: RuleSettings) -> Target:
    """Check a target and tell its kind."""
    values = numbers_if_all_are(check_array(y, ensure_2d=False, dtype=None, input_name="y"))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if isinstance(known.kernel_y, Precomputed):
        return Target(values, "gram")
    if values.ndim == 2:
        return Target(values, "outputs")
    return Target(values, target_kind_of(values, known.target_kind))


def _without_data(X: Any) -> str:
    """Say why nothing is shown that needs the data."""
    left_out = "how features look beside the target, what they share, and p-values are left out"
    if X is None:
        return f"The data were not handed over, so that {left_out}."
    return f"The data are not in this process but held by a cluster, so that {left_out}."


def _compared(evidence: Evidence, blocks: ColumnBlocks, chosen: IndexArray) -> Evidence:
    """Read the shown features, and compare them with the chosen ones and the target."""
    target, features = evidence.target, evidence.features
    rows = _rows(target, blocks.n_samples)
    compared = chosen[:MOST_COMPARED]
    n_pairs = blocks.n_features * len(compared)
    takes_all = len(rows) * blocks.n_features <= MOST_VALUES
    takes_all &= (len(rows) + COST_OF_A_PAIR) * n_pairs <= MOST_COMPARISONS
    looked_at = np.arange(blocks.n_features) if takes_all else features
    values = samples_of(blocks, looked_at, rows)
    evidence = replace(evidence, rows=rows, compared=compared)
    place = {int(feature): position for position, feature in enumerate(looked_at)}
    shown = np.array([place[int(feature)] for feature in features], dtype=np.intp)
    partners = np.array([place[int(feature)] for feature in compared], dtype=np.intp)
    relevance, overlap = _statistics(evidence, values, looked_at, partners)
    notes = []
    if len(rows) < blocks.n_samples:
        notes.append(
            f"Pictures, relevance and redundancy come from {len(rows):,} of "
            f"{blocks.n_samples:,} samples, spread evenly over the target."
        )
    if not takes_all and len(features) < blocks.n_features:
        notes.append("Relatives were looked for among the features shown, not among all.")
    return replace(
        evidence,
        values=values[:, shown],
        relevance=None if relevance is None else relevance[shown],
        overlap=overlap[shown],
        relatives=_relatives(overlap, looked_at, compared),
        notes=tuple(notes),
    )


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
    is_classes = is_comparable and target is not None and target.kind == "classes"
    measure = PairwiseHSIC(
        categorical=np.flatnonzero(np.isin(looked_at, evidence.categorical)).tolist(),
        target_kind="classes" if is_classes else "continuous",
    )
    with one_blas_thread():
        bound = measure.bind(values, leading)
        everything = np.arange(len(looked_at))
        overlap = bound.redundancy(everything, partners)
    return bound.relevance(everything) if is_comparable else None, np.clip(overlap, 0.0, 1.0)


def _relatives(
    overlap: FloatArray, looked_at: IndexArray, compared: IndexArray
) -> dict[int, list[tuple[int, float]]]:
    """Features that share most with each of the compared ones."""
    found: dict[int, list[tuple[int, float]]] = {}
    for feature, shares in zip(compared.tolist(), overlap.T, strict=True):
        others = np.where(looked_at == feature, -1.0, shares)
        nearest = best_first(others)[:N_RELATIVES]
        closest = [place for place in nearest if others[place] >= LEAST_SHARED]
        found[feature] = [(int(looked_at[place]), float(others[place])) for place in closest]
    return found
