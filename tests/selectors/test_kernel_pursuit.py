"""Kernel pursuit as a selector: numbers, frames, files, and the selection of nothing."""

import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hsieve import KernelPursuit, NothingFoundWarning
from hsieve.data.arrays import as_blocks
from tests.frames import as_frame, mixed_columns, mixed_frame
from tests.parallel.columns import make_problem, stored

# Features that make the target of `regression`.
TRUTH = [1, 3, 6]


def regression(n_samples=150, n_features=10, seed=0):
    """A line, a curve and a wave in three features; feature 8 is a noisy copy of the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 8] = X[:, 1] + 0.5 * rng.normal(size=n_samples)
    y = 2 * X[:, 1] + X[:, 3] ** 2 + np.sin(2 * X[:, 6]) + 0.2 * rng.normal(size=n_samples)
    return X, y


@cache
def automatic():
    return KernelPursuit().fit(*regression())


def assert_same(found, expected):
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.path_.errors, expected.path_.errors, rtol=1e-7)
    events = [[(e.what, e.features) for e in s.path_.events] for s in (found, expected)]
    assert events[0] == events[1]


def test_the_default_finds_the_features_and_their_number():
    selector = automatic()
    assert selector.n_features_to_select == "auto"
    assert sorted(selector.selected_indices_.tolist()) == TRUTH
    assert selector.get_support(indices=True).tolist() == TRUTH
    assert selector.transform(regression()[0]).shape == (150, 3)


def test_scores_are_by_how_much_the_error_fell():
    selector = automatic()
    chosen = selector.selected_indices_
    assert selector.scores_.shape == (10,)
    total = selector.path_.errors[0] - selector.path_.errors[-1]
    assert selector.scores_[chosen].sum() == pytest.approx(total)
    assert not np.delete(selector.scores_, chosen).any()
    assert selector.ranking_[chosen].tolist() == [1, 2, 3]


def test_the_choice_of_the_number_says_its_reason():
    selector = automatic()
    choice = selector.n_features_choice_
    assert (choice.rule, choice.number) == ("auto", 3)
    assert choice.criterion == "explained variance"
    assert choice.sizes.tolist() == [0, *selector.path_.sizes]
    np.testing.assert_allclose(choice.values, 1 - selector.path_.errors)
    assert choice.standard_error is None
    explained = f"{1 - selector.path_.errors[-1]:.0%}"
    assert choice.reason == (
        "3 features: no other feature is related to the residuals beyond chance; "
        f"they explain {explained} of the variance of samples left out."
    )
    assert choice.width == selector.path_.width > 0


def test_one_feature_is_a_feature(rng):
    X = rng.normal(size=(80, 4))
    choice = KernelPursuit().fit(X, X[:, 2] + 0.1 * rng.normal(size=80)).n_features_choice_
    assert choice.reason.startswith("1 feature: ")


def test_substitutes_go_with_the_selected_features():
    selector = automatic()
    assert len(selector.substitutes_) == len(selector.selected_indices_)
    of = dict(zip(selector.selected_indices_.tolist(), selector.substitutes_, strict=True))
    assert of[1].tolist() == [8]
    assert of[3].tolist() == of[6].tolist() == []


@pytest.mark.parametrize(
    ("n_features_to_select", "number"), [(1, 1), (2, 2), (5, 5), (0.2, 2), (None, 10)]
)
def test_a_number_or_a_fraction_of_features(n_features_to_select, number):
    X, y = regression()
    selector = KernelPursuit(n_features_to_select).fit(X, y)
    chosen = selector.selected_indices_.tolist()
    assert len(chosen) == len(selector.substitutes_) == number
    assert set(chosen[:3]) <= set(TRUTH)
    assert selector.path_.n_found == min(number, 3)
    assert not hasattr(selector, "n_features_choice_")


@pytest.mark.parametrize("rule", ["alignment", "guarded"])
def test_rules_cut_the_order(rule):
    X, y = regression()
    selector = KernelPursuit(rule).fit(X, y)
    choice = selector.n_features_choice_
    assert choice.rule == rule
    assert len(selector.selected_indices_) == choice.number
    np.testing.assert_array_equal(selector.selected_indices_, selector.path_.order[: choice.number])
    assert selector.selected_indices_[0] in TRUTH


def test_cross_validation_cuts_the_order():
    X, y = regression(n_samples=80, n_features=9)
    selector = KernelPursuit("cv", interactions=None).fit(X, y)
    choice = selector.n_features_choice_
    assert choice.rule == "cv"
    assert choice.number == choice.sizes[np.argmax(choice.values)]
    np.testing.assert_array_equal(selector.selected_indices_, selector.path_.order[: choice.number])
    assert selector.selected_indices_[0] in TRUTH


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, "elbow"])
def test_a_number_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match="n_features_to_select must be"):
        KernelPursuit(wrong).fit(*regression())


def test_settings_reach_the_search():
    X = np.random.default_rng(0).normal(size=(150, 6))
    y = (X[:, 1] * X[:, 4] > 0).astype(int)
    assert sorted(KernelPursuit().fit(X, y).selected_indices_.tolist()) == [1, 4]
    for settings in ({"interactions": None}, {"level": 1e-200}, {"least_gain": 1e3}):
        with pytest.warns(NothingFoundWarning):
            assert not len(KernelPursuit(**settings).fit(X, y).selected_indices_)


def test_names_of_classes_matter_only_where_they_are_taken_as_numbers():
    X = np.random.default_rng(0).normal(size=(150, 6))
    y = np.digitize(X[:, 2], [-1.0, -0.3, 0.3, 1.0])
    renamed = np.array([0, 1, 4, 3, 2])[y]
    errors = {
        kind: [KernelPursuit(target_kind=kind).fit(X, of).path_.errors[-1] for of in (y, renamed)]
        for kind in ("classes", "continuous")
    }
    assert errors["classes"][0] == pytest.approx(errors["classes"][1], rel=1e-6)
    assert errors["continuous"][0] < 0.5 * errors["continuous"][1]


@pytest.fixture
def nothing():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 5)), rng.normal(size=60)
    with pytest.warns(NothingFoundWarning, match=r"beyond chance \(level=0\.05\)"):
        selector = KernelPursuit().fit(X, y)
    return selector, X


def test_noise_selects_nothing_and_says_so(nothing):
    selector, X = nothing
    assert selector.selected_indices_.tolist() == []
    assert selector.substitutes_ == []
    assert not selector.get_support().any()
    choice = selector.n_features_choice_
    assert (choice.number, choice.sizes.tolist()) == (0, [0])
    assert choice.reason == (
        "No features: none is related to the target beyond chance and lowers the error."
    )
    assert sorted(selector.ranking_.tolist()) == [1, 2, 3, 4, 5]
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (60, 0)
    assert selector.get_feature_names_out().tolist() == []


def test_a_number_asked_for_is_given_without_a_warning_even_of_noise(nothing):
    _, X = nothing
    y = np.random.default_rng(2).normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(KernelPursuit(2).fit(X, y).selected_indices_) == 2


def test_a_second_fit_forgets_the_number_of_the_first():
    X, y = regression()
    selector = KernelPursuit().fit(X, y).set_params(n_features_to_select=2).fit(X, y)
    assert not hasattr(selector, "n_features_choice_")
    assert len(selector.substitutes_) == 2


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_frames_with_categories_give_the_selection_of_the_array(library):
    X, y, categorical = mixed_columns(150)
    expected = KernelPursuit(categorical=categorical).fit(X, y)
    assert sorted(expected.selected_indices_.tolist()) == [1, 2]
    found = KernelPursuit().fit(mixed_frame(library, X), y)
    assert_same(found, expected)
    assert found.categorical_.tolist() == categorical
    assert sorted(found.get_feature_names_out()) == ["dose", "site"]
    named = KernelPursuit(categorical=["c2", "c3", "c4"])
    frame = as_frame(library, {f"c{j}": X[:, j] for j in range(6)})
    assert_same(named.fit(frame, y), expected)


def test_a_selector_survives_cloning_and_pickling():
    X, y = regression()
    settings = {"level": 0.01, "least_gain": 2.0, "interactions": None, "random_state": 3}
    again = clone(KernelPursuit(4, **settings))
    assert again.n_features_to_select == 4
    for name, value in settings.items():
        assert again.get_params()[name] == value
    stored_one = pickle.loads(pickle.dumps(automatic()))
    assert_same(stored_one, automatic())
    np.testing.assert_array_equal(stored_one.transform(X), automatic().transform(X))
    assert stored_one.n_features_choice_.reason == automatic().n_features_choice_.reason
    assert_same(clone(stored_one).fit(X, y), automatic())


def test_a_random_state_that_is_shared_is_not_used_up_by_settings():
    X, y = regression()
    found = KernelPursuit(random_state=np.random.default_rng(0)).fit(X, y)
    assert_same(found, automatic())


def test_in_a_pipeline_it_keeps_what_a_classifier_needs():
    X = np.random.default_rng(0).normal(size=(160, 10))
    y = np.where(X[:, 3] ** 2 > 0.5, "far", "near")
    model = make_pipeline(KernelPursuit(), SVC()).fit(X[:100], y[:100])
    assert model[0].selected_indices_.tolist() == [3]
    assert model.score(X[100:], y[100:]) > 0.85


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_single_precision_and_integers(dtype):
    X, y = regression()
    coarse = (np.round(X * 50)).astype(dtype)
    assert sorted(KernelPursuit().fit(coarse, y).selected_indices_.tolist()) == TRUTH


@pytest.mark.parametrize("kind", ["continuous", "classes"])
def test_column_blocks_give_the_selection_of_the_array(kind, tmp_path):
    problem = make_problem()
    y = problem.target(kind)
    settings = {"target_kind": kind, "categorical": [7], "interactions": None}
    expected = KernelPursuit(**settings).fit(problem.X, y)
    assert len(expected.selected_indices_) >= 3
    columns = stored("row parts" if kind == "continuous" else "matrix", problem, tmp_path)
    assert_same(KernelPursuit(**settings).fit(columns, y), expected)


def test_a_memory_map_gives_the_selection_of_the_array(tmp_path):
    X, y = regression()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same(KernelPursuit().fit(mapped, y), automatic())
    assert_same(KernelPursuit().fit(as_blocks(mapped), y), automatic())


def test_pairs_in_column_blocks(tmp_path):
    problem = make_problem()
    y = np.sign(problem.X[:, 20] * problem.X[:, 30])
    expected = KernelPursuit().fit(problem.X, y)
    assert {20, 30} <= set(expected.selected_indices_.tolist())
    assert_same(KernelPursuit().fit(stored("row parts", problem, tmp_path), y), expected)


def test_threads_and_checkpoints_give_the_same(tmp_path):
    X, y = regression()
    assert_same(KernelPursuit(engine="threads").fit(X, y), automatic())
    kept = KernelPursuit(checkpoint=tmp_path / "kept")
    assert_same(kept.fit(X, y), automatic())
    results = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").glob("*/*.result")}
    assert results
    assert_same(kept.fit(X, y), automatic())
    again = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").glob("*/*.result")}
    assert again == results


def test_little_memory_gives_the_same():
    X, y = regression(n_samples=300, n_features=40)
    expected = KernelPursuit(interactions=None).fit(X, y)
    found = KernelPursuit(interactions=None, memory_limit="64MB").fit(X, y)
    assert_same(found, expected)
