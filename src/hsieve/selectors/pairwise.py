"""How selectors with a measure of the user's choice hand their own settings on to it."""

from collections.abc import Collection, Iterable

from hsieve.measures.base import Measure

__all__ = ["chosen_measure"]


def chosen_measure(
    measure: Measure | None, default: Measure, *, categorical: Iterable[int | str], target_kind: str
) -> Measure:
    """Return the measure, or the default, with the selector's settings where any are given.

    Raises
    ------
    ValueError
        If the measure has no such parameter, so that it would be ignored.
    """
    chosen = default if measure is None else measure
    settings: dict[str, object] = {}
    if not isinstance(categorical, Collection) or len(categorical):
        settings["categorical"] = categorical
    if target_kind != "auto":
        settings["target_kind"] = target_kind
    # Something else than a measure is refused by the strategy, in words.
    if not settings or not isinstance(chosen, Measure):
        return chosen
    parameters = chosen.get_params(deep=False)
    for name, value in settings.items():
        if name not in parameters:
            msg = f"{type(chosen).__name__} takes no {name}, got {name}={value!r}."
            raise ValueError(msg)
    return type(chosen)(**{**parameters, **settings})
