"""The rooms of the package: private modules stay private, names are unique, the picture is true."""

import ast
import re
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "hsieve"
PAGE = SOURCE.parents[1] / "docs" / "explanation" / "architecture.md"
# Folders that are no rooms of the library.
LEFT_OUT = {"__pycache__"}
MODULES = [path for path in SOURCE.rglob("*.py") if not LEFT_OUT & set(path.parts)]


def imported(tree):
    """Full names of what a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_module_outside_a_package_imports_one_of_its_private_modules():
    wrong = []
    for path in MODULES:
        home = ("hsieve", *path.relative_to(SOURCE).parent.parts)
        for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            parts = tuple(name.split("."))
            private = [n for n, part in enumerate(parts) if re.match(r"_(?!_)", part)]
            owner = parts[: private[0]] if private else ()
            # A private module serves its package, a private name the package of its module.
            if parts[0] == "hsieve" and owner and owner not in (home, (*home, owner[-1])):
                wrong.append(f"{path.relative_to(SOURCE)}: {name}")
    assert wrong == []


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_picture_shows_every_room():
    picture = PAGE.read_text(encoding="utf-8").split("```")[1]
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()} - LEFT_OUT
    assert [room for room in sorted(rooms) if f" {room}/ " not in picture] == []
