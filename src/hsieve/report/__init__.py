"""What a fitted selector has to show: one analysis, a page with all of it, and pictures.

Matplotlib and Jinja are an extra (``pip install "hsieve[report]"``) and imported by what draws or
writes, when it does.
"""

from hsieve.report.analysis import Analysis, analyse
from hsieve.report.displays import (
    AlignmentDisplay,
    ContributionsDisplay,
    FeaturePanelsDisplay,
    FrequencyBandsDisplay,
    PathDisplay,
    RedundancyDisplay,
    RelevanceRedundancyDisplay,
    StabilityDisplay,
)
from hsieve.report.page import Report
from hsieve.report.sentences import path_in_words

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
