"""A limit of memory is kept on large data, as the system measures it in a process of its own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.parallel.test_measured_memory import ALLOWANCE, stored, taken

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak of one fit"
    ),
]


@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize(
    ("selector", "source"),
    [
        *(("N3LARS", source) for source in ("array", "mapped", "parquet")),
        *((selector, "array") for selector in ("HSICLasso", "MaxRelevance", "MRMR")),
    ],
)
def test_a_limit_is_kept_on_more_data(
    tmp_path: Path, selector: str, source: str, form: str
) -> None:
    """Some 50 million values; codes of all would take more than the limit."""
    limit = 48 * 10**6
    shape = (10_000, 5_000)
    place = {"shape": shape} if source == "array" else stored(tmp_path, shape, source)
    found = taken(tmp_path, selector, limit, options={"form": form}, **place)
    assert found < limit + ALLOWANCE


@pytest.mark.parametrize(
    ("selector", "shape", "options", "limit"),
    [
        ("InteractionScan", (1_000, 2_000), {"n_permutations": 2}, 48 * 10**6),
        ("InteractionScan", (1_000, 1_000), {"screen": 100, "screen_by": "relevance"}, 40 * 10**6),
        ("InteractionScan", (300, 100), {"order": 3, "n_permutations": 1}, 48 * 10**6),
        ("N3LARS", (1_000, 600), {"interactions": "pairs"}, 64 * 10**6),
        ("LPBoostMKL", (1_200, 20), {}, 100 * 10**6),
    ],
)
def test_a_limit_is_kept_by_searches_for_pairs_and_kernels(
    tmp_path: Path, selector: str, shape: tuple[int, int], options: Any, limit: int
) -> None:
    classes = selector == "LPBoostMKL"
    found = taken(tmp_path, selector, limit, shape=shape, options=options, classes=classes)
    assert found < limit + ALLOWANCE


def test_the_memory_limit_is_kept(tmp_path):
    """Anonymous memory of a fresh process, against a file four times the limit."""
    path = tmp_path / "X.npy"
    rng = np.random.default_rng(0)
    n_samples, n_features = 20_000, 10_000
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n_samples, n_features))
    for start in range(0, n_features, 500):
        X[:, start : start + 500] = rng.standard_normal((n_samples, 500), dtype=np.float32)
    np.save(tmp_path / "y.npy", X[:, 0] ** 2 + X[:, 1])
    X.flush()
    script = (
        "import numpy as np, sys, threading, time, psutil\n"
        "from hsieve import N3LARS\n"
        f"X = np.load({str(path)!r}, mmap_mode='r')\n"
        f"y = np.load({str(tmp_path / 'y.npy')!r})\n"
        "N3LARS(2).fit(np.array(X[:50, :20]), y[:50])\n"
        "me, peak = psutil.Process(), [0]\n"
        "def own():\n"
        "    info = me.memory_info()\n"
        "    return info.rss - info.shared\n"
        "before = own()\n"
        "def watch():\n"
        "    while True:\n"
        "        peak[0] = max(peak[0], own())\n"
        "        time.sleep(0.002)\n"
        "threading.Thread(target=watch, daemon=True).start()\n"
        "chosen = N3LARS(5, memory_limit='200MB').fit(X, y).selected_indices_\n"
        "print(peak[0] - before, sorted(chosen[:2].tolist()))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    used, chosen = done.stdout.decode().split(maxsplit=1)
    assert chosen.strip() == "[0, 1]"
    assert int(used) < 200e6
