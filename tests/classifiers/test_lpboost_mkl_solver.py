"""LPBoost over kernels: against the whole cone program, the thesis' way, and by its conditions."""

import numpy as np
import pytest

from hsieve.classifiers import lpboost_mkl_solver as module
from hsieve.classifiers.largest_edge import (
    _allowed_bounds,
    _EdgeProgram,
    lowest_edge,
    margin_levels,
)
from hsieve.classifiers.lpboost_mkl_solver import KernelPool, lpboost_mkl_path
from hsieve.kernels.columns import standardised
from hsieve.kernels.set_kernels import SetKernels
from tests.reference.naive_lpboost_mkl import column_generation, price_of, whole_program

WIDTHS = (0.5, 1.0, 2.0)


def kernels_of(X, sets=((0,), (0, 1), (0, 1, 2)), widths=WIDTHS):
    kernels = SetKernels(tuple(np.array(features) for features in sets), widths)
    X = standardised(X)
    return [gram for place in range(len(sets)) for gram in kernels.grams(place, X, X)]


def pool_of(kernels, n_held=None):
    n = len(kernels[0])
    memory = 8 * n**2 * (len(kernels) if n_held is None else n_held)
    return KernelPool(kernels.__getitem__, len(kernels), n, memory_limit=memory)


def lpboost_mkl(pool, labels, nu, **options):
    return next(lpboost_mkl_path(pool, labels, [nu], **options))


def overlapping(seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n) > 0, 1.0, -1.0)


def separable():
    X, _ = overlapping(1)
    return X, np.where(X[:, 0] > 0.1, 1.0, -1.0)


def unequal():
    X, _ = overlapping(2)
    return X, np.where(np.arange(40) < 6, 1.0, -1.0)


