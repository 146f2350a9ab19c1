"""From a light description to an engine.

Estimators hold descriptions, since their parameters are copied and a live connection cannot be.

Engines of this process: one task after the other, or threads.

Nothing is copied: tasks, shared values and results are the objects themselves, and no bytes cross
a border. Threads serve functions that spend their time in BLAS, in NumPy or in reading files.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import joblib

from hsieve.parallel.base import Engine, Results, in_order
from hsieve.parallel.threads import hold_one_blas_thread, one_blas_thread_a_task
from hsieve.parameters import NONE, integer, word

PACKAGES = {"dask": ("dask", "distributed"), "spark": ("pyspark",)}
# Their workers are processes of their own, perhaps on other machines.
CLUSTERS = tuple(PACKAGES)
NAMES = ("local", "threads", *CLUSTERS)
# Numbers of threads.
JOBS = NONE | integer(-1, -1) | integer(1)

TASKS_A_THREAD = 2


@dataclass(frozen=True)
class EngineSettings:
    """What an engine is to be.

    Parameters
    ----------
    name : {"local", "threads", "dask", "spark"}, default="local"
        "local" does one task after the other, without threads.
    n_workers : int or None, default=None
        Workers to start; None for as many as there are cores. A cluster that runs already has its
        own, and is refused together with a number.
    scheduler : str or None, default=None
        Address of a Dask scheduler ("tcp://host:8786") or master of Spark ("spark://host:7077",
        "yarn", "local[4,4]"). None takes what is connected in this process already, and else
        starts workers on this machine.
    in_flight : int or None, default=None
        Most tasks that are sent ahead and not yet given back; None for a few a worker.
    staging : path-like or None, default=None
        Folder that this process and all workers see by the same path. Data frames of Spark are
        written there, and removed when the work is done. None takes a temporary folder where
        Spark runs on this machine.
    """

    name: str = "local"
    n_workers: int | None = None
    scheduler: str | None = None
    in_flight: int | None = None
    staging: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        word(*NAMES).check("engine", self.name)
        for setting in ("n_workers", "in_flight"):
            (NONE | integer(1)).check(setting, getattr(self, setting))
        if self.scheduler is not None and self.name not in CLUSTERS:
            msg = f"scheduler is for 'dask' and 'spark', not for engine {self.name!r}."
            raise ValueError(msg)
        if self.scheduler is not None and self.n_workers is not None:
            msg = "n_workers is for workers started here; those of a scheduler are its own."
            raise ValueError(msg)
        if self.name == "local" and self.n_workers not in {None, 1}:
            msg = f"engine 'local' has one worker, got n_workers={self.n_workers}; use 'threads'."
            raise ValueError(msg)

        if self.staging is not None and (
            not isinstance(self.staging, str | os.PathLike) or "://" in str(self.staging)
        ):
            msg = f"staging must be the path of a folder, without a scheme, got {self.staging!r}."
            raise ValueError(msg)


def make_engine(
    description: str | Mapping[str, Any] | EngineSettings | None = None, n_jobs: int | None = None
) -> Engine:
    """Make an engine, to be used in a `with` block.

    Parameters
    ----------
    description : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        A name, or settings. None is "local".
    n_jobs : int or None, default=None
        Number of threads, instead of an engine; -1 for one on each core.

    Returns
    -------
    Engine
        It connects, or starts workers, when its block is entered.

    Raises
    ------
    ValueError
        If there is no such engine or setting, or both an engine and a number of threads.
    ImportError
        If the packages of the engine are not installed.

    Examples
    --------
    >>> with make_engine({"name": "threads", "n_workers": 2}) as engine:
    ...     list(engine.map(pow, range(4), shared=2))
    [0, 1, 4, 9]
    """
    JOBS.check("n_jobs", n_jobs)
    refuse_both(n_jobs, description)
    if n_threads_of(n_jobs) > 1:
        description = EngineSettings("threads", n_workers=n_threads_of(n_jobs))
    if description is None:
        return SerialEngine()
    settings = _settings(description)
    _refuse_missing(settings.name)
    engine = _engine(settings)
    engine.staging = None if settings.staging is None else os.fspath(settings.staging)
    return engine


def n_threads_of(n_jobs: int | None) -> int:
    """Count the threads that are asked for."""
    return joblib.cpu_count() if n_jobs == -1 else n_jobs or 1


def refuse_both(n_jobs: int | None, engine: Any) -> None:
    """Refuse two answers to where the work is done."""
    if n_jobs is not None and engine is not None:
        msg = (
            f"n_jobs={n_jobs!r} and engine={engine!r} both say where the work is done; give one of "
            "them."
        )
        raise ValueError(msg)


def _engine(settings: EngineSettings) -> Engine:
    """Make the engine of a name."""
    if settings.name == "local":
        return SerialEngine()
    kind: type[Engine] = ThreadEngine
    if settings.name == "dask":
        from hsieve.parallel.dask import DaskEngine as kind
    elif settings.name == "spark":
        from hsieve.parallel.spark import SparkEngine as kind
    return kind(settings.scheduler, settings.n_workers, settings.in_flight)


def _settings(description: Any) -> EngineSettings:
    """Return any description as settings."""
    if isinstance(description, EngineSettings):
        return description
    if isinstance(description, str):
        return EngineSettings(description)
    if not isinstance(description, Mapping):
        msg = (
            "engine must be a name, a dict of settings or EngineSettings, got "
            f"{type(description).__name__}."
        )
        raise ValueError(msg)
    known = [field.name for field in fields(EngineSettings)]
    unknown = [name for name in description if name not in known]
    if unknown:
        msg = f"settings of an engine are {', '.join(known)}; got {unknown[0]!r}."
        raise ValueError(msg)
    return EngineSettings(**description)


def _refuse_missing(name: str) -> None:
    """Say how to install what an engine needs, before any work is done."""
    for package in PACKAGES.get(name, ()):
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            msg = f"engine {name!r} needs {package}: pip install hsieve[{name}]"
            raise ImportError(msg) from error


class SerialEngine(Engine):
    """One task after the other, each when its result is asked for.

    BLAS has one thread, as on every engine, unless `limits_blas` is False: for sweeps of a search
    that follow from each other, all that an engine can do is to keep their results.
    """

    is_local = True

    def __init__(self, *, limits_blas: bool = True) -> None:
        super().__init__()
        self._limits_blas = limits_blas

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        for task in tasks:
            yield _run(function, task, shared) if self._limits_blas else function(task, shared)


class ThreadEngine(Engine):
    """Threads of this process.

    Notes
    -----
    As long as a map is under way, BLAS has one thread for whoever takes the results, too.
    """

    is_local = True

    @property
    def n_threads(self) -> int:
        """Threads of this process that it works with."""
        return self._n_workers or joblib.cpu_count()

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        n_workers = self.n_threads
        in_flight = self._in_flight or TASKS_A_THREAD * n_workers
        most = min(most or in_flight, in_flight)
        # No thread more than tasks: each may have memory of its own.
        # Threads live as long as a map, so that none is left where a map is given up.
        pool = ThreadPoolExecutor(min(n_workers, most), thread_name_prefix="hsieve")
        waiting: deque[Future[Any]] = deque()
        with hold_one_blas_thread():
            try:
                yield from in_order(
                    tasks,
                    most,
                    begin=lambda task: pool.submit(_run, function, task, shared),
                    end=Future.result,
                    waiting=waiting,
                )
            finally:
                pool.shutdown(cancel_futures=True)


def _run(function: Callable[[Any, Any], Any], task: Any, shared: Any) -> Any:
    """Do one task."""
    with one_blas_thread_a_task():
        return function(task, shared)
