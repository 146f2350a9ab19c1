"""Displays: the numbers of the report, files, notebooks, literal names, words that do not meet."""

import subprocess
import sys
from itertools import combinations, pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest

import hsieve.report
from hsieve import BAHSIC, N3LARS, KernelPursuit, RandSel, StabilitySelection, band_hsic
from hsieve.datasets import make_frequency_bands
from hsieve.report import (
    AlignmentDisplay,
    ContributionsDisplay,
    FeaturePanelsDisplay,
    FrequencyBandsDisplay,
    PathDisplay,
    RedundancyDisplay,
    RelevanceRedundancyDisplay,
    StabilityDisplay,
)
from hsieve.report.displays import Display, cell_edges
from hsieve.report.drawing import COLOURS, name_marks, spread

ODD = ["$x_1$", "<script>", "a_b^{c", r"\frac{1}{", "--> ]]>", "_hidden", "two\nlines", "遺伝子"]


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    X[:, 5] = rng.integers(0, 3, size=80)
    y = X[:, 0] ** 2 + X[:, 3] + X[:, 5] + 0.1 * rng.normal(size=80)
    classes = np.array(["<low>", "$high$"])[(y > np.median(y)).astype(int)]
    return SimpleNamespace(
        X=X,
        y=y,
        classes=classes,
        path=N3LARS(6).fit(X, y),
        classified=N3LARS(5).fit(X, classes),
        stable=StabilitySelection(n_features_to_select=4, n_subsamples=10).fit(X, y),
        randomised=RandSel(4, n_rounds=4).fit(X, y),
        ruled=BAHSIC("guarded").fit(X, y),
        pursued=KernelPursuit().fit(X, y),
        bands=band_hsic(X, y),
    )


# The display, the selector that it shows, and what else it is given.
SHOWN = {
    "path": (PathDisplay, "path", ()),
    "landscape": (RelevanceRedundancyDisplay, "path", ("X", "y")),
    "heat": (RedundancyDisplay, "path", ("X", "y")),
    "stability": (StabilityDisplay, "stable", ()),
    "contributions": (ContributionsDisplay, "randomised", ()),
    "number": (AlignmentDisplay, "ruled", ()),
    "explained": (AlignmentDisplay, "pursued", ()),
    "panels": (FeaturePanelsDisplay, "path", ("X", "y")),
    "panels of classes": (FeaturePanelsDisplay, "classified", ("X", "classes")),
}


@pytest.fixture(params=[*SHOWN, "bands"])
def make(request, fitted):
    """Return a function that draws a display, with odd names."""
    if request.param == "bands":
        return lambda **options: FrequencyBandsDisplay.from_bands(
            fitted.bands, unit="$u$", **options
        )
    kind, selector, data = SHOWN[request.param]
    parts = [getattr(fitted, name) for name in (selector, *data)]
    return lambda **options: kind.from_selector(*parts, feature_names=ODD, **options)


def drawn(fitted, name, **options):
    kind, selector, data = SHOWN[name]
    parts = [getattr(fitted, part) for part in (selector, *data)]
    return kind.from_selector(*parts, **options)


def test_every_public_display_is_among_those_tested():
    public = {name for name in hsieve.report.__all__ if name.endswith("Display")}
    assert public == {kind.__name__ for kind, *_ in SHOWN.values()} | {"FrequencyBandsDisplay"}
    assert all(issubclass(getattr(hsieve.report, name), Display) for name in public)


@pytest.mark.parametrize("name", SHOWN)
def test_a_display_shows_the_picture_of_the_report(fitted, name):
    display = drawn(fitted, name)
    _, selector, data = SHOWN[name]
    page = getattr(fitted, selector).report(*(getattr(fitted, part) for part in data)).summary
    pictures = {picture["id"]: picture for picture in page.pictures}
    assert display.picture == pictures[name.split()[0]]


