"""
What is left to explain?
========================

Strong effects hide weak ones: to a filter, the variance that they cause is noise.
What do you find if you explain the strong effects first?
"""

# %%
# Friedman's problem has five features that matter among 1,000: a product inside a
# sine, a parabola, a strong and a weak straight line.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hsieve import N3LARS, KernelPursuit, MaxRelevance
from hsieve.report import AlignmentDisplay

rng = np.random.default_rng(0)
X = rng.uniform(size=(400, 1000))
y = (
    10 * np.sin(np.pi * X[:, 0] * X[:, 1])
    + 20 * (X[:, 2] - 0.5) ** 2
    + 10 * X[:, 3]
    + 5 * X[:, 4]
    + rng.normal(size=400)
)

# %%
# ``N3LARS`` measures how much each feature tells about the target by itself. It
# misses the parabola, and a feature of noise takes its place.

by_lars = N3LARS(5).fit(X, y)
print("N3LARS:", sorted(by_lars.selected_indices_.tolist()))

# %%
# ``KernelPursuit`` measures how much each feature tells about the residuals of a
# regression on the features chosen so far. It also chooses their number.

pursuit = KernelPursuit().fit(X, y)
print("KernelPursuit:", sorted(pursuit.selected_indices_.tolist()))
for event in pursuit.path_.events:
    print(event.what, event.features, f"error {event.error:.2f}")
display = AlignmentDisplay.from_selector(pursuit)

# %%
# The same by hand: predict the target from the other four features, each sample by
# a model that has not seen it, and ask how much every feature tells about what is
# left. Some features of noise are more relevant to the target than the parabola.
# None is more relevant to the residuals.

model = make_pipeline(
    StandardScaler(), KernelRidge(kernel="rbf", gamma=0.1, alpha=0.1)
)
predicted = cross_val_predict(model, X[:, [0, 1, 3, 4]], y - y.mean(), cv=10)
relevance = {
    "to the target": MaxRelevance().fit(X, y).scores_,
    "to the residuals": MaxRelevance().fit(X, y - y.mean() - predicted).scores_,
}

figure, axis = plt.subplots(figsize=(6.5, 3.6))
for place, scores in enumerate(relevance.values()):
    heights = place + rng.uniform(-0.2, 0.2, size=len(scores) - 5)
    axis.scatter(scores[5:], heights, s=6, color="#9aa5b1")
    axis.scatter(scores[2], place, s=60, color="#D55E00", zorder=3)
    axis.annotate(
        "x2", (scores[2], place), (0, 9), textcoords="offset points", ha="center"
    )
axis.set(
    yticks=range(2),
    yticklabels=relevance,
    xlabel="relevance (NHSIC) of x2 and of the features of noise",
)
figure.tight_layout()

# %%
# The score of a feature is the fraction of the variance that it explains in
# addition to those before it, in samples left out of the regression.

for feature in pursuit.selected_indices_:
    print(f"x{feature} adds {pursuit.scores_[feature]:.2f}")
