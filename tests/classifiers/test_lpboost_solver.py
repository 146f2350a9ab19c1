"""LPBoost's optimum, against the whole linear program and by its optimality conditions."""

import pickle
from threading import Thread

import highspy
import numpy as np
import pytest
from scipy.optimize import linprog

from hsieve.classifiers import linear_program
from hsieve.classifiers import lpboost as module
from hsieve.classifiers.linear_program import LinearProgram
from hsieve.classifiers.lpboost import lpboost, lpboost_path


def problem(seed, n_samples=60, n_features=40, noise=1.0, share=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    score = X[:, 0] - X[:, 1] + noise * rng.normal(size=n_samples)
    y = np.where(score > np.quantile(score, 1 - share), 1.0, -1.0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def direct_optimum(columns, y, nu):
    """The primal of the thesis' eq. 3.4 with all columns: rho - D sum xi."""
    n, d = columns.shape
    price = 1 / (nu * 2 * min(np.sum(y > 0), np.sum(y < 0)))
    signed = columns * y[:, None]
    # Variables: w+, w-, b, rho, xi.
    cost = np.r_[np.zeros(2 * d + 1), -1.0, np.full(n, price)]
    margins = np.hstack([-signed, signed, -y[:, None], np.ones((n, 1)), -np.eye(n)])
    norm = np.r_[np.ones(2 * d), np.zeros(n + 2)][None]
    bounds = [(0, None)] * (2 * d) + [(None, None)] * 2 + [(0, None)] * n
    solved = linprog(cost, A_ub=margins, b_ub=np.zeros(n), A_eq=norm, b_eq=[1.0], bounds=bounds)
    assert solved.status == 0
    return -solved.fun


def decision(X, fit):
    return X[:, fit.features] @ fit.weights + fit.intercept


@pytest.mark.parametrize("nu", [0.9, 0.6, 0.3])
@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_optimum_equals_the_direct_program_over_features(seed, share, nu):
    X, y = problem(seed, n_features=90, share=share)
    fit = lpboost(X, y, nu)
    assert fit.nu == nu
    assert fit.objective == pytest.approx(direct_optimum(X, y, nu), abs=1e-6)


def test_optimum_equals_the_direct_program_for_an_odd_number_of_samples():
    X, y = problem(0, n_samples=31)
    fit = lpboost(X, y, 0.4)
    assert fit.objective == pytest.approx(direct_optimum(X, y, 0.4), abs=1e-6)


def test_the_solver_prints_nothing(capfd):
    X, y = problem(0)
    lpboost(X, y, 0.5)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("nu", [0.8, 0.4])
@pytest.mark.parametrize("share", [0.5, 0.25])
def test_margin_and_complementarity_conditions_hold(nu, share):
    X, y = problem(5, n_features=70, share=share)
    fit = lpboost(X, y, nu)
    twice_smaller = 2 * min(np.sum(y > 0), np.sum(y < 0))
    price = 1 / (fit.nu * twice_smaller)
    margins = y * decision(X, fit)
    slack = np.maximum(0, fit.margin - margins)
    u = fit.sample_weights
    assert np.abs(fit.weights).sum() == pytest.approx(1)
    assert fit.margin - price * slack.sum() == pytest.approx(fit.objective, abs=1e-7)
    assert u.min() >= -1e-9
    assert u.max() <= price + 1e-9
    assert u.sum() == pytest.approx(1)
    assert u @ y == pytest.approx(0, abs=1e-8)
    assert np.all(np.abs(u[margins > fit.margin + 1e-6]) < 1e-7)
    assert np.all(np.abs(u[slack > 1e-6] - price) < 1e-7)
    assert np.sum(slack > 1e-6) <= fit.nu * twice_smaller + 1e-6
    for feature, weight in zip(fit.features, fit.weights, strict=True):
        edge = (u * y) @ X[:, feature]
        assert edge * np.sign(weight) == pytest.approx(fit.objective, abs=1e-7)


def test_column_generation_ends_with_a_certificate_and_few_columns():
    X, y = problem(1, n_samples=50, n_features=3000)
    fit = lpboost(X, y, 0.5)
    edges = X.T @ (fit.sample_weights * y)
    assert np.abs(edges).max() <= fit.objective + 1e-7
    assert 0 <= fit.gap <= 1e-7
    assert 1 < fit.n_rounds < 40


def test_of_equal_columns_the_first_has_the_weight():
    X, y = problem(3, n_features=10)
    doubled = np.hstack([X, X, -X])
    once, twice = lpboost(X, y, 0.6), lpboost(doubled, y, 0.6)
    assert twice.objective == pytest.approx(once.objective, abs=1e-9)
    assert set(twice.features.tolist()) <= set(range(10))


def test_copies_do_not_crowd_out_others_that_join():
    X, y = problem(3, n_features=10)
    alone = lpboost(X, y, 0.6)
    crowd = lpboost(np.repeat(X, module.BATCH, axis=1), y, 0.6)
    assert alone.n_rounds == crowd.n_rounds == 1
    assert crowd.features.tolist() == (module.BATCH * alone.features).tolist()


def test_constant_columns_never_join():
    X, y = problem(3, n_features=10)
    X[:, :5] = 0.0
    assert lpboost(X, y, 0.6).features.min() >= 5
    nothing = lpboost(np.zeros((60, 3)), y, 0.6)
    assert len(nothing.weights) == 0
    assert nothing.objective == 0
    constant = lpboost(np.zeros((60, 3)), np.where(np.arange(60) < 20, 1.0, -1.0), 0.5)
    assert constant.intercept < 0


def test_a_nu_too_small_for_overlapping_classes_is_raised():
    X, y = problem(4, n_samples=200, n_features=3, noise=2.0)
    fit = lpboost(X, y, 0.01)
    assert fit.nu > 0.2
    assert fit.objective > 0
    # Below the nu found nothing but w = 0 is optimal, just as the direct program says.
    assert direct_optimum(X, y, fit.nu) == pytest.approx(fit.objective, abs=1e-6)
    assert direct_optimum(X, y, fit.nu / 1.02) == pytest.approx(0, abs=1e-7)


def test_learners_join_while_the_least_loss_is_sought():
    X, y = problem(4, n_samples=200, n_features=2 * module.BATCH, noise=2.0)
    # Variables: w, b, xi; nothing bounds the norm of w.
    n, d = X.shape
    margins = -np.hstack([X * y[:, None], y[:, None], np.eye(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    solved = linprog(np.r_[np.zeros(d + 1), np.ones(n)], margins, -np.ones(n), bounds=bounds)
    master = module._Master(X, y)
    assert len(master.features) <= module.BATCH
    assert master.least_hinge_loss() == pytest.approx(solved.fun, rel=1e-6)


def test_separable_data_have_the_hard_margin_for_a_small_nu():
    X, y = problem(6, n_samples=30, n_features=100)
    fit = lpboost(X, y, 0.02)
    assert (y * decision(X, fit)).min() == pytest.approx(fit.margin, abs=1e-7)
    assert fit.margin == pytest.approx(fit.objective, abs=1e-8)


@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize("nus", [[1.0, 0.8, 0.5, 0.3, 0.1], [0.4, 0.9, 0.05, 0.6]])
def test_a_path_equals_separate_fits(share, nus):
    X, y = problem(7, n_samples=80, n_features=60, share=share)
    for nu, fit in zip(nus, lpboost_path(X, y, nus), strict=True):
        alone = lpboost(X, y, nu)
        assert fit.nu == pytest.approx(alone.nu, abs=1e-8)
        assert fit.objective == pytest.approx(alone.objective, abs=1e-8)
        assert fit.gap <= 1e-8
        assert np.abs(fit.weights).sum() == pytest.approx(1, abs=1e-8)
        price = 1 / (fit.nu * 2 * min(np.sum(y > 0), np.sum(y < 0)))
        slack = np.maximum(0, fit.margin - y * decision(X, fit))
        assert fit.margin - price * slack.sum() == pytest.approx(fit.objective, abs=1e-8)


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_every_point_of_a_path_equals_the_direct_program(share):
    X, y = problem(8, n_features=90, share=share)
    nus = [1.0, 0.7, 0.4, 0.2, 0.5]
    for nu, fit in zip(nus, lpboost_path(X, y, nus), strict=True):
        assert fit.objective == pytest.approx(direct_optimum(X, y, nu), abs=1e-6)


def test_learners_that_join_on_a_path_have_the_weights_of_a_separate_fit():
    X, y = problem(9, n_samples=100, n_features=400)
    large, small = lpboost_path(X, y, [0.9, 0.3])
    assert small.n_rounds > 1
    assert len(small.features) > module.BATCH > len(large.features)
    alone, weights = lpboost(X, y, 0.3), np.zeros((2, 400))
    weights[0, small.features], weights[1, alone.features] = small.weights, alone.weights
    np.testing.assert_allclose(weights[0], weights[1], atol=1e-7)
    assert small.intercept == pytest.approx(alone.intercept, abs=1e-7)


def test_a_path_goes_on_where_it_was():
    X, y = problem(9, n_samples=100, n_features=400)
    nus = np.geomspace(1.0, 0.3, 10)
    together = sum(fit.n_rounds for fit in lpboost_path(X, y, nus))
    alone = sum(lpboost(X, y, nu).n_rounds for nu in nus)
    assert together < alone
    # A value once more needs one look and no learner.
    again = list(lpboost_path(X, y, [0.5, 0.5]))[1]
    assert again.n_rounds == 1


def test_a_path_asks_for_one_value_at_a_time():
    X, y = problem(0)
    asked = []
    path = lpboost_path(X, y, (asked.append(nu) or nu for nu in (0.9, 0.5, 0.3)))
    assert asked == []
    next(path)
    assert asked == [0.9]
    next(path)
    assert asked == [0.9, 0.5]


def test_values_too_small_are_raised_alike_along_a_path():
    X, y = problem(4, n_samples=200, n_features=3, noise=2.0)
    nus = [0.8, 0.1, 0.01, 0.8, 0.05]
    fits = list(lpboost_path(X, y, nus))
    raised = lpboost(X, y, 0.01)
    for fit in (fits[1], fits[2], fits[4]):
        assert fit.nu == pytest.approx(raised.nu, abs=1e-8)
        assert fit.objective == pytest.approx(raised.objective, abs=1e-8)
    assert fits[0].nu == fits[3].nu == 0.8
    assert fits[3].objective == pytest.approx(fits[0].objective, abs=1e-8)
    # Just above the least value nothing is raised, whether or not the least is known already.
    between = raised.nu / 1.005
    _, known = lpboost_path(X, y, [0.01, between])
    assert known.nu == lpboost(X, y, between).nu == between


@pytest.mark.parametrize(
    "columns", [np.zeros((40, 2)), np.tile([[1.0], [1.0], [-1.0], [-1.0]], (10, 1))]
)
def test_nothing_to_learn_at_any_point_of_a_path(columns):
    y = np.tile([1.0, -1.0], 20)
    nus = [1.0, 0.5, 0.2]
    for nu, fit in zip(nus, lpboost_path(columns, y, nus), strict=True):
        assert fit.nu == nu
        assert len(fit.weights) == fit.objective == fit.margin == fit.intercept == 0
        assert len(fit.features) == 0


def test_copies_and_constants_have_no_weight_along_a_path():
    X, y = problem(3, n_features=10)
    nus = [0.9, 0.6, 0.3]
    doubled = np.hstack([np.zeros((60, 2)), X, X])
    paths = (lpboost_path(columns, y, nus) for columns in (X, doubled))
    for once, twice in zip(*paths, strict=True):
        assert twice.objective == pytest.approx(once.objective, abs=1e-8)
        assert set(twice.features.tolist()) <= set(range(2, 12))


def test_a_fit_can_be_stored_while_its_path_goes_on():
    X, y = problem(0)
    path = lpboost_path(X, y, [0.9, 0.5])
    fit = next(path)
    stored = pickle.loads(pickle.dumps(fit))
    next(path)
    np.testing.assert_array_equal(stored.weights, fit.weights)
    np.testing.assert_array_equal(stored.sample_weights, fit.sample_weights)


def test_a_program_that_fails_is_begun_anew(monkeypatch):
    X, y = problem(0)
    expected = [fit.objective for fit in lpboost_path(X, y, [0.9, 0.3])]
    run, calls = LinearProgram._is_solved, []

    def every_second(program):
        calls.append(program)
        return len(calls) % 2 == 0 and run(program)

    monkeypatch.setattr(LinearProgram, "_is_solved", every_second)
    found = [fit.objective for fit in lpboost_path(X, y, [0.9, 0.3])]
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("steps", [0, 3])
def test_a_simplex_method_in_circles_gives_way_to_interior_points(monkeypatch, steps):
    X, y = problem(9, n_samples=80, n_features=60)
    expected = [fit.objective for fit in lpboost_path(X, y, [0.9, 0.3])]
    inside, calls = LinearProgram._is_solved_inside, []

    def counted(program):
        calls.append(program)
        return inside(program)

    # As if no number of steps led to the end.
    monkeypatch.setattr(linear_program, "STEPS_A_ROW", 0)
    monkeypatch.setattr(linear_program, "STEPS_AT_LEAST", steps)
    monkeypatch.setattr(LinearProgram, "_is_solved_inside", counted)
    found = [fit.objective for fit in lpboost_path(X, y, [0.9, 0.3])]
    assert calls
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_a_program_without_a_solution_is_refused_in_words():
    program = LinearProgram(np.ones(2), np.ones(2))
    program.add(np.ones((1, 2)), lower=[3.0], upper=[4.0])
    with pytest.raises(RuntimeError, match="LPBoost was not solved: Infeasible"):
        program.solve()


def test_rounds_without_end_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    X, y = problem(9, n_samples=100, n_features=400)
    with pytest.raises(RuntimeError, match="was not solved by 1 linear programs"):
        lpboost(X, y, 0.3)


def test_others_may_have_set_the_number_of_threads():
    """HiGHS has one such number for all programs of a thread, and refuses another."""
    X, y = problem(0)
    found = []

    def work():
        highs = highspy.Highs()
        for option, value in {"output_flag": False, "threads": 2}.items():
            highs.setOptionValue(option, value)
        highs.addVars(1, np.zeros(1), np.ones(1))
        highs.run()
        found.append(lpboost(X, y, 0.5).objective)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found == pytest.approx([lpboost(X, y, 0.5).objective], abs=1e-8)
