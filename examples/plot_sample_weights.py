"""
What matters in the population, not in the sample?
==================================================

A study takes as many ill people as healthy ones, although one in twenty is
ill. Which features matter to everybody?
"""

# %%
# Of 20 features, feature 0 shapes a blood value of the healthy, feature 1 that
# of the ill. The study invites 300 of each. A person who is ill then stands for
# few others, and a healthy one for many: that is what the weights say.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import N3LARS

rng = np.random.default_rng(0)
is_ill = np.arange(600) < 300
X = rng.normal(size=(600, 20))
blood = np.where(is_ill, 1.5 * np.abs(X[:, 1]), np.abs(X[:, 0]))
blood += 0.3 * rng.normal(size=600)
weight = np.where(is_ill, 0.05, 0.95) * 2

# %%
# Each sample counts as often as its weight says. In the study both features
# matter equally; in the population, the feature of the ill hardly does.

fitted = {
    "as sampled": N3LARS(2).fit(X, blood),
    "weighted": N3LARS(2).fit(X, blood, sample_weight=weight),
}
for way, selector in fitted.items():
    print(
        f"{way:<10}", selector.selected_indices_, selector.relevance_[:2].round(3)
    )

# %%
# The relevance of all features, both ways.

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
for axis, (way, selector) in zip(axes, fitted.items(), strict=True):
    colours = ["#0072B2", "#D55E00"] + ["#9aa5b1"] * 18
    axis.bar(np.arange(20), selector.relevance_, color=colours)
    axis.set_title(way, loc="left", fontsize=10)
    axis.set_xlabel("feature")
axes[0].set_ylabel("relevance (NHSIC)")
figure.tight_layout()
