"""The cross of measures and strategies: every cell runs, or refuses by name before any work."""

import numpy as np
import pytest

from hsieve import (
    HSIC,
    NHSIC,
    Backward,
    DependenceSelector,
    FamilyScore,
    Forward,
    IncompatibleCombinationError,
    KernelRidge,
    LarsSearch,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    Ranking,
    Ridge,
)

JOINT = {
    "HSIC biased": HSIC(estimator="biased"),
    "HSIC unbiased": HSIC(),
    "NHSIC": NHSIC(),
    "ridge": Ridge(),
    "kernel ridge": KernelRidge(),
}
SINGLE = {
    "Pearson": Pearson(),
    "mutual information": MutualInformation(),
    "family": FamilyScore("pam"),
}
PAIRWISE = {
    "pairwise NHSIC": PairwiseHSIC(),
    "pairwise HSIC": PairwiseHSIC(normalised=False),
}
ALL = {**JOINT, **SINGLE, **PAIRWISE}
SEARCHES = {"forward": Forward(), "backward": Backward(), "contexts": Backward(n_contexts=2)}

CELLS = [
    *((m, "ranking", True) for m in ALL),
    *((m, "lars", m in PAIRWISE) for m in ALL),
    *((m, s, m in JOINT) for m in ALL for s in SEARCHES),
]


@pytest.mark.parametrize(("measure", "strategy", "runs"), CELLS)
def test_every_cell_runs_or_refuses_by_name(measure, strategy, runs, rng):
    measure = ALL[measure]
    strategy = {"ranking": Ranking(), "lars": LarsSearch(), **SEARCHES}[strategy]
    X = rng.normal(size=(40, 6))
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    selector = DependenceSelector(measure, strategy=strategy, n_features_to_select=2)
    if runs:
        assert sorted(selector.fit(X, y).selected_indices_.tolist()) == [1, 4]
        return
    expected = f"{type(strategy).__name__} cannot search with {type(measure).__name__}"
    with pytest.raises(IncompatibleCombinationError, match=expected) as refusal:
        selector.fit(X, y)
    for method in set(strategy.needs) - {"feature_scores"}:
        assert method in str(refusal.value)


def test_the_refusal_comes_before_any_work(rng, monkeypatch):
    monkeypatch.setattr(Pearson, "bind", lambda *_: pytest.fail("work was done"))
    with pytest.raises(IncompatibleCombinationError):
        DependenceSelector(Pearson(), strategy="forward").fit(
            rng.normal(size=(9, 2)), np.arange(9.0)
        )


def test_something_else_than_a_measure_is_refused(rng):
    with pytest.raises(IncompatibleCombinationError, match="must be a hsieve measure"):
        DependenceSelector("hsic").fit(rng.normal(size=(9, 2)), np.arange(9.0))
