"""Licences of all packages that hsieve uses: `make licences` writes build/licences.md.

Names come from what is installed: the SPDX expression of a package if it has one, else what its
short text or classifiers say, else the wording of its licence file. The run fails on a licence that
is not allowed or not recognised, and on a locked package that is not in the list.

Usage: licences.py FILE
"""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("ci", "build")
GROUPS = ("test", "spark", "browser", "check", "docs", "build")

# These ask for no more than that their text be kept.
PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "LicenseRef-Public-Domain",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "Zlib",
}
# Binds changes of its own files only. Nothing that every user needs may have it.
BY_FILE = {"MPL-2.0"}

WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Read by hand, where the package itself says too little.
BY_HAND = {
    "axe-playwright-python": "MIT AND MPL-2.0",  # brings axe itself along
    # The GPL among its classifiers is of a file for Emacs that is not in the wheel.
    "docutils": "BSD-2-Clause AND LicenseRef-Public-Domain",
    **{  # the licence is in their sources only
        f"sphinxcontrib-{name}": "BSD-2-Clause"
        for name in ("applehelp", "devhelp", "htmlhelp", "qthelp", "serializinghtml")
    },
}
# Not installed on Linux, so that nothing can be read.
ELSEWHERE = {"colorama": "BSD-3-Clause"}

PLAIN_HEAD = ("| package | licence |", "|---|---|")
INTRODUCTION = """\
# Licences

hsieve is under the BSD-3-Clause licence. It needs the packages below, which are installed beside it
and keep their own licences. Names are those of SPDX.

What every user needs is permissive. What extras and tools need may also be under MPL-2.0, which
binds changes to its own files only. Wheels of numpy, scipy and scikit-learn contain libraries of
their compilers (OpenBLAS; GCC's runtime under GPL-3.0 with its runtime exception; libquadmath under
LGPL-2.1): if you redistribute *those wheels*, you redistribute these libraries, too.
"""


def project():
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements_of(group):
    """Return the lines of a dependency group, with those of the groups it includes."""
    groups = project()["dependency-groups"]
    for line in groups[group]:
        if isinstance(line, str):
            yield line
        else:
            yield from requirements_of(line["include-group"])


def needed(lines):
    """Return names of the packages that requirements lead to, one after another, on this system."""
    seen = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, *requirement.extras) not in seen:
            seen.add((name, *requirement.extras))
            lines = map(Requirement, metadata.requires(name) or ())
            waiting += [line for line in lines if applies(line, requirement.extras or {""})]
    return {name for name, *_ in seen}


def applies(requirement, extras):
    """Say whether a requirement holds on this system for one of the extras that are asked for."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def licence_of(name):
    """Return the SPDX expression of an installed package, or what it says if that is unclear."""
    if name in BY_HAND:
        return BY_HAND[name]
    about = metadata.metadata(name)
    if expression := about.get("License-Expression"):
        return canonicalize_license_expression(expression)
    classifiers = [
        line.split(" :: ")[-1]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: ")
    ]
    short = about.get("License", "").strip()
    for text in (short, *classifiers):
        try:
            return canonicalize_license_expression(WORDS.get(text, text))
        except InvalidLicenseExpression:
            continue
    texts = [short, *licence_files(name)]
    return next(filter(None, map(recognised, texts)), short[:60] or "unknown")


def licence_files(name):
    """Return the texts of the licence files that came with a package."""
    files = metadata.files(name) or ()
    return [
        Path(file.locate()).read_text(encoding="utf-8", errors="replace")
        for file in files
        if re.match(r"(licen[cs]e|copying)", file.name, re.IGNORECASE)
    ]


def recognised(text):
    """Return the licence that a text is known to be by its wording, or None."""
    words = " ".join(text.split())
    if "Redistributions of source code must retain" in words:
        third = re.search("Neither the names? of|may not be used to endorse", words, re.IGNORECASE)
        return "BSD-3-Clause" if third else "BSD-2-Clause"
    if "Permission is hereby granted, free of charge, to any person obtaining a copy" in words:
        return "MIT"
    if "Apache License" in words and "Version 2.0" in words:
        return "Apache-2.0"
    return None


def is_allowed(expression, licences):
    """Say whether one may choose licences out of an expression so that all of them are allowed."""
    if "(" in expression:  # none so far; better asked about than misread
        return False
    choices = [choice.split(" AND ") for choice in expression.split(" OR ")]
    return any(set(choice) <= licences for choice in choices)


def extras_of_packages(extras, every_user):
    """Return, for every package that only extras need, the names of those extras."""
    found = {}
    for extra, lines in extras.items():
        for name in needed(lines) - every_user:
            found.setdefault(name, []).append(extra)
    return found


def sections():
    """Return the parts of the page: title, packages with what asks for them, licences allowed."""
    about = project()["project"]
    every_user = needed(about["dependencies"])
    extras = extras_of_packages(about["optional-dependencies"], every_user)
    groups = [line for group in GROUPS for line in requirements_of(group)]
    tools = needed(groups) - every_user - set(extras)
    return [
        ("What every user needs", dict.fromkeys(every_user, ()), PERMISSIVE),
        ("What extras need", extras, PERMISSIVE | BY_FILE),
        ("Tests, checks and documentation", dict.fromkeys(tools, ()), PERMISSIVE | BY_FILE),
    ]


def not_allowed(parts):
    """Return a line for every package whose licence is not allowed for what it serves."""
    return [
        f"{name} ({title}): {licence_of(name)}"
        for title, packages, licences in parts
        for name in sorted(packages)
        if not is_allowed(licence_of(name), licences)
    ]


def tables(parts):
    """Return the tables of the page, in Markdown."""
    lines = []
    for title, packages, _ in parts:
        extra = any(packages.values())
        lines += [f"## {title}", ""]
        lines += ["| package | licence | extra |", "|---|---|---|"] if extra else [*PLAIN_HEAD]
        for name, extras in sorted(packages.items()):
            row = f"| {name} | {licence_of(name)} |"
            lines.append(f"{row} {', '.join(extras)} |" if extra else row)
        lines.append("")
    lines += ["## On Windows also", "", *PLAIN_HEAD]
    lines += [f"| {name} | {licence} |" for name, licence in ELSEWHERE.items()]
    return "\n".join(lines)


def not_listed(parts):
    """Return the locked packages that are in no part."""
    listed = {name for _, packages, _ in parts for name in packages} | set(ELSEWHERE)
    texts = [(ROOT / "requirements" / f"{lock}.txt").read_text("utf-8") for lock in LOCKS]
    locked = {name for text in texts for name in re.findall(r"^([a-z0-9.-]+)==", text, re.M)}
    return sorted(locked - listed)


def main():
    """Write the list, unless something is missing from it or not allowed."""
    parts = sections()
    if wrong := not_allowed(parts):
        sys.exit("licences that are not allowed (tools/licences.py):\n  " + "\n  ".join(wrong))
    if missing := not_listed(parts):
        sys.exit(f"locked, but not installed, so that the licence is not known: {missing}")
    path = Path(sys.argv[1])
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{INTRODUCTION}\n{tables(parts)}\n", encoding="utf-8")
    print(f"{path}: {sum(len(packages) for _, packages, _ in parts)} packages")


if __name__ == "__main__":
    main()
