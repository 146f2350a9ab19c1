"""HSIC of frequency bands: every band as one kernel at a time has it, and the true band found."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hsieve import BAHSIC, band_hsic, hsic, kernels, power_spectra
from hsieve.datasets import make_frequency_bands
from tests.reference.naive import biased_hsic, delta_gram, unbiased_hsic
from tests.reference.naive_alignment import alignment
from tests.reference.naive_bands import band_values

SCORES = {"biased": biased_hsic, "unbiased": unbiased_hsic, "normalised": alignment}


def median_width(squared, _):
    return np.sqrt(np.median(squared[np.triu_indices(len(squared), 1)]))


WIDTHS = {
    "sqrt_d": lambda _, size: np.sqrt(size),
    "median": median_width,
    1.7: lambda *_: 1.7,
}


@pytest.fixture(scope="module")
def spectra():
    X = np.random.default_rng(0).gamma(2.0, size=(24, 6))
    return X, np.repeat([0, 1, 1], 8)


@pytest.mark.parametrize("bandwidth", WIDTHS)
@pytest.mark.parametrize("estimator", SCORES)
def test_every_band_is_what_one_kernel_at_a_time_gives(spectra, estimator, bandwidth):
    X, y = spectra
    found = band_hsic(X, y, estimator=estimator, bandwidth=bandwidth)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = band_values(scaled, delta_gram(y), WIDTHS[bandwidth], SCORES[estimator])
    assert_allclose(found.values, expected, rtol=1e-9, atol=1e-14)
    assert_allclose(found.best_value, np.nanmax(expected))


def test_many_samples_in_several_tiles_agree_with_hsic():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    X[:, 1] += y
    scaled, target = ((v - v.mean(axis=0)) / v.std(axis=0) for v in (X, y))
    found = band_hsic(X, y, estimator="unbiased")
    for lower in range(3):
        for upper in range(lower, 3):
            band = scaled[:, lower : upper + 1]
            width = kernels.Gaussian(np.sqrt(upper - lower + 1))
            expected = hsic(band, target, kernel_x=width, kernel_y=kernels.Gaussian(1.0))
            assert_allclose(found.values[lower, upper], expected, rtol=1e-9, atol=1e-13)


def test_wider_bands_than_asked_for_are_left_out(spectra):
    X, y = spectra
    places = np.array([0.0, 1.0, 2.5, 3.0, 7.0, 8.0])
    everything = band_hsic(X, y, frequencies=places)
    some = band_hsic(X, y, frequencies=places, widest=2.0)
    gaps = places[None, :] - places[:, None]
    looked_at = (gaps >= 0) & (gaps <= 2.0)
    assert_array_equal(np.isfinite(some.values), looked_at)
    assert_allclose(some.values[looked_at], everything.values[looked_at])
    assert_array_equal(np.isfinite(everything.values), gaps >= 0)


def test_constant_frequencies_carry_nothing(spectra):
    X, y = spectra
    silent = np.column_stack([np.zeros(len(X)), X])
    found = band_hsic(silent, y, bandwidth=1.0)
    assert found.values[0, 0] == 0.0
    assert_allclose(found.values[0, 1:], found.values[1, 1:])


@pytest.mark.parametrize("seed", range(3))
def test_the_band_that_tells_the_classes_apart_is_found(seed):
    problem = make_frequency_bands(300, drop=0.8, random_state=seed)
    spectra = power_spectra(problem.signals, problem.sampling_rate, resolution=1.0)
    lowest, highest = band_hsic(spectra, problem.y).best_band
    # Bins of 1 Hz hold two frequencies each, and the last of the band shares its bin.
    assert abs(lowest - 10.25) <= 1.0
    assert abs(highest - 13.25) <= 1.0


def test_bahsic_takes_its_frequencies_from_the_band():
    problem = make_frequency_bands(300, drop=0.8, random_state=0)
    chosen = BAHSIC(5).fit(problem.X, problem.y).selected_indices_
    assert set(chosen) <= set(problem.relevant)


def test_gram_matrices_and_numbers_are_targets_too(spectra):
    X, y = spectra
    gram = delta_gram(y)
    assert_allclose(
        band_hsic(X, gram, kernel_y=kernels.Precomputed()).values, band_hsic(X, y).values
    )
    continuous = band_hsic(X, X[:, 2], target_kind="continuous")
    assert continuous.best_places == (2, 2)


def test_what_makes_no_sense_is_refused_in_words(spectra):
    X, y = spectra
    for options, match in (
        ({"estimator": "best"}, "estimator must be 'normalised', "),
        ({"bandwidth": "maximise"}, "bandwidth must be 'sqrt_d', 'median' or a number above 0"),
        ({"bandwidth": -1.0}, "bandwidth must be .* a number above 0"),
        ({"widest": -2.0}, "widest must be None or a number"),
        ({"frequencies": [1, 2, 3]}, "frequencies must be 6 rising numbers"),
        ({"frequencies": [1, 2, 3, 3, 4, 5]}, "frequencies must be 6 rising numbers"),
    ):
        with pytest.raises(ValueError, match=match):
            band_hsic(X, y, **options)
    with pytest.raises(ValueError, match=r"table of samples and frequencies.*power_spectra"):
        band_hsic(np.zeros((5, 2, 30)), y)
    with pytest.raises(ValueError, match="24 samples but y has 20"):
        band_hsic(X, y[:20])
    with pytest.raises(ValueError, match="tells no samples apart"):
        band_hsic(X, np.zeros(24, dtype=int))
