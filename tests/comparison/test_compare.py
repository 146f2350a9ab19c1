"""Selectors beside each other: what is measured and what is said about it."""

import json
import sys

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import ShuffleSplit

import hsieve
from hsieve import (
    BAHSIC,
    MRMR,
    LassoSelector,
    MaxRelevance,
    StabilitySelection,
    compare,
    stability,
)
from hsieve.comparison.evaluation import Judge, evaluate_fold
from hsieve.comparison.summary import (
    Difference,
    consistency_of,
    corrected_difference,
)
from hsieve.datasets import make_xor
from hsieve.inference.gaussian_machine import validation_folds
from tests.comparison.selectors import N_FEATURES, Fixed, make_classes, untimed


@pytest.fixture
def classes():
    return make_classes()


@pytest.fixture
def selectors():
    return {"relevance": MaxRelevance(2), "mrmr": MRMR(3), "lasso": LassoSelector(2)}


def test_figures_are_those_of_the_folds(classes, selectors):
    X, y = classes
    found = compare(selectors, X, y, cv=4, random_state=3)
    parts = validation_folds(y, is_classes=True, n_folds=4, seed=3)
    for name, selector in selectors.items():
        by_hand = [evaluate_fold(selector, X, y, part) for part in parts]
        selections = [outcome.selected.tolist() for outcome in by_hand]
        scores = [outcome.score for outcome in by_hand]
        summary = found[name]
        assert summary.score.mean == pytest.approx(np.mean(scores), abs=1e-12)
        assert summary.score.deviation == pytest.approx(np.std(scores), abs=1e-12)
        assert (summary.fewest, summary.most) == (len(selections[0]), len(selections[0]))
        assert summary.consistency.nogueira == stability.nogueira(selections, N_FEATURES)
        assert summary.consistency.jaccard == stability.jaccard(selections, N_FEATURES)
        assert summary.consistency.mean_variance == stability.mean_variance(selections, N_FEATURES)
        assert summary.consistency.log_probability == stability.log_probability(
            selections, N_FEATURES
        )
        records = [record for record in found.records if record["selector"] == name]
        assert [record["selected"] for record in records] == selections
        counts = {f: sum(f in chosen for chosen in selections) for f in range(N_FEATURES)}
        frequent = {f: n / 4 for f, n in counts.items() if n > 2}
        assert {f.feature: f.share for f in summary.frequent} == frequent
        shares = [f.share for f in summary.frequent]
        assert shares == sorted(shares, reverse=True)


def test_best_comes_first_and_equal_scores_stay_in_order(classes):
    selectors = {"b": Fixed([5]), "good": Fixed([0, 1]), "a": Fixed([5]), "c": Fixed([5])}
    found = compare(selectors, *classes, cv=3)
    assert [summary.name for summary in found.summaries] == ["good", "b", "a", "c"]
    assert found.best.difference is None
    assert found["a"].difference == found["b"].difference


def test_difference_by_hand():
    values = np.array([0.02, -0.01, 0.05, 0.04])
    reach = student.ppf(0.975, 3) * np.sqrt((1 / 4 + 1 / 3) * np.var(values, ddof=1))
    found = corrected_difference(values, 1 / 3)
    assert found.mean == pytest.approx(0.025)
    # s^2 = 7e-4, (1/4 + 1/3) s^2 = 4.08333e-4, t = 3.18245: 0.06431.
    assert reach == pytest.approx(0.06431, abs=1e-5)
    assert (found.low, found.high) == pytest.approx((0.025 - reach, 0.025 + reach))
    assert not found.is_clear


@pytest.mark.parametrize(
    ("difference", "is_clear"),
    [
        (Difference(-0.1, -0.2, -0.01), True),
        (Difference(0.1, 0.01, 0.2), True),
        (Difference(-0.1, -0.2, 0.0), False),
        (Difference(-0.1), False),
        (corrected_difference([0.0, 0.0, 0.0], 0.1), False),
    ],
)
def test_difference_is_clear_if_its_interval_leaves_zero_out(difference, is_clear):
    assert difference.is_clear == is_clear


def test_difference_is_over_the_same_folds(classes):
    found = compare(
        {"good": Fixed([0, 1]), "bad": Fixed([5])},
        *classes,
        cv=ShuffleSplit(5, test_size=30, random_state=0),
    )
    score = {(r["selector"], r["fold"]): r["score"] for r in found.records}
    differences = [score["bad", fold] - score["good", fold] for fold in range(5)]
    assert found["bad"].difference == corrected_difference(differences, 30 / 60)
    assert found["bad"].difference.is_clear
    assert "good is better than bad by more than chance." in found.sentences()


