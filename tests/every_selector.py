"""Every public estimator, in families, with settings that take milliseconds on small data.

Tests that must hold for all of them take this table. A new public estimator that is not in it fails
:func:`missing`, which the tests of properties and the fuzzer both ask.
"""

import inspect
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_selection import SelectorMixin

import hsieve
from hsieve import (
    HSIC,
    LSMI,
    NHSIC,
    KernelRidge,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    PursuitSearch,
    Ridge,
    SymmetricalUncertainty,
    kernels,
)
from hsieve.classifiers import (
    KernelEnsembleClassifier,
    LPBoost,
    LPBoostMKL,
    NestedKernelClassifier,
    PositionWeightMatrix,
    SparseFiltering,
)
from hsieve.interactions.scan import InteractionScan
from hsieve.selectors import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HITONPC,
    L1HSIC,
    L1LSMI,
    L1SVM,
    MRMR,
    N3LARS,
    QPFS,
    SPEC,
    SVMRFE,
    BackwardLSMI,
    DependenceSelector,
    FamilyRanking,
    FillMissing,
    ForwardLSMI,
    HalvesRegression,
    HSICLasso,
    KernelPursuit,
    KernelSVMRFE,
    KnockoffSelector,
    LaplacianScore,
    LassoSelector,
    MaxRelevance,
    RandSel,
    ReliefF,
    SpAM,
    StabilitySelection,
)
from hsieve.selectors.methods import known_methods

__all__ = [
    "ALL",
    "FAMILIES",
    "SCALE_MATTERS",
    "SELECTORS",
    "fresh",
    "kind_of",
    "missing",
    "named",
    "why_scale_matters",
]

STATISTICS = ("pc", "centroid", "t", "snr", "moderated-t", "lods", "pam", "one-vs-rest", "block")
SMALL_ENSEMBLE = {"widths": 1.0, "ridges": 1.0, "nu": 0.5, "n_members": 2, "n_folds": 2}

FAMILIES: dict[str, tuple[BaseEstimator, ...]] = {
    "HSIC searches": (
        BAHSIC(2, n_contexts=2),
        BAHSIC(2, kernel_x=kernels.Gaussian("maximise"), n_contexts=1, compensate=False),
        FOHSIC(2),
        DependenceSelector(HSIC(estimator="biased"), n_features_to_select=2),
        DependenceSelector(NHSIC(), strategy="forward", n_features_to_select=2),
        DependenceSelector(HSIC(kernel_x=kernels.Linear()), n_features_to_select=2),
    ),
    "LARS paths": (
        N3LARS(2),
        N3LARS(2, form="coded"),
        N3LARS(2, max_redundancy=0.5),
        HSICLasso(2),
    ),
    "pursuit": (
        KernelPursuit(2),
        KernelPursuit(2, interactions=None),
        DependenceSelector(Pearson(), strategy=PursuitSearch(), n_features_to_select=2),
        DependenceSelector(
            MutualInformation(estimator="discretised"),
            strategy=PursuitSearch(),
            n_features_to_select=2,
        ),
    ),
    "pairwise": (
        MRMR(2),
        MRMR(2, measure=PairwiseHSIC()),
        MRMR(2, measure=Pearson(), form="quotient"),
        MRMR(2, measure=MutualInformation(estimator="discretised")),
        MRMR(2, measure=MutualInformation(estimator="copula")),
        MaxRelevance(2),
        MaxRelevance(2, n_screened=3),
        QPFS(2),
        QPFS(2, measure=Pearson()),
        FCBF(2),
        DependenceSelector(SymmetricalUncertainty(), n_features_to_select=2),
    ),
    "LSMI": (
        ForwardLSMI(2, n_centres=10),
        BackwardLSMI(2, n_centres=10),
        DependenceSelector(LSMI(n_centres=10), n_features_to_select=2),
    ),
    "l1 weights": (
        L1LSMI(2, n_restarts=1, n_centres=10),
        L1HSIC(2, n_restarts=1),
    ),
    "filter scores": (
        *(FamilyRanking(2, statistic=statistic) for statistic in STATISTICS),
        ReliefF(2),
        SPEC(2),
        SPEC(2, ranking_function="phi3", n_eigenvectors=3, graph="features"),
        LaplacianScore(2),
        HITONPC(2),
        HITONPC(2, test="fisher-z"),
    ),
    "sparse models": (
        LassoSelector(2),
        L1SVM(2),
        SpAM(2),
        SVMRFE(2),
        KernelSVMRFE(2),
        DependenceSelector(Ridge(), strategy="backward", n_features_to_select=2),
        DependenceSelector(KernelRidge(), strategy="forward", n_features_to_select=2),
    ),
    "randomised": (
        RandSel(2, n_rounds=2, step=0.5),
        RandSel(2, n_rounds=6, estimator="plain", step=0.5),
        HalvesRegression(2, n_rounds=10),
    ),
    "stability": (
        StabilitySelection(n_subsamples=2),
        StabilitySelection(LassoSelector(), n_per_subsample=2, n_subsamples=2),
        StabilitySelection(
            FamilyRanking(), n_features_to_select=2, n_subsamples=2, sampling="halves"
        ),
    ),
    "knockoffs": (
        KnockoffSelector(fdr=0.5),
        KnockoffSelector(MaxRelevance(), fdr=0.5, n_draws=2, statistic="score"),
    ),
    "interactions": (
        InteractionScan(2, n_permutations=2, n_jobs=1),
        InteractionScan(2, n_permutations=0, order=3, n_jobs=1),
        InteractionScan(2, n_permutations=0, missing="category", n_jobs=1),
    ),
    "classifiers": (
        LPBoost(),
        LPBoostMKL(selector=FamilyRanking(), n_folds=2, widths=[1.0], nu=0.5),
        KernelEnsembleClassifier(selector=FamilyRanking(), **SMALL_ENSEMBLE),
        NestedKernelClassifier(
            selector=FamilyRanking(), classifier=KernelEnsembleClassifier(**SMALL_ENSEMBLE)
        ),
        PositionWeightMatrix(),
    ),
    "transformers": (
        SparseFiltering(3, max_iter=5),
        SparseFiltering(3, max_iter=5, preparation="range", intercept=True),
        FillMissing(),
    ),
}

