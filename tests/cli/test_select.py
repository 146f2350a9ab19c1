"""`hsieve select`: what it prints and writes, and how it refuses."""

import csv
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hsieve import FewerFeaturesWarning, open_dataset, select
from hsieve.datasets import make_quad, make_xor_toy
from hsieve.selectors.methods import known_methods
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, invoke

N_SAMPLES = 60


@pytest.fixture
def columns():
    """Columns of which "sign" determines the target, beside noise."""
    rng = np.random.default_rng(0)
    sign = rng.normal(size=N_SAMPLES)
    noise = {f"noise{i}": rng.normal(size=N_SAMPLES).tolist() for i in range(4)}
    return {**noise, "sign": sign.tolist(), "y": ["up" if s > 0 else "down" for s in sign]}


@pytest.fixture
def out(tmp_path):
    return tmp_path / "features.csv"


@pytest.fixture
def refuse(columns, tmp_path, out):
    """Check that a table is refused and that nothing is written."""

    def check(*words, options=(), target="y", **changes):
        path = write_csv(tmp_path / "table.csv", {**columns, **changes})
        before = sorted(tmp_path.iterdir())
        assert_refused(invoke("select", path, "-t", target, "-o", out, *options), *words)
        assert sorted(tmp_path.iterdir()) == before

    return check


@pytest.fixture
def table(columns, tmp_path):
    return write_csv(tmp_path / "table.csv", columns)


def test_best_feature_comes_first_and_is_written_to_csv(table, out):
    result = invoke("select", table, "--target", "y", "-k", 2, "--method", "bahsic", "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["rank", "feature", "index", "score", "substitutes"]
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert (rows[0]["feature"], rows[0]["index"]) == ("sign", "4")
    assert float(rows[0]["score"]) > 0


def test_screen_tells_names_sizes_kind_of_target_and_seconds(table):
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "-k", 2)
    assert "sign" in result.stdout
    [line] = [line for line in result.stdout.splitlines() if " of 5 features" in line]
    assert line.startswith("2 of 5 features by n3lars, from 60 samples; target y (2 classes); ")
    assert line.endswith(" s")


def test_json_output_holds_the_same_rows(table, tmp_path):
    out = tmp_path / "features.json"
    assert invoke("select", table, "-t", "y", "-k", 3, "-o", out).exit_code == 0
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[0]["feature"] == "sign"


def test_without_k_at_most_ten_features_are_selected(table):
    assert "5 of 5 features" in invoke("select", table, "-t", "y", "-m", "n3lars").stdout


@pytest.mark.parametrize("name", [n for n, method in known_methods().items() if method.uses_target])
def test_every_method_finds_an_obvious_feature(table, name):
    result = invoke("select", table, "-t", "y", "-k", 1, "-m", name, "-q")
    assert result.exit_code == 0, result.output
    assert result.stdout == "sign\n"


