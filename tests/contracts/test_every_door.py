"""Every source through every door: the same features and scores, categories and kind of target.

One table twice: columns of several types, as files and frames have them, and the same as a
matrix of numbers, for what holds nothing else.
"""

import gc
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hsieve
from hsieve import N3LARS, open_dataset
from hsieve.exceptions import IdentifierWarning
from hsieve.io.frames import is_frame
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


def parquet_folder(path, table=None):
    path.mkdir()
    for part in range(2):
        rows = (table or arrow()).slice(part * 50, 50)
        pq.write_table(rows, path / f"{part}.parquet")
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


def dask_frame(**types):
    frame = pytest.importorskip("dask.dataframe")
    return frame.from_pandas(pd.DataFrame(COLUMNS).astype(types), npartitions=3)


def dask_array():
    return pytest.importorskip("dask.array").from_array(MATRIX, chunks=(40, 3))


def annotated():
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"y": pd.Categorical(Y.astype(str))}, index=[f"s{i}" for i in range(N)])
    return anndata.AnnData(MATRIX, obs=obs, var=pd.DataFrame(index=NAMES))


def h5ad(path):
    annotated().write_h5ad(path)
    return path


def spark_frame(folder, request):
    from pyspark.sql import SparkSession

    session = SparkSession(request.getfixturevalue("spark_context"))
    return session.read.parquet(parquet_folder(folder / "stored").as_uri())


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
    "Dask frame": lambda _: dask_frame(),
    "Dask frame, category": lambda _: dask_frame(kind="category"),
    "Spark frame": spark_frame,
}
MATRICES = {
    "npz": (lambda folder: npz(folder / "t.npz"), "y", ["kind"]),
    "npy": (lambda folder: npy(folder / "t.npy"), "-1", ["x2"]),
    "zarr": (lambda folder: zarr_group(folder / "t.zarr"), "y", ["x2"]),
    "h5ad": (lambda folder: h5ad(folder / "t.h5ad"), "y", ["kind"]),
    "AnnData": (lambda _: annotated(), "y", ["kind"]),
    "array": (lambda _: MATRIX, Y, [2]),
    "list": (lambda _: MATRIX.tolist(), Y.tolist(), [2]),
    "Dask array": (lambda _: dask_array(), Y, [2]),
}
SOURCES = [*TABLES, *MATRICES]
FILES = [
    name
    for name in SOURCES
    if name.partition(",")[0]
    in ("CSV", "TSV", "Parquet", "folder of Parquet", "npz", "npy", "zarr", "h5ad")
]


@pytest.fixture(scope="module")
def expected():
    return N3LARS(3, categorical=[2], target_kind="classes").fit(MATRIX, Y)


@pytest.fixture
def source(request, tmp_path, reads_here):
    """What is opened, its target, and what is said of it."""
    name = request.param
    if name == "Spark frame":
        return spark_frame(tmp_path, request), "y", []
    if name in TABLES:
        return TABLES[name](tmp_path), "y", []
    make, target, categorical = MATRICES[name]
    return make(tmp_path), target, categorical


def same(found, expected):
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    assert found.categorical_.tolist() == [2]


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_fit_and_select(source, expected):
    opened, target, categorical = source
    data = open_dataset(opened, target, categorical=categorical)
    assert (data.target_kind, data.categorical) == ("classes", (2,))
    assert data.n_samples == N
    same(N3LARS(3).fit(data), expected)
    doors = [lambda **told: hsieve.select(data, **told)]
    if not isinstance(opened, Path):
        doors.append(lambda **told: hsieve.select(opened, target, categorical=categorical, **told))
    for select in doors:
        found = select(method="n3lars", n_features_to_select=3)
        same(found.selector, expected)
        assert found.indices.tolist() == expected.selected_indices_.tolist()
        assert found.features == tuple(data.names[i] for i in expected.selected_indices_)
    if is_frame(opened):
        same(N3LARS(3).fit(*split_target(opened, "y")), expected)


@pytest.mark.parametrize("source", FILES, indirect=True)
def test_command_line(source, expected, tmp_path):
    opened, target, categorical = source
    out = tmp_path / "out.json"
    told = [word for name in categorical for word in ("--categorical", name)]
    result = invoke("select", opened, "-t", target, "-m", "n3lars", "-k", 3, "-o", out, *told)
    assert result.exit_code == 0, result.output
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["index"] for row in rows] == expected.selected_indices_.tolist()
    scores = [row["score"] for row in rows]
    np.testing.assert_allclose(scores, expected.scores_[expected.selected_indices_], rtol=1e-12)
    assert "(2 classes)" in result.stdout


