"""What some tests need and not every machine has; a full run fails where one is missing."""

import pytest

from reproduction.collection import collection_root

__all__ = ["collection"]

collection = pytest.mark.skipif(
    collection_root() is None,
    reason="reads the real data sets, which are not distributed with the package "
    "(set HSIEVE_DATA to their folder)",
)
