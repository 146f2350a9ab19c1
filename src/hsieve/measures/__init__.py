"""Measures of dependence between features and a target."""

from hsieve.measures.base import (
    BoundMeasure,
    FeatureScores,
    Measure,
    PairwiseStatistics,
    SubsetScores,
)
from hsieve.measures.family import FamilyScore
from hsieve.measures.hsic import HSIC, hsic
from hsieve.measures.interactions import pair_statistics
from hsieve.measures.mutual_information import MutualInformation
from hsieve.measures.nhsic import NHSIC, nhsic
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.measures.pearson import Pearson
from hsieve.measures.ridge import KernelRidge, Ridge

__all__ = [
    "HSIC",
    "NHSIC",
    "BoundMeasure",
    "FamilyScore",
    "FeatureScores",
    "KernelRidge",
    "Measure",
    "MutualInformation",
    "PairwiseHSIC",
    "PairwiseStatistics",
    "Pearson",
    "Ridge",
    "SubsetScores",
    "hsic",
    "nhsic",
    "pair_statistics",
]
