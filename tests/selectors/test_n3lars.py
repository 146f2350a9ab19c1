"""N3LARS and HSIC Lasso: the path, what it finds, and odd input."""

import warnings

import numpy as np
import pandas as pd
import pytest

from hsieve import (
    N3LARS,
    ConstantFeatureWarning,
    DependenceSelector,
    FewerFeaturesWarning,
    HSICLasso,
    LarsSearch,
    PairwiseHSIC,
    open_dataset,
)
from hsieve.data.arrays import ArrayBlocks, as_blocks
from hsieve.datasets import make_n3lars
from tests.reference.coordinate_descent import nonnegative_lasso

LASSOS = [N3LARS, HSICLasso]


def found(problem, chosen):
    """Whether each true feature, or a copy of it, is among the chosen."""
    chosen = set(chosen.tolist())
    return all(chosen & {r, *problem.copies.get(r, ())} for r in problem.relevant.tolist())


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("seed", range(3))
def test_all_three_signals_are_found_among_copies(lasso, seed):
    problem = make_n3lars(300, 400, random_state=seed)
    assert found(problem, lasso(10).fit(problem.X, problem.y).selected_indices_)


def test_classes_that_differ_in_spread_only(rng):
    X = rng.normal(size=(150, 40))
    y = np.repeat(["a", "b", "c"], 50)
    X[y == "a", 7] *= 3
    X[y == "b", 21] *= 3
    assert set(N3LARS(4).fit(X, y).selected_indices_[:2].tolist()) == {7, 21}


@pytest.mark.parametrize("normalised", [True, False])
def test_the_path_equals_an_independent_solver(normalised, rng):
    X = rng.normal(size=(120, 12))
    X[:, 6:] = X[:, :6] + 0.5 * rng.normal(size=(120, 6))
    y = X[:, 0] ** 2 + X[:, 1] + 0.5 * X[:, 2]
    bound = PairwiseHSIC(normalised=normalised).bind(X, y)
    path = LarsSearch().search(bound, 6)
    everything = np.arange(12)
    Q, r = bound.redundancy(everything, everything), bound.relevance(everything)
    levels = path.lars.levels[1:]
    solutions = nonnegative_lasso(0.5 * (Q + Q.T), r, levels)
    for level, expected in zip(levels, solutions, strict=True):
        np.testing.assert_allclose(
            path.lars.coefficients(level), expected, atol=1e-5 * expected.max()
        )


@pytest.mark.parametrize("lasso", LASSOS)
def test_attributes_speak_of_all_features_although_some_are_constant(lasso, rng):
    X = rng.normal(size=(150, 9))
    X[:, [0, 4]] = 3.0
    y = np.abs(X[:, 2]) + X[:, 7]
    with pytest.warns(ConstantFeatureWarning):
        selector = lasso(2).fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [2, 7]
    lars = selector.path_.lars
    assert lars.n_features == 9
    assert sorted(lars.selected.tolist()) == [2, 7]
    assert lars.coefficients(float(lars.levels[-1])).shape == (9,)
    np.testing.assert_allclose(lars.coefficients(float(lars.levels[-1])), selector.coef_)
    assert selector.path_.relevance[[0, 4]].tolist() == [0, 0]
    assert {event.feature for event in lars.events} <= {*range(9), -1}
    assert (selector.coef_ >= 0).all()


@pytest.mark.parametrize("lasso", LASSOS)
def test_exact_duplicates_do_not_break_the_path(lasso, rng):
    x = rng.normal(size=(100, 4))
    X = np.hstack([x, x])
    selector = lasso(3).fit(X, x[:, 1] ** 2 + x[:, 3])
    assert {int(j) % 4 for j in selector.selected_indices_[:2]} == {1, 3}
    assert np.isfinite(selector.coef_).all()


@pytest.mark.parametrize("lasso", LASSOS)
def test_as_many_features_as_asked_for_come_back(lasso, rng):
    """Where the path ends before, the most relevant others fill up."""
    X = rng.normal(size=(50, 6))
    selector = lasso(6).fit(X, X[:, 0])
    assert sorted(selector.selected_indices_.tolist()) == list(range(6))


