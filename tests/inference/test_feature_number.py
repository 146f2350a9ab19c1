"""Rules for the number of features, and cross validation that never looks at held-out samples."""

import numpy as np
import pytest

from hsieve.inference.alignment_sweep import AlignmentSweep, alignment_sweep
from hsieve.inference.feature_number import (
    by_alignment,
    nested_validation,
    prefix_sizes,
    representative_rows,
)
from hsieve.inference.gaussian_machine import scaled_by
from hsieve.kernels import encode_columns


def sweep_of(curve, error):
    alignments = np.array(curve)[:, None]
    return AlignmentSweep(np.arange(1, len(curve) + 1), np.ones_like(alignments), alignments, error)


def test_alignment_takes_the_highest_and_guarded_the_largest_near_it():
    sweep = sweep_of([0.1, 0.5, 0.48, 0.3, 0.46, 0.2], 0.05)
    assert by_alignment("alignment", sweep).number == 2
    guarded = by_alignment("guarded", sweep)
    assert guarded.number == 5
    assert guarded.threshold == pytest.approx(0.45)
    assert "0.460" in guarded.reason
    assert "0.500, with 2" in guarded.reason


@pytest.mark.parametrize("seed", range(5))
def test_guarded_is_never_smaller(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 12))
    sweep = alignment_sweep(X, X[:, :3].sum(axis=1) + rng.normal(size=50))
    assert sweep.guarded_size >= sweep.best_size


def test_of_numbers_that_predict_alike_the_smallest_is_taken():
    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + 20.0 * y[:, None]
    X[:, 0] = np.arange(60) // 2
    choice = nested_validation(X, y, lambda _: np.arange(3), np.array([1, 2, 3]))
    assert choice.values.tolist()[1:] == [1.0, 1.0]
    # Of widths that predict alike the first, the largest.
    assert (choice.number, choice.width) == (2, pytest.approx(2 * np.sqrt(2)))
    assert "best cross-validated accuracy (1.000)" in choice.reason


def test_sizes_end_with_the_ranking():
    assert prefix_sizes(3, n_each=10, growth=1.25).tolist() == [1, 2, 3]
    sizes = prefix_sizes(1000, n_each=10, growth=1.25)
    assert sizes[:10].tolist() == list(range(1, 11))
    assert sizes[-1] == 1000
    assert (np.diff(sizes) > 0).all()


def test_representative_rows_keep_the_shares_of_classes():
    y = np.repeat(["a", "b", "c"], [600, 300, 100])
    rows = representative_rows(y, 100)
    assert len(np.unique(rows)) == 100
    assert np.unique(y[rows], return_counts=True)[1].tolist() == [60, 30, 10]
    assert representative_rows(y[:20], 100).tolist() == list(range(20))


def easy(kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 15))
    return X, (X[:, :3].sum(axis=1) > 0) if kind == "classes" else (X[:, :3] ** 2).sum(axis=1)


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_cross_validation_finds_the_true_number_of_an_easy_set(kind):
    X, y = easy(kind)
    sizes = np.arange(1, 16)
    validation = nested_validation(X, y, lambda _: np.arange(15), sizes)
    assert validation.criterion == {"classes": "accuracy", "continuous": "R2"}[kind]
    assert validation.number == 3
    assert validation.values.max() > 0.8


def test_ranking_sees_training_samples_only_and_each_sample_is_held_out_once():
    X, y = easy("classes")
    seen = []

    def rank(rows):
        seen.append(rows)
        return np.arange(15)

    nested_validation(X, y, rank, np.array([1, 2]))
    assert len(seen) == 10
    held_out = [np.setdiff1d(np.arange(len(y)), rows) for rows in seen]
    assert np.sort(np.concatenate(held_out)).tolist() == list(range(len(y)))


def test_noise_is_predicted_no_better_than_by_chance():
    # Ranked on all samples, the best of 2,000 noise features predict well; ranked inside, not.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2

    def by_difference(rows):
        gaps = X[rows][y[rows] == 1].mean(axis=0) - X[rows][y[rows] == 0].mean(axis=0)
        return np.argsort(-np.abs(gaps))

    sizes = np.array([5, 10, 20])
    honest = nested_validation(X, y, by_difference, sizes)
    leaking = nested_validation(X, y, lambda _: by_difference(np.arange(60)), sizes)
    assert honest.values.max() < 0.7
    assert leaking.values.max() > 0.85


def test_held_out_samples_do_not_set_the_scale():
    X, _ = easy("classes")
    X[:, 1] = np.arange(150) % 3
    wild, training = X.copy(), np.arange(100)
    wild[120] = 1e6
    plain, other = (
        scaled_by(encode_columns(data, categorical=[1], standardise=False), training).matrix
        for data in (X, np.where(np.arange(15) == 1, X, wild))
    )
    np.testing.assert_array_equal(np.delete(plain, 120, axis=0), np.delete(other, 120, axis=0))
    np.testing.assert_allclose(plain[training, 0].std(), 1.0)


def test_a_class_of_one_sample_is_refused():
    X = np.random.default_rng(0).normal(size=(12, 3))
    with pytest.raises(ValueError, match="two samples of each class"):
        nested_validation(
            X,
            np.array([0] * 11 + [1]),
            lambda _: np.arange(3),
            np.array([1]),
            target_kind="classes",
        )


def test_several_outputs_are_averaged():
    X, y = easy("continuous")
    both = np.column_stack([y, X[:, 3]])
    validation = nested_validation(X, both, lambda _: np.arange(15), np.array([3, 4]))
    assert validation.values[1] > validation.values[0]
