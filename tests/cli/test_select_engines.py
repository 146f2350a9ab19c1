"""`hsieve select --engine`: the same answer, few columns here, and plain words where it fails."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve.cli.engines import _in_units
from hsieve.io.parquet import ParquetBlocks
from hsieve.selectors.methods import known_methods
from tests import needs
from tests.cli.running import assert_refused, invoke
from tests.dask_workers import dask_settings
from tests.forked import forking

N, D = 120, 30
ON_COLUMNS = [
    name
    for name, method in known_methods().items()
    if method.takes_blocks and method.takes("engine")
]


@pytest.fixture
def columns():
    """Numbers of which f0 and f1 make the target, and a constant one."""
    rng = np.random.default_rng(3)
    columns = {f"f{i}": rng.normal(size=N) for i in range(D)}
    columns["f9"] = np.full(N, 2.0)
    columns["y"] = np.sin(2 * columns["f0"]) + columns["f1"] ** 2
    return columns


def written(folder, columns):
    """Write a table as a folder of files with some rows each."""
    folder.mkdir()
    for start in range(0, N, 50):
        pq.write_table(pa.table(columns).slice(start, 50), folder / f"part-{start:03}.parquet")
    return folder


@pytest.fixture
def parts(columns, tmp_path):
    return written(tmp_path / "parts", columns)


@pytest.fixture(scope="module")
def scheduler():
    """A worker process behind a scheduler."""
    from distributed import LocalCluster

    forking()
    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def answer(parts, tmp_path):
    """Select, and tell what was written and what was printed, but for the time."""

    def select(*options):
        out = tmp_path / "out.json"
        result = invoke("select", parts, "-t", "y", "-o", out, *options)
        assert result.exit_code == 0, result.output
        shown = [line.rpartition(";")[0] or line for line in result.stdout.splitlines()]
        return json.loads(out.read_text()), shown, result.stderr

    return select


@pytest.mark.parametrize("engine", ["local", "threads"])
@pytest.mark.parametrize("name", [*ON_COLUMNS, "l1-hsic"])
def test_engines_of_this_process_give_the_same(answer, name, engine):
    options = ("-m", name, "-k", 3)
    found = answer(*options, "--engine", engine)
    assert found == answer(*options)
    assert not any(line.startswith("Moved") for line in found[1])


def test_stability_selection_with_threads_gives_the_same(answer):
    options = ("-m", "mrmr", "--stability", "--subsamples", 6)
    assert answer(*options, "--engine", "threads") == answer(*options)


def test_number_of_threads(answer):
    options = ("-m", "n3lars", "-k", 3)
    assert answer(*options, "--engine", "threads", "--workers", 2) == answer(*options)


def test_pairs_are_found_with_threads(answer):
    options = ("-m", "n3lars", "-k", 2, "--interactions")
    assert answer(*options, "--engine", "threads") == answer(*options)


@pytest.fixture
def read_here(monkeypatch):
    """Positions of the columns that this process reads."""
    positions = []
    fill = ParquetBlocks._fill

    def noted(blocks, block, wanted):
        positions.extend(wanted.tolist())
        fill(blocks, block, wanted)

    monkeypatch.setattr(ParquetBlocks, "_fill", noted)
    return positions


@pytest.mark.parametrize(
    "options",
    [
        ("-m", "n3lars", "-k", 3, "--substitutes", 2),
        ("-m", "mrmr", "-k", 3, "--substitutes", 0),
        ("-m", "mr-nhsic", "-k", "alignment", "--substitutes", 0),
    ],
)
def test_dask_gives_the_same_and_nothing_is_read_here(answer, scheduler, read_here, options):
    expected = answer(*options)
    assert set(read_here) == set(range(D))
    read_here.clear()
    rows, shown, warned = answer(*options, "--engine", "dask", "--scheduler", scheduler)
    assert read_here == []
    assert (rows, warned) == (expected[0], expected[2])
    assert "'f9'" in warned
    moved = [line for line in shown if line.startswith("Moved for the selection: ")]
    assert len(moved) == 1
    for part in ("of tasks, ", "of shared values, ", "of results."):
        assert part in moved[0]
    assert [line for line in shown if line not in moved] == expected[1]


def test_p_values_read_the_chosen_columns_only(answer, scheduler, read_here):
    options = ("-m", "n3lars", "-k", 3, "--substitutes", 0, "--p-values", "gamma")
    expected = answer(*options)
    read_here.clear()
    rows, *_ = answer(*options, "--engine", "dask", "--scheduler", scheduler)
    assert rows == expected[0]
    assert sorted(read_here) == sorted(row["index"] for row in rows)


def test_workers_are_started_once(answer, monkeypatch):
    import distributed

    started = []

    class Counted(distributed.LocalCluster):
        def __init__(self, **options):
            started.append(options["n_workers"])
            super().__init__(**options)

    monkeypatch.setattr(distributed, "LocalCluster", Counted)
    options = ("-m", "n3lars", "-k", 2, "--substitutes", 2)
    rows, *_ = answer(*options, "--engine", "dask", "--workers", 1)
    assert rows == answer(*options)[0]
    assert started == [1]


def test_spark_gives_the_same(answer, parts, tmp_path):
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime, 17 or newer")
    out = tmp_path / "spark.json"
    command = [
        str(Path(sys.executable).with_name("hsieve")),
        "select",
        str(parts),
        "-t",
        "y",
        "-m",
        "n3lars",
    ]
    command += ["-k", "3", "--substitutes", "0", "-o", str(out)]
    command += ["--engine", "spark", "--workers", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stderr
    assert "Moved for the selection: " in result.stdout
    assert json.loads(out.read_text()) == answer("-m", "n3lars", "-k", 3, "--substitutes", 0)[0]


def test_a_checkpoint_is_taken_up_and_belongs_to_its_run(answer, parts, tmp_path):
    kept = tmp_path / "kept"
    expected = answer("-m", "n3lars", "-k", 3)
    assert answer("-m", "n3lars", "-k", 3, "--checkpoint", kept) == expected
    results = {path: path.stat().st_mtime_ns for path in kept.glob("*/*.result")}
    assert results
    assert answer("-m", "n3lars", "-k", 3, "--checkpoint", kept, "--engine", "threads") == expected
    assert {path: path.stat().st_mtime_ns for path in kept.glob("*/*.result")} == results
    other = invoke("select", parts, "-t", "y", "-m", "n3lars", "-k", 4, "--checkpoint", kept)
    assert_refused(other, "kept", "another run", "n_features_to_select=3, now 4")
    target = invoke("select", parts, "-t", "f3", "-m", "n3lars", "-k", 3, "--checkpoint", kept)
    assert_refused(target, "another run", "other values of the target")


def test_a_checkpoint_is_not_kept_among_other_files(parts):
    result = invoke("select", parts, "-t", "y", "-m", "n3lars", "--checkpoint", parts)
    assert_refused(result, "is no checkpoint", "part-000.parquet")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "ray"), ["--engine", "ray"]),
        (("--scheduler", "tcp://127.0.0.1:8786"), ["--scheduler needs --engine"]),
        (("--engine", "threads", "--scheduler", "x:1"), ["scheduler is for 'dask' and 'spark'"]),
        (("--workers", 2), ["--workers needs --engine"]),
        (("--engine", "local", "--workers", 2), ["engine 'local' has one worker"]),
        (("--engine", "dask", "--workers", 0), ["--workers"]),
        (("--engine", "dask", "--scheduler", "x:1", "--workers", 2), ["n_workers", "scheduler"]),
        (("--engine", "threads", "-m", "bahsic"), ["--engine", "bahsic", "n3lars", "mrmr"]),
        (("--checkpoint", "kept", "-m", "lasso"), ["--checkpoint", "lasso", "n3lars"]),
        (("--engine", "dask", "--interactions"), ["interactions='pairs'", "engine"]),
        (("--checkpoint", "kept", "--interactions"), ["checkpoint", "interactions"]),
        (("--engine", "spark", "-k", "cv"), ["'cv'", "use 'alignment' or 'guarded'"]),
    ],
)
def test_options_that_do_not_go_together(parts, options, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert_refused(invoke("select", parts, "-t", "y", "-m", "n3lars", *options), *words)
    assert not (tmp_path / "kept").exists()


def test_a_package_that_is_missing(parts, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = invoke("select", parts, "-t", "y", "-m", "n3lars", "--engine", "dask")
    assert_refused(result, "needs distributed", "pip install hsieve[dask]")


@needs.pyspark
def test_no_java(parts, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    # Another test may have started Spark.
    monkeypatch.setattr("hsieve.parallel.spark._running_context", lambda: None)
    result = invoke("select", parts, "-t", "y", "-m", "n3lars", "--engine", "spark")
    assert_refused(result, "needs a Java runtime")


@pytest.mark.parametrize(
    ("engine", "address", "words"),
    [
        ("dask", "tcp://127.0.0.1:1", "cannot be reached"),
        ("dask", "nowhere", "missing port"),
        pytest.param("spark", "spark://127.0.0.1:1", "cannot be reached", marks=needs.pyspark),
        pytest.param("spark", "nowhere", "is no master of Spark", marks=needs.pyspark),
    ],
)
def test_a_scheduler_that_is_not_there(parts, engine, address, words, monkeypatch):
    monkeypatch.setattr("hsieve.parallel.spark._running_context", lambda: None)
    monkeypatch.setenv("JAVA_HOME", "anywhere")
    with dask_settings({"distributed.comm.timeouts.connect": "1s"}):
        result = invoke(
            "select", parts, "-t", "y", "-m", "n3lars", "--engine", engine, "--scheduler", address
        )
    assert_refused(result, address, words)


def test_a_bad_value_is_told_of_as_without_workers(columns, scheduler, tmp_path):
    columns["f4"][77] = np.nan
    folder = written(tmp_path / "bad", columns)
    here, there = (
        invoke("select", folder, "-t", "y", "-m", "n3lars", *options)
        for options in ((), ("--engine", "dask", "--scheduler", scheduler))
    )
    assert_refused(there, "'f4'", "in data row 78")
    assert there.stderr == here.stderr


def test_bytes_in_units():
    assert [_in_units(n) for n in (0, 999, 1_500, 2 * 10**13, 5 * 10**15)] == [
        "0 bytes",
        "999 bytes",
        "1.5 kB",
        "20 TB",
        "5e+03 TB",
    ]
