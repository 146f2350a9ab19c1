"""Clusters of Dask: found, reached by their address, or started on this machine."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from multiprocessing import current_process
from typing import Any
from weakref import WeakSet

from hsieve.parallel.base import EngineError

__all__ = ["connect", "find_client", "offer", "refuse_inside_a_task", "refuse_other_versions"]

LOOPBACK = "127.0.0.1"
SECONDS_FOR_SCHEDULER = 10
# Those that a plain connection can be tried with.
PROTOCOLS = ("tcp", "tls")
GUARD = 'if __name__ == "__main__":'
GUARD_NEEDED = (
    f"A script that lets the engine start processes needs `{GUARD}` around what it does, since "
    "each of them reads the script."
)

# Clients that engines have offered, and may use inside each other's blocks.
_offered: WeakSet[Any] = WeakSet()


@contextmanager
def offer(client: Any) -> Iterator[None]:
    """Let engines that are made inside the block use a client."""
    was_offered = client in _offered
    _offered.add(client)
    try:
        with client.as_current():
            yield
    finally:
        if not was_offered:
            _offered.discard(client)


def find_client(scheduler: str | None, n_workers: int | None) -> Any:
    """Return the client that this process has, if it is one of the scheduler wanted."""
    from distributed import get_client

    try:
        client = get_client()
    except ValueError:
        return None
    if scheduler not in {None, client.scheduler.address}:
        return None
    if n_workers is not None and client not in _offered:
        msg = (
            f"n_workers={n_workers} is for workers started here, but this process has a Dask "
            f"client already, of {client.scheduler.address}; leave n_workers out to use its "
            "workers, or close it."
        )
        raise EngineError(msg)
    return client


def connect(scheduler: str | None, n_workers: int, opened: ExitStack) -> Any:
    """Connect to a scheduler, or to workers started here."""
    from distributed import Client

    address: Any = scheduler
    try:
        if scheduler is None:
            address = _start_workers(n_workers, opened)
        else:
            # A client of an address that is none would be long in trying and in closing.
            _refuse_silence(scheduler)
        return opened.enter_context(Client(address, set_as_default=False))
    except (OSError, ValueError) as error:
        msg = f"The Dask scheduler at {address!r} cannot be reached: {error}."
        raise EngineError(msg) from error


def _start_workers(n_workers: int, opened: ExitStack) -> Any:
    """Start processes on this machine."""
    from dask import config
    from distributed import LocalCluster

    if getattr(current_process(), "_inheriting", False):
        # A worker that has come here by reading the script. Its traceback would say nothing.
        raise SystemExit(GUARD_NEEDED)
    # The cluster takes a worker for gone, and never restarts it, if it is not there some time
    # after it was lost; by then it may have come back and have been lost once more.
    opened.enter_context(config.set({"distributed.deploy.lost-worker-timeout": "1 day"}))
    try:
        return opened.enter_context(
            LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                # Any free port, and nothing behind it: None would be the usual one.
                dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                preload=["hsieve.parallel.dask_worker"],
            )
        )
    except RuntimeError as error:
        msg = f"Dask could not start workers on this machine: {error} {GUARD_NEEDED}"
        raise EngineError(msg) from error


def _refuse_silence(scheduler: str) -> None:
    """Raise OSError or ValueError for what is no address, and where nobody listens."""
    from distributed.comm import get_address_host_port, parse_address, resolve_address

    protocol, _ = parse_address(resolve_address(scheduler))
    if protocol in PROTOCOLS:
        host, port = get_address_host_port(scheduler)
        socket.create_connection((host, port), SECONDS_FOR_SCHEDULER).close()


def refuse_other_versions(client: Any) -> None:
    """Refuse workers without hsieve, which would never answer, or with another version."""
    # By name, because this layer knows none of those above it.
    wanted = import_module("hsieve").__version__
    # A function of Python itself, which any worker can find.
    found = client.run(eval, "__import__('hsieve').__version__", on_error="return")
    for worker, version in found.items():
        # Other errors are those of a worker that just ends.
        if version != wanted and isinstance(version, str | ImportError):
            msg = f"Worker {worker} needs hsieve {wanted}; found: {version}."
            raise EngineError(msg)


def refuse_inside_a_task() -> None:
    """Refuse tasks that would wait for others of the same workers, perhaps all of them at once."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return
    msg = "engine 'dask' cannot be used inside a task of Dask, whose worker would wait for others."
    raise EngineError(msg)
