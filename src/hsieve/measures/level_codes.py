"""Features as levels: how columns become codes, and where the codes are while they are needed.

Numbers become three levels and categories are levels as they are
(:mod:`hsieve.measures.level_codes`), one byte a value. One pass over the columns gives, for
each feature, its information about the target, its entropy and its number of levels. Where the
columns are worked on in this process the codes are kept, up to 2 GB; where they are not, or are
more, the codes of the few features that are asked for are fetched, and what more features are to be
compared with is sent to their columns instead. Counts are integers, so that all ways give the
same digits.

Levels of features and the counts of pairs of levels, by products of indicator matrices.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data import memory
from hsieve.data.columns import ColumnBlocks, ColumnPiece
from hsieve.data.engine_columns import Fetched
from hsieve.kernels.columns import standardised

Codes = NDArray[np.integer]

# Columns worked on together hold about this many numbers, some megabytes, and are not more.
BLOCK_NUMBERS = 1_000_000
WIDEST_BLOCK = 256
# Columns of one piece of a pass over all features.
PIECE_BYTES = 16 * 10**6
# Bytes that arrays on the way to counts take for each number of such a block, about.
BYTES_A_NUMBER = 48
# Values of one piece when the codes of some features are fetched.
FETCHED_VALUES = 4 * 10**6
LEVELS_OF_NUMBER = 3

# Single precision counts exactly up to here.
EXACT_SINGLE_COUNT = 2**24


@dataclass(frozen=True, eq=False)
class Coding:
    """How columns become levels."""

    categorical: NDArray[np.bool_]  # (n_features,): which features are categories
    n_deviations: float  # deviations from the mean to the edges of the middle level of a number

    def numbers(self, columns: FloatArray) -> Codes:
        """Codes of columns of numbers."""
        return three_levels(columns.astype(np.float64), n_deviations=self.n_deviations)

    def piece(self, piece: ColumnPiece) -> tuple[Codes, IndexArray, NDArray[np.bool_]]:
        """Codes of a piece, the number of levels of each feature, and which hold one value."""
        columns = piece.columns.read(np.arange(piece.columns.n_features))
        n_levels = np.full(columns.shape[1], LEVELS_OF_NUMBER, dtype=np.intp)
        constant = np.empty(columns.shape[1], dtype=bool)
        codes = np.empty(columns.shape, dtype=np.uint8, order="F")
        for part in slices(columns.shape[1], len(columns)):
            constant[part] = columns[:, part].min(axis=0) == columns[:, part].max(axis=0)
            codes[:, part] = self.numbers(columns[:, part])
        for place in np.flatnonzero(self.categorical[piece.features]):
            levels = level_codes(columns[:, place])
            n_levels[place] = levels.max() + 1
            codes = codes.astype(np.promote_types(codes.dtype, np.min_scalar_type(levels.max())))
            codes[:, place] = levels
        return codes, n_levels, constant


@dataclass(frozen=True, eq=False)
class LevelSummary:
    """What one pass tells about all features."""

    relevance: FloatArray  # (n_features,): information about the target, and entropy, in nats
    entropies: FloatArray  # (n_features,)
    n_levels: IndexArray  # (n_features,): codes are below this; not every one need occur
    constant: NDArray[np.bool_]  # (n_features,): True where a feature holds one single value


def summarise(
    blocks: ColumnBlocks, coding: Coding, target: Codes
) -> "tuple[LevelSummary, LevelCodes]":
    """Go once through all columns."""
    n_features = blocks.n_features
    summary = LevelSummary(
        relevance=np.empty(n_features),
        entropies=np.empty(n_features),
        n_levels=np.empty(n_features, dtype=np.intp),
        constant=np.empty(n_features, dtype=bool),
    )
    target = target.astype(np.min_scalar_type(target.max()))
    keep = blocks.takes_large_results and blocks.n_samples * n_features <= memory.KEPT_LEVELS
    store = LevelCodes(blocks, coding, keeps_all=keep)
    for features, (relevance, entropy, n_levels, constant, *codes) in blocks.map(
        summary_of_piece,
        (coding, target, keep),
        max_bytes=PIECE_BYTES,
        most_at_work=_most_at_work(blocks, PIECE_BYTES),
    ):
        summary.relevance[features], summary.entropies[features] = relevance, entropy
        summary.n_levels[features], summary.constant[features] = n_levels, constant
        for some in codes:
            store.add(features, some)
    store.expect(np.argsort(-summary.relevance, kind="stable"))
    return summary, store


def summary_of_piece(
    piece: ColumnPiece, shared: tuple[Coding, Codes, bool]
) -> tuple[NDArray[Any], ...]:
    """Tell what the pass wants to know about one piece."""
    coding, target, keep = shared
    codes, n_levels, constant = coding.piece(piece)
    of_target = Indicators.of(target[:, None], np.array([int(target.max()) + 1]))
    relevance, entropy = np.empty(len(n_levels)), np.empty(len(n_levels))
    for part in slices(len(n_levels), len(codes)):
        indicators = Indicators.of(codes[:, part], n_levels[part])
        relevance[part] = information(indicators, of_target)[:, 0]
        entropy[part] = entropies(indicators)
    return relevance, entropy, n_levels, constant, *((codes,) if keep else ())


class LevelCodes:
    """Codes of all features: kept from the pass over the columns, or made where the columns are."""

    def __init__(self, blocks: ColumnBlocks, coding: Coding, *, keeps_all: bool) -> None:
        self._blocks = blocks
        self._coding = coding
        keeps_many = keeps_all or blocks.is_local
        room = memory.KEPT_LEVELS if keeps_many else memory.FETCHED_CODES
        self._codes: Fetched[Codes] = Fetched(self._fetch, room // blocks.n_samples)

    def add(self, features: IndexArray, codes: Codes) -> None:
        """Keep the codes of some features."""
        self._codes.add(zip(features.tolist(), codes.T, strict=True))

    def expect(self, features: IndexArray) -> None:
        """Say which features will be asked for, the most likely first."""
        self._codes.expect(features)

    def walk(self, features: IndexArray) -> Iterator[tuple[slice, Codes]]:
        """Give places along `features` and the codes there, of shape (n_samples, n_places).

        What is missing is fetched, all at once.
        """
        found = self._codes.get(features.tolist())
        for places in slices(len(features), self._blocks.n_samples):
            yield places, np.stack(found[places]).T

    def information(
        self, features: IndexArray, n_levels: IndexArray, others: tuple[Codes, IndexArray]
    ) -> FloatArray:
        """Information of features about other variables, of shape (n_features, n_others).

        Features that find no room here are processed where they are.
        """
        is_kept = np.array(self._codes.has_room_for(features.tolist()), dtype=bool)
        found = np.empty((len(features), others[0].shape[1]))
        if is_kept.any():
            blocks = self.walk(features[is_kept])
            found[is_kept] = _information_of_blocks(blocks, n_levels[is_kept], others)
        if not is_kept.all():
            found[~is_kept] = self._information_elsewhere(features[~is_kept], others)
        return found

    def _information_elsewhere(
        self, features: IndexArray, others: tuple[Codes, IndexArray]
    ) -> FloatArray:
        """Send the others to the features."""
        wanted, places = np.unique(features, return_inverse=True)
        pieces = self._blocks.map(
            information_of_piece,
            (self._coding, *others),
            max_bytes=PIECE_BYTES,
            features=wanted,
            most_at_work=_most_at_work(self._blocks, PIECE_BYTES),
        )
        found = np.concatenate([rows for _, (rows,) in pieces])
        return np.asarray(found[places])

    def _fetch(self, features: IndexArray) -> Iterator[tuple[int, Codes]]:
        """Code features, where they are."""
        max_bytes = FETCHED_VALUES * self._blocks.dtype.itemsize
        for positions, (codes,) in self._blocks.map(
            codes_of_piece,
            self._coding,
            max_bytes=max_bytes,
            features=features,
            most_at_work=_most_at_work(self._blocks, max_bytes),
        ):
            yield from zip(positions.tolist(), codes.T, strict=True)


def codes_of_piece(piece: ColumnPiece, coding: Coding) -> tuple[Codes]:
    """Code the features of one piece."""
    return (coding.piece(piece)[0],)


def information_of_piece(
    piece: ColumnPiece, shared: tuple[Coding, Codes, IndexArray]
) -> tuple[FloatArray]:
    """Information of the features of one piece about others, given by codes and levels."""
    coding, codes_of_others, levels_of_others = shared
    codes, n_levels, _ = coding.piece(piece)
    others = (codes_of_others, levels_of_others)
    blocks = ((places, codes[:, places]) for places in slices(len(n_levels), len(codes)))
    return (_information_of_blocks(blocks, n_levels, others),)


def _information_of_blocks(
    blocks: Iterable[tuple[slice, Codes]], n_levels: IndexArray, others: tuple[Codes, IndexArray]
) -> FloatArray:
    """Information of variables, given as places and the codes there, about others."""
    indicators = Indicators.of(*others)
    return np.vstack(
        [information(Indicators.of(codes, n_levels[at]), indicators) for at, codes in blocks]
    )


def _most_at_work(blocks: ColumnBlocks, piece_bytes: int) -> int:
    """Tell how many pieces may be in work together: their columns, codes and blocks of numbers."""
    block = BYTES_A_NUMBER * max(blocks.n_samples, BLOCK_NUMBERS)
    return max(1, memory.USUAL_WORK // (2 * piece_bytes + block))


def slices(n_columns: int, n_samples: int) -> Iterator[slice]:
    """Split columns into blocks that fit into some megabytes."""
    width = max(1, min(WIDEST_BLOCK, BLOCK_NUMBERS // n_samples))
    for start in range(0, n_columns, width):
        yield slice(start, min(start + width, n_columns))


@dataclass(frozen=True)
class Indicators:
    """Indicator columns of all levels of some variables, and where each variable starts."""

    matrix: FloatArray
    starts: IndexArray

    @classmethod
    def of(cls, codes: NDArray[np.integer], n_levels: IndexArray) -> "Indicators":
        """Spread codes over indicator columns."""
        ends = np.cumsum(n_levels)
        starts = ends - n_levels
        precision = np.float32 if len(codes) < EXACT_SINGLE_COUNT else np.float64
        matrix = np.zeros((len(codes), int(n_levels.sum())), dtype=precision)
        matrix[np.arange(len(codes))[:, None], codes + starts] = 1.0
        return cls(matrix, starts)

    @cached_property
    def single_terms(self) -> FloatArray:
        """Sum of c log c over the counts of each variable's own levels."""
        # By BLAS; a sum of single precision in double would be many times slower.
        ones = np.ones(len(self.matrix), dtype=self.matrix.dtype)
        counts = (ones @ self.matrix).astype(np.float64)
        return np.asarray(np.add.reduceat(xlogy(counts, counts), self.starts))


