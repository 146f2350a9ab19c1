"""Every benchmark can be imported: what it names of the package is there."""

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_benchmarks_can_be_imported(name, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import_module(name)
