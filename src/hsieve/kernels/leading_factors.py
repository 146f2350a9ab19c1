"""The leading columns of the factors of all features, in tiles made for products of all pairs.

The centred kernel of one feature is F F' with F of shape (n, rank); turned so that its columns are
orthogonal, the first few carry most of it: for a normal feature 3 columns hold 88 % of the trace.
A feature of m values needs m - 1 columns and no more, so bits and genotypes lose nothing.

A *tile* holds as many columns of some 512 features of equal rank. Tiles lie together in memory and
a product of two of them is one call of BLAS. Where the tiles of all features do not fit into
memory, features are cut into pieces that do, and the tiles of a piece are made when needed.

Cost: one pass over the features and an eigendecomposition of a small matrix for each; 4 n r bytes
per feature with r columns.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.kernels.bit_tiles import BitTile
from hsieve.kernels.factor_store import FactorGroup, FactorStore

TILE_WIDTH = 512
# A category has a direction for each level but one, none of them lighter than the others.
COLUMNS_OF_CATEGORY = 3
# A tile takes at most this much, however many samples there are.
TILE_BYTES = 32 * 10**6
# Directions with less than this fraction of the largest one's weight are rounding.
NEGLIGIBLE = 1e-6
# A kernel with less than this weight a sample is that of a constant.
NO_WEIGHT = 1e-10


@dataclass(frozen=True, eq=False)
class FactorTile:
    """Factor columns of some features of equal rank."""

    features: IndexArray
    # (rank, n_tile, n_samples): their transposed factors: centred, orthogonal for each feature, the
    # heaviest first. Single precision in sweeps.
    rows: FloatArray

    @property
    def rank(self) -> int:
        """Number of columns of each factor."""
        return len(self.rows)

    def diagonals(self) -> FloatArray:
        """Diagonal of each feature's kernel, of shape (n_tile, n_samples)."""
        return np.asarray(np.einsum("rts,rts->ts", self.rows, self.rows))

    def digests(self, n_rows: int | None, places: IndexArray) -> list[bytes]:
        """Digests of the first rows, or all, of some features: equal for equal rows only."""
        return [hashlib.sha256(self.rows[:n_rows, place].tobytes()).digest() for place in places]

    @cached_property
    def bits(self) -> BitTile | None:
        """The features as bits, if all of them have two or three values."""
        return BitTile.of(self.rows)

    @cached_property
    def degrees(self) -> FloatArray:
        """Effective number of directions of each kernel: trace squared over squared norm."""
        weights = np.einsum("rts,rts->rt", self.rows, self.rows, dtype=np.float64)
        return np.asarray(weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0))


