"""A driver that kills itself once some results are kept, or goes through; a process of its own."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from hsieve import MRMR, N3LARS, HSICLasso, MaxRelevance, open_dataset
from hsieve.kernels import factor_store
from hsieve.measures import level_codes
from hsieve.parallel.checkpoint import KeptResults
from tests.forked import forking

SELECTORS = {kind.__name__: kind for kind in (HSICLasso, MaxRelevance, MRMR, N3LARS)}
# Modules that cut a pass over the data into pieces, here some twelve.
CUTTING = (factor_store, level_codes)
PIECE_BYTES = 6_000


def fitted(problem: dict[str, Any]) -> dict[str, list[Any]]:
    """Select, and tell what was found to the last digit."""
    table = open_dataset(problem["data"], target="y")
    selector = SELECTORS[problem["selector"]](5, **problem["options"]).fit(table.X, table.y)
    found = {"scores": selector.scores_, "coefficients": getattr(selector, "coef_", [])}
    return {
        "selected": selector.selected_indices_.tolist(),
        **{name: [float(value).hex() for value in values] for name, values in found.items()},
    }


def die_after(n_results: int) -> None:
    """Kill this process as soon as so many results are kept."""
    put = KeptResults.put

    def put_and_die(kept: KeptResults, of_task: str, result: Any) -> None:
        nonlocal n_results
        put(kept, of_task, result)
        n_results -= 1
        if n_results == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    KeptResults.put = put_and_die  # type: ignore[method-assign]


def drive(problem: dict[str, Any], out: Path, n_results: int = 0) -> int | None:
    """Run a driver to its end, or until so many results are kept; return its exit code."""
    driver = forking().Process(target=_run, args=(problem, out, n_results))
    driver.start()
    driver.join(600)
    return driver.exitcode


def _run(problem: dict[str, Any], out: Path, n_results: int) -> None:
    for module in CUTTING:
        module.PIECE_BYTES = PIECE_BYTES
    if n_results:
        die_after(n_results)
    out.write_text(json.dumps(fitted(problem)))
