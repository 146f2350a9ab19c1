"""
What if the target is a text, a graph or a tree?
================================================

Anything that can be compared can be a target: which measurements go with the
*shape* of a sequence?
"""

# %%
# 120 strains, each with a short sequence instead of a number. Sequences are alike
# if they share many pairs of neighbouring letters. That is a kernel, and a kernel
# is all that is needed.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import BAHSIC, kernels

rng = np.random.default_rng(0)
n = 120
family = rng.integers(0, 3, size=n)  # never shown to the selector
motifs = ["ACAC", "GGTT", "TCGA"]
sequences = []
for kind in family:
    letters = list(rng.choice(list("ACGT"), size=24))
    for start in rng.choice(20, size=3, replace=False):
        letters[start : start + 4] = motifs[kind]
    sequences.append("".join(letters))
print(sequences[0], sequences[1], sep="\n")

# %%
# Counts of neighbouring pairs of letters, and their inner products.

pairs = [first + second for first in "ACGT" for second in "ACGT"]
counts = np.array(
    [
        [sum(text[i : i + 2] == pair for i in range(23)) for pair in pairs]
        for text in sequences
    ]
)
counts = counts - counts.mean(axis=0)
gram = counts @ counts.T / np.mean((counts**2).sum(axis=1))

# %%
# Of fifty measurements three go with the family, two of them only in which of its
# values are apart from the rest. ``Precomputed`` takes the Gram matrix in the place
# of a target.

X = rng.normal(size=(n, 50))
X[:, 5] += 1.5 * (family == 0)
X[:, 9] += np.array([1.5, -1.5, 0.0])[family]
X[:, 20] += 1.2 * family
selector = BAHSIC(3, kernel_y=kernels.Precomputed()).fit(X, gram)
print("chosen:", sorted(selector.selected_indices_.tolist()))

# %%
# The kernel of the sequences, sorted by family, and the chosen measurements.

order = np.argsort(family, kind="stable")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=(1, 1.3))
left.imshow(gram[np.ix_(order, order)], cmap="cividis", vmin=-0.5, vmax=1)
left.set(title="How alike are the sequences?", xticks=[], yticks=[])
for row, feature in enumerate(selector.selected_indices_):
    for kind, colour in enumerate(("#0072B2", "#E69F00", "#009E73")):
        values = X[family == kind, feature]
        heights = row + 0.25 * kind + 0.1 * rng.uniform(-1, 1, size=len(values))
        right.scatter(
            values,
            heights,
            s=8,
            color=colour,
            label=motifs[kind] if row == 0 else None,
        )
right.set(
    yticks=np.arange(3) + 0.25,
    yticklabels=[f"x{k}" for k in selector.selected_indices_],
)
right.set(title="Chosen measurements", xlabel="value")
right.legend(
    frameon=False, title="motif", loc="center left", bbox_to_anchor=(1, 0.5)
)
figure.tight_layout()
