"""The engine on Dask: futures, with the shared value scattered to all workers.

Tasks that run on a worker when it dies are run again by the scheduler. Scattered data are not: what
needs them is given up once the last copy is gone, and then sent again with the value.

Arrays of Dask stay on the workers (`hold`). They are passed to tasks as futures, so that Dask takes
the task to where the data are, and makes those anew that were lost with a worker.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

import joblib

from hsieve.parallel.base import Engine, EngineError, Held, in_order
from hsieve.parallel.dask_cluster import (
    connect,
    find_client,
    offer,
    refuse_inside_a_task,
    refuse_other_versions,
)
from hsieve.parallel.dask_monitor import MOST_RENEWALS, DaskMonitor, SharedCopies
from hsieve.parallel.serialization import Border, Reply, perform

__all__ = ["DaskEngine"]

Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_A_WORKER = 4
# Tasks hold columns where these are in no file, and Dask advises against that in vain.
UNADVISED = {"distributed.admin.large-graph-warning-threshold": "1 PiB"}


class DaskEngine(Engine):
    """Workers of a Dask cluster, on which hsieve must be installed.

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
        self._n_workers = n_workers
        self._in_flight = in_flight
        self._client: Any = None
        self._watch: Any = None

    def _start(self, opened: ExitStack) -> None:
        refuse_inside_a_task()
        self._client = find_client(self._scheduler, self._n_workers) or connect(
            self._scheduler, self._n_workers or joblib.cpu_count(), opened
        )
        self._watch = DaskMonitor(self._client)
        self._watch.first_worker()
        with self._watch.reaching():
            refuse_other_versions(self._client)

    def offered(self) -> AbstractContextManager[Any]:
        """Let engines on Dask that are made inside the block use these workers."""
        self._block()
        return offer(self._client)

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
        with self._watch.reaching():
            return self._client.submit(function, held, *arguments, pure=False)

    def _map(
        self, function: Callable[[Task, Any], Result], tasks: Iterator[Task], shared: Any
    ) -> Generator[Result, None, None]:
        border = Border(function, shared, self._count)
        n_threads = sum(self._watch.workers().values())
        copies = SharedCopies(self._client, self._watch, border.shared)
        waiting: deque[_Sent] = deque()
        try:
            for reply in in_order(
                tasks,
                self._in_flight or TASKS_A_WORKER * max(1, n_threads),
                begin=lambda task: self._sent(task, border, copies),
                end=_Sent.reply,
                waiting=waiting,
            ):
                yield border.receive(reply)
        finally:
            self._watch.give_up([sent.future for sent in waiting])
            copies.release()

    def _sent(self, task: Any, border: Border, copies: SharedCopies) -> "_Sent":
        """Send a task, and with it whatever stands for data that workers hold."""
        bare, data = (task.task, task.data) if isinstance(task, Held) else (task, ())
        call = (border.function, border.send(bare))
        return _Sent(self._client, self._watch, copies, call, data)


@dataclass
class _Sent:
    """A task that was sent, and is sent again if the shared value is lost."""

    client: Any
    watch: DaskMonitor
    copies: SharedCopies
    call: tuple[bytes, bytes]
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        self._send()

    def _send(self) -> None:
        from dask import config

        self._shared = self.copies.future
        with self.watch.reaching(), config.set(UNADVISED):
            self.future = self.client.submit(
                perform, *self.call, self._shared, *self.data, pure=False
            )

    def reply(self) -> Reply:
        """Wait for the task."""
        n_lost = 0
        while True:
            try:
                reply: Reply = self.watch.results([self.future])[0]
            except CancelledError as error:
                n_lost += 1
                if n_lost > MOST_RENEWALS:
                    what = "held data or the shared value" if self.data else "the shared value"
                    msg = f"The workers of Dask lost {what} {n_lost} times."
                    raise EngineError(msg) from error
                self.copies.renew(self._shared)
                self._send()
            except EngineError:
                raise
            except Exception as error:
                # Never the function's own: those come back in replies.
                msg = f"Dask gave up a task of the map: {error}"
                raise EngineError(msg) from error
            else:
                return reply
