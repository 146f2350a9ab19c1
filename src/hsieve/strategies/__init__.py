"""Strategies that search for features with a measure of dependence."""

from hsieve.strategies.backward import Backward
from hsieve.strategies.base import SelectionPath, Strategy
from hsieve.strategies.forward import Forward
from hsieve.strategies.lars_path import LarsSearch
from hsieve.strategies.mrmr import MRMRSearch
from hsieve.strategies.quadratic_program import QuadraticProgram
from hsieve.strategies.ranking import Ranking
from hsieve.strategies.screening import IterativeScreening

__all__ = [
    "Backward",
    "Forward",
    "IterativeScreening",
    "LarsSearch",
    "MRMRSearch",
    "QuadraticProgram",
    "Ranking",
    "SelectionPath",
    "Strategy",
]
