"""All methods by name: the selectors whose class has a ``spec``, and their variants."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import hsieve.selectors
from hsieve.exceptions import NoRankingError
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.input_data import parameters_called
from hsieve.selectors.knockoffs import KnockoffSelector
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import BEGIN, GROUPS, MethodSpec, Variant
from hsieve.selectors.stability import StabilitySelection


@dataclass(frozen=True)
class Method(Variant):
    """A selector under its name on the command line, perhaps with some parameters set.

    Parameters
    ----------
    name, purpose, parameters, cost, group, needs_classes
        As in :class:`~hsieve.selectors.spec.Variant`.
    kind : type of BaseSelector
        Class of the selector.
    """

    kind: type[BaseSelector] = field(kw_only=True)

    def make(
        self,
        *,
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
        random_state: int | None = None,
        **options: Any,
    ) -> Any:
        """Make the selector.

        What is known of the data goes to the selector, its measure and its base; `options` are
        further parameters of the selector.
        """
        selector = self.kind(**self.parameters())
        for option in options:
            self.check_takes(option)
        selector.set_params(**options)
        given: dict[str, Any] = {}
        if categorical := tuple(categorical):
            self.check_takes("categorical")
            given |= dict.fromkeys(parameters_called(selector, "categorical"), categorical)
        if target_kind != "auto":
            given |= dict.fromkeys(parameters_called(selector, "target_kind"), target_kind)
        if random_state is not None:
            seeds = parameters_called(selector, "random_state")
            # A base without a seed gets one from the selector around it.
            given |= {name: random_state for name, value in seeds.items() if value is not None}
        return selector.set_params(**given)

    @property
    def is_automatic(self) -> bool:
        """Whether this is no selector, but the choice of one by :func:`hsieve.select`."""
        return self.kind is BaseSelector

    def takes(self, parameter: str) -> bool:
        """Tell whether the selector, or for categories its measure or base, has a parameter."""
        if self.is_automatic:
            return parameter in ("categorical", "feature_groups")
        selector = self.kind(**self.parameters())
        if parameter == "categorical":
            return bool(parameters_called(selector, parameter))
        return parameter in selector.get_params(deep=False)

    def check_takes(self, parameter: str, called: str = "") -> None:
        """Refuse a parameter that the selector does not have, as the user calls it."""
        if not self.takes(parameter):
            able = [name for name, other in known_methods().items() if other.takes(parameter)]
            msg = f"{called or parameter} does not work with {self.name}; it does with "
            raise ValueError(msg + ", ".join(able))

    @property
    def takes_blocks(self) -> bool:
        """Whether columns are read in blocks, so that data may be larger than memory."""
        return self.is_automatic or takes_blocks(self.make())

    @property
    def has_path(self) -> bool:
        """Whether there is a regularisation path, which can be told and drawn."""
        return self.takes("max_redundancy")

    @property
    def is_stability(self) -> bool:
        """Whether it selects again and again from halves of the samples."""
        return issubclass(self.kind, StabilitySelection)

    @property
    def may_find_nothing(self) -> bool:
        """Whether no features may be selected where there are some to select from."""
        return self.is_stability or self.finds_number or issubclass(self.kind, KnockoffSelector)

    @property
    def finds_number(self) -> bool:
        """Whether "auto" is a number of features that it takes."""
        return self.is_automatic or "auto" in self.kind.own_rules

    @property
    def number_rule(self) -> str | None:
        """How to find the number of features; None where the method has one of its own."""
        if self.finds_number:
            return "auto"
        selector = self.make()
        if not isinstance(selector, SearchSelector):
            return None
        try:
            selector.make_components()[1].n_ranked(1)
        except NoRankingError:
            return None
        return "guarded"

    @property
    def uses_target(self) -> bool:
        """Whether the target is looked at at all."""
        return bool(self.make().__sklearn_tags__().target_tags.required)

    def repeated(self) -> "Method":
        """Return stability selection around this method."""
        return replace(self, kind=StabilitySelection, parameters=lambda: {"estimator": self.make()})

    def at_error_rate(self, fdr: float) -> "Method":
        """Return knockoffs around this method."""
        made = lambda: {"selector": self.make_base(), "fdr": fdr}  # noqa: E731
        return replace(self, kind=KnockoffSelector, parameters=made)

    def make_base(self) -> Any:
        """Make the base of knockoffs; None for the usual one."""
        return None if self.is_automatic else self.make()


AUTO = Method(
    "auto",
    "pursuit or a method that predicts better; finds how many",
    dict,
    "as pursuit",
    BEGIN,
    kind=BaseSelector,
)


def known_methods() -> Mapping[str, Method]:
    """Return all methods by name, group by group.

    Examples
    --------
    >>> known_methods()["mr-nhsic"].make()
    MaxRelevance()
    """
    for module in iter_modules(hsieve.selectors.__path__):  # so that all classes are defined
        import_module(f"hsieve.selectors.{module.name}")
    found = [method for kind in _below(BaseSelector) for method in _methods_of(kind)]
    found.sort(key=lambda method: (GROUPS.index(method.group), method.name))
    return {method.name: method for method in found}


def find_method(name: str) -> Method:
    """Return the method of that name.

    Examples
    --------
    >>> find_method("pearson").cost
    'n d'
    """
    known = {AUTO.name: AUTO, **known_methods()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name.lower(), known)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    msg = f"There is no method {name!r}; {hint}"
    raise ValueError(msg)


def takes_blocks(selector: BaseSelector) -> bool:
    """Tell whether a selector reads columns in blocks."""
    return isinstance(selector, SearchSelector) and selector.make_components()[0].takes_blocks


def _below(kind: type[BaseSelector]) -> Iterator[type[BaseSelector]]:
    """All classes derived from one."""
    for inner in kind.__subclasses__():
        yield inner
        yield from _below(inner)


def _methods_of(kind: type[BaseSelector]) -> Iterator[Method]:
    """Methods of a class itself, not of one that it inherits from."""
    spec = vars(kind).get("spec")
    if not isinstance(spec, MethodSpec):
        return
    own = [Variant(spec.name, spec.purpose, dict)] if spec.name else []
    for one in (*own, *spec.variants):
        of_class = {"cost": one.cost or spec.cost, "group": one.group or spec.group}
        yield Method(**{**vars(one), **of_class}, kind=kind)
