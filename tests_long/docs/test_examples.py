"""Every example of the gallery runs as a script of its own."""

import os
import subprocess
import sys

import pytest

from tests.docs.test_examples import EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_an_example_runs_as_a_script_without_warnings(script, tmp_path):
    settings = {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not any(tmp_path.iterdir()), "an example leaves nothing behind"
