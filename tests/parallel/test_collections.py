"""Data of Dask and Spark are worked on where they are, with the same answer as an array."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import (
    BAHSIC,
    MRMR,
    N3LARS,
    SPEC,
    HSICLasso,
    InteractionScan,
    LassoSelector,
    LPBoost,
    MaxRelevance,
    PairwiseHSIC,
    StabilitySelection,
    compare,
    open_dataset,
)
from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnPiece
from hsieve.data.engine_columns import EngineColumns
from hsieve.io import spark as spark_frames
from hsieve.io.dask import DaskBlocks, HeldDaskBlocks
from hsieve.io.distributed import distributed_columns
from hsieve.io.numpy_folder import NumpyFolder
from hsieve.io.spark import StagedBlocks, _staging
from hsieve.io.zarr import ZarrBlocks
from hsieve.parallel import EngineError, EngineSettings, make_engine
from hsieve.parallel.checkpoint import CheckpointError
from tests import needs
from tests.parallel.columns import CATEGORY, D, N, Problem, make_problem
from tests.parallel.test_faults import wait_for_death

CHUNKS = {"rows": (70, D), "columns": (N, 7), "both": (110, 13)}
NAMES = [f"f{i}" for i in range(D)]
# Three pieces or more.
LIMIT = "17MB"


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem()


@pytest.fixture
def settings_of_dask(dask_client: Any) -> EngineSettings:
    return EngineSettings("dask", scheduler=dask_client.scheduler.address)


@pytest.fixture(params=["dask", "threads", "local"])
def settings(request: pytest.FixtureRequest) -> EngineSettings:
    """Engines that take Dask's collections."""
    if request.param == "dask":
        found: EngineSettings = request.getfixturevalue("settings_of_dask")
        return found
    return EngineSettings(request.param)


def dask_array(values: np.ndarray, chunks: Any = "auto") -> Any:
    import dask.array

    return dask.array.from_array(values, chunks=chunks)


def dask_frame(values: dict[str, Any], n_partitions: int = 4) -> Any:
    import dask.dataframe

    return dask.dataframe.from_pandas(pd.DataFrame(values), npartitions=n_partitions)


def frame_of(problem: Problem, target: np.ndarray) -> dict[str, Any]:
    """Columns by name, the target in the middle of them."""
    columns = {name: problem.X[:, i] for i, name in enumerate(NAMES)}
    return {**dict(list(columns.items())[:9]), "goal": target, **dict(list(columns.items())[9:])}


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    if hasattr(expected, "coef_"):
        np.testing.assert_array_equal(found.coef_, expected.coef_)


def assert_same_relatives(found: Any, expected: Any) -> None:
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert one.feature == other.feature
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.scores, other.scores)


def sums(piece: ColumnPiece, shared: float) -> tuple[np.ndarray]:
    """Sums whose last digits tell the order and the cut of their numbers."""
    columns = piece.columns.read(np.arange(piece.columns.n_features))
    return (np.sin(columns.T) @ columns * shared,)


def held_keys(client: Any) -> set[Any]:
    return {key for keys in client.has_what().values() for key in keys}


