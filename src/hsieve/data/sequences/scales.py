"""Physico-chemical scales of the twenty residues, from the database AAindex.

The thesis codes residues by the 54 scales of Matlab's Bioinformatics Toolbox, which are not
available without it. :data:`SCALES` names 54 of the same kinds that AAindex has for all twenty
residues: how residues take to water and to what is not water, how they are buried, their size,
charge, frequency and flexibility, and the structures they are found in.

The values come from the package `aaindex` (MIT licence, extra ``sequences``) when they are asked
for; none of them is part of this package.

Windows of residues as numbers: every residue coded by its scales.

A residue that is not known, and a place beyond the end of a sequence, gets the mean of each scale
over the twenty residues: it is as near to all of them as one point can be.

Cost: n_windows x (before + 1 + after) x n_scales numbers.

References
----------
S. Kawashima et al., "AAindex: amino acid index database, progress report 2008", 2008.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from hsieve.array_types import FloatArray
from hsieve.data.sequences.cutting import RESIDUES, Windows
from hsieve.exceptions import MissingExtraError
from hsieve.parameters import word

__all__ = ["SCALES", "EncodedWindows", "ResidueScales", "encode_windows", "residue_scales"]

SCALINGS = ("range", "standardise", "none")

# Our names, and the accession numbers of the scales in AAindex.
SCALES: Mapping[str, str] = MappingProxyType(
    {
        # Water against something else.
        "hydropathy": "KYTJ820101",
        "consensus_hydrophobicity": "EISD840101",
        "hydrophilicity": "HOPT810101",
        "side_chain_hydrophobicity": "FAUJ830101",
        "surrounding_hydrophobicity": "MANP780101",
        "side_chain_hydropathy": "ROSM880101",
        "partition_energy": "GUYH850101",
        "hydration_potential": "WOLR810101",
        "helix_transfer_energy": "ENGD860101",
        "surface_transfer_energy": "BULH740101",
        "scaled_hydrophobicity": "BLAS910101",
        "membrane_hydrophobicity": "ARGP820101",
        "matching_hydrophobicity": "SWER830101",
        "interface_transfer_energy": "WIMW960101",
        "solvent_transfer_energy": "NOZY710101",
        "cyclohexane_transfer_energy": "RADA880101",
        "solution_energy": "CHAM820102",
        "native_hydrophobicity": "CASG920101",
        "chromatographic_hydrophilicity": "PARJ860101",
        "retention_neutral": "MEEJ800101",
        "retention_acid": "MEEJ800102",
        "retention_trifluoroacetic": "BROC820101",
        "retention_heptafluorobutyric": "BROC820102",
        "hydrophobicity_acid": "COWR900101",
        # Inside and outside of a folded protein.
        "accessible_area": "JANJ780101",
        "share_buried": "JANJ780102",
        "share_exposed": "JANJ780103",
        "tripeptide_area": "CHOC760101",
        "share_deeply_buried": "CHOC760103",
        "area_buried_on_folding": "ROSG850101",
        "share_of_area_lost": "ROSG850102",
        # Size and shape.
        "bulkiness": "ZIMJ680102",
        "volume": "GRAR740103",
        "buried_volume": "CHOC750101",
        "weight": "FASG760101",
        "steric_parameter": "CHAM810101",
        "van_der_waals_volume": "FAUJ880103",
        "refractivity": "MCMT640101",
        "side_chain_distance": "LEVM760102",
        # Charge.
        "polarity": "ZIMJ680103",
        "substitution_polarity": "GRAR740102",
        "polarisability": "CHAM820101",
        "isoelectric_point": "ZIMJ680104",
        "net_charge": "KLEP840101",
        "hydrogen_donors": "FAUJ880109",
        # How frequent, how lasting, how flexible.
        "frequency": "DAYM780101",
        "extracellular_frequency": "CEDJ970101",
        "mutability": "DAYM780201",
        "flexibility": "BHAR880101",
        # The structures that a residue is found in.
        "helix": "CHOP780201",
        "sheet": "CHOP780202",
        "turn": "CHOP780203",
        "weighted_helix": "LEVM780101",
        "weighted_turn": "LEVM780103",
    }
)


@dataclass(frozen=True, eq=False)
class ResidueScales:
    """A table of numbers for the twenty residues.

    Parameters
    ----------
    names : tuple of str
        Names of the scales.
    values : ndarray of shape (20, n_scales)
        A row for each residue, in the order of ``hsieve.data.sequences.RESIDUES``.
    """

    names: tuple[str, ...]
    values: FloatArray


def residue_scales(
    scales: Mapping[str, str] | Iterable[str] = SCALES, *, scaling: str = "range"
) -> ResidueScales:
    """Return physico-chemical scales of the residues.

    Parameters
    ----------
    scales : mapping of str to str, or iterable of str, default=SCALES
        Accession numbers in AAindex by the names the scales shall have; or names of
        :data:`SCALES` and accession numbers, which then are names, too.
    scaling : {"range", "standardise", "none"}, default="range"
        "range" brings each scale to 0 to 1 over the residues, "standardise" to mean 0 and
        deviation 1, "none" leaves the values as they are published.

    Returns
    -------
    ResidueScales
        Names and values.

    Raises
    ------
    MissingExtraError
        If the package aaindex is not installed.
    ValueError
        For scales that do not exist, or that lack a value.

    Examples
    --------
    >>> from hsieve.data.sequences import residue_scales
    >>> scales = residue_scales(["hydropathy", "net_charge"], scaling="none")
    >>> scales.values[:3]
    array([[ 1.8,  0. ],
           [ 2.5,  0. ],
           [-3.5, -1. ]])
    """
    word(*SCALINGS).check("scaling", scaling)
    named = _named(scales)
    database = _database()
    columns = [_column(database, name, accession) for name, accession in named.items()]
    values = np.array(columns, dtype=np.float64).T
    if scaling == "range":
        values -= values.min(axis=0)
        values /= values.max(axis=0)
    elif scaling == "standardise":
        values -= values.mean(axis=0)
        values /= values.std(axis=0)
    return ResidueScales(tuple(named), values)


def _named(scales: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Give each scale its name and its accession number."""
    if isinstance(scales, str | bytes) or not isinstance(scales, Iterable):
        msg = f"scales must be a list of names, or accession numbers by name, got {scales!r}."
        raise ValueError(msg)
    if isinstance(scales, Mapping):
        named = dict(scales)
    else:
        named = {str(name): SCALES.get(str(name), str(name)) for name in scales}
    if not named:
        msg = "scales must hold at least one scale, got none."
        raise ValueError(msg)
    return named


def _database() -> Any:
    """Open AAindex."""
    try:
        from aaindex import aaindex1
    except ImportError as error:
        msg = 'scales need aaindex, which is not installed: pip install "hsieve[sequences]"'
        raise MissingExtraError(msg) from error
    return aaindex1


def _column(database: Any, name: str, accession: str) -> list[float]:
    """Return the values of one scale, which must be there for all residues and differ."""
    if accession not in database:
        msg = (
            f"there is no scale {name!r}: neither one of hsieve.data.sequences.SCALES nor, as "
            f"{accession!r}, an accession number of AAindex."
        )
        raise ValueError(msg)
    values = database[accession].values
    missing = [residue for residue in RESIDUES if values.get(residue) is None]
    if missing:
        msg = f"scale {name!r} ({accession}) has no value for {', '.join(missing)}."
        raise ValueError(msg)
    column = [float(values[residue]) for residue in RESIDUES]
    if len(set(column)) == 1:
        msg = f"scale {name!r} ({accession}) is the same for all residues."
        raise ValueError(msg)
    return column


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
