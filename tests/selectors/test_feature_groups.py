"""Features of a group are selected together or not at all."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import hsieve
from hsieve import (
    BAHSIC,
    FOHSIC,
    HSIC,
    N3LARS,
    HSICLasso,
    KernelPursuit,
    KnockoffSelector,
    MaxRelevance,
    PairwiseHSIC,
    StabilitySelection,
    kernels,
)
from hsieve.exceptions import FewerFeaturesWarning
from tests.cli.running import invoke
from tests.reference import naive

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 10))
Y = np.abs(X[:, 1]) + X[:, 2] ** 2 + X[:, 7] + 0.1 * RNG.normal(size=200)
GROUPS = {"a": [0, 1, 2], "b": [3, 4]}
LABELS = ["a", "a", "a", "b", "b", "x5", "x6", "x7", "x8", "x9"]
CURVES = (np.abs, np.square, np.cos, lambda x: np.sin(2 * x), lambda x: np.exp(-(x**2)))


def standard(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_kernel_of_a_group_is_the_sum_over_its_members(weighted):
    data, y = X[:40], X[:40, 9]
    groups = [np.array([0, 5, 1]), np.array([3, 4]), np.array([7])]
    weight = np.ones(40) if weighted else None
    bound = PairwiseHSIC(normalised=False).bind(data, y, weight, feature_groups=groups)
    grams = [
        sum(naive.gaussian_gram(standard(data[:, [j]]), 1.0) for j in group) / len(group) ** 0.5
        for group in groups
    ]
    L = naive.gaussian_gram(standard(y[:, None]), 1.0)
    scale = 39**2
    expected = [scale * naive.biased_hsic(K, L) for K in grams]
    np.testing.assert_allclose(bound.relevance([0, 1, 2]), expected, rtol=2e-3)
    expected = [[scale * naive.biased_hsic(K, other) for other in grams[:2]] for K in grams]
    np.testing.assert_allclose(bound.redundancy([0, 1, 2], [0, 1]), expected, rtol=2e-3)
    normalised = PairwiseHSIC().bind(data, y, weight, feature_groups=groups)
    np.testing.assert_allclose(normalised.redundancy([0], [0]), 1.0, rtol=1e-5)


@pytest.mark.parametrize("categorical", [(), (9,)])
@pytest.mark.parametrize("kernel", [None, kernels.Gaussian("narrow"), kernels.Linear()])
def test_sets_of_groups_have_a_joint_kernel(kernel, categorical):
    """Each change of a set is that of the literal kernels before and after it."""
    data = X[:40].copy()
    data[:, 9] = np.arange(40) % 3
    groups = [np.array([0, 5, 1]), np.array([3, 4]), np.array([7])]
    groups.append(np.array([9]) if categorical else np.array([2, 9]))
    measure = HSIC(estimator="biased", kernel_x=kernel, categorical=categorical)
    bound = measure.bind(data, Y[:40], feature_groups=groups)
    subset = np.array([0, 2, 3])
    without = [bound.subset_score(np.setdiff1d(subset, [one])) for one in subset]
    added = bound.subset_score([0, 1, 2, 3])
    if kernel is None or isinstance(kernel, kernels.Gaussian):
        # The width stays that of the set before.
        bound = replace(bound, kernel=kernels.Gaussian(1.5))
        without = [bound.subset_score(np.setdiff1d(subset, [one])) for one in subset]
        added = bound.subset_score([0, 1, 2, 3])
        x = np.hstack([standard(data[:, group]) / len(group) ** 0.5 for group in groups[:3]])
        K = naive.gaussian_gram(x, 1.5)
        expected = naive.biased_hsic(K, bound.gram_y)
        assert bound.subset_score([0, 1, 2]) == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(bound.removal_scores(subset), without, rtol=1e-9)
    np.testing.assert_allclose(bound.addition_scores(subset, [1]), [added], rtol=1e-9)


@pytest.mark.parametrize("kind", [BAHSIC, FOHSIC])
@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_searches_for_sets_take_groups(kind, estimator):
    selector = kind(2, estimator=estimator, feature_groups=GROUPS).fit(X, Y)
    assert set(selector.selected_groups_) == {"x7", "a"}
    assert sorted(selector.selected_indices_) == [0, 1, 2, 7]
    plain = kind(2, estimator=estimator, feature_groups=list(range(10))).fit(X, Y)
    expected = kind(2, estimator=estimator).fit(X, Y)
    assert plain.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_allclose(plain.scores_, expected.scores_, rtol=1e-4, atol=1e-9)


def draw(seed, n_samples=1000, n_true=5):
    """50 groups of 2 to 30 features; in each true one up to three act by curves."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 31, size=50)
    labels = np.repeat(np.arange(50), sizes)
    features = rng.normal(size=(n_samples, len(labels)))
    true = rng.choice(50, n_true, replace=False)
    y = 0.5 * rng.normal(size=n_samples)
    for group in true:
        members = np.flatnonzero(labels == group)
        acting = rng.choice(members, min(3, len(members)), replace=False)
        y += standard(sum(CURVES[rng.integers(5)](features[:, one]) for one in acting))
    return features, y, labels, set(map(str, true))