def numbers_of(kind, tmp_path, request):
    """A cluster's data of numbers, as `fit(X, y)` takes them."""
    columns = {**dict(zip(NAMES, MATRIX.T, strict=True)), "y": Y}
    if kind == "Dask array":
        return dask_array(), Y
    if kind == "Dask frame":
        frame = pytest.importorskip("dask.dataframe")
        return frame.from_pandas(pd.DataFrame(columns), npartitions=2), "y"
    from pyspark.sql import SparkSession

    session = SparkSession(request.getfixturevalue("spark_context"))
    folder = parquet_folder(tmp_path / "numbers", pa.table(columns))
    return session.read.parquet(folder.as_uri()), "y"


@pytest.mark.parametrize("kind", ["Dask array", "Dask frame", "Spark frame"])
def test_fit_takes_numbers_of_a_cluster_as_they_are(kind, expected, tmp_path, request):
    X, y = numbers_of(kind, tmp_path, request)
    same(N3LARS(3, categorical=[2], target_kind="classes").fit(X, y), expected)


@pytest.mark.parametrize("source", ["Dask array", "Dask frame"], indirect=True)
def test_a_dataset_of_dask_stays_on_the_cluster(source, expected, dask_client):
    opened, target, categorical = source
    data = open_dataset(opened, target, categorical=categorical)
    engine = {"name": "dask", "scheduler": dask_client.scheduler.address}
    found = N3LARS(3, engine=engine).fit(data)
    same(found, expected)
    # Columns and codes of all samples would be more.
    assert found.traffic_.results > 0
    assert found.traffic_.tasks < 10_000


@pytest.mark.parametrize("source", ["Spark frame"], indirect=True)
def test_files_of_spark_live_as_long_as_their_columns(source, expected):
    data = open_dataset(source[0], "y")
    folder = data.columns.path
    assert folder.exists()
    assert "temporary folder" in data.notes[0]
    same(N3LARS(3, engine="threads").fit(data), expected)
    del data
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("source", ["Dask frame", "Dask array"], indirect=True)
def test_select_says_what_it_collects(source):
    opened, target, categorical = source
    found = hsieve.select(opened, target, categorical=categorical, method="n3lars")
    assert "Collected 80 samples x 4 features from the cluster." in found.notes


DATED = {
    "when": [f"2020-01-{day:02}" for day in range(1, 31)] * 2,
    "a": list(np.linspace(0, 1, 60)),
    "y": [0.5, 1.5, 2.5, 3.5, 4.5, 0.1] * 10,
}


def of_dated(kind, folder):
    table = pa.table(DATED)
    return {
        "CSV": lambda: _written(folder / "d.csv", pd.DataFrame(DATED)),
        "Parquet": lambda: parquet(folder / "d.parquet", table),
        "pandas": lambda: pd.DataFrame(DATED),
        "polars": lambda: pl.DataFrame(DATED),
        "arrow": lambda: table,
        "Dask frame": lambda: pytest.importorskip("dask.dataframe").from_pandas(
            pd.DataFrame(DATED), npartitions=2
        ),
    }[kind]()


def _written(path, frame):
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", ["CSV", "Parquet", "pandas", "polars", "arrow", "Dask frame"])
def test_dates_as_text_are_refused_as_dates(kind, tmp_path):
    opened = of_dated(kind, tmp_path)
    # The reader of CSV knows dates of this form by itself.
    found = r"\(date32\[day\]\)" if kind == "CSV" else r"as text \('2020-01-01', \.\.\.\)"
    said = rf"olumn 'when' holds dates {found}; turn them into numbers"
    with pytest.raises(ValueError, match=said):
        open_dataset(opened, "y")
    if kind not in ("CSV", "Parquet"):
        with pytest.raises(ValueError, match=said):
            hsieve.select(opened, "y")
    if is_frame(opened):
        with pytest.raises(ValueError, match=said):
            N3LARS(1).fit(*split_target(opened, "y"))


@pytest.mark.parametrize("kind", ["CSV", "Parquet", "pandas", "polars", "arrow", "Dask frame"])
def test_warnings_name_the_line_and_the_argument_in_python(kind, tmp_path):
    DATED_IDS = {**DATED, "when": [f"patient {i}" for i in range(60)]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "DATED", DATED_IDS)
        opened = of_dated(kind, tmp_path)
    doors = [lambda: open_dataset(opened, "y")]
    if kind not in ("CSV", "Parquet"):
        doors.append(lambda: hsieve.select(opened, "y", method="n3lars"))
    if is_frame(opened):
        doors.append(lambda: N3LARS(1).fit(*split_target(opened, "y")))
    for door in doors:
        with pytest.warns(IdentifierWarning, match=r"category by categorical=\['when'\]") as told:
            door()
        assert [one.filename for one in told] == [__file__]
