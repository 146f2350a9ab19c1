"""The picture of a path: it shows the path's numbers, its names literally, and touches nothing."""

import sys
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from hsieve import BAHSIC, N3LARS, DependenceSelector, HSICLasso, LarsSearch, PairwiseHSIC
from hsieve.report import PathDisplay
from hsieve.report.plots.base import COLOURS, spread
from hsieve.solvers import nonnegative_lars_path
from hsieve.strategies.lars_path import LarsSelectionPath

ODD_NAMES = ["$x_1$", "<script>alert(1)</script>", "a_b^{c", r"\frac{1}{", "--> ]]>", "_hidden"]


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).normal(size=(120, 12))
    return X, X[:, 0] ** 2 + X[:, 3] + np.sin(2 * X[:, 7])


@pytest.fixture(scope="module")
def selector(data):
    return N3LARS(6).fit(*data)


@pytest.fixture(scope="module")
def path_with_exit():
    """A path on which an impure mixture of two features comes in first and leaves for them."""
    mixture = np.zeros(9)
    mixture[[0, 1, 8]] = 2 / 3, 2 / 3, 1 / 3
    parts = np.column_stack([mixture, np.eye(9)[:, :8]])
    target = np.array([1.0, 0.9, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, -0.4])
    gram = parts.T @ parts
    path = nonnegative_lars_path(
        parts.T @ target, lambda rows, columns: gram[np.ix_(rows, columns)], max_features=8
    )
    assert [event.feature for event in path.events if event.kind == "left"] == [0]
    return path


def draw(lars, **options):
    names = [f"f{feature}" for feature in range(lars.n_features)]
    path = LarsSelectionPath(
        order=np.arange(lars.n_features),
        feature_scores=np.zeros(lars.n_features),
        sizes=np.array([8]),
        set_scores=np.zeros(1),
        stop_reason=lars.stop_reason,
        lars=lars,
        relevance=np.zeros(lars.n_features),
        groups=(),
    )
    return PathDisplay(path, feature_names=names, method="Test", n_chosen=8).plot(**options)


def assert_lines_are_the_path(display):
    lars = display.lars
    dense = lars.dense()
    assert len(display.lines_) == len(lars.order)
    for feature, line in zip(lars.order, display.lines_, strict=True):
        assert_array_equal(line.get_xdata(), lars.levels)
        drawn, coefficients = line.get_ydata(), dense[:, feature]
        inside = ~np.isnan(drawn)
        assert_array_equal(drawn[inside], coefficients[inside])
        assert_array_equal(coefficients[~inside], 0.0)
        # Every segment with a coefficient has both its ends, so all of it is drawn.
        positive = np.flatnonzero(coefficients > 0)
        assert inside[positive].all()
        assert inside[positive - 1].all()


@pytest.mark.parametrize("make", [N3LARS, HSICLasso])
def test_lines_carry_exactly_the_path(make, data):
    assert_lines_are_the_path(PathDisplay.from_selector(make(6).fit(*data)))


def test_free_choice_of_the_strategy_is_drawn_too(data):
    free = DependenceSelector(PairwiseHSIC(), strategy=LarsSearch(), n_features_to_select=3)
    assert_lines_are_the_path(PathDisplay.from_selector(free.fit(*data)))


def test_constant_columns_do_not_shift_the_names(data):
    X, y = data
    with pytest.warns(UserWarning, match="constant"):
        fitted = N3LARS(2).fit(np.column_stack([np.ones(len(X)), X]), y)
    display = PathDisplay.from_selector(fitted)
    assert_lines_are_the_path(display)
    assert {label.get_text() for label in display.labels_} == {
        f"x{feature}" for feature in fitted.selected_indices_
    }


def test_feature_that_left_is_thin_and_grey_with_a_cross_where_it_left(path_with_exit):
    display = draw(path_with_exit)
    assert_lines_are_the_path(display)
    exits = [event for event in path_with_exit.events if event.kind == "left"]
    assert_array_equal(display.exits_.get_xdata(), [event.level for event in exits])
    for feature, line in zip(path_with_exit.order, display.lines_, strict=True):
        gone = feature not in path_with_exit.selected
        assert (line.get_linewidth() < 1.0) == gone
        assert (line.get_color() in COLOURS) != gone
    named = {label.get_text() for label in display.labels_}
    assert named == {f"f{feature}" for feature in path_with_exit.selected}
    notes = "".join(text.get_text() for text in display.ax_.texts)
    assert f"left again: f{exits[0].feature}" in notes


def test_level_falls_from_left_to_right(selector):
    display = PathDisplay.from_selector(selector)
    levels = selector.path_.lars.levels
    assert display.ax_.get_xlim() == (levels[0], levels[-1])


def test_title_names_method_and_number_chosen(selector):
    title = PathDisplay.from_selector(selector).ax_.get_title(loc="left")
    assert title == "N3LARS: 6 of 12 features chosen"


@pytest.mark.parametrize("n_labels", [0, 1, 4, 10])
def test_labels_go_to_the_largest_coefficients(selector, n_labels):
    display = PathDisplay.from_selector(selector, n_labels=n_labels)
    names = [f"x{feature}" for feature in selector.selected_indices_[:n_labels]]
    assert [label.get_text() for label in display.labels_][::-1] == names


def test_labels_point_at_the_ends_of_their_lines(selector):
    display = PathDisplay.from_selector(selector)
    for label, feature in zip(display.labels_[::-1], selector.selected_indices_, strict=True):
        assert label.xy == (selector.path_.lars.levels[-1], selector.coef_[feature])


