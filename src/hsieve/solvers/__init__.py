"""Solvers: arrays in, arrays out. They know neither measures nor estimators."""

from hsieve.solvers.lars_path import LarsEvent, LarsPath
from hsieve.solvers.nonnegative_lars import nonnegative_lars_path

__all__ = ["LarsEvent", "LarsPath", "nonnegative_lars_path"]
