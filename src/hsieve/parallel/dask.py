"""The engine on Dask: futures of tasks, which all depend on that of the shared value.

Tasks that run on a worker when it dies are run again by the scheduler. The shared value is the
result of a task, too, so that it is made again when the last copy is gone.

Arrays of Dask stay on the workers (`hold`). They are passed to tasks as futures, so that Dask takes
the task to where the data are, and makes those again that were lost with a worker.

The cluster is the one that this process is connected to, one at an address, or workers started on
this machine for one block; these load this module first (`dask_setup`).

Dask waits as long as it takes, also for the result of a task that no worker is left to do. Somebody
has to look meanwhile (`DaskMonitor`).
"""

import asyncio
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from multiprocessing import current_process
from typing import Any
from weakref import WeakSet

import joblib

from hsieve.parallel.base import Engine, EngineError, Held, Results, in_order, version
from hsieve.parallel.serialization import Border, Reply, SerializedValue, perform

TASKS_A_WORKER = 4
# Tasks hold columns where these are in no file, and Dask advises against that in vain.
UNADVISED = {"distributed.admin.large-graph-warning-threshold": "1 PiB"}

LOOPBACK = "127.0.0.1"
SECONDS_FOR_SCHEDULER = 10
SECONDS_FOR_WORKERS = 60
SECONDS_TO_NOTICE = 0.5
# Those that a plain connection can be tried with.
PROTOCOLS = ("tcp", "tls")
GUARD = 'if __name__ == "__main__":'
GUARD_NEEDED = (
    f"A script that lets the engine start processes needs `{GUARD}` around what it does, since "
    "each of them reads the script."
)

# Clients that engines have offered, and may use inside each other's blocks.
_offered: WeakSet[Any] = WeakSet()


