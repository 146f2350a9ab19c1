"""What some tests need and not every machine has; a full run fails where one is missing."""

from importlib.util import find_spec

import pytest

from reproduction.collection import collection_root

__all__ = ["collection", "pyspark"]

collection = pytest.mark.skipif(
    collection_root() is None,
    reason="reads the real data sets, which are not distributed with the package "
    "(set HSIEVE_DATA to their folder)",
)

pyspark = pytest.mark.skipif(
    find_spec("pyspark") is None,
    reason="needs pyspark, which `make test` installs where there is a Java runtime",
)
