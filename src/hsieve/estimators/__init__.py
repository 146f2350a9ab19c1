"""Selectors with the interface of scikit-learn."""

from hsieve.estimators.bahsic import BAHSIC, FOHSIC
from hsieve.estimators.family import FamilyRanking
from hsieve.estimators.interaction import Interaction
from hsieve.estimators.interaction_scan import InteractionScan
from hsieve.estimators.max_relevance import MaxRelevance
from hsieve.estimators.mrmr import MRMR
from hsieve.estimators.n3lars import N3LARS, HSICLasso
from hsieve.estimators.qpfs import QPFS
from hsieve.estimators.selector import DependenceSelector

__all__ = [
    "BAHSIC",
    "FOHSIC",
    "MRMR",
    "N3LARS",
    "QPFS",
    "DependenceSelector",
    "FamilyRanking",
    "HSICLasso",
    "Interaction",
    "InteractionScan",
    "MaxRelevance",
]
