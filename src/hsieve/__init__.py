"""hsieve: the few features that matter, when the relation to the target is not linear.

>>> from hsieve import BAHSIC
>>> from hsieve.data.synthetic import make_xor
>>> problem = make_xor(200, 40, random_state=0)
>>> sorted(BAHSIC(2).fit(problem.X, problem.y).selected_indices_.tolist())
[0, 1]
"""

from hsieve import kernels
from hsieve.estimators import (
    BAHSIC,
    FOHSIC,
    MRMR,
    N3LARS,
    QPFS,
    DependenceSelector,
    FamilyRanking,
    HSICLasso,
    Interaction,
    InteractionScan,
    MaxRelevance,
)
from hsieve.exceptions import (
    ConstantFeatureWarning,
    CrowdedInteractionsWarning,
    FewerFeaturesWarning,
    IncompatibleCombinationError,
)
from hsieve.inference import feature_tests, hsic_interval, hsic_test, hsic_variance
from hsieve.measures import (
    HSIC,
    NHSIC,
    FamilyScore,
    KernelRidge,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    Ridge,
    hsic,
    nhsic,
    pair_statistics,
)
from hsieve.strategies import (
    Backward,
    Forward,
    IterativeScreening,
    LarsSearch,
    MRMRSearch,
    QuadraticProgram,
    Ranking,
    SelectionPath,
)

__all__ = [
    "BAHSIC",
    "FOHSIC",
    "HSIC",
    "MRMR",
    "N3LARS",
    "NHSIC",
    "QPFS",
    "Backward",
    "ConstantFeatureWarning",
    "CrowdedInteractionsWarning",
    "DependenceSelector",
    "FamilyRanking",
    "FamilyScore",
    "FewerFeaturesWarning",
    "Forward",
    "HSICLasso",
    "IncompatibleCombinationError",
    "Interaction",
    "InteractionScan",
    "IterativeScreening",
    "KernelRidge",
    "LarsSearch",
    "MRMRSearch",
    "MaxRelevance",
    "MutualInformation",
    "PairwiseHSIC",
    "Pearson",
    "QuadraticProgram",
    "Ranking",
    "Ridge",
    "SelectionPath",
    "feature_tests",
    "hsic",
    "hsic_interval",
    "hsic_test",
    "hsic_variance",
    "kernels",
    "nhsic",
    "pair_statistics",
]

__version__ = "0.1.0"
