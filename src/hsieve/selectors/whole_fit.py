"""A fit comes to its end or leaves nothing behind, whether an error or Ctrl-C has ended it.

Else an estimator could have the number of features of new data and the selection of old ones, or
pass for fitted without having selected anything.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sklearn.base import BaseEstimator

__all__ = ["whole_or_nothing"]

Owner = TypeVar("Owner", bound=BaseEstimator)
Given = ParamSpec("Given")
Result = TypeVar("Result")


def whole_or_nothing(
    fit: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Let a fit that does not come to its end leave its estimator unfitted.

    Parameters
    ----------
    fit : callable
        The method.

    Returns
    -------
    callable
        The same, which forgets all that was learned, now or before, where an exception ends it.
    """

    @wraps(fit)
    def fit_wholly(self: Owner, /, *given: Given.args, **options: Given.kwargs) -> Result:
        try:
            return fit(self, *given, **options)
        except BaseException:
            for name in [name for name in vars(self) if _is_learned(name)]:
                delattr(self, name)
            raise

    return fit_wholly


def _is_learned(name: str) -> bool:
    """Tell learned attributes by their names, as scikit-learn does."""
    return name.endswith("_") and not name.startswith("_")
