"""
What is left once age is accounted for?
=======================================

Age moves many measurements, and the outcome too. Which features tell something
beyond it?
"""

# %%
# Forty markers follow age, each with noise of its own. The outcome follows age, in
# a curve, and two markers that have nothing to do with it: marker 0 by a bend,
# marker 1 by a line.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from hsieve import N3LARS

rng = np.random.default_rng(0)
n = 400
age = rng.uniform(20, 80, size=n)
scaled = (age - 50) / 17
followers = scaled[:, None] + 0.7 * rng.normal(size=(n, 40))
markers = rng.normal(size=(n, 60))
X = np.column_stack([age, followers, markers])
names = [
    "age",
    *(f"follower {k}" for k in range(40)),
    *(f"marker {k}" for k in range(60)),
]
y = scaled**2 + scaled + 0.7 * np.abs(markers[:, 0]) + 0.5 * markers[:, 1]
y += 0.3 * rng.normal(size=n)

# %%
# Three ways. As it is, age and its followers take the first places. With
# ``covariates`` the kernel of age explains what it can of the outcome first,
# without penalty, and age itself is never chosen. That helps, but a single kernel
# cannot express the whole curve, and followers live on what is left. For a numeric
# outcome the sharper way is to take the curve over age out of the outcome before.

curve = make_pipeline(SplineTransformer(8), LinearRegression()).fit(age[:, None], y)
residuals = y - curve.predict(age[:, None])
fitted = {
    "as it is": N3LARS(5).fit(X, y),
    "covariates": N3LARS(5, covariates=[0]).fit(X, y),
    "residuals": N3LARS(5, covariates=[0]).fit(X, residuals),
}
for way, selector in fitted.items():
    print(f"{way:<11}", [names[k] for k in selector.selected_indices_])

# %%
# Coefficients of the three: what only followed age is gone in the last.

shown = [0, *range(1, 41), 41, 42, 43, 44]
kinds = ["#000000"] + ["#9aa5b1"] * 40 + ["#D55E00"] * 2 + ["#9aa5b1"] * 2
figure, axes = plt.subplots(3, 1, figsize=(8, 5), sharex=True)
for axis, (way, selector) in zip(axes, fitted.items(), strict=True):
    axis.bar(np.arange(len(shown)), selector.coef_[shown], color=kinds)
    axis.set_title(way, loc="left", fontsize=10)
    axis.set_ylabel("coefficient")
axes[-1].set_xticks(
    [0, 20, 41, 42], ["age", "the followers", "", "   markers 0 and 1"]
)
figure.tight_layout()
