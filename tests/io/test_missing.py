"""Missing values as one more level."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve.data.arrays import ArrayBlocks, as_blocks
from hsieve.data.views import MissingAsLevel
from hsieve.io.parquet import ParquetBlocks

VALUES = np.array(
    [
        [0.0, 1.0, np.nan, 5.0],
        [1.0, np.nan, np.nan, 5.0],
        [2.0, 0.0, np.nan, 5.0],
        [0.0, np.nan, np.nan, 5.0],
    ]
)
LEVELS = np.array([[0.0, 1, 0, 5], [1, 2, 0, 5], [2, 0, 0, 5], [0, 2, 0, 5]])


@pytest.fixture(params=["C", "F", "float32", "memmap", "parquet"])
def stored(request, tmp_path):
    """The same table in every storage."""
    if request.param == "parquet":
        columns = {f"g{j}": pa.array(column, from_pandas=True) for j, column in enumerate(VALUES.T)}
        pq.write_table(pa.table(columns), tmp_path / "x.parquet", row_group_size=3)
        return ParquetBlocks(tmp_path / "x.parquet")
    if request.param == "memmap":
        np.save(tmp_path / "x.npy", VALUES)
        return as_blocks(np.load(tmp_path / "x.npy", mmap_mode="r"))
    if request.param == "float32":
        return as_blocks(VALUES.astype(np.float32))
    return as_blocks(np.array(VALUES, order=request.param))


def test_missing_values_become_one_more_level(stored):
    blocks = MissingAsLevel(stored)
    np.testing.assert_array_equal(blocks.has_missing, [False, True, True, False])
    found = blocks.read([0, 1, 2, 3])
    np.testing.assert_array_equal(found, LEVELS)
    assert blocks.shape == VALUES.shape
    assert found.dtype == blocks.dtype == stored.dtype
    assert blocks.names == stored.names


def test_any_order_of_columns_may_be_read(stored):
    blocks = MissingAsLevel(stored)
    np.testing.assert_array_equal(blocks.read([3, 1, 1]), LEVELS[:, [3, 1, 1]])


def test_column_without_any_value_is_constant(stored):
    assert len(np.unique(MissingAsLevel(stored).read([2]))) == 1


def test_data_handed_in_are_not_changed():
    original = VALUES.copy()
    MissingAsLevel(as_blocks(original)).read([0, 1, 2, 3])
    np.testing.assert_array_equal(original, VALUES)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 1])
def test_infinity_is_still_refused(infinity, column):
    values = VALUES.copy()
    values[2, column] = infinity
    blocks = MissingAsLevel(ArrayBlocks(values, names=list("abcd")))
    with pytest.raises(ValueError, match=f"Column '{'abcd'[column]}' holds {infinity} in row 2"):
        blocks.read([column])


@pytest.mark.parametrize(
    ("dtype", "largest"), [(np.float32, 2.0**24), (np.float64, 2.0**53), (np.float64, 1e300)]
)
def test_level_of_missing_values_is_new_however_large_the_others_are(dtype, largest):
    values = np.array([[0.0], [largest], [np.nan], [largest]], dtype=dtype)
    found = MissingAsLevel(as_blocks(values)).read([0]).ravel()
    assert np.isfinite(found).all()
    assert len(np.unique(found)) == 3


def test_column_of_very_many_values_is_no_category(rng):
    values = rng.normal(size=(400, 2))
    values[3, 1] = np.nan
    with pytest.raises(ValueError, match="Column 'weight' has missing values and 399 others"):
        MissingAsLevel(ArrayBlocks(values, names=["height", "weight"]))


def test_walk_in_small_blocks_finds_all_missing_values(monkeypatch):
    monkeypatch.setattr("hsieve.data.views.BYTES_AT_A_TIME", 1)
    blocks = MissingAsLevel(as_blocks(VALUES))
    np.testing.assert_array_equal(blocks.has_missing, [False, True, True, False])


def test_integers_have_nothing_missing():
    values = np.arange(12).reshape(4, 3)
    blocks = MissingAsLevel(as_blocks(values))
    assert not blocks.has_missing.any()
    np.testing.assert_array_equal(blocks.read([0, 1, 2]), values)