@pytest.mark.parametrize(
    ("selections", "nogueira", "jaccard"),
    [([[], []], None, 1.0), ([[0, 1, 2], [2, 1, 0]], None, 1.0), ([[], [0, 1, 2]], 0.0, 0.0)],
)
def test_consistency_of_nothing_and_of_everything(selections, nogueira, jaccard):
    found = consistency_of(selections, 3)
    assert found.jaccard == jaccard
    if nogueira is None:
        assert found.nogueira is None
    else:
        assert found.nogueira == stability.nogueira(selections, 3)


def test_consistency_needs_two_selections():
    assert consistency_of([[0, 1]], 3) is None


def test_number_of_processes_changes_nothing(classes, selectors):
    one = compare(selectors, *classes, cv=3)
    two = compare(selectors, *classes, cv=3, n_jobs=2)
    assert untimed(one) == untimed(two)


def test_selection_sees_training_samples_only(classes, monkeypatch):
    X, y = classes
    seen = []

    def fit(self, X, y):
        seen.append((X[:, -1].astype(int).tolist(), len(y)))
        self.selected_indices_ = np.array([0])
        return self

    monkeypatch.setattr(Fixed, "fit", fit)
    compare([Fixed()], X, y, cv=3)
    parts = validation_folds(y, is_classes=True, n_folds=3)
    assert seen == [(training.tolist(), len(training)) for training, _ in parts]


