"""Measures of dependence between features and a target."""

from hsieve.measures.base import (
    BoundMeasure,
    JointBoundMeasure,
    Measure,
    PairwiseBoundMeasure,
)
from hsieve.measures.family import FamilyScore
from hsieve.measures.hsic import HSIC, hsic
from hsieve.measures.independence import IndependenceTest
from hsieve.measures.lsmi import LSMI
from hsieve.measures.lsmi_fit import LSMIFit, lsmi
from hsieve.measures.mutual_information import MutualInformation, SymmetricalUncertainty
from hsieve.measures.nhsic import NHSIC, nhsic
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.measures.pearson import Pearson
from hsieve.measures.relief import Relief
from hsieve.measures.ridge import KernelRidge, Ridge
from hsieve.measures.spectral import SpectralScore
from hsieve.measures.svm import KernelSVM, LinearSVM

__all__ = [
    "HSIC",
    "LSMI",
    "NHSIC",
    "BoundMeasure",
    "FamilyScore",
    "IndependenceTest",
    "JointBoundMeasure",
    "KernelRidge",
    "KernelSVM",
    "LSMIFit",
    "LinearSVM",
    "Measure",
    "MutualInformation",
    "PairwiseBoundMeasure",
    "PairwiseHSIC",
    "Pearson",
    "Relief",
    "Ridge",
    "SpectralScore",
    "SymmetricalUncertainty",
    "hsic",
    "lsmi",
    "nhsic",
]
