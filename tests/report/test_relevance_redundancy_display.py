"""Relevance against redundancy: points are the measure's numbers, tags the ranks of the chosen."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso

from hsieve import (
    BAHSIC,
    HSIC,
    N3LARS,
    IncompatibleCombinationError,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    StabilitySelection,
    kernels,
    nhsic,
)
from hsieve.data.arrays import as_blocks
from hsieve.report import RelevanceRedundancyDisplay
from hsieve.report.plots.relevance_redundancy import as_ranges, number_points


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).normal(size=(120, 12))
    X[:, 5] = X[:, 0] + 0.05 * X[:, 5]
    return X, X[:, 0] ** 2 + X[:, 3] + np.sin(2 * X[:, 7])


@pytest.fixture(scope="module")
def selector(data):
    return N3LARS(4).fit(*data)


def draw(selector, data, **options):
    return RelevanceRedundancyDisplay.from_selector(selector, *data, **options)


def points_of(display, n_features):
    points = np.empty((n_features, 2))
    others = np.setdiff1d(np.arange(n_features), display.chosen)
    points[display.chosen] = display.chosen_points_.get_offsets()
    points[others] = display.other_points_.get_offsets()
    return points


def test_points_are_nhsic_with_the_target_and_with_the_nearest_other_chosen_feature(selector, data):
    X, y = data
    points = points_of(draw(selector, data), 12)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    target = (y - y.mean()) / y.std()
    one = {"kernel_x": kernels.Gaussian(1.0), "kernel_y": kernels.Gaussian(1.0)}
    for feature in range(12):
        relevance = nhsic(scaled[:, [feature]], target, **one)
        shares = [
            nhsic(scaled[:, [feature]], scaled[:, other], **one)
            for other in selector.selected_indices_
            if other != feature
        ]
        assert_allclose(points[feature], [relevance, max(shares)], atol=1e-4)


@pytest.mark.parametrize(
    "measure",
    [
        PairwiseHSIC(normalised=False),
        Pearson(),
        MutualInformation(estimator="copula"),
        MutualInformation(estimator="discretised"),
    ],
)
@pytest.mark.parametrize("reduction", ["largest", "mean"])
def test_any_pairwise_measure_gives_its_own_numbers(selector, data, measure, reduction):
    points = points_of(draw(selector, data, measure=measure, reduction=reduction), 12)
    bound = measure.bind(*data)
    assert_allclose(points[:, 0], bound.relevance(np.arange(12)))
    chosen = selector.selected_indices_
    for feature in range(12):
        others = chosen[chosen != feature]
        shares = bound.redundancy(np.array([feature]), others)
        expected = shares.max() if reduction == "largest" else shares.mean()
        assert_allclose(points[feature, 1], expected, rtol=1e-6)


def test_key_lists_the_chosen_best_first_and_tags_number_them(selector, data):
    display = draw(selector, data)
    names = [label.get_text().split() for label in display.labels_]
    assert names == [[str(i + 1), f"x{f}"] for i, f in enumerate(selector.selected_indices_)]
    numbered = ", ".join(tag.get_text() for tag in display.tags_)
    assert sorted(numbered.split(", "), key=int) == ["1", "2", "3", "4"]
    assert display.ax_.get_title(loc="left") == "N3LARS: 4 of 12 features chosen"
    assert "NHSIC" in display.ax_.get_xlabel()


def test_a_single_chosen_feature_has_no_redundancy(data):
    display = draw(N3LARS(1).fit(*data), data)
    assert display.chosen_points_.get_offsets()[0, 1] == 0.0


def test_all_features_chosen_can_be_drawn(data):
    X, y = data[0][:, :3], data[1]
    display = draw(N3LARS(3).fit(X, y), (X, y))
    assert len(display.other_points_.get_offsets()) == 0


def test_columns_in_blocks_and_selectors_of_other_makers_are_taken(selector, data):
    X, y = data
    blocks = draw(selector, (as_blocks(X), y))
    assert_allclose(points_of(blocks, 12), points_of(draw(selector, data), 12))
    best = SelectKBest(k=2).fit(X, y > 0)
    display = draw(best, (X, y > 0))
    assert_array_equal(display.chosen, np.flatnonzero(best.get_support()))


def test_categories_and_target_kind_of_the_selector_are_known(data):
    X = data[0].copy()
    X[:, 2] = np.digitize(X[:, 2], [-0.5, 0.5])
    y = (X[:, 2] == 1).astype(int)
    free = draw(BAHSIC(2, categorical=[2], target_kind="classes").fit(X, y), (X, y))
    bound = PairwiseHSIC(categorical=[2], target_kind="classes").bind(X, y)
    assert_allclose(points_of(free, 12)[:, 0], bound.relevance(np.arange(12)))


def test_tags_do_not_cover_each_other():
    ax = Figure(dpi=100).subplots()
    points = np.random.default_rng(0).uniform(size=(25, 2))
    tags = number_points(ax, points, others=np.random.default_rng(1).uniform(size=(200, 2)))
    ax.figure.draw_without_rendering()
    boxes = [tag.get_window_extent().padded(-1.0) for tag in tags]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_points_on_each_other_share_one_tag():
    ax = Figure().subplots()
    tags = number_points(ax, [[0.2, 0.2], [0.8, 0.8], [0.2, 0.2], [0.8, 0.8], [0.8, 0.801]])
    assert [tag.get_text() for tag in tags] == ["1, 3", "2, 4, 5"]
    assert as_ranges([2, 3, 4, 7]) == "2–4, 7"


def test_small_axes_name_as_many_as_have_room(selector, data):
    ax = Figure(figsize=(3, 0.8)).subplots()
    display = draw(selector, data, ax=ax)
    assert display.ax_ is ax
    assert 0 < len(display.labels_) < 4
    notes = "".join(text.get_text() for text in ax.texts)
    assert f"{4 - len(display.labels_)} more chosen without a number" in notes


def test_what_cannot_be_drawn_is_refused_in_words(selector, data):
    X, y = data
    with pytest.raises(IncompatibleCombinationError, match="needs a pairwise measure, such as"):
        draw(selector, data, measure=HSIC())
    with pytest.raises(ValueError, match="reduction must be 'largest' or 'mean', got"):
        draw(selector, data, reduction="least")
    with pytest.raises(ValueError, match="X has 5 features"):
        draw(selector, (X[:, :5], y))
    with pytest.raises(TypeError, match="A fitted selector is needed"):
        draw(Lasso().fit(X, y), data)
    gram = np.outer(y, y)
    structured = BAHSIC(2, kernel_y=kernels.Precomputed()).fit(X, gram)
    with pytest.raises(ValueError, match="the target is a Gram matrix"):
        draw(structured, (X, gram))
    with pytest.raises(ValueError, match="X has 120 samples but y has 60"):
        draw(selector, (X, y[:60]))


def test_an_empty_selection_is_refused_in_words(data):
    X = data[0]
    y = np.random.default_rng(5).normal(size=len(X))
    empty = StabilitySelection(threshold=1.0, n_per_subsample=1, n_subsamples=40).fit(X, y)
    assert not len(empty.selected_indices_)
    with pytest.raises(ValueError, match="StabilitySelection chose no feature"):
        draw(empty, (X, y))
