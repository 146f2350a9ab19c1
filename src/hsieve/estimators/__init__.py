"""Selectors with the interface of scikit-learn."""

from hsieve.estimators.bahsic import BAHSIC, FOHSIC
from hsieve.estimators.family import FamilyRanking
from hsieve.estimators.selector import DependenceSelector

__all__ = ["BAHSIC", "FOHSIC", "DependenceSelector", "FamilyRanking"]
