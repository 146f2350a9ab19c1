"""Each command killed once, while it writes; `tests_long/faults` kills them at many moments."""

import os
from pathlib import Path

import pytest

from tests.faults.killing import COMMANDS, Undisturbed, write_data


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_while_it_writes_leaves_nothing_torn_and_resumes(
    name: str, tmp_path: Path
) -> None:
    run = Undisturbed(COMMANDS[name], write_data(tmp_path))
    run.kill(run.fresh("killed"), before_change=(run.n_changes + 1) // 2)
    assert run.n_died == 1