def test_a_method_that_does_not_look_at_the_target_finds_clusters(columns, tmp_path):
    cluster = np.repeat([0.0, 9.0], N_SAMPLES // 2)
    for name in ("noise1", "noise3"):
        columns[name] = (np.array(columns[name]) + cluster).tolist()
    table = write_csv(tmp_path / "table.csv", columns)
    result = invoke("select", table, "-t", "y", "-k", 2, "-m", "laplacian-score", "-q")
    assert sorted(result.stdout.split()) == ["noise1", "noise3"]


@pytest.mark.parametrize(
    "name", [n for n, method in known_methods().items() if method.takes("categorical")]
)
def test_methods_that_take_categories_find_one(name, tmp_path):
    rng = np.random.default_rng(1)
    colour = rng.choice(["blue", "green", "red"], size=N_SAMPLES)
    # Middle category against the rest: no straight line through the codes can tell.
    table = write_csv(
        tmp_path / "table.csv",
        {
            "a": rng.normal(size=N_SAMPLES),
            "b": rng.normal(size=N_SAMPLES),
            "colour": colour,
            "y": np.where(colour == "green", "yes", "no"),
        },
    )
    result = invoke(
        "select", table, "-t", "y", "-k", 1, "-m", name, "-q", "--categorical", "colour"
    )
    assert result.stdout == "colour\n", result.output


def test_quiet_prints_names_only_and_nothing_with_out(table, out):
    assert invoke("select", table, "-t", "y", "-k", 1, "-q").stdout == "sign\n"
    result = invoke("select", table, "-t", "y", "-k", 1, "-q", "-o", out)
    assert result.output == ""
    assert out.exists()


def test_continuous_target_from_npz(tmp_path):
    problem = make_quad(200, random_state=0)
    path = tmp_path / "quad.npz"
    np.savez(path, X=problem.X, y=problem.y)
    result = invoke("select", path, "-k", 2, "-m", "fohsic")
    assert "target y (numbers)" in result.stdout
    assert "x0" in result.stdout
    assert "x1" in result.stdout


def test_interaction_from_parquet_with_a_dropped_copy_of_the_target(tmp_path):
    problem = make_xor_toy(200, random_state=0)
    arrays = {f"bit{i}": column for i, column in enumerate(problem.X.T)}
    path = tmp_path / "xor.parquet"
    pq.write_table(pa.table({**arrays, "copy": problem.y, "label": problem.y}), path)
    result = invoke("select", path, "-t", "label", "-k", 2, "--drop", "copy", "-q", "-m", "bahsic")
    assert sorted(result.stdout.split()) == ["bit0", "bit1"]


def test_target_kind_is_passed_on(tmp_path, columns):
    levels = np.digitize(columns["sign"], [-1, 0, 1]).tolist()
    path = write_csv(tmp_path / "table.csv", {**columns, "y": levels})
    assert "(4 classes)" in invoke("select", path, "-t", "y").stdout
    result = invoke("select", path, "-t", "y", "--target-kind", "continuous")
    assert "(numbers)" in result.stdout


@pytest.mark.parametrize("test", ["gamma", "permutation"])
def test_p_values_are_small_for_the_true_feature_only(table, out, test):
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "--p-values", test, "-o", out)
    assert result.exit_code == 0, result.output
    assert "adjusted p" in result.stdout
    with out.open(newline="", encoding="utf-8") as file:
        adjusted = {r["feature"]: float(r["adjusted_p_value"]) for r in csv.DictReader(file)}
    assert adjusted.pop("sign") < 0.01
    assert min(adjusted.values()) > 0.01


def test_names_are_shown_as_they_are(columns, tmp_path):
    columns["[red]x"] = columns.pop("sign")
    columns["bell\x07 :smile:"] = columns.pop("noise0")
    path = write_csv(tmp_path / "table.csv", columns)
    result = invoke("select", path, "-t", "y", "-m", "n3lars")
    assert "[red]x" in result.stdout
    assert r"bell\x07 :smile:" in result.stdout


def test_long_name_is_whole_where_stdout_is_no_terminal(columns, tmp_path):
    name = "gene" * 60
    path = write_csv(tmp_path / "table.csv", {name: columns["sign"], **columns})
    assert name in invoke("select", path, "-t", "y").stdout


def test_constant_column_is_a_warning_with_its_name(columns, tmp_path, out):
    path = write_csv(tmp_path / "table.csv", {"flat": [3] * N_SAMPLES, **columns})
    result = invoke("select", path, "-t", "y", "-k", 6, "-o", out)
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: 1 column holds one single value and can never be selected: 'flat'.\n"
    )
    assert "5 of 6 features" in result.stdout
    assert "flat" not in out.read_text(encoding="utf-8")


def test_only_constant_columns_are_refused(refuse, columns):
    flat = {name: [1] * N_SAMPLES for name in columns if name != "y"}
    refuse("constant", **flat)


@pytest.mark.parametrize("value", ["", "NaN", "inf", "-inf"])
def test_missing_and_infinite_values_are_refused(refuse, columns, value):
    refuse("noise1", "data row 8", noise1=[*columns["noise1"][:7], value, *columns["noise1"][8:]])


def test_missing_value_in_target_is_refused(refuse, columns):
    refuse("'y'", "missing", y=[*columns["y"][:-1], ""])


def test_text_of_too_many_levels_is_refused(refuse):
    cities = [f"city {i % (N_SAMPLES - 9)}" for i in range(N_SAMPLES)]
    refuse("city", "--categorical", city=cities)


def test_fewer_than_four_samples_are_refused(refuse, columns):
    few = {name: values[:3] for name, values in columns.items()}
    refuse("at least 4 samples", **{**few, "y": ["up", "down", "up"]})


def test_one_class_is_refused(refuse):
    refuse("1 class", y=["up"] * N_SAMPLES)


