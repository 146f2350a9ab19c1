"""
Which of the chosen features say the same?
==========================================

Measurements often come in families: three probes of one gene, a length and its
logarithm. Which features of a selection could stand in for each other?
"""

# %%
# Three quantities matter. The first was measured four times, the second twice, one
# time on another scale; the third once. Sixty columns more are noise.

import numpy as np

from hsieve import BAHSIC, N3LARS
from hsieve.report import RedundancyDisplay, RelevanceRedundancyDisplay

rng = np.random.default_rng(1)
n = 300
a, b, c = rng.normal(size=(3, n))
columns = {f"a, probe {k}": a + 0.15 * rng.normal(size=n) for k in range(1, 5)}
columns |= {"b": b, "exp(b)": np.exp(b) + 0.05 * rng.normal(size=n), "c": c}
columns |= {f"noise {k}": rng.normal(size=n) for k in range(1, 61)}
names, X = list(columns), np.column_stack(list(columns.values()))
y = np.sin(1.5 * a) + b**2 + 0.8 * c + 0.2 * rng.normal(size=n)

# %%
# ``BAHSIC`` keeps all that help, copies included. Dark cells of the heat map are
# features that share nearly everything.

greedy = BAHSIC(7).fit(X, y)
display_greedy = RedundancyDisplay.from_selector(greedy, X, y, feature_names=names)

# %%
# ``N3LARS`` takes one of each family; a cap on redundancy makes sure. ``relatives``
# lists those that were left out.

lean = N3LARS(3, max_redundancy=0.5).fit(X, y)
print("chosen:", [names[k] for k in lean.selected_indices_])
for relatives in lean.relatives(X, n_relatives=3):
    near = [names[k] for k in relatives.indices[relatives.scores > 0.5]]
    print(f"{names[relatives.feature]:<11} or: {', '.join(near) or 'nothing'}")

# %%
# Every feature by what it tells and by what it shares with the chosen ones. To the
# right stand the chosen, at the top their relatives: relevant, but told already.
# The rest is noise.

display_lean = RelevanceRedundancyDisplay.from_selector(
    lean, X, y, feature_names=names
)
