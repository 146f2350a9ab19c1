"""Options of stability selection on the command line."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError
from hsieve.cli.methods import MethodRequest
from hsieve.cli.options import MOST_REPEATS

if TYPE_CHECKING:
    from hsieve.selectors.methods import Method

__all__ = ["StabilityOptions"]


@dataclass(frozen=True)
class StabilityOptions:
    """Options of stability selection, as they were given.

    Parameters
    ----------
    wanted : bool
        Whether to select again and again from halves of the samples.
    false_selections : float or None
        Bound on the expected number of false selections; None for the usual one, or for none
        where a number of features is asked for.
    n_subsamples : int or None
        Number of halves; None for the usual one.
    """

    wanted: bool
    false_selections: float | None
    n_subsamples: int | None

    def check(self, method_name: str, method: "Method", beside: Sequence[str] = ()) -> None:
        """Refuse what does not go together; `beside` are options given that need a single path."""
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
        n_subsamples = self.n_subsamples
        if n_subsamples is not None and (not 2 <= n_subsamples <= MOST_REPEATS or n_subsamples % 2):
            msg = (
                f"--subsamples must be an even number from 2 to {MOST_REPEATS}, got {n_subsamples}"
            )
            raise BadInputError(msg)

    def applied(self, method: "Method") -> "Method":
        """Return the method, or stability selection around it, which reads whole tables."""
        return method.repeated() if self.wanted else method

    def add_to(self, request: MethodRequest) -> MethodRequest:
        """Return a request with these options, as far as they were given."""
        if self.false_selections is not None:
            request = replace(request, false_selections=self.false_selections)
        if self.n_subsamples is not None:
            request = replace(request, n_subsamples=self.n_subsamples)
        return request
