"""What engines cost beside local threads, and how little the driver holds. Run by `make bench`.

    python benchmarks/bench_engines.py --only overhead    one part: overhead or memory

overhead: N3LARS, ten features, from a folder of four Parquet files, with two threads of one process
and with two worker processes of a Dask cluster and of a Spark cluster that run already (starting
them is told apart). All of them are kept open by one process, which lets them work in turn, so that
a busy machine hits all alike; CPU seconds are those of the driver and of all its workers. The first
round, in which workers import what they need, is not counted.
memory: a folder of Parquet files of 8 GB, larger than what any process here may hold; the driver is
a process of its own, its peak the kernel's mark (VmHWM) after the whole run, libraries included.
For Spark the Java process that goes with the driver is told beside it. Bytes moved are those of
`selector.traffic_`.

Engines that are not installed are named and left out.
"""

import contextlib
import os
import shutil
import statistics
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import psutil
from measuring import ONE_THREAD, MeasurementError, peak_memory, run_apart, run_parts

SHAPES = [(20_000, 5_000), (200_000, 2_000)]
AIMS = {"dask": 1.5, "spark": 2.0}
LARGE_SHAPE = (200_000, 10_000)
MEMORY_AIM = 0.5
N_WORKERS = 2
N_PARTS = 4
N_SELECTED = 10
N_FACTORS = 10
REPETITIONS = 5
# Rows of a part that are made at a time.
ROWS_AT_A_TIME = 5_000
PACKAGES = {"threads": "hsieve", "dask": "distributed", "spark": "pyspark"}


def write_table(folder, n, d, seed=0):
    """Write d features of n samples, and a target that five of them make, as row parts.

    All features are correlated through a few shared factors, so that a path meets redundancy.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    names = [f"f{feature}" for feature in range(d)]
    schema = pa.schema([*((name, pa.float32()) for name in names), ("y", pa.float64())])
    for part in range(N_PARTS):
        path = Path(folder) / f"part-{part}.parquet"
        with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
            rows = (part + 1) * n // N_PARTS - part * n // N_PARTS
            for start in range(0, rows, ROWS_AT_A_TIME):
                X, y = samples(rng, min(ROWS_AT_A_TIME, rows - start), d)
                columns = [*(pa.array(column) for column in X.T), pa.array(y)]
                file.write_table(pa.Table.from_arrays(columns, schema=schema))


def samples(rng, n, d):
    """Draw some samples of the problem."""
    factors = rng.standard_normal((n, N_FACTORS), dtype=np.float32)
    X = rng.standard_normal((n, d), dtype=np.float32)
    X += 0.7 * factors[:, np.arange(d) % N_FACTORS]
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + 0.5 * X[:, 4]
    return np.asfortranarray(X), y + 0.3 * rng.standard_normal(n)


@contextlib.contextmanager
def dask_cluster():
    """Worker processes over TCP, found by the engine as the client of this process."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
        Client(cluster),
    ):
        yield


@contextlib.contextmanager
def spark_cluster():
    """Executors that are processes of their own, found by the engine as the session."""
    from pyspark import SparkConf, SparkContext

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    conf = SparkConf().setMaster(f"local-cluster[{N_WORKERS},1,1024]").setAppName("bench")
    context = SparkContext(conf=conf.setAll(list(settings.items())))
    try:
        yield
    finally:
        context.stop()


CLUSTERS = {
    "threads": contextlib.nullcontext,
    "dask": dask_cluster,
    "spark": spark_cluster,
}


def description(name):
    """Return what N3LARS is told; clusters are found."""
    return {"name": name, "n_workers": N_WORKERS} if name == "threads" else name


