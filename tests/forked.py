"""Processes for tests, forked from one that has imported everything before.

They begin their work at once then, instead of importing for seconds. Workers of Dask are made in
the same way, see the setting in ``conftest.py``.
"""

from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext

__all__ = ["forking"]

# What commands and workers import when they need it.
IMPORTED = (
    "distributed",
    "hsieve.auto",
    "hsieve.cli.comparison",
    "hsieve.cli.interactions",
    "hsieve.cli.main",
    "hsieve.cli.selection",
    "hsieve.comparison.compare",
    "hsieve.io",
    "hsieve.report.page",
    "matplotlib.figure",
    "pyarrow.csv",
    "pyarrow.parquet",
    "reproduction.__main__",
    "reproduction.catalogue",
    "sklearn.svm",
    "tests.faults.commands",
    "tests.parallel.checkpoint_driver",
)


def forking() -> ForkServerContext:
    """Return the context that makes such processes; the one they are forked from is started."""
    context = get_context("forkserver")
    context.set_forkserver_preload(list(IMPORTED))
    forkserver.ensure_running()
    return context
