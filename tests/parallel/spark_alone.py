"""Spark as the engine starts it itself, with one core and with two; run as a process of its own."""

import json
import os
import sys
from pathlib import Path

import numpy as np

from hsieve.parallel import make_engine
from tests.parallel.work import identify, kill_once, total_of_range

SET_TO_START = ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")


def main(given: Path, trace: Path) -> None:
    from pyspark import SparkContext

    problem = json.loads(given.read_text())
    numbers = np.array(problem["numbers"])
    ranges = [tuple(pair) for pair in problem["ranges"]]
    before = [os.environ.get(name) for name in SET_TO_START]
    totals, n_workers = {}, {}
    for n in (1, 2):
        with make_engine({"name": "spark", "n_workers": n}) as engine:
            totals[str(n)] = list(engine.map(total_of_range, ranges, shared=numbers))
            n_workers[str(n)] = len({pid for _, pid in engine.map(identify, range(12))})
            if n == 2:
                shared = (numbers, trace, False)
                totals["after a loss"] = list(engine.map(kill_once, ranges, shared=shared))
    said = {
        "totals": totals,
        "n_workers": n_workers,
        "running_after": SparkContext._active_spark_context is not None,
        "environment_kept": [os.environ.get(name) for name in SET_TO_START] == before,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
