"""Who does the independent jobs of one method: processes of joblib, or the workers of an engine.

Subsamples, restarts and folds are jobs of this kind: each is worth a process, all need the same
data, and nobody cares where they are done. With `n_jobs` they go through joblib, whose backend is
the user's choice (``joblib.parallel_config``); with `engine`, to any engine. To whoever has jobs
both are an engine.
"""

import os
import pickle
import signal
import time
import warnings
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Thread, current_thread, main_thread
from typing import Any

from hsieve.parallel.base import Engine, EngineError, Results
from hsieve.parallel.settings import CLUSTERS, make_engine, refuse_both
from hsieve.parallel.threads import hold_one_blas_thread, one_blas_thread_a_task

# How often a worker looks whether its parent is still there.
WATCH_SECONDS = 0.5


def make_job_engine(
    n_jobs: int | None = None, engine: Any = None, *, in_order: bool = True
) -> Engine:
    """Make what does the jobs of a method, to be used in a `with` block.

    Examples
    --------
    >>> from operator import mul
    >>> for engine in (None, "threads"):
    ...     with make_job_engine(engine=engine) as workers:
    ...         print(list(workers.map(mul, [1, 2, 3], shared=10)))
    [10, 20, 30]
    [10, 20, 30]
    """
    if isinstance(engine, Engine):
        return engine
    if engine is None:
        return JoblibEngine(n_jobs, in_order=in_order)
    refuse_both(n_jobs, engine)
    return make_engine(engine)


def refuse_cluster_inside(
    engine: Any, parameters: Mapping[str, Any], whose: str, *, n_jobs: int | None = None
) -> None:
    """Refuse jobs that would themselves ask a cluster, from inside an engine or another process.

    Tasks of a cluster that wait for other tasks of it can keep all of its workers waiting, and
    every process would start a cluster of its own.
    """
    if engine is None and n_jobs in {None, 1}:
        return
    who = f"n_jobs={n_jobs!r}" if engine is None else f"engine={engine!r}"
    other = "n_jobs" if engine is None else "the outer engine"
    for name, inner in _clusters_in(parameters):
        msg = (
            f"{who} does whole fits of {whose}, which cannot have a cluster of their own: leave "
            f"out {name}={inner!r}, or {other}."
        )
        raise ValueError(msg)


@contextmanager
def shared_clusters(parameters: Mapping[str, Any]) -> Iterator[None]:
    """Open the clusters that jobs of this process ask for, once for all jobs inside the block."""
    with ExitStack() as opened:
        for _, inner in _clusters_in(parameters):
            engine = opened.enter_context(make_engine(inner))
            opened.enter_context(engine.offered())
        yield


def _clusters_in(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give names and values of parameters that describe a cluster."""
    for name, inner in parameters.items():
        is_engine = inner is not None and name.rpartition("__")[2] == "engine"
        if is_engine and _name_of(inner) in CLUSTERS:
            yield name, inner


def _name_of(description: Any) -> Any:
    """Return the name in a description of an engine."""
    if isinstance(description, Mapping):
        return description.get("name")
    return getattr(description, "name", description)


class JoblibEngine(Engine):
    """Processes of joblib, or what the user has put in their place by ``joblib.parallel_config``.

    Notes
    -----
    Traffic is not counted: it is joblib's.
    """

    def __init__(self, n_jobs: int | None = None, *, in_order: bool = True) -> None:
        super().__init__()
        self._n_jobs = n_jobs
        self._return_as = "generator" if in_order else "generator_unordered"

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        from joblib import delayed

        run, value, caller = delayed(_run), Shared(shared), Caller.here()
        with hold_one_blas_thread():
            results = self._begun(run(function, task, value, caller) for task in tasks)
            try:
                # Not `yield from`, which would close it by itself.
                for result in results:  # noqa: UP028
                    yield result
            except CancelledError as error:
                msg = (
                    "The backend of joblib lost its workers' data; engine='dask' sends them again."
                )
                raise EngineError(msg) from error
            finally:
                _abandon(results)

    def _begun(self, calls: Iterator[Any]) -> Any:
        """Hand out the first calls to joblib, giving results as they come if its backend can."""
        from joblib import Parallel
        from joblib.parallel import get_active_backend

        options = {}
        if get_active_backend()[0].__class__.__name__ == "LokyBackend":
            options = {"initializer": end_with_parent, "initargs": (os.getpid(),)}
        try:
            parallel = Parallel(n_jobs=self._n_jobs, return_as=self._return_as, **options)
        except ValueError as error:
            if "return_as" not in str(error):
                raise
            return Parallel(n_jobs=self._n_jobs)(calls)
        with interrupts_held():
            return parallel(calls)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, and keep it from processes that are started there.

    A terminal sends it to all processes, and the one that hands out the work ends the others.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent(parent: int) -> None:
    """End this process with the one that started it, even if that is killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


class Shared:
    """The shared value of a map, as one argument of each call."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __sizeof__(self) -> int:
        # Backends on clusters ask, to send large arguments once instead of with each call.
        return len(pickle.dumps(self.value, protocol=pickle.HIGHEST_PROTOCOL))


@dataclass(frozen=True)
class Caller:
    """What a task takes over from whoever gave it out, as scikit-learn's own `Parallel` does.

    Scikit-learn's sets the filters of warnings in every thread, and these belong to the process:
    one task then undoes what another has just set. Here they reach other processes only.
    """

    process: int  # number of the caller's process
    # Scikit-learn's configuration, which each thread has for itself.
    configuration: Mapping[str, Any]
    filters: list[Any]  # the filters of warnings in force

    @classmethod
    def here(cls) -> "Caller":
        """Take note of this process and thread."""
        from sklearn import get_config

        return cls(os.getpid(), get_config(), list(warnings.filters))

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Have the caller's settings inside the block."""
        from sklearn import config_context

        with ExitStack() as settings:
            settings.enter_context(config_context(**self.configuration))
            # A worker that runs tasks in threads is somebody else's, and keeps its own filters.
            if self.process != os.getpid() and current_thread() is main_thread():
                settings.enter_context(warnings.catch_warnings())
                warnings.filters[:] = self.filters  # type: ignore[index]
            yield


def _run(function: Any, task: Any, shared: Shared, caller: Caller) -> Any:
    """Do one task."""
    with one_blas_thread_a_task(), caller.settings():
        return function(task, shared.value)


def _abandon(results: Any) -> None:
    """Give up what is in work, without joblib's advice on that."""
    if not isinstance(results, Generator):
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\d+ tasks (which|have been) ", UserWarning)
        results.close()
