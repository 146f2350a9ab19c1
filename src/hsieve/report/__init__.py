"""What a fitted selector has to show: one analysis, a page with all of it, and pictures.

Matplotlib and Jinja are an extra (``pip install "hsieve[report]"``) and imported by what draws or
writes, when it does.
"""

from hsieve.report.analysis import Analysis, analyse
from hsieve.report.page import Report
from hsieve.report.plots.alignment import AlignmentDisplay
from hsieve.report.plots.contributions import ContributionsDisplay
from hsieve.report.plots.feature_panels import FeaturePanelsDisplay
from hsieve.report.plots.frequency_bands import FrequencyBandsDisplay
from hsieve.report.plots.path import PathDisplay
from hsieve.report.plots.redundancy import RedundancyDisplay
from hsieve.report.plots.relevance_redundancy import RelevanceRedundancyDisplay
from hsieve.report.plots.stability import StabilityDisplay
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
