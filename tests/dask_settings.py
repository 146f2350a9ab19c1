"""Settings of Dask that hold for the length of a test."""

from contextlib import AbstractContextManager
from typing import Any


def dask_settings(settings: dict[str, str]) -> AbstractContextManager[Any]:
    """Set some of Dask's settings, to be taken back at the end of a ``with``.

    Distributed is imported before: its defaults would otherwise come while one of them is set,
    and taking that one back would take all of them along, for the rest of the process.
    """
    import distributed
    from dask import config

    assert distributed.__version__
    return config.set(settings)