def test_lines_are_the_numbers_of_the_selector(fitted):
    lars = fitted.path.path_.lars
    lines = {line.get_label(): line for line in drawn(fitted, "path").ax_.lines}
    for feature in fitted.path.selected_indices_:
        line = lines[f"x{feature}"]
        assert_allclose(line.get_xdata(), lars.levels, rtol=1e-5)
        coefficients = np.nan_to_num(line.get_ydata())
        assert_allclose(coefficients, lars.dense()[:, feature], rtol=1e-5, atol=1e-9)
    display = drawn(fitted, "stability")
    lines = {line.get_label(): line for line in display.ax_.lines}
    for feature in fitted.stable.selected_indices_:
        assert_allclose(lines[f"x{feature}"].get_ydata(), fitted.stable.frequencies_[:, feature])
    levels = [line.get_ydata()[0] for line in display.ax_.lines if line.get_linewidth() == 1.0]
    assert_allclose(levels, [fitted.stable.threshold_], rtol=1e-5)
    choice = fitted.ruled.n_features_choice_
    assert_allclose(drawn(fitted, "number").ax_.lines[0].get_xdata(), choice.sizes)


def test_chosen_features_have_the_colours_of_their_places_and_others_none(fitted):
    ax = drawn(fitted, "stability").ax_
    colours = {line.get_label(): line.get_color() for line in ax.lines}
    chosen = [f"x{feature}" for feature in fitted.stable.selected_indices_]
    assert [colours[name] for name in chosen] == list(COLOURS[:4])
    others = {colours[name] for name in colours if name.startswith("x") and name not in chosen}
    assert not others & set(COLOURS)
    assert {text.get_text() for text in ax.texts} >= set(chosen)


def test_the_level_of_a_path_falls_from_left_to_right(fitted):
    left, right = drawn(fitted, "path").ax_.get_xlim()
    assert left > right


def test_many_numbers_of_features_have_a_logarithmic_axis():
    X = np.random.default_rng(0).normal(size=(60, 40))
    fitted = BAHSIC("alignment").fit(X, X[:, 0])
    assert AlignmentDisplay.from_selector(fitted).ax_.get_xscale() == "log"


def test_dots_and_cells_are_the_numbers_of_the_features(fitted):
    display = drawn(fitted, "landscape")
    offsets = np.vstack([dots.get_offsets() for dots in display.ax_.collections])
    found = {(one["x"], one["y"]) for one in display.picture["points"]}
    assert {tuple(place) for place in offsets.tolist()} == found
    cells = drawn(fitted, "heat").ax_.collections[0]
    values = np.array(drawn(fitted, "heat").picture["values"])
    assert_array_equal(cells.get_array(), values)
    assert_allclose(np.diag(values), 1.0, atol=1e-4)


def test_panels_show_points_violins_and_fractions(fitted):
    display = drawn(fitted, "panels")
    for panel, ax in zip(display.picture["panels"], display.axes_, strict=True):
        assert ax.get_title(loc="left") == panel["name"]
        if panel["form"] == "points":
            dots, curve = ax.lines
            assert_array_equal(dots.get_xydata(), panel["points"])
            assert_array_equal(curve.get_xydata(), panel["line"])
        else:
            bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 2.5]
            assert_array_equal(bars, [np.take(one["quantiles"], [1, 3]) for one in panel["groups"]])
            names = [text.get_text() for text in ax.texts]
            assert names == [group["name"] for group in panel["groups"]]
    display = drawn(fitted, "panels of classes")
    forms = [panel["form"] for panel in display.picture["panels"]]
    place = forms.index("fractions")
    widths = [bar.get_width() for bar in display.axes_[place].patches]
    levels = display.picture["panels"][place]["levels"]
    assert_allclose(
        np.reshape(widths, (2, -1)).T, [level["fractions"] for level in levels], rtol=1e-5
    )
    legend = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert legend == ["$high$", "<low>"]


def test_panels_of_survival_data_show_a_curve_for_each_group():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    died, left = rng.exponential(size=150) / np.exp(2 * X[:, 0]), rng.exponential(size=150)
    y = np.array(
        list(zip(died <= left, np.minimum(died, left), strict=True)),
        dtype=[("event", bool), ("time", float)],
    )
    display = FeaturePanelsDisplay.from_selector(N3LARS(1).fit(X, y), X, y)
    (panel,), (ax,) = display.picture["panels"], display.axes_
    assert len(ax.lines) == len(panel["groups"]) == 3
    for line, text, group in zip(ax.lines, ax.texts, panel["groups"], strict=True):
        assert_array_equal(line.get_xydata(), group["curve"])
        assert text.get_text() == group["name"]


