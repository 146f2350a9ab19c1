"""Power spectra and HSIC of frequency bands, literally: one Fourier sum and one kernel at a time.

Sec. 5.2 and figure 1 of the BAHSIC paper.
"""

import numpy as np


def power_spectrum(signal):
    """Power at the frequencies 1 .. n // 2 (times the sampling rate / n), by the sum itself."""
    n = len(signal)
    powers = []
    for k in range(1, n // 2 + 1):
        wave = sum(signal[t] * np.exp(-2j * np.pi * k * t / n) for t in range(n))
        powers.append(abs(wave) ** 2)
    return np.array(powers)


def averaged_spectra(signals):
    """Spectrum of each trial, averaged over its channels."""
    return np.array([np.mean([power_spectrum(c) for c in trial], axis=0) for trial in signals])


def band_values(X, gram_y, width, score):
    """Score of the Gaussian kernel of every band [lower, upper] of standardised columns."""
    n_columns = X.shape[1]
    values = np.full((n_columns, n_columns), np.nan)
    for lower in range(n_columns):
        for upper in range(lower, n_columns):
            band = X[:, lower : upper + 1]
            squared = np.array([[np.sum((a - b) ** 2) for b in band] for a in band])
            sigma = width(squared, upper - lower + 1)
            values[lower, upper] = score(np.exp(-squared / (2 * sigma**2)), gram_y)
    return values
