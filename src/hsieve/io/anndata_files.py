"""Files of AnnData (.h5ad): the matrix in column blocks, an annotation of ``obs`` as target.

The file is read by a process of its own (:mod:`hsieve.io.reader_process`), which needs the
package anndata. The matrix stays in the file until its columns are asked for.
"""

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsieve.data.arrays import StoredBlocks
from hsieve.data.columns import FloatArray, IndexArray, float_type
from hsieve.data.errors import table_error
from hsieve.io.numpy_files import NUMPY_KINDS
from hsieve.io.reader_process import ReaderProcess
from hsieve.io.source import Array, Source

if TYPE_CHECKING:
    from hsieve.data.columns import ColumnBlocks

__all__ = ["AnnDataSource", "ServedBlocks"]

READER = "hsieve.io.anndata_reader"
# Most that is asked for at a time, if it is more than one column.
ASKED_BYTES = 64 * 10**6


class AnnDataSource(Source):
    """Columns of the matrix of an AnnData, and the target among the annotations."""

    def __init__(self, path: Path, target: str | None) -> None:

        if find_spec("anndata") is None:
            problem = "reading this needs anndata (pip install hsieve[anndata])"
            raise table_error(path, problem)
        self._reader = ReaderProcess(path, ".h5ad", READER)
        self._is_handed_out = False
        try:
            found = self._reader.ask({"do": "open", "path": str(path), "target": target})
        except BaseException:
            self._reader.close()
            raise
        assert target is not None  # else refused
        about, (self._target_values,) = found.about, found.arrays
        self._target_kind, self._levels = about["target_kind"], about["levels"]
        self._blocks = ServedBlocks(
            self._reader, about["n_labelled"], about["features"], about["stored_type"]
        )
        self._places = {name: place for place, name in enumerate(about["features"])}
        n_without = about["n_obs"] - about["n_labelled"]
        if n_without:
            lacking = f"{n_without} of {about['n_obs']} observations have no {target}"
            self.notes = (f"{lacking}: left out.",)
        super().__init__(path, [*about["features"], target], target)

    def open(self, wanted: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
        """Tell the kind of each wanted column."""
        stored = self._blocks.stored_type
        kinds = dict.fromkeys(wanted, NUMPY_KINDS.get(stored.kind, str(stored)))
        if self.target in kinds:
            kinds[self.target] = self._target_kind
        return kinds

    def load(self, name: str) -> Array:
        """Return the target; features are read as columns."""
        assert name == self.target
        if self._target_kind == "boolean":
            return self._target_values.astype(np.float64)
        if self._target_kind != "text":
            return self._target_values
        labels: Array = np.array(self._levels, dtype=object)[self._target_values]
        return labels

    def columns(self, features: Sequence[str]) -> "ColumnBlocks":
        """Return some features as column blocks, for which the file stays open."""
        from hsieve.data.columns import some_columns

        self._is_handed_out = True
        places = np.array([self._places[name] for name in features], dtype=np.intp)
        return some_columns(self._blocks, places)

    def close(self) -> None:
        """Let go of the file, unless columns are still read from it."""
        if not self._is_handed_out:
            self._reader.close()


class ServedBlocks(StoredBlocks):
    """Columns of a matrix in a file that is open in a process of its own."""

    def __init__(
        self, reader: ReaderProcess, n_samples: int, names: Sequence[str], stored_type: Any
    ) -> None:
        self._reader = reader
        self.n_samples, self.n_features = n_samples, len(names)
        self.names = tuple(names)
        self.stored_type = np.dtype(stored_type)
        self.dtype = float_type(self.stored_type)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        width = max(1, ASKED_BYTES // max(1, self.n_samples * self.dtype.itemsize))
        for start in range(0, len(positions), width):
            places = slice(start, start + width)
            reply = self._reader.ask({"do": "read"}, positions[places])
            block[:, places] = reply.arrays[0].T
