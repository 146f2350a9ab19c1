"""Readers: files, data frames and data on clusters become columns of numbers, or are refused.

Feature selection is only as good as the data it is given, and most damage is done silently while
reading: a text column coded as numbers nobody asked for, a missing value filled in, a long
identifier rounded. So nothing is guessed here, and what cannot be represented exactly is an error
that names the file, the column, the first row and the way out.

Libraries that read one format are imported only when such data are read.
"""

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import TableError
from hsieve.data.views import MissingAsLevel
from hsieve.io.numpy_folder import NumpyFolder
from hsieve.io.parquet import ParquetBlocks
from hsieve.io.writing import write_features
from hsieve.io.zarr import ZarrBlocks

__all__ = [
    "ArrayBlocks",
    "ColumnBlocks",
    "MissingAsLevel",
    "NumpyFolder",
    "ParquetBlocks",
    "TableError",
    "ZarrBlocks",
    "write_features",
]
