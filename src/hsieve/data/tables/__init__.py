"""A user's file becomes arrays, or is refused with one plain sentence.

Feature selection is only as good as the table it is given, and most damage is done silently while
reading: a text column coded as numbers nobody asked for, a missing value filled in, a long
identifier rounded. So nothing is guessed here, and what cannot be represented exactly is an error
that names the file, the column, the first row and the way out.

CSV, TSV and Parquet are read by pyarrow, imported only when such a file is read; NumPy files need
nothing more and are never unpickled.
"""

from hsieve.data.tables.errors import TableError
from hsieve.data.tables.writing import write_features
from hsieve.data.validation import MAX_INTEGER_CLASSES as MAX_AUTO_CLASSES

__all__ = [
    "MAX_AUTO_CLASSES",
    "TableError",
    "write_features",
]
