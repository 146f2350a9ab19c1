"""Classifiers over few features or sets of features, and what only they use."""

from hsieve.classifiers.kernel_ensemble import KernelEnsembleClassifier
from hsieve.classifiers.lpboost import LPBoost
from hsieve.classifiers.lpboost_mkl import LPBoostMKL
from hsieve.classifiers.nested_kernels import NestedKernelClassifier
from hsieve.classifiers.sparse_filtering import SparseFiltering
from hsieve.classifiers.weight_matrix import PositionWeightMatrix

__all__ = [
    "KernelEnsembleClassifier",
    "LPBoost",
    "LPBoostMKL",
    "NestedKernelClassifier",
    "PositionWeightMatrix",
    "SparseFiltering",
]
