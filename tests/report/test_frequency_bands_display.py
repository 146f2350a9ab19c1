"""The heat map of frequency bands: its cells, its edges, the best band."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from hsieve import band_hsic, power_spectra
from hsieve.datasets import make_frequency_bands
from hsieve.report import FrequencyBandsDisplay
from hsieve.report.plots.frequency_bands import _edges


@pytest.fixture(scope="module")
def problem():
    return make_frequency_bands(60, 2, random_state=0)


@pytest.fixture(scope="module")
def bands(problem):
    spectra = power_spectra(problem.signals, problem.sampling_rate, resolution=2.0)
    return band_hsic(spectra, problem.y)


def test_cells_are_the_values_with_the_upper_bound_upwards(bands):
    display = FrequencyBandsDisplay.from_bands(bands)
    drawn = display.mesh_.get_array().filled(np.nan)
    assert_array_equal(drawn, bands.values.T)
    assert display.mesh_.get_clim() == (0.0, bands.best_value)
    assert "lower" in display.ax_.get_xlabel()
    assert "upper" in display.ax_.get_ylabel()


def test_the_ring_is_at_the_bounds_of_the_best_band(bands):
    display = FrequencyBandsDisplay.from_bands(bands)
    lower, upper = np.unravel_index(np.nanargmax(bands.values), bands.values.shape)
    assert_array_equal(display.best_.get_xdata(), [bands.frequencies[lower]])
    assert_array_equal(display.best_.get_ydata(), [bands.frequencies[upper]])
    lowest, highest = bands.best_band
    assert display.ax_.get_title(loc="left") == f"Best band: {lowest:g} to {highest:g} Hz"


def test_signals_are_looked_at_as_band_hsic_does(problem, bands):
    display = FrequencyBandsDisplay.from_signals(
        problem.signals, problem.y, problem.sampling_rate, resolution=2.0
    )
    assert_array_equal(display.bands.values, bands.values)
    narrow = FrequencyBandsDisplay.from_signals(
        problem.signals, problem.y, problem.sampling_rate, estimator="biased", widest=3.0
    )
    assert narrow.bands.estimator == "biased"
    assert np.isnan(narrow.bands.values[0, -1])


def test_each_frequency_lies_inside_its_own_cell():
    places = np.array([1.0, 2.0, 4.0, 4.5])
    edges = _edges(places)
    assert (np.diff(edges) > 0).all()
    assert ((edges[:-1] < places) & (places < edges[1:])).all()
    assert_allclose(_edges(np.array([3.0])), [2.5, 3.5])


def test_other_units_and_given_axes(bands):
    ax = Figure().subplots()
    display = FrequencyBandsDisplay.from_bands(bands, unit="m/z", ax=ax)
    assert display.ax_ is ax
    assert display.ax_.get_xlabel().endswith("(m/z)")
    plain = FrequencyBandsDisplay.from_bands(bands, unit="")
    assert plain.ax_.get_xlabel() == "lower bound of the band"


def test_values_below_zero_only_can_be_drawn():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = np.random.default_rng(1).integers(0, 2, 30)
    bands = band_hsic(X, y, estimator="unbiased")
    assert bands.best_value < 0
    assert FrequencyBandsDisplay.from_bands(bands).mesh_.get_clim() == (0.0, 1.0)


def test_anything_else_is_refused_by_name(bands):
    with pytest.raises(TypeError, match=r"band_hsic\(spectra, y\), got ndarray"):
        FrequencyBandsDisplay.from_bands(bands.values)