@pytest.mark.parametrize("n_labels", [10, 40])
def test_labels_do_not_overlap(n_labels):
    # Forty features of nearly equal weight: their ends fall together.
    gram = 0.5 + 0.5 * np.eye(40)
    path = nonnegative_lars_path(
        1.0 + 1e-3 * np.arange(40), lambda k, j: gram[np.ix_(k, j)], max_features=40
    )
    display = draw(path, n_labels=n_labels)
    assert len(display.labels_) == n_labels
    display.figure_.draw_without_rendering()
    boxes = [Text.get_window_extent(label) for label in display.labels_]  # without the leader
    for lower, upper in pairwise(boxes):
        assert upper.y0 >= lower.y1


def test_small_axes_name_as_many_as_have_room(path_with_exit):
    figure = Figure(figsize=(3, 1))
    labels = draw(path_with_exit, ax=figure.subplots()).labels_
    assert 0 < len(labels) < len(path_with_exit.selected)


def test_spread_keeps_what_has_room_and_moves_the_rest_least():
    assert_allclose(spread(np.array([0.1, 0.5, 0.9]), 0.2), [0.1, 0.5, 0.9])
    assert_allclose(spread(np.array([0.5, 0.5]), 0.2), [0.4, 0.6])
    assert_allclose(spread(np.zeros(3), 0.2), [0.0, 0.2, 0.4])
    assert_allclose(spread(np.ones(3), 0.2), [0.6, 0.8, 1.0])
    assert len(spread(np.empty(0), 0.2)) == 0


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_odd_names_are_shown_literally(selector, tmp_path, ending):
    names = (ODD_NAMES * 2)[: selector.n_features_in_]
    display = PathDisplay.from_selector(selector, feature_names=names)
    expected = {names[feature] for feature in selector.selected_indices_}
    assert {label.get_text() for label in display.labels_} == expected
    assert not any(label.get_parse_math() for label in display.labels_)
    display.save(tmp_path / f"path{ending}")
    if ending == ".svg":
        tree = ElementTree.parse(tmp_path / "path.svg")
        assert not [element for element in tree.iter() if str(element.tag).endswith("script")]


def test_long_and_broken_names_take_one_short_line(selector):
    names = [f"gene_{i}_" + "x" * 200 + f"\n\x07_{i}" for i in range(12)]
    display = PathDisplay.from_selector(selector, feature_names=names)
    for label, feature in zip(display.labels_[::-1], selector.selected_indices_, strict=True):
        text = label.get_text()
        assert len(text) == 28
        assert text.isprintable()
        assert text.startswith(f"gene_{feature}_")
        assert text.endswith(rf"\n\x07_{feature}")
        assert "…" in text


def test_script_that_the_font_lacks_is_no_warning(selector, tmp_path):
    names = [f"遺伝子{i}" for i in range(12)]
    PathDisplay.from_selector(selector, feature_names=names).save(tmp_path / "path.png")


def test_names_of_a_frame_are_taken(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(12)])
    labels = PathDisplay.from_selector(N3LARS(2).fit(frame, y)).labels_
    assert all(label.get_text().startswith("column ") for label in labels)


def test_given_axes_are_drawn_on(selector):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = PathDisplay.from_selector(selector, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.lines
    again = display.plot(left)
    assert again is display
    assert display.ax_ is left


@pytest.mark.parametrize(
    ("relevance", "n_lines"), [([1.0, 1.0, 1.0], 1), ([0.0, 0.0, 0.0], 0), ([1.0, 0.5, 0.2], 1)]
)
def test_shortest_paths_can_be_drawn(relevance, n_lines, tmp_path):
    path = nonnegative_lars_path(relevance, lambda k, j: np.eye(3)[np.ix_(k, j)], max_features=1)
    display = draw(path)
    assert len(display.lines_) == n_lines
    display.save(tmp_path / "path.png")


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_same_path_gives_the_same_file(selector, tmp_path, ending):
    files = [tmp_path / f"{name}{ending}" for name in ("first", "second")]
    for file in files:
        PathDisplay.from_selector(selector).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == files


def test_failed_save_leaves_the_old_file(selector, tmp_path, monkeypatch):
    file = tmp_path / "path.png"
    file.write_text("old")
    display = PathDisplay.from_selector(selector)

    def fail(path, **_):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(display.figure_, "savefig", fail)
    with pytest.raises(OSError, match="No space"):
        display.save(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["path.jpg", "path", "absent/path.png"])
def test_bad_file_is_refused(selector, tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.png or|does not exist"):
        PathDisplay.from_selector(selector).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_selector_without_a_path_is_refused_by_name(data):
    with pytest.raises(TypeError, match="BAHSIC follows no regularisation path; accepted are"):
        PathDisplay.from_selector(BAHSIC(2).fit(*data))


def test_selector_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        PathDisplay.from_selector(N3LARS(2))


def test_wrong_number_of_names_or_labels_is_refused(selector):
    with pytest.raises(ValueError, match="must hold 12 names, one for each feature, got 2"):
        PathDisplay.from_selector(selector, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="n_labels must be an integer of at least 0, got -1"):
        PathDisplay.from_selector(selector, n_labels=-1)


def test_missing_matplotlib_says_what_to_install(selector, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "hsieve\[report\]"'):
        PathDisplay.from_selector(selector)


def test_a_notebook_shows_the_picture(selector):
    shown = PathDisplay.from_selector(selector)._repr_png_()
    assert shown.startswith(b"\x89PNG")
