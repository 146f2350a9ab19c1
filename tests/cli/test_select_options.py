"""`hsieve select`: covariates, limits and pairs for methods with a path; substitutes for all."""

import csv
import json

import numpy as np
import pytest

from hsieve.report import evidence
from hsieve.selectors.methods import known_methods
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

N_SAMPLES = 120
PATH_METHODS = [name for name, method in known_methods().items() if method.has_path]
OTHER_METHODS = [name for name, method in known_methods().items() if not method.has_path]
LONG = "a_very_long_name_of_a_column_that_says_nothing_at_all"


def stored(path, columns):
    if path.suffix == ".npy":
        np.save(path, np.column_stack(list(columns.values())))
        return path
    return write_csv(path, columns)


@pytest.fixture
def columns():
    """The target follows age and, less, dose, which has a near copy."""
    rng = np.random.default_rng(0)
    noise = {f"noise{i}": rng.normal(size=N_SAMPLES) for i in range(3)}
    age, dose = rng.normal(size=(2, N_SAMPLES))
    copy = dose + 0.1 * rng.normal(size=N_SAMPLES)
    return {**noise, "age": age, "dose": dose, "[b]copy": copy, "y": 2 * age + dose**2}


@pytest.fixture
def table(columns, tmp_path):
    return stored(tmp_path / "table.csv", columns)


@pytest.fixture
def unfitted(monkeypatch):
    """Fail if a selector is fitted."""
    monkeypatch.setattr("hsieve.N3LARS.fit", lambda *_: pytest.fail("it was fitted"))


@pytest.fixture
def unread(monkeypatch):
    """Fail if the file is read."""
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )


@pytest.mark.parametrize("name", PATH_METHODS)
def test_covariate_is_never_selected(table, name):
    options = ("select", table, "-t", "y", "-m", name, "-q")
    assert invoke(*options, "-k", 1).stdout == "age\n"
    result = invoke(*options, "-k", 5, "--covariate", "age")
    assert result.exit_code == 0, result.output
    names = result.stdout.split()
    assert names[0] in {"dose", "[b]copy"}
    assert len(names) == 5
    assert "age" not in names


def test_covariates_may_be_several_and_repeated(table):
    options = ("--covariate", "age", "--covariate", "dose", "--covariate", "age")
    names = invoke("select", table, "-t", "y", "-m", "n3lars", "-q", *options).stdout.split()
    assert sorted(names) == ["[b]copy", "noise0", "noise1", "noise2"]


def test_covariates_stay_among_the_features_that_are_counted(table, tmp_path):
    result = invoke(
        "select",
        table,
        "-t",
        "y",
        "-m",
        "n3lars",
        "-k",
        1,
        "--covariate",
        "age",
        "--plot",
        tmp_path / "path.png",
    )
    assert result.exit_code == 0, result.output
    assert "1 of 6 features" in result.stdout
    assert "The path ended with 1 feature in" in result.stdout
    assert result.stderr == ""


def test_covariate_of_an_array_in_its_file(columns, tmp_path):
    path = stored(tmp_path / "table.npy", columns)
    options = ("select", path, "-t", "-1", "-m", "n3lars", "-k", 1, "-q")
    assert invoke(*options).stdout == "x3\n"
    assert invoke(*options, "--covariate", "x3").stdout in {"x4\n", "x5\n"}
    assert_refused(invoke(*options, "--covariate", "x6"), "no 'x6', given for covariate")


@pytest.mark.usefixtures("unfitted")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--covariate", "Agee"], ["no 'Agee', given for covariate", "did you mean 'age'?"]),
        (["--covariate", "y"], ["no 'y', given for covariate", "available are"]),
        (["--covariate", "age", "--drop", "age"], ["no 'age', given for covariate"]),
    ],
)
def test_wrong_covariates_are_refused_before_fitting(table, options, words):
    assert_refused(
        invoke("select", table, "-t", "y", "-m", "n3lars", *options), "table.csv", *words
    )


def test_nothing_but_covariates_is_refused(table, columns):
    features = [name for name in columns if name != "y"]
    options = [part for name in features for part in ("--covariate", name)]
    assert_refused(
        invoke("select", table, "-t", "y", "-m", "n3lars", *options),
        "none is left to select beside the covariates",
    )


