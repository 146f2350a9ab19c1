"""Windows of residues around every position of protein sequences.

A window belongs to its *target*, one residue of a sequence, and holds the residues from `before`
places in front of the target to `after` places behind it. Residues are codes 0 to 19 in the order
of :data:`RESIDUES`. One more code, :data:`UNKNOWN_CODE`, stands for all that is not one of the
twenty: letters for a residue that is not known or not usual (B, J, O, U, X, Z), and, where windows
may reach beyond the ends of a sequence, the places without a residue.

Cost: one byte a residue of a window.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["RESIDUES", "UNKNOWN_CODE", "Windows", "windows"]

IndexArray = NDArray[np.intp]

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

    def narrowed(self, *, before: int, after: int) -> "Windows":
        """Return the same windows with fewer residues.

        Parameters
        ----------
        before, after : int
            New numbers, neither larger than it is.

        Returns
        -------
        Windows
            Of the same targets.
        """
        for name, value in (("before", before), ("after", after)):
            _check_length(name, value)
            if value > getattr(self, name):
                msg = (
                    f"These windows have {name}={getattr(self, name)} and cannot be narrowed to "
                    f"{value}."
                )
                raise ValueError(msg)
        columns = slice(self.before - before, self.before + 1 + after)
        return Windows(self.codes[:, columns], self.sequence, self.target, before, after)


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
    for name, value in (("before", before), ("after", after)):
        _check_length(name, value)
    if ends not in ENDS:
        msg = f"ends must be one of {ENDS}, got {ends!r}."
        raise ValueError(msg)
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


def _check_length(name: str, value: Any) -> None:
    """Refuse what is no number of residues."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        msg = f"{name} must be an integer of at least 0, got {value!r}."
        raise ValueError(msg)
