"""Solvers: arrays in, arrays out. They know neither measures nor estimators."""

from hsieve.solvers.lars_path import LarsEvent, LarsPath
from hsieve.solvers.nonnegative_lars import nonnegative_lars_path
from hsieve.solvers.quadratic_program import (
    SimplexSolution,
    redundancy_factor,
    simplex_quadratic_program,
)
from hsieve.solvers.sparse_fits import (
    GroupLasso,
    SparseFit,
    fit_of_size,
    l1_svm_of_size,
    lasso_of_size,
)

__all__ = [
    "GroupLasso",
    "LarsEvent",
    "LarsPath",
    "SimplexSolution",
    "SparseFit",
    "fit_of_size",
    "l1_svm_of_size",
    "lasso_of_size",
    "nonnegative_lars_path",
    "redundancy_factor",
    "simplex_quadratic_program",
]
