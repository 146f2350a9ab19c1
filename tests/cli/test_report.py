"""`hsieve select --report` and `hsieve interactions --report`: the page, and what is refused."""

import html
import os
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.files import write_csv
from tests.cli.running import assert_refused, invoke

N_SAMPLES = 60


@pytest.fixture
def columns():
    """Columns of which "sign" determines the target, beside noise, a category and a constant."""
    rng = np.random.default_rng(0)
    sign = rng.normal(size=N_SAMPLES)
    noise = {f"noise <{i}>": rng.normal(size=N_SAMPLES).tolist() for i in range(3)}
    return {
        **noise,
        "sign": sign.tolist(),
        "colour": rng.choice(["red", "blue"], N_SAMPLES).tolist(),
        "same": [1.0] * N_SAMPLES,
        "y": ["up" if value > 0 else "down" for value in sign],
    }


@pytest.fixture
def table(columns, tmp_path):
    return write_csv(tmp_path / "table.csv", columns)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "report.html"


def codes_of(page):
    """Command line and Python code of a page."""
    found = re.findall(r'<pre id="code-(\w+)"[^>]*><code>(.*?)</code>', page, re.DOTALL)
    return {name: html.unescape(text) for name, text in found}


def test_the_page_holds_table_warnings_and_how_to_repeat_it(table, out):
    options = ("-t", "y", "-m", "n3lars", "-k", 2, "--categorical", "colour", "--report", out)
    result = invoke("select", table, *options)
    assert result.exit_code == 0, result.output
    page = out.read_text(encoding="utf-8")
    assert "N3LARS chose 2 of 6 features from 60 samples: sign and" in page
    assert "1 column holds one single value and can never be selected: &#39;same&#39;" in page
    assert "noise &lt;0&gt;" in page
    assert "noise <0>" not in page
    assert "1 category, 1 constant" in page
    codes = codes_of(page)
    assert codes["command"] == (
        f"hsieve select {table} --target y --n-features 2 --method n3lars --report {out} "
        "--categorical colour"
    )
    names = {}
    with pytest.warns(UserWarning, match="constant"):
        exec(codes["python"], names)
    chosen = [names["data"].names[i] for i in names["selector"].selected_indices_]
    assert chosen == invoke("select", table, *options[:-2], "-q").stdout.splitlines()


def test_the_command_of_the_page_writes_the_page_again(table, out):
    invoke("select", table, "-t", "y", "--drop", "colour", "--p-values", "gamma", "--report", out)
    page = out.read_text(encoding="utf-8")
    words = codes_of(page)["command"].split()
    assert words[:2] == ["hsieve", "select"]
    out.unlink()
    assert invoke(*words[1:]).exit_code == 0
    assert out.read_text(encoding="utf-8") == page


def test_p_values_asked_for_are_those_of_the_page(table, out, tmp_path):
    csv = tmp_path / "features.csv"
    options = ("--p-values", "permutation", "-o", csv, "--report", out, "--drop", "colour")
    assert invoke("select", table, "-t", "y", "-k", 1, *options).exit_code == 0
    [row] = csv.read_text(encoding="utf-8").splitlines()[1:]
    asked = float(row.split(",")[4])
    page = out.read_text(encoding="utf-8")
    values = re.search(r'<tr data-feature="3" class="chosen">.*?</tr>', page, re.DOTALL)[0]
    assert f'data-value="{asked:g}"' in values


def test_stability_and_pairs_have_their_pictures(table, out):
    options = ("-t", "y", "-m", "n3lars", "--drop", "colour", "--drop", "same", "--report", out)
    assert invoke("select", table, "--stability", "--subsamples", 20, *options).exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert 'id="picture-stability"' in page
    assert "Stable are features selected from at least" in page
    assert invoke("select", table, "--interactions", "-k", 3, *options).exit_code == 0
    assert 'id="picture-path"' in out.read_text(encoding="utf-8")


def test_a_scan_has_its_pairs_on_the_page(table, out):
    options = ("-t", "y", "--drop", "colour", "--drop", "same", "--top", 4, "--report", out)
    result = invoke("interactions", table, *options)
    assert result.exit_code == 0, result.output
    page = out.read_text(encoding="utf-8")
    assert "Family-wise p" in page
    assert codes_of(page)["command"].startswith(f"hsieve interactions {table} --target y --top 4")


def test_columns_that_stay_in_their_file_are_drawn_too(columns, tmp_path, out):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({name: columns[name] for name in columns if name != "colour"}), path)
    result = invoke(
        "select", path, "-t", "y", "-m", "n3lars", "-k", 2, "--report", out, "--engine", "threads"
    )
    assert result.exit_code == 0, result.output
    page = out.read_text(encoding="utf-8")
    assert 'id="picture-panels"' in page
    code = codes_of(page)["python"]
    assert "open_dataset" in code
    names = {}
    with pytest.warns(UserWarning, match="constant"):
        exec(code, names)
    assert names["data"].names[names["selector"].selected_indices_[0]] == "sign"


@pytest.mark.parametrize("command", ["select", "interactions"])
def test_bad_paths_are_refused_before_the_file_is_read(table, tmp_path, command, monkeypatch):
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    folder = tmp_path / "folder.html"
    folder.mkdir()
    for path, words in (
        (tmp_path / "report.pdf", "the output must end in .html or .htm"),
        (tmp_path / "no" / "report.html", "the folder of the output does not exist"),
        (folder, "the output is a folder, not a file"),
    ):
        assert_refused(invoke(command, table, "-t", "y", "--report", path), str(path), words)


def test_without_jinja_the_command_says_what_to_install(table, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = invoke("select", table, "-t", "y", "--report", out)
    assert_refused(result, 'pip install "hsieve[report]"')
    assert not out.exists()


@pytest.mark.parametrize(
    ("option", "name", "what"),
    [("--report", "report.html", "the report"), ("--plot", "path.svg", "the picture")],
)
def test_a_full_disk_is_told_of_and_leaves_nothing_behind(
    table, tmp_path, monkeypatch, option, name, what
):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / name
    result = invoke(
        "select",
        table,
        "-t",
        "y",
        "-m",
        "n3lars",
        "--drop",
        "colour",
        "--drop",
        "same",
        option,
        path,
    )
    assert result.exit_code == 2, result.output
    assert f"{path}: {what} cannot be written (No space left on device)" in result.stderr
    assert list(tmp_path.iterdir()) == [table]


def test_nothing_is_written_where_the_work_fails(columns, tmp_path, out):
    columns["sign"][3] = ""
    table = write_csv(tmp_path / "gap.csv", columns)
    result = invoke("select", table, "-t", "y", "--categorical", "colour", "--report", out)
    assert_refused(result, "sign")
    assert not out.exists()
