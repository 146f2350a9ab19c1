"""The engine on Dask: futures, with the shared value scattered to all workers.

Tasks that run on a worker when it dies are run again by the scheduler. Scattered data are not: the
scheduler does not know how to make them again, and gives up all that needs them once the last copy
is gone. The engine then scatters the value anew and sends those tasks again.

Arrays of Dask stay on the workers (`hold`). They are passed to tasks as futures, so that Dask takes
the task to where the data are, and makes those anew that were lost with a worker.
"""

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import joblib

from hsieve.engines.base import Engine, EngineError, Held, in_order
from hsieve.engines.parcels import Border, Parcel, Reply, perform

__all__ = ["DaskEngine"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_A_WORKER = 4
# How often one task may be sent again because the shared value was lost.
MOST_RENEWALS = 3
SECONDS_FOR_WORKERS = 60
SECONDS_TO_NOTICE = 0.5
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
        _refuse_inside_a_task()
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
        from distributed.comm import resolve_address

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
        try:
            if self._scheduler is not None:
                # A client of an address that is none would be long in closing.
                resolve_address(self._scheduler)
            return opened.enter_context(Client(address, set_as_default=False))
        except (OSError, ValueError) as error:
            msg = f"The Dask scheduler at {address!r} cannot be reached: {error}."
            raise EngineError(msg) from error

    def offered(self) -> AbstractContextManager[Any]:
        """Let engines on Dask that are made inside the block use these workers."""
        self._block()
        block: AbstractContextManager[Any] = self._client.as_current()
        return block

    def compute(self, collections: Sequence[Any]) -> list[Any]:
        """Work out collections of Dask and bring their values here.

        Parameters
        ----------
        collections : sequence
            Arrays, delayed values and the like, small ones.

        Returns
        -------
        list
            Their values.
        """
        self._block()
        found: list[Any] = self._client.gather(self._client.compute(list(collections)))
        return found

    def hold(self, array: Any) -> list[Any]:
        """Let workers make the chunks of an array of Dask and keep them until the block ends.

        Parameters
        ----------
        array : dask.array.Array
            The array.

        Returns
        -------
        list
            What stands for each chunk in the data of :class:`hsieve.engines.base.Held`, in the
            order of the chunks, row by row.
        """
        from dask.core import flatten
        from distributed import futures_of

        block = self._block()
        kept = self._client.persist(array)
        futures = {future.key: future for future in futures_of(kept)}
        for future in futures.values():
            block.callback(future.release)
        return [futures[key] for key in flatten(kept.__dask_keys__())]

    def derive(self, function: Callable[..., Any], held: Any, *arguments: Any) -> Any:
        """Work something out from data that are held, where they are, and hold it.

        Parameters
        ----------
        function : callable
            A pure function of a module.
        held : object
            What stands for its first argument.
        *arguments : object
            Its other arguments, small ones.

        Returns
        -------
        object
            What stands for the result; it is held as long as this object is used.
        """
        self._block()
        return self._client.submit(function, held, *arguments, pure=False)

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
                begin=lambda task: _sent(task, border, copies),
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
        for n_failed in range(MOST_RENEWALS + 1):
            if (found := self._scattered_once()) is not None:
                return found
            time.sleep(n_failed * SECONDS_TO_NOTICE)
        msg = f"The shared value could not be sent to workers of Dask in {n_failed + 1} attempts."
        raise EngineError(msg)

    def _scattered_once(self) -> Any:
        """Scatter the value, or return None if a worker is lost on the way.

        The scheduler would try for ever to reach a worker that is lost meanwhile, so somebody has
        to look, and to take back what was begun.
        """
        from distributed import Future

        # Not named by content: a name could be given up by one map while another needs it.
        key = f"hsieve-shared-{uuid.uuid4().hex}"
        workers = set(self.client.nthreads())
        begun = asyncio.run_coroutine_threadsafe(
            self.client.scatter(
                {key: self._parcel},
                broadcast=True,
                timeout=SECONDS_FOR_WORKERS,
                asynchronous=True,
            ),
            self.client.loop.asyncio_loop,
        )
        while True:
            wait([begun], timeout=SECONDS_TO_NOTICE)
            if begun.done():
                try:
                    return begun.result()[key]
                except OSError:
                    # It went to a worker that was just lost, of which nobody knew yet.
                    return None
            if not workers <= set(self.client.nthreads()):
                begun.cancel()
                self.client.cancel([Future(key, self.client)])
                return None


@dataclass
class _Sent:
    """A task that was sent, and is sent again if the shared value is lost."""

    function: bytes
    task: bytes
    copies: _SharedCopies
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        self._send()

    def _send(self) -> None:
        self._shared = self.copies.future
        self.future = self.copies.client.submit(
            perform, self.function, self.task, self._shared, *self.data, pure=False
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
                    what = "held data or the shared value" if self.data else "the shared value"
                    msg = f"The workers of Dask lost {what} {n_lost} times."
                    raise EngineError(msg) from error
                self.copies.renew(self._shared)
                self._send()
            except Exception as error:
                # Never the function's own: those come back in replies.
                msg = f"Dask gave up a task of the map: {error}"
                raise EngineError(msg) from error
            else:
                return reply


def _sent(task: Any, border: Border, copies: _SharedCopies) -> _Sent:
    """Send a task, and with it whatever stands for data that workers hold."""
    if isinstance(task, Held):
        return _Sent(border.function, border.send(task.task), copies, task.data)
    return _Sent(border.function, border.send(task), copies, ())


def _refuse_inside_a_task() -> None:
    """Refuse tasks that would wait for others of the same workers, perhaps all of them at once."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return
    msg = "engine 'dask' cannot be used inside a task of Dask, whose worker would wait for others."
    raise EngineError(msg)