@pytest.mark.parametrize("lasso", LASSOS)
def test_more_features_than_there_are_give_all_of_them_with_a_warning(lasso, rng):
    X = rng.normal(size=(50, 3))
    with pytest.warns(FewerFeaturesWarning, match="10 features were asked for, but there are only"):
        selector = lasso(10).fit(X, X[:, 0])
    assert sorted(selector.selected_indices_.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("lasso", LASSOS)
def test_order_of_samples_does_not_matter(lasso, rng):
    problem = make_n3lars(120, 60, random_state=1)
    order = rng.permutation(120)
    plain = lasso(5).fit(problem.X, problem.y)
    shuffled = lasso(5).fit(problem.X[order], problem.y[order])
    np.testing.assert_array_equal(plain.selected_indices_, shuffled.selected_indices_)
    np.testing.assert_allclose(plain.coef_, shuffled.coef_, atol=1e-4 * plain.coef_.max())


def test_the_bound_spares_most_of_the_redundancies():
    problem = make_n3lars(200, 1000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lars = N3LARS(10).fit(problem.X, problem.y).path_.lars
    assert lars.share_spared > 0.8


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("seed", range(3))
def test_with_a_cap_on_redundancy_no_copy_comes_in(lasso, seed):
    problem = make_n3lars(300, 400, random_state=seed)
    selector = lasso(10, max_redundancy=0.9).fit(problem.X, problem.y)
    chosen = selector.selected_indices_.tolist()
    assert found(problem, selector.selected_indices_)
    assert len({feature % 200 for feature in chosen}) == 10


@pytest.mark.parametrize("lasso", LASSOS)
def test_copies_that_were_met_are_reported_as_a_group(lasso):
    problem = make_n3lars(300, 400, random_state=0)
    selector = lasso(10, max_redundancy=0.9).fit(problem.X, problem.y)
    for feature, group in zip(selector.selected_indices_, selector.groups_, strict=True):
        copies = {int(other) % 200 for other in group}
        assert copies <= {int(feature) % 200}
    of_signals = [
        group
        for feature, group in zip(selector.selected_indices_, selector.groups_, strict=True)
        if feature % 200 < 3
    ]
    assert [len(group) for group in of_signals] == [1, 1, 1]


@pytest.mark.parametrize("lasso", LASSOS)
def test_where_a_cap_leaves_too_few_fewer_come_back_with_a_warning(lasso, rng):
    x = rng.normal(size=(100, 2))
    X = np.hstack([x, x + 1e-3 * rng.normal(size=(100, 2))])
    with pytest.warns(FewerFeaturesWarning, match="4 features were asked for, but only 2 may"):
        selector = lasso(4, max_redundancy=0.8).fit(X, x[:, 0] + x[:, 1] ** 2)
    assert {int(j) % 2 for j in selector.selected_indices_} == {0, 1}


@pytest.mark.parametrize("lasso", LASSOS)
def test_covariates_take_their_share_of_the_target_and_are_never_selected(lasso, rng):
    batch = rng.normal(size=300)
    X = rng.normal(size=(300, 8))
    X[:, 0] = batch
    X[:, 1] = batch + 0.2 * rng.normal(size=300)  # a mere proxy of the batch
    y = 2 * batch + np.abs(X[:, 5])
    assert {0, 1} <= set(lasso(3).fit(X, y).selected_indices_.tolist())
    adjusted = lasso(1, covariates=[0]).fit(X, y)
    assert adjusted.selected_indices_.tolist() == [5]
    assert adjusted.coef_[0] == 0
    with pytest.warns(FewerFeaturesWarning, match="only 7 may be selected"):
        assert 0 not in lasso(8, covariates=[0]).fit(X, y).selected_indices_


def test_covariates_of_a_free_combination_are_counted_among_all_features(rng):
    X = rng.normal(size=(200, 6))
    X[:, 1] = 7.0
    y = X[:, 3] + 0.5 * np.abs(X[:, 5])
    search = LarsSearch(covariates=[3])
    selector = DependenceSelector(PairwiseHSIC(), strategy=search, n_features_to_select=1)
    with pytest.warns(ConstantFeatureWarning):
        assert selector.fit(X, y).selected_indices_.tolist() == [5]
    assert search.covariates == [3]


def test_a_copy_of_a_covariate_stays_out_with_a_cap(rng):
    X = rng.normal(size=(200, 6))
    X[:, 5] = X[:, 0] + 1e-3 * rng.normal(size=200)
    selector = N3LARS(4, covariates=[-6], max_redundancy=0.5)
    assert not {0, 5} & set(selector.fit(X, X[:, 0]).selected_indices_.tolist())


def test_the_rest_is_ordered_by_relevance_where_a_cap_leaves_too_few(rng):
    x = rng.normal(size=(200, 8))
    X = np.hstack([x[:, 5:6] + 1e-3 * rng.normal(size=(200, 6)), x])
    with pytest.warns(FewerFeaturesWarning):
        selector = N3LARS(8, max_redundancy=0.02).fit(X, np.abs(x[:, 2]) + x[:, 5])
    rest = selector.path_.order[len(selector.selected_indices_) :]
    assert (np.diff(selector.relevance_[rest]) <= 0).all()


def test_covariates_are_counted_among_all_features_although_some_are_constant(rng):
    X = rng.normal(size=(200, 6))
    X[:, 1] = 7.0
    y = X[:, 3] + 0.5 * np.abs(X[:, 5])
    with pytest.warns(ConstantFeatureWarning):
        selector = N3LARS(1, covariates=[3, 1]).fit(X, y)
    assert selector.selected_indices_.tolist() == [5]


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_relatives_are_the_features_with_the_highest_nhsic(form, rng):
    X = rng.normal(size=(400, 30))
    X[:, 20] = X[:, 3] + 0.1 * rng.normal(size=400)
    X[:, 7] = X[:, 3] ** 3
    X[:, 11] = 2.0
    with pytest.warns(ConstantFeatureWarning):
        selector = N3LARS(2, form=form).fit(X, np.abs(X[:, 3]) + X[:, 8])
    relatives = {r.feature: r for r in selector.relatives(X, n_relatives=4)}
    assert set(relatives) == set(selector.selected_indices_.tolist())
    (one,) = relatives.keys() - {8}
    assert set(relatives[one].indices[:2].tolist()) == {3, 7, 20} - {one}
    bound = PairwiseHSIC(form=form).bind(X, X[:, 0])
    expected = bound.redundancy(relatives[one].indices, [one])[:, 0]
    np.testing.assert_allclose(relatives[one].scores, expected, rtol=1e-5)
    assert (np.diff(relatives[one].scores) <= 0).all()


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("form", ["dense", "coded"])
def test_one_wild_value_in_a_true_feature_does_not_hide_it(lasso, form, rng):
    X = rng.normal(size=(200, 50))
    y = np.abs(X[:, 4]) + X[:, 9]
    X[17, 4], X[80, 9], X[3, 30] = 1e4, -1e6, 1e4
    selected = lasso(2, form=form).fit(X, y).selected_indices_
    assert sorted(selected.tolist()) == [4, 9]


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("form", ["dense", "coded"])
@pytest.mark.parametrize(
    ("precision", "wild"),
    [(np.float64, 1e12), (np.float64, -1e300), (np.float32, 1e12), (np.float32, -3e38)],
)
def test_no_value_is_too_wild(lasso, form, precision, wild, rng):
    X = rng.normal(size=(200, 20)).astype(precision)
    y = np.abs(X[:, 4]) + X[:, 9]
    X[17, 9] = wild
    selected = lasso(2, form=form).fit(X, y).selected_indices_
    assert sorted(selected.tolist()) == [4, 9]


@pytest.mark.parametrize("lasso", LASSOS)
def test_one_wild_value_in_the_target_does_not_hide_the_rest(lasso, rng):
    X = rng.normal(size=(200, 20))
    y = np.abs(X[:, 4]) + X[:, 9]
    y[3] = 1e6
    assert sorted(lasso(2).fit(X, y).selected_indices_.tolist()) == [4, 9]


@pytest.mark.parametrize("lasso", LASSOS)
@pytest.mark.parametrize("offset", [1e4, 1e5, 1e9])
def test_large_offsets_hide_nothing(lasso, offset, rng):
    X = rng.normal(size=(200, 50)) + offset
    y = np.abs(X[:, 4] - offset) + X[:, 9] - offset
    assert sorted(lasso(2).fit(X, y).selected_indices_.tolist()) == [4, 9]


@pytest.mark.parametrize("n_samples", [101, 127, 200])
def test_any_number_of_samples_is_used_whole(n_samples, rng):
    """The last rows matter: all the dependence is in them."""
    X = rng.normal(size=(n_samples, 20))
    y = rng.normal(size=n_samples)
    y[-31:] = 4 * X[-31:, 6]
    assert N3LARS(1).fit(X, y).selected_indices_.tolist() == [6]


def test_several_outputs(rng):
    X = rng.normal(size=(200, 20))
    y = np.column_stack([np.abs(X[:, 2]), X[:, 11] ** 3])
    assert sorted(N3LARS(2).fit(X, y).selected_indices_.tolist()) == [2, 11]


def test_discrete_features_and_categories(rng):
    X = rng.normal(size=(300, 12))
    X[:, 3] = rng.integers(0, 3, 300)
    X[:, 6] = rng.integers(0, 6, 300)
    y = (X[:, 3] == 1) + np.isin(X[:, 6], [0, 3, 5]) + 0.2 * rng.normal(size=300)
    selector = N3LARS(2, categorical=[6]).fit(X, y)
    assert sorted(selector.selected_indices_.tolist()) == [3, 6]


def test_the_global_random_state_is_not_touched(rng):
    X, y = rng.normal(size=(60, 10)), rng.normal(size=60)
    np.random.seed(3)  # noqa: NPY002 - the global state is what is looked at
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    N3LARS(3).fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_redundancy": 0}, "max_redundancy must be None or a number above 0"),
        ({"max_redundancy": "low"}, "max_redundancy must be None or a number above 0"),
        ({"covariates": 3}, "covariates must be a list of positions, .* got 3"),
        ({"covariates": [[1, 2]]}, "covariates must hold integer positions"),
        ({"covariates": range(5)}, "Of 5 features none is left to select beside the covariates"),
        ({"covariates": [99]}, "covariates must hold integer positions below 5"),
        ({"form": "bytes"}, "form must be 'auto', 'dense' or 'coded'"),
        ({"memory_limit": "plenty"}, "memory_limit must be None"),
        ({"memory_limit": 1000}, "too small for 40 samples"),
    ],
)
def test_wrong_options_are_refused_before_any_work(options, message, rng, monkeypatch):
    monkeypatch.setattr(
        "hsieve.measures.pairwise._first_pass", lambda *_: pytest.fail("work was done")
    )
    with pytest.raises(ValueError, match=message):
        N3LARS(2, **options).fit(rng.normal(size=(40, 5)), rng.normal(size=40))