def discrete():
    """Few values, so that samples of both classes are in one place."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(50, 3)).astype(float)
    return X, np.where(X[:, 0] - 1 + rng.normal(size=50) > 0, 1.0, -1.0)


CASES = {"overlapping": overlapping, "separable": separable, "unequal": unequal}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("nu", [1.0, 0.7, 0.3, 0.05])
def test_optimum_equals_the_whole_program(case, nu):
    X, y = CASES[case]()
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, nu)
    assert fit.nu == nu
    assert fit.objective == pytest.approx(whole_program(kernels, y, nu), rel=1e-6)
    assert 0 <= fit.gap + 1e-12 <= 1e-6


@pytest.mark.parametrize("nu", [1.0, 0.8, 0.6])
def test_optimum_equals_the_whole_program_with_both_classes_in_one_place(nu):
    X, y = discrete()
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, nu)
    assert fit.nu == nu
    assert fit.objective == pytest.approx(whole_program(kernels, y, nu), rel=2e-6)


def test_repeated_kernels_change_nothing():
    X, y = overlapping()
    kernels = kernels_of(X)
    once, twice = (lpboost_mkl(pool_of(k), y, 0.4) for k in (kernels, kernels + kernels))
    assert twice.objective == pytest.approx(once.objective, rel=1e-6)
    assert twice.gap <= 1e-6
    together = twice.kernel_weights[:9] + twice.kernel_weights[9:]
    np.testing.assert_allclose(together, once.kernel_weights, atol=1e-3)


@pytest.mark.parametrize("case", CASES)
def test_the_thesis_column_generation_closes_in_on_the_optimum(case):
    X, y = CASES[case]()
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, 0.5)
    lower, upper = column_generation(kernels, y, 0.5, 60)
    assert (lower <= fit.objective * (1 + 2e-6)).all()
    assert (upper >= fit.objective * (1 - 1e-9)).all()
    assert lower[-1] > 0.8 * fit.objective
    assert lower[-1] > lower[5] > lower[0]


@pytest.mark.parametrize("nu", [0.9, 0.5, 0.1])
@pytest.mark.parametrize("case", CASES)
def test_margin_and_complementarity_conditions_hold(case, nu):
    X, y = CASES[case]()
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, nu)
    u, price = fit.coefficients * y, price_of(y, nu)
    assert u.min() >= 0
    assert u.max() <= price
    assert fit.coefficients.sum() == pytest.approx(0, abs=1e-12)
    assert u.sum() == pytest.approx(1, abs=1e-12)
    summed = sum(share * kernel for share, kernel in zip(fit.shares, kernels, strict=True))
    np.testing.assert_allclose(summed @ fit.coefficients + fit.intercept, fit.values, atol=1e-10)
    # The norm of the function of each kernel is its weight.
    for share, weight, kernel in zip(fit.shares, fit.kernel_weights, kernels, strict=True):
        norm = share * np.sqrt(fit.coefficients @ kernel @ fit.coefficients)
        assert norm == pytest.approx(weight, abs=1e-12)
    assert fit.kernel_weights.sum() == pytest.approx(1)
    slack = np.maximum(0, fit.margin - y * fit.values)
    assert fit.margin - price * slack.sum() == pytest.approx(fit.objective, rel=1e-9)
    assert np.sum(slack > 1e-4 * fit.margin) <= nu * 2 * min(np.sum(y > 0), np.sum(y < 0))


def test_the_gap_is_what_it_says():
    X, y = overlapping()
    kernels = kernels_of(X)
    optimum = whole_program(kernels, y, 0.4)
    for tolerance in (0.3, 1e-2, 1e-4):
        fit = lpboost_mkl(pool_of(kernels), y, 0.4, tolerance=tolerance)
        a = fit.coefficients
        largest = max(np.sqrt(a @ kernel @ a) for kernel in kernels)
        assert fit.gap == pytest.approx(1 - fit.objective / largest, abs=1e-12)
        assert 0 < fit.gap <= tolerance
        assert fit.objective < optimum < largest


@pytest.mark.parametrize("n_held", [0, 1, 3, 8])
def test_kernels_not_held_give_the_same_answer(n_held):
    X, y = overlapping(n=60)
    kernels = kernels_of(X)
    nus = [0.9, 0.4, 0.1]
    path = lpboost_mkl_path(pool_of(kernels, n_held), y, nus)
    for nu, fit in zip(nus, path, strict=True):
        whole = lpboost_mkl(pool_of(kernels), y, nu)
        assert fit.objective == pytest.approx(whole.objective, rel=1e-6)
        assert fit.gap <= 1e-6


def test_no_more_kernels_are_held_than_memory_allows():
    X, y = overlapping(n=60)
    kernels = kernels_of(X, widths=(0.25, 0.5, 1.0, 2.0, 4.0))
    asked = []
    pool = KernelPool(
        lambda kernel: asked.append(kernel) or kernels[kernel],
        len(kernels),
        60,
        memory_limit=4 * 8 * 60**2,
    )
    fit = lpboost_mkl(pool, y, 0.5)
    assert np.sum(fit.kernel_weights > 1e-6) <= 4
    assert set(asked) == set(range(len(kernels)))
    # Four are held, and not asked for again.
    asked.clear()
    edges = pool.edges(fit.coefficients)
    assert len(set(asked)) == len(asked) == len(kernels) - 4
    a = fit.coefficients
    np.testing.assert_allclose(edges**2, [a @ kernel @ a for kernel in kernels], atol=1e-15)


def test_room_is_counted_in_kernels_of_eight_bytes_a_number():
    assert KernelPool(lambda _: np.eye(10), 100, 10, memory_limit=20 * 800).capacity == 20
    assert KernelPool(lambda _: np.eye(10), 100, 10, memory_limit=20 * 800 - 1).capacity == 19
    assert KernelPool(lambda _: np.eye(10), 15, 10, memory_limit=20 * 800).capacity == 15
    # One kernel is held in any case.
    assert KernelPool(lambda _: np.eye(10), 15, 10, memory_limit=0).capacity == 1


def test_kernels_that_must_be_held_beyond_all_room_leave_none_for_others():
    asked = []
    pool = KernelPool(
        lambda kernel: asked.append(kernel) or np.eye(4), 6, 4, memory_limit=2 * 8 * 4**2
    )
    pool.hold([0, 1])
    pool.hold([2, 3, 4])
    for _ in range(2):
        asked.clear()
        pool.edges(np.ones(4))
        assert asked == [0, 1, 5]


def test_kernels_that_join_later_lead_to_the_optimum(monkeypatch):
    monkeypatch.setattr(module, "MOST_AT_FIRST", 2)
    monkeypatch.setattr(module, "BATCH", 1)
    solved, solve = [], module.lowest_edge
    monkeypatch.setattr(module, "lowest_edge", lambda *a, **b: solved.append(a) or solve(*a, **b))
    X, y = overlapping(n=60)
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, 0.3)
    assert fit.n_rounds == len(solved) > 1
    assert fit.objective == pytest.approx(whole_program(kernels, y, 0.3), rel=1e-6)


def test_a_nu_without_a_classifier_is_raised():
    X, y = discrete()
    kernels = kernels_of(X)
    fit = lpboost_mkl(pool_of(kernels), y, 0.05)
    assert fit.nu > 0.2
    assert fit.objective > module.NO_EDGE
    assert fit.objective == pytest.approx(whole_program(kernels, y, fit.nu), rel=1e-4)
    # Not much below, there is none but zero.
    assert whole_program(kernels, y, fit.nu / 1.03) < 1.1 * module.NO_EDGE


def test_a_nu_is_raised_only_if_the_largest_has_an_edge_that_counts():
    X, y = overlapping()
    kernels = kernels_of(X)
    largest = lpboost_mkl(pool_of(kernels), y, 1.0).objective

    def fit_for(edge):
        scale = (edge / largest) ** 2
        return lpboost_mkl(pool_of([scale * kernel for kernel in kernels]), y, 0.1)

    counts, does_not = fit_for(1.5 * module.NO_EDGE), fit_for(0.9 * module.NO_EDGE)
    assert 0.1 < counts.nu < 1.0
    assert counts.kernel_weights.sum() == pytest.approx(1.0)
    assert module.NO_EDGE < counts.objective < 1.5 * module.NO_EDGE
    assert does_not.nu == 0.1
    assert not does_not.kernel_weights.any()


def test_values_too_small_are_raised_alike_along_a_path():
    X, y = discrete()
    pool = pool_of(kernels_of(X))
    fits = list(lpboost_mkl_path(pool, y, [0.9, 0.1, 0.01, 0.9]))
    assert fits[0].nu == fits[3].nu == 0.9
    assert fits[3].objective == pytest.approx(fits[0].objective, rel=1e-6)
    assert fits[1].nu == fits[2].nu
    assert fits[1].objective == pytest.approx(fits[2].objective, rel=1e-5)


@pytest.mark.parametrize("nu", [1.0, 0.4])
def test_nothing_to_learn_gives_the_larger_class(nu):
    y = np.where(np.arange(20) < 8, 1.0, -1.0)
    for kernels in ([np.zeros((20, 20))], [np.ones((20, 20)), np.zeros((20, 20))]):
        fit = lpboost_mkl(pool_of(kernels), y, nu)
        assert not fit.kernel_weights.any()
        assert fit.objective == fit.margin == fit.gap == 0
        assert (fit.values < 0).all()
        assert fit.nu == nu


@pytest.mark.parametrize("n_above", [1, 2])
def test_the_fewest_samples(n_above):
    y = np.r_[np.ones(n_above), -1.0]
    kernel = np.exp(-(np.subtract.outer(np.arange(len(y)), np.arange(len(y))) ** 2.0))
    for nu in (1.0, 0.5, 0.1):
        fit = lpboost_mkl(pool_of([kernel]), y, nu)
        assert fit.objective == pytest.approx(whole_program([kernel], y, nu), rel=1e-6)
        assert (np.sign(fit.values) == y).all()


def test_order_of_samples_and_of_kernels_does_not_matter():
    X, y = overlapping()
    kernels = kernels_of(X)
    plain = lpboost_mkl(pool_of(kernels), y, 0.4, tolerance=1e-8)
    order = np.random.default_rng(0).permutation(40)
    turned = [kernel[np.ix_(order, order)] for kernel in kernels[::-1]]
    other = lpboost_mkl(pool_of(turned), y[order], 0.4, tolerance=1e-8)
    np.testing.assert_allclose(other.values, plain.values[order], atol=1e-5)
    np.testing.assert_allclose(other.kernel_weights, plain.kernel_weights[::-1], atol=1e-4)


@pytest.mark.parametrize("n_held", [3, 9])
def test_scaled_kernels_scale_the_optimum(n_held):
    X, y = overlapping()
    kernels = kernels_of(X)
    plain = lpboost_mkl(pool_of(kernels, n_held), y, 0.4)
    scaled = lpboost_mkl(pool_of([1e4 * kernel for kernel in kernels], n_held), y, 0.4)
    assert scaled.n_rounds == plain.n_rounds
    assert scaled.objective == pytest.approx(100 * plain.objective, rel=2e-6)


@pytest.mark.parametrize("n_samples", [4, 11, 60])
@pytest.mark.parametrize("nu", [1.0, 0.5, 0.37, 0.01])
def test_levels_are_the_best_for_a_function(n_samples, nu):
    rng = np.random.default_rng(n_samples)
    values = rng.normal(size=n_samples)
    y = np.where(np.arange(n_samples) % 3 == 0, 1.0, -1.0)
    price = price_of(y, nu)
    levels = margin_levels(values, y, price)

    def objective(margin, intercept):
        slack = np.maximum(0, margin - y * (values + intercept))
        return margin - price * slack.sum()

    best = objective(levels.margin, levels.intercept)
    assert best == pytest.approx(levels.objective, abs=1e-12)
    for move in rng.normal(size=(200, 2)):
        other = objective(levels.margin + move[0], levels.intercept + move[1])
        assert other <= best + 1e-12


def test_of_levels_that_are_equally_good_the_middle_is_taken():
    """Two samples of each class bear all weight: levels from the second to the third are best."""
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    levels = margin_levels(y * np.array([1.0, 2.0, 5.0, 1.0, 3.0, 6.0]), y, 0.25)
    assert (levels.margin, levels.intercept) == (4.0, 0.5)


def test_the_middle_is_taken_where_one_sample_a_class_bears_all_weight():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    levels = margin_levels(y * np.array([1.0, 2.0, 3.0, 6.0]), y, 0.5)
    assert (levels.margin, levels.intercept) == (3.0, 1.5)


def test_bounds_hold_at_every_step():
    X, y = overlapping(5)
    kernels, price = kernels_of(X), price_of(overlapping(5)[1], 0.3)
    optimum = whole_program(kernels, y, 0.3)
    for tolerance in (0.9, 0.5, 0.1, 1e-2, 1e-3, 1e-5):
        found = lowest_edge(kernels, y, price, tolerance=tolerance)
        assert found.levels.objective <= optimum * (1 + 1e-8)
        assert found.upper >= optimum * (1 - 1e-8)
    assert found.n_steps < 25


@pytest.mark.parametrize("factor", [0.6, 1.0, 1.5])
def test_weights_that_miss_a_half_a_class_are_brought_back_within_their_bounds(factor):
    X, y = overlapping(5)
    kernels, price = kernels_of(X), price_of(y, 0.3)
    weights = factor * np.random.default_rng(0).uniform(0.2, 1.8, len(y)) * price * 0.3
    found = _allowed_bounds(_EdgeProgram(kernels, y, price), weights, np.full(9, 1 / 9), 0)
    for sign in (1.0, -1.0):
        assert found.sample_weights[y == sign].sum() == pytest.approx(0.5, abs=1e-12)
    assert found.sample_weights.min() >= 0
    assert found.sample_weights.max() <= price
    signed = found.sample_weights * y
    np.testing.assert_allclose(found.edges**2, [signed @ kernel @ signed for kernel in kernels])


def test_weights_below_zero_or_at_the_ceiling_are_mended_by_the_others():
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
    weights = np.array([0.25, 0.1, 0.0, 0.2, 0.2, 0.2, -0.1])
    found = _allowed_bounds(_EdgeProgram([np.eye(7)], y, 0.25), weights, np.ones(1), 0)
    # What is missing to a half is shared by the room that is left.
    np.testing.assert_allclose(found.sample_weights[:3], [0.25, 0.15625, 0.09375])
    np.testing.assert_allclose(found.sample_weights[3:], [1 / 6, 1 / 6, 1 / 6, 0.0])


def test_no_step_is_taken_below_the_edge_that_counts_as_none():
    X, y = overlapping(5)
    found = lowest_edge(kernels_of(X), y, price_of(y, 0.3), tolerance=1e-9, no_edge=100.0)
    assert found.n_steps == 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("nu", [1.0, 0.7, 0.3, 0.05])
def test_a_dozen_steps_take_a_program_to_eight_digits_whatever_its_scale(case, nu):
    X, y = CASES[case]()
    kernels, price = kernels_of(X), price_of(y, nu)
    for scale in (1e-200, 1.0, 1e200):
        scaled = [scale * kernel for kernel in kernels]
        found = lowest_edge(scaled, y, price, tolerance=1e-8)
        assert found.n_steps <= 12
        assert found.upper - found.levels.objective <= 1e-7 * found.upper


def test_bounds_hold_where_a_step_is_beyond_all_floats():
    X, y = overlapping()
    kernels, price = kernels_of(X), price_of(y, 0.3)
    plain = lowest_edge(kernels, y, price, tolerance=1e-8)
    huge = lowest_edge([1e306 * kernel for kernel in kernels], y, price, tolerance=1e-8)
    assert huge.n_steps < plain.n_steps
    assert huge.levels.objective / 1e153 <= plain.upper
    assert huge.upper / 1e153 >= plain.levels.objective


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_samples_of_one_class_give_a_classifier_that_says_so(label):
    X, _ = overlapping()
    fits = list(lpboost_mkl_path(pool_of(kernels_of(X)), np.full(40, label), [0.5, 0.2]))
    assert [fit.nu for fit in fits] == [0.5, 0.2]
    for fit in fits:
        assert not fit.kernel_weights.any()
        assert np.sign(fit.intercept) == label
        assert fit.n_rounds == 0


@pytest.mark.parametrize("nu", [0.8, 0.4])
def test_the_one_kernel_that_is_not_held_is_looked_at_too(nu):
    X, _ = overlapping(7)
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    both = kernels_of(X, sets=((0,), (1,)), widths=(1.0,))
    fit = lpboost_mkl(pool_of(both, n_held=1), y, nu)
    assert fit.objective == pytest.approx(whole_program(both, y, nu), rel=1e-6)
    assert (fit.kernel_weights > 0).all()