@pytest.mark.parametrize("method", ["auto", "n3lars", "bahsic", "mrmr"])
def test_k_larger_than_d_is_a_warning_as_in_python(table, method):
    result = invoke("select", table, "-t", "y", "-m", method, "-k", 6)
    assert result.exit_code == 0, result.output
    assert "warning: 6 features were asked for, but only 5 could be selected" in result.stderr
    data = open_dataset(table, "y")
    with pytest.warns(FewerFeaturesWarning, match="6 features were asked for"):
        select(data, method=method, n_features_to_select=6)


def test_empty_path_is_refused_not_the_current_folder(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (
        ["select", ""],
        ["compare", ""],
        ["interactions", ""],
        ["select", table, "-t", "y", "-m", "randsel", "--checkpoint", ""],
        ["compare", table, "-t", "y", "--results", ""],
        ["select", table, "-t", "y", "--out", ""],
    ):
        assert_refused(invoke(*words), "a path is empty; give a file or a folder")
    with pytest.raises(ValueError, match="path of the data is empty"):
        open_dataset("", "y")


def test_columns_are_listed_repeatedly_or_with_commas(columns, tmp_path):
    columns |= {"a, b": columns["noise1"], "c": columns["noise2"]}
    table = write_csv(tmp_path / "table.csv", columns)
    base = ("select", table, "-t", "y", "-m", "pearson", "-q")
    every = set(invoke(*base).stdout.split("\n")) - {""}
    for drop in (["--drop", 'sign,"a, b"'], ["--drop", "sign", "--drop", '"a, b"']):
        found = set(invoke(*base, *drop).stdout.split("\n")) - {""}
        assert every - found == {"sign", "a, b"}


def test_k_below_one_is_refused(refuse):
    refuse("n-features", options=["-k", 0])


def test_missing_target_column_is_refused_with_near_matches(refuse):
    refuse("no 'Sign'", "'sign'", target="Sign")


def test_unreadable_row_is_refused(tmp_path, out):
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n1,2,0\n3,4,1\n5,6,7,8\n1,1,0\n")
    assert_refused(invoke("select", path, "-t", "y", "-o", out), "table.csv")
    assert not out.exists()


def test_truncated_parquet_is_refused(tmp_path, out, columns):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table(columns), path)
    path.write_bytes(path.read_bytes()[:-40])
    assert_refused(invoke("select", path, "-t", "y", "-o", out), "table.parquet")
    assert not out.exists()


def test_missing_file_is_refused(tmp_path):
    assert_refused(invoke("select", tmp_path / "absent.csv", "-t", "y"), "absent.csv")


def test_unknown_ending_is_refused(tmp_path):
    path = tmp_path / "table.doc"
    path.touch()
    assert_refused(invoke("select", path, "-t", "y"), "table.doc")


def test_unknown_method_is_refused_with_near_matches(refuse):
    refuse("no method 'bahsik'", "did you mean bahsic", options=["-m", "bahsik"])


def test_method_that_cannot_take_the_target_is_refused(refuse, columns):
    refuse("needs classes", options=["-m", "snr"], y=columns["noise0"])


def test_categories_are_refused_by_methods_of_numbers(refuse):
    city = ["Rome", "Oslo"] * (N_SAMPLES // 2)
    refuse("pearson", "city", options=["-m", "pearson", "--categorical", "city"], city=city)


def test_gamma_p_values_of_five_samples_are_refused(refuse, columns):
    few = {name: values[:5] for name, values in columns.items()}
    few["y"] = ["up", "down", "up", "down", "up"]
    refuse("6 samples", options=["--p-values", "gamma"], **few)


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("features.txt", ".csv or .json"),
        ("absent/features.csv", "does not exist"),
        ("folder.csv", "is a folder"),
        ("table.csv", "would replace the data"),
    ],
)
def test_bad_output_is_refused_before_any_work(table, tmp_path, place, word, monkeypatch):
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    before = table.read_bytes()
    assert_refused(invoke("select", table, "-t", "y", "-o", tmp_path / place), word)
    assert table.read_bytes() == before


def test_failed_write_leaves_the_old_file(table, out, monkeypatch):
    out.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    assert_refused(invoke("select", table, "-t", "y", "-o", out), "No space left on device")
    assert out.read_text() == "old"
    assert sorted(path.name for path in out.parent.iterdir()) == ["features.csv", "table.csv"]


