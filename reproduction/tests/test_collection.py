"""The data collection: finding it, listing it, loading from it, and plain errors."""

import csv
from pathlib import Path

import numpy as np
import pytest

from reproduction import collection
from reproduction.collection import (
    DatasetNotFoundError,
    collection_root,
    list_datasets,
    load_dataset,
)
from tests import needs

HEADER = ["group", "name", "n_samples", "n_features", "task", "n_classes", "source", "notes"]
SMALL = 20_000
ROWS = [
    ("red", "colon", 4, 3, "classification", 2, "made here", "small, with a comma"),
    ("red", "speed", 5, 2, "regression", "", "made here", ""),
    ("blue", "speed", 4, 3, "regression", "", "made here", ""),
    ("blue", "Colon2", 4, 3, "classification", 2, "made here", ""),
    ("blue", "absent", 4, 3, "classification", 2, "made here", "listed but no file"),
]


def write_index(folder, rows):
    """Write an index with the given lines."""
    with (folder / "INDEX.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])


def write_set(folder, key, **arrays):
    """Write one data set file."""
    path = folder / f"{key}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


@pytest.fixture
def tiny(tmp_path):
    """A collection of five listed sets, one of them without its file."""
    root = tmp_path / "shared" / "data"
    root.mkdir(parents=True)
    write_index(root, ROWS)
    X = np.arange(12, dtype=np.float32).reshape(4, 3)
    labels = np.array([1, 2, 1, 2])
    write_set(
        root, "red/colon", X=X, y=labels, relevant=np.array([2, 0]), site=np.array(["a", "b"])
    )
    write_set(root, "red/speed", X=np.ones((5, 2)), y=np.linspace(0, 1, 5))
    write_set(root, "blue/speed", X=X, y=np.linspace(0, 1, 4))
    write_set(root, "blue/Colon2", X=X, y=labels)
    return root


@pytest.fixture
def no_project(monkeypatch, tmp_path):
    """Unset the variable and stand in a folder from which nothing is found by default."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.delenv("HSIEVE_DATA", raising=False)
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(collection, "__file__", str(elsewhere / "a" / "b" / "d.py"))
    return elsewhere


def test_full_name_loads_every_array_as_stored(tiny):
    data = load_dataset("red/colon", root=tiny)
    assert (data.group, data.name, data.target_kind) == ("red", "colon", "classes")
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, np.arange(12).reshape(4, 3))
    np.testing.assert_array_equal(data.y, [1, 2, 1, 2])
    np.testing.assert_array_equal(data.relevant, [0, 2])
    assert list(data.extra) == ["site"]
    assert data.extra["site"].tolist() == ["a", "b"]


def test_unique_bare_name_is_enough(tiny):
    assert load_dataset("Colon2", root=tiny).group == "blue"


def test_unknown_truth_is_none_and_regression_is_continuous(tiny):
    data = load_dataset("red/speed", root=str(tiny))
    assert data.relevant is None
    assert data.extra == {}
    assert data.target_kind == "continuous"


def test_bare_name_of_two_groups_is_refused_with_both_full_names(tiny):
    with pytest.raises(ValueError, match=r"several groups.*'red/speed', 'blue/speed'"):
        load_dataset("speed", root=tiny)


@pytest.mark.parametrize("name", ["Colon", "colom", "COLON", "read/colon", "red/Colon"])
def test_unknown_name_suggests_near_ones_and_says_where_it_looked(tiny, name):
    with pytest.raises(DatasetNotFoundError, match=r"did you mean .*red/colon") as caught:
        load_dataset(name, root=tiny)
    assert str(tiny) in str(caught.value)
    assert "HSIEVE_DATA" in str(caught.value)


def test_name_near_to_nothing_points_to_the_list(tiny):
    with pytest.raises(DatasetNotFoundError, match="list_datasets"):
        load_dataset("zzzzzz", root=tiny)


@pytest.mark.parametrize("name", ["../data/red/colon", "red/../red/colon", ""])
def test_only_listed_names_are_opened(tiny, name):
    with pytest.raises(DatasetNotFoundError):
        load_dataset(name, root=tiny)


def test_listed_set_without_its_file_is_reported_with_the_path(tiny):
    with pytest.raises(DatasetNotFoundError, match=r"file is missing.*absent\.npz"):
        load_dataset("absent", root=tiny)


def test_the_list_is_the_index_in_its_order(tiny):
    entries = list_datasets(root=tiny)
    assert [entry.key for entry in entries] == [f"{row[0]}/{row[1]}" for row in ROWS]
    first, second = entries[:2]
    assert (first.n_samples, first.n_features, first.n_classes) == (4, 3, 2)
    assert first.notes == "small, with a comma"
    assert second.n_classes is None
    assert second.target_kind == "continuous"


def test_unknown_task_in_the_index_is_refused(tmp_path):
    write_index(tmp_path, [("red", "colon", 4, 3, "ranking", "", "", "")])
    with pytest.raises(ValueError, match=r"red/colon must be one of .*got 'ranking'"):
        list_datasets(root=tmp_path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((4, 3))}, "must hold the arrays X and y, got X"),
        ({"X": np.ones((4, 3)), "y": np.ones(5)}, r"got \(4, 3\) and \(5,\)"),
        ({"X": np.ones(4), "y": np.ones(4)}, r"got \(4,\) and \(4,\)"),
        ({"X": np.ones((4, 3)), "y": np.ones((4, 1))}, r"got \(4, 3\) and \(4, 1\)"),
    ],
)
def test_file_that_is_no_data_set_is_refused(tiny, arrays, message):
    write_set(tiny, "red/colon", **arrays)
    with pytest.raises(ValueError, match=message):
        load_dataset("red/colon", root=tiny)


def test_pickled_objects_are_never_loaded(tiny):
    objects = np.array([{"a": 1}, None, None, None], dtype=object)
    write_set(tiny, "red/colon", X=np.ones((4, 3)), y=objects)
    with pytest.raises(ValueError, match="allow_pickle"):
        load_dataset("red/colon", root=tiny)


def test_environment_variable_names_the_collection(tiny, no_project, monkeypatch):
    monkeypatch.setenv("HSIEVE_DATA", str(tiny))
    assert collection_root() == tiny
    assert load_dataset("colon").group == "red"


def test_wrong_variable_is_not_passed_over_for_another_place(tiny, monkeypatch):
    # Standing beside a good collection must not hide the misspelt variable.
    beside = tiny.parent.parent / "project"
    beside.mkdir()
    monkeypatch.chdir(beside)
    monkeypatch.setenv("HSIEVE_DATA", str(tiny / "misspelt"))
    assert collection_root() is None
    with pytest.raises(DatasetNotFoundError, match=r"misspelt.*HSIEVE_DATA"):
        list_datasets()


def test_default_place_is_beside_the_current_directory(tiny, no_project):
    assert collection_root() == tiny.resolve()


def test_default_place_is_beside_the_repository(tiny, no_project, monkeypatch):
    far = no_project / "deep" / "down"
    far.mkdir(parents=True)
    monkeypatch.chdir(far)
    assert collection_root() is None
    source = tiny.parent.parent / "project" / "folder" / "module.py"
    monkeypatch.setattr(collection, "__file__", str(source))
    assert collection_root() == tiny.resolve()


def test_without_a_collection_the_error_tells_the_place_and_the_remedy(tmp_path, no_project):
    assert collection_root() is None
    with pytest.raises(DatasetNotFoundError, match="Set the environment variable HSIEVE_DATA") as e:
        load_dataset("colon")
    assert str(Path("shared", "data")) in str(e.value)
    assert issubclass(DatasetNotFoundError, FileNotFoundError)


@needs.collection
def test_real_collection_agrees_with_its_index():
    entries = list_datasets()
    assert all((collection_root() / e.group / f"{e.name}.npz").is_file() for e in entries)
    small = [e for e in entries if e.n_samples * e.n_features < SMALL]
    assert small
    for entry in small:
        data = load_dataset(entry.key)
        assert data.X.shape == (entry.n_samples, entry.n_features)
        assert np.isfinite(data.X).all()
        if entry.n_classes is not None:
            assert len(np.unique(data.y)) == entry.n_classes
        if data.relevant is not None:
            assert data.relevant.max() < entry.n_features
