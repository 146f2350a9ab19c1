"""InteractionScan: the features that act on the target together, from a look at every pair."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks
from hsieve.data.memory import MemoryPlan, bytes_of
from hsieve.data.validation import target_kind_of
from hsieve.data.views import MissingAsLevel
from hsieve.dataset import Dataset
from hsieve.exceptions import CrowdedInteractionsWarning
from hsieve.interactions.pair_statistic import InteractionTarget
from hsieve.interactions.result import Interaction, path_of, row_of
from hsieve.interactions.search import FoundInteractions, InteractionSearch
from hsieve.interactions.sweep import pairs_among
from hsieve.io.frames import pandas_frame
from hsieve.kernels.dense_factors import DenseFactors
from hsieve.kernels.factor_store import FactorStore
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.measures.pairwise import PairwiseHSIC
from hsieve.measures.targets import TARGET_KERNELS
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import NONE, Rule, check_parameters, integer, number, word
from hsieve.progress import stage
from hsieve.selectors.base import BaseSelector, whole_or_nothing
from hsieve.selectors.hsic import BAHSIC
from hsieve.selectors.input_data import with_categories
from hsieve.selectors.spec import PAIRS, MethodSpec
from hsieve.strategies import Backward
from hsieve.strategies.base import best_first

__all__ = ["InteractionScan"]


ORDERS = (2, 3)
SCREENS = ("narrow", "relevance")
SEARCHES = ("auto", "all", "beam")
MISSING = ("refuse", "category")
LEAST_CLASS = 2
LN_10 = float(np.log(10.0))
# Shares of the work: until features are read, and until pairs are done where triples follow.
LOOKED_THROUGH = 0.1
PAIRS_OF_TRIPLES = 0.3


@dataclass(eq=False, repr=False)
class InteractionScan(BaseSelector):
    """Look at every pair of features, and select those that matter together.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A number, a fraction below 1, or None for 10 (or all, where there are fewer): the features
        of the best pairs, and triples, in order.
    n_pairs : int, default=50
        How many pairs (and triples) to report.
    order : {2, 3}, default=2
        3 looks for triples too.
    triples : {"auto", "all", "beam"}, default="auto"
        Whether to look at all triples, or only at those that extend one of the 200 best pairs;
        "auto" looks at all where that takes about a minute or less.
    rank : int, default=3
        Columns kept of each feature's kernel: 1 sees straight lines, 2 bends, 3 waves. Features of
        at most `rank` + 1 values are exact; categories have up to three times as many columns.
    {categorical}
    {target_kind}
    target_kernel : {"linear", "gaussian"}, default="linear"
        For numbers. "linear" asks whether the mean of y is more than a sum of effects; "gaussian"
        whether the distribution of y depends on features together in any way, as it does for a
        sum too.
    missing : {"refuse", "category"}, default="refuse"
        What to do with NaN: refuse, or make a feature that has any a category with one more level,
        as suits genotypes.
    n_permutations : int, default=20
        Random orders of y for the p-values that account for all pairs; 0 for none.
    screen : int or None, default=None
        Look only at pairs of this many features, the best by `screen_by`.
    screen_by : {"narrow", "relevance"}, default="narrow"
        "narrow" ranks features by what each brings to a narrow kernel over many, which sees
        interactions, faintly, but holds all features in memory; "relevance" by what each tells
        alone, which sees none.
    time_limit : float or None, default=3600
        Seconds that looking at all pairs may take, as estimated beforehand; more is refused. None
        for no limit.
    memory_limit : int, str or None, default=None
        Most memory to use beside the data handed in, in bytes or as "2GB"; None for all features
        at once, 4 `rank` bytes per value.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for one on each core.
    random_state : int, Generator or None, default=0
        Seed of the permutations.

    Attributes
    ----------
    pairs_ : list of Interaction
        The best pairs, best first.
    triples_ : list of Interaction
        The best triples; empty unless `order` is 3.
    n_pairs_seen_, n_triples_seen_ : int
        How many pairs and triples were looked at.
    is_complete_ : bool
        Whether all that may belong among those reported were tested.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, score of each
        feature (that of its best pair or triple), the path.

    Notes
    -----
    For centred kernels K_a, K_b of two features and L of the target, the statistic is the inner
    product <K_a * K_b, L>, * elementwise; see :mod:`hsieve.interactions.pair_statistic`. The best
    pairs are tested with each feature's own effect projected out, so a feature and its copy are no
    interaction. Two noisy or coarse measurements of one quantity may be one, where the target bends
    in it. So may features with strong effects of their own on classes, since a chance between 0 and
    1 cannot be a sum of many (`own_shares` tell), and features beside one on which the *spread* of
    a numeric target depends. Pairs whose product rests on fewer than five samples, or on fewer than
    one in the rarer class, are not tested and have a score of zero.

    Examples
    --------
    >>> from hsieve import InteractionScan
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(300, 500, random_state=0)
    >>> best = InteractionScan(2).fit(problem.X, problem.y).pairs_[0]
    >>> best.features, best.family_wise_p < 0.001
    ((0, 1), True)
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    n_pairs: int = 50
    order: int = 2
    triples: str = "auto"
    rank: int = 3
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    target_kernel: str = "linear"
    missing: str = "refuse"
    n_permutations: int = 20
    screen: int | None = None
    screen_by: str = "narrow"
    time_limit: float | None = 3600
    memory_limit: int | str | None = None
    n_jobs: int | None = None
    random_state: int | np.random.Generator | None = 0

    # Pairs have p-values.
    _may_have_groups = False

    spec = MethodSpec(
        does=(
            "looks at every pair of features for those that tell more about the target together "
            "than the sum of their own effects, with p-values that account for all pairs."
        ),
        score="Minus log10 of the p-value of the best pair, or triple, that the feature is in.",
        sees=PAIRS,
    )

    allowed: ClassVar[Mapping[str, Rule]] = {
        "order": integer(min(ORDERS), max(ORDERS)),
        "triples": word(*SEARCHES),
        "target_kernel": word(*TARGET_KERNELS),
        "missing": word(*MISSING),
        "screen_by": word(*SCREENS),
        "n_pairs": integer(1),
        "rank": integer(1),
        "n_permutations": integer(0),
        "screen": NONE | integer(max(ORDERS)),
        "n_jobs": NONE | integer(-1, -1) | integer(1),
        "time_limit": NONE | number(above=0, is_finite=False),
    }

    @whole_or_nothing
    def fit(self, X: ArrayLike | ColumnBlocks | Dataset, y: Any = None) -> Self:
        """Look at all pairs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or ColumnBlocks
            Features: finite numbers. A memory-mapped array is read in blocks of columns, as are
            :class:`hsieve.io.ColumnBlocks`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes, numbers or several outputs.

        Returns
        -------
        self
            The fitted selector.
        """
        check_parameters(self)
        measure = PairwiseHSIC(
            categorical=self.categorical,
            target_kind=self.target_kind,
            memory_limit=self.memory_limit,
        )
        blocks, target = self._validated_blocks(X, y, measure)
        measure = with_categories(measure, self.categorical_)
        self._check(measure, target, blocks.n_samples)
        if self.missing == "category":
            blocks = MissingAsLevel(blocks)
            missing = np.flatnonzero(blocks.has_missing)
            self.categorical_ = np.union1d(self.categorical_, missing)
            measure = with_categories(measure, self.categorical_)
        _refuse_lone_classes(target, self.target_kind)
        with one_blas_thread(), stage(0.0, LOOKED_THROUGH):
            everything = measure.bind(blocks, target)
            varying = self._varying_features(everything.constant)
            if len(varying) < 2:
                msg = "Only 1 feature(s) can be used, but an interaction needs at least two."
                raise ValueError(msg)
            relevance = everything.relevance(np.arange(blocks.n_features))
            looked_at = self._screened(blocks, target, varying, relevance)
        search = self._search_among(looked_at, everything.store, target)
        self._refuse_long(search)
        with stage(LOOKED_THROUGH, 1.0 if self.order == 2 else PAIRS_OF_TRIPLES):
            found = [search.pairs(self.n_pairs)]
        if self.order == 3:
            exhaustive = None if self.triples == "auto" else self.triples == "all"
            with stage(PAIRS_OF_TRIPLES, 1.0):
                found.append(search.triples(self.n_pairs, exhaustive=exhaustive))
        self.n_pairs_seen_ = found[0].n_looked_at
        self.pairs_ = self._interactions(found[0])
        self.triples_ = self._interactions(found[1]) if self.order == 3 else []
        self.n_triples_seen_ = found[1].n_looked_at if self.order == 3 else 0
        self.is_complete_ = all(one.complete for one in found)
        self._keep(
            path_of(
                [*self.pairs_, *self.triples_],
                relevance,
                varying,
                self.n_pairs_seen_ + self.n_triples_seen_,
            ),
            varying,
            self._n_wanted(self.n_features_in_),
        )
        return self

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each pair and triple found, which needs pandas.

        Returns
        -------
        DataFrame
            Columns ``feature_1``, ``feature_2`` and, with triples, ``feature_3``; what each of them
            tells alone, as ``own_share_1`` and so on; the numbers of :class:`Interaction`.
        """
        check_is_fitted(self)
        found = [*self.pairs_, *self.triples_]
        return pandas_frame([row_of(one, self.order) for one in found], "pairs_")

    def _screened(
        self,
        blocks: ColumnBlocks,
        target: NDArray[Any],
        varying: IndexArray,
        relevance: FloatArray,
    ) -> IndexArray:
        """Features whose pairs are looked at."""
        if self.screen is None or self.screen >= len(varying):
            return varying
        standing = relevance[varying]
        if self.screen_by == "narrow":
            # The rule by which BAHSIC judges features in its first round.
            self._refuse_large(blocks)
            categorical = np.flatnonzero(np.isin(varying, self.categorical_)).tolist()
            screening = BAHSIC(categorical=categorical, target_kind=self.target_kind)
            joint, strategy = screening.make_components()
            assert isinstance(strategy, Backward)
            standing = strategy.standings(joint.bind(blocks.read(varying), target))
        return np.sort(varying[best_first(standing)[: self.screen]])

    def _refuse_large(self, blocks: ColumnBlocks) -> None:
        """Refuse a narrow kernel over features that may not be held in memory."""
        needed = 2 * blocks.n_samples * blocks.n_features * blocks.dtype.itemsize
        if self.memory_limit is not None and needed > bytes_of(self.memory_limit):
            msg = (
                f"screen_by='narrow' holds all features in memory, some {needed:,} bytes, but "
                f"memory_limit={self.memory_limit!r}. Screen by 'relevance', or allow more."
            )
            raise ValueError(msg)

    def _search_among(
        self, features: IndexArray, store: FactorStore, target: NDArray[Any]
    ) -> InteractionSearch:
        """Tie features and target together."""
        plan = MemoryPlan.for_data(store.n_samples, self.memory_limit)
        test_bytes = plan.test_bytes
        if test_bytes is not None and isinstance(store, DenseFactors):
            test_bytes += plan.code_bytes  # there are no codes
        return InteractionSearch(
            LeadingFactors.of(store, features, self.rank, plan.tile_bytes),
            InteractionTarget.of(target, self.target_kind, self.target_kernel),
            n_permutations=self.n_permutations,
            n_threads=None if self.n_jobs == -1 else self.n_jobs,
            seed=self.random_state,
            test_bytes=test_bytes,
        )

    def _refuse_long(self, search: InteractionSearch) -> None:
        """Refuse a scan that would take longer than allowed."""
        if self.time_limit is None:
            return
        all_triples = self.order == 3 and self.triples == "all"
        seconds = search.seconds(all_triples=all_triples)
        if seconds <= self.time_limit:
            return
        n_features = len(search.factors.features)
        what = "triples" if all_triples else f"{pairs_among(n_features):,} pairs"
        n_possible = int(
            n_features * (self.time_limit / seconds) ** (1 / (3 if all_triples else 2))
        )
        msg = (
            f"Looking at all {what} of {n_features:,} features would "
            f"take about {_in_words(seconds)}, more than time_limit={self.time_limit:g} seconds. "
            f"Look at fewer features with screen={_rounded(n_possible)} (the best by a narrow "
            "kernel, or with screen_by='relevance' by their own effects), or allow more time."
        )
        raise ValueError(msg)

    def _interactions(self, found: FoundInteractions) -> list[Interaction]:
        """Put what was found into words and numbers for users."""
        if not found.complete:
            msg = (
                f"More than {len(found.features)} interactions are likely: candidates that were "
                "not tested may belong among those reported. Own effects of features that depend "
                "on each other crowd the search; see own_shares."
            )
            warnings.warn(msg, CrowdedInteractionsWarning, stacklevel=4)
        names = getattr(self, "feature_names_in_", None)
        shares = found.tests.own_shares
        return [
            Interaction(
                features=tuple(members),
                names=tuple(str(m) if names is None else str(names[m]) for m in members),
                score=float(found.tests.scores[place] / LN_10),
                strength=float(found.tests.strengths[place]),
                own_shares=tuple(shares[place].tolist()),
                p_value=float(np.exp(-found.tests.scores[place])),
                family_wise_p=float(found.family_wise[place]),
                false_discovery_rate=float(found.false_discovery[place]),
            )
            for place, members in enumerate(found.features.tolist())
        ]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "category"
        return tags


def _refuse_lone_classes(target: NDArray[Any], target_kind: str) -> None:
    """Refuse classes of one sample: they would be found to depend on whatever is odd about it."""
    if target_kind_of(target, target_kind) != "classes":
        return
    classes, counts = np.unique(target, return_counts=True)
    if counts.min() < LEAST_CLASS:
        alone = ", ".join(str(name) for name in classes[counts < LEAST_CLASS][:5])
        msg = (
            f"Each class needs at least {LEAST_CLASS} samples to show an interaction, but there is "
            f"only one of: {alone}. Join such classes with others or leave these samples out."
        )
        raise ValueError(msg)


def _in_words(seconds: float) -> str:
    """Write a long time in short."""
    for size, unit in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(2.0, seconds):,.0f} seconds"


def _rounded(number: int) -> int:
    """Round down to two digits, as people would."""
    size = 10 ** max(0, len(str(number)) - 2)
    return int(max(number // size * size, *ORDERS))
