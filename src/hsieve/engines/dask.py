"""The engine on Dask: futures, with the shared value scattered to all workers.

Tasks that run on a worker when it dies are run again by the scheduler. Scattered data are not: the
scheduler does not know how to make them again, and gives up all that needs them once the last copy
is gone. The engine then scatters the value anew and sends those tasks again.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import joblib

from hsieve.engines.base import Engine, EngineError, in_order
from hsieve.engines.parcels import Border, Parcel, Reply, perform

__all__ = ["DaskEngine"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_A_WORKER = 4
# How often one task may be sent again because the shared value was lost.
MOST_RENEWALS = 3
SECONDS_FOR_WORKERS = 60
LOOPBACK = "127.0.0.1"


class DaskEngine(Engine):
    """Workers of a Dask cluster, on which hsieve must be installed.

    Parameters
    ----------
    scheduler : str or None, default=None
        Address of the scheduler. None takes the client of this process, if there is one, and else
        starts worker processes on this machine.
    n_workers : int or None, default=None
        Processes to start; None for one a core.
    in_flight : int or None, default=None
        Most tasks sent ahead; None for four a thread of the workers.

    Notes
    -----
    A client that is connected already is left open. A script that lets the engine start processes
    needs the usual ``if __name__ == "__main__":``.
    """

    def __init__(
        self,
        scheduler: str | None = None,
        n_workers: int | None = None,
        in_flight: int | None = None,
    ) -> None:
        super().__init__()
        self._scheduler = scheduler
        self._n_workers = n_workers or joblib.cpu_count()
        self._in_flight = in_flight
        self._client: Any = None

    def _start(self, opened: ExitStack) -> None:
        self._client = self._connected() or self._connect(opened)
        try:
            self._client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
        except TimeoutError as error:
            address = self._client.scheduler.address
            msg = f"The Dask scheduler at {address} had no worker for {SECONDS_FOR_WORKERS} s."
            raise EngineError(msg) from error
        self._refuse_other_versions()

    def _refuse_other_versions(self) -> None:
        """Refuse workers without hsieve, which would never answer, or with another version."""
        # By name, because this layer knows none of those above it.
        wanted = import_module("hsieve").__version__
        # A function of Python itself, which any worker can find.
        found = self._client.run(eval, "__import__('hsieve').__version__", on_error="return")
        for worker, version in found.items():
            # Other errors are those of a worker that just ends.
            if version != wanted and isinstance(version, str | ImportError):
                msg = f"Worker {worker} needs hsieve {wanted}; found: {version}."
                raise EngineError(msg)

    def _connected(self) -> Any:
        """Return the client that this process has, if it is one of the scheduler wanted."""
        from distributed import get_client

        try:
            client = get_client()
        except ValueError:
            return None
        wanted = self._scheduler in {None, client.scheduler.address}
        return client if wanted else None

    def _connect(self, opened: ExitStack) -> Any:
        """Connect to the scheduler, or to workers started here."""
        from dask import config
        from distributed import Client, LocalCluster

        address: Any = self._scheduler
        if address is None:
            # The cluster takes a worker for gone, and never restarts it, if it is not there some
            # time after it was lost; by then it may have come back and have been lost once more.
            opened.enter_context(config.set({"distributed.deploy.lost-worker-timeout": "1 day"}))
            address = opened.enter_context(
                LocalCluster(
                    n_workers=self._n_workers,
                    threads_per_worker=1,
                    processes=True,
                    # Any free port, and nothing behind it: None would be the usual one.
                    dashboard_address=f"{LOOPBACK}:0",
                    scheduler_kwargs={"dashboard": False},
                )
            )
        return opened.enter_context(Client(address, set_as_default=False))

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        border = Border(function, shared, self._count)
        copies = _SharedCopies(self._client, border.shared)
        waiting: deque[_Sent] = deque()
        n_threads = sum(self._client.nthreads().values())
        try:
            for reply in in_order(
                tasks,
                self._in_flight or TASKS_A_WORKER * max(1, n_threads),
                begin=lambda task: _Sent(border.function, border.send(task), copies),
                end=_Sent.reply,
                waiting=waiting,
            ):
                yield border.receive(reply)
        finally:
            if waiting:
                self._client.cancel([sent.future for sent in waiting])
            copies.release()


class _SharedCopies:
    """The shared value on all workers, and again on those that are left when it is lost."""

    def __init__(self, client: Any, parcel: Parcel) -> None:
        self.client = client
        self._parcel = parcel
        self.future = self._scattered()

    def renew(self, lost: Any) -> None:
        """Scatter the value again, unless that was done since `lost` was."""
        if self.future is lost:
            self.future = self._scattered()

    def release(self) -> None:
        """Let workers forget the value."""
        if self.future is not self._parcel:
            self.future.release()

    def _scattered(self) -> Any:
        if self._parcel.open() is None:
            return self._parcel
        try:
            # Not named by content: a name could be given up by one map while another needs it.
            return self.client.scatter(
                self._parcel, broadcast=True, hash=False, timeout=SECONDS_FOR_WORKERS
            )
        except OSError as error:
            msg = f"The shared value could not be sent to workers of Dask: {error}"
            raise EngineError(msg) from error


@dataclass
class _Sent:
    """A task that was sent, and is sent again if the shared value is lost."""

    function: bytes
    task: bytes
    copies: _SharedCopies

    def __post_init__(self) -> None:
        self._send()

    def _send(self) -> None:
        self._shared = self.copies.future
        self.future = self.copies.client.submit(
            perform, self.function, self.task, self._shared, pure=False
        )

    def reply(self) -> Reply:
        """Wait for the task."""
        from distributed import CancelledError

        n_lost = 0
        while True:
            try:
                reply: Reply = self.future.result()
            except CancelledError as error:
                n_lost += 1
                if n_lost > MOST_RENEWALS:
                    msg = f"The shared value was lost with the workers of Dask {n_lost} times."
                    raise EngineError(msg) from error
                self.copies.renew(self._shared)
                self._send()
            except Exception as error:
                # Never the function's own: those come back in replies.
                msg = f"Dask gave up a task of the map: {error}"
                raise EngineError(msg) from error
            else:
                return reply
