"""
Survival: who lives longer?
===========================

Times until an event, some censored, and a gene that is harmful at both ends.
"""

# %%
# 300 patients and 200 genes. Low and high values of gene 0 shorten life; gene 1
# acts by a straight line; gene 2 has no effect, but patients with high values
# leave the study early.

import matplotlib.pyplot as plt
import numpy as np

from hsieve import KernelPursuit, feature_tests
from hsieve.data.survival import kaplan_meier

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 200))
died = rng.exponential(size=300) * np.exp(-1.2 * np.abs(X[:, 0]) - 0.8 * X[:, 1])
left = 0.8 * rng.exponential(size=300) * np.exp(-1.5 * X[:, 2])
y = np.empty(300, dtype=[("event", bool), ("time", float)])
y["event"], y["time"] = died <= left, np.minimum(died, left)
print(f"{1 - y['event'].mean():.0%} of the times are censored")

# %%
# Kernel pursuit takes the structured array as it is. It finds the two genes that
# act, and not the one that decides who is censored.

selector = KernelPursuit().fit(X, y)
print("chosen:", selector.selected_indices_.tolist())

# %%
# The same genes by tests of each gene alone. A test of the observed time for itself
# would see gene 2, since those who leave early have short times.

honest = feature_tests(X[:, :3], y).p_values
naive = feature_tests(X[:, :3], np.log(y["time"])).p_values
print("gene  times with events  observed time")
for gene in range(3):
    print(f"{gene:<5} {honest[gene]:<18.1e} {naive[gene]:.1e}")

# %%
# Survival in the thirds of each gene, as in a report.

figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True)
for gene, panel in enumerate(axes):
    cuts = np.quantile(X[:, gene], (1 / 3, 2 / 3))
    thirds = np.searchsorted(cuts, X[:, gene])
    for third, name in enumerate(("low", "middle", "high")):
        panel.step(*kaplan_meier(y[thirds == third]), where="post", label=name)
    panel.set(title=f"gene {gene}", xlabel="time", xlim=(0, 2))
axes[0].set_ylabel("without event")
axes[0].legend(frameon=False)
figure.tight_layout()
