"""
Would I find the same again?
============================

A list of features comes from one sample. Which of them would be found in another
one, and how many false ones are to be expected?
"""

# %%
# 150 samples, 200 features, four of which matter: two by a curve, two by a line,
# the last only weakly.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import N3LARS, StabilitySelection, stability
from hsieve.report import StabilityDisplay

rng = np.random.default_rng(3)
X = rng.normal(size=(150, 200))
y = (
    np.abs(X[:, 0])
    + X[:, 1] ** 2
    + 0.8 * X[:, 2]
    + 0.35 * X[:, 3]
    + 0.5 * rng.normal(size=150)
)
names = [
    "bend",
    "parabola",
    "line",
    "weak line",
    *(f"noise {k}" for k in range(196)),
]

# %%
# One list of ten. Six of them must be noise, and nothing in the list says which.

print([names[k] for k in N3LARS(10).fit(X, y).selected_indices_])

# %%
# Stability selection asks fifty pairs of halves. What most halves agree on is kept,
# and the expected number of false ones is bounded.

selection = StabilitySelection(N3LARS(), expected_false_selections=1).fit(X, y)
print("stable:", [names[k] for k in selection.selected_indices_])
print(f"at most {selection.bound_:.2f} false ones to expect")
display = StabilityDisplay.from_selector(selection, feature_names=names)

# %%
# How alike are whole selections? Nogueira's index is 1 for equal lists and 0 for
# lists drawn by chance. Longer lists fill up with noise, and the index falls.

sizes = [1, 2, 3, 4, 6, 8, 12, 16]
indices = []
for size in sizes:
    lists = []
    for seed in range(12):
        half = np.random.default_rng(seed).choice(150, 75, replace=False)
        lists.append(N3LARS(size).fit(X[half], y[half]).selected_indices_)
    indices.append(stability.nogueira(lists, n_features=200))

figure, axis = plt.subplots(figsize=(6, 3.4))
middle = np.array([index.stability for index in indices])
low = np.array([index.low for index in indices])
high = np.array([index.high for index in indices])
axis.errorbar(
    sizes, middle, yerr=[middle - low, high - middle], marker="o", color="#0072B2"
)
axis.set(xlabel="features asked for", ylabel="Nogueira's index", ylim=(0, 1.05))
axis.set_title("Lists from halves of the data, with 95 % intervals", loc="left")
figure.tight_layout()
