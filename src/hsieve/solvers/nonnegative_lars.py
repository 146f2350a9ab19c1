"""The whole regularisation path of the non-negative lasso, from pairwise statistics alone.

For every level lambda >= 0 the path solves

    minimise over alpha >= 0:   1/2 alpha'Q alpha - r'alpha + lambda sum(alpha),

which is |L - sum_k alpha_k K_k|_F^2 + 2 lambda sum(alpha), halved and without its constant, where
r_k = <K_k, L> and Q_kl = <K_k, K_l>: the lambda of HSIC Lasso (Yamada et al. 2014) and N3LARS
(Yamada et al. 2018) is twice the level used here.

========== ============================ =====================================================
symbol     name                         meaning
========== ============================ =====================================================
r          ``relevance``                r_k, of feature k with the target
Q          ``redundancy``               Q_kl, positive semi-definite, asked for in blocks
lambda     ``level``                    the common gradient of all active features
c_k        gradient                     r_k - sum_i alpha_i Q_ki, at most the level
u, w       ``intercept``, ``growth``    alpha = u - lambda w on the active features,
                                        Q u = r and Q w = 1 there
========== ============================ =====================================================

**Events.** Between two knots the active set is fixed and c_k = (r_k - Q_k u) + lambda Q_k w. The
next knot is the highest level at which (1) an inactive gradient reaches the level: the feature
enters; (2) an active coefficient reaches zero: the feature leaves, which algorithm 1 of the N3LARS
paper forgets; (3) the level itself reaches zero. A segment depends on its active set only, so
rounding errors do not add up along the path, and an event that rounding hid is made up for at once.

**Ties** go to the lowest index, entering or leaving alike: on one level this is Murty's least-index
rule (Mathematical Programming 7, 1974), which cannot cycle. Gradients within ``tie_tolerance`` of
the level count as reaching it where entries are rounded, so that of exact copies the first enters:
it begins to grow a little later, and its gradient is off by no more than that. A feature that
depends linearly on the active ones (an exact duplicate), or overlaps with one of them too much, is
passed over until one of them leaves.

**The exact bound.** Where Q >= 0, alpha >= 0 gives c_k <= r_k - (any known part of the sum), along
the whole segment. The events known so far put the next knot at level t or above. A feature whose
bound is under the level both where the segment begins and at t is under it all the way, both being
linear, so it cannot enter before t. The beginning was checked as the end of the segment before.
So only features whose bound reaches t have their missing entries computed, a few at a time and the
most promising first, since t may rise with each of them. The path is the same, not an estimate.

Cost of a knot with p active features: O(p d) additions, over features with known entries only.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.solvers.active_set import ActiveFactor, EntriesOnDemand, Redundancy
from hsieve.solvers.lars_path import LarsEvent, LarsPath

BoolArray = NDArray[np.bool_]

# Levels this close, as a fraction of the largest relevance, are one knot.
TIE_TOLERANCE = 1e-12
# A gradient this close to the level, on the same scale, is not ruled out by the bound.
BOUND_SLACK = 1e-9
# Gradients of exact copies differ by less than this part of the tolerance for ties.
COPIES_APART = 0.25
# A gradient that falls this nearly as fast as the level never meets it.
SLOPE_TOLERANCE = 1e-12
# Far above what any path was seen to need; ends a path that rounding keeps from advancing.
STEPS_PER_FEATURE = 64
# Entries with so many active features are asked for together in any case.
COLUMNS_AT_ONCE = 8
# Features that get lower bounds together.
BOUNDED_TOGETHER = 64
# More features than this are asked for together only where entries are cheap.
MOST_FEATURES = 64
EPSILON = float(np.finfo(np.float64).eps)


def nonnegative_lars_path(  # noqa: PLR0913 - the problem and one keyword for each rule
    relevance: ArrayLike,
    redundancy: Redundancy,
    *,
    max_features: int,
    use_bound: bool = True,
    first: Sequence[int] = (),
    max_overlap: float = 1.0,
    dependence_tolerance: float = 1e-12,
    tie_tolerance: float = 0.0,
    batch_entries: int = 512,
    lowest_level: float = 0.0,
    size_of: Callable[[list[int]], int] = len,
    may_join: Callable[[int, list[int]], bool] | None = None,
    least_redundancy: Redundancy | None = None,
) -> LarsPath:
    """Follow the non-negative lasso path from its beginning until enough features are active.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        r. It must lie in the range of Q, as it does where both are inner products.
    redundancy : callable
        ``redundancy(features, active)`` returns the block Q[features][:, active], of shape
        (n_features_asked, n_active_asked). Q is symmetric: Q_jk is never asked for beside Q_kj.
    max_features : int
        The path stops at the knot where one feature more than these would enter, so all these
        have a positive coefficient there (zero if features tie exactly). A feature that left
        does not count, nor do those of ``first``.
    use_bound : bool, default=True
        Whether Q >= 0 holds, so that entries which cannot matter need not be computed. Entries
        below zero then raise ``ValueError``. If False, columns are computed whole.
    first : sequence of int, default=()
        Features to adjust for: unpenalised, non-negative, fitted before all others.
    max_overlap : float, default=1.0
        A feature k does not enter while an active j has Q_kj / sqrt(Q_kk Q_jj) above this: near
        copies stay out. 1 lets all in that do not depend on the active ones.
    dependence_tolerance : float, default=1e-12
        A feature at most this fraction (squared) away from the span of the active ones does not
        enter. Raise it to the relative error of Q if that is larger than rounding.
    tie_tolerance : float, default=0.0
        Gradients this close to the level, as a fraction of the largest relevance, reach it
        together. Raise it to the relative error of r and Q if that is larger than rounding.
    batch_entries : int, default=512
        About how many entries are worth being asked for together: fewer save entries, more save
        calls.
    lowest_level : float, default=0.0
        The path is followed no further than to this level.
    size_of : callable, default=len
        What counts towards `max_features`, for a list of penalised features; not falling as the
        list grows.
    may_join : callable or None, default=None
        ``may_join(feature, active)`` tells whether a feature may enter beside the active ones; it
        is asked again once one of these has left. None for any.
    least_redundancy : callable or None, default=None
        Lower bounds of the blocks that ``redundancy`` returns, where they are much cheaper: most
        features can be ruled out by them. They do not change the path.

    Returns
    -------
    LarsPath
        The path, down to the lowest level if it gives no more than ``max_features``.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> path = nonnegative_lars_path([0.9, 0.8, 0.5], lambda k, j: Q[np.ix_(k, j)], max_features=2)
    >>> path.selected, path.stop_reason
    (array([0, 1]), 'enough features')
    """
    scores = _checked_relevance(relevance)
    covariates = _checked_first(first, len(scores))
    if max_features < 1 or batch_entries < 1:
        msg = (
            "max_features and batch_entries must be at least 1, "
            f"got {max_features}, {batch_entries}."
        )
        raise ValueError(msg)
    if not 0 < max_overlap <= 1:
        msg = f"max_overlap must be above 0 and at most 1, got {max_overlap}."
        raise ValueError(msg)
    rules = _Rules(max_features, lowest_level, size_of, may_join)
    entries = EntriesOnDemand(
        redundancy,
        len(scores),
        nonnegative=use_bound,
        least=least_redundancy if use_bound else None,
    )
    factor = ActiveFactor(dependence_tolerance, max_overlap)
    new_tracer = partial(
        _Tracer,
        scores,
        entries,
        factor,
        tie_tolerance=tie_tolerance,
        batch_entries=batch_entries,
        whole_columns=not use_bound,
    )
    penalised = np.ones(len(scores), dtype=bool)
    penalised[covariates] = False
    if len(covariates):
        # Followed down to level zero, the path of the covariates alone is their unpenalised fit.
        alone = new_tracer(penalised=~penalised)
        alone.follow(_Rules(len(covariates)), eligible=~penalised)
    tracer = new_tracer(penalised=penalised)
    return tracer.follow(rules, eligible=np.ones_like(penalised))


def _checked_relevance(relevance: ArrayLike) -> FloatArray:
    scores = np.asarray(relevance, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        msg = f"relevance must be a vector of finite numbers, got shape {scores.shape}."
        raise ValueError(msg)
    return scores


def _checked_first(first: Sequence[int], n_features: int) -> IndexArray:
    covariates = np.asarray(first, dtype=np.intp)
    outside = (covariates < 0) | (covariates >= n_features)
    if outside.any() or len(np.unique(covariates)) < len(covariates):
        msg = f"first must hold different indices below {n_features}, got {list(first)}."
        raise ValueError(msg)
    return covariates


@dataclass(frozen=True)
class _Rules:
    """Which features may enter, and when there are enough; see :func:`nonnegative_lars_path`."""

    max_features: int
    lowest_level: float = 0.0
    size_of: Callable[[list[int]], int] = len
    may_join: Callable[[int, list[int]], bool] | None = None


@dataclass(frozen=True)
class _Segment:
    """The straight piece of path for one active set, and all gradients along it.

    The gradient of a feature minus its level (times its penalty) is ``offset - level * slope``:
    exact where its entries are known, an upper bound elsewhere.
    """

    members: IndexArray
    intercept: FloatArray
    growth: FloatArray
    offset: FloatArray
    slope: FloatArray
    slope_tolerance: float

    def coefficients(self, level: float) -> FloatArray:
        return np.maximum(self.intercept - level * self.growth, 0.0)

    def below_zero(self, level: float) -> float:
        """How far coefficients are below zero, in all."""
        return float(np.maximum(level * self.growth - self.intercept, 0.0).sum())

    def entry_levels(self, features: IndexArray, *, parallel: float) -> FloatArray:
        """Level at which each gradient, from below, meets the level; ``parallel`` if never."""
        slope = self.slope[features]
        levels: FloatArray = np.full(len(features), parallel)
        meets = slope > self.slope_tolerance
        np.divide(self.offset[features], slope, out=levels, where=meets)
        return levels

    def leaving_levels(self) -> FloatArray:
        """Level at which each active coefficient falls to zero."""
        levels: FloatArray = np.full(len(self.members), -np.inf)
        np.divide(self.intercept, self.growth, out=levels, where=self.growth < 0)
        return levels

    def shortfall(self, level: float) -> FloatArray:
        """How far each gradient is under the level."""
        return level * self.slope - self.offset


class _Tracer:
    """The state of a path: active features, known entries, features barred from entering.

    With ``whole_columns`` these are computed as their feature enters: nothing is left to ask for.
    """

    def __init__(
        self,
        relevance: FloatArray,
        entries: EntriesOnDemand,
        factor: ActiveFactor,
        *,
        penalised: BoolArray,
        tie_tolerance: float,
        batch_entries: int,
        whole_columns: bool,
    ) -> None:
        self._relevance, self._entries, self._factor = relevance, entries, factor
        self._penalised, self._penalty = penalised, penalised.astype(np.float64)
        self._batch_entries, self._whole_columns = batch_entries, whole_columns
        self._scale = max(float(relevance.max()), 0.0)
        self._tie = tie_tolerance * self._scale
        self._slack = max(BOUND_SLACK * self._scale, self._tie)
        # Copies of a feature that ties may lie on the other side of the tolerance.
        self._near = COPIES_APART * self._tie
        self._barred: BoolArray
        self._rules: _Rules

    def follow(self, rules: _Rules, *, eligible: BoolArray) -> LarsPath:
        """Go from event to event, from an infinite level down."""
        level, stop_reason, next_feature = math.inf, "step limit", -1
        events: list[LarsEvent] = []
        knots: list[tuple[float, IndexArray, FloatArray]] = []
        self._barred, self._rules = ~eligible, rules
        for _ in range(STEPS_PER_FEATURE * (rules.max_features + 1)):
            segment = self._segment()
            event = self._next_event(segment, level)
            if event.level < level:
                level = event.level
                knots.append((level, segment.members, segment.coefficients(level)))
            if event.kind == "stopped":
                stop_reason = "lowest level" if level > 0 else "level zero"
                break
            if event.kind == "entered" and self._is_surplus(event.feature):
                stop_reason, next_feature = "enough features", event.feature
                break
            events.append(event)
            if event.kind == "entered":
                self._enter(event.feature)
            else:
                self._factor.drop(event.feature)
                self._barred = ~eligible
        events.append(LarsEvent(level, "stopped", next_feature))
        return self._result(knots, events, stop_reason)

    def _segment(self) -> _Segment:
        """Solve for the active coefficients, and carry all gradients along."""
        members = np.array(self._factor.members, dtype=np.intp)
        right_sides = np.stack([self._relevance[members], self._penalty[members]], axis=1)
        intercept, growth = self._factor.solve(right_sides).T
        # Rounding of the slopes grows with the coefficients they are summed from.
        spread = float(np.abs(growth).sum()) * self._factor.largest_diagonal
        segment = _Segment(
            members=members,
            intercept=intercept,
            growth=growth,
            offset=self._relevance.copy(),
            slope=self._penalty.copy(),
            slope_tolerance=max(SLOPE_TOLERANCE, 8 * EPSILON * spread),
        )
        self._update_gradients(segment, self._entries.touched)
        return segment

    def _update_gradients(self, segment: _Segment, rows: IndexArray) -> None:
        """Subtract all known entries of these features from their gradients.

        Column by column, not as a matrix product: each feature's sum must come out the same to
        the last bit whichever others are summed beside it, or the bound could turn a tie.
        """
        offset, slope = self._relevance[rows], self._penalty[rows]
        for feature, u, w in zip(segment.members, segment.intercept, segment.growth, strict=True):
            entries = self._entries.column(int(feature), rows)
            offset -= u * entries
            slope -= w * entries
        segment.offset[rows], segment.slope[rows] = offset, slope

    def _next_event(self, segment: _Segment, level: float) -> LarsEvent:
        """Find the next event, completing features until no bound reaches its level."""
        waiting = ~self._barred
        waiting[segment.members] = False
        everything = np.arange(len(waiting))
        complete = self._entries.complete(segment.members.tolist(), everything)
        # The first few often settle it; the further it goes, the more are worth one product.
        n_entries = max(1, self._batch_entries // 8)
        while True:
            event = self._choose(segment, level, waiting & complete)
            # A feature that entered at a tie has a coefficient below zero until it begins to grow,
            # and entries with it that are not known raise gradients by up to so much.
            early = segment.below_zero(event.level) * self._factor.largest_diagonal
            reaches = segment.shortfall(event.level) <= self._slack + self._tie + early
            pending = np.flatnonzero(waiting & ~complete & reaches)
            if len(pending):
                promise = segment.entry_levels(pending, parallel=np.inf)
                promising = pending[np.argsort(-promise, kind="stable")]
                few = promising[:BOUNDED_TOGETHER]
                batch = self._bound_some(segment, few, waiting & ~complete)
                if not len(batch):
                    batch = self._fill_in_part(promising, segment.members.tolist(), n_entries)
                    n_entries = min(2 * n_entries, self._batch_entries)
                complete[batch] = self._entries.complete(segment.members.tolist(), batch)
                self._update_gradients(segment, batch)
            elif event.kind == "entered" and not self._may_enter(event.feature):
                self._barred[event.feature] = True
                waiting[event.feature] = False
            else:
                return event

    def _bound_some(self, segment: _Segment, wanted: IndexArray, waiting: BoolArray) -> IndexArray:
        """Get lower bounds for the entries of some features; return those that had lacked some.

        Others that will be wanted next come along.
        """
        members = segment.members.tolist()
        if self._entries.bounded(members, wanted).all():
            return wanted[:0]
        others = np.flatnonzero(waiting)
        others = others[~self._entries.bounded(members, others)]
        promise = segment.entry_levels(others, parallel=-np.inf)
        batch = others[np.argsort(-promise, kind="stable")[:BOUNDED_TOGETHER]]
        batch = np.union1d(batch, wanted[~self._entries.bounded(members, wanted)])
        self._entries.bound(batch, members)
        return batch

    def _fill_in_part(
        self, promising: IndexArray, members: list[int], n_entries: int
    ) -> IndexArray:
        """Ask for some entries that the most promising features lack; return these features.

        Those with the earlier active features, whose coefficients have grown longest, come first:
        they often suffice to rule a feature out.
        """
        n_features = n_entries // max(COLUMNS_AT_ONCE, len(members))
        least = min(n_entries // COLUMNS_AT_ONCE, 2 * len(members), MOST_FEATURES)
        batch = promising[: max(1, least, n_features)]
        lacking = [member for member in members if self._entries.lacks(batch, member)]
        n_columns = max(COLUMNS_AT_ONCE, (len(lacking) + 1) // 2, n_entries // len(batch))
        self._entries.fill(batch, lacking[:n_columns])
        return batch

    def _choose(self, segment: _Segment, level: float, candidates: BoolArray) -> LarsEvent:
        """Take the highest level at which something happens; of tied events the lowest index."""
        entering = np.flatnonzero(candidates)
        entry_levels = np.minimum(segment.entry_levels(entering, parallel=-np.inf), level)
        leaving_levels = np.minimum(segment.leaving_levels(), level)
        knot = max(entry_levels.max(initial=0.0), leaving_levels.max(initial=0.0))
        tie = TIE_TOLERANCE * self._scale
        if knot <= max(tie, self._rules.lowest_level):
            return LarsEvent(min(self._rules.lowest_level, level), "stopped", -1)
        shortfall = segment.shortfall(knot)[entering]
        ties = (entry_levels >= knot - tie) | ((entry_levels > 0) & (shortfall <= self._tie))
        # Holds back what the bound would: else the two could part at a tie.
        ties &= shortfall <= self._slack
        enters = int(entering[ties].min(initial=len(candidates)))
        while self._near and ties.any():
            apart = np.abs(shortfall - shortfall[np.searchsorted(entering, enters)])
            first = int(entering[(apart <= self._near) & (entry_levels > 0)].min())
            if first == enters:
                break
            enters = first
        leaves = int(segment.members[leaving_levels >= knot - tie].min(initial=len(candidates)))
        if enters < leaves:
            return LarsEvent(float(knot), "entered", enters)
        return LarsEvent(float(knot), "left", leaves)

    def _is_surplus(self, feature: int) -> bool:
        """Tell whether a feature would be one too many."""
        if not self._penalised[feature]:
            return False
        active = [member for member in self._factor.members if self._penalised[member]]
        return self._rules.size_of([*active, feature]) > self._rules.max_features

    def _may_enter(self, feature: int) -> bool:
        may_join = self._rules.may_join
        if may_join is not None and not may_join(feature, self._factor.members):
            return False
        row, diagonal = self._row(feature), self._entries.diagonal(feature)
        return self._factor.is_independent(row, diagonal) and not self._factor.overlaps(
            row, diagonal
        )

    def _enter(self, feature: int) -> None:
        self._factor.add(feature, self._row(feature), self._entries.diagonal(feature))
        self._entries.open_column(feature)
        if self._whole_columns:
            self._entries.fill(np.arange(len(self._relevance)), [feature])

    def _row(self, feature: int) -> FloatArray:
        """Entries of one feature with the active ones."""
        itself = np.array([feature], dtype=np.intp)
        row = [self._entries.column(member, itself)[0] for member in self._factor.members]
        return np.array(row, dtype=np.float64)

    def _result(
        self,
        knots: list[tuple[float, IndexArray, FloatArray]],
        events: list[LarsEvent],
        stop_reason: str,
    ) -> LarsPath:
        members = np.array(self._factor.members, dtype=np.intp)
        selected = members[self._penalised[members]]
        entered = [e.feature for e in events if e.kind == "entered" and self._penalised[e.feature]]
        return LarsPath(
            levels=np.array([level for level, _, _ in knots]),
            active_sets=tuple(active for _, active, _ in knots),
            values=tuple(values for _, _, values in knots),
            selected=selected,
            order=np.array(list(dict.fromkeys(entered)), dtype=np.intp),
            events=tuple(events),
            stop_reason=stop_reason,
            n_features=len(self._relevance),
            entries_computed=self._entries.n_computed,
            n_columns=self._entries.n_columns,
            known=tuple(self._entries.known(int(feature)) for feature in selected),
        )
