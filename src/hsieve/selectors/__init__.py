"""Selectors with the interface of scikit-learn."""

from hsieve.selectors.bahsic import BAHSIC, FOHSIC
from hsieve.selectors.family import FamilyRanking
from hsieve.selectors.fcbf import FCBF
from hsieve.selectors.filling import FillMissing
from hsieve.selectors.hiton_pc import HITONPC
from hsieve.selectors.kernel_pursuit import KernelPursuit
from hsieve.selectors.kernel_svm import KernelSVMRFE
from hsieve.selectors.l1_ball import L1HSIC, L1LSMI
from hsieve.selectors.lasso import LassoSelector
from hsieve.selectors.n3lars import N3LARS, HSICLasso
from hsieve.selectors.neighbours import SPEC, LaplacianScore
from hsieve.selectors.qpfs import QPFS
from hsieve.selectors.randsel import HalvesRegression, RandSel
from hsieve.selectors.redundancy import MRMR
from hsieve.selectors.relevance import MaxRelevance
from hsieve.selectors.relieff import ReliefF
from hsieve.selectors.selector import DependenceSelector
from hsieve.selectors.sequential_lsmi import BackwardLSMI, ForwardLSMI
from hsieve.selectors.spam import SpAM
from hsieve.selectors.stability import StabilitySelection
from hsieve.selectors.svm import L1SVM, SVMRFE

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
    "LaplacianScore",
    "LassoSelector",
    "MaxRelevance",
    "RandSel",
    "ReliefF",
    "SpAM",
    "StabilitySelection",
]
