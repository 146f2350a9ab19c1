"""The experiments by name: all are listed, and wrong names are refused in one sentence."""

from functools import partial

import pytest

from reproduction.__main__ import app
from reproduction.catalogue import EXPERIMENTS
from tests.cli.running import assert_refused, invoke

reproduce = partial(invoke, app=app)


def test_experiments_are_listed():
    result = reproduce("--list")
    for name, experiment in EXPERIMENTS.items():
        assert name in result.stdout
        assert experiment.title in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "bahsic-table4"),
        (["bahsic-table5"], "did you mean bahsic-table4"),
        (["bahsic-table4", "--trials", "0"], "trials"),
        (["bahsic-table4", "--jobs", "0"], "jobs"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments, words):
    assert_refused(reproduce(*arguments), words)


def test_missing_collection_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("HSIEVE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert_refused(reproduce("bahsic-table4"), "HSIEVE_DATA")
    assert list(tmp_path.iterdir()) == []
