"""Protein sequences: windows around every residue, residues as numbers, and the judge of sites.

:func:`windows` cuts sequences, :func:`residue_scales` names physico-chemical scales of the residues
(extra ``sequences``), :func:`encode_windows` codes each residue of a window by them, and
:func:`site_accuracy` judges scores by the window that is best in its sequence.
"""

from hsieve.data.sequences.cutting import (
    RESIDUES,
    UNKNOWN_CODE,
    Windows,
    best_windows,
    site_accuracy,
    windows,
)
from hsieve.data.sequences.scales import (
    SCALES,
    EncodedWindows,
    ResidueScales,
    encode_windows,
    residue_scales,
)

__all__ = [
    "RESIDUES",
    "SCALES",
    "UNKNOWN_CODE",
    "EncodedWindows",
    "ResidueScales",
    "Windows",
    "best_windows",
    "encode_windows",
    "residue_scales",
    "site_accuracy",
    "windows",
]
