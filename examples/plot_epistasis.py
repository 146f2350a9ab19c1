"""
Which genotypes act only together?
==================================

Neither of two mutations changes the risk by itself; both together do. Can they be
found among all pairs of five hundred positions, and how sure is that?
"""

# %%
# 600 people, half of them ill, 500 positions with 0, 1 or 2 rare alleles. At two of
# them the risk depends on the pair alone: looked at one by one, ill and healthy
# people do not differ.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import InteractionScan, feature_tests

rng = np.random.default_rng(0)
n, d = 600, 500
frequency = rng.uniform(0.2, 0.5, size=d)
genotypes = rng.binomial(2, frequency, size=(n, d)).astype(float)
first, second = 17, 342
genotypes[:, [first, second]] = rng.binomial(2, 0.5, size=(n, 2))
# Risk by pair of genotypes; every row and every column has the same mean over the
# population.
risk = np.array([[0.2, 0.8, 0.2], [0.8, 0.2, 0.8], [0.2, 0.8, 0.2]])
weights = np.array([0.25, 0.5, 0.25])
print(
    "risk by one position alone:",
    (risk @ weights).round(2),
    (weights @ risk).round(2),
)
ill = (
    rng.uniform(size=n)
    < risk[genotypes[:, first].astype(int), genotypes[:, second].astype(int)]
)

# %%
# One by one there is nothing to see.

alone = feature_tests(genotypes, ill)
print(
    "smallest adjusted p-value of all positions:",
    alone.adjusted_p_values.min().round(2),
)
places = [
    int((alone.p_values < alone.p_values[k]).sum()) + 1 for k in (first, second)
]
print("places of the two:", places)

# %%
# All 124,750 pairs in one sweep. Genotypes are declared categories, so that any
# pattern counts. The family-wise p-value is the chance that *any* pair looks so
# good where there is nothing.

scan = InteractionScan(n_pairs=20, categorical=range(d)).fit(genotypes, ill)
for pair in scan.pairs_[:3]:
    print(
        pair.features, f"strength {pair.strength:.2f}, p = {pair.family_wise_p:.1e}"
    )

# %%
# The scores of the best pairs, and the share of ill people for each pair of
# genotypes of the best one.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.4, 1))
scores = [pair.score for pair in scan.pairs_]
left.bar(
    range(1, len(scores) + 1),
    scores,
    color=["#D55E00"] + ["#9aa5b1"] * (len(scores) - 1),
)
left.set(xlabel="pair, best first", ylabel="-log10 p of the pair")
left.set(title="One stands out", xticks=[1, 5, 10, 15, 20])
a, b = scan.pairs_[0].features
share = np.array(
    [
        [
            ill[(genotypes[:, a] == i) & (genotypes[:, b] == j)].mean()
            for j in range(3)
        ]
        for i in range(3)
    ]
)
image = right.imshow(share, cmap="cividis", vmin=0, vmax=1, origin="lower")
for (row, column), value in np.ndenumerate(share):
    colour = "white" if value < 0.5 else "black"
    right.text(column, row, f"{value:.0%}", ha="center", va="center", color=colour)
right.set(
    xlabel=f"alleles at {b}",
    ylabel=f"alleles at {a}",
    xticks=range(3),
    yticks=range(3),
)
right.set_title("Share of ill people")
figure.colorbar(image, ax=right)
figure.tight_layout()
