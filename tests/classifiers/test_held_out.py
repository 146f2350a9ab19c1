"""Folds that hold out each sample once, and know nothing of it."""

import numpy as np
import pytest

from hsieve.classifiers.kernel_choice import HeldOutFold, dealt_folds, varying_sets


@pytest.mark.parametrize("sizes", [(30, 30), (40, 7, 3), (9, 2), (5, 5, 1)])
def test_each_sample_is_held_out_once_and_classes_are_shared_out_evenly(rng, sizes):
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    folds = dealt_folds(codes, 5, np.random.default_rng(0))
    assert len(folds) == min(5, sorted(sizes)[-2])
    np.testing.assert_array_equal(
        np.sort(np.concatenate([held_out for _, held_out in folds])), np.arange(len(codes))
    )
    for training, held_out in folds:
        assert not set(training) & set(held_out)
        assert len(training) + len(held_out) == len(codes)
        assert len(np.unique(codes[training])) >= 2
    counts = np.array([np.bincount(codes[held_out], minlength=len(sizes)) for _, held_out in folds])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_the_seed_decides():
    codes = np.arange(40) % 2
    first, again, other = (
        [held_out.tolist() for _, held_out in dealt_folds(codes, 5, np.random.default_rng(seed))]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_a_class_of_one_sample_beside_one_other_class_gives_no_folds():
    assert dealt_folds(np.array([0, 0, 0, 1]), 5, np.random.default_rng(0)) == []


def test_folds_are_scaled_by_their_training_samples_alone(rng):
    X = rng.normal(size=(20, 3))
    X[10:] += 100
    fold = HeldOutFold.of(X, (np.arange(10), np.arange(10, 20)), (np.array([0, 2]),))
    np.testing.assert_allclose(fold.seen.mean(axis=0), 0, atol=1e-12)
    expected = (X[10:] - X[:10].mean(axis=0)) / X[:10].std(axis=0)
    np.testing.assert_allclose(fold.unseen, expected, rtol=1e-9)


def test_features_that_do_not_vary_leave_the_sets():
    varies = np.array([True, False, True, False])
    sets = (np.array([0, 1]), np.array([1, 3]), np.array([2]))
    kept = varying_sets(sets, varies)
    assert [features.tolist() for features in kept] == [[0], [1, 3], [2]]
