"""Strategies that search for features with a measure of dependence."""

from hsieve.strategies.base import SelectionPath, Strategy
from hsieve.strategies.l1_ball import L1Ball
from hsieve.strategies.lars_path import LarsSearch
from hsieve.strategies.markov_blanket import FCBFSearch, ParentsChildren
from hsieve.strategies.mrmr import MRMRSearch
from hsieve.strategies.pursuit import PursuitSearch
from hsieve.strategies.pursuit_path import PursuitEvent, PursuitPath
from hsieve.strategies.quadratic_program import QuadraticProgram
from hsieve.strategies.random_sets import RandomHalves
from hsieve.strategies.randomised import ContributionPath, RandomisedContributions
from hsieve.strategies.screening import IterativeScreening, Ranking
from hsieve.strategies.sequential import Backward, Forward

__all__ = [
    "Backward",
    "ContributionPath",
    "FCBFSearch",
    "Forward",
    "IterativeScreening",
    "L1Ball",
    "LarsSearch",
    "MRMRSearch",
    "ParentsChildren",
    "PursuitEvent",
    "PursuitPath",
    "PursuitSearch",
    "QuadraticProgram",
    "RandomHalves",
    "RandomisedContributions",
    "Ranking",
    "SelectionPath",
    "Strategy",
]
