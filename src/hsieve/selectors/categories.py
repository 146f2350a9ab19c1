"""Which features are categories: those listed, by position or name, and those a frame declares.

Selectors, or their measures, have a parameter ``categorical``. It is written down once, here, what
may be given for it, and how a selector that works on plain arrays later (inside folds, or halves of
the samples) is told the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from hsieve.data.tables.errors import listed
from hsieve.kernels.columns import check_positions

__all__ = ["category_positions", "on_arrays", "takes_categories", "with_categories"]


def category_positions(
    given: Any, n_features: int, names: Iterable[str] | None
) -> NDArray[np.intp]:
    """Return features that are given by position or name as positions.

    Parameters
    ----------
    given : iterable of int or str
        Positions, negative ones from the end, or names where the features have any.
    n_features : int
        Number of features.
    names : iterable of str or None
        Their names.

    Returns
    -------
    ndarray of int
        Positions as they were given, those of names among them.

    Raises
    ------
    ValueError
        For features that there are not.

    Examples
    --------
    >>> category_positions(["sex", 0], 3, ["age", "site", "sex"])
    array([2, 0])
    """
    is_list = isinstance(given, Iterable) and not isinstance(given, Iterator | str | bytes)
    if not is_list or not any(isinstance(feature, str) for feature in given):
        if isinstance(given, str | bytes):
            msg = (
                f"categorical must be a list of positions or names, got the single text {given!r}."
            )
            raise ValueError(msg)
        return check_positions(given, n_features, name="categorical")
    if names is None:
        first = next(feature for feature in given if isinstance(feature, str))
        msg = (
            f"categorical holds the name {first!r}, but the features have no names; give positions."
        )
        raise ValueError(msg)
    places = {str(known): place for place, known in enumerate(names)}
    unknown = [feature for feature in given if isinstance(feature, str) and feature not in places]
    if unknown:
        msg = f"categorical holds {listed(unknown)}, but the features are {listed(places)}."
        raise ValueError(msg)
    positions = [places[f] if isinstance(f, str) else f for f in given]
    return check_positions(positions, n_features, name="categorical")


def takes_categories(settings: Any) -> bool:
    """Say whether a measure, or a selector, has a parameter for categories."""
    # Something else than a measure is refused by the strategy, in words.
    return isinstance(settings, BaseEstimator) and "categorical" in settings.get_params(deep=False)


def with_categories(settings: Any, positions: NDArray[np.intp]) -> Any:
    """Return a measure that is told which features are categories.

    Parameters
    ----------
    settings : BaseEstimator
        A measure, or a selector; one that takes no categories is passed on.
    positions : ndarray of int
        The categories.

    Returns
    -------
    of the type of settings
        The same object if it knows them already.
    """
    if not takes_categories(settings):
        return settings
    told = tuple(int(position) for position in positions)
    parameters = settings.get_params(deep=False)
    known = parameters["categorical"]
    if not any(isinstance(feature, str) for feature in known) and tuple(known) == told:
        return settings
    return type(settings)(**{**parameters, "categorical": told})


def on_arrays(selector: Any, positions: NDArray[np.intp]) -> Any:
    """Copy a selector for plain arrays, which have neither names nor types.

    Parameters
    ----------
    selector : BaseSelector
        As the user made it.
    positions : ndarray of int
        The categories it is to know.

    Returns
    -------
    BaseSelector
        A copy whose categories, or those of its measure, are positions.
    """
    copy = clone(selector)
    if takes_categories(copy):
        return with_categories(copy, positions)
    if "measure" in copy.get_params(deep=False):
        copy.set_params(measure=with_categories(copy.make_components()[0], positions))
    return copy