def cpu_of_all():
    """CPU seconds of this process and of all that it, or one of them, has started."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def fit(folder, engine):
    """Select from the folder; the selector, wall and CPU seconds."""
    from hsieve import N3LARS, open_dataset

    cpu, start = cpu_of_all(), time.perf_counter()
    table = open_dataset(folder, target="y")
    selector = N3LARS(N_SELECTED, engine=description(engine)).fit(table)
    return selector, time.perf_counter() - start, cpu_of_all() - cpu


def measure_overhead(task):
    """Let all engines work in turn; seconds of each round and what was found."""
    answers = {name: {"seconds": [], "cpu": []} for name in task["engines"]}
    with contextlib.ExitStack() as running:
        for name in task["engines"]:
            start = time.perf_counter()
            running.enter_context(CLUSTERS[name]())
            answers[name]["start"] = time.perf_counter() - start
        for repetition in range(task["repetitions"] + 1):
            for name in task["engines"]:
                selector, seconds, cpu = fit(task["folder"], name)
                answers[name]["chosen"] = selector.selected_indices_.tolist()
                answers[name]["coefficients"] = selector.coef_.tolist()
                answers[name]["moved"] = selector.traffic_.total
                if repetition:
                    answers[name]["seconds"].append(seconds)
                    answers[name]["cpu"].append(cpu)
    return answers


def measure_memory(task):
    """Select as a driver does, and tell its peak."""
    with CLUSTERS[task["engine"]]():
        selector, seconds, _ = fit(task["folder"], task["engine"])
        java = [p for p in psutil.Process().children() if "java" in p.name()]
        return {
            "seconds": seconds,
            "peak": peak_memory(),
            "java": sum(p.memory_info().rss for p in java) / 1e9,
            "chosen": selector.selected_indices_.tolist(),
            "traffic": [
                getattr(selector.traffic_, kind) for kind in ("tasks", "shared", "results")
            ],
        }


def measure_here(task):
    return {"overhead": measure_overhead, "memory": measure_memory}[task["what"]](task)


def installed():
    """Engines whose packages are there."""
    found = []
    for name, package in PACKAGES.items():
        if find_spec(package) is None or (name == "spark" and shutil.which("java") is None):
            print(f"{name} left out: {package} (and Java for Spark) is not installed")
        else:
            found.append(name)
    return found


def compare_overhead(repetitions):
    """Print seconds of every engine beside those of threads."""
    print(f"\n{'n':>8} {'d':>6}  engine   seconds  ratio          CPU s  ratio  start s   MB moved")
    rows = {}
    for n, d in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            write_table(folder, n, d)
            task = {
                "what": "overhead",
                "folder": folder,
                "engines": installed(),
                "repetitions": repetitions,
            }
            answers = run_apart(__file__, task, environment=ONE_THREAD)
        local = answers["threads"]
        for name, found in answers.items():
            if found["chosen"] != local["chosen"]:
                raise MeasurementError(f"{name} chose {found['chosen']}, not {local['chosen']}")
            difference = np.abs(np.subtract(found["coefficients"], local["coefficients"])).max()
            # Rounds are compared one by one: in each the machine was equally busy.
            ratios = np.divide(found["seconds"], local["seconds"])
            rows[n, d, name] = float(np.median(ratios))
            aim = f"(aim {AIMS[name]})" if name in AIMS else ""
            print(
                f"{n:>8} {d:>6}  {name:8} {statistics.median(found['seconds']):7.2f} "
                f"{np.median(ratios):6.2f} {aim:9} {statistics.median(found['cpu']):6.2f} "
                f"{np.median(np.divide(found['cpu'], local['cpu'])):6.2f} {found['start']:8.1f} "
                f"{found['moved'] / 1e6:10.2f}   coefficients differ by {difference:.0e}",
                flush=True,
            )
    return rows


def compare_memory(repetitions):
    """Print the driver's peak on a data set of 8 GB."""
    del repetitions
    n, d = LARGE_SHAPE
    print(f"\n{n:,} x {d:,} float32, {4e-9 * n * d:.1f} GB as Parquet; aim: {MEMORY_AIM} GB")
    rows, chosen = {}, None
    with tempfile.TemporaryDirectory() as folder:
        write_table(folder, n, d)
        for engine in (name for name in installed() if name != "threads"):
            task = {"what": "memory", "folder": folder, "engine": engine}
            found = run_apart(__file__, task, environment=ONE_THREAD)
            if chosen not in (None, found["chosen"]):
                raise MeasurementError(f"{engine} chose {found['chosen']}, not {chosen}")
            chosen = found["chosen"]
            rows[engine] = found["peak"]
            tasks, shared, results = (f"{count / 1e6:.1f}" for count in found["traffic"])
            java = f" (and Java {found['java']:.2f} GB)" if found["java"] else ""
            print(
                f"{engine:6} driver's peak {found['peak']:.3f} GB{java}, {found['seconds']:.0f} s; "
                f"MB moved: tasks {tasks}, shared {shared}, results {results}; chose {chosen}",
                flush=True,
            )
    return rows


PARTS = {"overhead": compare_overhead, "memory": compare_memory}

if __name__ == "__main__":
    run_parts("Engines", __doc__, PARTS, measure_here, REPETITIONS)
