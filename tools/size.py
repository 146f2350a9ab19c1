"""Size of a package: lines, lines of code, files, and modules that only one other module imports.

Lines of code are those without docstrings, comments and blank lines. A module that has exactly one
importer, which is not the `__init__` that makes it public, may be better off as a part of it.

Usage: size.py [FOLDER], where FOLDER is a package; src/hsieve unless given.
"""

import ast
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

USUAL = Path(__file__).resolve().parents[1] / "src" / "hsieve"
HEAD = ("package", "lines", "code", "files", "one importer")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def lines_of_code(path):
    """Return the number of lines that hold code."""
    with tokenize.open(path) as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    lines = {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(parsed(path)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def parsed(path):
    """Return the syntax tree of a file."""
    return ast.parse(path.read_bytes())


def module_name(path, folder):
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path, name, modules):
    """Return the modules of the package that a file imports."""
    base = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = base[: len(base) + 1 - node.level] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            # A name is a module of its own, or something inside the one it comes from.
            names = {f"{origin}.{alias.name}" for alias in node.names}
            found |= (names & modules) | ({origin} if names - modules else set())
    return (found & modules) - {name}


def table(folder):
    """Return a row for each package directly in the folder, one for its own modules, and a sum."""
    paths = {module_name(path, folder): path for path in sorted(folder.rglob("*.py"))}
    importers = defaultdict(list)
    for name, path in paths.items():
        for module in imported(path, name, set(paths)):
            importers[module].append(path.stem)
    rows = {}
    for name, path in paths.items():
        inside = path.relative_to(folder).parts
        package = inside[0] if len(inside) > 1 else "(modules)"
        lines = len(path.read_text(encoding="utf-8").splitlines())
        lonely = len(importers[name]) == 1 and importers[name] != ["__init__"]
        row = lines, lines_of_code(path), 1, int(lonely)
        rows[package] = [a + b for a, b in zip(rows.get(package, [0] * 4), row, strict=True)]
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    return [*sorted(rows.items()), ("total", total)]


def main():
    """Print the table of a folder, with aligned columns."""
    rows = table(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else USUAL)
    width = max(len(name) for name, _ in [*rows, (HEAD[0], None)])
    print(f"{HEAD[0]:<{width}}", *(f"{word:>{len(word) + 4}}" for word in HEAD[1:]))
    for name, numbers in rows:
        cells = zip(numbers, HEAD[1:], strict=True)
        print(f"{name:<{width}}", *(f"{number:>{len(word) + 4},}" for number, word in cells))


if __name__ == "__main__":
    main()
