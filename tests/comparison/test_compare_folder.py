"""Comparisons in a folder: they go on, and nothing else is ever mixed in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from hsieve import (
    HSIC,
    MRMR,
    N3LARS,
    DependenceSelector,
    LassoSelector,
    MaxRelevance,
    StabilitySelection,
    compare,
)
from hsieve.comparison.results_file import ResultsError
from hsieve.fingerprint import fingerprint_of_arrays, fingerprint_of_estimator
from hsieve.progress import listen
from tests.comparison.selectors import N_FEATURES, N_SAMPLES, Fixed, make_classes, untimed


@pytest.fixture
def classes():
    return make_classes()


@pytest.fixture
def selectors():
    return {"relevance": MaxRelevance(2), "mrmr": MRMR(3), "lasso": LassoSelector(2)}


def n_measured(call):
    """How many pieces a call measures."""
    shares = []
    with listen(lambda share, _: shares.append(share)):
        call()
    return len(shares)


def test_killed_comparison_goes_on_with_the_same_records(classes, selectors, tmp_path):
    whole = compare(selectors, *classes, cv=3, folder=tmp_path)
    path = tmp_path / "comparison.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 9
    path.write_bytes(b"".join(lines[:5]) + lines[5][:20])

    def go_on():
        again = compare(selectors, *classes, cv=3, folder=tmp_path)
        assert untimed(again) == untimed(whole)
        assert again.records[:4] == whole.records[:4]

    assert n_measured(go_on) == 5
    assert n_measured(go_on) == 0
    assert untimed(compare(selectors, *classes, cv=3)) == untimed(whole)


def test_added_and_changed_selectors_are_measured_alone(classes, selectors, tmp_path):
    compare(selectors, *classes, cv=3, folder=tmp_path)
    more = {**selectors, "fixed": Fixed()}
    assert n_measured(lambda: compare(more, *classes, cv=3, folder=tmp_path)) == 3
    changed = {**more, "mrmr": MRMR(4)}
    assert n_measured(lambda: compare(changed, *classes, cv=3, folder=tmp_path)) == 3
    assert compare(changed, *classes, cv=3, folder=tmp_path)["mrmr"].most == 4
    assert compare(more, *classes, cv=3, folder=tmp_path)["mrmr"].most == 3
    assert n_measured(lambda: compare(more, *classes, cv=3, folder=tmp_path)) == 0


def test_more_repeats_go_on(classes, tmp_path):
    compare([Fixed()], *classes, cv=3, folder=tmp_path)
    assert n_measured(lambda: compare([Fixed()], *classes, cv=3, n_repeats=2, folder=tmp_path)) == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cv": 4}, r"folds 3 \(\w+\), this run is with folds 4"),
        ({"random_state": 1}, "seed 0.*, this run is with seed 1"),
        ({"cv": KFold(3)}, r"folds 3 \(\w+\), this run is with folds 3"),
        ({"predictor": LogisticRegression()}, "this run is with predictor LogisticRegression"),
        ({"target_kind": "continuous", "y": np.arange(N_SAMPLES) % 7}, "data 90 x 8"),
        ({"categorical": [2]}, r"categories \[2\]"),
        ({"X": np.ones((N_SAMPLES, 2)) * np.arange(N_SAMPLES)[:, None]}, "with data 90 x 2"),
    ],
)
def test_results_of_something_else_are_refused(classes, tmp_path, changes, words):
    data = dict(zip("Xy", classes, strict=True))
    compare([Fixed()], **data, cv=3, folder=tmp_path)
    before = (tmp_path / "comparison.jsonl").read_bytes()
    with pytest.raises(ResultsError, match=f"{words}.*fresh=True"):
        compare([Fixed()], **{**data, "cv": 3, **changes}, folder=tmp_path)
    assert (tmp_path / "comparison.jsonl").read_bytes() == before
    compare([Fixed()], **{**data, "cv": 3, **changes}, folder=tmp_path, fresh=True)


@pytest.mark.parametrize("sample", [0, N_SAMPLES - 1])
def test_one_changed_value_is_other_data(classes, tmp_path, sample):
    X, y = classes
    compare([Fixed()], X, y, cv=3, folder=tmp_path)
    X[sample, 3] += 1e-9
    with pytest.raises(ResultsError, match="was made with data"):
        compare([Fixed()], X, y, cv=3, folder=tmp_path)


def test_same_values_in_another_form_are_the_same_data(classes, tmp_path):
    X, y = classes
    whole = compare([MRMR(2)], X, y, cv=3, folder=tmp_path)
    names = [f"f{i}" for i in range(N_FEATURES)]
    for same in (np.asfortranarray(X), pd.DataFrame(X, columns=names), X.tolist()):
        again = compare(
            [
                MRMR(
                    2,
                )
            ],
            same,
            y.astype(object),
            cv=3,
            folder=tmp_path,
        )
        assert again.records == whole.records
    assert [f.name for f in again.best.frequent] == [f.name for f in whole.best.frequent]


def test_selector_whose_parameters_cannot_be_stored_is_refused_with_a_folder(classes, tmp_path):
    strange = Fixed(message=lambda: None)
    with pytest.raises(ValueError, match=r"cannot be stored.*do without a folder"):
        compare([strange], *classes, cv=3, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert compare([strange], *classes, cv=3).best.n_folds == 3


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (StabilitySelection(MRMR(3)), StabilitySelection(MRMR(3)), True),
        (StabilitySelection(MRMR(3)), StabilitySelection(MRMR(4)), False),
        (StabilitySelection(n_jobs=1), StabilitySelection(n_jobs=2), True),
        (StabilitySelection(values=np.array([1.0])), StabilitySelection(values=[2.0]), False),
        (N3LARS(3), MRMR(3), False),
        (DependenceSelector(HSIC()), DependenceSelector(HSIC(categorical=(1,))), False),
    ],
)
def test_marks_of_estimators(first, second, alike):
    assert (fingerprint_of_estimator(first) == fingerprint_of_estimator(second)) == alike


def test_mark_does_not_see_what_was_learned(classes):
    assert fingerprint_of_estimator(MRMR(2).fit(*classes)) == fingerprint_of_estimator(MRMR(2))


def test_marks_of_arrays_see_place_shape_and_type():
    rows = np.arange(300.0).reshape(2, 150)
    others = [rows.reshape(150, 2), rows.astype(np.float32), rows[:, ::-1], rows.T]
    marks = {fingerprint_of_arrays([array]) for array in (rows, *others)}
    assert len(marks) == 5
    assert fingerprint_of_arrays([np.array(["a", "b"])]) == fingerprint_of_arrays(
        [np.array(["a", "b"], object)]
    )
    assert fingerprint_of_arrays([np.array(["a", "b"])]) != fingerprint_of_arrays(
        [np.array(["ab"])]
    )
