"""`hsieve select` by stability selection: frequencies, the bound, and nothing that is stable."""

import csv
import json

import numpy as np
import pytest

from hsieve import MRMR, StabilitySelection
from hsieve.selectors import number_rules
from hsieve.selectors.methods import known_methods
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

N_SAMPLES = 80
NAMED = [name for name, method in known_methods().items() if method.is_stability]
FEW = ("--subsamples", 20)


@pytest.fixture
def columns():
    """Columns of which "sign" and "far", a thousand times as large, determine the target."""
    rng = np.random.default_rng(0)
    sign, far = rng.normal(size=(2, N_SAMPLES))
    noise = {f"noise{i}": rng.normal(size=N_SAMPLES) for i in range(18)}
    y = np.where(sign + far + 0.1 * rng.normal(size=N_SAMPLES) > 0, "up", "down")
    return {**noise, "sign": sign, "far": 1000 * far, "y": y}


@pytest.fixture
def table(columns, tmp_path):
    return write_csv(tmp_path / "table.csv", columns)


@pytest.fixture
def noise(columns, tmp_path):
    columns["y"] = np.random.default_rng(5).permutation(columns["y"])
    return write_csv(tmp_path / "noise.csv", columns)


@pytest.fixture
def unread(monkeypatch):
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )


def rows_of(path):
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMED)
def test_named_methods_select_what_is_stable_whatever_the_scale(table, name):
    result = invoke("select", table, "-t", "y", "-m", name, "-q")
    assert result.exit_code == 0, result.output
    assert sorted(result.stdout.split()) == ["far", "sign"]


@pytest.mark.parametrize("base", ["mrmr", "n3lars", "pearson", "hsic"])
def test_any_method_can_be_the_base(table, base):
    result = invoke("select", table, "-t", "y", "-m", base, "--stability", *FEW)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    names = {row[1] for row in cells_of(result)}
    assert {"sign", "far"} <= names
    assert f" of 20 features by stability selection over {base}, from 80 samples" in result.stdout
    assert "The path ended" not in result.stdout


def test_frequencies_are_those_of_the_selector(table, columns, tmp_path):
    out = tmp_path / "out.csv"
    result = invoke("select", table, "-t", "y", "-m", "mrmr", "--stability", *FEW, "-o", out)
    X = np.column_stack([columns[name] for name in columns if name != "y"])
    by_hand = StabilitySelection(
        MRMR(target_kind="classes"), expected_false_selections=1, n_subsamples=20
    ).fit(X, columns["y"])
    rows = rows_of(out)
    assert list(rows[0]) == ["rank", "feature", "index", "score", "frequency", "substitutes"]
    assert [int(row["index"]) for row in rows] == by_hand.selected_indices_.tolist()
    for row in rows:
        assert float(row["frequency"]) == by_hand.stability_scores_[int(row["index"])]
    assert (
        "Stable are features selected from at least 75% of 20 subsamples of half the samples; the "
        f"expected number of false ones among them is at most {by_hand.bound_:.2g}."
    ) in result.stdout
    assert "frequency" in result.stdout
    assert "score" not in result.stdout


def test_bound_and_subsamples_reach_the_selector(table):
    loose = invoke(
        "select", table, "-t", "y", "-m", "mrmr", "--stability", *FEW, "--false-selections", 4
    )
    strict = invoke("select", table, "-t", "y", "-m", "mrmr", "--stability", *FEW)
    # Subsamples may select 6 and 3 of the 20 features: q^2 / (d / 2) is 3.6 and 0.9.
    assert "of 20 subsamples of half the samples" in loose.stdout
    assert "at most 3.6." in loose.stdout
    assert "at most 0.9." in strict.stdout
    parameters = {"expected_false_selections": 0.5, "n_subsamples": 40, "random_state": 7}
    for name in NAMED:
        made = known_methods()[name].make(**parameters)
        assert (made.expected_false_selections, made.n_subsamples) == (0.5, 40)
        assert (made.random_state, made.n_features_to_select) == (7, None)


def test_number_asked_for_is_taken_and_the_bound_explained(table):
    result = invoke("select", table, "-t", "y", "-m", "stability-lasso", "-k", 4, *FEW)
    assert len(cells_of(result)) == 4
    assert "2 features are stable; the bound holds for these, not for the number" in result.stdout


@pytest.mark.parametrize("options", [["-m", "stability-lasso"], ["-m", "mrmr", "--stability"]])
def test_number_beyond_the_usual_limit_is_found_in_subsamples(table, options, tmp_path):
    out = tmp_path / "out.csv"
    result = invoke("select", table, "-t", "y", *options, "-k", 8, *FEW, "-o", out)
    assert result.exit_code == 0, result.output
    frequencies = [float(row["frequency"]) for row in rows_of(out)]
    assert len(frequencies) == 8
    assert min(frequencies) > 0
    bounded = (*options, "-k", 20, *FEW, "--false-selections", 0.4, "-o", out)
    result = invoke("select", table, "-t", "y", *bounded)
    assert "20 features were asked for" in result.stderr
    assert "no other is selected from any subsample" in result.stderr
    assert min(float(row["frequency"]) for row in rows_of(out)) > 0
    assert len(rows_of(out)) < 20


