"""SparseFiltering as a transformer."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from hsieve import SparseFiltering
from hsieve.classifiers.preparation import PREPARATIONS
from tests.reference import naive_sparse_filtering as naive


@pytest.fixture
def X(rng):
    return rng.laplace(size=(120, 6)) * [1, 10, 0.1, 1, 5, 1] + [0, 3, 1, 0, -4, 0]


def quick(n_components=8, **options):
    return SparseFiltering(n_components, **{"max_iter": 20, **options})


def test_unprepared_data_give_the_features_of_the_thesis(X):
    model = quick(preparation="none", max_iter=5, tol=0.0).fit(X)
    start = np.random.default_rng(0).normal(size=(8, 6))
    weights, result = naive.fit(X.T, start, max_iter=5)
    np.testing.assert_allclose(model.components_, weights, atol=1e-6)
    np.testing.assert_allclose(model.transform(X), naive.features(weights, X.T).T, atol=1e-6)
    assert model.objective_ == pytest.approx(result.fun, rel=1e-8)
    assert model.n_iter_ == 5


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_samples_learned_from_get_the_features_of_the_end_of_the_descent(X, preparation, intercept):
    model = quick(preparation=preparation, intercept=intercept).fit(X)
    learned = model.transform(X)
    assert learned.sum() == pytest.approx(model.objective_, rel=1e-10)
    by_hand = (X - model.offset_) @ model.components_.T + model.intercept_
    soft = naive.soft_absolute(by_hand.T)
    np.testing.assert_allclose(naive.normalise_rows(soft)[1], model.feature_norms_)
    np.testing.assert_allclose(learned, naive.features(np.eye(8), by_hand.T).T, atol=1e-10)
    assert intercept == bool(np.any(model.intercept_))


def test_features_of_a_sample_do_not_depend_on_the_others(X):
    model = quick().fit(X[:80])
    together = model.transform(X[80:])
    alone = np.vstack([model.transform(row[None]) for row in X[80:]])
    np.testing.assert_allclose(alone, together, atol=1e-12)
    np.testing.assert_allclose(model.transform(X)[80:], together, atol=1e-12)
    np.testing.assert_allclose((together**2).sum(axis=1), 1, rtol=1e-4)


def test_more_samples_than_are_transformed_at_a_time(X):
    model = quick().fit(X)
    many = np.tile(X, (40, 1))
    np.testing.assert_allclose(
        model.transform(many), np.tile(model.transform(X), (40, 1)), atol=1e-12
    )


def test_the_same_seed_gives_the_same_answer_and_another_a_different_one(X):
    first, again = quick().fit(X), quick().fit(X)
    np.testing.assert_array_equal(first.components_, again.components_)
    assert not np.allclose(first.components_, quick(random_state=1).fit(X).components_)
    draws = [quick(max_samples=50, random_state=seed).fit(X) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(draws[0].components_, draws[1].components_)
    assert not np.allclose(draws[0].offset_, draws[2].offset_)


def test_only_the_samples_drawn_are_learned_from(X):
    model = quick(max_samples=50).fit(X)
    drawn = np.sort(np.random.default_rng(0).choice(120, 50, replace=False))
    np.testing.assert_allclose(model.offset_, X[drawn].mean(axis=0))
    assert model.transform(X[drawn]).sum() == pytest.approx(model.objective_, rel=1e-10)
    assert model.transform(X).shape == (120, 8)


@pytest.mark.parametrize("max_samples", [None, 120, 10_000])
def test_all_samples_are_learned_from_if_there_are_no_more(X, max_samples):
    model = quick(max_samples=max_samples).fit(X)
    np.testing.assert_array_equal(model.components_, quick().fit(X).components_)
    assert model.transform(X).sum() == pytest.approx(model.objective_, rel=1e-10)


def test_the_number_of_features_is_the_default_but_at_most_256(rng):
    few = SparseFiltering(max_iter=2).fit(rng.normal(size=(20, 7)))
    many = SparseFiltering(max_iter=2).fit(rng.normal(size=(20, 300)))
    assert few.components_.shape == (7, 7)
    assert many.components_.shape == (256, 300)


def test_signs_are_forgotten_unless_there_is_an_intercept(X):
    for options, forgotten in (
        ({}, True),
        ({"intercept": True}, False),
        ({"preparation": "range"}, False),
    ):
        model = quick(**options).fit(X)
        centre = X.mean(axis=0)
        there, back = model.transform(X), model.transform(2 * centre - X)
        assert np.allclose(there, back, atol=1e-9) == forgotten


def test_learned_features_are_sparser_than_those_of_the_start(X):
    # Hoyer's measure: 1 if one feature alone is active, 0 if all are alike.
    def sparsity(learned):
        return float(np.mean((np.sqrt(8) - learned.sum(axis=1)) / (np.sqrt(8) - 1)))

    early, late = quick(max_iter=1).fit(X), quick(max_iter=200).fit(X)
    assert sparsity(late.transform(X)) > sparsity(early.transform(X)) + 0.05


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_prepared_features_do_not_depend_on_units(X, factor):
    units = np.array([factor, 1, 1e3, 1, 1, 1])
    plain, moved = quick(max_iter=5).fit(X), quick(max_iter=5).fit(X * units)
    np.testing.assert_allclose(moved.transform(X * units), plain.transform(X), atol=1e-6)


def test_constant_features_have_no_weight(X):
    X[:, 3] = 2.5
    model = quick().fit(X)
    assert (model.components_[:, 3] == 0).all()
    assert np.isfinite(model.transform(X)).all()
    constant = quick().fit(np.ones((10, 3)))
    np.testing.assert_allclose(constant.transform(np.ones((2, 3))), np.sqrt(1 / 8), rtol=1e-4)


def test_more_features_than_samples_and_more_learned_than_features(rng):
    wide = rng.normal(size=(10, 40))
    assert quick(60).fit_transform(wide).shape == (10, 60)
    assert quick(3).fit_transform(wide).shape == (10, 3)
    assert quick(3).fit_transform(rng.normal(size=(10, 1))).shape == (10, 3)


@pytest.mark.parametrize("precision", ["data", "single", "double"])
def test_single_precision_in_single_precision_out(X, precision):
    single = quick(precision=precision).fit(X.astype(np.float32))
    assert single.components_.dtype == np.float32
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.transform(X).dtype == np.float64
    double = quick(precision=precision).fit(X)
    assert double.transform(X).dtype == np.float64
    assert single.objective_ == pytest.approx(double.objective_, rel=0.01)


def test_single_precision_features_are_right_to_its_rounding(X):
    X = X + 1000
    model = quick(precision="single").fit(X)
    single = model.transform(X.astype(np.float32))
    np.testing.assert_allclose(
        single, model.transform(X.astype(np.float32).astype(float)), atol=1e-5
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_learned_features_have_names_in_frames(X, frame):
    names = [f"gene{j}" for j in range(6)]
    table = frame(dict(zip(names, X.T, strict=True)))
    kind = "pandas" if frame is pd.DataFrame else "polars"
    learned = quick(3).set_output(transform=kind).fit_transform(table)
    assert isinstance(learned, frame)
    expected = ["sparsefiltering0", "sparsefiltering1", "sparsefiltering2"]
    assert list(learned.columns) == expected
    model = quick(3).fit(table)
    assert list(model.get_feature_names_out()) == expected
    assert list(model.feature_names_in_) == names


def test_it_works_in_pipelines_copies_and_files(X, rng):
    y = np.abs(X[:, 0]) > 0.7
    pipe = make_pipeline(quick(), LogisticRegression()).fit(X, y)
    assert pipe.score(X, y) > 0.6
    model = pipe[0]
    kept = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(kept.transform(X), model.transform(X))
    np.testing.assert_array_equal(clone(model).fit(X).components_, model.components_)


def test_data_are_not_changed(X):
    given = X.copy()
    quick(preparation="none", intercept=True).fit(X).transform(X)
    np.testing.assert_array_equal(X, given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be None or an integer of at least 1, got 0"),
        ({"n_components": 2.5}, "n_components must be None or an integer"),
        ({"n_components": True}, "n_components must be None or an integer"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1, got 0"),
        ({"max_iter": None}, "max_iter must be an integer of at least 1, got None"),
        ({"max_samples": 1}, "max_samples must be None or an integer of at least 2, got 1"),
        ({"max_samples": 0.5}, "max_samples must be None or an integer"),
        ({"preparation": "scale"}, "preparation must be .*'range'.*got 'scale'"),
        ({"preparation": ["none"]}, "preparation must be '"),
        ({"precision": "half"}, "precision must be .*'single'.*got 'half'"),
        ({"precision": []}, "precision must be '"),
        ({"intercept": "yes"}, "intercept must be True or False, got 'yes'"),
        ({"tol": -1e-3}, "tol must be a number of at least 0 and below 1, got -0.001"),
        ({"tol": np.nan}, "tol must be a number"),
        ({"tol": "low"}, "tol must be a number"),
    ],
)
def test_settings_without_meaning_are_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        SparseFiltering(**options).fit(X)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.ones((1, 3)), "1 sample"),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "NaN"),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), "infinity"),
        (np.array([["a", "b"], ["c", "d"]]), "could not convert"),
        (np.ones(5), "Expected 2D array"),
        (np.ones((3, 0)), "0 feature"),
    ],
    ids=["one sample", "NaN", "infinity", "text", "vector", "no feature"],
)
def test_data_that_cannot_be_learned_from_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        SparseFiltering().fit(wrong)


def test_new_samples_that_do_not_fit_are_refused(X):
    model = quick().fit(X)
    with pytest.raises(ValueError, match="X has 5 features, but SparseFiltering is expecting 6"):
        model.transform(X[:, :5])
    with pytest.raises(ValueError, match="NaN"):
        model.transform(np.full((1, 6), np.nan))
    with pytest.raises(ValueError, match="too far from the samples learned from"):
        model.transform(np.full((1, 6), 1e250))
    with pytest.raises(ValueError, match="preparation='none' takes at most"):
        quick(preparation="none").fit(X * 1e200)


def test_sparse_and_distributed_data_are_refused(X):
    with pytest.raises(TypeError, match="Sparse data was passed"):
        quick().fit(csr_array(X))
    import dask.array

    chunks = dask.array.from_array(X)
    with pytest.raises(ValueError, match="SparseFiltering needs the whole data as an array"):
        quick().fit(chunks)
    with pytest.raises(ValueError, match=r"SparseFiltering\.transform needs the whole data"):
        quick().fit(X).transform(chunks)
