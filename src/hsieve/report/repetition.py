"""How to get a selection again: Python code, a command line, versions and the seed."""

import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from hsieve.report.constructors import Constructor, changed_parameters
from hsieve.report.evidence import Evidence
from hsieve.report.names import legible

__all__ = ["COMMANDS", "Origin", "quoted", "repetition"]

PACKAGES = ("hsieve", "numpy", "scipy", "scikit-learn")
POSITIONS_NAMED = 10
MOST_NAMES = 20
LONGEST_CODE = 20_000
# Names of selectors on the command line, for those that it makes without further settings.
COMMANDS = {
    "BAHSIC": "bahsic",
    "BackwardLSMI": "backward-lsmi",
    "FCBF": "fcbf",
    "FOHSIC": "fohsic",
    "ForwardLSMI": "forward-lsmi",
    "HITONPC": "hiton-pc",
    "HSICLasso": "hsic-lasso",
    "KernelPursuit": "pursuit",
    "KernelSVMRFE": "kernel-svm-rfe",
    "L1HSIC": "l1-hsic",
    "L1LSMI": "l1-lsmi",
    "L1SVM": "l1-svm",
    "LaplacianScore": "laplacian-score",
    "LassoSelector": "lasso",
    "MRMR": "mrmr",
    "MaxRelevance": "mr-nhsic",
    "N3LARS": "n3lars",
    "QPFS": "qpfs",
    "RandSel": "randsel",
    "ReliefF": "relieff",
    "SPEC": "spec",
    "SVMRFE": "svm-rfe",
    "SpAM": "spam",
}


@dataclass(frozen=True)
class Origin:
    """Where a selection comes from, as far as whoever asks for the report knows.

    Parameters
    ----------
    command : str, default=""
        The command line that made it.
    reading : str, default=""
        Lines of Python that read the data.
    X, y : str, default="X", "y"
        What features and target are called after these lines.
    warnings : tuple of str, default=()
        Warnings that were given.
    notes : tuple of str, default=()
        Sentences to be shown with the result.
    """

    command: str = ""
    reading: str = ""
    X: str = "X"
    y: str = "y"
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def repetition(
    selector: Any, evidence: Evidence, origin: Origin, names: Sequence[str], target_name: str
) -> dict[str, Any]:
    """Say how to get a selection again.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    evidence : Evidence
        What the data tell.
    origin : Origin
        Where it comes from.
    names : sequence of str
        Names of all features.
    target_name : str
        What the target is called.

    Returns
    -------
    dict
        Python code, command line (or None) with what it needs, versions and the seed.
    """
    made = Constructor(selector)
    command, needs = origin.command, ""
    if not command:
        command = _command(selector, names, target_name)
        needs = (
            "For the same columns in a table data.csv, the target among them." if command else ""
        )
    seed = selector.get_params(deep=False).get("random_state", "none")
    return {
        "python": _python(selector, made, evidence, origin),
        "gaps": made.gaps,
        "command": command or None,
        "command_needs": needs,
        "seed": _seed_in_words(seed),
        "versions": _versions(),
    }


def quoted(argument: str) -> str:
    r"""Quote an argument for a shell, with nothing in it that cannot be seen.

    Parameters
    ----------
    argument : str
        Any text.

    Returns
    -------
    str
        The argument as it can be typed.

    Examples
    --------
    >>> print(quoted("two words"), quoted("two\nlines"))
    'two words' $'two\nlines'
    """
    if argument.isprintable():
        return shlex.quote(argument)
    escaped = argument.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{legible(escaped)}'"


def _python(selector: Any, made: Constructor, evidence: Evidence, origin: Origin) -> str:
    """Write the code."""
    lines = [*made.imports]
    if origin.reading:
        lines += [origin.reading]
    else:
        size = f"{selector.n_features_in_:,} features"
        if evidence.n_samples is not None:
            size = f"{evidence.n_samples:,} samples of {size}"
        lines += ["", f"# X holds {size}, y is the target."]
    if made.gaps:
        lines.append(f"# Not written out, and None below: {', '.join(made.gaps)}.")
    lines.append(f"selector = {made.expression}")
    lines.append(f"selector.fit({origin.X}, {origin.y})")
    chosen = selector.selected_indices_.tolist()
    shown = ", ".join(map(str, chosen[:POSITIONS_NAMED]))
    more = ", ..." if len(chosen) > POSITIONS_NAMED else ""
    lines.append(f"selector.selected_indices_  # [{shown}{more}]")
    code = "\n".join(lines)
    if len(code) > LONGEST_CODE:
        name = type(selector).__name__
        return f"# The parameters are too long to be written here.\nselector = {name}(...)"
    return code


def _command(selector: Any, names: Sequence[str], target_name: str) -> str:
    """Write a command line that does the same with a file; empty if there is none."""
    method = COMMANDS.get(type(selector).__name__)
    if method is None:
        return ""
    words = ["hsieve", "select", "data.csv", "--target", target_name, "--method", method]
    for key, value in changed_parameters(selector).items():
        option = _option(key, value, names)
        if option is None:
            return ""
        words += option
    return " ".join(map(quoted, words))


def _option(key: str, value: Any, names: Sequence[str]) -> list[str] | None:
    """Write a parameter as options; None if there is no such option."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if key == "n_features_to_select" and (is_whole or isinstance(value, str)):
        return ["-k", str(value)]
    if key == "random_state" and is_whole:
        return ["--random-state", str(value)]
    if key in ("categorical", "covariates"):
        option = "--categorical" if key == "categorical" else "--covariate"
        listed = [item if isinstance(item, str) else names[item] for item in value]
        if len(listed) > MOST_NAMES:
            return None
        return [word for name in listed for word in (option, name)]
    if key == "interactions":
        return ["--interactions"] if value == "pairs" else None
    is_option = key in ("target_kind", "max_redundancy", "memory_limit")
    return [f"--{key.replace('_', '-')}", str(value)] if is_option else None


def _seed_in_words(seed: Any) -> str:
    """Say what the random choices depend on."""
    if isinstance(seed, str):
        return "The method makes no random choices."
    if seed is None:
        return "random_state=None: random choices differ from run to run."
    if isinstance(seed, int | np.integer):
        return f"random_state={int(seed)}: the same data give the same answer again."
    return (
        "random_state was a generator, whose state is not kept: random choices differ from run to "
        "run."
    )


def _versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # used from its sources, not installed
            continue
    return found
