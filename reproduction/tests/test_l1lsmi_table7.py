"""The protocol of Table 7 of the l1-LSMI paper, on small made-up data."""

import csv

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR

from hsieve.comparison.runner import planned, run
from hsieve.kernels import resolve_bandwidth, squared_distances
from reproduction import l1lsmi_errors, l1lsmi_table7
from reproduction.collection import DatasetNotFoundError
from reproduction.experiment import Figure, Settings, restricted
from reproduction.l1lsmi_errors import is_worse, n_tops, n_wins
from tests import needs

EXPERIMENT = l1lsmi_table7.EXPERIMENT
HEADER = ["group", "name", "n_samples", "n_features", "task", "n_classes", "source", "notes"]
QUICK = ["PC", "mRMR", "Relief"]


def make_classes():
    """Three classes by two features; a constant column."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], [30, 20, 10])
    X = rng.normal(size=(60, 7))
    X[:, 3] += 4.0 * (y == 1)
    X[:, 5] += 4.0 * (y == 2)
    X[:, 6] = 1.0
    return X, y


def make_curve():
    """A number that is a curve of one feature."""
    X = np.random.default_rng(1).normal(size=(60, 6))
    return X, 5 + np.sin(2 * X[:, 3])


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """The two sets as a collection, and as the tasks of the experiment."""
    (tmp_path / "l1lsmi").mkdir()
    with (tmp_path / "INDEX.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for name, task, (X, y) in (
            ("three", "classification", make_classes()),
            ("curve", "regression", make_curve()),
        ):
            np.savez(tmp_path / "l1lsmi" / f"{name}.npz", X=X, y=y)
            classes = 3 if task == "classification" else ""
            rows.writerow(["l1lsmi", name, *X.shape, task, classes, "made up", ""])
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    tasks = (
        l1lsmi_table7.Task("three", 7, 3, {"PC": Figure(0.1, 0.0)}),
        l1lsmi_table7.Task("curve", 6, 0, {"PC": Figure(0.3, 0.0)}),
    )
    monkeypatch.setattr(l1lsmi_table7, "TASKS", tasks)
    monkeypatch.setattr(l1lsmi_table7, "N_ROWS", 40)


def test_the_twenty_data_sets_have_the_sizes_of_the_paper():
    tasks = {task.name: task for task in l1lsmi_table7.TASKS}
    assert len(tasks) == 20
    assert {task.n_selected for task in tasks.values()} == {4, 10, 20}
    assert tasks["ionosphere"].n_selected == 4
    assert tasks["satimage"].n_selected == tasks["sonar"].n_selected == 10
    assert tasks["musk1"].n_selected == tasks["isolet"].n_selected == 20
    assert tasks["isolet"].published["L1-LSMI"] == Figure(0.27, 0.03)
    assert tasks["housing"].published["Relief"] == Figure(4.10, 0.21)


def test_methods_are_those_that_the_authors_ran():
    for task in l1lsmi_table7.TASKS:
        assert ("Lasso" in task.methods) == (task.n_classes <= 2)
        assert task.methods == tuple(task.published)


@pytest.mark.parametrize("seed", [0, 1])
def test_drawn_rows_keep_the_shares_of_classes(seed):
    y = np.repeat([0, 1, 2], [300, 90, 10])
    rows = l1lsmi_errors.draw_rows(y, 40, classes=True, seed=seed)
    assert np.bincount(y[rows]).tolist() == [30, 9, 1]
    assert len(set(rows.tolist())) == 40


def test_drawn_rows_keep_the_shares_of_quantiles():
    y = np.random.default_rng(0).exponential(size=400)
    rows = l1lsmi_errors.draw_rows(y, 80, classes=False, seed=0)
    tenths = np.searchsorted(np.quantile(y, np.arange(1, 10) / 10), y[rows])
    assert np.bincount(tenths).tolist() == [8] * 10
    other = l1lsmi_errors.draw_rows(y, 80, classes=False, seed=1)
    assert rows.tolist() != other.tolist()


def test_few_rows_are_all_taken():
    assert l1lsmi_errors.draw_rows(np.arange(7), 7, classes=False, seed=0).tolist() == [*range(7)]


@pytest.mark.parametrize("classes", [True, False])
def test_smallest_error_is_that_of_a_literal_grid_search(classes):
    X, y = make_classes() if classes else make_curve()
    X = X[:, [3, 0]]
    folds = l1lsmi_errors.make_folds(y, classes=classes, seed=3)
    # Folds of equal size, so the pooled error is the mean over folds.
    assert {len(test) for _, test in folds} == {12}
    median = resolve_bandwidth("median", squared_distances(X), 2)
    search = GridSearchCV(
        SVC() if classes else SVR(epsilon=0.1),
        {
            "C": 10.0 ** np.arange(-3, 5),
            "gamma": [0.5 / (factor * median) ** 2 for factor in (1 / 5, 1 / 2, 1, 2, 5)],
        },
        scoring="accuracy" if classes else "neg_mean_squared_error",
        cv=folds,
    ).fit(X, y)
    expected = 1 - search.best_score_ if classes else np.sqrt(-search.best_score_)
    best = l1lsmi_errors.smallest_error(X, y, folds, classes=classes)
    assert best.error == pytest.approx(expected, rel=1e-3)
    assert best.n_capped == 0


def test_columns_that_mostly_coincide_have_a_width():
    X = np.zeros((60, 1))
    X[:10] = 1.0
    y = (np.arange(60) < 12).astype(int)
    folds = l1lsmi_errors.make_folds(y, classes=True, seed=0)
    assert l1lsmi_errors.smallest_error(X, y, folds, classes=True).error == pytest.approx(2 / 60)


def test_classes_smaller_than_the_number_of_folds_are_no_trouble():
    y = np.repeat([0, 1, 2], [20, 18, 2])
    folds = l1lsmi_errors.make_folds(y, classes=True, seed=0)
    assert sorted(np.concatenate([test for _, test in folds])) == [*range(40)]


def test_capped_fits_are_counted(monkeypatch):
    monkeypatch.setattr(l1lsmi_errors, "MAX_ITERATIONS", 1)
    X, y = make_curve()
    folds = l1lsmi_errors.make_folds(y, classes=False, seed=0)
    assert l1lsmi_errors.smallest_error(X, y, folds, classes=False).n_capped > 0


def test_worse_is_decided_by_a_paired_one_sided_test():
    best = {0: 0.10, 1: 0.20, 2: 0.30, 3: 0.40}

    def larger_by(*hundredths):
        return {trial: best[trial] + more / 100 for trial, more in enumerate(hundredths)}

    # Mean 2, deviation sqrt(2/3): t = 4.9 with 3 degrees of freedom, p = 0.008.
    assert is_worse(larger_by(1, 2, 3, 2), best)
    # Mean 1, deviation sqrt(14/3): t = 0.93, p = 0.21.
    assert not is_worse(larger_by(1, -2, 3, 2), best)
    # Mean 1, deviation sqrt(2/3): t = 2.45, p = 0.046 one-sided, 0.092 two-sided.
    assert is_worse(larger_by(0, 1, 2, 1), best)
    assert not is_worse(best, best)
    assert is_worse(larger_by(1, 1, 1, 1), best)
    # One trial in common.
    assert is_worse({0: 0.2, 9: 0.0}, best)
    assert not is_worse({9: 0.0}, best)


def test_tops_and_wins_by_hand():
    first = {"A": {0: 0.1, 1: 0.2, 2: 0.3}, "B": {0: 0.2, 1: 0.3, 2: 0.4}, "C": {0: 0.1, 1: 0.32}}
    second = {"B": {0: 0.5, 1: 0.5}, "C": {0: 0.5, 1: 0.5}}
    # First: A is best; C differs by 0 and 0.12 (t = 1, p = 0.25), B by 0.1 in every trial.
    assert n_tops([first, second]) == {"A": 1, "B": 1, "C": 2}
    assert n_wins([first, second]) == {"A": 2, "B": 0, "C": 1}
    assert n_tops([]) == n_wins([]) == {}


def test_the_features_that_make_the_classes_are_found_and_shown(collection):
    records = run(restricted(EXPERIMENT, methods=QUICK), Settings(trials=2)).records
    assert len(records) == 2 * 2 * len(QUICK)
    for record in records:
        assert all(isinstance(value, str | int | float) for value in record.values())
        assert record["n_rows"] == 40
        assert record["n_constant"] == (record["dataset"] == "three")
    cells = {(cell.dataset, cell.method): cell for cell in EXPERIMENT.summarise(records)}
    assert cells["three", "PC"].measured.mean < 0.15
    assert cells["three", "PC"].difference == cells["three", "PC"].measured.mean - 0.1
    errors, differences, seconds = EXPERIMENT.tables(records)
    assert [row[0] for row in errors.rows] == ["three", "curve", "tops", "wins"]
    assert errors.rows[0][1].endswith(" / 0.10")
    assert float(differences.rows[0][1]) == round(cells["three", "PC"].difference, 3)
    assert [row[0] for row in seconds.rows] == ["three", "curve"]
    assert "Some draws of rows of three have columns" in " ".join(EXPERIMENT.explain(records))


def test_records_do_not_depend_on_the_number_of_jobs(collection):
    both = [
        run(restricted(EXPERIMENT, ["three"], QUICK), Settings(trials=1, jobs=jobs)).records
        for jobs in (1, 2)
    ]
    for records in both:
        for record in records:
            record.pop("seconds")
    assert both[0] == both[1]


def test_ours_is_held_to_the_authors_figures():
    records = [
        {"dataset": dataset, "method": "L1-LSMI", "trial": 0, "error": error, "seconds": 1.0}
        | {"n_capped": 0, "n_constant": 0}
        for dataset, error in (("housing", 4.02), ("wine", 0.049), ("musk1", 0.1), ("german", 0.28))
    ]
    text = " ".join(EXPERIMENT.explain(records))
    assert "on 3 of 4 data sets: " in text
    assert "housing (+0.110)" in text
    assert text.index("wine (+0.019)") < text.index("; more on german (+0.030).")
    assert text.index("musk1 (-0.060)") < text.index("; more on german (+0.030).")
    assert "ctslices and msd" in text


def test_none_of_a_run_can_be_shown():
    assert EXPERIMENT.summarise([]) == []
    assert EXPERIMENT.explain([])
    assert len(EXPERIMENT.tables([])) == 3


def test_missing_collection_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    with pytest.raises(DatasetNotFoundError, match="HSIEVE_DATA"):
        run(restricted(EXPERIMENT, ["wine"], ["PC"]), Settings(trials=1))


@pytest.mark.data
@needs.collection
def test_real_data_have_the_sizes_that_the_tasks_give():
    for piece in planned(restricted(EXPERIMENT, methods=["PC"]), Settings(trials=1)):
        X, y = l1lsmi_table7.load(piece)
        task = piece.work.task
        assert X.shape[1] == task.n_features, task.name
        if task.n_classes:
            assert len(np.unique(y)) == task.n_classes, task.name
