"""Selectors with the interface of scikit-learn."""

from hsieve.estimators.bahsic import BAHSIC, FOHSIC
from hsieve.estimators.family import FamilyRanking
from hsieve.estimators.fcbf import FCBF
from hsieve.estimators.filling import FillMissing
from hsieve.estimators.hiton_pc import HITONPC
from hsieve.estimators.interaction import Interaction
from hsieve.estimators.interaction_scan import InteractionScan
from hsieve.estimators.kernel_ensemble import KernelEnsembleClassifier
from hsieve.estimators.kernel_pursuit import KernelPursuit
from hsieve.estimators.kernel_svm import KernelSVMRFE
from hsieve.estimators.l1_ball import L1HSIC, L1LSMI
from hsieve.estimators.lasso import LassoSelector
from hsieve.estimators.linear_svm import L1SVM, SVMRFE
from hsieve.estimators.lpboost import LPBoost
from hsieve.estimators.lpboost_mkl import LPBoostMKL
from hsieve.estimators.max_relevance import MaxRelevance
from hsieve.estimators.mrmr import MRMR
from hsieve.estimators.n3lars import N3LARS, HSICLasso
from hsieve.estimators.nested_kernels import NestedKernelClassifier
from hsieve.estimators.qpfs import QPFS
from hsieve.estimators.randsel import HalvesRegression, RandSel
from hsieve.estimators.relieff import ReliefF
from hsieve.estimators.selector import DependenceSelector
from hsieve.estimators.sequential_lsmi import BackwardLSMI, ForwardLSMI
from hsieve.estimators.spam import SpAM
from hsieve.estimators.sparse_filtering import SparseFiltering
from hsieve.estimators.spectral import SPEC, LaplacianScore
from hsieve.estimators.stability import StabilitySelection
from hsieve.estimators.weight_matrix import PositionWeightMatrix

__all__ = [
    "BAHSIC",
    "FCBF",
    "FOHSIC",
    "HITONPC",
    "L1HSIC",
    "L1LSMI",
    "L1SVM",
    "MRMR",
    "N3LARS",
    "QPFS",
    "SPEC",
    "SVMRFE",
    "BackwardLSMI",
    "DependenceSelector",
    "FamilyRanking",
    "FillMissing",
    "ForwardLSMI",
    "HSICLasso",
    "HalvesRegression",
    "Interaction",
    "InteractionScan",
    "KernelEnsembleClassifier",
    "KernelPursuit",
    "KernelSVMRFE",
    "LPBoost",
    "LPBoostMKL",
    "LaplacianScore",
    "LassoSelector",
    "MaxRelevance",
    "NestedKernelClassifier",
    "PositionWeightMatrix",
    "RandSel",
    "ReliefF",
    "SpAM",
    "SparseFiltering",
    "StabilitySelection",
]
