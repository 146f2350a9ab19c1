"""Column blocks seen through others: missing values filled in or as a level, some of the samples.

Where a value is missing may itself tell something, and a genotype has no middle to fill in. A
column with NaN is therefore read as codes 0, 1, ... of its levels, with one more for what is
missing, and is to be treated as a category. A column of very many values is no category, so NaN is
refused there; infinity is refused as ever.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from hsieve.data.columns import ColumnBlocks, ColumnView, FloatArray, IndexArray

__all__ = ["FilledBlocks", "MissingAsLevel", "SampleBlocks", "median_of"]

BYTES_AT_A_TIME = 64 * 10**6
# A column of more values than this is a measurement.
MOST_LEVELS = 50


class MissingAsLevel(ColumnView):
    """Columns in which NaN is a value like any other.

    Parameters
    ----------
    blocks : ColumnBlocks
        The columns, with NaN where a value is missing.

    Attributes
    ----------
    has_missing : ndarray of bool of shape (n_features,)
        True where a column holds NaN; it is to be treated as a category.

    Raises
    ------
    ValueError
        If a column with NaN holds more than 50 values.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.data.arrays import as_blocks
    >>> blocks = MissingAsLevel(as_blocks(np.array([[0.0, 1.0], [2.0, np.nan], [1.0, 0.0]])))
    >>> blocks.has_missing.tolist(), blocks.read([1]).ravel().tolist()
    ([False, True], [1.0, 2.0, 0.0])
    """

    def __init__(self, blocks: ColumnBlocks) -> None:
        super().__init__(blocks)
        self.has_missing: NDArray[np.bool_] = np.zeros(self.n_features, dtype=bool)
        for features in self.walk(BYTES_AT_A_TIME):
            block = self._unseen(features)
            self.has_missing[features] = np.isnan(block).any(axis=0)
            for place in np.flatnonzero(self.has_missing[features]):
                self._refuse_measurement(int(features[place]), block[:, place])

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._fill(block, positions)
        for place in np.flatnonzero(np.isinf(block).any(axis=0)):
            column = block[:, place]
            raise self._blocks._refusal(int(positions[place]), column, np.isinf(column))
        for place in np.flatnonzero(self.has_missing[positions]):
            # All NaN are one value to NumPy, the last.
            block[:, place] = np.unique(block[:, place], return_inverse=True)[1]

    def _refuse_measurement(self, feature: int, column: FloatArray) -> None:
        n_levels = len(np.unique(column)) - 1
        if n_levels > MOST_LEVELS:
            msg = (
                f"Column {self._called(feature)} has missing values and {n_levels} others: too "
                "many for a category. Fill in what is missing there, or leave the column out."
            )
            raise ValueError(msg)


class FilledBlocks(ColumnView):
    """Columns with missing values filled in: the median of numbers, a new code for categories.

    Parameters
    ----------
    blocks : ColumnBlocks
        The columns, with NaN where a value is missing.
    categorical : collection of int, default=()
        Those of them that are categories.

    Attributes
    ----------
    notes : tuple of str
        A sentence for each column that had missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve.data.arrays import as_blocks
    >>> FilledBlocks(as_blocks(np.array([[1.0], [np.nan], [3.0], [9.0]]))).read([0]).ravel()
    array([1., 3., 3., 9.])
    """

    def __init__(self, blocks: ColumnBlocks, categorical: Collection[int] = ()) -> None:
        super().__init__(blocks)
        self._values: dict[int, float] = {}
        notes = []
        for features in self.walk(BYTES_AT_A_TIME):
            block = self._unseen(features)
            for place in np.flatnonzero(np.isnan(block).any(axis=0)):
                feature, column = int(features[place]), block[:, place]
                notes.append(self._filled(feature, column, is_category=feature in categorical))
        self.notes = tuple(notes)

    def _filled(self, feature: int, column: FloatArray, *, is_category: bool) -> str:
        """Choose what is filled into a column, and say so."""
        gaps = np.isnan(column)
        called = f"Feature {feature}" if self.names is None else f"Column {self._called(feature)}"
        if gaps.all():
            msg = f"{called} has no value at all; leave it out."
            raise ValueError(msg)
        present = column[~gaps]
        value = float(np.floor(present.max())) + 1.0 if is_category else median_of(present)
        self._values[feature] = value
        how = "kept as a level of their own" if is_category else f"filled with the median {value:g}"
        return f"{called}: {gaps.sum()} of {self.n_samples} values missing, {how}."

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        self._blocks._fill(block, positions)
        for place, position in enumerate(positions):
            value = self._values.get(int(position))
            if value is not None:
                column = block[:, place]
                column[np.isnan(column)] = value

    def unfilled(self) -> FloatArray:
        """Read all columns with NaN where values are missing."""
        return self.unfilled_columns(np.arange(self.n_features))

    def unfilled_columns(self, features: IndexArray) -> FloatArray:
        """Read some columns with NaN where values are missing."""
        return self._unseen(features)


def median_of(values: FloatArray) -> float:
    """Return the median, also where the sum of the middle two is no number."""
    numbers = values.astype(np.float64)
    with np.errstate(over="ignore"):
        median = float(np.median(numbers))
    return median if np.isfinite(median) else 2.0 * float(np.median(numbers / 2))


class SampleBlocks(ColumnView):
    """Some rows of column blocks.

    Examples
    --------
    >>> from hsieve.data.arrays import as_blocks
    >>> blocks = as_blocks(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> SampleBlocks(blocks, np.array([2, 0])).read([1]).ravel().tolist()
    [6.0, 2.0]
    """

    def __init__(self, blocks: ColumnBlocks, rows: IndexArray) -> None:
        super().__init__(blocks)
        self._rows = rows
        self.n_samples = len(rows)

    def _fill(self, block: FloatArray, positions: IndexArray) -> None:
        block[:] = self._unseen(positions)[self._rows]
