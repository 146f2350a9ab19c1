"""What a fresh attack on the library found, each a claim that did not hold."""

import io
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import hsieve
from hsieve import FOHSIC, conditional_tests, feature_tests, open_dataset
from hsieve.report.shapes import density, smooth_curve
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


def test_a_first_column_without_a_name_is_an_index_only_if_it_holds_no_fractions(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table(path).read_text().removeprefix("a"))
    for data in (open_dataset(path, "y"), open_dataset(pd.read_csv(path), "y")):
        assert data.names == ("Unnamed: 0", "b", "c")
    path.write_text(" " + path.read_text())
    np.testing.assert_array_equal(open_dataset(path, "y").X, X)


@pytest.mark.parametrize("value", ["", "7"])
def test_separators_at_the_ends_of_lines_are_no_columns(tmp_path, value):
    path = tmp_path / "t.csv"
    first, *lines = table(path).read_text().replace(",", ";").splitlines()
    path.write_text(
        "\n".join([f"{first};;", *(f"{line};;" for line in lines[1:]), lines[0] + f";{value};"])
    )
    if value:
        with pytest.raises(ValueError, match="column 5 has an empty name"):
            open_dataset(path, "y")
        return
    data = open_dataset(path, "y")
    assert (data.names, len(data.X)) == (("a", "b", "c"), N)
    assert "The last 2 columns without a name and values: left out." in data.notes


def test_a_target_of_dates_is_not_to_be_dropped(tmp_path):
    path = table(tmp_path / "t.csv", day=[f"2020-01-{i % 28 + 1:02}" for i in range(N)])
    result = invoke("select", path, "-t", "day")
    assert_refused(result, "the target 'day' holds dates", "classes or numbers are needed")
    assert "--drop" not in result.stderr


def test_what_is_no_number_is_shown_of_every_column(tmp_path):
    texts = [[mark, *map(str, X[1:, 0])] for mark in ("<0.1", "n.b.", "high")]
    path = table(tmp_path / "t.csv", d=texts[0], e=texts[1], f=texts[2])
    result = invoke("select", path, "-t", "y")
    words = "in 'd' '<0.1' among its numbers, in 'f' 'high' among its numbers"
    assert_refused(result, f"columns 'd' and 'f' are text: {words}")
    assert "'e' (1 of 60), has missing values" in result.stderr


def test_a_column_without_any_value_is_not_to_be_imputed(tmp_path):
    result = invoke("select", table(tmp_path / "t.csv", empty=None), "-t", "y")
    assert_refused(result, "column 'empty' holds no value at all; leave it out with --drop empty")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda i: f"{i % 28 + 1} Jan 2020", "holds dates as text"),
        (lambda i: f"{i % 28 + 1:02}-Mar-21", "holds dates as text"),
        (lambda i: f"{i % 28 + 1}. Dezember 2020", "holds dates as text"),
        (lambda i: f"May {i % 28 + 1}, 2020", "holds dates as text"),
        (lambda i: f"1 {i:03}", "'1 000' among its numbers"),
        (lambda i: f"{i}\N{NARROW NO-BREAK SPACE}000,5", "000,5' among its numbers"),
        (lambda i: f"\N{MINUS SIGN}{i},5", "0,5' among its numbers"),
    ],
)
def test_dates_and_numbers_as_people_write_them_are_known(tmp_path, value, words):
    path = table(tmp_path / "t.csv", odd=[value(i) for i in range(N)])
    for source in (path, pd.read_csv(path)):
        with pytest.raises(ValueError, match=words):
            open_dataset(source, "y")


def test_encodings_of_four_bytes_and_of_no_text(tmp_path):
    path = table(tmp_path / "t.csv")
    path.write_bytes(path.read_text().encode("utf-32"))
    np.testing.assert_array_equal(open_dataset(path, "y").X, X)
    options = ["select", path, "-t", "y", "--encoding"]
    assert_refused(invoke(*options, "base64"), "--encoding must be one that Python knows")
    path.write_bytes("身長,a,y\n1,2,3\n".encode("shift_jis"))
    assert_refused(invoke(*options[:-1]), "give another with --encoding")


def test_a_tab_is_typed_as_notes_show_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table(path).read_text().replace(",", "\t"))
    result = invoke("select", path, "-t", "y", "-m", "fohsic", "-k", "1", "--sep", r"\t", "-q")
    assert (result.exit_code, result.stdout) == (0, "c\n")


def test_messages_at_the_command_line_name_its_options(tmp_path):
    path = table(tmp_path / "t.csv", name=[f"p{i}" for i in range(N)])
    result = invoke("select", path, "-t", "name")
    assert_refused(result, "is the target an identifier?")
    result = invoke("select", path, "-t", "y", "-k", "cv")
    assert_refused(result, "--n-features cv needs a method")
    result = invoke("select", path, "-t", "y", "-m", "l1-svm")
    assert_refused(result, "--target-kind classes if these are classes, lasso or svm-rfe")


def test_a_score_that_does_not_suit_the_target_is_refused(tmp_path):
    options = ["-t", "y", "-m", "pearson", "--scoring", "roc_auc"]
    result = invoke("compare", table(tmp_path / "t.csv"), *options)
    assert_refused(result, "scoring 'roc auc' does not suit the predictor")


@pytest.mark.parametrize("power", [1000, -1000])
def test_shapes_on_a_page_follow_numbers_of_any_size(power):
    size = 2.0**power
    places, heights = smooth_curve(X[:, 2], Y)
    np.testing.assert_array_equal(smooth_curve(X[:, 2] * size, Y), (places * size, heights))
    np.testing.assert_array_equal(smooth_curve(X[:, 2], Y * size), (places, heights * size))
    places, heights = density(Y)
    np.testing.assert_array_equal(density(Y * size), (places * size, heights / size))


def test_a_page_is_written_for_numbers_near_the_end_of_their_range():
    pytest.importorskip("jinja2")
    fitted = FOHSIC(2).fit(X, Y * 1e300)
    assert "<html" in fitted.report(X, Y * 1e300).html


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, csr_matrix])
def test_a_report_on_filled_data_refuses_other_data(kind):
    pytest.importorskip("jinja2")
    gaps = np.where(X > 1.5, np.nan, X)
    found = hsieve.select(kind(gaps), Y, missing="impute", method="fohsic")
    found.report(kind(gaps), Y)
    for other in (X, gaps[::-1]):
        with pytest.raises(ValueError, match="are not those that FOHSIC was fitted on"):
            found.report(kind(other), Y)
