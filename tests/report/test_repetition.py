"""Code and commands of a report do what they say: run again, they select the same."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Lasso

import hsieve
from hsieve import (
    BAHSIC,
    HSIC,
    N3LARS,
    NHSIC,
    Backward,
    DependenceSelector,
    KernelPursuit,
    MaxRelevance,
    RandSel,
    StabilitySelection,
    kernels,
)
from hsieve.report.analysis import analyse
from hsieve.report.docstrings import parameter_meanings, references_of
from hsieve.report.repetition import Constructor, changed_parameters, quoted, written_out
from hsieve.selectors.methods import known_methods
from tests.cli.running import invoke

MADE = [
    N3LARS(3, covariates=[2], max_redundancy=0.9),
    BAHSIC(2, kernel_x=kernels.Gaussian("maximise"), n_contexts=1, step=0.1, compensate=False),
    DependenceSelector(NHSIC(kernel_x=kernels.Laplace(0.5)), strategy="forward"),
    DependenceSelector(HSIC(estimator="biased"), strategy=Backward(step=1)),
    StabilitySelection(Lasso(), values=np.array([0.5, 0.2]), n_per_subsample=4, n_subsamples=4),
    StabilitySelection(N3LARS(target_kind="continuous"), n_subsamples=4, random_state=7),
    RandSel(2, n_rounds=np.int64(4), n_jobs=1, random_state=3),
    KernelPursuit(level=0.01, interactions=None),
]


class Holder(BaseEstimator):
    """Has one parameter, whatever it is."""

    def __init__(self, value="usual"):
        self.value = value


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).normal(size=(60, 6))
    return X, X[:, 0] ** 2 + X[:, 3] + 0.1 * X[:, 1]


@pytest.mark.parametrize("selector", MADE, ids=lambda one: type(one).__name__)
def test_the_code_selects_the_same(selector, data):
    X, y = data
    summary = analyse(selector.fit(X, y), X, y)
    assert summary.repeat.gaps == []
    names = {"X": X, "y": y}
    exec(summary.repeat.python, names)
    again = names["selector"]
    assert again is not selector
    assert again.selected_indices_.tolist() == selector.selected_indices_.tolist()
    assert again.scores_.tolist() == selector.scores_.tolist()


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.5),
        True,
        float("inf"),
        Path("a folder") / "a 'file'",
        {"a": (1,), "b": [None, "c"]},
        (),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        range(3),
    ],
    ids=repr,
)
def test_values_are_written_as_what_python_reads(value):
    made = Constructor()
    (held,) = eval(made.estimator(Holder(value)), {"Holder": Holder}).get_params().values()
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    plain = os.fspath(plain) if isinstance(plain, Path) else plain
    assert held == (list(plain) if isinstance(plain, range) else plain)
    assert made.gaps == []


@pytest.mark.parametrize("value", [object(), [object()], {"a": object()}, list(range(2001))])
def test_values_without_a_plain_form_are_gaps(value):
    made = Constructor()
    assert made.estimator(Holder(value)) == "Holder(value=None)"
    assert made.gaps == ["value"]


def test_values_are_shown_on_one_line():
    assert written_out(np.zeros((3, 2))) == "array of 3 x 2"
    assert written_out(np.int64(3)) == "3"
    assert written_out(list(range(12))) == "0, 1, 2, 3, 4, ... (12 values)"
    long = StabilitySelection(N3LARS(3), n_subsamples=4, values=list(range(40)))
    assert "\n" in Constructor().estimator(long)
    assert "\n" not in written_out(long)


def test_what_cannot_be_written_out_is_named(data):
    X, y = data
    selector = RandSel(2, n_rounds=4, random_state=np.random.default_rng(0)).fit(X, y)
    repeat = analyse(selector, X, y).repeat
    assert repeat.gaps == ["random_state"]
    assert "random_state=None" in repeat.python
    assert "# Not written out, and None below: random_state." in repeat.python
    assert "differ from run to run" in repeat.seed


@pytest.mark.parametrize(
    "selector",
    [
        N3LARS(3, categorical=[5], covariates=[2], max_redundancy=0.9),
        RandSel("alignment", random_state=4),
        MaxRelevance(2, target_kind="classes", categorical=[5]),
        N3LARS(3, interactions="pairs", categorical=[5]),
        KernelPursuit(categorical=[5]),
        KernelPursuit(3, random_state=1, memory_limit="500MB"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_the_command_selects_the_same(selector, data, tmp_path, monkeypatch):
    X = np.column_stack([data[0][:, :5], np.arange(60) % 3])
    y = (data[1] > 0.5).astype(int)
    names = ["plain", "with space", "it's", "new\nline", "-k", "c"]
    command = selector.fit(X, y).summary(X, y, feature_names=names).repeat.command
    with (tmp_path / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y"])
        writer.writerows([*row, label] for row, label in zip(X.tolist(), y, strict=True))
    monkeypatch.chdir(tmp_path)
    program, *arguments = words_of(command)
    assert program == "hsieve"
    result = invoke(*arguments, "-q")
    assert result.exit_code == 0, result.output
    shown = [names[feature].replace("\n", "\\n") for feature in selector.selected_indices_]
    assert result.stdout.splitlines() == shown


def words_of(command):
    """Split a command as a shell does, by asking one."""
    import subprocess

    script = f"for word in {command}; do printf '%s\\0' \"$word\"; done"
    told = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    return told.decode().split("\0")[:-1]


@pytest.mark.parametrize("text", ["plain", "two words", 'it\'s $HOME `x` \\ "y"', "a\nb\t'c\\", ""])
def test_quoted_arguments_are_one_word_to_a_shell(text):
    assert words_of(quoted(text)) == [text]


@pytest.mark.parametrize(
    "kind",
    {one.kind for one in known_methods().values() if one.kind.spec.name},
    ids=lambda kind: kind.__name__,
)
def test_commands_make_selectors_of_usual_settings(kind):
    made = known_methods()[kind.spec.name].make()
    assert type(made) is kind
    assert changed_parameters(made) == {}


def test_settings_that_no_option_has_give_no_command(data):
    X, y = data
    assert analyse(BAHSIC(2, step=0.1).fit(X, y), X, y).repeat.command is None
    assert analyse(N3LARS(0.5).fit(X, y), X, y).repeat.command is None
    single = KernelPursuit(interactions=None).fit(X, y)
    assert analyse(single, X, y).repeat.command is None


def test_versions_and_seed_are_told(data):
    X, y = data
    repeat = analyse(N3LARS(2).fit(X, y), X, y).repeat
    assert repeat.versions["numpy"] == np.__version__
    assert set(repeat.versions) == {"python", "hsieve", "numpy", "scipy", "scikit-learn"}
    assert repeat.seed == "The method makes no random choices."
    seeded = analyse(RandSel(2, n_rounds=4).fit(X, y), X, y).repeat.seed
    assert seeded.startswith("random_state=0")


def test_docstrings_tell_meanings_also_those_written_elsewhere():
    assert parameter_meanings(hsieve.HSICLasso)["covariates"].startswith("Features to adjust for")
    assert "`" not in " ".join(parameter_meanings(hsieve.RandSel).values())
    assert len(references_of(hsieve.StabilitySelection)) == 2
