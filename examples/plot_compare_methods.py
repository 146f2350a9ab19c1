"""
Which method suits my data?
===========================

Several selectors on the same folds: which predicts best, with how many features,
and which differences are more than chance?
"""

# %%
# Ten of 100 features matter, by how they go together. Each selector chooses from
# the training samples of every fold, and the samples held out are predicted.

import matplotlib.pyplot as plt

from hsieve import BAHSIC, MRMR, N3LARS, LassoSelector, ReliefF, compare
from hsieve.datasets import make_nonlinear_weston

problem = make_nonlinear_weston(n_samples=200, n_features=100, random_state=0)
selectors = [BAHSIC(10), N3LARS(10), MRMR(10), ReliefF(10), LassoSelector(10)]
found = compare(selectors, problem.X, problem.y, cv=10)
print(found)

# %%
# Accuracy and consistency are different virtues: a method may choose the same
# useless features in every fold.

names = [summary.name for summary in found.summaries][::-1]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
for row, summary in enumerate(reversed(found.summaries)):
    index = summary.consistency.nogueira
    left.errorbar(summary.score.mean, row, xerr=summary.score.deviation, fmt="o")
    right.errorbar(index.stability, row, xerr=1.96 * index.standard_error, fmt="o")
left.set(
    xlabel="accuracy", yticks=range(len(names)), yticklabels=names, xlim=(0.3, 1.05)
)
left.axvline(0.5, color="#9aa5b1", linestyle="--", linewidth=1)
right.set(xlabel="consistency from fold to fold (Nogueira's index)", xlim=(0, 1.05))
figure.tight_layout()

# %%
# Which features does the best one choose, and in how many folds?

for feature in found.best.frequent[:12]:
    true = "matters" if feature.feature in problem.relevant else "noise"
    print(f"{feature.name:<4} in {feature.share:4.0%} of the folds ({true})")
