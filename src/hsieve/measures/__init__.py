"""Measures of dependence between features and a target."""

from hsieve.measures.base import BoundMeasure, FeatureScores, Measure, SubsetScores
from hsieve.measures.hsic import HSIC, hsic
from hsieve.measures.mutual_information import MutualInformation
from hsieve.measures.nhsic import NHSIC, nhsic
from hsieve.measures.pearson import Pearson

__all__ = [
    "HSIC",
    "NHSIC",
    "BoundMeasure",
    "FeatureScores",
    "Measure",
    "MutualInformation",
    "Pearson",
    "SubsetScores",
    "hsic",
    "nhsic",
]
