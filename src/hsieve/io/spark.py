"""Columns of Spark's data frames, written once as Parquet and read from there.

Spark keeps rows, and is tens of times slower than pyarrow at giving columns of wide ones. So its
executors write the frame as Parquet files, each its own rows, into a folder that all of them and
this process see; tasks then read just the columns they work on, and the target comes from the same
files, in the same order. The folder is removed at the end of the engine's block, or with the last
columns of a :class:`hsieve.Dataset`.
"""

import shutil
import tempfile
import uuid
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, FloatArray
from hsieve.data.errors import listed, no_numbers
from hsieve.io.distributed import no_fixed_order
from hsieve.io.parquet import ParquetBlocks, ParquetSource
from hsieve.io.reading import assign_roles
from hsieve.io.targets import feature_names
from hsieve.parallel.base import Engine
from hsieve.parallel.dask import DaskEngine

__all__ = ["SparkFrame", "StagedBlocks", "spark_columns", "spark_features"]

NUMBERS = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double")
# Masters whose executors run on this machine.
HERE = ("local", "local[", "local-cluster[")


class StagedBlocks(ParquetBlocks):
    """Columns of a data frame in the files it was written to for the time of the work."""

    def fingerprint(self) -> str:
        """Refuse to be known again: the files are others each time, and perhaps the rows."""
        raise no_fixed_order()

    def _refusal(self, feature: int, values: FloatArray, bad: NDArray[np.bool_]) -> ValueError:
        """Say which column is not finite; rows have no numbers in Spark, nor has anybody a file."""
        msg = (
            f"Column {self._called(feature)} holds {int(bad.sum())} value(s) that are missing or "
            "infinite; fill them in, or remove these rows, before."
        )
        return ValueError(msg)


class SparkFrame(ParquetSource):
    """Columns of a data frame of Spark, in files that live as long as they are in use."""

    def __init__(self, frame: Any, target: str) -> None:
        _check_names(frame, target)
        with ExitStack() as stack:
            folder = stack.enter_context(_staging(frame, None))
            _write(frame, frame.columns, folder)
            super().__init__(folder, target, called=Path("data frame of Spark"))
            self._removed = weakref.finalize(self, stack.pop_all().close)
        self.notes = ("Spark wrote the data into a temporary folder, from which they are read.",)

    def columns(
        self, features: Sequence[str], declared: Collection[str], *, may_lack: bool
    ) -> "StagedBlocks":
        """Return columns that stay in the files."""
        return StagedBlocks(self, features, declared)


def spark_columns(frame: Any, y: Any, engine: Engine) -> tuple[ColumnBlocks, Any]:
    """Take features and target from a data frame of Spark."""
    _refuse_dask_engine(engine)
    names = _check_names(frame, y)
    _refuse_types(frame, names)
    source = ParquetSource(_written(frame, [*names, y], engine), y)
    target = assign_roles(source).y
    return StagedBlocks(source, names), target


def spark_features(frame: Any, names: Sequence[str], engine: Engine) -> ColumnBlocks:
    """Take some features from a data frame of Spark, without a target."""
    _refuse_dask_engine(engine)
    _refuse_types(frame, names)
    return StagedBlocks(_written(frame, names, engine), names)


def _refuse_dask_engine(engine: Engine) -> None:
    if isinstance(engine, DaskEngine):
        msg = "Data frames of Spark are worked on by engine 'spark', 'threads' or 'local'."
        raise ValueError(msg)


def _written(frame: Any, names: Sequence[str], engine: Engine) -> Path:
    """Write columns to a folder that is removed at the end of the engine's block."""
    folder = engine.keep(_staging(frame, engine.staging))
    _write(frame, names, folder)
    return folder


def _check_names(frame: Any, y: Any) -> list[str]:
    """Return the features, once all columns are known by their names."""
    if not (hasattr(frame, "sparkSession") and hasattr(frame, "write")):
        msg = f"Of Spark, data frames of pyspark.sql are accepted, got {type(frame).__name__}."
        raise ValueError(msg)
    names: list[str] = frame.columns
    if not isinstance(y, str) or y not in names:
        msg = (
            f"y must be the name of a column of the data frame, since its rows have no fixed "
            f"order; got {y if isinstance(y, str) else type(y).__name__!r} for one of "
            f"{listed(names)}."
        )
        raise ValueError(msg)
    return feature_names(names, y)


def _refuse_types(frame: Any, features: Sequence[str]) -> None:
    """Refuse features that are no numbers."""
    types = dict(frame.dtypes)
    refused = [
        n for n in features if not types[n].startswith("decimal") and types[n] not in NUMBERS
    ]
    if refused:
        raise no_numbers(refused, types[refused[0]], "X.drop(...)")


@contextmanager
def _staging(frame: Any, wanted: str | None) -> Iterator[Path]:
    """Make a folder of one's own, and remove it afterwards."""
    if wanted is None and not _runs_here(frame):
        msg = (
            "The executors of Spark run on other machines: say in which folder, seen by all of "
            "them and by this process, the data may be written for the time of the work, as in "
            "engine={'name': 'spark', 'staging': '/shared/folder'}; or write it once, with "
            "X.write.parquet(folder), and use hsieve.open_dataset(folder, target=...)."
        )
        raise ValueError(msg)
    if wanted is not None and not Path(wanted).is_dir():
        msg = f"staging must be a folder, and there is none at {wanted}."
        raise ValueError(msg)
    if wanted is None:
        folder = Path(tempfile.mkdtemp(prefix="hsieve-"))
    else:
        # With the rights that are usual there, since executors may belong to another user.
        folder = Path(wanted, f"hsieve-{uuid.uuid4().hex}").absolute()
        folder.mkdir()
    try:
        yield folder / "columns"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _runs_here(frame: Any) -> bool:
    """Tell whether Spark runs on this machine alone."""
    from pyspark.errors import PySparkException

    try:
        master: str = frame.sparkSession.sparkContext.master
    except PySparkException:
        # Spark Connect, whose server may be anywhere.
        return False
    return master == HERE[0] or master.startswith(HERE[1:])


def _write(frame: Any, names: Sequence[str], folder: Path) -> None:
    """Let executors write the columns, in files whose names say their order."""
    # Quoted, because a dot in a name would ask for a part of a column.
    chosen = frame.select(*("`" + name.replace("`", "``") + "`" for name in names))
    # As a file on all machines, whatever file system Spark takes by default.
    chosen.write.parquet(folder.as_uri(), compression="snappy")