def test_panels_stand_in_the_place_of_axes_of_a_grid(fitted):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = drawn(fitted, "panels", ax=right)
    for panel in display.axes_:
        start = panel.get_position().x0 * panel.figure.bbox.width + panel.figure.bbox.x0
        assert start > left.get_window_extent().x1
    with pytest.raises(ValueError, match="these axes stand alone"):
        display.plot(Figure().add_axes((0, 0, 1, 1)))


def test_bands_are_cells_with_a_ring_at_the_best():
    problem = make_frequency_bands(60, 2, random_state=0)
    display = FrequencyBandsDisplay.from_signals(
        problem.signals, problem.y, problem.sampling_rate, resolution=2.0
    )
    bands, cells = display.bands, display.ax_.collections[0]
    assert_array_equal(cells.get_array().filled(np.nan), bands.values.T)
    assert_array_equal(display.ax_.lines[0].get_xydata(), [bands.best_band])
    assert display.ax_.get_title(loc="left") == "Best band: {:g} to {:g} Hz".format(
        *bands.best_band
    )
    with pytest.raises(TypeError, match=r"band_hsic\(spectra, y\), got ndarray"):
        FrequencyBandsDisplay.from_bands(bands.values)


def test_bands_without_dependence_and_of_one_frequency_can_be_drawn():
    X = np.random.default_rng(0).normal(size=(30, 3))
    bands = band_hsic(X, np.random.default_rng(1).integers(0, 2, 30), estimator="unbiased")
    assert bands.best_value < 0
    cells = FrequencyBandsDisplay.from_bands(bands, unit="").ax_.collections[0]
    assert cells.get_clim() == (0.0, 1.0)
    assert_allclose(cell_edges(np.array([3.0])), [2.5, 3.5])
    assert_allclose(cell_edges(np.array([1.0, 2.0, 4.0])), [0.5, 1.5, 3.0, 5.0])


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_the_same_picture_gives_the_same_file(fitted, tmp_path, ending):
    files = [tmp_path / f"{name}{ending}" for name in ("first", "second")]
    for file in files:
        drawn(fitted, "path", feature_names=ODD).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == files


def test_names_are_shown_literally_and_on_one_line(make, tmp_path):
    display = make()
    display.save(tmp_path / "picture.svg")
    for text in display.figure_.findobj(Text):
        odd = any(sign in text.get_text() for sign in "$^_<")
        # Matplotlib's own numbers are formulas, and it keeps labels that are not shown.
        if odd and text.get_visible() and "math" not in text.get_text():
            assert not text.get_parse_math()
        assert "two\nlines" not in text.get_text()
    tree = ElementTree.parse(tmp_path / "picture.svg")
    assert not [element for element in tree.iter() if str(element.tag).endswith("script")]


