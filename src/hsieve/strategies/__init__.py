"""Strategies that search for features with a measure of dependence."""

from hsieve.strategies.backward import Backward
from hsieve.strategies.base import SelectionPath, Strategy
from hsieve.strategies.forward import Forward
from hsieve.strategies.lars_path import LarsSearch
from hsieve.strategies.ranking import Ranking

__all__ = ["Backward", "Forward", "LarsSearch", "Ranking", "SelectionPath", "Strategy"]
