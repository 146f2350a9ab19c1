"""Commands killed with SIGKILL many times: what they leave is whole, and resuming is exact.

Each command runs undisturbed first, which tells how long it takes and how often it changes its
folder. Then it is started anew in a new folder again and again, killed, looked at, and run once
more to its end:

* 50 times (another number in the environment variable HSIEVE_KILLS) at a moment drawn evenly from
  its time, which is all work (:mod:`tests.faults.commands`);
* 20 times (two fifths of that number) just before one of its changes to the folder, the moments at
  which something could be torn and that are too short to be met by chance.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from tests.faults.killing import COMMANDS, Undisturbed, write_data

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"),
]

KILLS = int(os.environ.get("HSIEVE_KILLS", "50"))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_leaves_nothing_torn_and_resumes_to_the_undisturbed_result(
    name: str, tmp_path: Path
) -> None:
    run = Undisturbed(COMMANDS[name], write_data(tmp_path), timed=True)
    rng = np.random.default_rng(20261117)
    for kill in range(KILLS):
        run.kill(run.fresh(f"killed-{kill}"), after=rng.uniform(0, run.seconds))
    print(
        f"{name}: {run.n_died} of {KILLS} runs of {run.seconds:.1f} s killed, "
        f"{run.n_in_the_middle} of them with some but not all of {run.n_kept} results kept; all "
        "ended as undisturbed"
    )
    assert run.n_died >= KILLS // 2
    assert run.n_in_the_middle >= KILLS // 10 or not run.command.resumes


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_while_it_writes_leaves_nothing_torn_and_resumes(
    name: str, tmp_path: Path
) -> None:
    run, rng = Undisturbed(COMMANDS[name], write_data(tmp_path)), np.random.default_rng(20261117)
    n_kills = min(run.n_changes, max(1, 2 * KILLS // 5))
    moments = np.sort(rng.choice(run.n_changes, size=n_kills, replace=False)) + 1
    for moment in moments.tolist():
        run.kill(run.fresh(f"killed-{moment}"), before_change=moment)
    print(f"{name}: killed before {n_kills} of {run.n_changes} changes; all ended as undisturbed")
    assert run.n_died == n_kills
