"""The strongest of all pairs of features, in one sweep over tiles.

Every pair of features gets its statistic (:mod:`hsieve.interactions.pair_products`); only the best
are kept, and a running floor under them keeps nearly all others from being looked at twice. What
"best" means is for a :class:`PairScoring` to say, from three numbers: the *trace* of K_a * K_b, the
*ratio* of the statistic I(a, b) to it, and the *degrees*, the effective number of directions of
that product, which for unrelated features is the product of their own.

Three features are a pair of features with the target multiplied by the third one's factor, or a
pair of a feature with the product of two others; both go the same way.

Tiles are shared out to threads, each with one BLAS thread. Which pairs are kept does not depend on
the number of threads; of pairs with the same score those with the lower features are. Exact copies
of features do have the same score, whatever processor rounds it
(:mod:`hsieve.interactions.equal_features`).

Cost: see :mod:`hsieve.interactions.pair_products`; memory for the tiles, three blocks of 1 MB a
thread and the pairs kept.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import joblib
import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.interactions.equal_features import EqualFeatures
from hsieve.interactions.pair_products import PairBlock, PairProducts, WeightedTile
from hsieve.kernels.bit_tiles import ClassTarget
from hsieve.kernels.leading_factors import FactorTile, LeadingFactors
from hsieve.parallel.threads import one_blas_thread
from hsieve.progress import report, stage

Float32Array = NDArray[np.float32]

# Blocks waiting for a thread hold memory; so many for each thread keep it busy.
WAITING_BLOCKS = 2
# Pairs of a block that are scored together.
PAIRS_AT_A_TIME = 2**15
# Features on which the time of a whole sweep is estimated.
SAMPLE_OF_FEATURES = 512


class PairScoring(Protocol):
    """How pairs are put in order."""

    def scores(self, ratios: FloatArray, degrees: FloatArray, traces: FloatArray) -> FloatArray:
        """Score pairs: zero or more, rising in the ratio, not falling in the others."""

    def least_ratio(self, score: float, degrees: float, trace: float) -> float:
        """Return a ratio below which no pair of at most these degrees and trace has this score."""


@dataclass(frozen=True, eq=False)
class SweepTarget:
    """What pairs are held against."""

    # (n_columns, n_samples): transposed factor of the target's centred kernel, single precision.
    rows: Float32Array
    scoring: PairScoring
    # (n_samples,): weight of each sample in the trace of K_a * K_b; None for one.
    sample_weights: Float32Array | None = None
    # Its classes, where features of few values are to be treated as bits.
    classes: ClassTarget | None = None


@dataclass(frozen=True, eq=False)
class StrongestPairs:
    """What a sweep found."""

    features: IndexArray  # (n_kept, 2): the pairs, best first
    scores: FloatArray  # (n_kept,): their scores
    ratios: FloatArray  # (n_kept,): I(a, b) over the trace of K_a * K_b
    traces: FloatArray  # (n_kept,): that trace
    n_pairs: int  # how many pairs were looked at

    def copied(self, features: IndexArray, places: IndexArray, n_pairs: int) -> "StrongestPairs":
        """Return other pairs with the numbers of those at some places."""
        return StrongestPairs(
            features, self.scores[places], self.ratios[places], self.traces[places], n_pairs
        )


def pairs_among(n_features: int) -> int:
    """Count the pairs of so many features."""
    return n_features * (n_features - 1) // 2


def strongest_pairs(
    factors: LeadingFactors,
    target: SweepTarget,
    *,
    n_kept: int,
    n_threads: int | None = None,
    floor: float = -1.0,
) -> StrongestPairs:
    """Look at all pairs of features and keep the best with at least the score `floor`."""
    equal = EqualFeatures(factors.first_copies())
    if not equal.has_copies:
        return pairs_that(None, factors, target, n_kept=n_kept, n_threads=n_threads, floor=floor)
    found = pairs_that(
        equal.stand_for_all,
        # A second copy makes the pair of a feature with its copy.
        factors.at_least(equal.first_few(2)),
        target,
        n_kept=n_kept,
        n_threads=n_threads,
        floor=floor,
    )
    pairs, places = equal.with_copies(found.features, found.scores, n_kept)
    return found.copied(pairs, places, pairs_among(equal.n_features))


def pairs_that(
    stand: Callable[[IndexArray], NDArray[np.bool_]] | None,
    factors: LeadingFactors,
    target: SweepTarget,
    *,
    n_kept: int,
    n_threads: int | None = None,
    floor: float = -1.0,
) -> StrongestPairs:
    """Look at all pairs of features and keep the best of some, without regard to copies."""
    sweep = _Sweep(target, _Best(n_kept, floor), n_threads, stand=stand)
    return sweep.run(sweep.all_pairs(factors), pairs_among(len(factors.features)), "pairs")


def strongest_extensions(
    products: FactorTile,
    factors: LeadingFactors,
    target: SweepTarget,
    *,
    n_kept: int,
    n_threads: int | None = None,
) -> StrongestPairs:
    """Look at all pairs of a product of features with one feature more, and keep the best."""
    n_products = len(products.features)
    # Products are numbered before the features here, so that a pair of both is in rising order.
    firsts = factors.first_copies()
    equal = EqualFeatures(
        np.concatenate([_first_products(products), np.where(firsts < 0, -1, n_products + firsts)])
    )
    chosen = equal.first_few(1)
    places, features = chosen[chosen < n_products], chosen[chosen >= n_products] - n_products
    few = FactorTile(places, np.ascontiguousarray(products.rows[:, places]))
    sweep = _Sweep(
        target,
        _Best(n_kept, -1.0),
        n_threads,
        stand=lambda pairs: equal.stand_for_all(pairs + np.array([0, n_products])),
        extends=True,
    )
    blocks = sweep.extensions(few, factors.at_least(features))
    found = sweep.run(blocks, len(places) * len(factors.features), "triples")
    moved = found.features + np.array([0, n_products])
    pairs, origins = equal.with_copies(moved, found.scores, n_kept)
    numbered = np.stack([products.features[pairs[:, 0]], pairs[:, 1] - n_products], axis=1)
    return found.copied(numbered, origins, n_products * int(np.count_nonzero(firsts >= 0)))


def _first_products(products: FactorTile) -> IndexArray:
    """Return the place of the first product with the very same factor, for each."""
    digests = products.digests(None, np.arange(len(products.features)))
    seen: dict[bytes, int] = {}
    return np.array(
        [seen.setdefault(digest, place) for place, digest in enumerate(digests)],
        dtype=np.intp,
    )


def seconds_for(
    factors: LeadingFactors, target: SweepTarget, *, n_threads: int | None = None
) -> float:
    """Estimate how long a sweep over all pairs takes, from one over a sample of the features."""
    features = factors.features
    step = max(1, len(features) // SAMPLE_OF_FEATURES)
    sample = features[::step][:SAMPLE_OF_FEATURES]
    few = factors.among(sample)
    for _ in range(2):  # the first time, tiles are made and libraries are loaded
        started = time.perf_counter()
        with stage(0.0, 0.0):
            strongest_pairs(few, target, n_kept=len(sample), n_threads=1)
        seconds = time.perf_counter() - started
    n_threads = n_threads or joblib.cpu_count()
    return seconds * pairs_among(len(features)) / max(pairs_among(len(sample)), 1) / n_threads


class _Sweep:
    """One sweep: hands blocks of pairs to threads and counts what they have done."""

    def __init__(
        self,
        target: SweepTarget,
        best: "_Best",
        n_threads: int | None,
        *,
        stand: Callable[[IndexArray], NDArray[np.bool_]] | None = None,
        extends: bool = False,
    ) -> None:
        self._target, self._best, self._extends = target, best, extends
        self._stand = stand
        self._n_threads = n_threads or joblib.cpu_count()
        self._local = threading.local()

    def run(
        self, blocks: Iterator[tuple[WeightedTile, FactorTile]], total: int, what: str
    ) -> StrongestPairs:
        """Look at all blocks, some at a time."""
        waiting: deque[Future[int]] = deque()
        n_done, started = 0, time.perf_counter()
        with one_blas_thread(), ThreadPoolExecutor(self._n_threads) as pool:
            for block in blocks:
                waiting.append(pool.submit(self._look_at, *block))
                if len(waiting) > WAITING_BLOCKS * self._n_threads:
                    n_done += waiting.popleft().result()
                    _tell(n_done, total, time.perf_counter() - started, what)
            n_done += sum(future.result() for future in waiting)
        _tell(n_done, total, time.perf_counter() - started, what)
        return StrongestPairs(*self._best.sorted(), n_done)

    def all_pairs(self, factors: LeadingFactors) -> Iterator[tuple[WeightedTile, FactorTile]]:
        """Give all pairs of tiles, each once."""
        pieces = factors.pieces
        for number, piece in enumerate(pieces):
            held = list(factors.tiles(piece))
            for place, tile in enumerate(held):
                yield from self._with_each(tile, held[place:])
            for later in pieces[number + 1 :]:
                for tile in factors.tiles(later):
                    yield from self._with_each(tile, held)

    def extensions(
        self, products: FactorTile, factors: LeadingFactors
    ) -> Iterator[tuple[WeightedTile, FactorTile]]:
        """Give the tile of products with each tile of features."""
        for piece in factors.pieces:
            yield from self._with_each(products, factors.tiles(piece))

    def _with_each(
        self, tile: FactorTile, others: Sequence[FactorTile] | Iterator[FactorTile]
    ) -> Iterator[tuple[WeightedTile, FactorTile]]:
        target = self._target
        first = WeightedTile.of(tile, target.rows, target.sample_weights, target.classes)
        for other in others:
            yield first, other

    def _look_at(self, first: WeightedTile, second: FactorTile) -> int:
        """Keep what is good enough of one block; return its number of pairs."""
        if not hasattr(self._local, "products"):
            self._local.products = PairProducts()
        block = self._local.products.block(first, second)
        n_first, n_second = block.statistics.shape
        # Before there is a floor all pairs are of interest; some at a time take little memory.
        step = max(1, PAIRS_AT_A_TIME // n_second)
        for start in range(0, n_first, step):
            self._keep_best(first.tile, second, block, slice(start, start + step))
        return pairs_among(n_first) if first.tile is second else n_first * n_second

    def _keep_best(
        self, first: FactorTile, second: FactorTile, block: PairBlock, some: slice
    ) -> None:
        """Keep what is good enough of some rows of a block."""
        statistics, block_traces = block.statistics[some], block.traces[some]
        highest = float(first.degrees[some].max() * second.degrees.max())
        scoring = self._target.scoring
        # A floor of less than zero takes all pairs.
        floor = -1.0
        if self._best.floor > 0:
            floor = scoring.least_ratio(self._best.floor, highest, float(block_traces.max()))
        # Features that never vary at the same samples have a trace of zero, and are left out.
        places = np.flatnonzero(statistics > np.float32(floor) * block_traces)
        left, right = np.divmod(places, len(second.features))
        if first is second:
            above = left + some.start < right
            places, left, right = places[above], left[above], right[above]
        traces = block_traces.ravel()[places].astype(np.float64)
        ratios = statistics.ravel()[places] / traces
        left += some.start
        scores = scoring.scores(ratios, first.degrees[left] * second.degrees[right], traces)
        pairs = np.stack([first.features[left], second.features[right]], axis=1)
        if not self._extends:
            pairs.sort(axis=1)
        if self._stand is not None:
            stand = self._stand(pairs)
            pairs, scores = pairs[stand], scores[stand]
            ratios, traces = ratios[stand], traces[stand]
        self._best.add(pairs, scores, ratios, traces)


class _Best:
    """The best pairs so far, and the least score with which a pair may be among them."""

    def __init__(self, n_kept: int, floor: float) -> None:
        self.floor = floor
        self._n_kept = n_kept
        self._lock = threading.Lock()
        self._parts: list[tuple[IndexArray, FloatArray, FloatArray, FloatArray]] = []
        self._n_held = 0

    def add(
        self, pairs: IndexArray, scores: FloatArray, ratios: FloatArray, traces: FloatArray
    ) -> None:
        """Take in pairs; those under the floor are dropped."""
        good = scores >= self.floor
        if np.count_nonzero(good) > self._n_kept:
            # Of one block no more can be kept, but for ties; sorting all of them would take long.
            good &= scores >= np.partition(scores, -self._n_kept)[-self._n_kept]
        if not good.any():
            return
        with self._lock:
            self._parts.append((pairs[good], scores[good], ratios[good], traces[good]))
            self._n_held += int(np.count_nonzero(good))
            if self._n_held > 2 * self._n_kept:
                self._prune()

    def sorted(self) -> tuple[IndexArray, FloatArray, FloatArray, FloatArray]:
        """Return the pairs, best first; ties go to the lower features."""
        if not self._parts:
            return np.empty((0, 2), dtype=np.intp), np.empty(0), np.empty(0), np.empty(0)
        self._prune()
        return self._parts[0]

    def _prune(self) -> None:
        pairs, scores, ratios, traces = map(np.concatenate, zip(*self._parts, strict=True))
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))[: self._n_kept]
        if len(order) == self._n_kept:
            self.floor = float(scores[order[-1]])
        self._parts = [(pairs[order], scores[order], ratios[order], traces[order])]
        self._n_held = len(order)


def _tell(n_done: int, total: int, seconds: float, what: str) -> None:
    """Report the progress and the speed."""
    speed = n_done / max(seconds, 1e-9) / 1e6
    report(n_done / max(total, 1), f"{what} of features, {speed:,.1f} million a second")
