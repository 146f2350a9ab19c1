"""Names that pages may use: those of the package, and those of scikit-learn."""

import ast
import importlib
import inspect
import re
from functools import cache

from sklearn.utils.discovery import all_estimators

MODULES = (
    "",
    ".kernels",
    ".kernels.subsets",
    ".measures",
    ".strategies",
    ".inference",
    ".inference.stability",
    ".selectors",
    ".classifiers",
    ".interactions.result",
    ".interactions.scan",
    ".report",
    ".parallel",
    ".exceptions",
    ".datasets",
    ".data.sequences",
    ".io",
)
# Of the language, of scikit-learn beside its estimators, of other packages that pages name.
ELSEWHERE = {
    *("True", "False", "None", "NaN", "ImportError", "ValueError", "TypeError"),
    *("GridSearchCV", "GroupKFold", "Pipeline", "Client", "SparkSession", "BorutaPy"),
    *(name for name, _ in all_estimators()),
}
INLINE = re.compile(r"(?<![`}])`([^`\n]+)`(?!`)")
CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")


@cache
def known():
    """Public names of the package, with what they stand for."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module("hsieve" + module_name)
        for name in public_names(module):
            found[name] = getattr(module, name)
    return found


def public_names(module):
    """Names that a module lists; without a list, those of what it defines."""
    own = [name for name, obj in vars(module).items() if _is_from(module, obj) and name[0] != "_"]
    return getattr(module, "__all__", own)


@cache
def keywords():
    """Names of the parameters of all that is public."""
    return {key for obj in known().values() if callable(obj) for key in _safe_parameters(obj)}


def parameters(obj):
    """Names of the parameters of a class or function."""
    return set(inspect.signature(obj).parameters)


def unknown_in_code(code, names):
    """What code asks of the package that is not there: imports, and keywords of calls."""
    missing = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hsieve":
            module = importlib.import_module(node.module)
            missing += [a.name for a in node.names if not hasattr(module, a.name)]
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", None))
            if called in names and callable(names[called]):
                allowed = parameters(names[called])
                missing += [
                    f"{called}({keyword.arg}=)"
                    for keyword in node.keywords
                    if keyword.arg and keyword.arg not in allowed
                ]
    return missing


def unknown_inline(text, names, source):
    """What the inline code of a page names that is not there.

    Looked at are names and calls of classes, parameters written as ``name=value``, and attributes
    of fitted selectors, which end in an underscore.
    """
    missing = []
    for code in INLINE.findall(text):
        first = re.match(r"[\w.]+", code)
        name = first.group().split(".")[0] if first else ""
        if is_class_name(name) and name not in names and name not in ELSEWHERE:
            # Pages for developers name classes that are not public.
            if not re.search(rf"^class {name}\b", source, re.MULTILINE):
                missing.append(code)
        elif is_unknown_attribute(code, source) or is_unknown_parameter(code):
            missing.append(code)
        elif "(" in code:
            missing += _unknown_call(code, names)
    return missing


def is_class_name(name):
    """Tell whether a name looks like that of a class; all in capitals it may be anything."""
    return bool(CAMEL.fullmatch(name)) and not name.isupper()


def is_unknown_attribute(code, source):
    """Tell whether this is an attribute of a fitted object that the sources do not know."""
    return bool(re.fullmatch(r"[a-z]\w*_", code)) and code not in source


def is_unknown_parameter(code):
    """Tell whether this is ``name=value`` with a name that nothing public takes."""
    match = re.fullmatch(r"([a-z]\w*)=.*", code)
    return match is not None and match[1] not in keywords()


def _is_from(module, obj):
    return getattr(obj, "__module__", None) == module.__name__


def _unknown_call(code, names):
    try:
        return unknown_in_code(code.replace("...", "None"), names)
    except SyntaxError:
        return []


def _safe_parameters(obj):
    try:
        return parameters(obj)
    except ValueError:  # of warnings and errors, which say nothing of theirs
        return set()
