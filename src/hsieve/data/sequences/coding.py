"""Windows of residues as numbers: every residue coded by its scales.

A residue that is not known, and a place beyond the end of a sequence, gets the mean of each scale
over the twenty residues: it is as near to all of them as one point can be.

Cost: n_windows x (before + 1 + after) x n_scales numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hsieve.data.sequences.cutting import RESIDUES, Windows
from hsieve.data.sequences.scales import ResidueScales, residue_scales

__all__ = ["EncodedWindows", "encode_windows"]

FloatArray = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class EncodedWindows:
    """Windows as numbers.

    Parameters
    ----------
    X : ndarray of shape (n_windows, width * n_scales)
        The scales of the first residue of the window, of the second, and so on.
    names : tuple of str
        Names of the columns, such as ``hydropathy[-3]``: scale, and place seen from the target.
    """

    X: FloatArray
    names: tuple[str, ...]


def encode_windows(cut: Windows, scales: ResidueScales | None = None) -> EncodedWindows:
    """Code every residue of every window by its scales.

    Parameters
    ----------
    cut : Windows
        What :func:`windows` gives.
    scales : ResidueScales or None, default=None
        Table of the residues; None for the 54 scales of :func:`residue_scales`.

    Returns
    -------
    EncodedWindows
        Numbers of the dtype of the table, and names.

    Examples
    --------
    >>> from hsieve.data.sequences import encode_windows, residue_scales, windows
    >>> charge = residue_scales(["net_charge"], scaling="none")
    >>> coded = encode_windows(windows(["MKD"], before=1, after=1), charge)
    >>> coded.names, coded.X
    (('net_charge[-1]', 'net_charge[0]', 'net_charge[1]'), array([[ 0.,  1., -1.]]))
    """
    if scales is None:
        scales = residue_scales()
    if scales.values.shape != (len(RESIDUES), len(scales.names)):
        msg = (
            f"scales must have {len(RESIDUES)} rows and a column for each of their "
            f"{len(scales.names)} names, got values of shape {scales.values.shape}."
        )
        raise ValueError(msg)
    table = np.vstack([scales.values, scales.values.mean(axis=0)])
    names = tuple(f"{name}[{offset}]" for offset in cut.offsets for name in scales.names)
    return EncodedWindows(table[cut.codes].reshape(len(cut), -1), names)