@pytest.mark.parametrize("kind", [N3LARS, HSICLasso, MaxRelevance])
def test_true_groups_among_fifty_come_first(kind):
    found = 0
    for seed in range(20):
        features, y, labels, true = draw(seed)
        selector = kind(5, feature_groups=labels).fit(features, y)
        found += set(selector.selected_groups_) == true
    assert found >= 19


def test_one_hot_columns_are_never_split():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    text = pandas.DataFrame(rng.choice(list("abcde"), size=(300, 6)), columns=list("uvwxyz"))
    y = (text["v"].isin(["a", "c"])).astype(float) + 0.3 * rng.normal(size=300)
    table = pandas.get_dummies(text, dtype=float)
    labels = [name.rsplit("_", 1)[0] for name in table.columns]
    for n_groups in range(1, 6):
        selector = N3LARS(n_groups, feature_groups=labels).fit(table, y)
        kept = [labels[feature] for feature in np.flatnonzero(selector.support_)]
        assert len(set(kept)) == n_groups
        assert all(kept.count(label) == 5 for label in kept)
        assert selector.selected_groups_[0] == "v"
        assert selector.transform(table).shape == (300, 5 * n_groups)


@pytest.mark.parametrize("kind", [N3LARS, HSICLasso, MaxRelevance])
def test_a_mapping_and_labels_are_the_same(kind):
    one = kind(2, feature_groups=GROUPS).fit(X, Y)
    other = kind(2, feature_groups=LABELS).fit(X, Y)
    assert one.selected_groups_ == other.selected_groups_ == ["x7", "a"]
    assert one.selected_indices_.tolist() == other.selected_indices_.tolist() == [7, 0, 1, 2]
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert len(set(one.scores_[:3])) == 1
    assert sorted(one.ranking_) == list(range(1, 11))
    assert one.feature_groups_["a"].tolist() == [0, 1, 2]


def test_groups_of_one_are_plain_features():
    grouped = N3LARS(3, feature_groups=[f"x{i}" for i in range(10)]).fit(X, Y)
    plain = N3LARS(3).fit(X, Y)
    assert grouped.selected_indices_.tolist() == plain.selected_indices_.tolist()
    np.testing.assert_allclose(grouped.scores_, plain.scores_, rtol=1e-5)
    np.testing.assert_allclose(grouped.relevance_, plain.relevance_, rtol=1e-5)


def test_groups_and_weights_go_together():
    counts = np.random.default_rng(1).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), counts)
    once = N3LARS(2, feature_groups=GROUPS).fit(X, Y, sample_weight=counts)
    copied = N3LARS(2, feature_groups=GROUPS).fit(
        X[rows], Y[rows], sample_weight=np.ones(len(rows))
    )
    np.testing.assert_allclose(once.scores_, copied.scores_, rtol=1e-10)