class TestData:
    """The same answer from every kind of storage."""

    @pytest.fixture
    def problem(self):
        return make_n3lars(500, 200, random_state=4)

    @pytest.mark.parametrize("form", ["dense", "coded"])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_a_mapped_file_gives_what_the_array_gives(self, form, order, problem, tmp_path):
        whole = N3LARS(6, form=form).fit(problem.X, problem.y)
        np.save(tmp_path / "X.npy", np.asarray(problem.X, order=order))
        mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
        selector = N3LARS(6, form=form).fit(mapped, problem.y)
        np.testing.assert_array_equal(selector.selected_indices_, whole.selected_indices_)
        np.testing.assert_allclose(selector.coef_, whole.coef_, atol=1e-6)

    @pytest.mark.parametrize("form", ["dense", "coded"])
    def test_a_parquet_file_gives_what_the_array_gives(self, form, problem, tmp_path):
        names = [f"x{j}" for j in range(200)]
        frame = pd.DataFrame(problem.X, columns=names).assign(y=problem.y)
        frame.to_parquet(tmp_path / "data.parquet")
        table = open_dataset(tmp_path / "data.parquet", target="y")
        selector = N3LARS(6, form=form).fit(table.columns, table.y)
        whole = N3LARS(6, form=form).fit(problem.X, problem.y)
        np.testing.assert_array_equal(selector.selected_indices_, whole.selected_indices_)
        assert selector.feature_names_in_.tolist() == names
        expected = [names[j] for j in sorted(whole.selected_indices_)]
        assert selector.get_feature_names_out().tolist() == expected
        assert len(selector.relatives(table.columns)) == 6

    @pytest.mark.parametrize("form", ["dense", "coded"])
    def test_a_tight_memory_limit_changes_nothing(self, form, problem):
        free = N3LARS(6, form=form).fit(problem.X, problem.y)
        tight = N3LARS(6, form=form, memory_limit="16.8MB").fit(problem.X, problem.y)
        np.testing.assert_array_equal(free.selected_indices_, tight.selected_indices_)
        # Of two coded features the levels of the one that is held are merged, which costs 1e-4.
        atol = 1e-4 if form == "coded" else 1e-6
        np.testing.assert_allclose(free.coef_, tight.coef_, atol=atol)

    def test_single_precision_and_whole_numbers_are_read_as_they_are(self, problem):
        whole = N3LARS(3).fit(problem.X, problem.y)
        single = N3LARS(3).fit(problem.X.astype(np.float32), problem.y)
        np.testing.assert_array_equal(whole.selected_indices_, single.selected_indices_)
        counts = np.round(100 * problem.X).astype(np.int16)
        np.testing.assert_array_equal(
            N3LARS(3).fit(counts, problem.y).selected_indices_,
            N3LARS(3).fit(counts.astype(float), problem.y).selected_indices_,
        )

    def test_column_blocks_of_another_width_have_no_relatives(self, problem):
        selector = N3LARS(3).fit(problem.X, problem.y)
        with pytest.raises(ValueError, match="X has 100 features, but N3LARS is expecting 200"):
            selector.relatives(as_blocks(problem.X[:, :100]))

    def test_column_blocks_with_other_names_have_no_relatives(self, problem):
        names = [f"x{j}" for j in range(200)]
        selector = N3LARS(3).fit(ArrayBlocks(problem.X, names), problem.y)
        with pytest.raises(ValueError, match="names of the columns"):
            selector.relatives(ArrayBlocks(problem.X, names[::-1]))

    def test_a_selected_feature_that_is_constant_elsewhere_has_no_close_relatives(self, problem):
        selector = N3LARS(2).fit(problem.X, problem.y)
        X = problem.X.copy()
        X[:, selector.selected_indices_[0]] = 1.0
        relatives = selector.relatives(X, 3)[0]
        assert relatives.scores.tolist() == [0, 0, 0]
        assert selector.selected_indices_[0] not in relatives.indices

    @pytest.mark.parametrize("n_relatives", [0, 2.5, "a", True])
    def test_an_odd_number_of_relatives_is_refused(self, n_relatives, problem):
        selector = N3LARS(2).fit(problem.X, problem.y)
        with pytest.raises(ValueError, match="n_relatives must be an integer"):
            selector.relatives(problem.X, n_relatives)

    def test_blocks_without_a_target_are_refused(self, problem):
        with pytest.raises(ValueError, match="requires y"):
            N3LARS(2).fit(as_blocks(problem.X), None)

    def test_a_target_of_mixed_kinds_is_refused(self, problem):
        y = np.array(["a", None] * 250, dtype=object)
        with pytest.raises(ValueError, match="one kind, got NoneType, str"):
            N3LARS(2).fit(problem.X, y)

    def test_numbers_in_an_array_of_objects_are_numbers(self, problem):
        plain = N3LARS(3).fit(problem.X, problem.y)
        objects = N3LARS(3).fit(problem.X, problem.y.astype(object))
        np.testing.assert_array_equal(plain.coef_, objects.coef_)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_values_that_are_not_finite_are_refused_by_column_and_row(self, bad, problem):
        X = problem.X.copy()
        X[7, 33] = bad
        with pytest.raises(ValueError, match=r"Column 33 holds .* in row 7"):
            N3LARS(3).fit(X, problem.y)
