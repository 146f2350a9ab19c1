"""The method `auto` on the command line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError
from hsieve.cli.methods import MethodRequest

if TYPE_CHECKING:
    from hsieve.auto import Selection
    from hsieve.dataset import Dataset
    from hsieve.selectors.methods import Method

__all__ = ["AutomaticOptions", "automatic_selection"]

USUAL_TIME = "seconds"
# As in hsieve.auto.selecting, which would take long to import.
TIMES = ("seconds", "minutes", "hours")


@dataclass(frozen=True)
class AutomaticOptions:
    """Options for the choice of a method, as they were given.

    Parameters
    ----------
    time_allowed : str or None
        How long it may take.
    """

    time_allowed: str | None

    @property
    def wanted(self) -> str | float:
        """The time allowed, as :func:`hsieve.select` takes it."""
        given = self.time_allowed or USUAL_TIME
        return given if given in TIMES else float(given)

    def check(self, method: "Method", n_features: int | str | None, *, stability: bool) -> None:
        """Refuse what can be refused before the file is read.

        Parameters
        ----------
        method : Method
            The method chosen.
        n_features : int, str or None
            How many features are wanted.
        stability : bool
            Whether stability selection is wanted.

        Raises
        ------
        BadInputError
            If a time makes no sense, or options do not go with each other.
        """
        if self.time_allowed is not None and not method.is_automatic:
            msg = "--time-allowed works with --method auto only"
            raise BadInputError(msg)
        if not method.is_automatic:
            return
        if stability:
            msg = "--stability needs a method to repeat, which auto does not name; name one"
            raise BadInputError(msg)
        if isinstance(n_features, str):
            msg = f"auto finds the number by itself; leave -k {n_features} out or give a number"
            raise BadInputError(msg)
        try:
            is_time = self.wanted in TIMES or 0 < float(self.wanted) < float("inf")
        except ValueError:
            is_time = False
        if not is_time:
            msg = (
                f"--time-allowed takes one of {', '.join(TIMES)}, or seconds above 0, "
                f"not {self.time_allowed!r}"
            )
            raise BadInputError(msg)


def automatic_selection(table: "Dataset", request: MethodRequest) -> "Selection":
    """Choose a method and features.

    Parameters
    ----------
    table : Dataset
        Features and target.
    request : MethodRequest
        What is wanted.

    Returns
    -------
    Selection
        The features and the reasons.
    """
    from hsieve.auto.selecting import make_wish, select_opened

    wish = make_wish("auto", request.n_features, request.time_allowed, request.random_state)
    return select_opened(table, wish)
