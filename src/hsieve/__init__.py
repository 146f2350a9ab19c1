"""Nonlinear feature selection by kernel measures of dependence.

:func:`hsieve.select` chooses features, their number and the method. Every method is also a
scikit-learn selector of its own.

>>> from hsieve import BAHSIC
>>> from hsieve.datasets import make_xor
>>> problem = make_xor(200, 40, random_state=0)
>>> sorted(BAHSIC(2).fit(problem.X, problem.y).selected_indices_.tolist())
[0, 1]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hsieve import kernels
    from hsieve.auto import Selection, select
    from hsieve.classifiers import (
        KernelEnsembleClassifier,
        LPBoost,
        LPBoostMKL,
        NestedKernelClassifier,
        PositionWeightMatrix,
        SparseFiltering,
    )
    from hsieve.comparison.compare import SelectorComparison, compare
    from hsieve.data.spectra import power_spectra
    from hsieve.dataset import Dataset, open_dataset
    from hsieve.exceptions import (
        ConstantFeatureWarning,
        CrowdedInteractionsWarning,
        FewerFeaturesWarning,
        IdentifierWarning,
        IncompatibleCombinationError,
        NothingFoundWarning,
    )
    from hsieve.inference import (
        band_hsic,
        conditional_tests,
        feature_tests,
        hsic_interval,
        hsic_test,
        hsic_variance,
        randsel_sample_sizes,
        stability,
    )
    from hsieve.interactions.pair_statistic import pair_statistics
    from hsieve.interactions.result import Interaction
    from hsieve.interactions.scan import InteractionScan
    from hsieve.measures import (
        HSIC,
        LSMI,
        NHSIC,
        FamilyScore,
        IndependenceTest,
        KernelRidge,
        KernelSVM,
        LinearSVM,
        MutualInformation,
        PairwiseHSIC,
        Pearson,
        Relief,
        Ridge,
        SpectralScore,
        SymmetricalUncertainty,
        hsic,
        lsmi,
        nhsic,
    )
    from hsieve.progress import show_progress
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
    from hsieve.strategies import (
        Backward,
        FCBFSearch,
        Forward,
        IterativeScreening,
        L1Ball,
        LarsSearch,
        MRMRSearch,
        ParentsChildren,
        PursuitSearch,
        QuadraticProgram,
        RandomHalves,
        RandomisedContributions,
        Ranking,
        SelectionPath,
    )

__all__ = [
    "BAHSIC",
    "FCBF",
    "FOHSIC",
    "HITONPC",
    "HSIC",
    "L1HSIC",
    "L1LSMI",
    "L1SVM",
    "LSMI",
    "MRMR",
    "N3LARS",
    "NHSIC",
    "QPFS",
    "SPEC",
    "SVMRFE",
    "Backward",
    "BackwardLSMI",
    "ConstantFeatureWarning",
    "CrowdedInteractionsWarning",
    "Dataset",
    "DependenceSelector",
    "FCBFSearch",
    "FamilyRanking",
    "FamilyScore",
    "FewerFeaturesWarning",
    "FillMissing",
    "Forward",
    "ForwardLSMI",
    "HSICLasso",
    "HalvesRegression",
    "IdentifierWarning",
    "IncompatibleCombinationError",
    "IndependenceTest",
    "Interaction",
    "InteractionScan",
    "IterativeScreening",
    "KernelEnsembleClassifier",
    "KernelPursuit",
    "KernelRidge",
    "KernelSVM",
    "KernelSVMRFE",
    "KnockoffSelector",
    "L1Ball",
    "LPBoost",
    "LPBoostMKL",
    "LaplacianScore",
    "LarsSearch",
    "LassoSelector",
    "LinearSVM",
    "MRMRSearch",
    "MaxRelevance",
    "MutualInformation",
    "NestedKernelClassifier",
    "NothingFoundWarning",
    "PairwiseHSIC",
    "ParentsChildren",
    "Pearson",
    "PositionWeightMatrix",
    "PursuitSearch",
    "QuadraticProgram",
    "RandSel",
    "RandomHalves",
    "RandomisedContributions",
    "Ranking",
    "Relief",
    "ReliefF",
    "Ridge",
    "Selection",
    "SelectionPath",
    "SelectorComparison",
    "SpAM",
    "SparseFiltering",
    "SpectralScore",
    "StabilitySelection",
    "SymmetricalUncertainty",
    "band_hsic",
    "compare",
    "conditional_tests",
    "feature_tests",
    "hsic",
    "hsic_interval",
    "hsic_test",
    "hsic_variance",
    "kernels",
    "lsmi",
    "nhsic",
    "open_dataset",
    "pair_statistics",
    "power_spectra",
    "randsel_sample_sizes",
    "select",
    "show_progress",
    "stability",
]

__version__ = "0.1.0"

# Rooms that are imported once one of their names is asked for, in the order of search.
_ROOMS = (
    "hsieve.exceptions",
    "hsieve.progress",
    "hsieve.dataset",
    "hsieve.measures",
    "hsieve.strategies",
    "hsieve.selectors",
    "hsieve.inference",
    "hsieve.classifiers",
    "hsieve.interactions.pair_statistic",
    "hsieve.interactions.result",
    "hsieve.interactions.scan",
    "hsieve.data.spectra",
    "hsieve.auto",
    "hsieve.comparison.compare",
)
_PACKAGES = (
    "anndata",
    "classifiers",
    "data",
    "datasets",
    "inference",
    "interactions",
    "kernels",
    "measures",
    "parallel",
    "report",
    "selectors",
    "solvers",
    "strategies",
)
_MODULES = {name: f"hsieve.{name}" for name in _PACKAGES} | {
    "stability": "hsieve.inference.stability"
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in __all__:
        for room in map(import_module, _ROOMS):
            if name in room.__all__:
                return globals().setdefault(name, getattr(room, name))
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
