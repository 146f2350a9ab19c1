"""Comparisons of any selectors, by any score, on any folds, with gaps and a baseline."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hsieve import MRMR, N3LARS, compare
from tests.comparison.selectors import N_SAMPLES, Fixed, make_classes


@pytest.fixture
def classes():
    return make_classes()


class Borutalike(BaseEstimator):
    """Has a mask once it is fitted, and nothing else that scikit-learn knows."""

    def fit(self, X, y):
        self.support_ = np.arange(X.shape[1]) < 2
        return self

    def transform(self, X):
        return X[:, self.support_]


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        (SelectKBest(k=1), [0]),
        (SelectFromModel(LogisticRegression(), max_features=1), [0]),
        (RFE(LogisticRegression(), n_features_to_select=1), [0]),
        (Borutalike(), [0, 1]),
        (make_pipeline(StandardScaler(), SelectKBest(k=1)), [0]),
        (make_pipeline(SimpleImputer(), "passthrough", SelectKBest(k=3), MRMR(1)), [0]),
        # The best of three that stand at places 1 and so on: positions are those of all features.
        (make_pipeline(Fixed([7, 1, 0]), Fixed([1, 0])), [1, 0]),
        (make_pipeline(Fixed([3, 5]), StandardScaler(), Fixed([1])), [5]),
    ],
)
def test_selectors_and_pipelines_of_any_library_are_compared(classes, selector, chosen):
    X, y = classes
    X[:, -1] = 0.0  # it counts the samples
    found = compare({"any": selector, "ours": Fixed(chosen)}, X, y, cv=3)
    selected = {r["selector"]: r["selected"] for r in found.records if r["fold"] == 0}
    assert selected["any"] == selected["ours"] == chosen
    assert found["any"].score == found["ours"].score


def test_what_makes_new_features_fails_in_words(classes):
    found = compare({"pca": make_pipeline(PCA(2)), "ours": Fixed()}, *classes, cv=3)
    assert found["pca"].n_failed == 3
    assert "PCA makes new features" in found["pca"].failure


@pytest.mark.parametrize(
    "scoring", ["roc_auc", make_scorer(roc_auc_score, response_method="predict_proba")]
)
def test_any_score_by_any_predictor(classes, scoring):
    X, y = classes
    fold = np.arange(60), np.arange(60, N_SAMPLES)
    found = compare(
        [Fixed([0, 1])], X, y, cv=[fold], scoring=scoring, predictor=LogisticRegression()
    )
    model = LogisticRegression().fit(X[:60, :2], y[:60])
    expected = roc_auc_score(y[60:], model.predict_proba(X[60:, :2])[:, 1])
    assert found.best.score.mean == pytest.approx(expected)
    assert found.baseline.score.mean == 0.5
    assert found.criterion in {"roc auc", "roc auc score"}


def test_the_usual_predictor_is_the_same_machine_for_every_score(classes):
    by_default = compare([Fixed([0, 1])], *classes, cv=3)
    by_name = compare([Fixed([0, 1])], *classes, cv=3, scoring="accuracy")
    assert by_default.best.score == by_name.best.score
    numbers = classes[0][:, 0] + classes[0][:, 1] ** 2
    scores = [
        compare([Fixed([0, 1])], classes[0], numbers, cv=3, scoring=scoring).best.score.mean
        for scoring in (None, "r2")
    ]
    # The one compares with the variance of the training samples, the other of those held out.
    assert scores[0] == pytest.approx(scores[1], abs=0.1)


def test_unequal_classes_are_judged_by_balanced_accuracy(classes):
    X, _ = classes
    y = X[:, 0] > 0.9
    assert 2 * y.sum() < (~y).sum()
    found = compare([Fixed([0]), Fixed([5])], X, y, cv=3)
    assert found.criterion == "balanced accuracy"
    assert found.baseline.score.mean == 0.5
    assert any("Classes are unequal" in note for note in found.notes)
    assert compare([Fixed([0])], X, y, cv=3, scoring="accuracy").criterion == "accuracy"
    fold = np.arange(60), np.arange(60, N_SAMPLES)
    model = LogisticRegression()
    one = compare([Fixed([0])], X, y, cv=[fold], predictor=model).best.score.mean
    predicted = model.fit(X[:60, :1], y[:60]).predict(X[60:, :1])
    assert one == balanced_accuracy_score(y[60:], predicted)


@pytest.mark.parametrize("cv", [5, GroupKFold(5), LeaveOneGroupOut()])
def test_groups_stay_together(classes, cv):
    X, y = classes
    groups = np.repeat(np.arange(15), 6)
    found = compare([Witness()], X, y, cv=cv, groups=groups)
    assert found.best.n_folds == (15 if isinstance(cv, LeaveOneGroupOut) else 5)
    for record in found.records:
        assert record["n_test"] % 6 == 0
    with pytest.warns(UserWarning, match="There are 15 folds, not 20 .* no more groups"):
        compare([Witness()], X, y, cv=20, groups=groups)


class Witness(Fixed):
    """Sees that no group is in part among the training samples; the last column counts them."""

    def fit(self, X, y):
        counts = np.bincount(X[:, -1].astype(int) // 6)
        assert set(counts) <= {0, 6}
        return super().fit(X, y)


def test_baseline_is_the_most_frequent_class_or_the_mean(classes):
    X, y = classes
    fold = np.arange(60), np.arange(60, N_SAMPLES)
    found = compare([Fixed([0, 1]), Fixed([5])], X, y, cv=[fold])
    most_frequent = max(np.unique(y[:60]), key=lambda one: (y[:60] == one).sum())
    assert found.baseline.score.mean == np.mean(y[60:] == most_frequent)
    assert found["no features"] is found.baseline
    assert "no features" in repr(found)
    assert found.rows()[-1]["selector"] == "no features"
    numbers = X[:, 0]
    found = compare([Fixed([0])], X, numbers, cv=[fold])
    errors = np.mean((numbers[60:] - numbers[:60].mean()) ** 2)
    assert found.baseline.score.mean == pytest.approx(1 - errors / numbers[:60].var())


def test_noise_is_said_to_predict_no_better_than_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 6)), rng.integers(0, 2, 80)
    found = compare([Fixed([0]), MRMR(2)], X, y, cv=5)
    assert "no selector is better by more than chance" in " ".join(found.sentences())
    assert found.title == "No selector clearly predicts y better than a guess"
    clear = compare([Fixed([0])], X, X[:, 0] > 0, cv=5)
    assert "Fixed is better by more than chance" in " ".join(clear.sentences())
    assert clear.title == "Fixed predicts y"


def test_gaps_are_filled_from_training_samples_alone(classes):
    X, y = classes
    X = X[:, :3].copy()
    X[::7, 1] = np.nan
    seen = []

    class Looks(Fixed):
        def fit(self, X, y):
            seen.append(X.copy())
            return super().fit(X, y)

    fold = np.arange(50), np.arange(50, N_SAMPLES)
    with pytest.raises(ValueError, match="missing"):
        compare([Fixed()], X, y, cv=[fold])
    found = compare([Looks([0, 1])], X, y, cv=[fold], missing="impute")
    filled = np.where(np.isnan(X[:50]), np.nanmedian(X[:50], axis=0), X[:50])
    np.testing.assert_array_equal(seen[0], filled)
    assert any("filled in from the training samples" in note for note in found.notes)
    X[:, 1] = np.sign(X[:, 1])
    assert compare([N3LARS(1)], X, y, cv=3, missing="category").best.n_failed == 0


def test_a_comparison_has_a_page(classes, tmp_path):
    found = compare({"<b>good": Fixed([0, 1]), "bad": Fixed([5])}, *classes, cv=3)
    path = tmp_path / "page.html"
    found.report().save(path)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<b>good" not in page
    assert "&lt;b&gt;good predicts y best of 2 selectors" in page
    assert page.count('class="hollow"') == 6
    assert page.count('class="filled"') == 3
    for cell in (*found.tables()[0].rows[0][1:], "no features"):
        assert cell in page
    assert "<script" not in page
