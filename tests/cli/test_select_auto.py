"""`hsieve select --method auto`, .h5ad files, and missing values filled in."""

import json

import numpy as np
import pytest

from hsieve.datasets import make_xor
from tests.annotated import as_form, counts_and_states
from tests.cli.running import assert_refused, invoke

# Enough for a busy machine.
ENOUGH = ("--time-allowed", "minutes")


@pytest.fixture
def table(tmp_path):
    problem = make_xor(120, 8, random_state=0)
    path = tmp_path / "xor.csv"
    names = [f"x{i}" for i in range(8)]
    rows = [",".join(map(str, [*row, y])) for row, y in zip(problem.X, problem.y, strict=True)]
    path.write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    return path


def test_it_chooses_and_says_why(table, tmp_path):
    out = tmp_path / "out.json"
    result = invoke("select", str(table), "-t", "y", "-m", "auto", *ENOUGH, "-o", str(out))
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "2 of 8 features by pursuit, chosen by auto" in told
    assert "Kernel pursuit found 2 features that together explain" in told
    rows = json.loads(out.read_text())
    assert sorted(row["feature"] for row in rows) == ["x0", "x1"]


def test_of_noise_nothing_is_chosen_and_the_page_is_written(tmp_path):
    rng = np.random.default_rng(5)
    path, page = tmp_path / "noise.csv", tmp_path / "page.html"
    rows = [",".join(map(str, row)) for row in rng.normal(size=(100, 5))]
    path.write_text("\n".join(["a,b,c,d,y", *rows]) + "\n")
    result = invoke("select", str(path), "-t", "y", "-m", "auto", *ENOUGH, "--report", str(page))
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "0 of 4 features by pursuit, chosen by auto" in told
    assert told.count("No feature is related to the target beyond chance") == 1
    assert page.exists()


def test_a_number_is_kept_and_times_have_names(table):
    result = invoke(
        "select", str(table), "-t", "y", "-m", "auto", "-k", "3", "--time-allowed", "seconds", "-q"
    )
    assert result.exit_code == 0
    assert len(result.stdout.split()) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("-m", "auto", "--time-allowed", "soon"),
            "time_allowed must be one of 'seconds', 'minutes'",
        ),
        (("-m", "auto", "--time-allowed", "-3"), "or seconds above 0, got -3.0"),
        (("-m", "auto", "--time-allowed", "nan"), "or seconds above 0, got nan"),
        (("-m", "n3lars", "--time-allowed", "5"), "--time-allowed works with --method auto only"),
        (("-m", "auto", "-k", "guarded"), "--n-features guarded needs a method, such as -m n3lars"),
        (("-m", "auto", "--stability"), "--stability needs a method to repeat"),
        (("--engine", "threads"), "--engine does not work with auto"),
        (("--interactions",), "--interactions does not work with auto"),
        (("-m", "auto", "--plot", "a.png"), "--plot does not work with auto"),
    ],
)
def test_options_that_do_not_go_together_are_refused(table, options, words):
    result = invoke("select", str(table), "-t", "y", *options)
    assert_refused(result, words)


def test_auto_is_no_method_to_compare(table):
    result = invoke("compare", str(table), "-t", "y", "--methods", "n3lars,auto")
    assert_refused(result, "works with 'hsieve select' alone")


def test_methods_begin_with_it():
    result = invoke("methods")
    assert result.stdout.index("auto") < result.stdout.index("n3lars")


@pytest.mark.usefixtures("reads_here")
@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
@pytest.mark.parametrize("method", ["auto", "n3lars", "bahsic"])
def test_files_of_anndata_are_read(kind, method, tmp_path):
    counts, states = counts_and_states()
    labels = np.where(np.arange(160) < 2, None, states)
    as_form(f"backed {kind}", counts, labels, tmp_path).file.close()
    path = tmp_path / f"{kind}.h5ad"
    time = ENOUGH if method == "auto" else ()
    result = invoke("select", str(path), "-t", "state", "-m", method, "-k", "2", *time)
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "gene3" in told
    assert "gene11" in told
    assert "2 of 25 features" in told
    assert "2 of 160 observations have no state: left out." in told


def test_an_unknown_annotation_is_refused(tmp_path):
    as_form("backed csr", *counts_and_states(), tmp_path).file.close()
    result = invoke("select", str(tmp_path / "csr.h5ad"), "--target", "cell_type")
    assert_refused(result, "there is no 'cell_type', given for the target; available are 'state'")


@pytest.fixture
def gaps(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "gaps.csv"
    lines = ["a,b,colour,y"]
    for i in range(60):
        a, b = rng.normal(size=2)
        colour = "" if i == 5 else ("red", "blue")[i % 2]
        lines.append(f"{'' if i in (3, 9) else a},{b},{colour},{abs(a) + (i % 2)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("method", ["n3lars", "bahsic", "auto"])
def test_missing_values_are_filled_in_when_asked(gaps, method):
    base = ["select", str(gaps), "-t", "y", "--categorical", "colour", "-m", method, "-k", "2"]
    base += ENOUGH if method == "auto" else ()
    refused = invoke(*base)
    assert_refused(refused, "fill or remove them first, or use --missing impute (the median")
    result = invoke(*base, "--missing", "impute")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "Column 'a': 2 of 60 values missing, filled with the median" in told
    assert "Column 'colour': 1 of 60 values missing, kept as a level of their own." in told


def test_a_column_without_any_value_is_refused(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},,{i % 2}\n" for i in range(10)))
    result = invoke("select", str(path), "-t", "y", "--missing", "impute")
    assert_refused(result, "empty.csv: Column 'b' has no value at all; leave it out")
