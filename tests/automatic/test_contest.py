"""The contest: what it compares is what a plain loop over folds compares."""

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.svm import SVC, SVR

from hsieve import MRMR, N3LARS
from hsieve.automatic.candidates import make_candidate
from hsieve.automatic.contest import WIDTH_FACTORS, hold_contest
from hsieve.inference.gaussian_machine import validation_folds

SIZES = np.array([1, 2, 4])


def made(names, kind):
    return [
        make_candidate(name, categorical=(), target_kind=kind, random_state=0) for name in names
    ]


def plain_scores(selector, X, y, sizes, kind):
    """Scores by number, width and fold, by scikit-learn's own machines."""
    folds = validation_folds(y, is_classes=kind == "classes", n_folds=3, seed=0)
    scores = np.empty((len(sizes), len(WIDTH_FACTORS), len(folds)))
    for f, (training, held_out) in enumerate(folds):
        order = selector.fit(X[training], y[training]).path_.nested_order
        for s, size in enumerate(sizes):
            chosen = X[:, order[:size]]
            scaled = (chosen - chosen[training].mean(axis=0)) / chosen[training].std(axis=0)
            for w, factor in enumerate(WIDTH_FACTORS):
                gamma = 0.5 / (size * factor**2)
                if kind == "classes":
                    machine = SVC(gamma=gamma).fit(scaled[training], y[training])
                    scores[s, w, f] = np.mean(machine.predict(scaled[held_out]) == y[held_out])
                    continue
                known = y[training]
                machine = SVR(gamma=gamma)
                machine.fit(scaled[training], (known - known.mean()) / known.std())
                guess = known.mean() + known.std() * machine.predict(scaled[held_out])
                errors = np.mean((guess - y[held_out]) ** 2)
                scores[s, w, f] = 1 - errors / known.var()
    return scores


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_scores_are_those_of_a_plain_loop(kind, rng):
    X = rng.normal(size=(60, 5))
    y = np.abs(X[:, 1]) + X[:, 3] + 0.1 * rng.normal(size=60)
    y = (y > np.median(y)).astype(int) if kind == "classes" else y
    found = hold_contest(made(["n3lars", "mrmr"], kind), X, y, sizes=SIZES, kind=kind, n_folds=3)
    for standing, selector in zip(found.standings, (N3LARS(4), MRMR(4)), strict=True):
        scores = plain_scores(selector, X, y, SIZES, kind)
        widest = scores.mean(axis=2).argmax(axis=1)
        np.testing.assert_allclose(standing.scores, scores[np.arange(3), widest], atol=1e-3)
        np.testing.assert_allclose(
            standing.widths, np.sqrt(SIZES) * np.array(WIDTH_FACTORS)[widest]
        )


def test_no_feature_is_the_commonest_class_or_the_mean(rng):
    X = rng.normal(size=(40, 2))
    y = np.repeat([0, 1], [30, 10])
    found = hold_contest(made(["n3lars"], "classes"), X, y, sizes=SIZES[:1], kind="classes")
    assert found.nothing.mean() == pytest.approx(0.75)
    numbers = rng.normal(size=40)
    found = hold_contest(
        made(["n3lars"], "continuous"), X, numbers, sizes=SIZES[:1], kind="continuous"
    )
    folds = validation_folds(numbers, is_classes=False, n_folds=5)
    for score, (training, held_out) in zip(found.nothing, folds, strict=True):
        mean = np.full(len(held_out), numbers[training].mean())
        expected = 1 - (1 - r2_score(numbers[held_out], mean)) * (
            numbers[held_out].var() / numbers[training].var()
        )
        assert score == pytest.approx(expected)


def test_sets_that_do_not_grow_are_judged_as_they_are(rng):
    """l1-LSMI searches anew for each number, so that its sets need not be nested."""
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = hold_contest(made(["l1-lsmi"], "classes"), X, y, sizes=np.array([1, 2]), kind="classes")
    assert found.standings[0].scores[1].mean() > found.standings[0].scores[0].mean()


def test_categories_are_told_to_all(rng):
    X = np.column_stack([rng.integers(0, 5, 80), rng.normal(size=80)]).astype(float)
    y = np.isin(X[:, 0], [0, 2, 4]).astype(int)
    candidates = [make_candidate("n3lars", categorical=(0,), target_kind="classes", random_state=0)]
    found = hold_contest(candidates, X, y, sizes=SIZES[:1], kind="classes", categorical=(0,))
    assert found.standings[0].score == 1.0


def test_errors_account_for_shared_training_samples(rng):
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 2
    found = hold_contest(made(["n3lars"], "classes"), X, y, sizes=SIZES[:1], kind="classes")
    assert found.spread == pytest.approx(1 / 5 + 10 / 40)
    differences = np.array([0.0, 0.1, 0.2, 0.1, 0.1])
    assert found.error_of(differences) == pytest.approx(np.sqrt(0.45 * np.var(differences, ddof=1)))
