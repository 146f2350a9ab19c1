"""False selections of stability selection stay under the bound, on data with a known truth."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from hsieve import N3LARS, LPBoost, StabilitySelection

N_SETS = 200
N_SAMPLES, N_FEATURES, N_TRUE = 120, 100, 5

BASES = {
    "lasso": None,
    "l1-logistic": LogisticRegression(l1_ratio=1.0, solver="liblinear"),
    "lpboost": LPBoost(),
    "n3lars": N3LARS(),
}


def make_set(seed, *, correlation):
    """Five features that matter among a hundred, all equally correlated; two classes."""
    rng = np.random.default_rng([2014, seed])
    own = rng.normal(size=(N_SAMPLES, N_FEATURES))
    common = rng.normal(size=(N_SAMPLES, 1))
    X = np.sqrt(1 - correlation) * own + np.sqrt(correlation) * common
    signal = X[:, :N_TRUE] @ [1.0, -1.0, 1.0, -1.0, 1.0]
    return X, signal + rng.normal(size=N_SAMPLES) > 0


def selections_of(base, *, correlation, n_sets, **options):
    """False and true selections, and bounds, of each set."""
    found = []
    for seed in range(n_sets):
        X, y = make_set(seed, correlation=correlation)
        selection = StabilitySelection(base, n_subsamples=40, **options).fit(X, y)
        false = np.sum(selection.selected_indices_ >= N_TRUE)
        found.append((false, len(selection.selected_indices_) - false, selection.bound_))
    return np.mean(found, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correlation", "threshold", "wished"), [(0.0, 0.6, 1.0), (0.3, None, 2.0)]
)
@pytest.mark.parametrize("name", BASES)
def test_false_selections_stay_under_the_bound(name, correlation, threshold, wished):
    options = {"threshold": threshold, "expected_false_selections": wished}
    false, true, bound = selections_of(
        BASES[name], correlation=correlation, n_sets=N_SETS, **options
    )
    assert false <= bound <= wished + 1e-9
    assert true > 1  # the bound is not kept by selecting nothing
