"""
How many of the chosen genes are false?
=======================================

Genes that rise and fall with a relevant one look relevant, too. Knockoffs tell them
apart, and bound the fraction of false genes.
"""

# %%
# Expression of 200 genes in 600 made patients. Genes come in pathways of ten that
# rise and fall together. In each pathway one gene acts on the outcome: in half of
# them by a straight line, in the others at both extremes.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import KnockoffSelector, feature_tests

rng = np.random.default_rng(0)
pathways = np.repeat(rng.normal(size=(600, 20)), 10, axis=1)
genes = np.sqrt(0.5) * pathways + np.sqrt(0.5) * rng.normal(size=(600, 200))
true = np.arange(0, 200, 10)
outcome = genes[:, true[:10]].sum(axis=1) + 2 * np.abs(genes[:, true[10:]]).sum(
    axis=1
)
outcome += rng.normal(size=600)
X = np.exp(genes)  # expression is not normal

# %%
# Tests of single genes, adjusted for their number, find that many genes are
# associated with the outcome. Most of those are neighbours of genes that act.

significant = feature_tests(X, outcome).adjusted_p_values < 0.1
n_false = np.setdiff1d(np.flatnonzero(significant), true).size
print(f"tests: {significant.sum()} genes, {n_false} of them do not act")

# %%
# Knockoffs are artificial genes that relate to the others as the real one does, but
# not to the outcome. Genes are selected that come before their knockoffs, so early
# that at most 10 % of them are expected to be false.

selection = KnockoffSelector(fdr=0.1).fit(X, outcome)
chosen = selection.selected_indices_
n_false = np.setdiff1d(chosen, true).size
print(f"knockoffs: {len(chosen)} genes, {n_false} of them do not act")
print(f"p-value of the knockoffs: {selection.match_.p_value:.2f}")

# %%
# How early each gene comes before its knockoff (above zero) or after it (below).
# Genes that do not act are on both sides alike, so those below show how many of the
# genes above the threshold are false.

W = selection.statistics_[0]
order = np.argsort(-np.abs(W))[:80]
acts = np.isin(order, true)
figure, axis = plt.subplots(figsize=(7, 3.2))
for marked, colour, label in (
    (acts, "#D55E00", "acts"),
    (~acts, "#999999", "does not act"),
):
    axis.bar(np.flatnonzero(marked), W[order[marked]], color=colour, label=label)
axis.axhline(W[chosen].min(), color="black", linewidth=1, linestyle="--")
axis.text(79, W[chosen].min(), "threshold", ha="right", va="bottom")
axis.set(xlabel="gene, by the size of W", ylabel="W")
axis.legend(frameon=False)
figure.tight_layout()