class DaskEngine(Engine):
    """Workers of a Dask cluster, on which hsieve must be installed.

    Notes
    -----
    A client that is connected already is left open. A script that lets the engine start processes
    needs the usual ``if __name__ == "__main__":``.
    """

    _client: Any = None
    _watch: Any = None

    def _start(self, opened: ExitStack) -> None:
        _refuse_inside_a_task()
        self._client = _find_client(self._scheduler, self._n_workers) or _connect(
            self._scheduler, self._n_workers or joblib.cpu_count(), opened
        )
        self._watch = DaskMonitor(self._client)
        self._watch.first_worker()
        with self._watch.reaching():
            _refuse_other_versions(self._client)

    def offered(self) -> AbstractContextManager[Any]:
        """Let engines on Dask that are made inside the block use these workers."""
        self._block()
        return _offer(self._client)

    def compute(self, collections: Sequence[Any]) -> list[Any]:
        """Work out collections of Dask and bring their values here."""
        self._block()
        with self._watch.reaching():
            futures = self._client.compute(list(collections))
        found: list[Any] = self._watch.results(futures)
        return found

    def hold(self, array: Any) -> list[Any]:
        """Let workers make the chunks of an array of Dask and keep them until the block ends."""
        from dask.core import flatten
        from distributed import futures_of

        block = self._block()
        with self._watch.reaching():
            kept = self._client.persist(array)
        futures = {future.key: future for future in futures_of(kept)}
        for future in futures.values():
            block.callback(future.release)
        return [futures[key] for key in flatten(kept.__dask_keys__())]

    def derive(self, function: Callable[..., Any], held: Any, *arguments: Any) -> Any:
        """Work something out from data that are held, where they are, and hold it."""
        self._block()
        return self._submit(function, held, *arguments)

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        border = Border(function, shared, self._count)
        n_threads = sum(self._watch.workers().values())
        value = border.shared if shared is None else self._submit(_shared, border.shared)
        waiting: deque[Any] = deque()
        try:
            for reply in in_order(
                tasks,
                self._in_flight or TASKS_A_WORKER * max(1, n_threads),
                begin=lambda task: self._begin(task, border, value),
                end=self._end,
                waiting=waiting,
            ):
                yield border.receive(reply)
        finally:
            self._watch.give_up(waiting)

    def _begin(self, task: Any, border: Border, value: Any) -> Any:
        """Send a task, and with it whatever stands for data that workers hold."""
        bare, data = (task.task, task.data) if isinstance(task, Held) else (task, ())
        return self._submit(perform, border.function, border.send(bare), value, *data)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Let a worker do something, without advice on the size of what it needs."""
        from dask import config

        with self._watch.reaching(), config.set(UNADVISED):
            return self._client.submit(function, *arguments, pure=False)

    def _end(self, future: Any) -> Reply:
        """Wait for a task."""
        try:
            reply: Reply = self._watch.results([future])[0]
        except EngineError:
            raise
        except Exception as error:
            # Never the function's own: those come back in replies.
            msg = f"Dask gave up a task of the map: {error}"
            raise EngineError(msg) from error
        return reply


def _shared(value: SerializedValue) -> SerializedValue:
    """Return the shared value, in a worker."""
    return value


class DaskMonitor:
    """Looks whether a cluster is still there while something is waited for."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """Tell of the loss of the scheduler, if that is what went wrong."""
        try:
            yield
        except EngineError:
            raise
        except Exception as error:
            if not isinstance(error, OSError) and self._client.status == "running":
                raise
            raise self._silent(error) from error

    def workers(self) -> dict[str, int]:
        """Return how many threads each worker has."""
        with self.reaching():
            found: dict[str, int] = self._client.nthreads()
            return found

    def first_worker(self) -> None:
        """Wait until there is a worker."""
        with self.reaching():
            try:
                self._client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
            except TimeoutError as error:
                raise self._nobody() from error

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """Wait for futures; their errors come out as they are.

        EngineError if there has been no worker for long, or the scheduler is gone.
        """
        loop = self._client.loop.asyncio_loop
        begun = asyncio.run_coroutine_threadsafe(_all_of(futures), loop)
        last_seen = time.monotonic()
        try:
            while not wait([begun], timeout=SECONDS_TO_NOTICE).done:
                if self.workers():
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > SECONDS_FOR_WORKERS:
                    raise self._nobody()
            return begun.result()
        except Exception as error:
            # Of a task itself, or of the way on which its result comes.
            is_lost = getattr(error, "reason", "") == "scheduler-connection-lost"
            if not is_lost and not isinstance(error, OSError):
                raise
            if any(future.status == "error" for future in futures):
                raise
            raise self._silent(error) from error
        finally:
            begun.cancel()

    def give_up(self, futures: Iterable[Any]) -> None:
        """Cancel what is under way and forget it; errors of that must not hide others."""
        if futures and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(list(futures))

    def _silent(self, error: Exception) -> EngineError:
        reason = str(error).rstrip(".")
        return EngineError(f"The Dask scheduler{self._address()} no longer answers: {reason}.")

    def _nobody(self) -> EngineError:
        return EngineError(
            f"The Dask scheduler{self._address()} had no worker for {SECONDS_FOR_WORKERS} s."
        )

    def _address(self) -> str:
        # A client that was closed knows no scheduler.
        scheduler = self._client.scheduler
        return "" if scheduler is None else f" at {scheduler.address}"


async def _all_of(futures: Sequence[Any]) -> list[Any]:
    """Wait for futures one after the other, in the thread of the client."""
    return [await future for future in futures]


@contextmanager
def _offer(client: Any) -> Iterator[None]:
    """Let engines that are made inside the block use a client."""
    was_offered = client in _offered
    _offered.add(client)
    try:
        with client.as_current():
            yield
    finally:
        if not was_offered:
            _offered.discard(client)


def _find_client(scheduler: str | None, n_workers: int | None) -> Any:
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


def _connect(scheduler: str | None, n_workers: int, opened: ExitStack) -> Any:
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
                preload=[__name__],
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


def _refuse_other_versions(client: Any) -> None:
    """Refuse workers without hsieve, which would never answer, or with another version."""
    wanted = version()
    # A function of Python itself, which any worker can find.
    found = client.run(eval, "__import__('hsieve').__version__", on_error="return")
    for worker, there in found.items():
        # Other errors are those of a worker that just ends.
        if there != wanted and isinstance(there, str | ImportError):
            msg = f"Worker {worker} needs hsieve {wanted}; found: {there}."
            raise EngineError(msg)


def _refuse_inside_a_task() -> None:
    """Refuse tasks that would wait for others of the same workers, perhaps all of them at once."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return
    msg = "engine 'dask' cannot be used inside a task of Dask, whose worker would wait for others."
    raise EngineError(msg)


def dask_setup(worker: Any) -> None:
    """Leave interrupts from the keyboard to the process that started the worker, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
