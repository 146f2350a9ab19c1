"""What a fresh attack on the library found, each a claim that did not hold."""

import io
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import hsieve
from hsieve import FOHSIC, conditional_tests, feature_tests, open_dataset
from tests.cli.running import assert_refused, invoke

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3)).round(2)
Y = np.abs(X[:, 2]).round(1)
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES)


def table(path, **columns):
    FRAME.assign(y=Y, **columns).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8"])
def test_a_table_without_a_column_of_integers_is_read(tmp_path, encoding):
    path = tmp_path / "t.csv"
    text = table(path).read_text() + ("" if encoding != "utf-8" else "0x1F,1,2,3\n")
    path.write_bytes(text.encode(encoding))
    if encoding == "utf-8":  # the column is text, and said to be
        with pytest.raises(ValueError, match="column 'a' is text: '0x1F' among its numbers"):
            open_dataset(path, "y")
    else:
        np.testing.assert_array_equal(open_dataset(path, "y").X, X)


@pytest.mark.parametrize("door", ["file", "frame", "command"])
def test_a_target_of_numbers_with_a_text_among_them_is_not_made_classes(tmp_path, door):
    y = ["<0.1" if i == 3 else str(value) for i, value in enumerate(Y)]
    words = "'<0.1' among its numbers"
    if door == "frame":
        with pytest.raises(ValueError, match=words):
            FOHSIC(1).fit(FRAME, y)
        assert FOHSIC(1, target_kind="classes").fit(FRAME, y)
        return
    path = tmp_path / "t.csv"
    FRAME.assign(y=y).to_csv(path, index=False)
    if door == "file":
        with pytest.raises(ValueError, match=words):
            open_dataset(path, "y")
        assert open_dataset(path, "y", target_kind="classes").target_kind == "classes"
    else:
        assert_refused(invoke("select", path, "-t", "y", "-m", "fohsic", "-k", "1"), words)


@pytest.mark.parametrize("levels", [["<30", "30-50", ">50"], ["0", "1", "x"], ["1.0", "2.0"]])
def test_groups_that_look_like_numbers_stay_classes(levels):
    y = [levels[i % len(levels)] for i in range(N)]
    assert len(FOHSIC(1).fit(X, y).selected_indices_) == 1


def test_a_column_without_any_value_is_among_all_complaints(tmp_path):
    path = table(tmp_path / "t.csv", empty=None, when="01.02.2021")
    result = invoke("select", path, "-t", "y")
    assert_refused(result, "column 'empty' holds no value at all", "--drop when --drop empty")


def test_integers_beyond_float_are_refused_by_every_door():
    y = np.arange(N) % 2
    large = np.column_stack([2**60 + y, RNG.integers(0, 50, N)])
    for fit in (FOHSIC(1).fit, feature_tests, hsieve.FillMissing().fit, hsieve.hsic):
        with pytest.raises(ValueError, match="an integer beyond 2\\^53 that would be rounded"):
            fit(large, y.astype(str))


def test_tests_refuse_a_constant_target_and_one_of_several_kinds():
    for tests in (feature_tests, conditional_tests):
        with pytest.raises(ValueError, match=r"The target holds 1 .*; at least two are needed to"):
            tests(X, np.ones(N))
        with pytest.raises(ValueError, match="The target must hold values of one kind"):
            tests(X, np.array([1, "a"] * (N // 2), dtype=object))


def test_a_feature_is_not_tested_given_itself():
    with pytest.raises(ValueError, match="features must differ from each other"):
        conditional_tests(X, Y, [2, -1])


def test_repeated_names_are_quoted():
    with pytest.raises(ValueError, match="must differ, got '' more than once"):
        FOHSIC(1).fit(FRAME.set_axis(["", "", "c"], axis=1), Y)


def test_numbers_stored_as_text_are_called_so():
    with pytest.raises(ValueError, match="Column 'd' holds numbers as text"):
        FOHSIC(1).fit(FRAME.assign(d=["1.5", "2.5"] * (N // 2)), Y)


def test_an_output_with_a_name_too_long_is_refused(tmp_path):
    path = table(tmp_path / "t.csv")
    result = invoke("select", path, "-t", "y", "--report", tmp_path / ("x" * 300 + ".html"))
    assert_refused(result, "File name too long")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_ends_no_command_with_a_traceback(tmp_path, closed):
    path = "-" if closed == "<&-" else table(tmp_path / "t.csv")
    words = f"{sys.executable} -m hsieve select {path} -t y -m fohsic -k 1 {closed}"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    said = "error: standard input: there is nothing in it\n" if path == "-" else ""
    assert (done.returncode, done.stderr) == (2 if said else 0, said)


def test_a_pipe_given_as_a_file_is_not_called_empty(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    assert_refused(invoke("select", tmp_path / "t.csv", "-t", "y"), "this is a pipe")


@pytest.mark.parametrize("stream", [None, "closed"])
def test_progress_needs_no_console(monkeypatch, stream):
    if stream:
        stream = io.StringIO()
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    with hsieve.show_progress():
        assert len(FOHSIC(1).fit(X, Y).selected_indices_) == 1
