"""`hsieve select --method pursuit`: numbers, what each feature adds, and data without a signal."""

import csv
import json

import numpy as np
import pytest

from hsieve import KernelPursuit
from hsieve.cli.options import OWN_NUMBER
from hsieve.selectors.methods import known_methods
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, cells_of, invoke

N_SAMPLES = 200
OTHER_METHODS = [name for name, method in known_methods().items() if not method.finds_number]


@pytest.fixture(scope="module")
def columns():
    """A strong effect, whose near copy is there too, a curve, a pair and noise."""
    rng = np.random.default_rng(0)
    made = {f"noise{place}": rng.normal(size=N_SAMPLES) for place in range(4)}
    line, bend, left, right = rng.normal(size=(4, N_SAMPLES))
    made |= {"line": line, "bend": bend, "left": left, "right": right}
    made["copy"] = line + 0.2 * rng.normal(size=N_SAMPLES)
    made["y"] = 3 * line + bend**2 + 2 * left * right + 0.3 * rng.normal(size=N_SAMPLES)
    return made


@pytest.fixture(scope="module")
def table(columns, tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("signal") / "table.csv", columns)


@pytest.fixture(scope="module")
def noise(columns, tmp_path_factory):
    rng = np.random.default_rng(1)
    made = {**columns, "y": rng.normal(size=N_SAMPLES)}
    return write_csv(tmp_path_factory.mktemp("noise") / "noise.csv", made)


def run(table, *options):
    return invoke("select", table, "-t", "y", "-m", "pursuit", *options)


def told(result):
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("options", [(), ("-k", "auto"), ("--n-features", "auto")])
def test_the_number_is_chosen_and_the_reason_is_told(table, options):
    result = run(table, *options)
    words = told(result)
    assert "4 of 9 features by pursuit" in words
    assert "How many, by auto: 4 features: no other feature is related to the residuals" in words
    assert "Found only together: left and right (pair)." in words
    [cells] = [cells for cells in cells_of(result) if cells[1] == "line"]
    assert cells[-1].startswith("copy 0.")
    assert result.stderr == ""


def test_each_feature_has_what_it_added(table, columns):
    result = run(table)
    X = np.column_stack([column for name, column in columns.items() if name != "y"])
    fitted = KernelPursuit().fit(X, columns["y"])
    names = list(columns)
    shown = [(cells[1], cells[2]) for cells in cells_of(result)]
    assert shown == [(names[f], f"{fitted.scores_[f]:.4g}") for f in fitted.selected_indices_]
    assert "adds: Fraction of the variance of the target" in told(result)
    assert "┃ rank ┃ feature ┃   adds ┃" in result.stdout


def test_a_number_is_filled_up_and_that_is_told(table):
    result = run(table, "-k", 6)
    assert "6 of 9 features" in told(result)
    assert "Only the first 4 of these features passed the gates" in told(result)
    assert [cells[2] for cells in cells_of(result)][4:] == ["0", "0"]
    assert "How many" not in told(result)
    assert "fill up" not in told(run(table, "-k", 2))


def test_rules_cut_the_order(table):
    assert "How many, by alignment:" in told(run(table, "-k", "alignment"))


def test_nothing_found_is_told_in_a_sentence_and_is_no_failure(noise, tmp_path):
    files = [tmp_path / name for name in ("out.csv", "out.json", "page.html")]
    result = run(noise, "--out", files[0], "--report", files[2])
    assert "0 of 9 features by pursuit" in told(result)
    assert "No feature is related to the target beyond chance, so none is selected." in told(result)
    assert "Warning" not in result.output
    [warning] = result.stderr.splitlines()
    assert warning.startswith("warning: No feature tells more about ")
    assert "(least p-value, adjusted for their number: 0." in warning
    rows = csv.reader(files[0].read_text().splitlines())
    assert list(rows) == [["rank", "feature", "index", "score"]]
    assert run(noise, "--out", files[1], "--p-values", "gamma").exit_code == 0
    assert json.loads(files[1].read_text()) == []
    assert "No feature is related to the target beyond chance" in files[2].read_text(
        encoding="utf-8"
    )
    quiet = run(noise, "-q")
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_a_number_asked_of_noise_is_said_to_be_chance(noise):
    assert "None of these features is related to the target beyond chance" in told(
        run(noise, "-k", 3)
    )


@pytest.mark.parametrize("name", OTHER_METHODS)
def test_other_methods_refuse_to_choose_the_number(table, name, monkeypatch):
    monkeypatch.setattr(
        "hsieve.dataset.open_dataset", lambda *_, **__: pytest.fail("the file was read")
    )
    result = invoke("select", table, "-t", "y", "-m", name, "-k", "auto")
    assert_refused(result, f"--n-features auto does not work with {name}; give a number or a rule")


def test_the_choice_of_a_method_and_comparisons_refuse_it_too(table):
    result = invoke("select", table, "-t", "y", "-m", "auto", "-k", "auto")
    assert_refused(
        result, "n_features_to_select must be None or an integer of at least 1, got 'auto'"
    )
    result = invoke("compare", table, "-t", "y", "-m", "pursuit,mrmr", "-k", "auto")
    assert_refused(result, "--n-features auto does not work with mrmr; give a number or a rule")


def test_stability_selection_has_its_own_number(table):
    assert_refused(run(table, "--stability", "-k", "auto"), "--n-features auto does not work with")
    result = run(table, "--stability", "--subsamples", 10)
    assert "line" in told(result)
    assert "adds" not in told(result)


def test_a_comparison_leaves_the_number_to_the_method(table):
    result = invoke("compare", table, "-t", "y", "-m", "pursuit", "--folds", 2)
    assert result.exit_code == 0, result.output
    (first, *_) = cells_of(result)
    assert first[0] == "pursuit"
    assert float(first[3]) < 9


def test_categories_are_features(tmp_path):
    rng = np.random.default_rng(2)
    colour = rng.choice(["blue", "green", "red"], size=N_SAMPLES)
    table = write_csv(
        tmp_path / "table.csv",
        {
            "a": rng.normal(size=N_SAMPLES),
            "colour": colour,
            "y": (colour == "green") + 0.1 * rng.normal(size=N_SAMPLES),
        },
    )
    assert run(table, "--categorical", "colour", "-q").stdout == "colour\n"


def test_engine_checkpoint_and_limit_leave_the_answer_as_it_is(table, tmp_path):
    alone = run(table, "-q").stdout
    kept = tmp_path / "kept"
    for options in (
        ("--engine", "threads", "--workers", 2),
        ("--checkpoint", kept),
        ("--checkpoint", kept),  # resumed
        ("--memory-limit", "200MB"),
    ):
        result = run(table, *options, "-q")
        assert result.exit_code == 0, result.output
        assert result.stdout == alone
    assert any(kept.iterdir())
    assert_refused(run(table, "--memory-limit", "1MB"), "memory_limit='1MB' is too small")


@pytest.mark.parametrize("option", [("--interactions",), ("--covariate", "a")])
def test_options_of_paths_are_refused(table, option):
    assert_refused(run(table, *option), f"{option[0]} does not work with pursuit")


def test_the_maker_takes_what_the_command_line_does():
    make = known_methods()["pursuit"].make
    assert make().n_features_to_select == OWN_NUMBER
    made = make(
        n_features_to_select=3,
        categorical=(1,),
        target_kind="classes",
        random_state=5,
        memory_limit="2GB",
    )
    assert (
        made.get_params()
        == KernelPursuit(
            3, categorical=(1,), target_kind="classes", memory_limit="2GB", random_state=5
        ).get_params()
    )
