"""The benchmark still runs, and writes and reads what it says; no time is asserted."""

import shutil
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
EPI_CC = """\
CHR1    SNP1 CHR2    SNP2         STAT   DF            P
   1      v3    1     v20      38.4423    4    9.082e-08
   1      v7    1     v12      39.0001    2    3.391e-09
   1      v9    1     v11           NA    0           NA
"""


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_interactions

    return bench_interactions


def unpacked(data, n, d):
    """Numbers of minor alleles in the bytes of a .bed file, read bit by bit as PLINK defines it."""
    assert data[:3] == b"\x6c\x1b\x01"
    rows = np.frombuffer(data[3:], dtype=np.uint8).reshape(d, -1)
    alleles = {0b00: 2, 0b10: 1, 0b11: 0}
    return np.array(
        [[alleles[row[i // 4] >> 2 * (i % 4) & 0b11] for i in range(n)] for row in rows.tolist()]
    ).T


@pytest.mark.parametrize("n", [7, 8, 9])
def test_genotypes_come_back_from_the_bytes(bench, tmp_path, rng, n):
    X = rng.integers(0, 3, (n, 5)).astype(np.uint8)
    bench.write_plink(tmp_path, X, np.arange(n) % 2)
    data = (tmp_path / "g.bed").read_bytes()
    assert len(data) == 3 + 5 * -(-n // 4)
    np.testing.assert_array_equal(unpacked(data, n, 5), X)


def test_variants_and_people_are_listed_in_the_order_of_the_bytes(bench, tmp_path, rng):
    bench.write_plink(tmp_path, rng.integers(0, 3, (6, 4)), np.array([0, 1, 1, 0, 0, 1]))
    variants = [line.split() for line in (tmp_path / "g.bim").read_text().splitlines()]
    assert [line[1] for line in variants] == ["v0", "v1", "v2", "v3"]
    assert [line[3] for line in variants] == ["1", "2", "3", "4"]
    people = [line.split() for line in (tmp_path / "g.fam").read_text().splitlines()]
    assert [line[5] for line in people] == ["1", "2", "2", "1", "1", "2"]


def test_the_best_pair_is_that_of_the_lowest_p_value(bench, tmp_path):
    file = tmp_path / "out.epi.cc"
    file.write_text(EPI_CC)
    assert bench.read_best_pair(file) == [7, 12]
    file.write_text(EPI_CC.splitlines()[0])
    assert bench.read_best_pair(file) == []


def test_genotypes_have_an_interaction_and_no_effects_of_their_own(bench, tmp_path):
    pair = bench.write_genotypes(tmp_path, (4000, 30), width=7)
    X, y = np.load(tmp_path / "X.npy"), np.load(tmp_path / "y.npy")
    assert X.dtype == np.uint8
    assert X.flags.f_contiguous
    assert set(np.unique(X)) == {0, 1, 2}
    mixed = X[:, pair] == 1
    one = mixed.sum(axis=1) == 1
    assert y[one].mean() - y[~one].mean() == pytest.approx(2 * bench.RISK, abs=0.06)
    for own in mixed.T:
        assert y[own].mean() - y[~own].mean() == pytest.approx(0, abs=0.06)


def test_ours_runs_in_a_process_of_its_own_and_finds_the_pair(bench, tmp_path, capsys):
    pair = bench.write_genotypes(tmp_path, (300, 40))
    task = {"part": "ours", "folder": str(tmp_path), "settings": {}}
    cost = bench.compare_one("ours", task, pair, 1)
    assert " yes " in capsys.readouterr().out
    assert cost.seconds > 0


def test_plink_is_watched_and_its_answer_read(bench, tmp_path, monkeypatch):
    """With a program in its place that writes what PLINK would."""
    program = tmp_path / "plink"
    program.write_text(
        f"#!/bin/sh\necho '780 valid tests performed'\ncat > out.epi.cc <<'END'\n{EPI_CC}END\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(bench, "PLINK", str(program))
    run = bench.measure_here({"part": "plink", "folder": str(tmp_path)})
    assert (run["best"], run["pairs"]) == ([7, 12], 780)
    program.write_text("#!/bin/sh\necho 'Error: no such file'\n")
    with pytest.raises(bench.MeasurementError, match="no such file"):
        bench.measure_here({"part": "plink", "folder": str(tmp_path)})


def test_xor_task_finds_the_pair(bench, monkeypatch):
    monkeypatch.setattr(bench, "XOR_FEATURES", 50)
    task = {"part": "xor", "kind": "binary", "n": 200, "seed": 1, "settings": {}}
    run = bench.measure_here(task)
    assert run["found"]
    assert run["ratio"] > 1
    assert run["pairs"] == 50 * 49 // 2


def test_without_plink_it_is_said_what_to_install(bench, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(bench, "PEERS_SHAPE", (200, 30))
    monkeypatch.setattr(bench, "OURS", {"ours": {"n_permutations": 0}})
    bench.compare_peers(1)
    told = capsys.readouterr().out
    assert "the Debian package plink1.9" in told
    assert "ours" in told
