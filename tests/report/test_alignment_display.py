"""The curve over numbers of features: its data, the number taken, the reason."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from hsieve import BAHSIC, N3LARS, KernelPursuit, MaxRelevance
from hsieve.datasets import make_and_or, make_xor
from hsieve.exceptions import NothingFoundWarning
from hsieve.inference import NumberChoice
from hsieve.report import AlignmentDisplay


@pytest.fixture(scope="module")
def data():
    problem = make_xor(150, 12, random_state=0)
    return problem.X, problem.y


def words_of(display):
    return " ".join(" ".join(text.get_text().split()) for text in display.ax_.texts)


@pytest.mark.parametrize("rule", ["alignment", "guarded"])
def test_curve_band_and_number_are_those_of_the_choice(data, rule):
    selector = BAHSIC(rule).fit(*data)
    choice = selector.n_features_choice_
    display = AlignmentDisplay.from_selector(selector)
    assert_array_equal(display.line_.get_xdata(), choice.sizes)
    assert_array_equal(display.line_.get_ydata(), choice.values)
    assert display.taken_.get_xdata() == [len(selector.selected_indices_)]
    place = list(choice.sizes).index(choice.number)
    assert display.taken_.get_ydata() == [choice.values[place]]
    best = choice.values.max()
    band = display.band_.get_bbox()
    assert_allclose([band.y0, band.y1], [best - choice.standard_error, best])
    assert choice.reason in words_of(display)
    assert f"{choice.number} taken" in words_of(display)
    assert repr(rule) in display.ax_.get_title(loc="left")


def test_cross_validation_shows_its_criterion_and_has_no_band(data):
    selector = MaxRelevance("cv").fit(data[0][:, :4], data[1])
    display = AlignmentDisplay.from_selector(selector)
    assert display.band_ is None
    assert display.ax_.get_ylabel() == "cross-validated accuracy"
    numbers = make_and_or(60, random_state=0)
    regression = MaxRelevance("cv", target_kind="continuous").fit(numbers.X, numbers.y)
    assert AlignmentDisplay.from_selector(regression).ax_.get_ylabel() == "cross-validated R2"


def test_many_numbers_have_a_logarithmic_axis_and_few_have_whole_ticks(data):
    X, y = data
    wide = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 80))])
    assert AlignmentDisplay.from_selector(BAHSIC("alignment").fit(wide, y)).ax_.get_xscale() == (
        "log"
    )
    ax = AlignmentDisplay.from_selector(N3LARS("alignment").fit(X[:, :1], y)).ax_
    assert ax.get_xscale() == "linear"
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [1]


def test_a_pursuit_shows_what_it_explains_from_no_feature_on():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    selector = KernelPursuit().fit(X, 2 * X[:, 1] + X[:, 5] ** 2)
    display = AlignmentDisplay.from_selector(selector)
    assert_array_equal(display.line_.get_xdata(), [0, 1, 2])
    assert_allclose(display.line_.get_ydata(), 1.0 - selector.path_.errors)
    assert display.taken_.get_xdata() == [2]
    assert display.band_ is None
    assert display.ax_.get_ylabel().startswith("explained variance")
    assert display.ax_.get_title(loc="left") == "KernelPursuit: 2 features kept by 'auto'"


def test_a_pursuit_that_finds_nothing_is_one_dot_at_zero():
    rng = np.random.default_rng(1)
    with pytest.warns(NothingFoundWarning):
        selector = KernelPursuit().fit(rng.normal(size=(80, 6)), rng.normal(size=80))
    display = AlignmentDisplay.from_selector(selector)
    assert display.taken_.get_xdata() == [0]
    assert np.isfinite(display.ax_.get_ylim()).all()
    display.figure_.canvas.draw()


def test_an_axis_that_starts_at_zero_is_never_logarithmic():
    sizes = np.arange(81)
    values = 1.0 - 0.95**sizes
    choice = NumberChoice("auto", 80, sizes, values, "explained variance", 1.0, stop_reason="end")
    assert AlignmentDisplay(choice).plot().ax_.get_xscale() == "linear"


def test_given_axes_are_drawn_on(data):
    ax = Figure().subplots()
    assert AlignmentDisplay.from_selector(BAHSIC("alignment").fit(*data), ax=ax).ax_ is ax


def test_a_number_that_was_given_is_refused_in_words(data):
    with pytest.raises(TypeError, match=r"BAHSIC did not look for .*\(n_features_to_select=3\)"):
        AlignmentDisplay.from_selector(BAHSIC(3).fit(*data))