def test_a_notebook_shows_it_and_given_axes_are_drawn_on(make):
    assert make()._repr_png_().startswith(b"\x89PNG")
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = make(ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not any([left.lines, left.collections, left.texts, left.images])


def words_of(figure):
    """Texts of a figure that are drawn: ticks outside the limits are kept but not drawn."""
    for ax in figure.axes:
        yield from (ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *ax.texts)
        for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            low, high = min(limits), max(limits)
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high:
                    yield from (tick.label1, tick.label2)
    for legend in figure.legends:
        yield from legend.get_texts()


@pytest.mark.filterwarnings("ignore:Glyph .* missing from")
def test_words_do_not_overlap(make):
    display = make()
    display.figure_.draw_without_rendering()
    shown = [text for text in words_of(display.figure_) if text.get_visible() and text.get_text()]
    assert len(shown) > 5
    # Without the lines that tie names to their points.
    boxes = [(text, Text.get_window_extent(text).padded(-1.0)) for text in shown]
    for (first, one), (second, other) in combinations(boxes, 2):
        assert not one.overlaps(other), f"{first.get_text()!r} meets {second.get_text()!r}"


def test_names_at_marks_that_fall_together_do_not_overlap():
    ax = Figure(figsize=(6, 4)).subplots()
    name_marks(ax, [(f"x{k}", (1.0, 0.5), "black") for k in range(15)])
    ax.figure.draw_without_rendering()
    boxes = sorted(Text.get_window_extent(text).extents.tolist() for text in ax.texts)
    assert len(boxes) == 15
    boxes.sort(key=lambda box: box[1])
    assert all(upper[1] >= lower[3] for lower, upper in pairwise(boxes))
    small = Figure(figsize=(3, 1)).subplots()
    name_marks(small, [(f"x{k}", (1.0, 0.5), "black") for k in range(15)])
    assert 0 < len(small.texts) < 15


def test_spread_keeps_what_has_room_and_moves_the_rest_least():
    assert_allclose(spread(np.array([0.1, 0.5, 0.9]), 0.2), [0.1, 0.5, 0.9])
    assert_allclose(spread(np.array([0.5, 0.5]), 0.2), [0.4, 0.6])
    assert_allclose(spread(np.zeros(3), 0.2), [0.0, 0.2, 0.4])
    assert_allclose(spread(np.ones(3), 0.2), [0.6, 0.8, 1.0])
    assert len(spread(np.empty(0), 0.2)) == 0


def test_unplotted_displays_draw_themselves_when_they_are_saved(fitted, tmp_path):
    display = FrequencyBandsDisplay(fitted.bands)
    display.save(tmp_path / "bands.png")
    assert (tmp_path / "bands.png").read_bytes().startswith(b"\x89PNG")


def test_failed_save_leaves_the_old_file(fitted, tmp_path, monkeypatch):
    file = tmp_path / "path.png"
    file.write_text("old")
    display = drawn(fitted, "path")

    def fail(path, **_):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(display.figure_, "savefig", fail)
    with pytest.raises(OSError, match="No space"):
        display.save(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["path.jpg", "path", "absent/path.png"])
def test_bad_file_is_refused(fitted, tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.png or|does not exist"):
        drawn(fitted, "path").save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_shown_is_refused_in_words(fitted):
    X, y = fitted.X, fitted.y
    with pytest.raises(ValueError, match="cannot show this BAHSIC: it needs a regularisation path"):
        PathDisplay.from_selector(fitted.ruled)
    with pytest.raises(ValueError, match="it needs two chosen features or more"):
        RedundancyDisplay.from_selector(N3LARS(1).fit(X, y), X, y)
    with pytest.raises(ValueError, match="X and y of the fit"):
        FeaturePanelsDisplay.from_selector(fitted.path)
    with pytest.raises(ValueError, match="8 features"):
        FeaturePanelsDisplay.from_selector(fitted.path, X[:, :3], y)
    with pytest.raises(ValueError, match="must hold 8 names, one for each feature, got 2"):
        PathDisplay.from_selector(fitted.path, feature_names=["a", "b"])
    with pytest.raises(NotFittedError):
        PathDisplay.from_selector(N3LARS(2))
    with pytest.raises(TypeError, match=r"A selector of hsieve is needed.*SelectKBest"):
        PathDisplay.from_selector(SelectKBest(k=2).fit(X, fitted.classes))


def test_missing_matplotlib_says_what_to_install(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "hsieve\[report\]"'):
        drawn(fitted, "path")


def test_pyplot_is_never_imported_nor_matplotlib_before_it_is_needed():
    script = (
        "import sys, numpy as np, hsieve.report\n"
        "from hsieve import N3LARS, band_hsic\n"
        "from hsieve.report import *\n"
        "assert 'matplotlib' not in sys.modules\n"
        "X = np.random.default_rng(0).normal(size=(50, 4))\n"
        "selector = N3LARS(2).fit(X, X[:, 0])\n"
        "FeaturePanelsDisplay.from_selector(selector, X, X[:, 0])._repr_png_()\n"
        "PathDisplay.from_selector(selector)._repr_png_()\n"
        "RedundancyDisplay.from_selector(selector, X, X[:, 0])._repr_png_()\n"
        "FrequencyBandsDisplay.from_bands(band_hsic(X, X[:, 0]))._repr_png_()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert finished.returncode == 0, finished.stderr
