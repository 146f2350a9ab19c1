"""Stability selection on the command line: its options, and what is told of its result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hsieve.cli.errors import BadInputError
from hsieve.cli.methods import MethodRequest
from hsieve.cli.options import MOST_REPEATS
from hsieve.text import shortened

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.selectors.base import BaseSelector
    from hsieve.selectors.methods import Method

__all__ = ["StabilityOptions", "add_frequencies", "stability_notes"]


@dataclass(frozen=True)
class StabilityOptions:
    """Options of stability selection, as they were given.

    Parameters
    ----------
    wanted : bool
        Whether to select again and again from halves of the samples.
    false_selections : float or None
        Wished bound on the expected number of false selections; None for the usual one, or for none
        where a number of features is asked for.
    n_subsamples : int or None
        Number of halves; None for the usual one.
    """

    wanted: bool
    false_selections: float | None
    n_subsamples: int | None

    def check(self, method_name: str, method: "Method", beside: Sequence[str] = ()) -> None:
        """Refuse what can be refused before the file is read.

        Parameters
        ----------
        method_name : str
            Name of the method chosen.
        method : Method
            The method.
        beside : sequence of str, default=()
            Other options that were given and need a single path.

        Raises
        ------
        BadInputError
            If the options do not go with the method or with others, or a number makes no sense.
        """
        if self.wanted and method.is_stability:
            msg = f"{method_name} is stability selection already; leave --stability out"
            raise BadInputError(msg)
        if self.wanted and beside:
            msg = f"{beside[0]} does not go with --stability, which follows no single path"
            raise BadInputError(msg)
        given = {"--false-selections": self.false_selections, "--subsamples": self.n_subsamples}
        first = next((option for option, value in given.items() if value is not None), None)
        if first is not None and not self.applied(method).is_stability:
            msg = f"{first} needs --stability, or a method such as stability-lasso"
            raise BadInputError(msg)
        bound = self.false_selections
        if bound is not None and not 0 < bound < math.inf:
            msg = f"--false-selections must be a number above 0, got {bound:g}"
            raise BadInputError(msg)
        wished = self.n_subsamples
        if wished is not None and (not 2 <= wished <= MOST_REPEATS or wished % 2):
            msg = f"--subsamples must be an even number from 2 to {MOST_REPEATS}, got {wished}"
            raise BadInputError(msg)

    def applied(self, method: "Method") -> "Method":
        """Return the method as it is to be used.

        Parameters
        ----------
        method : Method
            The method chosen.

        Returns
        -------
        Method
            The same, or stability selection around it, which has no path and reads whole tables.
        """
        return method.repeated() if self.wanted else method

    def add_to(self, request: MethodRequest) -> MethodRequest:
        """Return a request with these wishes, as far as they were given."""
        if self.false_selections is not None:
            request = replace(request, false_selections=self.false_selections)
        if self.n_subsamples is not None:
            request = replace(request, n_subsamples=self.n_subsamples)
        return request


def add_frequencies(rows: Sequence[dict[str, Any]], selector: "BaseSelector") -> None:
    """Add to each row the share of subsamples that select its feature, where that was counted.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature; `frequency` is added.
    selector : BaseSelector
        The fitted selector.
    """
    from hsieve.selectors import StabilitySelection

    if isinstance(selector, StabilitySelection):
        for row in rows:
            row["frequency"] = float(selector.stability_scores_[row["index"]])


def stability_notes(
    rows: Sequence[dict[str, Any]], selector: "BaseSelector", table: "Dataset"
) -> list[str]:
    """Say how stable features were told from others, and what it means if there are none.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature.
    selector : BaseSelector
        The fitted selector.
    table : Dataset
        What it was fitted on.

    Returns
    -------
    list of str
        Sentences; nothing for other selectors.
    """
    from hsieve.selectors import StabilitySelection

    if not isinstance(selector, StabilitySelection):
        return []
    share, n_subsamples = selector.threshold_, len(selector.n_selected_)
    told = [
        f"Stable are features selected from at least {share:.0%} of {n_subsamples} subsamples of "
        "half the samples; the expected number of false ones among them is at most "
        f"{selector.bound_:.2g}."
    ]
    n_stable = selector.path_.sizes[0]
    if not rows:
        best = int(selector.stability_scores_.argmax())
        told.append(
            "No feature is stable, so none is selected: nearest is "
            f"{shortened(table.names[best])} with {selector.stability_scores_[best]:.0%}. "
            "A larger --false-selections lets more through; --n-features takes so many of the "
            "most frequent, without a bound."
        )
    elif selector.n_features_to_select is not None:
        what = "feature is" if n_stable == 1 else "features are"
        told.append(
            f"{n_stable} {what} stable; the bound holds for these, not for the number asked for."
        )
        wanted = selector.n_features_to_select
        if isinstance(wanted, int) and len(rows) < wanted:
            told.append(
                f"{wanted} features are asked for, but no other than these is selected from any "
                "subsample."
            )
    return told
