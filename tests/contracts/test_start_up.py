"""What is imported, and when: help and version at once, numeric packages when a name is used."""

import subprocess
import sys

import pytest

import hsieve

HEAVY = ("joblib", "numpy", "pyarrow", "scipy", "sklearn")


def imported_by(code, *arguments):
    """Run code in a process of its own and tell which of the heavy packages it imported."""
    listed = f"lambda: print(*set({HEAVY}) & sys.modules.keys())"
    finished = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import atexit, sys; atexit.register({listed})\n{code}",
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return finished.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["select", "--help"], ["compare", "--help"]],
    ids=" ".join,
)
def test_version_and_help_import_no_numeric_package(arguments):
    assert imported_by("from hsieve.cli.main import run; run()", *arguments) == []


def test_importing_the_package_imports_nothing_that_is_not_used():
    assert imported_by("import hsieve") == []
    assert "sklearn" in imported_by("import hsieve; hsieve.BAHSIC")


def test_every_public_name_is_found_and_listed():
    assert all(hasattr(hsieve, name) for name in hsieve.__all__)
    assert set(hsieve.__all__) <= set(dir(hsieve))
    with pytest.raises(AttributeError, match="BAHSICK"):
        _ = hsieve.BAHSICK