@pytest.mark.parametrize("rule", ["alignment", "guarded", "cv"])
def test_rules_find_the_number(table, rule):
    options = ("-m", "pearson", "--stability", "--subsamples", 6, "-k", rule)
    result = invoke("select", table, "-t", "y", *options)
    assert result.exit_code == 0, result.output
    assert f"How many, by {rule}: " in result.stdout
    assert "stable; the bound holds for these" in result.stdout


@pytest.mark.parametrize("method", ["mrmr", "n3lars", "hsic"])
def test_rules_know_categories(columns, tmp_path, monkeypatch, method):
    told = []
    sweep = number_rules.alignment_sweep

    def listening(X, *args, **options):
        told.extend(np.unique(X[:, options["categorical"]]))
        return sweep(X, *args, **options)

    monkeypatch.setattr(number_rules, "alignment_sweep", listening)
    level = np.arange(N_SAMPLES) % 3
    columns["noise0"], columns["y"] = level, np.where(level == 1, "up", "down")
    table = write_csv(tmp_path / "table.csv", columns)
    options = ("-m", method, "--stability", *FEW, "--categorical", "noise0")
    result = invoke("select", table, "-t", "y", *options, "-k", "alignment")
    assert result.exit_code == 0, result.output
    assert [row[1] for row in cells_of(result)] == ["noise0"]
    assert told == [0, 1, 2]
    assert invoke("select", table, "-t", "y", *options, "-k", 2).exit_code == 0
    assert invoke("select", table, "-t", "y", *options).exit_code == 0


def test_p_values_stand_beside_frequencies(table, tmp_path):
    out = tmp_path / "out.json"
    options = ("-m", "stability-lasso", *FEW, "--p-values", "gamma", "-o", out)
    assert "p alone" in invoke("select", table, "-t", "y", *options).stdout
    for row in rows_of(out):
        assert row["p_value"] < 0.05
        assert row["frequency"] >= 0.75


@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize("p_values", ["none", "gamma"])
def test_nothing_stable_is_an_answer(noise, tmp_path, ending, p_values):
    out = tmp_path / f"out.{ending}"
    options = ("-m", "stability-lasso", *FEW, "--p-values", p_values)
    result = invoke("select", noise, "-t", "y", *options, "-o", out)
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("warning: No feature tells more about y by itself than chance")
    assert "0 of 20 features by stability-lasso" in result.stdout
    assert "No feature is stable, so none is selected: nearest is noise" in result.stdout
    assert "If more false selections are allowed, more features are stable" in result.stdout
    if ending == "csv":
        columns = ["rank", "feature", "index", "score", "frequency"]
        columns += ["p_value", "adjusted_p_value"] if p_values == "gamma" else []
        assert out.read_text(encoding="utf-8") == ",".join(f'"{c}"' for c in columns) + "\n"
    else:
        assert rows_of(out) == []
    silent = invoke("select", noise, "-t", "y", *options, "-q")
    assert (silent.exit_code, silent.stdout, silent.stderr) == (0, "", "")


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--false-selections", 1], ["--false-selections does not work with", "stability-lasso"]),
        (["--subsamples", 10], ["--subsamples does not work with"]),
        (["-m", "stability-lasso", "--stability"], ["which stability-lasso does already"]),
        (["--stability", "--false-selections", "nan"], ["--false-selections"]),
        (["--stability", "--subsamples", 0], ["--subsamples"]),
        (["--stability", "--covariate", "sign"], ["--covariate does not work with stability"]),
        (["--stability", "--interactions"], ["--interactions does not work with stability"]),
        (["--stability", "--plot", "p.png"], ["--plot does not work with stability"]),
    ],
)
def test_what_does_not_go_together_is_refused_before_reading(table, options, words):
    assert_refused(invoke("select", table, "-t", "y", "-m", "n3lars", *options), *words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--false-selections", 0], "expected_false_selections must be None or a number above 0"),
        (["--false-selections", "inf"], "above 0, got inf"),
        (["--subsamples", 7], "n_subsamples must be even for pairs, got 7"),
    ],
)
def test_what_the_selector_refuses_is_told_in_its_words(table, options, words):
    assert_refused(invoke("select", table, "-t", "y", "-m", "mrmr", "--stability", *options), words)


def test_bound_that_cannot_be_kept_is_refused_in_words_of_the_command_line(table):
    result = invoke(
        "select", table, "-t", "y", "-m", "n3lars", "--stability", "--false-selections", 0.01
    )
    assert_refused(
        result, "table.csv", "expected_false_selections=0.01 cannot be kept with 20 features"
    )


@pytest.mark.parametrize("name", ["stability-logistic", "stability-lpboost"])
def test_classifiers_refuse_numbers(columns, tmp_path, name):
    columns["y"] = columns["sign"] * 2
    table = write_csv(tmp_path / "table.csv", columns)
    result = invoke("select", table, "-t", "y", "-m", name)
    assert_refused(result, f"{name} needs a target with classes", "'y'", "--target-kind classes")


def test_table_too_small_to_halve_is_refused(columns, tmp_path):
    few = {name: values[:6] for name, values in columns.items()}
    few["y"] = ["up", "down"] * 3
    table = write_csv(tmp_path / "table.csv", few)
    result = invoke("select", table, "-t", "y", "-m", "stability-lasso")
    assert_refused(result, "table.csv", "halves of the data")
