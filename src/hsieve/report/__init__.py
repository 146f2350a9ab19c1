"""What a fitted selector has to show: pictures and sentences.

Matplotlib is an extra (``pip install "hsieve[report]"``) and imported by what draws, when it draws.
"""

from hsieve.report.paths import path_in_words
from hsieve.report.plots import PathDisplay

__all__ = ["PathDisplay", "path_in_words"]
