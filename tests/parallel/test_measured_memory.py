"""A limit of memory is kept, as the system measures it in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
# What comes on top whatever the limit: pages that the allocator has half used, stacks of threads,
# and buffers of readers.
ALLOWANCE = 8 * 10**6

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak of one fit"
)


def taken(scratch: Path, selector: str, limit: int, **problem: Any) -> int:
    """Bytes that a fit takes beside its data."""
    given = scratch / "problem.json"
    usual = {"classes": False, "options": {}, "source": "array"}
    given.write_text(json.dumps({**usual, "selector": selector, "limit": limit, **problem}))
    measured = subprocess.run(
        [sys.executable, "-m", "tests.parallel.memory_of_fits", str(given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert measured.returncode == 0, measured.stderr
    print(f"{selector} {problem}: {int(measured.stdout) / 1e6:.1f} of {limit / 1e6:.0f} MB")
    return int(measured.stdout)


def stored(folder: Path, shape: tuple[int, int], source: str) -> dict[str, Any]:
    """Write data to a file and say where they are."""
    X = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    X = np.column_stack([X, X[:, 3] + np.abs(X[:, 7])])
    if source == "mapped":
        np.save(folder / "all.npy", X)
        return {"file": str(folder / "all.npy"), "target": "-1", "source": source}
    names = [*(f"x{feature}" for feature in range(shape[1])), "y"]
    table = pa.table(dict(zip(names, X.T, strict=True)))
    pq.write_table(table, folder / "all.parquet", row_group_size=len(X) // 2)
    return {"file": str(folder / "all.parquet"), "target": "y", "source": source}


def test_a_limit_is_kept_with_threads(tmp_path: Path) -> None:
    limit = 32 * 10**6
    options = {"form": "coded", "engine": {"name": "threads", "n_workers": 4}}
    found = taken(tmp_path, "N3LARS", limit, shape=[2_000, 2_000], options=options)
    assert found < limit + ALLOWANCE


def test_a_limit_is_kept_by_a_search_for_interactions(tmp_path: Path) -> None:
    limit = 32 * 10**6
    options = {"n_permutations": 1, "n_jobs": 2}
    found = taken(tmp_path, "InteractionScan", limit, shape=[300, 600], options=options)
    assert found < limit + ALLOWANCE


def test_a_limit_is_kept_on_a_file(tmp_path: Path) -> None:
    limit = 32 * 10**6
    found = taken(tmp_path, "N3LARS", limit, **stored(tmp_path, (2_000, 2_000), "parquet"))
    assert found < limit + ALLOWANCE
