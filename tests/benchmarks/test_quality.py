"""The benchmark of quality: its tables are as described, and it counts what it says it counts."""

import json
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import quality

    return quality


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import quality_tables

    return quality_tables


def test_halves_share_no_table_and_leave_none_out(tables):
    tuning, reporting = (set(half) for half in tables.HALVES.values())
    assert not tuning & reporting
    assert len(tuning | reporting) == tables.N_MADE + len(tables.REAL)
    assert sum(name.startswith("made-") for name in reporting) == tables.N_MADE // 2


def test_a_made_table_follows_from_its_number(tables, monkeypatch):
    monkeypatch.setattr(tables, "MOST_ROWS", 1_200)
    one, again, other = (tables.made_table(number) for number in (5, 5, 6))
    np.testing.assert_array_equal(one.X, again.X)
    np.testing.assert_array_equal(one.y, again.y)
    assert one.X.shape != other.X.shape


@pytest.mark.parametrize("number", range(8))
def test_true_features_make_the_target_and_copies_follow_them(number, tables, monkeypatch):
    monkeypatch.setattr(tables, "MOST_ROWS", 1_200)
    one = tables.made_table(number)
    n_features = one.X.shape[1]
    assert len(one.y) == len(one.X)
    assert not one.true & one.copies
    assert (one.true | one.copies) <= set(range(n_features))
    assert 2 <= len(one.true) <= 39
    if one.kind == "classes":
        assert np.unique(one.y, return_counts=True)[1].min() >= 10
    ranks = np.argsort(np.argsort(one.X, axis=0), axis=0).astype(float)
    shared = np.abs(np.corrcoef(ranks.T))
    for copy in one.copies:
        assert shared[copy, sorted(one.true)].max() > 0.6


def small(tables):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000, 5))
    return tables.QualityTable("made-99", X, X[:, 1] ** 2, "continuous", frozenset([1]))


def test_cells_are_judged_kept_and_not_run_again(quality, tables, tmp_path, monkeypatch):
    asked = []

    def broken(X, y, kind):
        asked.append(len(X))
        raise ValueError("out of order")

    selectors = {"all features": quality.by_nothing, "first": lambda X, y, kind: [1], "bad": broken}
    monkeypatch.setattr(quality, "SELECTORS", selectors)
    monkeypatch.setattr(quality, "table", lambda name: small(tables))
    monkeypatch.setattr(quality, "HALVES", {"reporting": ["made-99"]})
    results = tmp_path / "quality.jsonl"
    for _ in range(2):
        quality.run_table("made-99", list(selectors), set(quality.finished(results)), results)
    cells = [json.loads(line) for line in results.read_text().splitlines()]
    everything, first, bad = cells
    assert asked == [750]
    assert (first["precision"], first["recall"]) == (1.0, 1.0)
    assert (everything["precision"], everything["recall"]) == (0.2, 1.0)
    assert first["score"] > 0.95
    assert bad["failure"] == "ValueError: out of order"
    assert bad["score"] == 0.0
    rows = quality.rows_of(quality.finished(results), "reporting")
    assert rows[0] == "1 tables, 1 of them made"
    assert rows[3].startswith("| first | 1.0 ")


def test_mean_ranks_are_drawn(quality, tmp_path, monkeypatch):
    monkeypatch.setattr(quality, "HALVES", {"reporting": ["one", "two", "three"]})
    scores = {"hsieve.select": 0.9, "SHAP": 0.8, "lasso": 0.7}
    cells = {
        (table, 0, selector): {"score": score, "cpu": 1.0, "seconds": 1.0, "chosen": [0]}
        for table in ("one", "two", "three")
        for selector, score in scores.items()
    }
    quality.draw_ranks(cells, "reporting", tmp_path / "ranks.svg")
    assert "<svg" in (tmp_path / "ranks.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["select", "KernelPursuit"])
def test_a_copy_found_counts_as_its_original(quality, tables, method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    toy = tables.Toy(X, X[:, 2] ** 2, "continuous", {0}, {2: 0})
    assert quality.chosen_of(toy, method) == {0}
