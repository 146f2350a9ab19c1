"""Pictures of what a selector found, in the style of scikit-learn's displays.

Each is made by a class method (``from_selector`` mostly), draws on axes of one's own or makes a
figure, shows itself in a notebook and is kept by ``save``. Matplotlib is imported when it draws.
"""

from hsieve.report.plots.alignment import AlignmentDisplay
from hsieve.report.plots.base import PICTURE_ENDINGS, Display, require_matplotlib
from hsieve.report.plots.contributions import ContributionsDisplay
from hsieve.report.plots.feature_panels import FeaturePanelsDisplay
from hsieve.report.plots.frequency_bands import FrequencyBandsDisplay
from hsieve.report.plots.path import PathDisplay
from hsieve.report.plots.redundancy import RedundancyDisplay
from hsieve.report.plots.relevance_redundancy import RelevanceRedundancyDisplay
from hsieve.report.plots.stability import StabilityDisplay

__all__ = [
    "PICTURE_ENDINGS",
    "AlignmentDisplay",
    "ContributionsDisplay",
    "Display",
    "FeaturePanelsDisplay",
    "FrequencyBandsDisplay",
    "PathDisplay",
    "RedundancyDisplay",
    "RelevanceRedundancyDisplay",
    "StabilityDisplay",
    "require_matplotlib",
]
