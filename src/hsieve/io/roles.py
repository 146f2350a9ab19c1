"""The roles of a file's columns, and what must be known before its features are read.

Every column is a feature unless it is the target, is dropped by name, or tells nothing but the row:
text that is different in every row, and integers that count the rows. Text of few levels is a
category.
"""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hsieve.data.errors import (
    COUNTS_ROWS,
    IS_IDENTIFIER,
    TableError,
    columns_are,
    left_out,
    on_one_line,
    quoted,
    table_error,
    taken_as_category,
    unknown_name,
)
from hsieve.data.validation import TargetKind, counts_rows, role_of_text
from hsieve.exceptions import IdentifierWarning
from hsieve.io.source import READABLE_KINDS, Array, Source
from hsieve.io.values import target_values

__all__ = [
    "Opener",
    "Roles",
    "assign_roles",
    "refuse_text",
    "refuse_types",
]

Opener = Callable[[Path, str | None], Source]


@dataclass(frozen=True, eq=False)
class Roles:
    """The target, read, and the columns that are features, not read yet."""

    features: tuple[str, ...]
    declared: frozenset[str]
    y: Array
    target_name: str
    target_kind: TargetKind
    # Levels of the categories that are text, and what was found out about columns, in sentences.
    levels: Mapping[str, tuple[object, ...]]
    notes: tuple[str, ...]

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of the features that are categories."""
        return tuple(i for i, name in enumerate(self.features) if name in self.declared)


def assign_roles(
    source: Source,
    *,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    target_kind: str = "auto",
) -> Roles:
    """Read the target and see that the features can be read as they are declared.

    The source is left open for its features.
    """
    declared = frozenset(categorical)
    features = _features(source, categorical, drop)
    kinds = source.open([*features, source.target])
    refuse_types(source.path, kinds)
    values = source.load(source.target)
    if len(values) == 0:
        raise table_error(source.path, "there are no data rows")
    found = _judged(source, [n for n in features if kinds[n] == "text"], declared)
    for name in features:
        may_count = kinds[name] == "integer" and name not in declared
        if may_count and source.may_count_rows(name) and counts_rows(source.load(name)):
            found.left_out[name] = left_out(name, COUNTS_ROWS)
    if found.unclear:
        refuse_text(source.path, found.unclear, source.load)
    for sentence in found.left_out.values():
        warnings.warn(sentence, IdentifierWarning, stacklevel=4)
    features = [name for name in features if name not in found.left_out]
    if not features:
        raise _no_feature(source)
    declared |= set(found.levels)
    is_listed = source.target in declared or kinds[source.target] in ("text", "boolean")
    y, kind = target_values(
        source.path, source.target, values, target_kind, listed_as_classes=is_listed
    )
    notes = (*found.left_out.values(), *found.notes)
    return Roles(tuple(features), declared, y, source.target, kind, found.levels, notes)


@dataclass
class _Texts:
    """What the columns of text are."""

    levels: dict[str, tuple[object, ...]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _judged(source: Source, texts: Sequence[str], declared: Collection[str]) -> _Texts:
    """Find out which columns of text are categories, and which are identifiers."""
    found = _Texts()
    for name in texts:
        values = source.load(name).tolist()
        levels = tuple(sorted({value for value in values if value is not None}))
        role = "category" if name in declared else role_of_text(len(levels), len(values))
        if role == "category":
            found.levels[name] = levels
            found.notes += [] if name in declared else [taken_as_category(name, levels)]
        elif role == "identifier":
            found.left_out[name] = left_out(name, IS_IDENTIFIER)
        else:
            found.unclear.append(name)
    return found


def _no_feature(source: Source) -> TableError:
    problem = f"no feature is left beside the target {quoted(source.target)}"
    return table_error(source.path, f"{problem}; at least one column more is needed")


def _features(source: Source, categorical: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Return the columns that are features, once all names given are known to make sense."""
    known, dropped = set(source.names), set(drop)
    for option, given in (("categorical", categorical), ("drop", drop)):
        for name in given:
            if name not in known:
                raise unknown_name(source.path, option, name, source.names)
    if source.target in dropped:
        raise table_error(source.path, f"the target {quoted(source.target)} is also in drop")
    for name in categorical:
        if name in dropped:
            raise table_error(source.path, f"{quoted(name)} is both in categorical and in drop")
    features = [n for n in source.names if n != source.target and n not in dropped]
    if not features:
        raise _no_feature(source)
    return features


def refuse_types(path: Path, kinds: Mapping[str, str]) -> None:
    """Refuse dates, nested values and whatever else is neither number nor text."""
    refused = [name for name, kind in kinds.items() if kind not in READABLE_KINDS]
    if refused:
        kind = on_one_line(kinds[refused[0]])
        is_date = kind.startswith(("timestamp", "date", "time", "duration"))
        problem = f"{columns_are(refused)} of a type that is not accepted ({kind})"
        advice = "store numbers, booleans or text"
        if is_date:
            advice = "turn dates into numbers, such as days since a start"
        advice += ", or leave out with drop=[...] (--drop NAME)"
        raise table_error(path, f"{problem}; {advice}")


def refuse_text(path: Path, texts: Sequence[str], load: Callable[[str], Array]) -> None:
    """Refuse text that nobody declared to be categories, showing what is not a number."""
    if not texts:
        return
    values = load(texts[0]).tolist()
    row = next((i for i, value in enumerate(values) if _is_not_a_number(value)), 0)
    problem = f"{columns_are(texts)} text or categories"
    first = f"first {quoted(values[row])} of {quoted(texts[0])} in data row {row + 1}"
    advice = "code with categorical=[...] (--categorical NAME)"
    advice += " or leave out with drop=[...] (--drop NAME)"
    raise table_error(path, f"{problem} ({first}); {advice}")


def _is_not_a_number(value: object) -> bool:
    """Tell the value that made a column text from the numbers around it."""
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value is not None
    return False
