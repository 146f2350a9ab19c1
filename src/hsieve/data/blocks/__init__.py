"""Data larger than memory, read in blocks of columns and never whole."""

from hsieve.data.blocks.arrays import ArrayBlocks, as_blocks
from hsieve.data.blocks.base import ColumnBlocks, Piece
from hsieve.data.blocks.files import ParquetBlocks
from hsieve.data.blocks.missing import MissingAsLevel
from hsieve.data.blocks.opening import ColumnTable, can_open_columns, open_columns
from hsieve.data.blocks.placed import Fetched, PlacedBlocks

__all__ = [
    "ArrayBlocks",
    "ColumnBlocks",
    "ColumnTable",
    "Fetched",
    "MissingAsLevel",
    "ParquetBlocks",
    "Piece",
    "PlacedBlocks",
    "as_blocks",
    "can_open_columns",
    "open_columns",
]
