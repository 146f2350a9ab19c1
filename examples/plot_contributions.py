"""
What does each feature bring to the others?
===========================================

A randomised search judges features by what they add to random sets of the others,
culls the worst, and goes on. What does that look like?
"""

# %%
# Two features make an exclusive or, two more act by themselves, the others are
# noise.

import numpy as np

from hsieve import RandSel
from hsieve.report import ContributionsDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 60))
y = np.sign(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * np.abs(X[:, 3]) - 0.4)
names = [
    "first of a pair",
    "second of a pair",
    "line",
    "bend",
    *(f"noise {k}" for k in range(56)),
]
selector = RandSel(4).fit(X, y)
print("chosen:", [names[k] for k in selector.selected_indices_])

# %%
# Contributions iteration by iteration. A quarter of the features goes after each;
# their lines end there.

display = ContributionsDisplay.from_selector(selector, feature_names=names)

# %%
# Of every iteration the features of positive contribution are kept: a series of
# ever finer sets. They are what an ensemble of kernels can be built on.

for iteration, features in enumerate(selector.path_.nested_sets):
    if iteration % 3 == 0:
        n_true = sum(feature < 4 for feature in features)
        print(
            f"iteration {iteration}: {len(features)} features, {n_true} of the four"
        )
