"""Put changed functions, methods and constants of a module in place of those already imported.

Tests and other modules hold on to the functions they have imported. So the functions stay, and get
other code and other default values; constants are replaced wherever they were imported.
"""

import functools
import sys
from types import FunctionType, ModuleType

PLAIN = (int, float, str, bool, tuple, list, dict, set, frozenset, type(None))


def patched(path: str, changed: str) -> bool:
    """Put the changed source of a file in place; False if nothing imported differs by it."""
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    old, new = sys.modules[name], ModuleType(name)
    new.__file__ = old.__file__
    exec(compile(changed, old.__file__, "exec"), vars(new))
    return _replaced(old, new, name)


def _replaced(old, new, module: str) -> bool:
    """Go through a module or a class and put everything new in place."""
    any_changed = False
    for name, value in list(vars(new).items()):
        before = vars(old).get(name)
        if isinstance(value, type) and isinstance(before, type):
            if value.__module__ == module and before is not value:
                any_changed |= _replaced(before, value, module)
        elif (function := _function(value)) is not None and _function(before) is not None:
            for one, other in zip(_function(before), function, strict=True):
                any_changed |= _recoded(one, other)
        elif isinstance(value, PLAIN) and not name.startswith("__") and _differ(before, value):
            any_changed = True
            holders = [old] if isinstance(old, type) else _importers(name, before, old)
            for holder in holders:
                setattr(holder, name, value)
    return any_changed


def _importers(name: str, value, own) -> list[ModuleType]:
    """Give the module itself, and those of ours that imported a constant from it."""
    others = [
        module for key, module in sys.modules.items() if key.split(".")[0] in ("hsieve", "tests")
    ]
    return [own, *(module for module in others if vars(module).get(name, own) is value)]


def _function(value) -> list[FunctionType] | None:
    """Give the functions inside a function, a method or a property; None if there are none."""
    if isinstance(value, property):
        return [one for one in (value.fget, value.fset) if one is not None]
    if isinstance(value, functools.cached_property):
        return [value.func]
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return [value] if isinstance(value, FunctionType) else None


def _recoded(old: FunctionType, new: FunctionType) -> bool:
    """Give a function other code and other default values; False if they are the same."""
    differs = old.__code__ != new.__code__
    if differs:
        old.__code__ = new.__code__
    for part in ("__defaults__", "__kwdefaults__"):
        before, after = getattr(old, part), getattr(new, part)
        if _differ(before, after):
            setattr(old, part, after)
            differs = True
    return differs


def _differ(before, after) -> bool:
    """Whether two constants differ; those that print with an address are taken for the same."""
    return repr(before) != repr(after) and " at 0x" not in repr(after)
