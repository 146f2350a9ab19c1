"""Is the dependence real? Tests of features, and of pairs of features that matter together."""

from hsieve.inference.alignment_sweep import AlignmentSweep, alignment_sweep
from hsieve.inference.feature_number import NumberChoice
from hsieve.inference.hsic_tests import (
    FeatureTests,
    HSICInterval,
    HSICTest,
    feature_tests,
    hsic_interval,
    hsic_test,
    hsic_variance,
)
from hsieve.inference.randsel_sizes import RandSelSizes, randsel_sample_sizes

__all__ = [
    "AlignmentSweep",
    "FeatureTests",
    "HSICInterval",
    "HSICTest",
    "NumberChoice",
    "RandSelSizes",
    "alignment_sweep",
    "feature_tests",
    "hsic_interval",
    "hsic_test",
    "hsic_variance",
    "randsel_sample_sizes",
]
