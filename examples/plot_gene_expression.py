"""
Which genes tell two kinds of tumour apart?
===========================================

A hundred patients, thousands of genes: which few are enough, and how sure is that?
"""

# %%
# If the environment variable ``HSIEVE_DATA`` names the folder of the file, these
# are the leukaemias of Golub and others, 72 patients and 7,129 genes; otherwise the
# data are simulated in that shape. Genes come in groups that rise and fall, most of
# them have nothing to do with the tumour. Expression spans decades, so take
# logarithms first: by arcsinh, which also takes the values below zero that old
# micro-arrays give.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hsieve import BAHSIC, N3LARS, FamilyRanking, compare
from hsieve.report import RedundancyDisplay


def made_expression(n_patients=80, n_genes=3000, seed=0):
    """Groups of genes; two follow the kind of tumour, one of them in a curve."""
    rng = np.random.default_rng(seed)
    kind = np.repeat([0, 1], n_patients // 2)
    programmes = rng.normal(size=(n_patients, 60))
    programmes[:, 0] += 2.0 * kind
    programmes[:, 1] *= np.where(
        kind == 1, 2.5, 0.4
    )  # silent in one kind, up or down in the other
    member = rng.integers(0, 60, size=n_genes)
    member[:12], member[12:24] = 0, 1
    levels = 0.8 * programmes[:, member] + 0.6 * rng.normal(
        size=(n_patients, n_genes)
    )
    return np.exp(6 + levels), kind


leukaemias = Path(os.environ.get("HSIEVE_DATA", ""), "asu", "ALLAML.npz")
if leukaemias.exists():
    with np.load(leukaemias) as file:
        expression, kind = file["X"].astype(float), file["y"]
    print("leukaemias:", expression.shape)
else:
    expression, kind = made_expression()
    print("made data:", expression.shape)
X = np.arcsinh(expression / 100)

# %%
# Ten genes, by a path that keeps copies back. ``groups_`` names genes that could
# stand in for a chosen one.

selector = N3LARS(10).fit(X, kind)
for gene, others in zip(selector.selected_indices_, selector.groups_, strict=True):
    relevance = selector.relevance_[gene]
    print(f"gene {gene:>4}, relevance {relevance:.2f}, stand-ins: {len(others)}")

# %%
# What do the chosen genes share?

display = RedundancyDisplay.from_selector(selector, X, kind)

# %%
# Is that better than the t statistic that everybody uses? Selection inside every
# fold.

selectors = {
    "moderated t": FamilyRanking(10, statistic="moderated-t"),
    "N3LARS": N3LARS(10),
    "BAHSIC": BAHSIC(10),
}
found = compare(
    selectors, X, kind, cv=5, n_repeats=2, predictor=make_pipeline(SVC())
)
for summary in found.summaries:
    mean, deviation = summary.score.mean, summary.score.deviation
    print(f"{summary.name:<12} accuracy {mean:.2f} ± {deviation:.2f}")

# %%
# The two best genes. Look at what was chosen before believing in it.

first, second = selector.selected_indices_[:2]
figure, axis = plt.subplots(figsize=(5, 4))
for label, colour in zip(np.unique(kind), ("#0072B2", "#E69F00"), strict=True):
    chosen = kind == label
    axis.scatter(
        X[chosen, first],
        X[chosen, second],
        s=18,
        color=colour,
        label=f"kind {label}",
    )
axis.set(xlabel=f"gene {first}, log scale", ylabel=f"gene {second}, log scale")
axis.legend(frameon=False)
figure.tight_layout()
