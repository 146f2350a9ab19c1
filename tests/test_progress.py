"""Progress of nested stages."""

import pytest

from hsieve.progress import listen, report, stage


@pytest.fixture
def heard():
    reports = []
    with listen(lambda share, what: reports.append((round(share, 9), what))):
        yield reports


def test_stage_counts_from_one_share_to_another(heard):
    with stage(0.2, 0.6):
        report(0.0, "sweep")
        report(0.5, "sweep")
        report(1.0, "sweep")
    report(1.0, "done")
    assert heard == [(0.2, "sweep"), (0.4, "sweep"), (0.6, "sweep"), (1.0, "done")]


def test_stages_nest(heard):
    with stage(0.5, 1.0), stage(0.0, 0.5):
        report(0.5, "tests")
    assert heard == [(0.625, "tests")]


def test_words_of_a_stage_replace_those_inside(heard):
    with stage(0.0, 0.5, "random orders"), stage(0.0, 1.0, "triples"):
        report(1.0, "pairs")
    with stage(0.5, 1.0):
        report(1.0, "pairs")
    assert heard == [(0.5, "random orders"), (1.0, "pairs")]


def test_stage_ends_with_an_error_inside(heard):
    with pytest.raises(RuntimeError), stage(0.0, 0.1):
        raise RuntimeError
    report(1.0, "done")
    assert heard == [(1.0, "done")]


def test_stage_without_a_listener_is_silent():
    with stage(0.0, 0.5, "words"):
        report(0.5, "unheard")
