"""What a comparison is given: names, frames, folds, categories, and what it refuses."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hsieve import (
    HSIC,
    MRMR,
    N3LARS,
    DependenceSelector,
    compare,
)
from hsieve.comparison.inputs import named
from tests.comparison.selectors import N_FEATURES, N_SAMPLES, Fixed, make_classes


@pytest.fixture
def classes():
    return make_classes()


def test_lists_are_named_by_class():
    assert list(named([N3LARS(2), N3LARS(3), MRMR(1), N3LARS(4)])) == [
        "N3LARS",
        "N3LARS 2",
        "MRMR",
        "N3LARS 3",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"selectors": []}, "at least one selector, got none"),
        ({"selectors": [LinearRegression()]}, r"that end in one, got LinearRegression\(\)"),
        ({"selectors": {"a": MRMR}}, "selectors such as"),
        ({"selectors": "MRMR"}, "a list of selectors, or a dictionary by name, got 'MRMR'"),
        ({"selectors": 3}, "a list of selectors, or a dictionary by name, got 3"),
        ({"y": None}, "y must hold the target.*got None"),
        ({"fresh": True}, "folder is None"),
        ({"y": ["a"] * N_SAMPLES}, "1 class; at least two"),
        ({"y": [1.5] * N_SAMPLES}, "1 distinct value"),
        ({"y": ["a"] + ["b"] * (N_SAMPLES - 1)}, "single sample; each class needs two"),
        ({"y": [0, 1]}, "inconsistent numbers of samples"),
        ({"X": [[1.0], [2.0], [3.0]], "y": [0, 1, 1]}, "n_samples = 3; at least 4"),
        ({"X": np.full((N_SAMPLES, 2), np.nan)}, "2 of 2 columns of X have missing values"),
        ({"cv": 1}, "cv must be an integer of at least 2, got 1"),
        ({"cv": "many"}, "cv must be a number of folds, a splitter"),
        ({"cv": 2.5}, "cv must be a number of folds, a splitter"),
        ({"cv": []}, "cv holds no folds"),
        ({"cv": [([0, 1], [1, 2])]}, "Fold 0 of cv has samples both to train with and held out"),
        ({"cv": [([0, 1], [N_SAMPLES])]}, "Fold 0 of cv names samples outside 0 to 89"),
        ({"cv": [([0, 1], [])]}, "Fold 0 of cv must hold the positions"),
        ({"cv": [([0.5], [1])]}, "Fold 0 of cv must hold the positions"),
        ({"cv": KFold(3), "n_repeats": 2}, "RepeatedKFold"),
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1, got 0"),
        ({"random_state": None}, "random_state must be an integer of at least 0, got None"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"selectors": [make_pipeline(MRMR(1), SVC())]}, "that end in one, got Pipeline"),
        ({"scoring": "acuracy"}, "scoring must be None, a scorer of scikit-learn.*got 'acuracy'"),
        ({"groups": [0, 1]}, "inconsistent numbers of samples"),
        ({"groups": [1] * N_SAMPLES}, "groups holds a single group"),
        ({"missing": "mean"}, "missing must be 'refuse'"),
        ({"predictor": LinearRegression()}, r"classes, but LinearRegression\(\) predicts numbers"),
        ({"predictor": LogisticRegression}, "an estimator such as SVC"),
        ({"predictor": MRMR()}, "an estimator such as SVC"),
        ({"target_kind": "odd"}, "target_kind must be 'auto'"),
        ({"categorical": [8]}, "8"),
    ],
)
def test_bad_input_is_refused_before_any_work(classes, monkeypatch, changes, words):
    monkeypatch.setattr(Fixed, "fit", lambda *_: pytest.fail("it was fitted"))
    given = {"selectors": [Fixed()], "X": classes[0], "y": classes[1], **changes}
    with pytest.raises(ValueError, match=words):
        compare(**given)


def test_classifier_is_no_predictor_of_numbers(classes):
    with pytest.raises(ValueError, match="numbers, but LogisticRegression"):
        compare([Fixed()], classes[0], classes[0][:, 0], predictor=LogisticRegression())
    single = [(np.arange(80), [85])]
    with pytest.raises(ValueError, match="at least 2 held out"):
        compare([Fixed()], classes[0], classes[0][:, 0], cv=single)


def test_fewer_folds_than_asked_for_are_told(classes):
    X, y = classes
    y = np.array(["rare"] * 4 + ["often"] * (N_SAMPLES - 4))
    with pytest.warns(UserWarning, match="There are 4 folds, not 10 as asked for"):
        found = compare([Fixed()], X, y)
    assert found.best.n_folds == 4
    with pytest.warns(UserWarning, match="not 1000 as asked for"):
        compare([Fixed()], X, X[:, 0], cv=1000)
    assert "There are 4 folds, not 10 as asked for" in repr(found)
    assert compare([Fixed()], X, y, cv=4, scoring="accuracy").notes == ()


def test_categories_are_told_to_machine_and_selectors():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(120, 3)), rng.integers(0, 4, 120)])
    # Two far-apart codes against the others: a number would have to bend.
    y = np.isin(X[:, 3], [0, 2]).astype(int)
    selectors = [N3LARS(1), DependenceSelector(HSIC(), n_features_to_select=1)]
    found = compare(selectors, X, y, cv=3, categorical=[-1])
    for summary in found.summaries:
        assert [f.feature for f in summary.frequent] == [3]
        assert summary.score.mean == 1.0


class Asked(Fixed):
    """Notes what it was told."""

    told: ClassVar[list] = []

    def __init__(self, features=(0,), *, target_kind="auto", categorical=()):
        super().__init__(features)
        self.target_kind = target_kind
        self.categorical = categorical

    def fit(self, X, y):
        self.told.append((self.target_kind, self.categorical))
        return super().fit(X, y)


@pytest.fixture
def told(monkeypatch):
    monkeypatch.setattr(Asked, "told", [])
    return Asked.told


def test_kind_of_target_is_that_of_all_samples(told):
    """Twenty distinct values are classes of 40 samples, but not of the 20 of a training part."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.repeat(np.arange(20), 2)
    compare([Asked()], X, y, cv=2)
    compare([Asked()], X, y, cv=2, target_kind="continuous")
    assert [kind for kind, _ in told] == ["classes"] * 2 + ["continuous"] * 2


def test_what_a_selector_was_told_before_stays(told, classes):
    compare([Asked()], *classes, cv=2, categorical=[2, -1])
    knowing = Asked(target_kind="continuous", categorical=[1])
    compare([knowing], *classes, cv=2, categorical=[2])
    assert told == [("classes", (2, 7))] * 2 + [("continuous", (1, 2))] * 2
    assert Asked().categorical == ()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_frames_are_shown(classes, frame):
    X, y = classes
    names = [f"gene {i}" for i in range(N_FEATURES)]
    found = compare([Fixed([0, 3])], frame({n: X[:, i] for i, n in enumerate(names)}), y, cv=3)
    assert [f.name for f in found.best.frequent] == ["gene 0", "gene 3"]
    assert "gene 0 100%, gene 3 100%" in repr(found)


def test_names_that_read_the_same_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match="names of their own"):
        compare({1: MRMR(1), "1": MRMR(2)}, X, X[:, 0])