class TestDaskArrays:
    @pytest.mark.parametrize("kind", ["continuous", "classes"])
    @pytest.mark.parametrize("form", ["dense", "coded"])
    @pytest.mark.parametrize("cut", CHUNKS)
    def test_n3lars(
        self, settings: EngineSettings, problem: Problem, cut: str, form: str, kind: str
    ) -> None:
        options = {
            "form": form,
            "target_kind": kind,
            "categorical": [CATEGORY],
            "memory_limit": LIMIT,
        }
        y = problem.target(kind)
        expected = N3LARS(8, **options).fit(problem.X, y)
        found = N3LARS(8, engine=settings, **options)
        found.fit(dask_array(problem.X, CHUNKS[cut]), dask_array(y))
        assert_same(found, expected)
        assert found.n_features_in_ == D
        assert not hasattr(found, "feature_names_in_")
        assert (found.traffic_.total > 0) == (settings.name == "dask")

    @pytest.mark.parametrize(
        "selector",
        [HSICLasso(5), MaxRelevance(5), MRMR(5, measure=PairwiseHSIC()), N3LARS("guarded")],
        ids=lambda selector: type(selector).__name__,
    )
    def test_others(self, settings: EngineSettings, problem: Problem, selector: Any) -> None:
        expected = selector.set_params(engine=None).fit(problem.X, problem.numbers)
        scores, selected = expected.scores_, expected.selected_indices_
        found = selector.set_params(engine=settings)
        found.fit(dask_array(problem.X, CHUNKS["both"]), problem.numbers)
        np.testing.assert_array_equal(found.selected_indices_, selected)
        np.testing.assert_array_equal(found.scores_, scores)

    def test_data_persisted_by_the_user_are_used(
        self, dask_client: Any, settings_of_dask: EngineSettings, problem: Problem
    ) -> None:
        expected = N3LARS(4).fit(problem.X, problem.numbers)
        array = dask_client.persist(dask_array(problem.X, CHUNKS["both"]))
        assert_same(N3LARS(4, engine=settings_of_dask).fit(array, problem.numbers), expected)
        with dask_client.as_current():
            assert_same(N3LARS(4, engine="dask").fit(array, problem.numbers), expected)
        # It is still the user's.
        np.testing.assert_array_equal(dask_client.compute(array).result(), problem.X)

    def test_chunks_are_those_of_the_first_pass_and_are_given_up_at_the_end(
        self, dask_client: Any, settings_of_dask: EngineSettings, problem: Problem
    ) -> None:
        before = held_keys(dask_client)
        with make_engine(settings_of_dask) as engine:
            blocks, _ = distributed_columns(
                dask_array(problem.X, CHUNKS["rows"]), problem.numbers, engine
            )
            assert isinstance(blocks, HeldDaskBlocks)
            placed = EngineColumns(blocks, engine)
            max_bytes = 9 * N * blocks.dtype.itemsize
            cuts = [features for features, _ in placed.map(sums, 1.0, max_bytes=max_bytes)]
            chunks = [future.key for future in blocks._chunks]
            assert len(set(chunks)) == len(cuts) == -(-D // 9)
            # Nothing else is left of the rechunking and of the pass.
            wait_until(lambda: held_keys(dask_client) - before == set(chunks))
            assert engine.traffic.tasks < problem.X.nbytes / 10
        wait_until(lambda: not held_keys(dask_client) & set(chunks))

    @pytest.mark.parametrize("features", [[3, 4, 50], [59, 0, 17, 17, 18, 19], list(range(D))])
    def test_some_columns_are_found_in_the_chunks_that_hold_them(
        self, settings_of_dask: EngineSettings, problem: Problem, features: list[int]
    ) -> None:
        chosen = np.array(features)
        local = ArrayBlocks(problem.X)
        some = 4 * N * local.dtype.itemsize
        with make_engine(settings_of_dask) as engine:
            blocks, _ = distributed_columns(
                dask_array(problem.X, CHUNKS["rows"]), problem.numbers, engine
            )
            placed = EngineColumns(blocks, engine)
            for whole in (None, chosen, None):
                expected = list(local.map(sums, 2.0, max_bytes=some, features=whole))
                found = list(placed.map(sums, 2.0, max_bytes=some, features=whole))
                for (positions, (result,)), (same, (wanted,)) in zip(found, expected, strict=True):
                    np.testing.assert_array_equal(positions, same)
                    np.testing.assert_array_equal(result, wanted)
            np.testing.assert_array_equal(placed.read(chosen), problem.X[:, chosen])
            np.testing.assert_array_equal(blocks.read(chosen), problem.X[:, chosen])

    @pytest.mark.parametrize("cut", CHUNKS)
    def test_a_worker_lost_with_its_chunks_changes_nothing(
        self,
        dask_client: Any,
        settings_of_dask: EngineSettings,
        problem: Problem,
        cut: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        expected = N3LARS(8, memory_limit=LIMIT).fit(problem.X, problem.numbers)
        held = HeldDaskBlocks.held
        killed: list[int] = []

        def kill_one(self: HeldDaskBlocks, pieces: Any) -> Any:
            # At the second pass, when all chunks are in memory.
            if self._chunks and not killed:
                keys = {future.key for future in self._chunks}
                having = {w: set(k) & keys for w, k in dask_client.has_what().items()}
                worker = max(having, key=lambda name: len(having[name]))
                assert having[worker]
                killed.append(dask_client.run(os.getpid, workers=[worker])[worker])
                os.kill(killed[0], signal.SIGKILL)
                assert wait_for_death(killed)
            return held(self, pieces)

        monkeypatch.setattr(HeldDaskBlocks, "held", kill_one)
        found = N3LARS(8, memory_limit=LIMIT, engine=settings_of_dask)
        found.fit(dask_array(problem.X, CHUNKS[cut]), problem.numbers)
        assert len(killed) == 1
        assert_same(found, expected)

    def test_checkpoint_is_taken_up_again(
        self, settings_of_dask: EngineSettings, problem: Problem, tmp_path: Path
    ) -> None:
        array = dask_array(problem.X, CHUNKS["both"])
        expected = N3LARS(4).fit(problem.X, problem.numbers)
        for _ in range(2):
            found = N3LARS(4, engine=settings_of_dask, checkpoint=tmp_path / "kept")
            assert_same(found.fit(array, problem.numbers), expected)
        assert found.traffic_.results == 0
        for other in (array + 1, dask_array(problem.X, CHUNKS["rows"])):
            with pytest.raises(CheckpointError, match="data, or the same cut into other chunks"):
                found.fit(other, problem.numbers)

    @pytest.mark.parametrize("engine", [None, "threads"])
    @pytest.mark.parametrize("form", ["dense", "coded"])
    def test_columns_computed_here_are_kept(
        self, problem: Problem, engine: str | None, form: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        computed: list[int] = []
        columns = DaskBlocks._columns

        def counted(self: DaskBlocks, positions: Any) -> Any:
            computed.extend(positions)
            return columns(self, positions)

        monkeypatch.setattr(DaskBlocks, "_columns", counted)
        selector = N3LARS(8, form=form, memory_limit=LIMIT, engine=engine)
        assert_same(
            selector.fit(dask_array(problem.X, CHUNKS["rows"]), problem.numbers),
            N3LARS(8, form=form, memory_limit=LIMIT).fit(problem.X, problem.numbers),
        )
        # All once for the first pass, and once more what is then kept.
        assert D <= len(computed) <= 2 * D

    def test_relatives(self, settings: EngineSettings, problem: Problem) -> None:
        expected = N3LARS(3).fit(problem.X, problem.numbers).relatives(problem.X, 4)
        array = dask_array(problem.X, CHUNKS["both"])
        fitted = N3LARS(3, engine=settings).fit(array, problem.numbers)
        assert_same_relatives(fitted.relatives(array, 4), expected)
        with pytest.raises(ValueError, match=f"X has {D - 1} features, but N3LARS is expecting"):
            fitted.relatives(array[:, 1:], 4)

    def test_bad_values_are_told_by_their_column(
        self, settings: EngineSettings, problem: Problem
    ) -> None:
        bad = problem.X.copy()
        bad[17, 33] = np.nan
        with pytest.raises(ValueError, match="Column 33 holds nan in row 17"):
            N3LARS(2, engine=settings).fit(dask_array(bad, CHUNKS["both"]), problem.numbers)
        long = np.ones((N, 3), dtype=np.int64)
        long[:, 0] = np.arange(N)
        long[5, 2] = 2**53 + 1
        with pytest.raises(ValueError, match=f"Column 2 holds {2**53 + 1} in row 5"):
            N3LARS(2, engine=settings).fit(dask_array(long, (50, 2)), problem.numbers)

    def test_errors_of_the_users_graph_are_told(
        self, settings_of_dask: EngineSettings, problem: Problem
    ) -> None:
        array = dask_array(problem.X, CHUNKS["rows"]).map_blocks(_fail, dtype="f8")
        with pytest.raises(EngineError, match="no such disk"):
            N3LARS(2, engine=settings_of_dask).fit(array, problem.numbers)

    def test_what_is_no_matrix_of_known_size_is_refused(
        self, settings: EngineSettings, problem: Problem
    ) -> None:
        import dask.bag

        array, y = dask_array(problem.X, CHUNKS["rows"]), problem.numbers
        for given, target, problem_said in (
            (array[array[:, 0] > 0], y, r"call X\.compute_chunk_sizes\(\) before"),
            (array[:, 0], y, "must be 2-D, got 1 dimension"),
            (array.astype("U8"), y, "booleans, integers or floats, got ndarray of <U8"),
            (
                dask.bag.from_sequence([1, 2]),
                y,
                "arrays and data frames are accepted, got dask.bag",
            ),
            (array, "y", "an array of Dask has no column names"),
            (array, None, "The target y is None"),
            (array, y[:-1], "inconsistent numbers of samples"),
        ):
            with pytest.raises(ValueError, match=problem_said):
                N3LARS(2, engine=settings).fit(given, target)

    @pytest.mark.usefixtures("spark_context")
    def test_spark_does_not_take_them(self, problem: Problem) -> None:
        with pytest.raises(ValueError, match="are worked on by engine 'dask', 'threads' or"):
            N3LARS(2, engine="spark").fit(dask_array(problem.X), problem.numbers)


class TestDaskFrames:
    @pytest.mark.parametrize("kind", ["continuous", "classes"])
    def test_target_is_a_column(
        self, settings: EngineSettings, problem: Problem, kind: str
    ) -> None:
        y = problem.target(kind)
        expected = N3LARS(8, memory_limit=LIMIT).fit(problem.X, y)
        found = N3LARS(8, memory_limit=LIMIT, engine=settings)
        found.fit(dask_frame(frame_of(problem, y)), "goal")
        assert_same(found, expected)
        assert found.feature_names_in_.tolist() == NAMES
        assert found.get_feature_names_out().tolist() == [
            NAMES[i] for i in sorted(expected.selected_indices_)
        ]

    def test_relatives_are_looked_for_among_the_features_of_fit(
        self, settings: EngineSettings, problem: Problem
    ) -> None:
        expected = N3LARS(3).fit(problem.X, problem.numbers).relatives(problem.X, 4)
        frame = dask_frame(frame_of(problem, problem.numbers))
        fitted = N3LARS(3, engine=settings).fit(frame, "goal")
        assert_same_relatives(fitted.relatives(frame, 4), expected)
        with pytest.raises(ValueError, match="has no 'f3', which fit has seen"):
            fitted.relatives(frame.drop(columns="f3"), 4)

    def test_target_apart(self, settings: EngineSettings, problem: Problem) -> None:
        labels = np.array(["low", "high"])[(problem.numbers > 0).astype(int)]
        frame = dask_frame(frame_of(problem, labels))
        expected = N3LARS(4).fit(problem.X, labels)
        found = N3LARS(4, engine=settings)
        assert_same(found.fit(frame.drop(columns="goal"), frame["goal"]), expected)
        assert_same(found.fit(frame.drop(columns="goal"), labels), expected)
        assert_same(found.fit(frame, "goal"), expected)

    def test_numbers_of_every_kind(self, settings: EngineSettings) -> None:
        rng = np.random.default_rng(2)
        whole = {
            "flag": rng.integers(0, 2, N).astype(bool),
            "small": rng.integers(0, 9, N).astype(np.int8),
            "long": rng.integers(-(2**53), 2**53, N),
            "float": rng.normal(size=N).astype(np.float32),
        }
        frame = {**whole, "nullable": pd.array(rng.integers(0, 5, N), dtype="Int64")}
        numbers = np.column_stack([np.asarray(values, dtype=float) for values in frame.values()])
        y = numbers[:, 3] + numbers[:, 1]
        expected = N3LARS(4).fit(numbers, y)
        assert_same(N3LARS(4, engine=settings).fit(dask_frame(frame), y), expected)

    def test_what_is_no_number_is_refused_by_name(
        self, settings: EngineSettings, problem: Problem
    ) -> None:
        good = {"a": problem.X[:, 0].copy(), "b": problem.X[:, 1].copy(), "y": problem.numbers}
        text = {**good, "kind": ["m", "f"] * (N // 2)}
        missing = {**good, "b": pd.array([None, *range(N - 1)], dtype="Int64")}
        long = {**good, "b": np.r_[np.arange(N - 1), 2**53 + 1]}
        no_target = {**good, "y": np.r_[np.nan, problem.numbers[1:]]}
        for frame, target, said in (
            (text, "y", r"'kind' holds no numbers \(.*code levels as numbers"),
            (missing, "y", "Column 'b' holds nan in row 0"),
            (long, "y", f"Column 'b' holds {2**53 + 1}, an integer beyond"),
            (no_target, "y", r"The target 'y' has 1 missing value\(s\)"),
            (good, "z", "no column 'z' for the target, only 'a', 'b' and 'y'"),
            ({"y": good["y"]}, "y", "no column beside the target 'y'"),
        ):
            with pytest.raises(ValueError, match=said):
                N3LARS(1, engine=settings).fit(dask_frame(frame), target)


@pytest.fixture(scope="module")
def session(spark_context: Any) -> Any:
    from pyspark.sql import SparkSession

    return SparkSession(spark_context)


class TestSparkFrames:
    @pytest.fixture
    def frame(self, session: Any, problem: Problem, tmp_path: Path) -> Any:
        return self.stored(session, frame_of(problem, problem.numbers), tmp_path / "stored")

    @pytest.fixture
    def settings(self, tmp_path: Path) -> EngineSettings:
        (tmp_path / "staging").mkdir()
        return EngineSettings("spark", staging=tmp_path / "staging")

    @pytest.fixture(autouse=True)
    def nothing_is_left(self, tmp_path: Path) -> Iterator[None]:
        yield
        if (tmp_path / "staging").exists():
            assert list((tmp_path / "staging").iterdir()) == []

    @staticmethod
    def stored(session: Any, columns: dict[str, Any], folder: Path) -> Any:
        """A frame of several partitions, which Spark reads from Parquet."""
        folder.mkdir()
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        for i in range(3):
            pq.write_table(table.slice(i * N // 3, N // 3), folder / f"{i}.parquet")
        frame = session.read.parquet(folder.as_uri())
        assert frame.rdd.getNumPartitions() > 1
        return frame

    @pytest.mark.parametrize("kind", ["continuous", "classes", "text"])
    def test_n3lars(
        self,
        session: Any,
        settings: EngineSettings,
        problem: Problem,
        tmp_path: Path,
        kind: str,
    ) -> None:
        y = problem.target(kind)
        if kind == "text":
            y = np.array(["a", "b", "c"])[problem.classes]
        frame = self.stored(session, frame_of(problem, y), tmp_path / "stored")
        # In the order that the rows have in Spark, which is always the same without a shuffle.
        rows = frame.collect()
        X = np.array([[row[name] for name in NAMES] for row in rows], dtype=np.float32)
        expected = N3LARS(8, memory_limit=LIMIT).fit(X, np.array([row["goal"] for row in rows]))
        engines: list[Any] = [settings]
        if kind == "classes":
            engines += ["threads", None]
        for engine in engines:
            found = N3LARS(8, memory_limit=LIMIT, engine=engine).fit(frame, "goal")
            assert_same(found, expected)
            assert found.feature_names_in_.tolist() == NAMES

    def test_relatives(self, settings: EngineSettings, frame: Any, problem: Problem) -> None:
        fitted = N3LARS(3, engine=settings).fit(frame, "goal")
        rows = frame.collect()
        X = np.array([[row[name] for name in NAMES] for row in rows], dtype=np.float32)
        expected = N3LARS(3).fit(X, np.array([row["goal"] for row in rows])).relatives(X, 4)
        assert_same_relatives(fitted.relatives(frame, 4), expected)
        nameless = N3LARS(3, engine=settings).fit(problem.X, problem.numbers)
        with pytest.raises(ValueError, match="fitted on features without names"):
            nameless.relatives(frame, 4)

    def test_checkpoint_is_refused_with_the_way_out(
        self,
        settings: EngineSettings,
        frame: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        # Before anything is written.
        monkeypatch.setattr(spark_frames, "_write", None)
        selector = N3LARS(3, engine=settings, checkpoint=tmp_path / "kept")
        with pytest.raises(ValueError, match=r"no fixed order\. Write it once, with X\.write"):
            selector.fit(frame, "goal")
        assert not (tmp_path / "kept").exists()
        with pytest.raises(ValueError, match="no fixed order"):
            StagedBlocks(tmp_path / "stored").fingerprint()

    def test_temporary_folder_is_removed(
        self, frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        assert MaxRelevance(3, engine="spark").fit(frame, "goal").n_features_in_ == D
        assert list(temporary.iterdir()) == []

    @needs.pyspark
    def test_staging_is_needed_where_executors_are_elsewhere(self, tmp_path: Path) -> None:
        context = SimpleNamespace(master="spark://somewhere:7077")
        frame = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=context))
        with pytest.raises(ValueError, match="seen by all of them"), _staging(frame, None):
            pass
        with _staging(frame, str(tmp_path)) as folder:
            assert folder.parent.parent == tmp_path
        assert list(tmp_path.iterdir()) == []
        nowhere = str(tmp_path / "nowhere")
        with pytest.raises(ValueError, match="there is none at"), _staging(frame, nowhere):
            pass

    def test_bad_columns_are_refused_by_name(
        self, session: Any, settings: EngineSettings, frame: Any, problem: Problem, tmp_path: Path
    ) -> None:
        from pyspark.sql import functions

        kind = functions.lit("text")
        none = functions.when(functions.col("goal") > 0, functions.col("f3"))
        for given, target, said in (
            (frame.withColumn("kind", kind), "goal", r"'kind' holds no numbers \(string\)"),
            (frame.withColumn("f3", none), "goal", r"Column 'f3' holds \d+ value\(s\) that are"),
            (frame, "gaol", "y must be the name of a column"),
            (frame, problem.numbers, "since its rows have no fixed order; got 'ndarray'"),
            (frame.select("goal"), "goal", "no column beside the target 'goal'"),
            (frame.select("f1", "f1", "goal"), "goal", "got 'f1' more than once"),
            (frame.withColumn("goal", functions.array("f1")), "goal", "'goal' holds nested values"),
        ):
            with pytest.raises(ValueError, match=said):
                N3LARS(2, engine=settings).fit(given, target)

    def test_names_with_dots_and_quotes(
        self, session: Any, settings: EngineSettings, problem: Problem, tmp_path: Path
    ) -> None:
        columns = {"f0": problem.X[:, 0], "a.b": problem.X[:, 1], "c`d": problem.X[:, 2]}
        frame = self.stored(session, {**columns, "y.y": problem.numbers}, tmp_path / "stored")
        found = N3LARS(2, engine=settings).fit(frame, "y.y")
        assert found.feature_names_in_.tolist() == list(columns)

    def test_dask_does_not_take_them(self, settings_of_dask: EngineSettings, frame: Any) -> None:
        with pytest.raises(ValueError, match="are worked on by engine 'spark', 'threads' or"):
            N3LARS(2, engine=settings_of_dask).fit(frame, "goal")


def stored_in_parts(problem: Problem, folder: Path) -> Iterator[Any]:
    """The same numbers in files that workers open by themselves."""
    import zarr

    for name, axis, n_parts in (("rows", 0, 4), ("columns", 1, 3)):
        (folder / name).mkdir()
        for i, part in enumerate(np.array_split(problem.X, n_parts, axis=axis)):
            np.save(folder / name / f"{i}.npy", part)
        yield NumpyFolder(folder / name, axis=name)
    zarr.create_array(folder / "x.zarr", data=problem.X, chunks=(100, 25))
    yield ZarrBlocks(folder / "x.zarr")
    np.save(folder / "all.npy", problem.X)
    yield np.load(folder / "all.npy", mmap_mode="r")


@pytest.fixture(params=["dask", "spark"])
def cluster(request: pytest.FixtureRequest) -> Any:
    if request.param == "dask":
        return request.getfixturevalue("settings_of_dask")
    request.getfixturevalue("spark_context")
    return "spark"


def test_files_stay_where_they_are(cluster: Any, problem: Problem, tmp_path: Path) -> None:
    engine = cluster
    expected = N3LARS(6).fit(problem.X, problem.numbers)
    for source in stored_in_parts(problem, tmp_path):
        found = N3LARS(6, engine=engine).fit(source, problem.numbers)
        assert_same(found, expected)
        assert 0 < found.traffic_.tasks < problem.X.nbytes / 4


@pytest.mark.parametrize("kind", ["npy", "mapped", "parquet"])
def test_workers_see_that_a_file_was_replaced(
    cluster: Any, kind: str, problem: Problem, tmp_path: Path
) -> None:
    path = tmp_path / ("a.parquet" if kind == "parquet" else "a.npy")
    sizes = set()
    for X in (problem.X.astype(float), problem.X[:, ::-1].astype(float)):
        whole = np.column_stack([X, problem.numbers])
        with (tmp_path / "new").open("wb") as file:
            if kind == "parquet":
                named = {f"x{i}": column for i, column in enumerate(whole.T)}
                options = {"use_dictionary": False, "write_statistics": False}
                pq.write_table(pa.table(named), file, compression="none", **options)
            else:
                np.save(file, X if kind == "mapped" else whole)
        (tmp_path / "new").replace(path)
        sizes.add(path.stat().st_size)
        source: Any
        if kind == "mapped":
            source = np.load(path, mmap_mode="r")
        else:
            source = open_dataset(path, target=f"x{D}" if kind == "parquet" else "-1").columns
        expected = N3LARS(4).fit(X, problem.numbers)
        assert_same(N3LARS(4, engine=cluster).fit(source, problem.numbers), expected)
    assert len(sizes) == 1


def test_an_array_whose_file_is_gone_is_sent(
    settings_of_dask: EngineSettings, problem: Problem, tmp_path: Path
) -> None:
    np.save(tmp_path / "a.npy", problem.X)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    (tmp_path / "a.npy").unlink()
    found = N3LARS(4, engine=settings_of_dask, checkpoint=tmp_path / "kept")
    assert_same(found.fit(mapped, problem.numbers), N3LARS(4).fit(problem.X, problem.numbers))


@pytest.mark.parametrize(
    "selector",
    [
        BAHSIC(2),
        LassoSelector(2),
        LPBoost(),
        SPEC(2),
        StabilitySelection(LassoSelector(2)),
        InteractionScan(),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_selectors_of_whole_arrays_do_not_collect(problem: Problem, selector: Any) -> None:
    array = dask_array(problem.X)
    with pytest.raises(ValueError, match="needs the whole data as an array, got Array of Dask"):
        selector.fit(array, problem.classes)


def test_neither_does_transform(problem: Problem) -> None:
    array = dask_array(problem.X)
    fitted = MaxRelevance(2).fit(array, problem.numbers)
    with pytest.raises(ValueError, match=r"MaxRelevance\.transform needs the whole data"):
        fitted.transform(array)


def test_comparisons_and_datasets_collect(problem: Problem) -> None:
    array = dask_array(problem.X, CHUNKS["both"])
    found, expected = (
        compare([LassoSelector(2)], X, problem.classes, cv=2) for X in (array, problem.X)
    )
    assert found.summaries[0].score.mean == expected.summaries[0].score.mean
    whole = LassoSelector(2).fit(open_dataset(array, problem.classes))
    assert_same(whole, LassoSelector(2).fit(problem.X, problem.classes))


def _fail(chunk: np.ndarray) -> np.ndarray:
    if len(chunk) > 1:
        raise OSError("no such disk")
    return chunk


def wait_until(reached: Any) -> None:
    """Wait for what clusters do a little later."""
    import time

    end = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.05)
