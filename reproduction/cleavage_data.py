"""Windows of signal peptides, and which of them train, choose and test in one fold.

The set is the one of section 5.4 of the thesis in kind, not in number: 1,005 eukaryotic proteins
instead of 2,705, each up to 30 residues behind its cleavage site instead of 50 residues from its
start. A window belongs to the residue in front of a bond (position -1) and has 9 residues before it
and 2 behind it: positions -10 to +2. A candidate is every bond whose window lies inside the
sequence. The length of a sequence tells where its site is, so nothing here looks at it.

All windows of one protein are on one side of every split. Of the training proteins the site and a
few other windows, drawn at random, are fitted; of those held out every window is scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from hsieve.data.sequences import (
    SCALES,
    ResidueScales,
    Windows,
    encode_windows,
    residue_scales,
    windows,
)

__all__ = ["CleavageData", "CleavageFold", "draw_windows", "make_fold", "rotated"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Position -1 is the target, so that these are positions -10 to +2, and -15 to +2.
BEFORE, AFTER = 9, 2
BEFORE_WIDE = 14
SHARE_CHOOSING = 0.25
# Directions with less than this fraction of the strongest one are rounding.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class CleavageData:
    """All candidate windows.

    Parameters
    ----------
    wide : Windows
        Positions -15 to +2 of each candidate; what lies before the sequence is unknown.
    is_site : ndarray of bool of shape (n_windows,)
        Whether the bond behind the target is cleaved.
    """

    wide: Windows
    is_site: NDArray[np.bool_]

    @classmethod
    def of(cls, sequences: Sequence[str], sites: ArrayLike) -> "CleavageData":
        """Cut sequences; a site is the number of residues in front of the cleaved bond."""
        lengths = np.array([len(sequence) for sequence in sequences])
        every = windows(sequences, before=BEFORE_WIDE, after=AFTER, ends="padded")
        behind = lengths[every.sequence] - 1 - every.target
        cut = every.take((every.target >= BEFORE) & (behind >= AFTER))
        is_site = cut.target == np.asarray(sites)[cut.sequence] - 1
        with_site = np.unique(cut.sequence[is_site])
        if len(with_site) < len(lengths):
            lost = np.setdiff1d(np.arange(len(lengths)), with_site)
            msg = f"the site of sequence {lost[0]} has no window inside the sequence"
            raise ValueError(msg)
        return cls(cut, is_site)

    @cached_property
    def narrow(self) -> Windows:
        """Positions -10 to +2 of each candidate."""
        codes = self.wide.codes[:, BEFORE_WIDE - BEFORE :]
        return replace(self.wide, codes=codes, before=BEFORE)

    @property
    def protein(self) -> IndexArray:
        """Protein of each window."""
        return self.wide.sequence

    def original(self, *, wide: bool = False) -> FloatArray:
        """Code residues by 54 scales from 0 to 1."""
        return self._coded(residue_scales(), wide=wide)

    def n_original(self, *, wide: bool = False) -> int:
        """Count the original features, of which the rotated ones are as good as all."""
        return len(SCALES) * len((self.wide if wide else self.narrow).offsets)

    def rotated(self, *, wide: bool = False) -> FloatArray:
        """Code residues in as few columns as have the distances and products of the 54 scales."""
        return self._coded(rotated(residue_scales()), wide=wide)

    def _coded(self, scales: ResidueScales, *, wide: bool) -> FloatArray:
        """Code narrow or wide windows, in single precision."""
        return encode_windows(self.wide if wide else self.narrow, scales).X.astype(np.float32)


def rotated(scales: ResidueScales) -> ResidueScales:
    """Return as few scales as have the same distances and inner products: "direction 1", ...

    Parameters
    ----------
    scales : ResidueScales
        Any number of scales; the twenty residues span no more than 20 dimensions.

    Returns
    -------
    ResidueScales
        At most 20 scales. Distances and inner products between windows are those of all scales.
    """
    left, strengths, _ = np.linalg.svd(scales.values, full_matrices=False)
    kept = strengths > ROUNDING * strengths[0]
    values = left[:, kept] * strengths[kept]
    return ResidueScales(tuple(f"direction {place + 1}" for place in range(kept.sum())), values)


@dataclass(frozen=True, eq=False)
class CleavageFold:
    """Rows of the windows of one fold.

    Parameters
    ----------
    data : CleavageData
        All windows.
    training : ndarray of int
        Site and some other windows of each training protein.
    test : ndarray of int
        All windows of the proteins held out.
    unlabelled : ndarray of int
        All windows of the training proteins.
    chooser_training, chooser_test : ndarray of int
        The same of an inner split of the training proteins, by which settings are chosen.
    """

    data: CleavageData
    training: IndexArray
    test: IndexArray
    unlabelled: IndexArray
    chooser_training: IndexArray
    chooser_test: IndexArray


def make_fold(
    data: CleavageData, fold: int, *, n_folds: int, n_others: int, seed: int
) -> CleavageFold:
    """Share out the proteins for one fold.

    Parameters
    ----------
    data : CleavageData
        All windows.
    fold : int
        Which one.
    n_folds : int
        Number of folds.
    n_others : int
        Windows other than the site, of each protein, that are fitted.
    seed : int
        Seed of the folds and of all draws.

    Returns
    -------
    CleavageFold
        Rows.
    """
    splitter = GroupKFold(n_folds, shuffle=True, random_state=seed % 2**32)
    unlabelled, test = list(splitter.split(data.is_site, groups=data.protein))[fold]
    training = draw_windows(data, unlabelled, n_others, np.random.default_rng([seed, fold, 0]))
    inner = GroupShuffleSplit(1, test_size=SHARE_CHOOSING, random_state=(seed + fold) % 2**32)
    fitted, held = next(inner.split(unlabelled, groups=data.protein[unlabelled]))
    among_fitted = np.isin(data.protein[training], data.protein[unlabelled[fitted]])
    return CleavageFold(data, training, test, unlabelled, training[among_fitted], unlabelled[held])


def draw_windows(
    data: CleavageData, rows: IndexArray, n_others: int, rng: np.random.Generator
) -> IndexArray:
    """Take the sites among some windows, and a few others of each protein.

    Parameters
    ----------
    data : CleavageData
        All windows.
    rows : ndarray of int
        Windows to draw from.
    n_others : int
        How many others of each protein; all, where there are not more.
    rng : Generator
        Source of the draw.

    Returns
    -------
    ndarray of int
        Rows in rising order.
    """
    others = rng.permutation(rows[~data.is_site[rows]])
    others = others[np.argsort(data.protein[others], kind="stable")]
    protein = data.protein[others]
    place = np.arange(len(others)) - np.searchsorted(protein, protein)
    return np.sort(np.concatenate([rows[data.is_site[rows]], others[place < n_others]]))
