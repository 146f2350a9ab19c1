"""
Two features that matter only together
======================================

Which features decide about the class, if none of them does so by itself?
"""

# %%
# The class is the sign of a product: of 200 features two matter, and each of them
# alone is as good as the toss of a coin.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import BAHSIC, N3LARS, DependenceSelector, Pearson
from hsieve.datasets import make_xor

problem = make_xor(300, 200, random_state=0)
print(problem.description)

# %%
# Four ways to put the features in order. Correlation and ``N3LARS`` judge features
# one by one and put the two anywhere. ``BAHSIC`` judges them in the company of
# others, and ``N3LARS(interactions="pairs")`` has every pair as a candidate of its
# own.

selectors = {
    "correlation": DependenceSelector(Pearson(), n_features_to_select=2),
    "N3LARS": N3LARS(2),
    "N3LARS with pairs": N3LARS(2, interactions="pairs"),
    "BAHSIC": BAHSIC(2),
}
places = {}
for name, selector in selectors.items():
    ranking = selector.fit(problem.X, problem.y).ranking_
    places[name] = sorted(ranking[problem.relevant].tolist())
    print(f"{name:<18} puts them on places {places[name]} of 200")

# %%
# What the two look like, and where each method puts them.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1, 1.4))
for label, colour in ((-1, "#0072B2"), (1, "#E69F00")):
    left.scatter(
        *problem.X[problem.y == label, :2].T,
        s=12,
        color=colour,
        label=f"y = {label:+d}",
    )
left.set(xlabel="feature 0", ylabel="feature 1", title="Only together")
left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2, frameon=False)
for row, pair in enumerate(places.values()):
    right.plot(pair, [row, row], color="#0072B2", marker="o")
right.set(
    xscale="log",
    xlim=(0.8, 260),
    xticks=[1, 10, 100],
    xticklabels=["1", "10", "100"],
    yticks=np.arange(len(places)),
    yticklabels=list(places),
    xlabel="places of the two true features (1 is best)",
    title="Who finds them?",
)
right.grid(axis="x", alpha=0.3)
figure.tight_layout()
