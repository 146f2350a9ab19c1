"""Selectors with the interface of scikit-learn."""

from hsieve.estimators.bahsic import BAHSIC, FOHSIC
from hsieve.estimators.family import FamilyRanking
from hsieve.estimators.n3lars import N3LARS, HSICLasso
from hsieve.estimators.selector import DependenceSelector

__all__ = ["BAHSIC", "FOHSIC", "N3LARS", "DependenceSelector", "FamilyRanking", "HSICLasso"]
