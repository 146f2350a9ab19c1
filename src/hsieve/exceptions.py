"""Errors and warnings of the package, each saying what was given and what is accepted."""

__all__ = ["ConstantFeatureWarning", "FewerFeaturesWarning", "IncompatibleCombinationError"]


class IncompatibleCombinationError(TypeError):
    """A strategy was given a measure that lacks what the strategy asks for."""


class FewerFeaturesWarning(UserWarning):
    """Fewer features are selected than were asked for."""


class ConstantFeatureWarning(UserWarning):
    """A column holds one single value: it carries no information and is never selected."""
