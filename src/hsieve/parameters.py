"""What parameters may be: declared in a table for each class, checked and worded here.

An estimator lists its rules in the class attribute ``allowed``::

    allowed = rules(n_rounds=integer(1), penalty=NONE | number(above=0, below=1))

and :func:`check_parameters` refuses what does not follow them: "n_rounds must be an integer of at
least 1, got 0."
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

__all__ = [
    "BOOLEAN",
    "NONE",
    "Rule",
    "check_parameters",
    "integer",
    "number",
    "numbers",
    "rules",
    "word",
]


@dataclass(frozen=True)
class Rule:
    """What a parameter may be: one of some alternatives, each in words and as a test."""

    alternatives: tuple[tuple[str, Callable[[Any], bool]], ...]

    def __or__(self, other: "Rule") -> "Rule":
        return Rule(self.alternatives + other.alternatives)

    @property
    def words(self) -> str:
        """All alternatives in words."""
        *first, last = (words for words, _ in self.alternatives)
        return f"{', '.join(first)} or {last}" if first else last

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that is none of the alternatives.

        Examples
        --------
        >>> (word("auto") | integer(1)).check("n_landmarks", 0)
        Traceback (most recent call last):
        ValueError: n_landmarks must be 'auto' or an integer of at least 1, got 0.
        """
        if not any(accepts(value) for _, accepts in self.alternatives):
            msg = f"{name} must be {self.words}, got {value!r}."
            raise ValueError(msg)


def rules(**of_parameters: Rule) -> Mapping[str, Rule]:
    """Return the table of a class."""
    return of_parameters


def check_parameters(estimator: Any) -> None:
    """Refuse parameters of an estimator that do not follow the rules of its class."""
    for name, rule in estimator.allowed.items():
        rule.check(name, getattr(estimator, name))


def word(*words: str) -> Rule:
    """Allow some words."""

    def is_word(wanted: str, value: Any) -> bool:
        return isinstance(value, str) and value == wanted

    return Rule(tuple((repr(one), partial(is_word, one)) for one in words))


def integer(least: int = 1, most: int | None = None, *, as_float: bool = False) -> Rule:
    """Allow an integer of at least some size, or in a range; perhaps also one such as 2.0."""
    words = f"an integer of at least {least}"
    if most is not None:
        words = str(least) if most == least else f"an integer from {least} to {most}"

    def accepts(value: Any) -> bool:
        is_integer = isinstance(value, Integral) and not isinstance(value, bool)
        if as_float and isinstance(value, Real):
            is_integer = is_integer or float(value).is_integer()
        return is_integer and int(value) >= least and (most is None or int(value) <= most)

    return Rule(((words, accepts),))


def number(
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    is_finite: bool = True,
) -> Rule:
    """Allow a number in a range, whose ends belong to it (least, most) or do not."""
    bounds = {"above": above, "of at least": least, "below": below, "at most": most}
    words = " and ".join(f"{side} {bound:g}" for side, bound in bounds.items() if bound is not None)
    if above is not None and below is not None:
        words = f"between {above:g} and {below:g}"
    if least is not None and most is not None:
        words = f"from {least:g} to {most:g}"

    def accepts(value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool) or math.isnan(value):
            return False
        if is_finite and math.isinf(value):
            return False
        size = float(value)
        return (
            (above is None or size > above)
            and (least is None or size >= least)
            and (below is None or size < below)
            and (most is None or size <= most)
        )

    return Rule(((f"a number {words}", accepts),))


def numbers(*, above: float) -> Rule:
    """Allow a list of at least one finite number above a bound."""
    (_, is_right) = number(above=above).alternatives[0]

    def accepts(value: Any) -> bool:
        listed = list(value) if isinstance(value, Iterable) else []
        return bool(listed) and all(map(is_right, listed))

    return Rule(((f"a list of numbers above {above:g}", accepts),))


NONE = Rule((("None", lambda value: value is None),))
BOOLEAN = Rule((("True or False", lambda value: type(value).__name__ in {"bool", "bool_"}),))
