"""The changes to try: what cosmic-ray proposes, less what is not logic, and a random sample of it.

A *place* is a spot in the source with one kind of change (a number, an operator, a condition).
Cosmic-ray offers eleven other operators for every `+` and two other values for every number, so
that sums would drown everything else; hence places are drawn, and then one change for each place.

Left out, because no test of what the library computes could or should see it:

- type annotations, docstrings and everything inside `raise`, `warnings.warn` and text with fields
  (words of messages), and what is kept under the names `msg`, `message` and
  `speed` (of the progress bar);
- `__all__`, decorators, blocks under `if TYPE_CHECKING`, the bare `*` and `/` between parameters;
- calls of `report` and `stage` and the setting `share_of_work` (the progress bar);
- `strict=True` of `zip`, a guard against mistakes of ours that never acts in right code; `repr=`
  and `kw_only=` of fields, and the second word of `isinstance`, a type;
- `check_finite=` and `overwrite_*=` of SciPy, which only save work;
- whole numbers of 50 and more, which cosmic-ray changes by one: a block of 257 columns for one of
  256 is no mistake that a test could see;
- `==` put as `is` and the like, which mean the same for the small numbers and words compared here;
- what does not compile.
"""

import ast
import random
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from parso.tree import NodeOrLeaf

NOT_USED = (
    "VariableReplacer",
    "VariableInserter",
    "RemoveDecorator",
    "_Is",
    "_IsNot",
    "Is_",
    "IsNot_",
)
IS_TURNED = ("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is")
NODES = {  # where to look, as there are some two hundred operators
    "ReplaceBinaryOperator": ("operator",),
    "ReplaceComparisonOperator": ("comparison",),
    "ReplaceUnaryOperator": ("factor", "not_test"),
}
NOT_BINARY = ("parameters", "lambdef", "argument")  # parents of stars that are no product
SILENT_CALLS = {"report", "stage", "warn"}
LARGE = 50
SILENT_SETTINGS = {"strict", "repr", "kw_only", "share_of_work", "check_finite"}
SILENT_SETTINGS |= {"overwrite_a", "overwrite_b", "overwrite_c"}
MESSAGES = {"msg", "message", "speed", "__all__"}


@dataclass(frozen=True)
class Change:
    """One change of one file: the operator of cosmic-ray and the number of its occurrence."""

    path: str
    line: int
    column: int
    operator: str
    occurrence: int

    @property
    def name(self) -> str:
        """What identifies the change in lists."""
        return f"{self.path}:{self.line}:{self.column} {self.operator} {self.occurrence}"

    def source(self) -> str | None:
        """Give the whole changed file, or None where the change cannot be made."""
        return _changed(self)

    def words(self) -> str:
        """Give the line before and after the change."""
        return _difference(self)[1]

    def as_listed(self, words: str) -> "Change | None":
        """Give the change with these words, which may have moved since it was listed."""
        near = sorted(range(self.occurrence + 10), key=lambda k: abs(k - self.occurrence))[:10]
        for occurrence in near:
            moved = replace(self, occurrence=occurrence)
            line, found = _difference(moved)
            if found == words:
                return replace(moved, line=line)
        return None


def _difference(change: Change) -> tuple[int, str]:
    """Find the first line that differs, and what it was and is."""
    changed = change.source() or ""
    pairs = zip(Path(change.path).read_text().split("\n"), changed.split("\n"), strict=False)
    for line, (before, after) in enumerate(pairs, start=1):
        if before != after:
            return line, f"{before.strip()}  ->  {after.strip()}"
    return 0, "nothing"


@lru_cache(maxsize=4)
def _changed(change: Change) -> str | None:
    operator = cosmic_ray.plugins.get_operator("core/" + change.operator)()
    changed = mutate_code(Path(change.path).read_text(), operator, change.occurrence)
    try:
        compile(changed or "1 +", change.path, "exec")
    except SyntaxError:
        return None
    return changed


