"""Samples in groups: orders keep them together, in tests, halves and every door."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hsieve import (
    HSIC,
    N3LARS,
    KernelPursuit,
    StabilitySelection,
    compare,
    feature_tests,
    hsic_test,
    open_dataset,
    select,
)
from hsieve.data.subsamples import half_samples
from hsieve.inference.group_tests import GroupOrders
from hsieve.kernels import centre
from hsieve.measures.hsic import gram_pair


def donors(rng, n_donors=20, n_cells=15, effect=0.0):
    """Features that differ between donors, and a treatment of half of the donors."""
    groups = np.repeat(np.arange(n_donors), n_cells)
    treated = (rng.permutation(n_donors) < n_donors // 2)[groups]
    X = rng.normal(size=(n_donors, 3))[groups] + rng.normal(size=(n_donors * n_cells, 3))
    X[:, 0] += effect * treated
    return X, treated, groups


def test_orders_move_whole_groups_or_stay_in_them():
    rng = np.random.default_rng(0)
    _, treated, groups = donors(rng)
    between = GroupOrders.of(groups, treated)
    order = between.draw(rng)
    assert between.between
    assert all(len(set(groups[order[groups == group]])) == 1 for group in range(20))
    assert len(set(groups[order])) == 20
    within = GroupOrders.of(groups, rng.random(300))
    order = within.draw(rng)
    assert not within.between
    np.testing.assert_array_equal(groups[order], groups)
    np.testing.assert_array_equal(np.sort(order), np.arange(300))


@pytest.mark.parametrize("design", ["between", "within"])
def test_factors_give_the_p_values_of_gram_matrices(design):
    rng = np.random.default_rng(1)
    X, treated, groups = donors(rng, 8, 6, effect=0.7)
    y = treated if design == "between" else X[:, 0] + X[:, 1] + 2 * rng.normal(size=48)
    found = feature_tests(X, y, groups=groups, n_permutations=199, random_state=3)
    orders = GroupOrders.of(groups, y)
    draws = np.random.default_rng(3)
    drawn = [orders.draw(draws) for _ in range(199)]
    bound = HSIC().bind(X, y)
    L = centre(bound.gram_y)
    for feature in range(3):
        K = centre(bound.kernel.on_subset(bound.columns, np.array([feature])).gram)
        n_as_large = sum(np.vdot(K, L[np.ix_(o, o)]) >= np.vdot(K, L) * (1 - 1e-9) for o in drawn)
        assert found.p_values[feature] == pytest.approx((1 + n_as_large) / 200, abs=0.011)
    gram_x, gram_y = gram_pair(X, y, None, None)
    K, L = centre(gram_x), centre(gram_y)
    together = hsic_test(X, y, groups=groups, n_permutations=199, random_state=3).p_value
    n_as_large = sum(np.vdot(K, L[np.ix_(o, o)]) >= np.vdot(K, L) * (1 - 1e-9) for o in drawn)
    assert together == pytest.approx((1 + n_as_large) / 200)


def test_level_with_groups_and_without():
    rng = np.random.default_rng(2)
    kept, independent, by_ranks = [], [], []
    for _ in range(100):
        X, treated, groups = donors(rng)
        found = feature_tests(X, treated, groups=groups, n_permutations=99)
        kept.append(found.p_values)
        independent.append(feature_tests(X[:, :1], treated).p_values)
        by_ranks.append(stats.mannwhitneyu(X[treated], X[~treated]).pvalue)
    assert np.mean(np.concatenate(kept) <= 0.05) <= 0.08
    assert np.mean(np.concatenate(independent) <= 0.05) > 0.3
    assert np.mean(np.concatenate(by_ranks) <= 0.05) > 0.3


def test_an_effect_between_donors_is_found():
    X, treated, groups = donors(np.random.default_rng(3), effect=3.0)
    p_values = feature_tests(X, treated, groups=groups).p_values
    assert p_values[0] < 0.01 < p_values[1:].min()


def test_halves_have_whole_groups_and_half_of_each_class():
    rng = np.random.default_rng(4)
    _, treated, groups = donors(rng)
    one, other = half_samples(300, rng, classes=treated, groups=groups)
    assert not set(groups[one]) & set(groups[other])
    for half in (one, other):
        assert len(half) == 150
        assert treated[half].sum() == 75


def test_every_door_knows_the_groups(tmp_path):
    from typer.testing import CliRunner

    from hsieve.cli.main import app

    X, treated, groups = donors(np.random.default_rng(5), effect=2.0)
    table = pd.DataFrame(X, columns=list("abc"))
    table["donor"] = [f"d{group:02}" for group in groups]
    table["treated"] = np.where(treated, "yes", "no")
    table.to_csv(tmp_path / "cells.csv", index=False)
    expected = feature_tests(X, treated, groups=groups).p_values
    for source in (table, tmp_path / "cells.csv"):
        data = open_dataset(source, "treated", groups="donor")
        assert data.names == ("a", "b", "c")
        np.testing.assert_array_equal(data.groups, groups)
        np.testing.assert_allclose(feature_tests(data).p_values, expected)
    selector = StabilitySelection(N3LARS(1), n_subsamples=10)
    alike = [selector.fit(data).frequencies_, selector.fit(X, treated, groups=groups).frequencies_]
    np.testing.assert_array_equal(*alike)
    chosen = N3LARS(1).fit(data)
    assert chosen.get_feature_names_out() == ["a"]
    assert chosen.summary(data).p_values == "permutation"
    found = compare({"one": N3LARS(1)}, data, cv=4)
    assert found is not None
    words = ["select", str(tmp_path / "cells.csv"), "-t", "treated", "--groups", "donor"]
    run = CliRunner().invoke(app, [*words, "-m", "n3lars", "-k", "1", "-q"])
    assert (run.exit_code, run.output.strip()) == (0, "a"), run.output


def test_what_takes_samples_for_independent_is_refused():
    X, treated, groups = donors(np.random.default_rng(6))
    data = open_dataset(X, treated, groups=groups)
    for refused in (
        lambda: select(data),
        lambda: KernelPursuit().fit(data),
        lambda: N3LARS("cv").fit(data),
    ):
        with pytest.raises(ValueError, match=r"StabilitySelection"):
            refused()
    assert len(KernelPursuit(1).fit(data).selected_indices_) == 1


@pytest.mark.parametrize(
    ("groups", "words"),
    [([0] * 60, "single group"), (range(59), "one for each of 60"), ([np.nan] * 60, "missing")],
)
def test_odd_groups_are_refused(groups, words):
    rng = np.random.default_rng(7)
    with pytest.raises(ValueError, match=words):
        open_dataset(rng.normal(size=(60, 2)), rng.random(60), groups=groups)
