"""The rule that tells growth from noise, and a short soak; `make soak` is the long one."""

import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from tests_long.soak.growth import BOUND, COUNTED, DAY, Reading, judge, read
from tests_long.soak.work import pieces

# Ten seconds of work for each of two hundred readings.
SECONDS = 10 * np.arange(200.0)
MINUTES = os.environ.get("HSIEVE_SOAK_MINUTES", "5")


def readings(memory, memory_of_children=None):
    children = np.full(len(memory), 80.0) if memory_of_children is None else memory_of_children
    return [
        Reading(float(second), float(here), float(there), 20, 4, 3, 0)
        for second, here, there in zip(SECONDS, memory, children, strict=False)
    ]


def test_memory_that_fills_and_then_only_fluctuates_does_not_grow(rng):
    filling = 300 + 50 * np.minimum(SECONDS / 400, 1)
    assert judge(readings(filling + rng.normal(scale=0.5, size=200))).grows is False


def test_a_leak_above_the_bound_is_found_under_noise(rng):
    leaking = 300 + 2 * BOUND * SECONDS / DAY + rng.normal(scale=0.5, size=200)
    assert judge(readings(leaking)).grows is True


def test_workers_may_take_a_step_but_not_many():
    steady, step = np.full(200, 300.0), np.where(SECONDS > 1000, 10.0, 0.0)
    assert judge(readings(steady, 80 + step)).grows is False
    assert judge(readings(steady, 80 + 10 * step)).grows is True


def test_a_run_too_short_for_its_noise_is_not_called_free_of_growth(rng):
    assert judge(readings(300 + rng.normal(scale=20.0, size=200))).grows is None
    assert judge(readings(np.full(10, 300.0))).grows is None


@pytest.mark.parametrize("name", COUNTED)
def test_one_more_of_what_is_counted_is_growth(name):
    found = readings(np.full(200, 300.0))
    assert judge(found).grows is False
    found[-1] = replace(found[-1], **{name: getattr(found[-1], name) + 1})
    verdict = judge(found)
    assert verdict.grows is True
    assert any(sentence.startswith(f"{name}: growth") for sentence in verdict.sentences)


def test_a_reading_sees_memory_files_and_temporary_files_of_this_process(tmp_path):
    before = read(0.0, tmp_path)
    held = np.ones(2**22)
    with ExitStack() as opened:
        for number in range(20):  # threads of earlier tests may close some of theirs meanwhile
            opened.enter_context((tmp_path / f"left {number}").open("wb"))
        after = read(1.0, tmp_path)
    assert after.memory - before.memory == pytest.approx(held.nbytes / 2**20, abs=2)
    assert after.files == pytest.approx(before.files + 20, abs=10)
    assert (before.temporary, after.temporary) == (0, 20)


def test_a_round_of_work_holds_every_kind_of_piece():
    kinds = {piece.func.__name__ for piece in pieces(0)}
    assert kinds == {"_fit", "_report", "_interrupt", "_commands", "_functions"}


@pytest.mark.slow
def test_a_short_soak_shows_no_growth(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-m", "tests_long.soak", str(tmp_path / "readings.jsonl")],
        env={**os.environ, "HSIEVE_SOAK_MINUTES": MINUTES},
        capture_output=True,
        text=True,
        check=False,
    )
    print(ended.stdout)
    assert ended.returncode in (0, 3), ended.stdout + ended.stderr
