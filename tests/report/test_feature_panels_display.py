"""Panels of features against the target: which picture, and that it shows the data."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SelectKBest

from hsieve import BAHSIC, N3LARS, InteractionScan, kernels
from hsieve.data.arrays import as_blocks
from hsieve.report import FeaturePanelsDisplay, RedundancyDisplay
from hsieve.report.plots.panels import MANY_POINTS
from hsieve.report.shapes import levels_of, smooth_curve, view_limits


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    X[:, 1] = rng.integers(0, 10, 200)  # a category of ten levels
    X[:, 2] = rng.integers(0, 3, 200)  # a number of three values
    return X, X[:, 0] ** 2 + (X[:, 1] > 6) + X[:, 2] + X[:, 3]


@pytest.fixture(scope="module")
def classes(data):
    return np.array(["low", "high"])[(data[1] > np.median(data[1])).astype(int)]


def kinds_by_feature(display, selector):
    return dict(zip(selector.selected_indices_.tolist(), display.kinds_, strict=True))


def draw(X, y, **options):
    """Draw all features in their order."""
    n_features = X.shape[1]
    display = FeaturePanelsDisplay(
        X,
        y,
        feature_names=[f"x{j}" for j in range(n_features)],
        categorical=[False] * n_features,
        target_kind="continuous" if y.dtype.kind == "f" else "classes",
    )
    return display.plot(**options)


def test_each_pair_of_kinds_has_its_own_picture(data, classes):
    X, y = data
    numbers = N3LARS(4, categorical=[1]).fit(X, y)
    kinds = kinds_by_feature(FeaturePanelsDisplay.from_selector(numbers, X, y), numbers)
    assert kinds[0] == kinds[3] == "points"
    assert kinds[1] == kinds[2] == "violins"
    labels = N3LARS(4, categorical=[1]).fit(X, classes)
    kinds = kinds_by_feature(FeaturePanelsDisplay.from_selector(labels, X, classes), labels)
    assert kinds[0] == kinds[3] == "violins"
    assert kinds[1] == kinds[2] == "fractions"


def test_panels_are_in_order_of_rank_with_their_names(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene ${j}" for j in range(6)])
    selector = N3LARS(5).fit(frame, y)
    display = FeaturePanelsDisplay.from_selector(selector, frame, y, n_panels=3, target_name="t")
    titles = [panel.get_title(loc="left").split("  ") for panel in display.axes_]
    expected = [[str(k + 1), f"gene ${f}"] for k, f in enumerate(selector.selected_indices_[:3])]
    assert titles == expected
    assert display.axes_[0].get_ylabel() == "t"
    assert display.figure_._suptitle.get_text() == (
        "N3LARS: 5 of 6 features chosen, the best 3 shown"
    )


def test_points_and_smooth_are_those_of_the_feature(data):
    X, y = data
    display = draw(X[:, [0]], y)
    (drawn,) = display.drawn_
    assert_allclose(drawn["points"].get_offsets(), np.column_stack([X[:, 0], y]))
    assert_allclose(drawn["smooth"].get_ydata(), smooth_curve(X[:, 0], y)[1])
    assert draw(X[:, [0]], y, smooth=False).drawn_[0]["smooth"] is None


def test_many_samples_are_counted_in_hexagons():
    rng = np.random.default_rng(0)
    n = MANY_POINTS + 1
    drawn = draw(rng.normal(size=(n, 1)), rng.normal(size=n)).drawn_[0]
    counts = drawn["hexagons"].get_array()
    assert counts.sum() == n
    assert "points" not in drawn


def test_violins_show_the_quartiles_of_each_class(data, classes):
    X = data[0]
    display = draw(X[:, [0]], classes)
    groups = display.drawn_[0]["groups"]
    for name, group in zip(np.unique(classes), groups, strict=True):
        own = X[classes == name, 0]
        assert_allclose(group["quantiles"][1:4], np.quantile(own, [0.25, 0.5, 0.75]), rtol=1e-4)
    panel = display.axes_[0]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["high", "low"]
    bars = [line.get_xdata() for line in panel.lines if line.get_linewidth() == 2.5]
    assert_allclose(bars, [np.take(group["quantiles"], [1, 3]) for group in groups])


def test_upright_violins_are_those_of_the_target_at_each_value(data):
    X, y = data
    display = draw(X[:, [2]], y)
    for level, group in enumerate(display.drawn_[0]["groups"]):
        assert_allclose(group["quantiles"][2], np.median(y[X[:, 2] == level]), rtol=1e-5)
    labels = [label.get_text() for label in display.axes_[0].get_xticklabels()]
    assert labels == ["0", "1", "2"]


def test_mosaic_shows_shares_of_classes_in_bars_as_wide_as_the_category(data, classes):
    X = data[0]
    display = draw(X[:, [2]], classes)
    counts = pd.crosstab(X[:, 2], classes)
    shown = [level["fractions"] for level in display.drawn_[0]["levels"]]
    assert_allclose(shown, counts.div(counts.sum(axis=1), axis=0), rtol=1e-5)
    bars = display.axes_[0].patches
    widths = np.array([bar.get_width() for bar in bars])
    heights = np.array([bar.get_height() for bar in bars])
    assert_allclose(widths[:3], counts.sum(axis=1) / 200)
    assert_allclose(
        (widths * heights).reshape(2, 3).T, counts / 200, rtol=1e-5
    )  # areas are frequencies
    names = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert names == ["high", "low"]


def test_many_levels_become_the_frequent_ones_and_the_others():
    values = np.repeat(np.arange(10), np.arange(1, 11))
    levels = levels_of(values, 4)
    assert levels.names == ["7", "8", "9", "other (7)"]
    assert_array_equal(levels.counts, [8, 9, 10, 28])
    assert levels_of(values, 10).names == [str(level) for level in range(10)]


def test_missing_values_are_left_out_and_told(data):
    X, y = data[0][:, [0]].copy(), data[1]
    X[:7] = np.nan
    display = draw(X, y)
    assert len(display.drawn_[0]["points"].get_offsets()) == 193
    assert display.axes_[0].get_xlabel() == "7 missing"
    everything = np.full_like(X, np.nan)
    assert draw(everything, y).axes_[0].get_xlabel() == "200 missing"


def test_missing_values_of_a_selector_that_takes_them_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(80, 5)).astype(float)
    y = (X[:, 0] + X[:, 1]).astype(int) % 2
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    selector = InteractionScan(2, missing="category").fit(X, y)
    display = FeaturePanelsDisplay.from_selector(selector, X, y)
    n_missing = np.isnan(X[:, selector.selected_indices_]).sum(axis=0)
    assert [panel.get_xlabel() for panel in display.axes_] == [f"{n} missing" for n in n_missing]


def test_a_far_outlier_does_not_hide_the_others(data):
    X, y = data[0][:, [0]].copy(), data[1]
    X[3] = 1e5
    panel = draw(X, y).axes_[0]
    assert panel.get_xlim()[1] < 10
    assert panel.get_xlabel() == "1 further out"
    low, high = view_limits(np.arange(100.0))
    assert low < 0
    assert high > 99
    assert view_limits(np.full(5, 2.0))[0] < 2.0 < view_limits(np.full(5, 2.0))[1]


def test_smooth_follows_the_curve_whatever_the_scale():
    rng = np.random.default_rng(0)
    x = np.exp(1.5 * rng.normal(size=2000))
    places, heights = smooth_curve(x, np.log(x) + 0.3 * rng.normal(size=2000))
    middle = (places > 0.1) & (places < 10)
    assert_allclose(heights[middle], np.log(places[middle]), atol=0.15)
    assert (np.diff(places) > 0).all()
    flat = smooth_curve(x, np.full(2000, 3.0))
    assert_allclose(flat[1], 3.0)
    assert smooth_curve(np.repeat([0.0, 1.0, 2.0, 3.0], 20), rng.normal(size=80)) is None
    noise = smooth_curve(x, rng.normal(size=2000))[1]
    assert np.abs(noise).max() < 0.5


@pytest.mark.parametrize(("n_panels", "columns"), [(1, 1), (2, 2), (5, 3), (6, 3), (12, 4)])
def test_panels_stand_in_a_grid_without_empty_axes(n_panels, columns):
    X = np.random.default_rng(0).normal(size=(20, n_panels))
    display = draw(X, X[:, 0])
    assert len(display.axes_) == len(display.figure_.axes) == n_panels
    assert display.axes_[0].get_gridspec().ncols == columns


def test_names_do_not_overlap_the_neighbours(data, classes):
    X = data[0]
    display = draw(X[:, [0, 2, 3, 4, 5]], np.where(classes == "low", "a long class name", classes))
    display.figure_.draw_without_rendering()
    boxes = [panel.get_tightbbox() for panel in display.axes_]
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])


def test_given_axes_of_a_grid_hold_the_panels(data):
    X, y = data
    selector = N3LARS(3).fit(X, y)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = FeaturePanelsDisplay.from_selector(selector, X, y, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.collections
    for panel in display.axes_:
        assert panel.get_position().x0 * panel.figure.bbox.width + panel.figure.bbox.x0 > (
            left.get_window_extent().x1
        )
    with pytest.raises(ValueError, match="these axes stand alone"):
        display.plot(Figure().add_axes((0, 0, 1, 1)))


def test_blocks_and_selectors_of_other_makers_are_taken(data, classes):
    X, y = data
    selector = N3LARS(2).fit(X, y)
    from_blocks = FeaturePanelsDisplay.from_selector(selector, as_blocks(X), y)
    assert_allclose(from_blocks.X, X[:, selector.selected_indices_])
    best = SelectKBest(k=2).fit(X, classes)
    display = FeaturePanelsDisplay.from_selector(best, X, classes)
    assert_allclose(display.X, X[:, best.get_support()])


def test_what_cannot_be_drawn_is_refused_in_words(data):
    X, y = data
    selector = N3LARS(2).fit(X, y)
    with pytest.raises(ValueError, match="y has 2 outputs; give the one to draw"):
        FeaturePanelsDisplay.from_selector(selector, X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="X has 200 samples but y has 20"):
        FeaturePanelsDisplay.from_selector(selector, X, y[:20])
    with pytest.raises(ValueError, match="n_panels must be an integer"):
        FeaturePanelsDisplay.from_selector(selector, X, y, n_panels=0)
    with pytest.raises(ValueError, match="3 features"):
        FeaturePanelsDisplay.from_selector(selector, X[:, :3], y)
    gram = np.outer(y, y)
    structured = BAHSIC(2, kernel_y=kernels.Precomputed()).fit(X, gram)
    with pytest.raises(ValueError, match="not a Gram matrix"):
        FeaturePanelsDisplay.from_selector(structured, X, gram)


def test_categories_of_a_data_frame_are_drawn_by_their_names(rng):
    clinic = rng.choice(["north", "south", "west"], size=200)
    frame = pd.DataFrame({"age": rng.normal(size=200), "clinic": pd.Categorical(clinic)})
    y = frame["age"] + (clinic == "south")
    selector = N3LARS(2).fit(frame, y)
    display = FeaturePanelsDisplay.from_selector(selector, frame, y)
    place = selector.selected_indices_.tolist().index(1)
    assert display.kinds_[place] == "violins"
    labels = [label.get_text() for label in display.axes_[place].get_xticklabels()]
    assert labels == ["north", "south", "west"]


def test_other_pictures_take_the_data_frame_of_the_fit(rng):
    numbers = rng.normal(size=(150, 3))
    codes = rng.integers(0, 3, size=150)
    frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
    frame["d"] = pd.Categorical.from_codes(codes, ["x", "y", "z"])
    y = numbers[:, 0] + (codes == 1)
    selector = N3LARS(2).fit(frame, y)
    plain = np.column_stack([numbers, codes])
    same = N3LARS(2, categorical=[3]).fit(plain, y)
    found = RedundancyDisplay.from_selector(selector, frame, y).shares
    assert_allclose(found, RedundancyDisplay.from_selector(same, plain, y).shares)
