"""The shared value of a map on the workers of Dask.

It is scattered, once for all tasks. The scheduler does not know how to make scattered data again,
and gives up all that needs them once the last copy is gone; then the value is scattered anew.
"""

import time
import uuid
from contextlib import suppress
from typing import Any

from hsieve.parallel.base import EngineError
from hsieve.parallel.dask_monitor import (
    SECONDS_FOR_WORKERS,
    SECONDS_TO_NOTICE,
    DaskMonitor,
    WorkerLostError,
)
from hsieve.parallel.serialization import SerializedValue

__all__ = ["MOST_RENEWALS", "SharedCopies"]

# How often one task may be sent again because the shared value was lost.
MOST_RENEWALS = 3


class SharedCopies:
    """The shared value on all workers, and again on those that are left when it is lost.

    Parameters
    ----------
    client : distributed.Client
        The connection to the workers.
    watch : DaskMonitor
        Looks after it.
    parcel : SerializedValue
        The value.

    Attributes
    ----------
    future : distributed.Future or Parcel
        What stands for the value in a task.
    """

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
