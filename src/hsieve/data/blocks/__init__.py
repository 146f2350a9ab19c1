"""Data larger than memory, read in blocks of columns and never whole."""

from hsieve.data.blocks.arrays import ArrayBlocks, BackedBlocks, as_blocks
from hsieve.data.blocks.base import ColumnBlocks, ColumnPiece
from hsieve.data.blocks.distributed import (
    distributed_columns,
    distributed_features,
    is_distributed,
    refuse_distributed,
)
from hsieve.data.blocks.engine_columns import EngineColumns, Fetched
from hsieve.data.blocks.files import ParquetBlocks
from hsieve.data.blocks.numpy_folder import NumpyFolder
from hsieve.data.blocks.sparse import SparseBlocks, is_sparse
from hsieve.data.blocks.views import FilledBlocks, MissingAsLevel, SampleBlocks
from hsieve.data.blocks.zarr_arrays import ZarrBlocks

__all__ = [
    "ArrayBlocks",
    "BackedBlocks",
    "ColumnBlocks",
    "ColumnPiece",
    "EngineColumns",
    "Fetched",
    "FilledBlocks",
    "MissingAsLevel",
    "NumpyFolder",
    "ParquetBlocks",
    "SampleBlocks",
    "SparseBlocks",
    "ZarrBlocks",
    "as_blocks",
    "distributed_columns",
    "distributed_features",
    "is_distributed",
    "is_sparse",
    "refuse_distributed",
]