# Named methods that are nowhere above, as they come.
OTHERS = tuple(
    method.make(n_features_to_select=2)
    for method in known_methods().values()
    if method.kind not in {type(one) for few in FAMILIES.values() for one in few}
)
if OTHERS:
    FAMILIES["others"] = OTHERS

# Estimators whose answer may change with shift or scale of single features, and why.
SCALE_MATTERS = {
    "statistic='centroid'": "the difference of the means itself is the score",
    "statistic='moderated-t'": "variances of all features are shrunk towards each other",
    "statistic='lods'": "variances of all features are shrunk towards each other",
    "statistic='pam'": "the median deviation of all features is added to that of each",
    "ranking_function='phi3'": "an offset belongs to what the graph smooths",
    "PositionWeightMatrix": "numbers are names of categories, common to all positions",
    "FillMissing": "medians follow the features, which is their use",
}


def why_scale_matters(estimator: BaseEstimator) -> str | None:
    """Say why the scale of features matters to an estimator; None where it must not."""
    name = named(estimator)
    return next((why for part, why in SCALE_MATTERS.items() if part in name), None)


def named(estimator: BaseEstimator) -> str:
    """Name an estimator on one line, by its class and the settings that are not the usual ones."""
    return " ".join(repr(estimator).split())


ALL: dict[str, BaseEstimator] = {named(one): one for few in FAMILIES.values() for one in few}
SELECTORS: dict[str, BaseEstimator] = {
    name: one for name, one in ALL.items() if isinstance(one, SelectorMixin)
}


def missing() -> set[str]:
    """Public estimators that the table forgets."""
    public = (getattr(hsieve, name) for name in hsieve.__all__)
    classes = {one.__name__ for one in public if inspect.isclass(one) and hasattr(one, "fit")}
    return classes - {type(one).__name__ for one in ALL.values()}


def kind_of(estimator: Any) -> str:
    """Say what an estimator is for."""
    if isinstance(estimator, SelectorMixin):
        return "selector"
    return "classifier" if is_classifier(estimator) else "transformer"


def fresh(estimator: BaseEstimator) -> Any:
    """Return an estimator with the same settings that has not been fitted."""
    return clone(estimator)
