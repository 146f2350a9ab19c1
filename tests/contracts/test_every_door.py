"""Every source through every door: the same features and scores, categories and kind of target.

One table twice: columns of several types, as files and frames have them, and the same as a
matrix of numbers, for what holds nothing else.
"""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hsieve
from hsieve import N3LARS, open_dataset
from hsieve.io.frames import frame_library
from hsieve.io.targets import split_target
from tests.cli.running import invoke

N = 80
RNG = np.random.default_rng(0)
NAMES = ["a", "b", "kind", "c"]
CODES = RNG.integers(0, 4, N)
NUMBERS = {name: RNG.normal(size=N) for name in "abc"}
MATRIX = np.column_stack([NUMBERS["a"], NUMBERS["b"], CODES, NUMBERS["c"]])
# The levels have no order that tells anything, and integers that could be taken for numbers.
Y = 30 * np.isin(CODES, [0, 2]).astype(int)
COLUMNS = {
    "a": NUMBERS["a"],
    "b": NUMBERS["b"],
    "kind": np.array(["ant", "bee", "cow", "dog"])[CODES],
    "c": NUMBERS["c"],
    "y": Y,
}


def arrow():
    return pa.table(COLUMNS)


def csv(path, joint=","):
    lines = [joint.join(COLUMNS)]
    lines += [joint.join(map(str, row)) for row in zip(*COLUMNS.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def parquet_folder(path):
    path.mkdir()
    for part in range(2):
        pq.write_table(arrow().slice(part * 50, 50), path / f"{part}.parquet")
    return path


def parquet(path, table):
    pq.write_table(table, path)
    return path


def npz(path):
    np.savez(path, X=MATRIX, y=Y, feature_names=NAMES)
    return path


def npy(path):
    np.save(path, np.column_stack([MATRIX, Y]))
    return path


def zarr_group(path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(path), mode="w")
    for name, values in {"X": MATRIX, "y": Y}.items():
        group.create_array(name, shape=values.shape, dtype=values.dtype)[...] = values
    return path


def dictionary():
    kind = arrow()["kind"].combine_chunks().dictionary_encode()
    return arrow().set_column(2, "kind", kind)


# Tables know the category by themselves; matrices are told it.
TABLES = {
    "CSV": lambda folder: csv(folder / "t.csv"),
    "TSV": lambda folder: csv(folder / "t.tsv", "\t"),
    "Parquet": lambda folder: parquet(folder / "t.parquet", arrow()),
    "Parquet, dictionary": lambda folder: parquet(folder / "t.parquet", dictionary()),
    "folder of Parquet": lambda folder: parquet_folder(folder / "parts"),
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "pandas, category": lambda _: pd.DataFrame(COLUMNS).astype({"kind": "category"}),
    "polars": lambda _: pl.DataFrame(COLUMNS),
    "polars, lazy": lambda _: pl.DataFrame(COLUMNS).lazy(),
    "arrow": lambda _: arrow(),
    "arrow, dictionary": lambda _: dictionary(),
}
MATRICES = {
    "npz": (lambda folder: npz(folder / "t.npz"), "y", ["kind"]),
    "npy": (lambda folder: npy(folder / "t.npy"), "-1", ["x2"]),
    "zarr": (lambda folder: zarr_group(folder / "t.zarr"), "y", ["x2"]),
    "array": (lambda _: MATRIX, Y, [2]),
    "list": (lambda _: MATRIX.tolist(), Y.tolist(), [2]),
}
SOURCES = [*TABLES, *MATRICES]


@pytest.fixture(scope="module")
def expected():
    return N3LARS(3, categorical=[2], target_kind="classes").fit(MATRIX, Y)


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    """What is opened, its target, and what is said of it."""
    if request.param in TABLES:
        return TABLES[request.param](tmp_path), "y", []
    make, target, categorical = MATRICES[request.param]
    return make(tmp_path), target, categorical


def same(found, expected):
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    assert found.categorical_.tolist() == [2]


def test_fit(source, expected):
    opened, target, categorical = source
    data = open_dataset(opened, target, categorical=categorical)
    assert (data.target_kind, data.categorical) == ("classes", (2,))
    same(N3LARS(3).fit(data), expected)
    if frame_library(opened) is not None:
        same(N3LARS(3).fit(*split_target(opened, "y")), expected)


def test_select(source, expected):
    opened, target, categorical = source
    data = open_dataset(opened, target, categorical=categorical)
    found = hsieve.select(data, method="n3lars", n_features_to_select=3)
    same(found.selector, expected)
    assert found.indices.tolist() == expected.selected_indices_.tolist()


def test_command_line(source, expected, tmp_path):
    opened, target, categorical = source
    if not hasattr(opened, "exists"):  # in memory: as people would write it
        opened, target, categorical = csv(tmp_path / "t.csv"), "y", []
    out = tmp_path / "out.json"
    told = [word for name in categorical for word in ("--categorical", name)]
    result = invoke("select", opened, "-t", target, "-m", "n3lars", "-k", 3, "-o", out, *told)
    assert result.exit_code == 0, result.output
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["index"] for row in rows] == expected.selected_indices_.tolist()
    scores = [row["score"] for row in rows]
    np.testing.assert_allclose(scores, expected.scores_[expected.selected_indices_], rtol=1e-12)
    assert "(2 classes)" in result.stdout


def test_annotated_data(expected, tmp_path, reads_here):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"y": pd.Categorical(Y.astype(str))}, index=[f"s{i}" for i in range(N)])
    adata = anndata.AnnData(MATRIX, obs=obs, var=pd.DataFrame(index=NAMES))
    same(N3LARS(3).fit(open_dataset(adata, "y", categorical=["kind"])), expected)
    adata.write_h5ad(tmp_path / "t.h5ad")
    data = open_dataset(tmp_path / "t.h5ad", "y")
    assert data.target_kind == "classes"
    np.testing.assert_array_equal(data.X, MATRIX)


def test_dask(expected):
    array = pytest.importorskip("dask.array")
    frame = pytest.importorskip("dask.dataframe")
    numbers = pd.DataFrame(MATRIX, columns=NAMES).assign(y=Y)
    for X, y in (
        (array.from_array(MATRIX, chunks=(40, 4)), Y),
        (frame.from_pandas(numbers, npartitions=2), "y"),
    ):
        same(N3LARS(3, categorical=[2], target_kind="classes").fit(X, y), expected)
