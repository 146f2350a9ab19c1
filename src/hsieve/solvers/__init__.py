"""Solvers: arrays in, arrays out. They know neither measures nor estimators."""

from hsieve.solvers.lars_path import LarsEvent, LarsPath
from hsieve.solvers.nonnegative_lars import nonnegative_lars_path
from hsieve.solvers.quadratic_program import (
    SimplexSolution,
    redundancy_factor,
    simplex_quadratic_program,
)

__all__ = [
    "LarsEvent",
    "LarsPath",
    "SimplexSolution",
    "nonnegative_lars_path",
    "redundancy_factor",
    "simplex_quadratic_program",
]
