"""Is the dependence real? Tests of features, and of pairs of features that matter together."""

from hsieve.inference.alignment_sweep import AlignmentSweep, alignment_sweep
from hsieve.inference.conditional import ConditionalTests, conditional_tests
from hsieve.inference.feature_number import NumberChoice
from hsieve.inference.frequency_bands import BandHSIC, band_hsic
from hsieve.inference.hsic_tests import (
    FeatureTests,
    HSICInterval,
    HSICTest,
    among_all_features,
    feature_tests,
    hsic_interval,
    hsic_test,
    hsic_variance,
)
from hsieve.inference.selection_bounds import RandSelSizes, randsel_sample_sizes

__all__ = [
    "AlignmentSweep",
    "BandHSIC",
    "ConditionalTests",
    "FeatureTests",
    "HSICInterval",
    "HSICTest",
    "NumberChoice",
    "RandSelSizes",
    "alignment_sweep",
    "among_all_features",
    "band_hsic",
    "conditional_tests",
    "feature_tests",
    "hsic_interval",
    "hsic_test",
    "hsic_variance",
    "randsel_sample_sizes",
]
