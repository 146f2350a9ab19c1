"""What a fitted selector has to show: pictures, sentences, and one page with all of it.

Matplotlib and Jinja are an extra (``pip install "hsieve[report]"``) and imported by what draws or
writes, when it does.
"""

from hsieve.report.html import Report
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
from hsieve.report.summary import summarise

__all__ = [
    "AlignmentDisplay",
    "ContributionsDisplay",
    "FeaturePanelsDisplay",
    "FrequencyBandsDisplay",
    "PathDisplay",
    "RedundancyDisplay",
    "RelevanceRedundancyDisplay",
    "Report",
    "StabilityDisplay",
    "path_in_words",
    "summarise",
]
