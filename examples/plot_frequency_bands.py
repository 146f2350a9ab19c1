"""
Which frequencies of a brain wave tell what was imagined?
=========================================================

Electrodes on the scalp, two kinds of imagined movement: in which band of
frequencies do they differ?
"""

# %%
# Made signals of a few channels, like those of an electro-encephalogram: noise
# whose power falls with the frequency, a background rhythm, and one band whose
# power depends on the class.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import BAHSIC, band_hsic, power_spectra
from hsieve.datasets import make_frequency_bands
from hsieve.report import FrequencyBandsDisplay

problem = make_frequency_bands(120, random_state=0)
print(
    "trials, channels, values:",
    problem.signals.shape,
    "at",
    problem.sampling_rate,
    "Hz",
)

# %%
# Spectra of the trials, averaged over channels, and their means over each class.

spectra = power_spectra(problem.signals, problem.sampling_rate, resolution=1.0)
low = spectra.frequencies <= 40
figure, axis = plt.subplots(figsize=(7, 3.4))
for label, colour in zip(np.unique(problem.y), ("#0072B2", "#E69F00"), strict=True):
    power = np.log(spectra.power[problem.y == label])
    axis.plot(
        spectra.frequencies[low],
        power.mean(axis=0)[low],
        color=colour,
        label=f"class {label}",
    )
axis.set(xlabel="frequency, Hz", ylabel="mean log power")
axis.legend(frameon=False)
figure.tight_layout()

# %%
# The dependence of *every* band, from each lower to each upper frequency, on the
# class. The best band is marked.

bands = band_hsic(spectra, problem.y, widest=20.0)
display = FrequencyBandsDisplay.from_bands(bands)
print("best band, Hz:", tuple(round(float(bound), 1) for bound in bands.best_band))

# %%
# As a selection of features: single frequencies by backward elimination.

selector = BAHSIC(3).fit(np.log(spectra.power), problem.y)
print(
    "chosen, Hz:",
    sorted(spectra.frequencies[selector.selected_indices_].round(1).tolist()),
)