def all_changes(paths: list[Path]) -> dict[str, dict[tuple[int, int, str], list[Change]]]:
    """Give, for each file, the places and the changes that cosmic-ray offers there."""
    return {str(path): _places(path) for path in paths}


def sample(
    paths: list[Path], *, size: int | None, seed: int, known: set[str]
) -> list[list[Change]]:
    """Draw places in proportion to what the files hold, each with its changes in random order.

    Changes named in `known` and other changes of their places are not drawn. The order of places is
    random, so that a run which is stopped has tried a smaller random sample.
    """
    rng = random.Random(seed)
    spots = {name.split()[0] + _kind(name.split()[1]) for name in known}
    shuffled = []
    for path, places in all_changes(paths).items():
        free = [spot for spot in places if f"{path}:{spot[0]}:{spot[1]}{spot[2]}" not in spots]
        rng.shuffle(free)
        shuffled += [places[spot] for spot in free]
    if size is None:
        drawn = shuffled
    else:  # every so-many-th place of the list by files: each file has its share
        gap = max(len(shuffled) / size, 1.0)
        begin = rng.random() * gap
        drawn = [
            shuffled[int(begin + k * gap)] for k in range(size) if begin + k * gap < len(shuffled)
        ]
    rng.shuffle(drawn)
    return [rng.sample(changes, len(changes)) for changes in drawn]


def first_that_compiles(changes: list[Change]) -> Change | None:
    """Give the first change of a place that leaves valid Python."""
    return next((change for change in changes if change.source() is not None), None)


def _places(path: Path) -> dict[tuple[int, int, str], list[Change]]:
    """Give all places of one file with their changes, in the order of the file."""
    source = path.read_text()
    hidden = _hidden(source)
    everything = list(ast_nodes(get_ast(source)))
    places: dict[tuple[int, int, str], list[Change]] = {}
    for full_name in cosmic_ray.plugins.operator_names():
        name = full_name.removeprefix("core/")
        if name not in IS_TURNED and any(part in name for part in NOT_USED):
            continue
        operator = cosmic_ray.plugins.get_operator(full_name)()
        types = NODES.get(_kind(name))
        nodes = [node for node in everything if types is None or node.type in types]
        positions = (
            (node, position) for node in nodes for position in operator.mutation_positions(node)
        )
        for occurrence, (node, (begin, end)) in enumerate(positions):
            if not _is_no_change(node) and not any(
                first <= begin and end <= last for first, last in hidden
            ):
                change = Change(str(path), *begin, name, occurrence)
                places.setdefault((*begin, _kind(name)), []).append(change)
    return dict(sorted(places.items()))


def _is_no_change(node: NodeOrLeaf) -> bool:
    """Whether a node is a star between parameters, or a number to which one more is nothing."""
    if node.type == "number":
        digits = node.value.replace("_", "")
        return digits.isdigit() and int(digits) >= LARGE
    return node.type == "operator" and node.parent.type in NOT_BINARY


def _kind(operator: str) -> str:
    return operator.split("_", maxsplit=1)[0]


def _hidden(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Give begin and end of everything that is not logic."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        found: list[ast.AST | None] = []
        if isinstance(node, ast.AnnAssign | ast.arg):
            found = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            found = [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            found = [*node.decorator_list, *node.bases]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "isinstance":
            found = [node.args[1]]
        elif isinstance(node, ast.Raise | ast.JoinedStr) or _is_silent(node):
            found = [node]
        spans += [
            ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset))
            for part in found
            if part is not None
        ]
    return spans


def _is_silent(node: ast.AST) -> bool:
    """Whether a statement is about words, progress or types."""
    if isinstance(node, ast.Call):
        called = getattr(node.func, "id", getattr(node.func, "attr", None))
        return called in SILENT_CALLS
    if isinstance(node, ast.keyword):
        return node.arg in SILENT_SETTINGS
    if isinstance(node, ast.Assign):
        return getattr(node.targets[0], "id", None) in MESSAGES
    return isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING"
