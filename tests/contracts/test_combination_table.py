"""The cross of measures and strategies: every cell runs, or refuses by name before any work."""

import numpy as np
import pytest

from hsieve import (
    HSIC,
    LSMI,
    NHSIC,
    Backward,
    DependenceSelector,
    FamilyScore,
    FCBFSearch,
    Forward,
    IncompatibleCombinationError,
    IndependenceTest,
    IterativeScreening,
    KernelRidge,
    KernelSVM,
    L1Ball,
    LarsSearch,
    LinearSVM,
    MRMRSearch,
    MutualInformation,
    PairwiseHSIC,
    ParentsChildren,
    Pearson,
    PursuitSearch,
    QuadraticProgram,
    RandomHalves,
    RandomisedContributions,
    Ranking,
    Relief,
    Ridge,
    SpectralScore,
    SymmetricalUncertainty,
)

JOINT = {
    "HSIC biased": HSIC(estimator="biased"),
    "HSIC unbiased": HSIC(),
    "NHSIC": NHSIC(),
    "ridge": Ridge(),
    "kernel ridge": KernelRidge(),
    "linear SVM": LinearSVM(),
    "kernel SVM": KernelSVM(),
    "LSMI": LSMI(),
}
# Scores of sets that have a slope in weights of the features.
WEIGHTED = ("HSIC biased", "HSIC unbiased", "NHSIC", "LSMI")
SINGLE = {"family": FamilyScore("pam"), "relief": Relief(), "spectral": SpectralScore()}
CONDITIONAL = {"independence, G2": IndependenceTest(), "Fisher z": IndependenceTest("fisher-z")}
# Pairwise statistics that are inner products, so that there is a convex path and a projection.
PRODUCTS = {
    "pairwise NHSIC": PairwiseHSIC(),
    "pairwise HSIC": PairwiseHSIC(normalised=False),
    "squared Pearson": Pearson(squared=True),
}
PAIRWISE = {
    **PRODUCTS,
    "LSMI": JOINT["LSMI"],
    "Pearson": Pearson(),
    "mutual information, neighbours": MutualInformation(),
    "mutual information, discretised": MutualInformation(estimator="discretised"),
    "mutual information, copula": MutualInformation(estimator="copula"),
    "symmetrical uncertainty": SymmetricalUncertainty(),
}
ALL = {**JOINT, **SINGLE, **CONDITIONAL, **PAIRWISE}
PAIRWISE_SEARCHES = {
    "mRMR difference": MRMRSearch(),
    "mRMR quotient": MRMRSearch(form="quotient"),
    "QP": QuadraticProgram(),
    "QP landmarks": QuadraticProgram(n_landmarks=4),
    "FCBF": FCBFSearch(),
}
# Comparing relevance with redundancy needs one scale; dividing by redundancy, that it is positive.
UNFIT = {
    ("pairwise HSIC", "mRMR difference"),
    ("pairwise HSIC", "FCBF"),
    ("LSMI", "mRMR quotient"),
}
# Pairwise statistics that also tell the dependence on residuals.
RESIDUALS = (
    "pairwise NHSIC",
    "pairwise HSIC",
    "squared Pearson",
    "Pearson",
    "mutual information, neighbours",
    "mutual information, discretised",
    "mutual information, copula",
)
PURSUITS = {
    "pursuit": PursuitSearch(),
    "pursuit, own number": PursuitSearch(finds_number=True, interactions=None),
}
PRODUCT_SEARCHES = {"lars": LarsSearch(), "screening": IterativeScreening()}
SEARCHES = {"forward": Forward(), "backward": Backward(), "contexts": Backward(n_contexts=2)}
# Searches that score halves of the features, and those that do so on subsamples.
HALVES = {"random halves": RandomHalves(n_rounds=60)}
SAMPLED = ("HSIC biased", "HSIC unbiased", "NHSIC", "LSMI")
RANDOMISED = {
    "randomised, sweep": RandomisedContributions(n_rounds=8),
    "randomised, plain": RandomisedContributions(estimator="plain", n_rounds=100),
}
WEIGHT_SEARCHES = {"l1 ball": L1Ball(n_restarts=2)}

CELLS = [
    *((m, "ranking", True) for m in ALL),
    *((m, s, m in PRODUCTS) for m in ALL for s in PRODUCT_SEARCHES),
    *((m, s, m in PAIRWISE and (m, s) not in UNFIT) for m in ALL for s in PAIRWISE_SEARCHES),
    *((m, s, m in RESIDUALS) for m in ALL for s in PURSUITS),
    *((m, s, m in JOINT) for m in ALL for s in SEARCHES),
    *((m, s, m in JOINT) for m in ALL for s in HALVES),
    *((m, s, m in SAMPLED) for m in ALL for s in RANDOMISED),
    *((m, "parents and children", m in CONDITIONAL) for m in ALL),
    *((m, s, m in WEIGHTED) for m in ALL for s in WEIGHT_SEARCHES),
]


@pytest.mark.parametrize(("measure", "strategy", "runs"), CELLS)
def test_every_cell_runs_or_refuses_by_name(measure, strategy, runs, rng):
    measure = ALL[measure]
    strategy = {
        "ranking": Ranking(),
        "parents and children": ParentsChildren(),
        **SEARCHES,
        **HALVES,
        **RANDOMISED,
        **WEIGHT_SEARCHES,
        **PAIRWISE_SEARCHES,
        **PURSUITS,
        **PRODUCT_SEARCHES,
    }[strategy]
    X = rng.normal(size=(100, 6))
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    selector = DependenceSelector(measure, strategy=strategy, n_features_to_select=2)
    if runs:
        assert sorted(selector.fit(X, y).selected_indices_.tolist()) == [1, 4]
        return
    expected = f"{type(strategy).__name__} cannot search with {type(measure).__name__}"
    with pytest.raises(IncompatibleCombinationError, match=expected) as refusal:
        selector.fit(X, y)
    missing = [name for name in strategy.needs if not hasattr(measure.bound_type, name)]
    for method in missing:
        assert method in str(refusal.value)
    if not missing:
        reasons = (
            "positive semi-definite",
            "not positive semi-definite",
            "different scales",
            "below zero",
        )
        assert any(reason in str(refusal.value) for reason in reasons)


def test_the_refusal_comes_before_any_work(rng, monkeypatch):
    monkeypatch.setattr(Pearson, "bind", lambda *_: pytest.fail("work was done"))
    with pytest.raises(IncompatibleCombinationError):
        DependenceSelector(Pearson(), strategy="forward").fit(
            rng.normal(size=(9, 2)), np.arange(9.0)
        )


def test_something_else_than_a_measure_is_refused(rng):
    with pytest.raises(IncompatibleCombinationError, match="must be a hsieve measure"):
        DependenceSelector("hsic").fit(rng.normal(size=(9, 2)), np.arange(9.0))