def test_constant_columns_beside_a_covariate_are_refused(columns, tmp_path):
    flat = {"age": columns["age"], "flat": [1] * N_SAMPLES, "y": columns["y"]}
    path = stored(tmp_path / "table.csv", flat)
    result = invoke("select", path, "-t", "y", "-m", "n3lars", "--covariate", "age")
    assert_refused(result, "beside the covariates", "constant")


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    "option",
    [
        ("--covariate", "age"),
        ("--max-redundancy", 0.9),
        ("--interactions",),
    ],
)
@pytest.mark.parametrize("name", OTHER_METHODS)
def test_methods_without_a_path_refuse_the_options_by_name(table, name, option):
    result = invoke("select", table, "-t", "y", "-m", name, *option)
    able = "n3lars, hsic-lasso, pairs"
    assert_refused(result, f"{option[0]} does not work with {name}; it does with {able}")


@pytest.mark.parametrize(
    "name", [n for n, one in known_methods().items() if not one.takes("memory_limit")]
)
def test_methods_whose_memory_cannot_be_limited_say_so(table, name):
    result = invoke("select", table, "-t", "y", "-m", name, "--memory-limit", "1GB")
    assert_refused(
        result,
        "--memory-limit does not work with",
        "it does with n3lars, pursuit, hsic-lasso, pairs",
    )


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--max-redundancy", 1.5), "--max-redundancy"),
        (("--max-redundancy", "nan"), "--max-redundancy"),
        (("--max-redundancy", "high"), "max-redundancy"),
        (("--memory-limit", "lots"), "such as '2GB'; got 'lots'"),
        (("--memory-limit", "0GB"), "got '0GB'"),
        (("--substitutes", -1), "substitutes"),
    ],
)
def test_limits_that_make_no_sense_are_refused(table, option, words):
    assert_refused(invoke("select", table, "-t", "y", "-m", "n3lars", *option), words)


def test_what_a_selector_refuses_is_told_in_its_own_words(table):
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "--max-redundancy", 0)
    assert_refused(result, "max_redundancy must be", "above 0 and at most 1, got 0")


@pytest.mark.parametrize("name", PATH_METHODS)
def test_cap_on_redundancy_keeps_a_copy_out_and_says_so(table, name):
    options = ("select", table, "-t", "y", "-k", 6, "-m", name)
    assert "6 of 6 features" in invoke(*options).stdout
    result = invoke(*options, "--max-redundancy", 0.9)
    assert "5 of 6 features" in result.stdout
    assert result.stderr == (
        "warning: 6 features were asked for, but only 5 could be selected with a largest "
        "redundancy of 0.9.\n"
    )


def test_cap_is_silent_where_no_number_is_asked_for(table):
    assert invoke("select", table, "-t", "y", "-m", "n3lars", "--max-redundancy", 0.9).stderr == ""


def test_memory_limit_reaches_the_selector(table):
    small = invoke("select", table, "-t", "y", "-m", "n3lars", "--memory-limit", "1MB")
    assert_refused(small, "table.csv", "too small for 120 samples")
    enough = invoke(
        "select", table, "-t", "y", "-m", "n3lars", "-k", 1, "-q", "--memory-limit", "100 MB"
    )
    assert enough.stdout == "age\n"


@pytest.mark.parametrize("name", PATH_METHODS)
def test_options_reach_the_selector(name):
    selector = known_methods()[name].make(
        covariates=(1,), max_redundancy=0.5, memory_limit="2GB", target_kind="continuous"
    )
    assert (selector.covariates, selector.max_redundancy) == ((1,), 0.5)
    assert selector.memory_limit == "2GB"


def row_of(result, name):
    """The cells of the line that holds a selected feature."""
    [cells] = [cells for cells in cells_of(result) if cells[1] == name]
    return cells


@pytest.mark.parametrize("name", ["n3lars", "mr-nhsic", "pursuit"])
def test_a_near_copy_is_a_substitute_with_no_markup(table, name):
    result = invoke("select", table, "-t", "y", "-k", 6, "-m", name)
    other, score = row_of(result, "dose")[-1].split()
    assert other == "[b]copy"
    assert float(score) > 0.9
    assert row_of(result, "age")[-1] == ""
    assert "substitutes (NHSIC)" in result.stdout


