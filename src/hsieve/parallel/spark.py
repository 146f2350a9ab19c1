"""The engine on Spark: one partition a task, the shared value as a broadcast variable.

Spark has jobs, not single tasks, so tasks go out in waves, each one job with a partition a task.
Two waves are under way at a time: while the last tasks of one are done, those of the next take the
cores that are free. What is lost with an executor is run again by Spark itself.
"""

import gc
import os
import re
import shutil
import socket
import sys
import uuid
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from itertools import islice
from typing import Any
from weakref import WeakSet

import joblib

from hsieve.parallel.base import Engine, EngineError, Results, in_order
from hsieve.parallel.serialization import Border, Reply, perform

# A job costs as much as some ten tasks, so waves are long.
TASKS_A_CORE = 16
WAVES = 2
# Without it Spark retries nothing on one machine.
MOST_FAILURES = 4
LOOPBACK = "127.0.0.1"
SECONDS_FOR_MASTER = 10
STANDALONE = "spark://"
MASTER = re.compile(r"local(-cluster)?\[|local$|spark://.+:\d+$|k8s://|yarn$")
SHARE_OF_CLUSTER = "spark.scheduler.pool"
ONE_BLAS_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    **{f"spark.executorEnv.{name}": "1" for name in ONE_BLAS_THREAD},
}

# Contexts that engines have started, and may use inside each other's blocks.
_started_here: WeakSet[Any] = WeakSet()


class SparkEngine(Engine):
    """Executors of Spark, on which hsieve must be installed.

    Notes
    -----
    A session that runs already is left open; Spark Connect has no RDDs and is refused. Where Spark
    is started on this machine, its workers run the same Python with the same path of modules.
    """

    _context: Any = None

    def _start(self, opened: ExitStack) -> None:
        self._context = _running_context()
        if self._context is None:
            self._context = self._started()
            opened.callback(self._context.stop)
            _started_here.add(self._context)
            return
        if self._scheduler not in {None, self._context.master}:
            msg = (
                f"Spark runs in this process already, with master {self._context.master!r}; it "
                f"cannot have {self._scheduler!r} beside it. Stop that session, or use it by "
                "leaving the scheduler out."
            )
            raise EngineError(msg)
        if self._n_workers is not None and self._context not in _started_here:
            msg = (
                f"n_workers={self._n_workers} is for workers started here, but Spark runs in this "
                f"process already, with master {self._context.master!r}; leave n_workers out to "
                "use that, or stop it."
            )
            raise EngineError(msg)

    def _started(self) -> Any:
        """Start Spark."""
        from pyspark import SparkConf, SparkContext

        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            msg = "engine 'spark' needs a Java runtime, 17 or newer, and there is no `java` here."
            raise EngineError(msg)
        n_cores = self._n_workers or joblib.cpu_count()
        master = self._scheduler or f"local[{n_cores},{MOST_FAILURES}]"
        _refuse_master(master)
        settings, here = dict(QUIET), {}
        if master.startswith("local"):
            # Else Spark would start the python3 of PATH, which may be another one.
            here = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": LOOPBACK}
            settings |= {
                "spark.driver.host": LOOPBACK,
                "spark.driver.bindAddress": LOOPBACK,
                "spark.executorEnv.PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
            }
        conf = SparkConf().setMaster(master).setAppName("hsieve").setAll(list(settings.items()))
        try:
            with _environment(**here):
                return SparkContext(conf=conf)
        except Exception as error:
            msg = f"Spark could not be started with master {master!r}: {_reason(error)}"
            raise EngineError(msg) from error

    def _map(self, function: Any, tasks: Iterator[Any], shared: Any, most: int | None) -> Results:
        border = Border(function, shared, self._count)
        most = self._in_flight or TASKS_A_CORE * self._context.defaultParallelism
        n_waves = min(WAVES, most)
        waiting: deque[Future[list[Reply]]] = deque()
        with _Jobs(self._context, border, n_waves) as jobs:
            for replies in in_order(
                _waves(map(border.send, tasks), most // n_waves),
                n_waves,
                begin=jobs.begin,
                end=jobs.end,
                waiting=waiting,
            ):
                yield from map(border.receive, replies)


class _Jobs:
    """Jobs of one map, each in a thread of its own, because Spark has no others that wait."""

    def __init__(self, context: Any, border: Border, n_threads: int) -> None:
        self._context = context
        self._group = f"hsieve-{uuid.uuid4().hex}"
        self._shared = context.broadcast(border.shared)
        self._perform = partial(_perform_all, border.function, self._shared)
        self._share = context.getLocalProperty(SHARE_OF_CLUSTER)
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="hsieve-spark")

    def __enter__(self) -> "_Jobs":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        # A context that has died has nothing to cancel, and its error must not hide another.
        with suppress(Exception):
            self._context.cancelJobGroup(self._group)
        self._pool.shutdown()
        with suppress(Exception):
            self._shared.destroy()

    def begin(self, wave: list[bytes]) -> Future[list[Reply]]:
        """Start the job of one wave."""
        return self._pool.submit(self._run, wave)

    def _run(self, wave: list[bytes]) -> list[Reply]:
        # Properties belong to threads; the user may have chosen a share of the cluster.
        if self._share is not None:
            self._context.setLocalProperty(SHARE_OF_CLUSTER, self._share)
        self._context.setJobGroup(self._group, "hsieve", interruptOnCancel=True)
        partitions = self._context.parallelize(wave, len(wave))
        replies: list[Reply] = partitions.mapPartitions(self._perform).collect()
        return replies

    def end(self, job: Future[list[Reply]]) -> list[Reply]:
        """Wait for a job."""
        try:
            return job.result()
        except Exception as error:
            # Never the function's own: those come back in replies.
            msg = f"Spark gave up a job of the map: {_reason(error)}"
            raise EngineError(msg) from error


