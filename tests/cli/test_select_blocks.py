"""`hsieve select` on files that stay where they are: the same answer as from a table in memory."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import open_dataset
from hsieve.selectors.methods import known_methods
from tests.cli.files import write_csv
from tests.cli.running import invoke

N_SAMPLES = 80
BLOCK_METHODS = [name for name, method in known_methods().items() if method.takes_blocks]


@pytest.fixture
def columns():
    """Numbers of which x1 and x3 make the target, a constant one, and the target at the end."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=N_SAMPLES) for i in range(6)}
    columns["x6"] = np.full(N_SAMPLES, 2.0)
    columns["x7"] = np.cos(2 * columns["x1"]) + columns["x3"]
    return columns


@pytest.fixture(params=["npy", "npy in Fortran order", "parquet", "folder"])
def stored(request, columns, tmp_path):
    path = tmp_path / "table.parquet"
    table = pa.table(columns)
    if request.param == "parquet":
        pq.write_table(table, path, row_group_size=30)
    elif request.param == "folder":
        path.mkdir()
        for start in (0, 50):
            pq.write_table(table.slice(start, 50), path / f"part{start:03}.parquet")
    else:
        path = tmp_path / "table.npy"
        array = np.column_stack(list(columns.values()))
        np.save(path, np.asfortranarray(array) if "Fortran" in request.param else array)
    return path


def answers(path, columns, tmp_path, *options):
    """Select from a file in blocks and from CSV: what is printed, warned of and written."""
    found = []
    for source in (path, write_csv(tmp_path / "whole.csv", columns)):
        out = tmp_path / "out.json"
        result = invoke("select", source, "-t", "x7", "-o", out, *options)
        assert result.exit_code == 0, result.output
        rows = json.loads(out.read_text(encoding="utf-8"))
        # The time, at the end of its line, differs.
        shown = [line.rpartition(";")[0] or line for line in result.stdout.splitlines()]
        found.append((rows, shown, result.stderr))
    return found


@pytest.mark.parametrize("name", BLOCK_METHODS)
def test_blocks_give_the_answer_of_the_whole_table(stored, name, columns, tmp_path):
    in_blocks, whole = answers(stored, columns, tmp_path, "-m", name, "-k", 2)
    assert sorted(row["feature"] for row in in_blocks[0]) == ["x1", "x3"]
    for row, expected in zip(in_blocks[0], whole[0], strict=True):
        assert row.pop("score") == pytest.approx(expected.pop("score"), rel=1e-9)
        assert row == expected
    assert in_blocks[1:] == whole[1:]
    assert "1 column holds one single value and can never be selected: 'x6'" in in_blocks[2]


@pytest.mark.parametrize("test", ["gamma", "permutation"])
def test_p_values_of_chosen_columns_only(stored, test, columns, tmp_path):
    options = ("-m", "n3lars", "-k", 2, "--p-values", test)
    in_blocks, whole = answers(stored, columns, tmp_path, *options)
    for row, expected in zip(in_blocks[0], whole[0], strict=True):
        assert row["p_value"] == pytest.approx(expected["p_value"], rel=1e-9)
        # Those not tested count as if they had nothing to show.
        assert row["adjusted_p_value"] >= expected["adjusted_p_value"] * (1 - 1e-9)
    smallest = min(row["p_value"] for row in in_blocks[0])
    assert min(row["adjusted_p_value"] for row in in_blocks[0]) <= 7 * smallest * (1 + 1e-9)


def test_categories_of_text(columns, tmp_path):
    town = np.random.default_rng(1).choice(["Graz", "Oslo", "Rome"], size=N_SAMPLES)
    columns["x7"] = np.where(town == "Oslo", "yes", "no")
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({**columns, "town": town}), path, row_group_size=30)
    options = ("-m", "n3lars", "-k", 1, "--categorical", "town", "--p-values", "gamma")
    in_blocks, whole = answers(path, {**columns, "town": town}, tmp_path, *options)
    assert in_blocks[0][0]["feature"] == "town"
    assert in_blocks[0][0]["p_value"] == pytest.approx(whole[0][0]["p_value"], rel=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_value_that_is_not_finite_is_refused_by_name_and_row(columns, tmp_path, bad):
    columns["x4"][31] = bad
    path = tmp_path / "table.npy"
    np.save(path, np.column_stack(list(columns.values())))
    result = invoke("select", path, "-t", "-1", "-m", "n3lars")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count(str(path)) == result.stderr.count("\n") == 1
    assert "column 'x4' has a" in result.stderr
    assert "in data row 32" in result.stderr


def test_other_methods_read_the_whole_table(stored):
    result = invoke("select", stored, "-t", "x7", "-m", "fohsic", "-k", 1, "-q")
    assert result.stdout == "x3\n", result.output


def test_reading_leaves_the_features_in_the_file(stored):
    data = open_dataset(stored, "x7", drop=["x2"])
    assert not data.in_memory
    assert data.names == ("x0", "x1", "x3", "x4", "x5", "x6")
