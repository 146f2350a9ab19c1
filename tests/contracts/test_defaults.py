"""Default values are those that the docstrings promise."""

import ast
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

PACKAGES = (
    "classifiers",
    "interactions",
    "selectors",
    "inference",
    "kernels",
    "measures",
    "solvers",
    "strategies",
)
PARAMETER = re.compile(r"^ *(\w+(?:, \w+)*) : .*\bdefault=(.+?)$", re.MULTILINE)
NAMED = {
    "len": len,
    "float64": np.float64,
    "(float64, float32)": (np.float64, np.float32),
    "2**30": 2**30,
    "2**62": 2**62,
}
MODULES = [
    found.name
    for package in PACKAGES
    for found in pkgutil.iter_modules(
        importlib.import_module(f"hsieve.{package}").__path__, f"hsieve.{package}."
    )
]


def documented(docstring):
    """Name and text of each default in the section of parameters."""
    section = docstring.split("Parameters\n", 1)[-1].split("Returns\n")[0]
    for names, text in PARAMETER.findall(section):
        for name in names.split(", "):
            yield name, text.rstrip(".")


def is_promised(real, text):
    """Whether a default is what its text says; of a list with dots the ends count."""
    if text in NAMED:
        return real == NAMED[text]
    try:
        expected = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return repr(real) == text
    if isinstance(expected, tuple) and ... in expected:
        return (real[0], real[-1]) == (expected[0], expected[-1])
    return (type(real), real) == (type(expected), expected)


def public_things(module):
    """Functions and classes that a module defines, and the methods of its classes."""
    for thing in vars(module).values():
        if getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(thing) or inspect.isclass(thing):
            yield thing
        if inspect.isclass(thing):
            yield from (method for method in vars(thing).values() if inspect.isfunction(method))


@pytest.mark.parametrize("name", MODULES)
def test_defaults_are_those_of_the_docstring(name):
    module = importlib.import_module(name)
    for thing in public_things(module):
        parameters = inspect.signature(thing).parameters if thing.__doc__ else {}
        for parameter, text in documented(thing.__doc__ or ""):
            if parameter not in parameters:
                continue
            default = parameters[parameter].default
            if repr(default) != "<factory>":  # of a dataclass, made anew each time
                assert is_promised(default, text), f"{thing}: {parameter}={default!r}, not {text}"
