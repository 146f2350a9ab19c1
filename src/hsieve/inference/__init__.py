"""Is the dependence real? Tests of features, and of pairs of features that matter together."""

from hsieve.inference.hsic_tests import (
    FeatureTests,
    HSICInterval,
    HSICTest,
    feature_tests,
    hsic_interval,
    hsic_test,
    hsic_variance,
)

__all__ = [
    "FeatureTests",
    "HSICInterval",
    "HSICTest",
    "feature_tests",
    "hsic_interval",
    "hsic_test",
    "hsic_variance",
]
