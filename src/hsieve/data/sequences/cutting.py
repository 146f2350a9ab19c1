"""Windows of residues around every position of protein sequences, and the judge of their scores.

A window belongs to its *target*, one residue of a sequence, and holds the residues from `before`
places in front of the target to `after` places behind it. Residues are codes 0 to 19 in the order
of :data:`RESIDUES`. One more code, :data:`UNKNOWN_CODE`, stands for all that is not one of the
twenty: letters for a residue that is not known or not usual (B, J, O, U, X, Z), and, where windows
may reach beyond the ends of a sequence, the places without a residue.

Whether a window holds a site is not asked one by one, as most do not: a sequence counts as right if
the window with its highest score is the true one, as in section 5.4 of the thesis. The sequences
are the groups that scikit-learn's ``GroupKFold`` takes, so that none is both trained on and judged.

Cost: one byte a residue of a window.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import IndexArray
from hsieve.parameters import integer, word

__all__ = ["RESIDUES", "UNKNOWN_CODE", "Windows", "best_windows", "site_accuracy", "windows"]

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
UNKNOWN_CODE = len(RESIDUES)
UNKNOWN_LETTERS = "BJOUXZ"
ENDS = ("inside", "padded")
# Letters that can be read, and nothing else; capitals and small letters mean the same.
NO_RESIDUE = 255


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of residues.

    Parameters
    ----------
    codes : ndarray of shape (n_windows, before + 1 + after), uint8
        Residues of each window, 0 to 20.
    sequence : ndarray of shape (n_windows,)
        Which sequence each comes from; the groups of a grouped cross validation.
    target : ndarray of shape (n_windows,)
        Place of the target in its sequence, from 0.
    before, after : int
        Number of residues in front of the target and behind it.
    """

    codes: NDArray[np.uint8]
    sequence: IndexArray
    target: IndexArray
    before: int
    after: int

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def offsets(self) -> list[int]:
        """Place of each column seen from the target: -before to after."""
        return list(range(-self.before, self.after + 1))

    def take(self, rows: ArrayLike) -> "Windows":
        """Return some of the windows.

        Parameters
        ----------
        rows : array-like of int or bool
            Which ones.

        Returns
        -------
        Windows
            In the order of `rows`.
        """
        rows = np.asarray(rows)
        return Windows(
            self.codes[rows], self.sequence[rows], self.target[rows], self.before, self.after
        )


def windows(
    sequences: Iterable[str], *, before: int = 9, after: int = 2, ends: str = "inside"
) -> Windows:
    """Cut a window around every position of every sequence.

    Parameters
    ----------
    sequences : iterable of str
        Sequences in the one-letter code, in capitals or small letters.
    before, after : int, default=9 and 2
        Number of residues in front of the target and behind it; those of the thesis.
    ends : {"inside", "padded"}, default="inside"
        "inside" takes the targets whose window lies wholly inside the sequence; each sequence must
        be as long as a window. "padded" takes every residue as a target; what lies beyond the ends
        is coded as unknown.

    Returns
    -------
    Windows
        Sequence by sequence, targets in rising order.

    Raises
    ------
    ValueError
        For no sequence, an empty one, one shorter than a window, or a letter that is no residue.

    Examples
    --------
    >>> from hsieve.data.sequences import windows
    >>> found = windows(["MKLAC", "MAXW"], before=2, after=1)
    >>> found.codes.tolist()
    [[10, 8, 9, 0], [8, 9, 0, 1], [10, 0, 20, 18]]
    >>> found.sequence, found.target
    (array([0, 0, 1]), array([2, 3, 2]))
    """
    integer(0).check("before", before)
    integer(0).check("after", after)
    word(*ENDS).check("ends", ends)
    parts, lengths = [], []
    width = before + 1 + after
    margins = (before, after) if ends == "padded" else (0, 0)
    for place, codes in enumerate(_all_codes(sequences)):
        reaching = np.pad(codes, margins, constant_values=UNKNOWN_CODE)
        if len(reaching) < width:
            msg = (
                f"Sequence {place} has {len(codes)} residues, but a window has {width} "
                f"({before} before, the target, {after} after); ends='padded' takes it."
            )
            raise ValueError(msg)
        cut = np.lib.stride_tricks.sliding_window_view(reaching, width)
        parts.append(cut)
        lengths.append(len(cut))
    first = before if ends == "inside" else 0
    sequence = np.repeat(np.arange(len(parts)), lengths)
    target = np.concatenate([np.arange(first, first + length) for length in lengths])
    return Windows(np.concatenate(parts), sequence, target, int(before), int(after))