def test_noise_has_the_score_of_a_guess():
    """Features chosen among many that say nothing would look good, had the target leaked."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1000)), np.repeat([0, 1], 30)
    found = compare([MaxRelevance(10)], X, y, cv=5, n_repeats=3)
    assert found.best.score.mean < 0.65


def test_repeats_are_other_folds(classes):
    found = compare([Fixed()], *classes, cv=3, n_repeats=2)
    assert [(r["trial"], r["fold"]) for r in found.records] == [
        (trial, fold) for trial in range(2) for fold in range(3)
    ]
    scores = [record["score"] for record in found.records]
    assert scores[:3] != scores[3:]
    second = compare([Fixed()], *classes, cv=3, random_state=1)
    assert [record["score"] for record in second.records] == scores[3:]


def test_failing_selector_has_no_score_where_it_fails(classes):
    selectors = {"sick": Fixed([0, 1], sick_sample=0, message="not with\nthis"), "well": Fixed([5])}
    found = compare(selectors, *classes, cv=3)
    # Sample 0 is held out once, so that it is seen twice.
    sick = found["sick"]
    assert (sick.n_folds, sick.n_failed, sick.failure) == (3, 2, "not with this")
    [score] = [r["score"] for r in found.records if r["selector"] == "sick" and "score" in r]
    assert sick.score.mean == score
    assert sick.consistency is None
    assert sick.difference.low is None
    assert found["well"].n_failed == 0
    assert found.best.name == "well"  # a score on an easy fold is none on all
    assert "sick failed on 2 of 3 folds and has no score there: not with this" in repr(found)
    assert found.rows()[1]["n_failed"] == 2


def test_selector_that_always_fails_comes_last_without_figures(classes):
    class_of_sick = Fixed(sick_sample=0)
    parts = [(np.arange(60), np.arange(60, 90)), (np.arange(45), np.arange(45, 90))]
    found = compare({"sick": class_of_sick, "well": Fixed()}, *classes, cv=parts)
    assert [s.name for s in found.summaries] == ["well", "sick"]
    assert found["sick"].score is None
    assert found.tables()[0].rows[1] == ["sick", "-", "-", "-", "-", "-", "2 of 2"]
    assert "sick failed on every fold" in repr(found)
    row = found.rows()[1]
    assert row["score"] is row["consistency"] is row["seconds"] is None
    with pytest.raises(ValueError, match="Every selector failed on every fold; sick says: no luck"):
        compare({"sick": class_of_sick}, *classes, cv=parts)


def test_bug_of_a_selector_ends_the_comparison(classes, monkeypatch):
    monkeypatch.setattr(Fixed, "fit", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compare([Fixed()], *classes, cv=3)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_are_told_once_with_their_number(classes, n_jobs):
    found = compare(
        {"loud": Fixed(tells="mind\nthe gap"), "still": Fixed()}, *classes, cv=3, n_jobs=n_jobs
    )
    assert found["loud"].warnings == {"mind the gap": 3}
    assert found["still"].warnings == {}
    assert "loud warned on 3 of 3 folds: mind the gap" in found.sentences()


def test_selection_of_nothing_is_a_guess_and_says_so(classes):
    X, y = classes
    found = compare({"none": Fixed([]), "all": Fixed(range(N_FEATURES))}, X, y, cv=3)
    parts = validation_folds(y, is_classes=True, n_folds=3)
    commonest = max(set(y), key=list(y).count)
    guesses = [np.mean(y[held_out] == commonest) for _, held_out in parts]
    none = found["none"]
    assert none.score.mean == pytest.approx(np.mean(guesses))
    assert (none.fewest, none.most, none.frequent) == (0, 0, ())
    assert none.consistency.nogueira is None
    text = " ".join(repr(found).split())
    assert "none selects nothing on any fold; its score is that of a guess." in text
    assert "all selects all features on every fold, which tells no consistency." in text


def test_nothing_stable_in_noise_is_no_failure():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), np.repeat([0, 1], 30)
    found = compare(
        [StabilitySelection(threshold=0.9, expected_false_selections=1, n_subsamples=20)],
        X,
        y,
        cv=2,
    )
    assert (found.best.most, found.best.n_failed) == (0, 0)


def test_numbers_are_judged_by_r2():
    X, y = make_regression(80, 6, n_informative=2, random_state=0)
    found = compare([LassoSelector(2), MRMR(1)], X, y, cv=4, predictor=LinearRegression())
    assert found.criterion == "R2"
    assert found.best.name == "LassoSelector"
    assert found.best.score.mean > 0.99
    parts = validation_folds(y, is_classes=False, n_folds=4)
    by_hand = [
        evaluate_fold(
            LassoSelector(2), X, y, part, Judge("continuous", predictor=LinearRegression())
        ).score
        for part in parts
    ]
    assert found.best.score.mean == pytest.approx(np.mean(by_hand))
    assert "R2: mean ± deviation" in repr(found)
    assert "predicted by LinearRegression()" in repr(found)


def test_several_outputs_are_judged_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    found = compare([MaxRelevance(2)], X, X[:, :2] ** 2, cv=3)
    assert sorted(f.feature for f in found.best.frequent) == [0, 1]


def test_single_fold_tells_no_chance(classes):
    found = compare(
        {"a": Fixed([0]), "b": Fixed([5])}, *classes, cv=ShuffleSplit(1, random_state=0)
    )
    assert "A single fold does not tell" in repr(found)
    assert [summary.consistency for summary in found.summaries] == [None, None]


def test_text_table_frame_and_html_say_the_same(classes, selectors):
    found = compare({**selectors, "<b>": Fixed()}, *classes, cv=3)
    lines = repr(found).splitlines()
    assert lines[0] == "4 selectors on 3 folds"
    assert [line.split()[0] for line in lines[3:7]] == [s.name for s in found.summaries]
    frame = found.to_frame()
    assert frame.index.tolist() == [*(s.name for s in found.summaries), "no features"]
    assert frame["score"].tolist() == [s.score.mean for s in found.rows_shown]
    assert frame["jaccard"].tolist()[:-1] == [s.consistency.jaccard for s in found.summaries]
    page = found._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    json.dumps(found.rows())
    with pytest.raises(KeyError, match="no selector 'none' in this comparison; there are"):
        found["none"]


def test_without_pandas_the_frame_says_what_needs_none(classes, monkeypatch):
    found = compare({"a": Fixed([0]), "b": Fixed([5])}, *classes, cv=3)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install pandas.*rows\(\) needs nothing"):
        found.to_frame()
    assert len(found.rows()) == 3


def test_interaction_is_seen_by_its_selector_only():
    problem = make_xor(160, 20, random_state=1)
    found = compare(
        {"one by one": MaxRelevance(2), "together": BAHSIC(2)}, problem.X, problem.y, cv=5
    )
    assert found.best.name == "together"
    assert found["one by one"].difference.is_clear
    assert [f.feature for f in found.best.frequent] == problem.relevant.tolist()


def test_package_gives_it_away_when_asked_for():
    assert hsieve.compare is compare
    assert "compare" in dir(hsieve)
    assert "SelectorComparison" in hsieve.__all__
    with pytest.raises(AttributeError, match="no attribute 'compete'"):
        hsieve.compete  # noqa: B018


def test_selectors_of_one_score_are_told_to_be_the_same(classes):
    X, y = classes
    found = compare({"one": Fixed([0]), "same": Fixed([0]), "worse": Fixed([5])}, X, y, cv=5)
    told = " ".join(found.sentences())
    assert "same scored the same as one" in told
    assert "from same" not in told
