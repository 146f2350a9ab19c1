"""Find the pairs and triples of features that act on the target together, and say how sure that is.

1. A sweep over all pairs (:mod:`hsieve.interactions.sweep`) keeps the best by their evidence.
2. These are tested one by one with each feature's own effect projected out
   (:mod:`hsieve.interactions.tests`), from the top down, until the evidence of those not
   yet tested lies below the scores of those wanted.
3. The same is done with the target in random orders, which shows how high the best score rises by
   chance (:mod:`hsieve.interactions.maximum_law`). Where there are many features each order looks
   at other, randomly drawn ones, few enough that all orders together look at as many pairs as there
   are.

Triples go the same way. All are looked at where that is quick; else the best pairs are extended by
every other feature (a *beam*), which finds a triple only if two of its features stand out together.

Cost: two sweeps over all pairs, and some thousand tests of single pairs, half a millisecond each.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.interactions.equal_features import EqualFeatures
from hsieve.interactions.maximum_law import TAIL_SCORES, MaximumLaw
from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.sweep import (
    pairs_among,
    pairs_that,
    seconds_for,
    strongest_extensions,
    strongest_pairs,
)
from hsieve.interactions.tests import InteractionTester, InteractionTests
from hsieve.kernels.leading_factors import TILE_BYTES, FactorTile, LeadingFactors
from hsieve.progress import report, stage

# Candidates kept by a sweep, at least, and so many for each interaction wanted.
LEAST_CANDIDATES = 20_000
CANDIDATES_A_WANTED = 20
TESTED_AT_ONCE = 100
TESTED_AT_LEAST = 300
SECONDS_A_TEST_AND_SAMPLE = 5e-7
# Tested scores may lie a little above the evidence.
EVIDENCE_MARGIN = 2.0
# Up to so many pairs, or triples, each random order looks at all of them.
FEW_ENOUGH = {2: 2_000_000, 3: 100_000}
# Operations up to which all triples are looked at: about a minute on two cores.
QUICK_OPERATIONS = 2e12
BEAM_WIDTH = 200


@dataclass(frozen=True, eq=False)
class FoundInteractions:
    """Interactions, best first."""

    features: IndexArray  # (n_found, order): features of each, in rising order
    tests: InteractionTests
    # (n_found,): chance that any pair or triple reaches such a score where nothing is to be found;
    # NaN without permutations.
    family_wise: FloatArray
    # (n_found,): estimated fraction of false ones among those down to this one; NaN without
    # permutations.
    false_discovery: FloatArray
    n_looked_at: int  # how many pairs or triples the search looked at
    # False if candidates that the search had to leave untested could have belonged here.
    complete: bool


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Tuples of features with high evidence, best first."""

    features: IndexArray
    evidence: FloatArray
    n_looked_at: int
    is_cut: bool


# Finds so many candidates among features for a target.
_Search = Callable[[LeadingFactors, InteractionTarget, int], _Candidates]


