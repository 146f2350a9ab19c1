"""Workers of Dask for tests, and settings that hold for the length of one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tests.forked import forking


def dask_settings(settings: dict[str, str]) -> AbstractContextManager[Any]:
    """Set some of Dask's settings, to be taken back at the end of a ``with``.

    Distributed is imported before: its defaults would otherwise come while one of them is set,
    and taking that one back would take all of them along, for the rest of the process.
    """
    import distributed
    from dask import config

    assert distributed.__version__
    return config.set(settings)


@contextmanager
def two_workers() -> Iterator[Any]:
    """Two worker processes that may be killed; their nannies bring them back, however slowly.

    Gives a client that is not the default one, so that it is found on purpose only.
    """
    from distributed import Client, LocalCluster

    forking()
    with (
        dask_settings({"distributed.deploy.lost-worker-timeout": "1 day"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        assert client.scheduler.address.startswith("tcp://")
        yield client