def test_no_column_is_shown_where_nothing_could_stand_for_a_feature(columns, tmp_path):
    del columns["[b]copy"]
    result = invoke("select", stored(tmp_path / "table.csv", columns), "-t", "y", "-m", "n3lars")
    assert "substitutes" not in result.stdout


def test_long_names_of_substitutes_are_shortened_on_the_screen_only(columns, tmp_path):
    columns = {LONG: columns.pop("[b]copy"), **columns}
    path = stored(tmp_path / "table.csv", columns)
    out = tmp_path / "out.csv"
    result = invoke("select", path, "-t", "y", "-m", "n3lars", "-k", 6, "-o", out)
    assert row_of(result, "dose")[-1].startswith("a_very_long_na…othing_at_all 0.9")
    with out.open(newline="", encoding="utf-8") as file:
        [found] = [r["substitutes"] for r in csv.DictReader(file) if r["feature"] == "dose"]
    assert found.startswith(f"{LONG} (0.9")
    assert ";" not in found


@pytest.mark.parametrize("name", ["n3lars", "bahsic"])
def test_json_holds_substitutes_as_a_list_best_first(columns, tmp_path, name):
    rng = np.random.default_rng(2)
    for place in range(4):
        noise = 0.05 * (4 - place) * rng.normal(size=N_SAMPLES)
        columns[f"copy{place}"] = columns["age"] + noise
    path, out = stored(tmp_path / "table.csv", columns), tmp_path / "out.json"
    assert invoke("select", path, "-t", "y", "-m", name, "-k", 10, "-q", "-o", out).exit_code == 0
    found = {row["feature"]: row["substitutes"] for row in json.loads(out.read_text("utf-8"))}
    assert [one["feature"] for one in found["age"]] == ["copy3", "copy2", "copy1"]
    scores = [one["score"] for one in found["age"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0.5 <= score <= 1 for score in scores)


def test_as_many_substitutes_as_are_asked_for(columns, tmp_path):
    for place in range(5):
        columns[f"copy{place}"] = columns["age"]
    path = stored(tmp_path / "table.csv", {"flat": [1] * N_SAMPLES, **columns})
    out = tmp_path / "out.json"
    for asked, n_found in ((1, 1), (4, 4), (100, 5)):
        options = ("-m", "n3lars", "-k", 1, "-q", "-o", out, "--substitutes", asked)
        assert invoke("select", path, "-t", "y", *options).exit_code == 0
        [row] = json.loads(out.read_text(encoding="utf-8"))
        assert len(row["substitutes"]) == n_found


def test_a_single_feature_has_no_substitutes(columns, tmp_path):
    path = stored(tmp_path / "table.csv", {"age": columns["age"], "y": columns["y"]})
    result = invoke("select", path, "-t", "y", "-m", "n3lars")
    assert result.exit_code == 0, result.output
    assert "substitutes" not in result.stdout


@pytest.fixture
def uncompared(monkeypatch):
    """Fail if features are compared with each other."""
    monkeypatch.setattr(evidence, "_statistics", lambda *_: pytest.fail("features were compared"))


@pytest.mark.usefixtures("uncompared")
def test_substitutes_can_be_turned_off(table, tmp_path):
    out = tmp_path / "out.csv"
    result = invoke("select", table, "-t", "y", "-m", "n3lars", "--substitutes", 0, "-o", out)
    assert result.exit_code == 0, result.output
    assert "ubstitutes" not in result.stdout
    assert "substitutes" not in out.read_text(encoding="utf-8")


@pytest.mark.usefixtures("uncompared")
def test_substitutes_that_nobody_would_see_are_not_looked_for(table):
    assert (
        invoke("select", table, "-t", "y", "-m", "n3lars", "-q", "--substitutes", 2).exit_code == 0
    )


@pytest.mark.parametrize("name", ["n3lars", "mr-nhsic"])
def test_much_work_is_done_only_where_it_is_asked_for(table, monkeypatch, name):
    monkeypatch.setattr(evidence, "MOST_COMPARISONS", 0)
    options = ("select", table, "-t", "y", "-k", 4, "-m", name)
    result = invoke(*options)
    assert result.exit_code == 0, result.output
    assert "looked for among the 4 best features, not among all" in result.stdout
    result = invoke(*options, "--substitutes", 3)
    assert any("0.9" in cells[-1] for cells in cells_of(result))
    assert "were looked for" not in result.stdout


@pytest.fixture
def switches(tmp_path):
    """The target says whether two switches among many stand alike."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, size=(N_SAMPLES, 12))
    columns = {f"[b]{i}": column for i, column in enumerate(bits.T)}
    return write_csv(tmp_path / "switches.csv", {**columns, "y": bits[:, 3] ^ bits[:, 8]})


@pytest.mark.parametrize("name", ["n3lars", "hsic-lasso"])
def test_features_that_matter_only_together_are_found_with_interactions(switches, name):
    options = ("select", switches, "-t", "y", "-k", 2, "-m", name)
    alone = invoke(*options, "-q").stdout.split()
    assert sorted(alone) != ["[b]3", "[b]8"]
    result = invoke(*options, "--interactions")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    *features, (pair, coefficient) = cells_of(result)
    assert sorted(row[1] for row in features) == ["[b]3", "[b]8"]
    assert pair == "[b]3 x [b]8"
    assert float(coefficient) > 0


def test_files_name_the_partners_of_features_with_interactions(switches, tmp_path):
    rows = {}
    for ending in (".csv", ".json"):
        out = tmp_path / f"out{ending}"
        options = ("-m", "n3lars", "-k", 2, "--interactions", "--substitutes", 0, "-q", "-o", out)
        assert invoke("select", switches, "-t", "y", *options).output == ""
        with out.open(newline="", encoding="utf-8") as file:
            rows[ending] = json.load(file) if ending == ".json" else list(csv.DictReader(file))
    for found in rows.values():
        keys = ["rank", "feature", "index", "score", "partners"]
        assert [list(row) for row in found] == [keys] * 2
        assert sorted(row["feature"] for row in found) == ["[b]3", "[b]8"]
    partner = {"[b]3": "[b]8", "[b]8": "[b]3"}
    for row in rows[".json"]:
        (one,) = row["partners"]
        assert one["feature"] == partner[row["feature"]]
        assert one["score"] > 0
    for row in rows[".csv"]:
        assert row["partners"].startswith(f"{partner[row['feature']]} (")


def test_path_without_pairs_says_so(columns, tmp_path):
    path = stored(tmp_path / "table.csv", {"age": columns["age"], "y": 2 * columns["age"]})
    result = invoke("select", path, "-t", "y", "-m", "n3lars", "--interactions")
    assert result.exit_code == 0, result.output
    assert "No pair of features is on the path." in result.stdout
    assert "No pair" not in invoke("select", path, "-t", "y", "-m", "n3lars").stdout


def test_pairs_from_a_file_in_blocks_have_names_too(switches, tmp_path):
    data = np.loadtxt(switches, delimiter=",", skiprows=1)
    np.save(tmp_path / "switches.npy", data)
    result = invoke(
        "select",
        tmp_path / "switches.npy",
        "-t",
        "-1",
        "-m",
        "n3lars",
        "-k",
        2,
        "--interactions",
        "--target-kind",
        "classes",
    )
    assert cells_of(result)[-1][0] == "x3 x x8"


def test_weights_of_samples_are_a_column(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    often = np.repeat([2, 0], 40)
    columns = {f"x{k}": x[:, k] for k in range(3)} | {"often": often}
    path = stored(tmp_path / "t.csv", columns | {"y": np.where(often > 0, x[:, 1], x[:, 2])})
    options = ("select", path, "-t", "y", "-k", 1, "-q", "--sample-weight")
    for method in ("n3lars", "auto"):
        assert invoke(*options, "often", "-m", method).stdout.split() == ["x1"]
    result = invoke(*options, "ofen", "-m", "n3lars")
    assert result.exit_code == 2
    assert "did you mean 'often'" in " ".join(result.output.split())
    assert "takes no sample_weight" in invoke(*options, "often", "-m", "relieff").output
