"""The kernel ensemble as a classifier."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score

from hsieve import FamilyRanking, KernelEnsembleClassifier, RandSel
from hsieve.data.subsamples import balanced_samples
from hsieve.datasets import make_xor


def quick(feature_sets=None, **changed):
    usual = {"n_members": 10, "selector": RandSel(n_rounds=8), "max_sets": 4}
    return KernelEnsembleClassifier(feature_sets, **{**usual, **changed})


def curved(rng, n_samples, share=0.5):
    """Classes inside and outside a circle of two among five features."""
    X = rng.normal(size=(n_samples, 5))
    radius = np.hypot(X[:, 1], X[:, 3])
    return X, np.where(radius > np.quantile(radius, 1 - share), "far", "near")


def test_features_that_matter_only_together_have_the_weight():
    problem = make_xor(400, 20, random_state=1)
    model = quick().fit(problem.X[:250], problem.y[:250])
    assert model.score(problem.X[250:], problem.y[250:]) > 0.9
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 1}
    for weights in (
        model.feature_importances_,
        model.set_weights_,
        model.learners_["weight"],
    ):
        assert weights.sum() == pytest.approx(1.0)
        assert weights.min() >= 0
    shares = np.zeros(20)
    for features, weight in zip(model.feature_sets_, model.set_weights_, strict=True):
        shares[features] += weight / len(features)
    np.testing.assert_allclose(model.feature_importances_, shares)


def test_several_classes_are_all_predicted(rng):
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    X, y = X[order], np.array([f"digit {label}" for label in y[order]])
    model = KernelEnsembleClassifier([range(64)], n_members=6).fit(X[:300], y[:300])
    predicted = model.predict(X[300:])
    assert np.mean(predicted == y[300:]) > 0.93
    assert set(predicted) == set(y)
    chances = model.predict_proba(X[300:])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[np.argmax(chances, axis=1)], predicted)
    assert log_loss(y[300:], chances, labels=model.classes_) < 0.3


def test_rare_classes_are_found_and_probabilities_know_how_rare_they_are(rng):
    X, y = curved(rng, 3000, share=0.03)
    options = {"max_samples": 400, "max_program_samples": 500}
    plain = KernelEnsembleClassifier([[1, 3], range(5)], **options).fit(X[:2000], y[:2000])
    even = clone(plain).set_params(class_weight="balanced").fit(X[:2000], y[:2000])
    truth = y[2000:]
    far = list(plain.classes_).index("far")
    assert plain.predict_proba(X[2000:])[:, far].mean() == pytest.approx(0.03, abs=0.015)
    assert plain.score(X[2000:], truth) > 0.975
    assert balanced_accuracy_score(truth, even.predict(X[2000:])) > 0.93
    caught = [np.mean(model.predict(X[2000:])[truth == "far"] == "far") for model in (plain, even)]
    assert caught[1] >= caught[0]


def test_a_class_of_one_sample_is_no_obstacle(rng):
    X = np.vstack([rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 4, [[-9.0, -9.0, -9.0]]])
    y = np.r_[np.zeros(20), np.ones(20), 2]
    model = quick([[0, 1, 2]]).fit(X, y)
    assert model.predict_proba(X).shape == (41, 3)
    assert model.score(X[:40], y[:40]) > 0.9


def test_subsamples_are_balanced_bounded_and_differ(rng):
    X, y = curved(rng, 1000, share=0.1)
    model = quick([[1, 3]], max_samples=120, n_subsamples=3, max_program_samples=150).fit(X, y)
    drawn = model._ensemble.learners.samples
    assert [len(samples) for samples in drawn] == [120] * 3
    assert not np.array_equal(drawn[0], drawn[1])
    assert set(model.learners_["subsample"]) == {0, 1, 2}
    assert len(model.learners_) == 3 * 4
    assert len(quick([[1, 3]], max_samples=1000).fit(X, y).learners_) == 4


def test_balanced_samples_take_rare_classes_whole(rng):
    classes = np.repeat(["a", "b", "c"], [100, 7, 50])
    drawn = balanced_samples(classes, 60, rng)
    _, counts = np.unique(classes[drawn], return_counts=True)
    assert counts.tolist() == [27, 7, 26]
    assert np.all(np.diff(drawn) > 0)
    assert len(balanced_samples(classes, 1000, rng)) == 157
    assert len(balanced_samples(classes, 2, rng)) == 3


def test_constant_features_neither_count_nor_widen_kernels(rng):
    X, y = curved(rng, 150)
    padded = np.hstack([X, np.full((150, 30), 7.0)])
    sets = [[0, 1, 2, 3, 4], [1, 3]]
    plain = quick(sets).fit(X, y)
    wide = quick([[*sets[0], *range(5, 35)], [1, 3], [9]]).fit(padded, y)
    assert [features.tolist() for features in wide.feature_sets_] == sets
    np.testing.assert_allclose(wide.decision_function(padded), plain.decision_function(X))
    assert not wide.feature_importances_[5:].any()
    found = quick().fit(padded, y)
    assert max(features.max() for features in found.feature_sets_) < 5


def test_nothing_to_learn_predicts_the_larger_class():
    y = np.r_[np.zeros(12), np.ones(8)]
    model = quick().fit(np.ones((20, 2)), y)
    assert (model.predict(np.ones((3, 2))) == 0).all()
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2))), [[0.6, 0.4]])
    assert not model.feature_importances_.any()
    three = quick().fit(np.ones((6, 2)), list("aabbbc"))
    np.testing.assert_allclose(three.predict_proba(np.ones((1, 2))), [[1 / 3, 1 / 2, 1 / 6]])


def test_noise_is_not_believed(rng):
    X, y = rng.normal(size=(200, 8)), rng.integers(2, size=200)
    model = quick([range(8), [0, 1]]).fit(X[:100], y[:100])
    assert np.abs(model.predict_proba(X[100:])[:, 1] - y[:100].mean()).max() < 0.3


def test_shift_and_scale_change_nothing(rng):
    X, y = curved(rng, 120)
    plain = quick([[1, 3]]).fit(X, y)
    for factor in (1e-200, 3.0, 1e200):
        moved = quick([[1, 3]]).fit(X * factor - 7 * factor, y)
        np.testing.assert_allclose(
            moved.decision_function(X * factor - 7 * factor),
            plain.decision_function(X),
            rtol=1e-4,
            atol=1e-4,
        )


def test_single_and_double_precision_agree(rng, monkeypatch):
    X, y = curved(rng, 300)
    double = quick([[1, 3], range(5)], nu=0.3).fit(X, y).decision_function(X)
    monkeypatch.setattr("hsieve.classifiers.kernel_ensemble.SINGLE_PRECISION", 100)
    single = quick([[1, 3], range(5)], nu=0.3).fit(X, y).decision_function(X)
    np.testing.assert_allclose(single, double, atol=2e-3 * np.abs(double).max())


def test_the_same_seed_gives_the_same_answer_and_pickles_keep_it(rng):
    X, y = curved(rng, 300)
    options = {"max_samples": 100, "max_program_samples": 120}
    model = quick(**options).fit(X, y)
    again = quick(**options).fit(X, y)
    other = quick(random_state=5, **options).fit(X, y)
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(again.decision_function(X), decisions)
    assert not np.array_equal(other.decision_function(X), decisions)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.decision_function(X), decisions)


def test_sets_by_name_and_frames(rng):
    X, y = curved(rng, 150)
    frame = pd.DataFrame(X, columns=["age", "dose", "weight", "height", "score"])
    model = quick([["dose", "height"]]).fit(frame, pd.Series(y))
    assert [features.tolist() for features in model.feature_sets_] == [[1, 3]]
    np.testing.assert_allclose(
        model.decision_function(frame), quick([[1, 3]]).fit(X, y).decision_function(X)
    )
    with pytest.raises(ValueError, match="hight"):
        quick([["hight"]]).fit(frame, y)


def test_other_selectors_find_sets_too(rng):
    X, y = curved(rng, 200)
    model = quick(selector=FamilyRanking(2), max_sets=None).fit(X, y)
    assert isinstance(model.selector_, FamilyRanking)
    assert {len(features) for features in model.feature_sets_} == {2, 3, 5}
    assert not hasattr(quick([[0]]).fit(X, y), "selector_")


def test_serves_cross_validation_and_searches(rng):
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(quick(n_members=4), X, y, cv=2).mean() > 0.9
    search = GridSearchCV(
        quick(n_members=4), {"widths": [(0.5,), (1.0, 2.0)], "selector__step": [0.5]}, cv=2
    ).fit(X, y)
    assert search.best_score_ > 0.9


def test_each_ridge_is_a_learner_where_several_are_given(rng):
    X, y = curved(rng, 100)
    model = quick([[1, 3]], ridges=(0.1, 1.0), widths=(0.5, 1.0)).fit(X, y)
    assert model.learners_["ridge"].tolist() == [0.1, 1.0, 0.1, 1.0]
    assert model.learners_["width"].tolist() == [0.5, 0.5, 1.0, 1.0]
    assert quick([[1, 3]], nu=0.25).fit(X, y).nu_ == 0.25
    assert set(model.nu_losses_) == {0.8, 0.5, 0.3, 0.15, 0.05}
    assert model.nu_losses_[model.nu_] == min(model.nu_losses_.values())


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"widths": ()}, "widths must be a number above 0 or a list of numbers above 0"),
        ({"widths": (1.0, -1.0)}, "widths must be a number above 0 or a list of numbers above 0"),
        ({"ridges": "best"}, "ridges must be 'auto', a number above 0 or a list"),
        ({"ridges": 0.0}, "ridges must be 'auto', a number above 0 or a list"),
        ({"nu": 0}, "nu must be 'cv' or a number above 0 and at most 1, got 0"),
        ({"nu": "best"}, "nu must be 'cv'"),
        ({"n_members": 0}, "n_members must be an integer of at least 1, got 0"),
        ({"max_samples": 1.5}, "max_samples must be an integer"),
        ({"n_folds": True}, "n_folds must be an integer of at least 2"),
        ({"max_sets": 0}, "max_sets must be None or an integer of at least 1"),
        ({"feature_sets": [[]]}, "empty"),
        ({"class_weight": "even"}, "class_weight"),
    ],
)
def test_odd_settings_are_refused_in_words(rng, changed, told):
    X, y = curved(rng, 40)
    with pytest.raises(ValueError, match=told):
        KernelEnsembleClassifier(**changed).fit(X, y)


def test_one_class_is_refused(rng):
    with pytest.raises(ValueError, match="1 class"):
        KernelEnsembleClassifier().fit(rng.normal(size=(10, 2)), np.zeros(10))


def test_new_samples_far_out_have_finite_decisions(rng, monkeypatch):
    X, y = curved(rng, 120)
    monkeypatch.setattr("hsieve.classifiers.kernel_ensemble.SINGLE_PRECISION", 100)
    model = quick([[1, 3], range(5)]).fit(X, y)
    assert np.isfinite(model.decision_function(np.full((3, 5), 1e300))).all()
