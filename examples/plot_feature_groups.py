"""
Which pathways matter?
======================

Genes act in pathways. Which of forty pathways does a response depend on, and which
genes stand behind it?
"""

# %%
# Forty pathways of 5 to 20 genes. In two of them three genes act, each by a curve;
# no gene alone says much.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import N3LARS

rng = np.random.default_rng(1)
sizes = rng.integers(5, 21, size=40)
pathway = np.repeat([f"pathway {k}" for k in range(40)], sizes)
genes = rng.normal(size=(700, len(pathway)))
response = 0.5 * rng.normal(size=700)
for acting in ("pathway 4", "pathway 17"):
    first, second, third = np.flatnonzero(pathway == acting)[:3]
    response += np.abs(genes[:, first]) + np.sin(2 * genes[:, second])
    response += 0.7 * genes[:, third] ** 2

# %%
# Labels say which gene belongs to which pathway. Genes of a pathway are chosen
# together, and the number counts pathways.

selector = N3LARS(2, feature_groups=pathway).fit(genes, response)
print(selector.selected_groups_)
print(len(selector.selected_indices_), "of", len(pathway), "genes")

# %%
# The relevance of each pathway, and in the two chosen that of each gene alone.

alone = N3LARS(2).fit(genes, response).relevance_
starts = np.cumsum(sizes) - sizes
figure, axes = plt.subplots(1, 3, figsize=(9, 3), width_ratios=[2, 1, 1])
colours = [
    "#D55E00" if label in selector.selected_groups_ else "#9aa5b1"
    for label in pathway[starts]
]
axes[0].bar(np.arange(40), selector.relevance_[starts], color=colours)
axes[0].set_xlabel("pathway")
axes[0].set_ylabel("relevance (NHSIC)")
for axis, label in zip(axes[1:], selector.selected_groups_, strict=True):
    axis.bar(np.arange(np.sum(pathway == label)), alone[pathway == label])
    axis.set_title(label, fontsize=10)
    axis.set_xlabel("gene of the pathway")
figure.tight_layout()
