"""Data frames of pandas, polars and Arrow become columns of numbers, or are refused in words.

What a frame says about its columns is taken at its word: columns of category type and text are
categories, booleans are numbers of two values, names are kept, and whatever is neither number nor
category (dates, nested values, mixed objects) is refused by its name. None of the libraries is
imported to find out: whoever has a frame has imported it already.
"""

from hsieve.data.frames.blocks import FrameBlocks
from hsieve.data.frames.columns import (
    FrameColumn,
    as_array,
    frame_library,
    frame_names,
    take_columns,
)
from hsieve.data.frames.targets import split_target, target_array

__all__ = [
    "FrameBlocks",
    "FrameColumn",
    "as_array",
    "frame_library",
    "frame_names",
    "split_target",
    "take_columns",
    "target_array",
]
