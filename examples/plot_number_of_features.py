"""
How many features?
==================

A ranking has no end. Where should it be cut?
"""

# %%
# Ten of 200 features matter, by how they go together (each class is a pair of
# opposite clusters).

import matplotlib.pyplot as plt

from hsieve import BAHSIC
from hsieve.datasets import make_nonlinear_weston
from hsieve.report import AlignmentDisplay

problem = make_nonlinear_weston(random_state=0)

# %%
# The rule ``"alignment"`` takes the number whose kernel is best aligned with the
# target's. It is quick, because all numbers are looked at in one sweep, and sparse:
# a few good features often align as well as all of them.

sparse = BAHSIC("alignment").fit(problem.X, problem.y)
print(sparse.n_features_choice_.reason)

# %%
# The rule ``"guarded"`` takes the largest number within one standard error of the
# best, so that what matters is rather in than out.

guarded = BAHSIC("guarded").fit(problem.X, problem.y)
print(guarded.n_features_choice_.reason)
display = AlignmentDisplay.from_selector(guarded)

# %%
# Both on ten draws of the problem: how many are taken, and is any of them wrong?

taken = {"alignment": [], "guarded": []}
n_wrong = 0
for seed in range(10):
    drawn = make_nonlinear_weston(random_state=seed)
    for rule, numbers in taken.items():
        chosen = BAHSIC(rule).fit(drawn.X, drawn.y).selected_indices_
        numbers.append(len(chosen))
        n_wrong += sum(feature not in drawn.relevant for feature in chosen)
print("wrong features in all draws and both rules:", n_wrong)

figure, axis = plt.subplots(figsize=(6.5, 3.6))
axis.axhline(10, color="#9aa5b1", linestyle="--", linewidth=1)
axis.text(9.4, 10.15, "all that matter", ha="right", va="bottom", fontsize=9)
for rule, colour, marker in (
    ("guarded", "#D55E00", "s"),
    ("alignment", "#0072B2", "o"),
):
    axis.plot(taken[rule], color=colour, marker=marker, linestyle=":", label=rule)
axis.set(xlabel="draw", ylabel="features taken", ylim=(0, 12), xticks=range(10))
axis.legend(frameon=False, loc="lower right")
figure.tight_layout()
