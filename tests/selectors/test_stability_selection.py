"""Stability selection: frequencies, thresholds, limits, workers, refusals."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LogisticRegression,
    Ridge,
    SGDClassifier,
    enet_path,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hsieve import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HSIC,
    MRMR,
    N3LARS,
    DependenceSelector,
    LPBoost,
    MaxRelevance,
    StabilitySelection,
    kernels,
)
from hsieve.data.subsamples import half_samples
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.inference.selection_bounds import false_selection_bound, unimodal_bound
from hsieve.selectors import number_rules, regularisation, stability

L1_LOGISTIC = LogisticRegression(l1_ratio=1.0, C=1.0, solver="liblinear")


def linear(n_samples=100, n_features=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    return X, 2 * X[:, 3] - 2 * X[:, 7] + rng.normal(size=n_samples)


@pytest.mark.parametrize(
    "base",
    [None, Lasso(), ElasticNet(l1_ratio=0.8), N3LARS(), MaxRelevance()],
    ids=lambda base: type(base).__name__,
)
def test_finds_the_features_of_a_regression(base):
    X, y = linear()
    selection = StabilitySelection(base, expected_false_selections=1, n_subsamples=20).fit(X, y)
    assert sorted(selection.selected_indices_) == [3, 7]
    assert selection.bound_ <= 1


@pytest.mark.parametrize(
    "base", [None, L1_LOGISTIC, LPBoost(), N3LARS(), Lasso()], ids=lambda base: type(base).__name__
)
def test_finds_the_features_of_a_classification(base):
    X, y = linear()
    classes = np.where(y > 0, "sick", "healthy")
    selection = StabilitySelection(base, expected_false_selections=1, n_subsamples=20)
    assert sorted(selection.fit(X, classes).selected_indices_) == [3, 7]


def test_several_classes_and_several_outputs():
    X, y = linear()
    three = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    outputs = np.column_stack([X[:, 3], X[:, 7]])
    for target in (three, outputs):
        selection = StabilitySelection(expected_false_selections=1, n_subsamples=20).fit(X, target)
        assert sorted(selection.selected_indices_) == [3, 7]


def test_frequencies_are_counted_over_the_subsamples():
    """The whole procedure, loop by loop, with one lasso fit for each half and alpha."""
    X, y = linear(60, 12)
    alphas = [1.0, 0.5, 0.2, 0.1]
    options = {"n_per_subsample": 12, "n_subsamples": 8, "random_state": 3}
    selection = StabilitySelection(Lasso(), values=alphas, **options).fit(X, y)
    counts = np.zeros((4, 12))
    sizes = []
    for rng in np.random.default_rng(3).spawn(4):
        for half in half_samples(60, rng):
            used = np.array(
                [Lasso(alpha=alpha).fit(X[half], y[half]).coef_ != 0 for alpha in alphas]
            )
            counts += used
            sizes.append(used.any(axis=0).sum())
    np.testing.assert_array_equal(selection.frequencies_, counts / 8)
    np.testing.assert_array_equal(selection.n_selected_, sizes)
    np.testing.assert_array_equal(selection.stability_scores_, counts.max(axis=0) / 8)
    np.testing.assert_array_equal(selection.scores_, selection.stability_scores_)
    expected = false_selection_bound(np.mean(sizes), 12, 0.75)
    assert selection.bound_ == pytest.approx(expected)
    assert selection.unimodal_bound_ == unimodal_bound(np.mean(sizes), 12, 0.75, n_pairs=4)
    above = np.flatnonzero(counts.max(axis=0) / 8 >= 0.75)
    np.testing.assert_array_equal(np.sort(selection.selected_indices_), above)


def test_path_in_one_fit_equals_a_grid_of_fits():
    X, y = linear(60, 12)
    alphas = [1.0, 0.5, 0.2, 0.1]
    options = {"values": alphas, "n_per_subsample": 12, "n_subsamples": 6}
    fast = StabilitySelection(Lasso(), **options).fit(X, y)
    pipeline = make_pipeline(StandardScaler(with_std=False), Lasso())
    slow = StabilitySelection(pipeline, parameter="lasso__alpha", **options).fit(X, y)
    np.testing.assert_array_equal(fast.frequencies_, slow.frequencies_)
    assert fast.n_selected_.max() > 4


@pytest.mark.parametrize("kind", ["outputs", "classes"])
@pytest.mark.parametrize(
    "model",
    [Lasso(), ElasticNet(l1_ratio=0.7), Lasso(positive=True), Lasso(fit_intercept=False)],
    ids=["lasso", "net", "positive", "no intercept"],
)
def test_a_given_lasso_fits_each_output_alone(model, kind):
    X, y = linear(60, 12)
    outputs = np.column_stack([y, X[:, 5] - 2 * X[:, 2], X[:, 9]])
    target = outputs if kind == "outputs" else np.array(list("cab"))[np.argmax(outputs, axis=1)]
    options = {"values": [0.5, 0.3, 0.2, 0.1, 0.05, 0.02], "n_per_subsample": 12, "n_subsamples": 4}
    # To the end, because paths are begun otherwise than single fits.
    model = clone(model).set_params(tol=1e-9, max_iter=100_000)
    fast = StabilitySelection(model, **options).fit(X, target)
    name = type(model).__name__.lower()
    slow = StabilitySelection(make_pipeline(model), parameter=f"{name}__alpha", **options)
    np.testing.assert_array_equal(fast.frequencies_, slow.fit(X, target).frequencies_)
    assert fast.frequencies_[2].max() > 0


def test_the_usual_values_of_a_given_lasso_begin_where_nothing_is_selected():
    X, y = linear(60, 12)
    outputs = np.column_stack([y, y, y])
    alone = regularisation.make_range(
        Lasso(), X, outputs, parameter=None, values=None, most=1
    ).values
    one = regularisation.make_range(Lasso(), X, y, parameter=None, values=None, most=1).values
    np.testing.assert_allclose(alone, one)


@pytest.mark.parametrize("n_features", [12, 90, 300])
@pytest.mark.parametrize(
    "model",
    [None, Lasso(positive=True), ElasticNet(l1_ratio=0.6), Lasso(fit_intercept=False)],
    ids=["default", "positive", "net", "no intercept"],
)
def test_segments_of_a_lasso_path_give_the_sets_of_the_whole(n_features, model):
    X, y = linear(60, n_features)
    usual = regularisation.make_range(model, X, y, parameter=None, values=None, most=1).values
    # At the first of the usual values rounding decides whether a feature has a coefficient.
    points = regularisation.make_range(model, X, y, parameter=None, values=0.97 * usual, most=1)
    options = {"l1_ratio": getattr(model, "l1_ratio", 1.0)}
    options["positive"] = getattr(model, "positive", False)
    columns, output = X - X.mean(axis=0), y - y.mean()
    if model is None:
        columns, output = columns / columns.std(axis=0), output / output.std()
    elif not model.fit_intercept:
        columns, output = X, y
    _, path, _ = enet_path(columns, output, alphas=points.values, precompute=False, **options)
    found = list(points.selections(X, y, 0))
    assert len(found) == len(points.values) > 2 * regularisation.SEGMENT
    for selected, weights in zip(found, path.T, strict=True):
        np.testing.assert_array_equal(selected, np.flatnonzero(weights))


def test_segments_of_a_path_with_several_outputs_give_the_sets_of_the_whole():
    X, y = linear(60, 30)
    outputs = np.column_stack([y, X[:, 5] - X[:, 3]])
    outputs = (outputs - outputs.mean(axis=0)) / outputs.std(axis=0)
    columns = (X - X.mean(axis=0)) / X.std(axis=0)
    alphas = np.geomspace(0.9, 0.05, 12)
    points = regularisation.make_range(None, X, outputs, parameter=None, values=alphas, most=1)
    _, path, _ = enet_path(columns, outputs, l1_ratio=1.0, alphas=points.values)
    for place, selected in enumerate(points.selections(X, outputs, 0)):
        np.testing.assert_array_equal(selected, np.flatnonzero(path[..., place].any(axis=0)))


def test_a_lasso_path_is_followed_no_further_than_asked_for(monkeypatch):
    X, y = linear()
    alphas, ends = [], []

    def followed(*args, **kwargs):
        if kwargs["alphas"][0] == points[0]:
            assert kwargs["coef_init"] is None
        else:
            np.testing.assert_array_equal(kwargs["coef_init"], ends[-1])
        alphas.extend(kwargs["alphas"])
        path = enet_path(*args, **kwargs)
        ends.append(path[1][..., -1])
        return path

    points = regularisation.make_range(None, X, y, parameter=None, values=None, most=1).values
    monkeypatch.setattr(regularisation, "enet_path", followed)
    limited = StabilitySelection(n_subsamples=2, n_per_subsample=4).fit(X, y)
    n_followed = len(alphas)
    alphas.clear()
    free = StabilitySelection(n_subsamples=2, n_per_subsample=40).fit(X, y)
    assert len(alphas) == 2 * len(free.range_)
    assert n_followed < len(alphas)
    # As far as both go, they agree.
    np.testing.assert_array_equal(limited.frequencies_[:3], free.frequencies_[:3])


def test_limited_nu_range_with_several_classes():
    X, y = linear()
    X = np.hstack([X, X[:, :10]])
    three = np.digitize(y, np.quantile(y, [0.2, 0.6]))
    free, limited = (
        StabilitySelection(LPBoost(), n_subsamples=4, n_per_subsample=most).fit(X, three)
        for most in (50, 20)
    )
    assert limited.n_selected_.max() <= 20 < free.n_selected_.min()
    assert not free.scores_[40:].any()
    first = int(np.flatnonzero((limited.frequencies_ != free.frequencies_).any(axis=1))[0])
    assert 0 < first < len(free.range_)


@pytest.mark.parametrize("base", [None, LPBoost()], ids=["lasso", "lpboost"])
def test_fits_can_be_stored_and_cloned(base):
    X, y = linear(40, 10)
    selection = StabilitySelection(base, n_subsamples=4).fit(X, y > 0)
    stored = pickle.loads(pickle.dumps(selection))
    np.testing.assert_array_equal(stored.frequencies_, selection.frequencies_)
    again = clone(selection).fit(X, y > 0)
    np.testing.assert_array_equal(again.frequencies_, selection.frequencies_)


def test_nu_in_one_go_equals_a_grid_of_fits():
    X, y = linear(40, 12)
    nus = [1.0, 0.8, 0.6]
    options = {"values": nus, "n_per_subsample": 12, "n_subsamples": 4}
    fast = StabilitySelection(LPBoost(), **options).fit(X, y > 0)
    pipeline = make_pipeline(StandardScaler(), LPBoost())
    slow = StabilitySelection(pipeline, parameter="lpboost__nu", **options)
    np.testing.assert_array_equal(fast.frequencies_, slow.fit(X, y > 0).frequencies_)


def test_a_selector_is_cut_at_every_size():
    X, y = linear()
    selection = StabilitySelection(MaxRelevance(), n_per_subsample=5, n_subsamples=10).fit(X, y)
    np.testing.assert_array_equal(selection.range_, [1, 2, 3, 4, 5])
    np.testing.assert_allclose(selection.frequencies_.sum(axis=1), [1, 2, 3, 4, 5])
    assert (np.diff(selection.frequencies_, axis=0) >= 0).all()
    assert (selection.n_selected_ == 5).all()


def test_a_selector_ranks_as_many_as_allow_for_one_false_selection():
    X, y = linear(n_features=50)
    selection = StabilitySelection(MaxRelevance(), n_subsamples=4).fit(X, y)
    assert len(selection.range_) == 5  # root of (2 * 0.75 - 1) * 50
    assert selection.bound_ == pytest.approx(1)


@pytest.mark.parametrize(
    "base",
    [None, Lasso(), L1_LOGISTIC, LPBoost(), MaxRelevance()],
    ids=lambda base: type(base).__name__,
)
def test_little_is_selected_from_noise_by_default(base):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 50)), rng.normal(size=100)
    selection = StabilitySelection(base, n_subsamples=20).fit(X, y > np.median(y))
    assert 0 < selection.n_selected_.max() <= 5  # as above
    assert selection.bound_ <= 1
    assert len(selection.selected_indices_) <= 3


def test_a_threshold_of_ones_own_sets_the_usual_limit():
    X, y = linear(n_features=50)
    selection = StabilitySelection(MaxRelevance(), threshold=0.9, n_subsamples=4).fit(X, y)
    assert len(selection.range_) == 6  # root of (2 * 0.9 - 1) * 50


def test_selectors_that_find_fewer_features():
    X, y = linear()
    selection = StabilitySelection(FCBF(), n_per_subsample=8, n_subsamples=6).fit(X, y > 0)
    assert selection.n_selected_.max() <= 8


def test_limit_on_a_subsample_is_kept():
    X, y = linear()
    free = StabilitySelection(n_subsamples=10, n_per_subsample=40).fit(X, y)
    limited = StabilitySelection(n_subsamples=10, n_per_subsample=4).fit(X, y)
    assert free.n_selected_.mean() > 4
    assert limited.n_selected_.max() <= 4
    assert limited.frequencies_.shape == free.frequencies_.shape


@pytest.mark.parametrize("wished", [0.5, 2.0])
def test_threshold_is_solved_for_a_wished_bound(wished):
    X, y = linear()
    selection = StabilitySelection(
        threshold=None, expected_false_selections=wished, n_subsamples=10
    ).fit(X, y)
    assert 0.6 <= selection.threshold_ <= 0.9 + 1e-9
    assert selection.bound_ <= wished + 1e-9
    if selection.threshold_ > 0.6:
        assert selection.bound_ == pytest.approx(wished)


def test_a_number_of_features_goes_before_the_threshold():
    X, y = linear()
    selection = StabilitySelection(n_features_to_select=5, n_subsamples=10).fit(X, y)
    assert len(selection.selected_indices_) == 5
    assert set(selection.selected_indices_[:2]) == {3, 7}
    assert selection.transform(X).shape == (100, 5)
    assert sorted(selection.ranking_) == list(range(1, 41))


@pytest.mark.parametrize("number", [15, 0.4])
@pytest.mark.parametrize("base", [None, MaxRelevance()], ids=["lasso", "ranking"])
def test_subsamples_may_select_as_many_as_are_asked_for(base, number):
    X, y = linear()
    selection = StabilitySelection(base, n_features_to_select=number, n_subsamples=10).fit(X, y)
    n_wanted = number if isinstance(number, int) else 16
    assert len(selection.selected_indices_) == n_wanted
    assert n_wanted - 3 <= selection.n_selected_.max() <= n_wanted
    assert selection.stability_scores_[selection.selected_indices_].min() > 0
    assert set(selection.selected_indices_[:2]) == {3, 7}


def test_a_limit_of_ones_own_goes_before_the_number():
    X, y = linear()
    options = {"n_features_to_select": 10, "n_subsamples": 4}
    for limit in ({"n_per_subsample": 2}, {"expected_false_selections": 0.2}):
        selection = StabilitySelection(MaxRelevance(), **options, **limit)
        with pytest.warns(FewerFeaturesWarning, match="10 features were asked for"):
            selection.fit(X, y)
        assert selection.n_selected_.max() <= 2
        ever = np.flatnonzero(selection.stability_scores_)
        np.testing.assert_array_equal(np.sort(selection.selected_indices_), ever)


def test_more_features_than_there_are():
    X, y = linear(40, 9)
    with pytest.warns(FewerFeaturesWarning, match="there are only 9"):
        selection = StabilitySelection(MaxRelevance(), n_features_to_select=20, n_subsamples=4).fit(
            X, y
        )
    assert set(selection.selected_indices_) == set(range(9))
    # All are in every ranking, which still tells them apart.
    assert set(selection.selected_indices_[:2]) == {3, 7}


@pytest.mark.parametrize("rule", ["alignment", "guarded", "cv"])
def test_a_rule_cuts_the_ranking(rule):
    X, y = linear()
    selection = StabilitySelection(n_features_to_select=rule, n_subsamples=4).fit(X, y > 0)
    assert {3, 7} <= set(selection.selected_indices_)
    assert len(selection.selected_indices_) == selection.n_features_choice_.number < 40
    assert selection.n_selected_.max() <= 4  # one false selection, as without a rule


def test_folds_rank_with_the_limit_of_the_whole(monkeypatch):
    X, y = linear()
    limits = []

    def counted(base, *args, most, **options):
        limits.append(most)
        return regularisation.make_range(base, *args, most=most, **options)

    monkeypatch.setattr(stability, "make_range", counted)
    StabilitySelection(MaxRelevance(), n_features_to_select="cv", n_subsamples=4).fit(X, y)
    assert len(limits) > 2
    assert set(limits) == {4}


def category_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    X[:, 4] = rng.integers(0, 5, size=120)
    # As numbers, the levels say little of the target.
    return X, np.array([0.0, 3.0, 1.0, 4.0, 0.5])[X[:, 4].astype(int)] + 0.1 * rng.normal(size=120)


@pytest.mark.parametrize(
    "base",
    [
        BAHSIC(categorical=[-8]),
        MRMR(categorical=[4]),
        DependenceSelector(HSIC(categorical=[4])),
    ],
    ids=lambda base: type(base).__name__,
)
@pytest.mark.parametrize("rule", ["alignment", "cv"])
def test_a_rule_knows_the_categories_of_the_base(monkeypatch, base, rule):
    X, y = category_data()
    told = []
    name = "nested_validation" if rule == "cv" else "alignment_sweep"
    rule_itself = getattr(number_rules, name)

    def listening(data, *args, **options):
        told.append((data[:, options["categorical"]], options["target_kind"]))
        return rule_itself(data, *args, **options)

    monkeypatch.setattr(number_rules, name, listening)
    selection = StabilitySelection(base, n_features_to_select=rule, n_subsamples=4).fit(X, y)
    ((categories, kind),) = told
    assert sorted(np.unique(categories)) == [0, 1, 2, 3, 4]
    assert (categories.shape[1], kind) == (1, "continuous")
    assert selection.selected_indices_[0] == 4


def test_a_rule_knows_the_kernel_of_the_target(monkeypatch):
    X, y = linear()
    kernel, told = kernels.Linear(), []
    sweep = number_rules.alignment_sweep

    def listening(*args, **options):
        told.append(options["kernel_y"])
        return sweep(*args, **options)

    monkeypatch.setattr(number_rules, "alignment_sweep", listening)
    base = BAHSIC(kernel_y=kernel)
    StabilitySelection(base, n_features_to_select="alignment", n_subsamples=4).fit(X, y)
    assert told == [kernel]


@pytest.mark.parametrize(
    "base",
    [
        FOHSIC(kernel_y=kernels.Precomputed()),
        DependenceSelector(HSIC(kernel_y=kernels.Precomputed())),
    ],
    ids=lambda base: type(base).__name__,
)
def test_a_gram_matrix_is_halved_on_both_sides(base):
    X, y = linear(60, 12)
    options = {"n_subsamples": 6, "n_per_subsample": 4}
    by_gram = StabilitySelection(base, **options).fit(X, np.outer(y, y))
    assert sorted(by_gram.selected_indices_[:2]) == [3, 7]
    # The linear kernel of y is that matrix, but for its centre.
    plain = DependenceSelector(HSIC(kernel_y=kernels.Linear()))
    if isinstance(base, DependenceSelector):
        by_values = StabilitySelection(plain, **options).fit(X, y)
        np.testing.assert_array_equal(by_gram.frequencies_, by_values.frequencies_)
    ruled = StabilitySelection(base, n_features_to_select="alignment", **options)
    assert {3, 7} <= set(ruled.fit(X, np.outer(y, y)).selected_indices_)
    with pytest.raises(ValueError, match="must be square"):
        StabilitySelection(base, **options).fit(X, np.outer(y, y)[:, :50])


def test_a_gram_matrix_cannot_be_predicted(monkeypatch):
    X, y = linear(60, 12)
    base = FOHSIC(kernel_y=kernels.Precomputed())
    monkeypatch.setattr(
        stability, "count_selections", lambda *_, **__: pytest.fail("it was worked")
    )
    with pytest.raises(ValueError, match="the target is a Gram matrix"):
        StabilitySelection(base, n_features_to_select="cv").fit(X, np.outer(y, y))


@pytest.mark.parametrize(
    "base",
    [LPBoost(), L1_LOGISTIC, make_pipeline(StandardScaler(), LPBoost())],
    ids=["lpboost", "logistic", "pipeline"],
)
def test_classifiers_refuse_numbers(base):
    X, y = linear()
    options = {"parameter": "lpboost__nu", "values": [1.0]} if hasattr(base, "steps") else {}
    with pytest.raises(ValueError, match="Unknown label type"):
        StabilitySelection(base, n_subsamples=4, **options).fit(X, y)


@pytest.mark.parametrize("base", [None, L1_LOGISTIC, MRMR()], ids=["lasso", "logistic", "mrmr"])
def test_classes_of_several_columns_are_refused(base):
    X, _ = linear()
    with pytest.raises(ValueError, match="Classes must be one column"):
        StabilitySelection(base, target_kind="classes").fit(X, (X[:, :2] > 0).astype(int))


def test_a_base_that_begins_with_too_many_features_is_told_of():
    X, y = linear()
    forest = ExtraTreesClassifier(n_estimators=3, max_depth=4, random_state=0)
    options = {"parameter": "max_depth", "values": [4, 6], "n_subsamples": 4}
    selection = StabilitySelection(forest, n_per_subsample=2, **options)
    with pytest.warns(UserWarning, match="more than 2 at once in every subsample"):
        selection.fit(X, y > 0)
    assert len(selection.selected_indices_) == 0
    assert StabilitySelection(forest, n_per_subsample=40, **options).fit(X, y > 0).scores_.max() > 0


def test_nothing_stable_selects_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 40)), rng.normal(size=50)
    selection = StabilitySelection(n_per_subsample=2, n_subsamples=20).fit(X, y)
    assert len(selection.selected_indices_) == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selection.transform(X).shape == (50, 0)


@pytest.mark.parametrize(
    "base", [None, L1_LOGISTIC, N3LARS(), LPBoost()], ids=["lasso", "logistic", "n3lars", "lpboost"]
)
@pytest.mark.parametrize("sampling", ["pairs", "halves"])
def test_one_and_two_workers_give_the_same(base, sampling):
    X, y = linear(40, 10)
    base = None if base is None else clone(base)
    one, two = (
        StabilitySelection(base, sampling=sampling, n_subsamples=6, n_jobs=n_jobs).fit(X, y > 0)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.frequencies_, two.frequencies_)
    np.testing.assert_array_equal(one.n_selected_, two.n_selected_)
    np.testing.assert_array_equal(one.selected_indices_, two.selected_indices_)


def test_a_base_without_a_seed_gets_one():
    X, y = linear(40, 10)
    base = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=None)
    runs = [StabilitySelection(base, n_subsamples=4).fit(X, y > 0) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].frequencies_, runs[1].frequencies_)
    assert base.random_state is None


def test_constant_columns_are_never_selected():
    X, y = linear()
    X[:, 5] = 1.0
    selector = StabilitySelection(n_subsamples=6)
    with pytest.warns(ConstantFeatureWarning, match=": x5"):
        selector.fit(X, y)
    assert selector.scores_[5] == 0
    assert selector.ranking_[5] == 40


def test_features_that_are_constant_in_some_halves():
    X, y = linear(40, 9)
    X[:, 0] = np.r_[1.0, np.zeros(39)]
    for base in (None, MaxRelevance(), Lasso()):
        StabilitySelection(base, n_subsamples=6).fit(X, y)


@pytest.mark.parametrize("n_samples", [20, 21])
def test_halves_share_nothing_and_halve_every_class(n_samples):
    classes = np.array(list("aaabbbbccccccccccccccc"))[:n_samples]
    for seed in range(20):
        one, other = half_samples(n_samples, np.random.default_rng(seed), classes=classes)
        assert len(one) == len(other) == n_samples // 2
        assert not set(one) & set(other)
        for name in "abc":
            total = np.sum(classes == name)
            for half in (one, other):
                assert total // 2 <= np.sum(classes[half] == name) <= (total + 1) // 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": Lasso}, "must be a selector or an estimator"),
        ({"estimator": 3}, "must be a selector or an estimator"),
        ({"threshold": 0.5}, "threshold must be None or a number above 0.5 and at most 1"),
        ({"threshold": None}, "Give a threshold"),
        ({"expected_false_selections": 0}, "above 0"),
        ({"expected_false_selections": np.inf}, "None or a number above 0"),
        ({"expected_false_selections": np.nan}, "None or a number above 0"),
        ({"expected_false_selections": 1e-3}, "cannot be kept with 40 features"),
        ({"n_per_subsample": 0}, "n_per_subsample must be"),
        ({"sampling": "bootstrap"}, "sampling must be '"),
        ({"n_subsamples": 7}, "even for pairs"),
        ({"n_subsamples": 1}, "at least 2"),
        ({"n_features_to_select": -1}, "n_features_to_select"),
        ({"estimator": GaussianNB()}, "neither alpha nor C"),
        ({"estimator": Ridge()}, "not sparse"),
        ({"estimator": Ridge(), "n_per_subsample": 40}, "not sparse"),
        ({"estimator": N3LARS(), "parameter": "form"}, "is a selector"),
        ({"estimator": Lasso(), "parameter": "beta"}, "no parameter 'beta'"),
        ({"estimator": Lasso(), "parameter": "tol"}, "Give values"),
        ({"estimator": SGDClassifier(penalty="l1")}, r"Give values=\[...\] for 'alpha'"),
        ({"estimator": MRMR(categorical=[40])}, "categorical must hold"),
        ({"estimator": Lasso(), "values": 0.1}, "must be a list"),
        ({"values": [0.1, 1.0]}, "must fall"),
        ({"estimator": LPBoost(), "values": [1.0, 0.0]}, "nu must be a number above 0"),
        (
            {
                "estimator": GaussianNB(),
                "parameter": "var_smoothing",
                "values": [1e-9],
            },
            "neither coef_ nor feature_importances_",
        ),
        (
            {
                "estimator": make_pipeline(SelectKBest(k=7), Lasso()),
                "parameter": "lasso__alpha",
                "values": [0.1],
            },
            "Lasso has 7 coefficients for 40 features",
        ),
        (
            {"threshold": None, "expected_false_selections": 0.05, "n_per_subsample": 30},
            "no threshold bounds",
        ),
    ],
)
def test_refusals_in_words(options, message):
    X, y = linear()
    with pytest.raises(ValueError, match=message):
        StabilitySelection(**{"n_subsamples": 4, **options}).fit(X, y > 0)


def test_a_bound_beyond_all_features_is_no_limit():
    X, y = linear(40, 9)
    free = StabilitySelection(n_subsamples=4, n_per_subsample=9).fit(X, y)
    for wished in (1e3, 1e308):
        selection = StabilitySelection(n_subsamples=4, expected_false_selections=wished).fit(X, y)
        np.testing.assert_array_equal(selection.frequencies_, free.frequencies_)


def test_a_solved_threshold_goes_further_with_a_limit_of_ones_own():
    X, y = linear()
    selection = StabilitySelection(
        MaxRelevance(),
        threshold=None,
        expected_false_selections=1,
        n_per_subsample=6,
        n_subsamples=4,
    ).fit(X, y)
    assert selection.threshold_ == pytest.approx(0.95)


def test_all_three_given_must_agree():
    X, y = linear()
    with pytest.raises(ValueError, match="a bound of"):
        StabilitySelection(
            threshold=0.75, expected_false_selections=1, n_per_subsample=20, n_subsamples=4
        ).fit(X, y)


def test_too_few_samples_are_refused():
    X, y = linear(7, 9)
    with pytest.raises(ValueError, match="at least 8 samples"):
        StabilitySelection().fit(X, y)
    X, y = linear(20, 9)
    with pytest.raises(ValueError, match="two samples each"):
        StabilitySelection().fit(X, np.r_[1, np.zeros(19, dtype=int)])


def test_standardised_features_do_not_depend_on_their_units():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 12))
    y = (X[:, 2] - X[:, 5] + 0.5 * rng.normal(size=80) > 0).astype(int)
    units = 10.0 ** rng.integers(-3, 4, size=12)
    options = {"n_subsamples": 20, "expected_false_selections": 1}
    base = LogisticRegression(l1_ratio=1.0, solver="liblinear")
    one, other, raw = (
        StabilitySelection(base, standardise=standardise, **options).fit(data, y)
        for standardise, data in ((True, X), (True, X * units), (False, X * units))
    )
    np.testing.assert_allclose(one.frequencies_, other.frequencies_, atol=0.05)
    assert sorted(one.selected_indices_) == sorted(other.selected_indices_) == [2, 5]
    assert not np.allclose(one.frequencies_, raw.frequencies_, atol=0.05)