@dataclass(frozen=True, eq=False)
class LeadingFactors:
    """Tiles of all features that are not constant."""

    store: FactorStore  # where whole factors come from
    features: IndexArray
    most_columns: IndexArray  # (n_all_features,): most columns kept of each feature of the store
    most_bytes: int  # most that tiles held at a time may take
    _held: list[FactorTile] = field(default_factory=list, init=False, repr=False)
    _places: dict[int, tuple[int, int]] = field(default_factory=dict, init=False, repr=False)
    _firsts: list[IndexArray] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(
        cls, store: FactorStore, features: IndexArray, rank: int, most_bytes: int
    ) -> "LeadingFactors":
        """Keep `rank` columns of each feature, three times as many of a category."""
        most_columns = np.where(store.categorical, COLUMNS_OF_CATEGORY * rank, rank)
        return cls(store, features, most_columns, most_bytes)

    @property
    def pieces(self) -> list[IndexArray]:
        """Features, cut into pieces whose tiles fit into memory two at a time."""
        sizes = 4.0 * self.store.n_samples * self.most_columns[self.features]
        if sizes.sum() <= self.most_bytes:
            return [self.features]
        piece = (np.cumsum(sizes) // max(1.0, 0.45 * self.most_bytes)).astype(np.intp)
        return [self.features[piece == number] for number in np.unique(piece)]

    def tiles(self, piece: IndexArray) -> Iterator[FactorTile]:
        """Give the tiles of a piece; those of all features are kept if they fit."""
        if len(piece) < len(self.features):
            yield from self._made(piece)
            return
        if not self._held:
            self._held.extend(self._made(piece))
        yield from self._held

    def rows(self, feature: int) -> FloatArray:
        """Leading rows of one feature, of shape (rank, n_samples)."""
        if self._held:
            if not self._places:
                for number, tile in enumerate(self._held):
                    self._places.update((int(f), (number, p)) for p, f in enumerate(tile.features))
            number, place = self._places[feature]
            return np.asarray(self._held[number].rows[:, place])
        (tile,) = self._made(np.array([feature]))
        return np.asarray(tile.rows[:, 0])

    def first_copies(self) -> IndexArray:
        """Return, for each feature of the store, the first one here with the very same rows.

        Features without rows, because they are constant or not looked at, have -1.
        """
        if not self._firsts:
            alike = self._alike(1, self.features)
            looked_at = np.flatnonzero(alike >= 0)
            _, inverse, counts = np.unique(
                alike[looked_at], return_inverse=True, return_counts=True
            )
            # Where the heaviest rows are the same, which is rare, all of them are compared.
            repeated = looked_at[counts[inverse] > 1]
            if len(repeated):
                alike[repeated] = self._alike(None, repeated)[repeated]
            self._firsts.append(_firsts_among(alike, self.features))
        return self._firsts[0]

    def at_least(self, features: IndexArray) -> "LeadingFactors":
        """Return the factors of some of the features, or all where a copy does not pay or fit."""
        sizes = 4.0 * self.store.n_samples * self.most_columns
        fits = sizes[self.features].sum() + sizes[features].sum() <= self.most_bytes
        few = 2 * len(features) <= len(self.features)
        return self.among(features) if few and (fits or not self._held) else self

    def among(self, features: IndexArray) -> "LeadingFactors":
        """Return the factors of some of the features, copied from those held if they are."""
        fewer = LeadingFactors(self.store, features, self.most_columns, self.most_bytes)
        if self._firsts:
            fewer._firsts.append(_firsts_among(self._firsts[0], features))
        wanted = np.zeros(self.store.n_features, dtype=bool)
        wanted[features] = True
        parts: dict[int, list[FactorTile]] = {}
        for tile in self._held:
            chosen = wanted[tile.features]
            part = FactorTile(tile.features[chosen], tile.rows[:, chosen])
            parts.setdefault(tile.rank, []).append(part)
        for of_rank in parts.values():
            fewer._held.extend(_joined(of_rank))
        return fewer

    def _alike(self, n_rows: int | None, features: IndexArray) -> IndexArray:
        """Return, for some features, one with the same first rows, or all; -1 for the others."""
        alike = np.full(self.store.n_features, -1, dtype=np.intp)
        seen: dict[bytes, int] = {}
        for piece in self.pieces:
            for tile in self.tiles(piece):
                chosen = np.flatnonzero(np.isin(tile.features, features))
                digests = tile.digests(n_rows, chosen)
                for feature, digest in zip(tile.features[chosen].tolist(), digests, strict=True):
                    alike[feature] = seen.setdefault(digest, feature)
        return alike

    def _made(self, piece: IndexArray) -> Iterator[FactorTile]:
        """Make tiles; features of the same rank are gathered until a tile is full."""
        n_samples = self.store.n_samples
        waiting: dict[int, list[FactorTile]] = {}
        for group in self.store.groups(piece):
            most = self.most_columns[piece[group.places]]
            for places, rows in _leading_of_group(group, most, n_samples):
                rank = rows.shape[1]
                found = FactorTile(piece[places], rows.transpose(1, 0, 2))
                parts = waiting.setdefault(rank, [])
                parts.append(found)
                if sum(len(part.features) for part in parts) >= _width(rank, n_samples):
                    *full, rest = _joined(parts)
                    yield from full
                    waiting[rank] = [rest]
        for parts in waiting.values():
            yield from _joined(parts)


def _firsts_among(firsts: IndexArray, features: IndexArray) -> IndexArray:
    """Restrict the first copies of features to some of these."""
    chosen = np.sort(features[firsts[features] >= 0])
    _, places, inverse = np.unique(firsts[chosen], return_index=True, return_inverse=True)
    fewer = np.full(len(firsts), -1, dtype=np.intp)
    fewer[chosen] = chosen[places][inverse]
    return fewer


def leading_rows(rows: FloatArray, most: int) -> FloatArray:
    """Turn transposed factors so that their rows are orthogonal, and keep the heaviest.

    Shapes: rows (..., rank, n_samples) -> (..., min(rank, most), n_samples).
    """
    # A product with itself would call a routine that is slow for wide matrices.
    gram = np.matmul(rows, np.swapaxes(rows.copy(), -1, -2))
    _, vectors = np.linalg.eigh(gram.astype(np.float64))
    turned = np.swapaxes(vectors[..., ::-1][..., :most], -1, -2).astype(rows.dtype)
    return np.asarray(np.matmul(turned, rows))


def _leading_of_group(
    group: FactorGroup, most: IndexArray, n_samples: int
) -> Iterator[tuple[IndexArray, FloatArray]]:
    """Give places and leading rows, of shape (n_same, rank, n_samples), for each rank found."""
    ranks = np.diff([*group.starts, len(group.rows)])
    for rank, wanted in sorted(set(zip(ranks.tolist(), most.tolist(), strict=True))):
        chosen = np.flatnonzero((ranks == rank) & (most == wanted))
        stacked = group.rows[group.starts[chosen, None] + np.arange(rank)]
        rows = leading_rows(stacked, wanted)
        weights = np.einsum("fri,fri->fr", rows, rows)
        floor = np.maximum(NEGLIGIBLE * weights[:, :1], NO_WEIGHT * n_samples)
        counts = (weights > floor).sum(axis=1)
        for count in np.unique(counts[counts > 0]):
            same = counts == count
            yield group.places[chosen[same]], rows[same, :count]


def _joined(parts: Sequence[FactorTile]) -> Iterator[FactorTile]:
    """Make tiles of the usual width of parts of the same rank."""
    features = np.concatenate([part.features for part in parts])
    rows = np.concatenate([part.rows for part in parts], axis=1)
    width = _width(len(rows), rows.shape[2])
    for start in range(0, len(features), width):
        some = slice(start, start + width)
        yield FactorTile(features[some], np.ascontiguousarray(rows[:, some]))


def _width(rank: int, n_samples: int) -> int:
    """Say how many features make a full tile."""
    return max(1, min(TILE_WIDTH, TILE_BYTES // (4 * rank * n_samples)))
