"""What a fitted selector has to show: one analysis, a page with all of it, and pictures.

Matplotlib and Jinja are an extra (``pip install "hsieve[report]"``) and imported by what draws or
writes, when it does.
"""

from hsieve.report.analysis import Analysis, analyse
from hsieve.report.page import Report
from hsieve.report.paths import path_in_words
from hsieve.report.plots import (
    AlignmentDisplay,
    ContributionsDisplay,
    FeaturePanelsDisplay,
    FrequencyBandsDisplay,
    PathDisplay,
    RedundancyDisplay,
    RelevanceRedundancyDisplay,
    StabilityDisplay,
)

__all__ = [
    "AlignmentDisplay",
    "Analysis",
    "ContributionsDisplay",
    "FeaturePanelsDisplay",
    "FrequencyBandsDisplay",
    "PathDisplay",
    "RedundancyDisplay",
    "RelevanceRedundancyDisplay",
    "Report",
    "StabilityDisplay",
    "analyse",
    "path_in_words",
]
