"""
Is the dependence real?
=======================

Something always comes first. When is it more than chance?
"""

# %%
# 500 genes and a treatment that moves three of them: one up, one only in its
# spread, and one in the middle of its range.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ttest_ind

from hsieve import feature_tests, hsic_interval, hsic_test, kernels

rng = np.random.default_rng(0)
treated = np.repeat([0, 1], 100)
X = rng.normal(size=(200, 500))
X[:, 0] += 0.9 * treated
X[:, 1] *= 1 + 1.2 * treated
X[treated == 1, 2] = np.sign(X[treated == 1, 2]) * (
    1 + 0.3 * np.abs(X[treated == 1, 2])
)

# %%
# First the question for all features together: do they say anything at all? Three
# among 500 drown in the noise of the others, and the answer is no. Then each by
# itself, with p-values adjusted for their number.

print(f"all features together: p = {hsic_test(X, treated).p_value:.3f}")
tests = feature_tests(X, treated)
by_t = ttest_ind(X[treated == 0], X[treated == 1]).pvalue
print("gene  change       t test p  HSIC p   adjusted")
for gene, change in enumerate(("shifted", "more spread", "two humps")):
    values = (by_t[gene], tests.p_values[gene], tests.adjusted_p_values[gene])
    print(f"{gene:<5} {change:<12}", "  ".join(f"{value:.1e}" for value in values))

# %%
# A t test sees a shift of the mean and nothing else. HSIC sees all three. For the
# noise both give p-values that are spread evenly, as they should be.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
for gene, colour, name in (
    (0, "#0072B2", "shifted"),
    (1, "#D55E00", "spread"),
    (2, "#009E73", "humps"),
):
    left.scatter(
        -np.log10(by_t[gene]),
        -np.log10(tests.p_values[gene]),
        color=colour,
        label=name,
    )
left.scatter(
    -np.log10(by_t[3:]),
    -np.log10(tests.p_values[3:]),
    s=6,
    color="#9aa5b1",
    label="noise",
)
left.set(xlabel="t test: -log10 p", ylabel="HSIC: -log10 p", title="Who sees what")
left.legend(frameon=False)
right.hist(tests.p_values[3:], bins=20, range=(0, 1), color="#9aa5b1")
right.set(xlabel="HSIC p-value", ylabel="genes", title="Genes without effect")
figure.tight_layout()

# %%
# How strong is it? The unbiased estimate with its confidence interval, for the gene
# that is more spread and for one of the noise:

for gene in (1, 3):
    interval = hsic_interval(
        X[:, [gene]], treated, kernel_y=kernels.Delta(normalised=False)
    )
    low, high = interval.low, interval.high
    print(f"gene {gene}: {interval.estimate:.4f}, from {low:.4f} to {high:.4f}")