@dataclass(frozen=True, eq=False)
class InteractionSearch:
    """Search for interactions among features that are tied to a target."""

    factors: LeadingFactors
    # The target. Tests look at all of its columns, sweeps at the heaviest.
    target: InteractionTarget
    n_permutations: int = 20  # number of random orders of the target; 0 for none
    n_threads: int | None = None
    seed: int | np.random.Generator | None = 0  # seed of the random orders
    test_bytes: int | None = None  # most memory that tests may use; None for the usual

    def pairs(self, n_wanted: int) -> FoundInteractions:
        """Find the best pairs."""
        return self._find(self._pair_candidates, n_wanted, 2)

    def triples(self, n_wanted: int, *, exhaustive: bool | None = None) -> FoundInteractions:
        """Find the best triples."""
        if exhaustive is None:
            exhaustive = self.triple_operations() * self._n_searches(3) <= QUICK_OPERATIONS
        search = self._all_triples if exhaustive else self._beam
        return self._find(search, n_wanted, 3)

    def strongest(self, order: int, n_kept: int) -> tuple[IndexArray, int]:
        """Look at all pairs or triples and return the strongest, untested.

        Shape of the result: (n_kept, order).
        """
        search = self._pair_candidates if order == 2 else self._all_triples
        found = search(self.factors, self.target, n_kept)
        return found.features, found.n_looked_at

    def seconds(self, *, all_triples: bool = False) -> float:
        """Estimate how long looking at all pairs takes, with random orders of the target."""
        target = self.target.leading().for_sweep(self._n_pairs)
        once = seconds_for(self.factors, target, n_threads=self.n_threads)
        features = self.factors.features
        seconds = once * self._n_searches(2)
        if all_triples:
            # Each feature in turn multiplies the target's columns by its own.
            times = len(features) / 3 * float(self.factors.most_columns[features].mean())
            seconds += times * once * self._n_searches(3)
        n_tests = TESTED_AT_LEAST * (1 + self.n_permutations)
        return seconds + n_tests * SECONDS_A_TEST_AND_SAMPLE * self.target.n_samples

    @property
    def _n_pairs(self) -> int:
        """Count the pairs of all features."""
        return pairs_among(len(self.factors.features))

    @property
    def _equal(self) -> EqualFeatures:
        """Which features are exact copies."""
        return EqualFeatures(self.factors.first_copies())

    def _n_searches(self, order: int) -> int:
        """Count the searches, with those for random orders."""
        few = comb(len(self.factors.features), order) <= FEW_ENOUGH[order]
        return 1 + (self.n_permutations if few else min(1, self.n_permutations))

    def triple_operations(self) -> float:
        """Count the multiplications of a search through all triples."""
        columns = self.factors.most_columns[self.factors.features].mean()
        n_triples = comb(len(self.factors.features), 3)
        n_target = len(self.target.leading().columns)
        return float(2 * n_triples * columns**3 * n_target * self.target.n_samples)

    def _find(self, search: _Search, n_wanted: int, order: int) -> FoundInteractions:
        n_kept = max(LEAST_CANDIDATES, CANDIDATES_A_WANTED * n_wanted)
        searched = 0.45 if self.n_permutations else 0.9
        with stage(0.0, searched):
            candidates = search(self.factors, self.target, n_kept)
        tester = InteractionTester(self.factors.store, self.factors.most_columns, self.test_bytes)
        with stage(searched, searched + 0.1):
            features, tests, complete = _best_tested(
                candidates, tester, self.target, n_wanted, self._equal
            )
        nothing_known = np.full(len(features), np.nan)
        family_wise, false_discovery = nothing_known, nothing_known
        if self.n_permutations and len(features):
            with stage(searched + 0.1, 1.0, "random orders of the target"):
                by_chance, times_more = self._by_chance(search, tester, order)
            law = MaximumLaw.fitted(by_chance, times_more)
            family_wise = law.family_wise(tests.scores)
            false_discovery = law.false_discovery(tests.scores)
        return FoundInteractions(
            features, tests, family_wise, false_discovery, candidates.n_looked_at, complete
        )

    def _by_chance(
        self, search: _Search, tester: InteractionTester, order: int
    ) -> tuple[list[FloatArray], float]:
        """Give the best scores of random orders, and how many times more there are in all."""
        rng = np.random.default_rng(self.seed)
        features = self.factors.features
        n_drawn = len(features)
        if comb(n_drawn, order) > FEW_ENOUGH[order]:
            n_drawn = int(np.ceil(n_drawn * self.n_permutations ** (-1.0 / order)))
        scores, n_looked_at = [], 0
        for number in range(self.n_permutations):
            drawn = self.factors
            if n_drawn < len(features):
                drawn = drawn.among(np.sort(rng.choice(features, n_drawn, replace=False)))
            target = self.target.permuted(rng.permutation(self.target.n_samples))
            with stage(number / self.n_permutations, (number + 1) / self.n_permutations):
                candidates = search(drawn, target, LEAST_CANDIDATES)
                # By the rule by which candidates are tested in the search itself, as far as the
                # law of the maximum needs them.
                _, tests, _ = _best_tested(candidates, tester, target, TAIL_SCORES + 1, self._equal)
            scores.append(tests.scores if len(tests.scores) else np.zeros(1))
            n_looked_at += candidates.n_looked_at
        n_all = comb(len(features), order)
        if search == self._beam:
            n_all = len(features) * min(BEAM_WIDTH, comb(len(features), 2))
        return scores, n_all * self.n_permutations / max(n_looked_at, 1)

    def _pair_candidates(
        self, factors: LeadingFactors, target: InteractionTarget, n_kept: int
    ) -> _Candidates:
        found = strongest_pairs(
            factors,
            target.leading().for_sweep(self._n_pairs),
            n_kept=n_kept,
            n_threads=self.n_threads,
        )
        return _Candidates(
            found.features, found.scores, found.n_pairs, is_cut=len(found.features) < found.n_pairs
        )

    def _all_triples(
        self, factors: LeadingFactors, target: InteractionTarget, n_kept: int
    ) -> _Candidates:
        """Look at all triples: for each feature, at all pairs of later ones beside it."""
        leading = target.leading()
        triples: IndexArray = np.empty((0, 3), dtype=np.intp)
        scores: FloatArray = np.empty(0)
        floor = -1.0
        equal = EqualFeatures(factors.first_copies())
        if equal.has_copies:
            factors = factors.at_least(equal.first_few(3))
        order = factors.features
        for place, (feature, rows) in enumerate(_each_feature(factors)):
            with stage(place / len(order), (place + 1) / len(order), "triples of features"):
                found = pairs_that(
                    partial(_stand_beside, equal, feature),
                    factors.among(order[order > feature]),
                    leading.for_sweep_beside(rows),
                    n_kept=n_kept,
                    n_threads=self.n_threads,
                    floor=floor,
                )
            added = np.insert(found.features, 0, feature, axis=1)
            triples, scores = _best_first(
                np.concatenate([triples, added]), np.concatenate([scores, found.scores])
            )
            triples, scores = triples[:n_kept], scores[:n_kept]
            floor = float(scores[-1]) if len(scores) == n_kept else -1.0
        triples, places = equal.with_copies(triples, scores, n_kept)
        n_looked_at = comb(equal.n_features, 3)
        return _Candidates(triples, scores[places], n_looked_at, is_cut=len(triples) < n_looked_at)

    def _beam(self, factors: LeadingFactors, target: InteractionTarget, n_kept: int) -> _Candidates:
        """Extend the best pairs by every other feature."""
        pairs = self._pair_candidates(factors, target, BEAM_WIDTH).features
        if not len(pairs):
            return _Candidates(np.empty((0, 3), dtype=np.intp), np.empty(0), 0, is_cut=False)
        parts = [
            strongest_extensions(
                products,
                factors,
                target.leading().for_sweep(),
                n_kept=3 * n_kept,  # a triple may come from three pairs
                n_threads=self.n_threads,
            )
            for products in _product_tiles(factors, pairs)
        ]
        found = np.concatenate([part.features for part in parts])
        scores = np.concatenate([part.scores for part in parts])
        members = np.column_stack([pairs[found[:, 0]], found[:, 1]])
        different = (members[:, 2:] != members[:, :2]).all(axis=1)
        triples, scores = _best_first(np.sort(members[different], axis=1), scores[different])
        first = np.sort(np.unique(triples, axis=0, return_index=True)[1])
        n_looked_at = sum(part.n_pairs for part in parts)
        is_cut = len(found) < n_looked_at or len(first) > n_kept
        first = first[:n_kept]
        return _Candidates(triples[first], scores[first], n_looked_at, is_cut=is_cut)


