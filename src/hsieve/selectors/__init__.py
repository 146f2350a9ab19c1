"""Selectors with the interface of scikit-learn."""

from hsieve.selectors.filling import FillMissing
from hsieve.selectors.hsic import BAHSIC, FOHSIC, HalvesRegression, RandSel
from hsieve.selectors.kernel_pursuit import KernelPursuit
from hsieve.selectors.knockoffs import KnockoffSelector
from hsieve.selectors.lsmi import L1HSIC, L1LSMI, BackwardLSMI, ForwardLSMI
from hsieve.selectors.n3lars import N3LARS, HSICLasso
from hsieve.selectors.rankings import SPEC, FamilyRanking, LaplacianScore, MaxRelevance, ReliefF
from hsieve.selectors.redundancy import FCBF, HITONPC, MRMR, QPFS
from hsieve.selectors.search import DependenceSelector
from hsieve.selectors.sparse_models import LassoSelector, SpAM
from hsieve.selectors.stability import StabilitySelection
from hsieve.selectors.svm import L1SVM, SVMRFE, KernelSVMRFE

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
    "KernelPursuit",
    "KernelSVMRFE",
    "KnockoffSelector",
    "LaplacianScore",
    "LassoSelector",
    "MaxRelevance",
    "RandSel",
    "ReliefF",
    "SpAM",
    "StabilitySelection",
]
