"""The sweep over prefixes equals the literal computation, and its standard error is right."""

import numpy as np
import pytest

from hsieve import kernels
from hsieve.inference.alignment_sweep import WIDTH_FACTORS, alignment_error, alignment_sweep
from hsieve.kernels import encode_columns, growing_tiles
from hsieve.kernels.columns import standardised
from hsieve.measures.targets import target_gram
from tests.reference import naive_alignment


def usual_widths(size):
    return np.sqrt(size) * np.array(WIDTH_FACTORS)


def make(n_samples, n_features, kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    y = X[:, 0] + X[:, -1] ** 2
    return X, (y > np.median(y)).astype(int) + 2 * (y > 2) if kind == "classes" else y


@pytest.mark.parametrize("kind", ["classes", "continuous"])
@pytest.mark.parametrize("n_samples", [4, 30, 250])
def test_sweep_equals_one_kernel_at_a_time(kind, n_samples):
    X, y = make(n_samples, 7, kind)
    sweep = alignment_sweep(X, y, target_kind=kind)
    gram_y = target_gram(y, target_kind=kind)
    literal = naive_alignment.alignments(standardised(X), gram_y, usual_widths)
    np.testing.assert_allclose(sweep.alignments, literal, rtol=0, atol=1e-10)
    assert sweep.best_size == naive_alignment.greedy_alignment(
        standardised(X), gram_y, usual_widths
    )
    np.testing.assert_allclose(sweep.widths[4], usual_widths(5))


def test_many_tiles_and_a_long_ranking_lose_no_digits(monkeypatch):
    monkeypatch.setattr(growing_tiles, "TILE_VALUES", 64)
    X, y = make(40, 120, "classes")
    sweep = alignment_sweep(X, y)
    literal = naive_alignment.alignments(standardised(X), target_gram(y), usual_widths)
    np.testing.assert_allclose(sweep.alignments, literal, rtol=0, atol=1e-10)


def test_ranking_decides_the_order_and_may_be_partial():
    X, y = make(50, 6, "classes")
    ranking = [4, 0, 2]
    sweep = alignment_sweep(X, y, ranking)
    assert sweep.sizes.tolist() == [1, 2, 3]
    expected = alignment_sweep(X[:, ranking], y).alignments
    np.testing.assert_allclose(sweep.alignments, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", [[3], [1, 2, 9], [2, 8, 9], [9]])
def test_sizes_that_are_left_out_change_nothing(sizes):
    X, y = make(60, 9, "continuous")
    every = alignment_sweep(X, y)
    some = alignment_sweep(X, y, sizes=sizes)
    np.testing.assert_allclose(
        some.alignments, every.alignments[np.array(sizes) - 1], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    "widths",
    [
        [1.0],
        [0.3, 5.0, 1.1],
        [4.0, 2.0, 1.0],
        [1000.0, 30.0, 0.01],
        2.0 ** (np.arange(12, -9, -1) / 2),
    ],
)
def test_widths_of_ones_own_are_the_same_for_all_prefixes(widths):
    X, y = make(40, 5, "classes")
    sweep = alignment_sweep(X, y, widths=widths)
    literal = naive_alignment.alignments(standardised(X), target_gram(y), lambda _: widths)
    np.testing.assert_allclose(sweep.alignments, literal, rtol=0, atol=1e-10)


def test_categories_count_as_one_feature():
    X, y = make(60, 4, "classes")
    X[:, 1] = np.random.default_rng(1).integers(0, 6, size=60)
    X[:, 3] = y
    encoded = encode_columns(X, categorical=[1, 3])
    sweep = alignment_sweep(X, y, [3, 1, 0, 2], categorical=[1, 3])
    gram_y = target_gram(y)
    for place, size in enumerate(sweep.sizes):
        block = encoded.block(np.array([3, 1, 0, 2])[:size])
        literal = [
            naive_alignment.alignment(naive_alignment.gaussian(block, width), gram_y)
            for width in usual_widths(size)
        ]
        np.testing.assert_allclose(sweep.alignments[place], literal, rtol=0, atol=1e-10)
    assert sweep.best_size == 1


def test_constant_prefix_has_no_alignment():
    X, y = make(40, 4, "classes")
    X[:, [0, 1]] = 3.0
    sweep = alignment_sweep(X, y)
    assert (sweep.alignments[:2] == 0).all()
    assert (sweep.alignments[2:] > 0).all()
    constant = alignment_sweep(X[:, :2], y)
    assert (constant.best_size, constant.guarded_size, constant.standard_error) == (1, 2, 0.0)


def test_nearly_constant_kernels_keep_their_digits():
    X, y = make(50, 3, "classes")
    narrow, wide = alignment_sweep(X, y, widths=[1e3]), alignment_sweep(X, y, widths=[1e5])
    linear = kernels.Linear().gram(standardised(X))
    limit = naive_alignment.alignment(linear, target_gram(y))
    assert narrow.alignments[-1, 0] == pytest.approx(limit, abs=1e-5)
    assert wide.alignments[-1, 0] == pytest.approx(limit, abs=1e-9)


def test_of_equal_prefixes_the_smallest_is_taken():
    X, y = make(60, 1, "classes")
    copies = np.hstack([X, X, X])
    # Widths grow with the number of features, so kernels of copies are the same.
    sweep = alignment_sweep(copies, y)
    np.testing.assert_allclose(sweep.alignments, sweep.alignments[[0, 0, 0]], rtol=1e-12)
    assert sweep.best_size == 1
    assert sweep.guarded_size == 3


def test_an_interaction_is_kept_whole():
    X, _ = make(200, 20, "classes")
    sweep = alignment_sweep(X, X[:, 0] * X[:, 1] > 0)
    assert sweep.best_size == 2


def test_a_gram_matrix_may_be_the_target():
    X, y = make(40, 4, "continuous")
    sweep = alignment_sweep(X, target_gram(y), kernel_y=kernels.Precomputed())
    np.testing.assert_allclose(sweep.alignments, alignment_sweep(X, y).alignments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [2, 1]}, "sizes must be rising"),
        ({"sizes": [0, 1]}, "sizes must be rising"),
        ({"sizes": [5]}, "from 1 to 4"),
        ({"widths": [0.0]}, "widths must be a list of numbers above 0"),
        ({"widths": []}, "widths must be a list of numbers above 0"),
        ({"ranking": [7]}, "ranking must hold"),
    ],
)
def test_senseless_settings_are_refused(options, words):
    X, y = make(20, 4, "classes")
    with pytest.raises(ValueError, match=words):
        alignment_sweep(X, y, **options)


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_jackknife_equals_leaving_samples_out(kind):
    X, y = make(25, 3, kind)
    gram_x, gram_y = naive_alignment.gaussian(X, 1.3), target_gram(y, target_kind=kind)
    expected = naive_alignment.jackknife_error(gram_x, gram_y)
    assert alignment_error(gram_x, gram_y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_standard_error_is_the_spread_over_samples(noise):
    values, errors = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(80, 1))
        y = (x[:, 0] + noise * rng.normal(size=80) > 0).astype(int)
        sweep = alignment_sweep(x, y, widths=[1.0])
        values.append(sweep.best_alignment)
        errors.append(sweep.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.2)
