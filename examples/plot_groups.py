"""
Cells of donors: how many samples are there?
============================================

4,000 cells look like much. They come from 20 donors.
"""

# %%
# Ten of 20 donors are treated. The 300 genes differ from donor to donor, as genes
# do, and the treatment does nothing.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import mannwhitneyu

from hsieve import feature_tests

rng = np.random.default_rng(0)
donor = np.repeat(np.arange(20), 200)
treated = np.repeat(np.arange(20) % 2 == 0, 200)
X = rng.normal(size=(20, 300))[donor] + rng.normal(size=(4000, 300))

# %%
# A rank-sum test takes each cell for a sample of its own and finds nearly every
# gene. Tests with groups exchange whole donors.

by_ranks = mannwhitneyu(X[treated], X[~treated]).pvalue
by_groups = feature_tests(X, treated, groups=donor).p_values
print(f"rank sum, p below 0.05:    {np.mean(by_ranks < 0.05):.0%} of the genes")
print(f"with groups, p below 0.05: {np.mean(by_groups < 0.05):.0%} of the genes")

# %%
# An effect that is larger than the differences between donors is found.

X[:, 0] += 3 * treated
found = feature_tests(X[:, :1], treated, groups=donor)
print(f"gene 0, p = {found.p_values[0]:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
for panel, p_values, name in zip(
    axes, (by_ranks, by_groups), ("rank sum", "with groups"), strict=True
):
    panel.hist(p_values, bins=20, range=(0, 1), color="#9aa5b1")
    panel.set(title=name, xlabel="p-value")
axes[0].set_ylabel("genes")
figure.tight_layout()