def _perform_all(function: bytes, shared: Any, tasks: Iterator[bytes]) -> Iterator[Reply]:
    """Do the tasks of one partition, in an executor."""
    for task in tasks:
        yield perform(function, task, shared.value)
    _set_imports_apart()


@cache
def _set_imports_apart() -> None:
    """Keep what is imported out of the search for garbage, which Spark makes after each task."""
    gc.collect()
    gc.freeze()


def _waves(tasks: Iterator[bytes], size: int) -> Iterator[list[bytes]]:
    """Cut tasks into lists, each made when it is asked for."""
    while wave := list(islice(tasks, size)):
        yield wave


def _running_context() -> Any:
    """Return the context of Spark that this process has, if any."""
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        # A session of another thread, or a context without session: there can be no second one.
        return SparkContext._active_spark_context
    try:
        return session.sparkContext
    except PySparkException as error:
        msg = "The Spark session of this process is one of Spark Connect, which has no RDDs."
        raise EngineError(msg) from error


def _refuse_master(master: str) -> None:
    """Refuse what is no master, and one that does not answer, which Spark itself never says."""
    if not MASTER.match(master):
        msg = (
            f"{master!r} is no master of Spark; accepted are such as 'spark://host:7077', 'yarn', "
            "'k8s://host:443' and 'local[4,4]'."
        )
        raise EngineError(msg)
    if not master.startswith(STANDALONE):
        return
    reasons = []
    # Of several masters one leads and the others wait for its end.
    for address in master.removeprefix(STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), SECONDS_FOR_MASTER).close()
        except (OSError, ValueError) as error:
            reasons.append(str(error))
        else:
            return
    msg = f"The master of Spark at {master!r} cannot be reached: {reasons[0]}."
    raise EngineError(msg)


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables that Spark reads while it starts, unless the user has set them."""
    missing = [name for name in values if name not in os.environ]
    os.environ.update({name: values[name] for name in missing})
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def _reason(error: Exception) -> str:
    """Return what Python said in a worker, or else what Spark says, without Java's frames."""
    lines = [line.strip() for line in str(error).splitlines()]
    of_python = [line for line in lines if re.match(r"\w+(Error|Exception): ", line)]
    of_spark = [line for line in lines if "Job aborted" in line]
    return [*of_python, *of_spark, *lines, type(error).__name__][0]
