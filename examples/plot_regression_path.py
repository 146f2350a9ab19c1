"""
How do features come in?
========================

A regression with two curves and many features of noise: in which order do the
features come in, and what does each of them get?
"""

# %%
# The target bends in two features and is straight in a third; the rest is noise.

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from hsieve import N3LARS
from hsieve.report import PathDisplay, path_in_words

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 300))
y = (
    np.abs(X[:, 0])
    + np.cos(2 * X[:, 1])
    + 0.6 * X[:, 2]
    + 0.3 * rng.normal(size=400)
)
names = ["bend", "wave", "line", *(f"noise {k}" for k in range(297))]

# %%
# ``N3LARS`` follows the whole path of a lasso over kernels. Reading from the left,
# the penalty falls and features come in one by one. The three that matter have the
# stage to themselves for a long while before the first noise comes in.

selector = N3LARS(8).fit(X, y)
display = PathDisplay.from_selector(selector, feature_names=names)

# %%
# The same in words:

print(textwrap.fill(path_in_words(selector, feature_names=names), 80))

# %%
# Before trusting the path, look at the features themselves. A running median shows
# the shape that no straight line would have found.

figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True)
for axis, feature in zip(axes, selector.selected_indices_[:3], strict=True):
    order = np.argsort(X[:, feature])
    x, target = X[order, feature], y[order]
    middle = [np.median(target[max(0, i - 20) : i + 20]) for i in range(len(x))]
    axis.scatter(x, target, s=5, color="#9aa5b1")
    axis.plot(x, middle, color="#D55E00", linewidth=2)
    axis.set(xlabel=names[feature])
axes[0].set_ylabel("target")
figure.tight_layout()
