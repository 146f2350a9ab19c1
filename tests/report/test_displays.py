"""What all pictures promise: files, notebooks, literal names, words that do not overlap."""

import subprocess
import sys
from itertools import combinations
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import hsieve.report
from hsieve import BAHSIC, N3LARS, RandSel, StabilitySelection, band_hsic
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
from hsieve.report.plots.base import Display

ODD = ["$x_1$", "<script>", "a_b^{c", r"\frac{1}{", "--> ]]>", "_hidden", "two\nlines", "遺伝子"]


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    y = X[:, 0] ** 2 + X[:, 3] + 0.1 * rng.normal(size=80)
    return SimpleNamespace(
        X=X,
        y=y,
        path=N3LARS(6).fit(X, y),
        stable=StabilitySelection(n_features_to_select=4, n_subsamples=10).fit(X, y),
        randomised=RandSel(4, n_rounds=4).fit(X, y),
        ruled=BAHSIC("guarded").fit(X, y),
        bands=band_hsic(X, y),
    )


MAKERS = {
    "path": lambda f, **o: PathDisplay.from_selector(f.path, feature_names=ODD, **o),
    "relevance": lambda f, **o: RelevanceRedundancyDisplay.from_selector(
        f.path, f.X, f.y, feature_names=ODD, **o
    ),
    "redundancy": lambda f, **o: RedundancyDisplay.from_selector(
        f.path, f.X, f.y, feature_names=ODD, **o
    ),
    "stability": lambda f, **o: StabilityDisplay.from_selector(f.stable, feature_names=ODD, **o),
    "contributions": lambda f, **o: ContributionsDisplay.from_selector(
        f.randomised, feature_names=ODD, **o
    ),
    "alignment": lambda f, **o: AlignmentDisplay.from_selector(f.ruled, **o),
    "bands": lambda f, **o: FrequencyBandsDisplay.from_bands(f.bands, unit="$u$", **o),
    "panels": lambda f, **o: FeaturePanelsDisplay.from_selector(
        f.path, f.X, f.y, feature_names=ODD, target_name="$t$", **o
    ),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_every_public_display_is_among_those_tested():
    public = {name for name in hsieve.report.__all__ if name.endswith("Display")}
    assert len(public) == len(MAKERS)
    assert all(issubclass(getattr(hsieve.report, name), Display) for name in public)


def test_the_same_picture_gives_the_same_file(make, fitted, tmp_path):
    files = [tmp_path / f"{name}.svg" for name in ("first", "second")]
    for file in files:
        make(fitted).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == files


def test_names_are_shown_literally_and_on_one_line(make, fitted, tmp_path):
    display = make(fitted)
    display.save(tmp_path / "picture.svg")
    for text in display.figure_.findobj(Text):
        odd = any(sign in text.get_text() for sign in "$^_<")
        # Matplotlib's own numbers are formulas, and it keeps labels that are not shown.
        if odd and text.get_visible() and "math" not in text.get_text():
            assert not text.get_parse_math()
        assert "two\nlines" not in text.get_text()
    tree = ElementTree.parse(tmp_path / "picture.svg")
    assert not [element for element in tree.iter() if str(element.tag).endswith("script")]


def test_a_notebook_shows_it_and_given_axes_are_drawn_on(make, fitted):
    assert make(fitted)._repr_png_().startswith(b"\x89PNG")
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = make(fitted, ax=right)
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


def test_words_do_not_overlap(make, fitted):
    display = make(fitted)
    display.figure_.draw_without_rendering()
    shown = [text for text in words_of(display.figure_) if text.get_visible() and text.get_text()]
    assert len(shown) > 5
    # Without the lines that tie names to their points.
    boxes = [(text, Text.get_window_extent(text).padded(-1.0)) for text in shown]
    for (first, one), (second, other) in combinations(boxes, 2):
        assert not one.overlaps(other), f"{first.get_text()!r} meets {second.get_text()!r}"


def test_unplotted_displays_draw_themselves_when_they_are_saved(fitted, tmp_path):
    display = FrequencyBandsDisplay(fitted.bands)
    display.save(tmp_path / "bands.png")
    assert (tmp_path / "bands.png").read_bytes().startswith(b"\x89PNG")


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
