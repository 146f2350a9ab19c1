"""Docstrings as Sphinx wants them, and references to what has its page under another name."""

import contextlib
import functools
import pydoc
import re
import sys

from sphinx.util.nodes import make_refnode

# Code between backticks stays as it is.
LITERAL = re.compile(r"(``.*?``|`.*?`)")
MARKUP = re.compile(r"(?<!\\)\||(?<=[A-Za-z0-9])_(?=[,)])")
PACKAGE = "hsieve"
# Their documentation cannot be asked for without network.
ELSEWHERE = ("numpy", "scipy", "sklearn", "matplotlib", "pandas")


def escape(*event):
    """Keep bars of absolute values and names that end in an underscore from being markup."""
    lines = event[-1]
    for place, line in enumerate(lines):
        if MARKUP.search(line) and not line.lstrip().startswith((">>>", "...", "|", "+")):
            parts = LITERAL.split(line)
            parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
            lines[place] = "".join(parts)


def skip_routing(*event):
    """Leave out methods that scikit-learn makes for the routing of metadata."""
    name = event[2]
    return True if re.fullmatch(r"set_\w+_request", name) else None


def resolve(app, env, node, contnode):
    """Link to the page an object has, whatever name it is referred to by.

    What exists in the package but has no page stays as text. What does not exist is left to
    Sphinx, which warns.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if target.split(".")[0] in ELSEWHERE and pydoc.locate(target) is not None:
        return contnode
    objects = _objects(target)
    if not objects:
        return None
    domain = env.domains["py"]
    for name, entry in domain.objects.items():
        if any(known is obj for known in _objects(name) for obj in objects):
            return make_refnode(
                app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, name
            )
    return contnode


@functools.cache
def _objects(target):
    """All objects of the package that a dotted name, full or from some module on, may mean."""
    names = target.split(".")
    found = []
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.split(".")[0] != PACKAGE:
            continue
        if module_name == target:
            found.append(module)
        # A full name is looked up in its module, any other in every module.
        prefix = f"{module_name}."
        rest = target.removeprefix(prefix).split(".") if target.startswith(prefix) else names
        with contextlib.suppress(AttributeError):
            found.append(functools.reduce(getattr, rest, module))
    return found


def setup(app):
    """Look at every docstring before it is read, and at references nobody else knows."""
    # After numpydoc, which rewrites sections.
    app.connect("autodoc-process-docstring", escape, priority=900)
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
