"""Hostile command lines: an answer and whole files, or one sentence and nothing written.

The ordinary run gives some hundred in this process and a few as users do, in processes of their
own. The long run (`-m slow`) is as that of the readers, see `tests_long/fuzz/test_readers.py`.
"""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests_long.fuzz.choices import N_BYTES, Choices, bytes_of_input
from tests_long.fuzz.commands import check_command, check_outcome, listing, make_command
from tests_long.fuzz.running import n_inputs, run_inputs

COUNT = 150
LONG_COUNT = 20_000
N_PROCESSES = 3
N_PROCESSES_LONG = 40
LEAST_SHARE = 0.06


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def test_any_command_line_gives_an_answer_or_a_sentence(folder):
    @settings(
        max_examples=COUNT,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(min_size=N_BYTES, max_size=N_BYTES))
    def check(data):
        check_command(data, folder)

    check()


@pytest.mark.parametrize("number", range(N_PROCESSES))
def test_so_does_a_process_of_its_own(number, folder):
    check_process(number, folder)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(N_PROCESSES, N_PROCESSES_LONG))
def test_so_do_many_processes(number, folder):
    check_process(number, folder)


def check_process(number, folder):
    command = make_command(Choices(bytes_of_input("process", 0, number)), folder)
    # No process can be given such an argument.
    arguments = [one.replace("\0", "") for one in command.arguments]
    before = listing(folder)
    run = "from hsieve.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", run, *arguments],
        cwd=folder / "out",
        capture_output=True,
        timeout=300,
        check=False,
    )
    stderr = done.stderr.decode(errors="backslashreplace")
    check_outcome(command, folder, before, done.returncode, stderr)


@pytest.mark.slow
def test_many_command_lines():
    found = run_inputs("command-line", n_inputs(LONG_COUNT))
    assert not found.failures, "\n\n".join(found.failures)
    assert found.n_answers > LEAST_SHARE * found.n_inputs