def test_constant_members_stay_out_and_too_few_groups_are_told():
    data = X.copy()
    data[:, 1] = 1.0
    with pytest.warns(UserWarning, match="constant"), pytest.warns(FewerFeaturesWarning, match="7"):
        selector = N3LARS(9, feature_groups=GROUPS).fit(data, Y)
    assert selector.constant_features_.tolist() == [1]
    assert 1 not in selector.selected_indices_
    assert len(selector.selected_groups_) == 7


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ({"a": [0, 0]}, "'x0' more than once"),
        ({"a": [0], "b": [1, 0]}, "'x0' more than once"),
        ({"a": []}, "no column for the group 'a'"),
        ({"x3": [0]}, "calls a group 'x3'"),
        ([1, 2], "one label for each of 10 features, got 2"),
        ("ab", "must be None or a mapping"),
        ({"a": [11]}, "positions below 10"),
    ],
)
def test_wrong_groups_are_refused(groups, why):
    with pytest.raises(ValueError, match=why):
        N3LARS(2, feature_groups=groups).fit(X, Y)


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        (N3LARS(2, covariates=[1]), "no covariates with feature_groups"),
        (N3LARS(2, interactions="pairs"), "no interactions with feature_groups"),
        (N3LARS(2, engine="threads"), "no engine with feature_groups"),
        (N3LARS("alignment"), "give the number of groups"),
        (N3LARS(2, form="coded"), "form='coded'"),
        (MaxRelevance(2, measure=hsieve.Pearson()), r"no feature_groups with Pearson\(\)"),
    ],
)
def test_what_knows_no_groups_refuses_them(selector, why):
    with pytest.raises(ValueError, match=why):
        selector.set_params(feature_groups=GROUPS).fit(X, Y)


@pytest.mark.parametrize("outer", [StabilitySelection, KnockoffSelector])
def test_selectors_of_single_features_take_no_base_with_groups(outer):
    with pytest.raises(ValueError, match=f"{outer.__name__} selects single features"):
        outer(N3LARS(2, feature_groups=GROUPS)).fit(X, Y)


def test_a_selector_with_groups_is_like_any_other():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"gene {i}" for i in range(10)])
    groups = {"path": ["gene 0", "gene 1", "gene 2"]}
    selector = clone(N3LARS(2, feature_groups=groups)).set_output(transform="pandas")
    found = pickle.loads(pickle.dumps(selector.fit(frame, Y))).transform(frame)
    assert found.columns.tolist() == ["gene 0", "gene 1", "gene 2", "gene 7"]
    assert selector.to_frame()["rank"].loc["gene 7"] == 1
    data = hsieve.Dataset.from_frame(frame.assign(y=Y), "y")
    for kind in (N3LARS, MaxRelevance):
        again = kind(2, feature_groups=groups).fit(data)
        assert again.selected_groups_ == selector.selected_groups_ == ["gene 7", "path"]
    search = GridSearchCV(
        make_pipeline(selector, RandomForestRegressor(10, random_state=0)),
        {"n3lars__feature_groups": [groups, None]},
        cv=3,
    )
    assert search.fit(frame, Y).best_score_ > 0


def test_select_and_report_name_groups_and_members(tmp_path):
    found = hsieve.select(X, Y, feature_groups=GROUPS, n_features_to_select=2)
    assert found.features == ("x7", "x0", "x1", "x2")
    assert any("'x7' and 'a'" in reason for reason in found.reasons)
    summary = str(found.selector.summary(X, Y))
    assert "Group a: x2" in summary
    found.report(X, Y).save(tmp_path / "page.html")
    assert "Group a: x2" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="feature_groups does not work with pursuit"):
        hsieve.select(X, Y, feature_groups=GROUPS, method="pursuit")
    with pytest.raises(ValueError, match="KernelPursuit takes no feature_groups"):
        hsieve.select(X, Y, feature_groups=GROUPS, method=KernelPursuit())
    with pytest.raises(ValueError, match="knockoffs"):
        hsieve.select(X, Y, feature_groups=GROUPS, fdr=0.1)


def test_the_command_line_reads_groups_from_a_file(tmp_path):
    table, groups = tmp_path / "table.csv", tmp_path / "groups.csv"
    header = ",".join([*(f"x{i}" for i in range(10)), "y"])
    np.savetxt(table, np.column_stack([X, Y]), delimiter=",", header=header, comments="")
    groups.write_text("feature,group\nx0,a\nx1,a\nx2,a\nx3,b\nx4,b\n", encoding="utf-8")
    options = ("select", table, "-t", "y", "-k", 2, "-q", "--feature-groups", groups)
    for method in ("n3lars", "auto"):
        assert invoke(*options, "-m", method).stdout.split() == ["x7", "x0", "x1", "x2"]
    assert "Group a" in invoke(*(one for one in options if one != "-q"), "-m", "n3lars").stdout
    refused = " ".join(invoke(*options, "-m", "pursuit").output.split())
    assert "--feature-groups does not work with pursuit" in refused
    groups.write_text("feature\nx0\n", encoding="utf-8")
    assert "columns feature and group" in " ".join(invoke(*options).output.split())