def test_bug_is_no_bad_input(table, monkeypatch):
    def break_down(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("hsieve.N3LARS.fit", break_down)
    result = invoke("select", table, "-t", "y", "-m", "n3lars")
    assert result.exit_code == 1
    assert isinstance(result.exception, ZeroDivisionError)


def test_failing_algebra_is_no_bad_input(table, monkeypatch):
    def break_down(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr("hsieve.N3LARS.fit", break_down)
    result = invoke("select", table, "-t", "y", "-m", "n3lars")
    assert isinstance(result.exception, np.linalg.LinAlgError)


@pytest.mark.parametrize("name", [n for n, method in known_methods().items() if method.has_path])
def test_last_line_tells_how_the_path_ended(table, name):
    line = invoke("select", table, "-t", "y", "-k", 1, "-m", name).stdout.splitlines()[-1]
    assert line.startswith("The path ended with 1 feature in, where 'noise")
    assert line.endswith("% never had to be compared.")


def test_methods_without_a_path_tell_none(table):
    assert "The path" not in invoke("select", table, "-t", "y", "-m", "bahsic").stdout


@pytest.mark.parametrize(
    ("ending", "beginning"), [(".png", b"\x89PNG"), (".SVG", b"<?xml"), (".pdf", b"%PDF")]
)
def test_plot_is_written_beside_the_result(table, tmp_path, out, ending, beginning):
    plot = tmp_path / f"path{ending}"
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "-k", 2, "--plot", plot, "-o", out)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert plot.read_bytes().startswith(beginning)
    assert sorted(tmp_path.iterdir()) == sorted([plot, out, table])


def test_plot_takes_any_column_name(columns, tmp_path):
    columns["$\\frac{<script>"] = columns.pop("sign")
    path = write_csv(tmp_path / "table.csv", columns)
    result = invoke(
        "select", path, "-t", "y", "-m", "n3lars", "-q", "--plot", tmp_path / "path.svg"
    )
    assert result.exit_code == 0, result.output
    assert "<script>" not in (tmp_path / "path.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("path.jpg", ".png or .svg or .pdf"),
        ("absent/path.png", "does not exist"),
        ("folder.png", "is a folder"),
        ("link.png", "would replace the data"),
    ],
)
def test_bad_plot_is_refused_before_any_work(table, tmp_path, place, word, monkeypatch):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "link.png").symlink_to(table)
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    before = table.read_bytes()
    assert_refused(
        invoke("select", table, "-t", "y", "-m", "n3lars", "--plot", tmp_path / place), word
    )
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    "name", [n for n, method in known_methods().items() if not method.has_path]
)
def test_plot_of_a_method_without_a_path_is_refused(table, tmp_path, name, monkeypatch):
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    result = invoke("select", table, "-t", "y", "-m", name, "--plot", tmp_path / "path.png")
    able = "n3lars, hsic-lasso, pairs"
    assert_refused(result, f"--plot does not work with {name}; it does with {able}")


def test_plot_without_matplotlib_says_what_to_install(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "--plot", tmp_path / "path.png")
    assert_refused(result, 'pip install "hsieve[report]"')


def test_failed_plot_leaves_the_old_file(table, tmp_path, monkeypatch):
    plot = tmp_path / "path.png"
    plot.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "--plot", plot)
    assert_refused(result, "path.png", "No space left on device")
    assert plot.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [plot, table]


def test_columns_as_people_have_them(tmp_path):
    """A row counter, an identifier, a category of text and a date; the options override."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["m", "f"], size=60)
    columns = {
        "row": range(60),
        "sample": [f"s{i}" for i in range(60)],
        "sex": sex,
        "dose": rng.normal(size=60),
        "visit": [f"2020-01-{1 + i % 28:02}" for i in range(60)],
        "y": np.where(sex == "m", 3.0, 1.0) + 0.1 * rng.normal(size=60),
    }
    path = write_csv(tmp_path / "people.csv", columns)
    assert_refused(invoke("select", path, "-t", "y"), "'visit'", "days since", "--drop visit")
    result = invoke("select", path, "-t", "y", "-m", "n3lars", "-k", 1, "--drop", "visit")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    told = " ".join(result.stdout.split())
    assert "1 of 2 features" in told
    assert told.count("Column 'sample' is different in every row, an identifier: left out") == 1
    assert told.count("Column 'row' counts the rows: left out") == 1
    assert told.count("Column 'sex' is text: a category of 2 levels (f, m).") == 1