def _stand_beside(equal: EqualFeatures, feature: int, pairs: IndexArray) -> NDArray[np.bool_]:
    """Mark pairs that with a feature before them stand for all copies of the three."""
    return equal.stand_for_all(np.insert(pairs, 0, feature, axis=1))


def _best_first(tuples: IndexArray, scores: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Sort tuples by falling score; ties go to the lower features."""
    order = np.lexsort((*tuples.T[::-1], -scores))
    return tuples[order], scores[order]


def _best_tested(
    candidates: _Candidates,
    tester: InteractionTester,
    target: InteractionTarget,
    n_wanted: int,
    equal: EqualFeatures,
) -> tuple[IndexArray, InteractionTests, bool]:
    """Test candidates from the top, until those left cannot be among the best; best first."""
    tested = _TestedOnce(tester, target, equal)
    n_tested, complete = 0, False
    while n_tested < len(candidates.features) and not complete:
        chosen = candidates.features[n_tested : n_tested + TESTED_AT_ONCE]
        scores = tested.scores_with(chosen)
        n_tested += len(chosen)
        if max(n_wanted, TESTED_AT_LEAST) <= n_tested < len(candidates.features):
            lowest = np.partition(scores, -n_wanted)[-n_wanted]
            complete = bool(lowest > candidates.evidence[n_tested] + EVIDENCE_MARGIN)
        report(n_tested / len(candidates.features), "tests of candidates")
    complete = complete or not candidates.is_cut
    if not n_tested:
        return candidates.features, tester.test(candidates.features, target), complete
    best = np.argsort(-scores, kind="stable")[:n_wanted]
    return candidates.features[:n_tested][best], tested.take(best), complete


class _TestedOnce:
    """Tests of tuples, one for all tuples of exact copies: others would differ by rounding."""

    def __init__(
        self, tester: InteractionTester, target: InteractionTarget, equal: EqualFeatures
    ) -> None:
        self._tester, self._target, self._equal = tester, target, equal
        self._parts: list[InteractionTests] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._places: list[int] = []
        self._columns: list[IndexArray] = []

    def scores_with(self, tuples: IndexArray) -> FloatArray:
        """Test more tuples and return the scores of all so far."""
        standing, columns = self._equal.standing_for(tuples)
        keys = list(map(tuple, standing.tolist()))
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if new:
            self._parts.append(self._tester.test(np.array(new, dtype=np.intp), self._target))
            self._known.update(zip(new, itertools.count(len(self._known)), strict=False))
        self._places += [self._known[key] for key in keys]
        self._columns.append(columns)
        return np.concatenate([part.scores for part in self._parts])[self._places]

    def take(self, chosen: IndexArray) -> InteractionTests:
        """Return the tests of some of the tuples."""
        tests = InteractionTests.joined(self._parts).take(np.array(self._places)[chosen])
        columns = np.concatenate(self._columns)[chosen]
        own_strengths = np.take_along_axis(tests.own_strengths, columns, axis=1)
        return replace(tests, own_strengths=own_strengths)


def _each_feature(factors: LeadingFactors) -> Iterator[tuple[int, FloatArray]]:
    """Give each feature and its rows."""
    for piece in factors.pieces:
        for tile in factors.tiles(piece):
            for place, feature in enumerate(tile.features):
                yield int(feature), tile.rows[:, place].astype(np.float64)


def _product_tiles(factors: LeadingFactors, pairs: IndexArray) -> Iterator[FactorTile]:
    """Multiply the factors of pairs, into tiles numbered by the pairs."""
    most = int(factors.most_columns[np.unique(pairs)].max())
    n_samples, firsts = factors.store.n_samples, factors.first_copies()
    width = max(1, TILE_BYTES // (4 * most * most * n_samples))
    for start in range(0, len(pairs), width):
        numbers = np.arange(start, min(start + width, len(pairs)))
        products = np.zeros((most * most, len(numbers), n_samples), dtype=np.float32)
        for place, pair in enumerate(pairs[numbers].tolist()):
            # In the order of their first copies, so that copies of a pair have the same rows.
            a, b = sorted(pair, key=lambda feature: int(firsts[feature]))
            product = (factors.rows(a)[:, None] * factors.rows(b)[None]).reshape(-1, n_samples)
            products[: len(product), place] = product - product.mean(axis=1, keepdims=True)
        yield FactorTile(numbers, products)