def best_windows(scores: ArrayLike, groups: ArrayLike) -> IndexArray:
    """Return the window with the highest score of each sequence.

    Parameters
    ----------
    scores : array-like of shape (n_windows,)
        Larger is more likely a site.
    groups : array-like of shape (n_windows,)
        Sequence of each window.

    Returns
    -------
    ndarray of shape (n_groups,)
        Row of the best window of each group, groups in rising order; of equal scores the first.

    Examples
    --------
    >>> best_windows([0.1, 0.9, 0.4, 0.2], ["a", "a", "b", "b"])
    array([1, 2])
    """
    values, labels = np.asarray(scores), np.asarray(groups)
    if values.ndim != 1 or values.shape != labels.shape or not len(values):
        msg = (
            "scores and groups must have one value for each window, and at least one, got shapes "
            f"{values.shape} and {labels.shape}."
        )
        raise ValueError(msg)
    values = values.astype(np.float64)
    if np.isnan(values).any():
        msg = "scores must be numbers, got NaN."
        raise ValueError(msg)
    # Of equal scores the first by row comes first.
    order = np.lexsort((-values, labels))
    return np.asarray(order[np.unique(labels[order], return_index=True)[1]], dtype=np.intp)


def site_accuracy(scores: ArrayLike, groups: ArrayLike, is_site: ArrayLike) -> float:
    """Return the fraction of sequences whose best window is a true site.

    Parameters
    ----------
    scores : array-like of shape (n_windows,)
        Larger is more likely a site.
    groups : array-like of shape (n_windows,)
        Sequence of each window.
    is_site : array-like of bool of shape (n_windows,)
        Whether a window is a site. A sequence without one counts as missed.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> site_accuracy([0.1, 0.9, 0.4, 0.2], ["a", "a", "b", "b"], [0, 1, 0, 1])
    0.5
    """
    best, truth = best_windows(scores, groups), np.asarray(is_site)
    if truth.shape != np.shape(scores):
        msg = (
            f"is_site must have one value for each of the {np.size(scores)} windows, got shape "
            f"{truth.shape}."
        )
        raise ValueError(msg)
    return float(np.mean(truth.astype(bool)[best]))


def _all_codes(sequences: Iterable[str]) -> list[NDArray[np.uint8]]:
    """Read all sequences."""
    if isinstance(sequences, str | bytes) or not isinstance(sequences, Iterable):
        msg = f"sequences must be a list of sequences, got {sequences!r}."
        raise ValueError(msg)
    read = [_codes(sequence, place) for place, sequence in enumerate(sequences)]
    if not read:
        msg = "sequences must hold at least one sequence, got none."
        raise ValueError(msg)
    return read


def _codes(sequence: Any, place: int) -> NDArray[np.uint8]:
    """Read one sequence; letters beyond Latin are no residues."""
    if not isinstance(sequence, str):
        msg = f"Sequence {place} must be text, got {sequence!r}."
        raise ValueError(msg)
    if not sequence:
        msg = f"Sequence {place} is empty."
        raise ValueError(msg)
    letters = np.frombuffer(sequence.encode("latin-1", errors="replace"), dtype=np.uint8)
    codes: NDArray[np.uint8] = _table()[letters]
    if (codes == NO_RESIDUE).any():
        at = int(np.argmax(codes == NO_RESIDUE))
        msg = (
            f"Sequence {place} has {sequence[at]!r} at position {at}, which is no residue; "
            f"accepted are {RESIDUES}, and {UNKNOWN_LETTERS} as unknown."
        )
        raise ValueError(msg)
    return codes


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint8]:
    """Make the code of every byte, once."""
    table = np.full(256, NO_RESIDUE, dtype=np.uint8)
    for code, letter in enumerate(RESIDUES):
        table[[ord(letter), ord(letter.lower())]] = code
    for letter in UNKNOWN_LETTERS:
        table[[ord(letter), ord(letter.lower())]] = UNKNOWN_CODE
    return table
