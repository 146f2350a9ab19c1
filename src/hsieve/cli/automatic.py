"""The method `auto` on the command line."""

from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError
from hsieve.cli.methods import MethodRequest

if TYPE_CHECKING:
    from hsieve.auto import Selection
    from hsieve.dataset import Dataset
    from hsieve.selectors.methods import Method

__all__ = ["automatic_selection", "time_wanted"]

USUAL_TIME = "seconds"


def time_wanted(
    given: str | None, method: "Method", n_features: int | str | None, *, stability: bool
) -> str | float:
    """Return the time allowed as :func:`hsieve.select` takes it, or refuse it."""
    if given is not None and not method.is_automatic:
        msg = "--time-allowed works with --method auto only"
        raise BadInputError(msg)
    if method.is_automatic and stability:
        msg = "--stability needs a method to repeat, which auto does not name; name one"
        raise BadInputError(msg)
    if method.is_automatic and isinstance(n_features, str):
        msg = f"auto finds the number by itself; leave -k {n_features} out or give a number"
        raise BadInputError(msg)
    try:
        return float(given or USUAL_TIME)
    except ValueError:
        return given or USUAL_TIME


def automatic_selection(table: "Dataset", request: MethodRequest) -> "Selection":
    """Choose a method and features, as :func:`hsieve.select` does."""
    from hsieve.auto.selecting import make_wish, select_opened

    wish = make_wish("auto", request.n_features, request.time_allowed, request.random_state)
    return select_opened(table, wish)
