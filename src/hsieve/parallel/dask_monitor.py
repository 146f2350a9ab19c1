"""Waiting for a cluster of Dask, but never for ever.

Dask itself waits as long as it takes: for the result of a task that no worker is left to do, and
for a value that goes to a worker which is lost on the way. Somebody has to look meanwhile.

The shared value of a map on the workers of Dask.

It is scattered, once for all tasks. The scheduler does not know how to make scattered data again,
and gives up all that needs them once the last copy is gone; then the value is scattered again.
"""

import asyncio
import time
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from typing import Any

from hsieve.parallel.base import EngineError
from hsieve.parallel.serialization import SerializedValue

SECONDS_FOR_WORKERS = 60
SECONDS_TO_NOTICE = 0.5

# How often one task may be sent again because the shared value was lost.
MOST_RENEWALS = 3


class WorkerLostError(Exception):
    """A worker without which something never ends is gone."""


class DaskMonitor:
    """Looks whether a cluster is still there while something is waited for."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """Say in words that the scheduler is gone, where that is what went wrong."""
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

    def wait(
        self, coroutine: Coroutine[Any, Any, Any], needed: AbstractSet[str] = frozenset()
    ) -> Any:
        """Wait for something that the client does; its errors come out as they are.

        `needed` are the workers without which it never ends: WorkerLostError if one of them is
        lost. EngineError if there has been no worker for long, or the scheduler is gone.
        """
        begun = asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)
        last_seen = time.monotonic()
        try:
            while not wait([begun], timeout=SECONDS_TO_NOTICE).done:
                workers = self.workers().keys()
                if not needed <= workers:
                    raise WorkerLostError
                if workers:
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > SECONDS_FOR_WORKERS:
                    raise self._nobody()
            return begun.result()
        finally:
            begun.cancel()

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """Wait for futures."""
        try:
            found: list[Any] = self.wait(_all_of(futures))
        except OSError as error:
            # Of a task itself, or of the way on which its result comes.
            if any(future.status == "error" for future in futures):
                raise
            raise self._silent(error) from error
        return found

    def give_up(self, futures: Sequence[Any]) -> None:
        """Cancel what is under way and forget it; errors of that must not hide others."""
        if futures and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(futures)

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


class SharedCopies:
    """The shared value on all workers, and again on those that are left when it is lost."""

    def __init__(self, client: Any, watch: DaskMonitor, parcel: SerializedValue) -> None:
        self._client = client
        self._watch = watch
        self._parcel = parcel
        self.future = self._scattered()

    def renew(self, lost: Any) -> None:
        """Scatter the value again, unless that was done since `lost` was."""
        if self.future is lost:
            self.future = self._scattered()

    def release(self) -> None:
        """Let workers forget the value."""
        if self.future is not self._parcel:
            # A connection that is lost has nothing to release.
            with suppress(Exception):
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

        The scheduler would try for ever to reach a worker that is lost meanwhile.
        """
        from distributed import Future

        # Not named by content: a name could be given up by one map while another needs it.
        key = f"hsieve-shared-{uuid.uuid4().hex}"
        workers = self._watch.workers().keys()
        begun = self._client.scatter(
            {key: self._parcel},
            broadcast=True,
            # The watch is to be the first to find that there are no workers.
            timeout=2 * SECONDS_FOR_WORKERS,
            asynchronous=True,
        )
        try:
            return self._watch.wait(begun, needed=workers)[key]
        except OSError:
            # It went to a worker that was just lost, of which nobody knew yet.
            return None
        except WorkerLostError:
            self._watch.give_up([Future(key, self._client)])
            return None
