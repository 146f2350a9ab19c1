"""Power spectra against the Fourier sum itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hsieve import power_spectra
from tests.reference.naive_bands import averaged_spectra


@pytest.fixture
def signals():
    return np.random.default_rng(0).normal(size=(3, 2, 30)) + 5.0


def test_power_is_that_of_the_fourier_sum_up_to_a_factor(signals):
    spectra = power_spectra(signals, 50.0)
    literal = averaged_spectra(signals)
    assert spectra.power.shape == literal.shape
    ratios = spectra.power / literal
    # Half the sampling rate has no mirror image, so it counts once; the others twice.
    assert_allclose(ratios[:, :-1], ratios[0, 0])
    assert_allclose(ratios[:, -1], ratios[0, 0] / 2)
    assert_allclose(spectra.frequencies, 50.0 * np.arange(1, 16) / 30)


def test_total_power_is_the_variance_of_the_signals(signals):
    spectra = power_spectra(signals, 50.0)
    step = spectra.frequencies[1] - spectra.frequencies[0]
    assert_allclose(spectra.power.sum(axis=1) * step, signals.var(axis=2).mean(axis=1))


def test_trials_of_points_are_one_channel(signals):
    assert_allclose(
        power_spectra(signals[:, 0], 50.0).power, power_spectra(signals[:, :1], 50.0).power
    )


def test_bins_hold_the_mean_of_their_frequencies(signals):
    spectra = power_spectra(signals, 30.0)  # 1, 2, ..., 15 Hz
    binned = power_spectra(signals, 30.0, resolution=4.0)
    assert_allclose(binned.frequencies, [2.0, 5.5, 9.5, 13.5])
    assert_allclose(binned.power[:, 0], spectra.power[:, :3].mean(axis=1))
    assert_allclose(binned.power[:, 1], spectra.power[:, 3:7].mean(axis=1))
    fine = power_spectra(signals, 30.0, resolution=0.1)
    assert_allclose(fine.power, spectra.power)


def test_a_window_leaks_less():
    time = np.arange(100) / 100
    wave = np.sin(2 * np.pi * 10.5 * time)[None, :]
    plain, windowed = (power_spectra(wave, 100.0, window=w).power[0] for w in ("boxcar", "hann"))
    assert windowed[30:].sum() < 1e-3 * plain[30:].sum()


@pytest.mark.parametrize("shape", [(30,), (3, 2), (3, 2, 3), (0, 2, 30), (2, 2, 2, 30)])
def test_what_are_no_signals_is_refused(shape):
    with pytest.raises(ValueError, match="signals must be trials of channels"):
        power_spectra(np.zeros(shape), 100.0)


def test_bad_numbers_are_refused(signals):
    for name, options in (
        ("sampling_rate", {"sampling_rate": 0}),
        ("sampling_rate", {"sampling_rate": "fast"}),
        ("resolution", {"sampling_rate": 50.0, "resolution": -1.0}),
    ):
        with pytest.raises(ValueError, match=f"{name} must be a number above 0"):
            power_spectra(signals, **options)
    signals[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="signals hold NaN"):
        power_spectra(signals, 50.0)
