"""Kernels, bandwidth rules, label codings, and kernels over sets of features."""

from hsieve.kernels.bandwidths import bandwidth_grid, resolve_bandwidth
from hsieve.kernels.centring import biased_weights, centre, unbiased_weights
from hsieve.kernels.columns import EncodedColumns, encode_columns, squared_distances
from hsieve.kernels.functions import (
    Delta,
    Gaussian,
    InverseDistance,
    Kernel,
    LabelCoding,
    Laplace,
    Linear,
    Polynomial,
    Precomputed,
)

__all__ = [
    "Delta",
    "EncodedColumns",
    "Gaussian",
    "InverseDistance",
    "Kernel",
    "LabelCoding",
    "Laplace",
    "Linear",
    "Polynomial",
    "Precomputed",
    "bandwidth_grid",
    "biased_weights",
    "centre",
    "encode_columns",
    "resolve_bandwidth",
    "squared_distances",
    "unbiased_weights",
]
