"""The protocol of Table 2, on small made-up data; and that the real data are what we say."""

import csv
import sys
import types

import numpy as np
import pytest

from hsieve.comparison.runner import run
from hsieve.selectors import N3LARS
from reproduction import n3lars_split, n3lars_table2, peer
from reproduction.__main__ import app
from reproduction.catalogue import EXPERIMENTS
from reproduction.experiment import Figure, Settings
from tests import needs
from tests.cli.running import invoke

EXPERIMENT = EXPERIMENTS["n3lars-table2"]
SIZES = (2, 4)
HEADER = ["group", "name", "n_samples", "n_features", "task", "n_classes", "source", "notes"]


def make_classes():
    """Three classes by two features; a constant column and a copy of one of the two."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 56))
    y = np.repeat([1, 2, 3], 20)
    X[:, 3] += 6.0 * (y == 1)
    X[:, 11] += 6.0 * (y == 2)
    X[:, 5] = 1.0
    X[:, 20] = X[:, 3] + 0.01 * rng.normal(size=60)
    return X, y


def make_curve():
    """A number that is a curve of one feature."""
    X = np.random.default_rng(1).normal(size=(60, 55))
    return X, 5 + np.sin(2 * X[:, 3])


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """The two sets as a collection, and as the tasks of the experiment."""
    (tmp_path / "toy").mkdir()
    with (tmp_path / "INDEX.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for name, task, make in (
            ("faces", "classification", make_classes),
            ("curve", "regression", make_curve),
        ):
            X, y = make()
            np.savez(tmp_path / "toy" / f"{name}.npz", X=X, y=y)
            classes = len(set(y.tolist())) if task == "classification" else ""
            rows.writerow(["toy", name, *X.shape, task, classes, "made up", ""])
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    published = {n3lars_table2.OURS: Figure(0.2, 0.01)}
    tasks = (
        n3lars_table2.Task("faces", "toy/faces", (70, 60), published),
        n3lars_table2.Task("curve", "toy/curve", (60, 31098), classes=False),
    )
    monkeypatch.setattr(n3lars_table2, "TASKS", tasks)


@pytest.fixture
def small(collection, monkeypatch):
    """Two numbers of features and one value of each parameter."""
    for module in (n3lars_split, n3lars_table2):
        monkeypatch.setattr(module, "SIZES", SIZES)
    for grid in ("COSTS", "RIDGES", "WIDTHS"):
        monkeypatch.setattr(n3lars_split, grid, (1.0,))


@pytest.fixture
def measured(monkeypatch):
    """Run with so many splits."""

    def measure(n_splits, **settings):
        monkeypatch.setattr(n3lars_table2, "N_SPLITS", n_splits)
        return run(EXPERIMENT, Settings(**settings)).records

    return measure


@pytest.fixture
def no_peer(monkeypatch):
    monkeypatch.setitem(sys.modules, peer.NAME, None)


@pytest.fixture
def noisy_peer(monkeypatch):
    """A stand-in for pyHSICLasso that prints, seeds the global generator and chooses the last."""

    class Noisy:
        def input(self, X, y):
            assert np.all(X.std(axis=0) > 0)
            self.n_features = X.shape[1]

        def classification(self, n_wanted, B, M, n_jobs):
            print("Block HSIC Lasso")
            np.random.seed(0)  # noqa: NPY002 - as the real one does
            self.chosen = list(range(self.n_features - n_wanted, self.n_features))

        regression = classification

        def get_index(self):
            return self.chosen

    module = types.ModuleType(peer.NAME)
    module.HSICLasso = Noisy
    monkeypatch.setitem(sys.modules, peer.NAME, module)


def test_redundancy_rate_is_the_mean_absolute_correlation():
    first, second = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    X = np.column_stack([first, second, -first - second])
    # Correlations 0, -1/sqrt(2) and -1/sqrt(2).
    assert n3lars_split.redundancy_rate(X) == pytest.approx(np.sqrt(2) / 3)


def test_printed_form_is_the_formula_of_the_paper(small, no_peer, measured):
    records = measured(1)
    cells = {(c.dataset, c.method, c.quantity): c.measured for c in EXPERIMENT.summarise(records)}
    X, y = make_classes()
    (train, _), *_ = n3lars_table2.StratifiedShuffleSplit(1, test_size=0.2, random_state=0).split(
        X, y
    )
    with pytest.warns(UserWarning, match="constant"):
        order = N3LARS(max(SIZES), target_kind="classes").fit(X[train], y[train]).selected_indices_
    rates = []
    for m in SIZES:
        rho = np.corrcoef(X[np.ix_(train, order[:m])], rowvar=False)
        total = sum(abs(rho[k, j]) for k in range(m) for j in range(k))
        rates.append(total / (m * (m - 1)))
    printed = cells["faces", n3lars_table2.OURS, n3lars_table2.PRINTED_RED]
    plain = cells["faces", n3lars_table2.OURS, n3lars_table2.RED]
    assert printed.mean == pytest.approx(np.mean(rates))
    assert plain.mean == pytest.approx(2 * np.mean(rates))


def test_features_that_make_the_target_predict_it(small, no_peer, measured):
    records = measured(2)
    cells = {(c.dataset, c.method, c.quantity): c.measured for c in EXPERIMENT.summarise(records)}
    for method in (n3lars_table2.OURS, n3lars_table2.HSIC_LASSO):
        assert cells["faces", method, n3lars_table2.ACCURACY].mean > 0.9
        # In units of the variance of the target, so 1 is the error of the mean.
        assert cells["curve", method, n3lars_table2.ERROR].mean < 0.7


def test_summary_averages_sizes_within_a_split_and_then_splits(collection):
    records = [
        {"dataset": "faces", "method": n3lars_table2.OURS, "trial": 0, "split": split}
        | {"m": m, "red": red, "score": 0.5}
        for split, m, red in [(0, 10, 0.1), (0, 20, 0.3), (1, 10, 0.3), (1, 20, 0.5)]
    ]
    plain, printed, accuracy, _ = EXPERIMENT.summarise(records)
    assert plain.measured.mean == pytest.approx(0.3)
    assert plain.measured.deviation == pytest.approx(0.1)
    assert plain.difference == pytest.approx(0.1)
    assert printed.measured.mean == pytest.approx(0.15)
    assert printed.difference == pytest.approx(-0.05)
    assert accuracy.published is None
    assert accuracy.difference is None


def test_without_the_peer_its_row_says_so_and_how_to_get_it(small, no_peer, tmp_path, monkeypatch):
    assert not peer.is_installed()
    monkeypatch.setattr(n3lars_table2, "N_SPLITS", 1)
    result = invoke("n3lars-table2", "--results", tmp_path / "results", app=app)
    assert result.exit_code == 0, result.output
    rows = [line for line in result.stdout.splitlines() if peer.NAME in line and "│" in line]
    assert len(rows) == 2
    assert all("not installed" in row for row in rows)
    assert peer.HOW_TO_GET in result.stdout


def test_peer_is_kept_quiet_and_leaves_the_global_generator_alone(noisy_peer, capsys):
    X, y = make_classes()
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    chosen = peer.select(X, y, 52, classes=True)
    assert np.random.random() == expected  # noqa: NPY002
    assert capsys.readouterr().out == ""
    # Column 5 is constant, so 55 are left, and the last 52 of these start after 0, 1 and 2.
    assert chosen.tolist() == [3, 4, *range(6, 56)]


def test_peer_selects_on_the_first_splits_only(small, noisy_peer, monkeypatch, measured):
    monkeypatch.setattr(n3lars_table2, "N_PEER_SPLITS", 1)
    records = measured(2)
    splits = {r["split"] for r in records if r["method"] == peer.NAME}
    assert splits == {0}
    cells = [c for c in EXPERIMENT.summarise(records) if c.method == peer.NAME]
    assert {c.quantity for c in cells} >= {n3lars_table2.RED, n3lars_table2.SHARED}
    assert "selects on 1 of the splits" in " ".join(EXPERIMENT.explain(records))


def test_peer_that_comes_later_is_added_to_what_is_there(small, request, tmp_path, monkeypatch):
    monkeypatch.setattr(n3lars_table2, "N_SPLITS", 1)
    request.getfixturevalue("no_peer")
    without = run(EXPERIMENT, Settings(), tmp_path / "results").records
    request.getfixturevalue("noisy_peer")
    cells = EXPERIMENT.summarise(without)
    assert {c.measured for c in cells if c.method == peer.NAME} == {n3lars_table2.NOT_YET}
    assert "has not been run on these data yet" in " ".join(EXPERIMENT.explain(without))
    records = run(EXPERIMENT, Settings(), tmp_path / "results").records
    assert [r for r in records if r["method"] != peer.NAME] == without
    assert len(records) == len(without) * 3 // 2


def test_records_are_flat_and_the_same_whatever_the_number_of_jobs(
    collection, no_peer, measured, monkeypatch
):
    monkeypatch.setattr(n3lars_table2, "TASKS", n3lars_table2.TASKS[1:])
    records = measured(1, seed=3)
    assert len(records) == 2 * len(n3lars_split.SIZES)
    assert all(isinstance(value, str | int | float) for r in records for value in r.values())
    assert records == measured(1, seed=3, jobs=2)


def test_another_trial_has_other_splits(small, no_peer, measured):
    records = measured(1, trials=2)
    first, second = ([r["red"] for r in records if r["trial"] == trial] for trial in (0, 1))
    assert len(first) == len(second)
    assert first != second


def test_explanation_tells_sizes_and_constant_columns(small, no_peer, measured):
    text = " ".join(EXPERIMENT.explain(measured(1)))
    assert "60 samples (paper: 70), 56 features (paper: 60)" in text
    assert "Some training parts of faces have columns with one single value" in text
    assert "curve: 60 samples" in text


def test_missing_collection_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    result = invoke("n3lars-table2", "--results", tmp_path / "results", app=app)
    assert result.exit_code == 2
    assert "HSIEVE_DATA" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.data
@needs.collection
def test_real_data_have_the_sizes_that_the_documentation_gives():
    shapes = {task.name: task.load()[0].shape for task in n3lars_table2.TASKS}
    assert shapes == {
        "warpAR10P": (130, 2400),
        "warpPIE10P": (210, 2420),
        "pixraw10P": (100, 10000),
        "orlraws10P": (100, 10304),
        "TOX-171": (171, 5748),
        "TRIM32, 200 probes": (120, 200),
        "TRIM32, 500 probes": (120, 500),
    }
