"""Fit one method to the data of a selection, and put the answer together."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.auto.forest import ForestImportance
from hsieve.auto.selection import Selection
from hsieve.data.errors import listed
from hsieve.dataset import Dataset
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
from hsieve.selectors.input_data import fingerprint_of_data
from hsieve.selectors.methods import find_method
from hsieve.selectors.search import DependenceSelector

__all__ = ["SelectOptions", "as_selection", "fitted", "make_selector"]


@dataclass(frozen=True)
class SelectOptions:
    """What the user asks for.

    Parameters
    ----------
    method : str or BaseSelector
        A name, "auto", or a selector.
    n_features_to_select : int or None
        How many features.
    seconds : float
        Time allowed.
    random_state : int
        Seed.
    fdr : float or None, default=None
        The false discovery rate to keep.
    feature_groups : mapping, sequence or None, default=None
        Features that are chosen together.
    """

    method: Any
    n_features_to_select: int | None
    seconds: float
    random_state: int
    fdr: float | None = None
    feature_groups: Any = None

    @property
    def method_name(self) -> str:
        """What the method is called."""
        return self.method if isinstance(self.method, str) else type(self.method).__name__


def make_selector(method: str, data: Dataset, random_state: int) -> Any:
    """Make a method for these data."""
    if method == "forest":
        measure = ForestImportance(
            categorical=data.categorical, target_kind=data.target_kind, random_state=random_state
        )
        return DependenceSelector(measure)
    return find_method(method).make(
        categorical=data.categorical, target_kind=data.target_kind, random_state=random_state
    )


def fitted(
    method: str,
    selector: Any,
    data: Dataset,
    notes: list[str],
    rows: NDArray[np.intp] | None = None,
) -> Any:
    """Fit a selector to all samples or to some; what it has to say about features is noted."""
    X: Any = data.columns
    y = data.y
    weight = data.sample_weight
    if rows is not None and len(rows) < data.columns.n_samples:
        X, y = data.rows(rows), data.y[rows]
        weight = None if weight is None else weight[rows]
    weights = {} if weight is None else {"sample_weight": weight}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y, **weights)
    notes += _about_constant(data, selector)
    for one in caught:
        if issubclass(one.category, FewerFeaturesWarning):
            notes.append(str(one.message))
        if not issubclass(one.category, (ConstantFeatureWarning, NothingFoundWarning)):
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


def as_selection(
    data: Dataset, method: str, selector: Any, reasons: tuple[str, ...], notes: list[str]
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
        notes=(*data.notes, *notes),
        substitutes={
            data.names[feature]: tuple(data.names[other] for other in others)
            for feature, others in zip(chosen, alike, strict=True)
            if len(others)
        },
        width=None if number is None else number.width,
        names=data.names,
    )
