"""
Where is a protein cut, and what shows the place?
=================================================

A signal peptide is cut off at one place of a protein. Which properties of which
neighbouring residues tell where?
"""

# %%
# Made proteins after a known rule of biology: some ten residues that avoid water,
# then the cut, with small residues one and three places before it. The rest is
# drawn from the usual composition.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hsieve import N3LARS, PositionWeightMatrix
from hsieve.data.sequences import encode_windows, site_accuracy, windows

rng = np.random.default_rng(0)
usual = list("ALGVESIKRDTPNQFYMHCW")
shares = np.linspace(2, 0.4, 20)
proteins, cuts = [], []
for _ in range(150):
    letters = rng.choice(usual, size=45, p=shares / shares.sum())
    cut = int(rng.integers(16, 26))
    letters[cut - 13 : cut - 4] = rng.choice(list("LLLAVIF"), size=9)
    letters[cut - 3] = rng.choice(list("AAVSG"))
    letters[cut - 1] = rng.choice(list("AAAGS"))
    proteins.append("".join(letters))
    cuts.append(cut)
print(proteins[0], "is cut before place", cuts[0])

# %%
# A window around every place of every protein, nine residues before and two after.
# Each residue becomes its physico-chemical scales: size, charge, hydropathy and so
# on.

cut_out = windows(proteins, before=9, after=2)
coded = encode_windows(cut_out)
is_site = cut_out.target == np.array(cuts)[cut_out.sequence]
n_windows, n_features = coded.X.shape
print(f"{n_windows:,} windows of {n_features} features, {is_site.sum()} sites")

# %%
# Which features tell? To choose, each protein gives its site and five other
# windows, so that sites are not drowned. A cap on redundancy keeps scales that say
# the same apart.

others = np.flatnonzero(~is_site)
sample = np.concatenate(
    [np.flatnonzero(is_site), rng.choice(others, 750, replace=False)]
)
selector = N3LARS(12, max_redundancy=0.6).fit(coded.X[sample], is_site[sample])
for feature in selector.selected_indices_[:6]:
    print(
        f"{coded.names[feature]:<34} relevance {selector.relevance_[feature]:.3f}"
    )

# %%
# The relevance of every scale at every place. Minus three and minus one stand out,
# as the rule has it, and the stretch before them.

n_places, n_scales = 12, coded.X.shape[1] // 12
relevance = selector.relevance_.reshape(n_places, n_scales)
figure, axis = plt.subplots(figsize=(8, 3.2))
image = axis.imshow(relevance.T, aspect="auto", cmap="cividis")
axis.set(xlabel="place, seen from the residue behind the cut", ylabel="scale")
axis.set_xticks(range(n_places), range(-9, 3))
figure.colorbar(image, label="NHSIC with the site")
figure.tight_layout()

# %%
# Is the cut found in proteins that were not seen? Folds by protein, and the best
# window of each protein counts. The weight matrix that biologists use is the
# yardstick; it knows the letters at each place, the twelve chosen features only
# some of their properties.

groups = cut_out.sequence
folds = GroupKFold(5)
models = {
    "weight matrix": (PositionWeightMatrix(), cut_out.codes, "decision_function"),
    "12 features": (
        make_pipeline(
            N3LARS(12, max_redundancy=0.6),
            StandardScaler(),
            LogisticRegression(class_weight="balanced", max_iter=1000),
        ),
        coded.X,
        "decision_function",
    ),
}
for name, (model, X, method) in models.items():
    scores = cross_val_predict(
        model, X, is_site, groups=groups, cv=folds, method=method
    )
    scores = scores if scores.ndim == 1 else scores[:, -1]
    share = site_accuracy(scores, groups, is_site)
    print(f"{name:<14} right in {share:.0%} of the proteins")