def information(variables: Indicators, others: Indicators) -> FloatArray:
    """Mutual information of each variable with each other one, in nats.

    It is (sum c log c - sum a log a - sum b log b + n log n) / n over the counts c of pairs of
    levels and a and b of single ones.
    """
    n = len(variables.matrix)
    counts = (variables.matrix.T @ others.matrix).astype(np.float64)
    joint = np.add.reduceat(xlogy(counts, counts), variables.starts, axis=0)
    joint = np.add.reduceat(joint, others.starts, axis=1)
    joint -= variables.single_terms[:, None]
    joint -= others.single_terms
    return np.asarray(np.maximum(joint / n + np.log(n), 0.0))


def entropies(variables: Indicators) -> FloatArray:
    """Entropy of each variable, in nats."""
    n = len(variables.matrix)
    return np.asarray(np.log(n) - variables.single_terms / n)


def level_codes(values: NDArray[Any]) -> NDArray[np.integer]:
    """Codes of the distinct values, from 0."""
    return np.asarray(np.unique(values, return_inverse=True)[1]).ravel()


def three_levels(numbers: FloatArray, *, n_deviations: float) -> NDArray[np.integer]:
    """Levels below, within and above mean -+ deviations; the values where they are at most three.

    Without the exception, two values of equal share would both lie on the edge, in one level. More
    values than two cannot all lie within one deviation of their mean.
    """
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    below_high = np.where(numbers < high, numbers, low).max(axis=0)
    few = ((numbers == low) | (numbers >= below_high)).all(axis=0)
    # Wild values are tamed, or all others would share one level.
    scaled = standardised(numbers, robust=True)
    codes = 1 + (scaled > n_deviations).astype(np.int8) - (scaled < -n_deviations)
    distinct = (numbers > low).astype(np.int8) + (numbers > below_high)
    return np.asarray(np.where(few, distinct, codes))
