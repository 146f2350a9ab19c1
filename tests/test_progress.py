"""Progress of nested stages, and the bar that shows it."""

import sys
import time

import pytest

from hsieve import progress
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


class Terminal:
    """A stderr that claims to be a terminal and keeps what is written to it."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass


@pytest.mark.parametrize(("delay", "appears"), [(0.0, True), (60.0, False)])
def test_bar_comes_only_after_its_delay(delay, appears, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "BAR_DELAY", delay)
    monkeypatch.setenv("TERM", "xterm")
    with progress.show_progress("waiting"):
        for fraction in (0.25, 0.5):
            report(fraction, "[red]counting")
            if appears:
                _wait_for(lambda: "counting" in terminal.text)
    assert ("[red]counting" in terminal.text) == appears
    assert (terminal.text != "") == appears


def test_bar_is_silent_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    with progress.show_progress("waiting"):
        report(0.5, "counting")
    assert capsys.readouterr() == ("", "")


def _wait_for(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


def test_bar_can_be_switched_off(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    with progress.show_progress("waiting", shown=False):
        report(0.5, "counting")
    assert terminal.text == ""
