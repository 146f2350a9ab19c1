"""HSIC and NHSIC between single features, and with the target, through low-rank factors.

Where :class:`hsieve.HSIC` and :class:`hsieve.NHSIC` look at sets of features through n x n
matrices, this is their *pairwise* side: with factors K_u = F_u F_u' of the centred kernels,

    HSIC(u, v) = |F_u' F_v|^2,    NHSIC(u, v) = HSIC(u, v) / (|F_u' F_u| |F_v' F_v|),

Frobenius norms throughout. (The N3LARS paper prints a trace where the norm is meant.) Features are
read in blocks of columns, so neither the number of samples nor that of features is a limit.

Cost: one pass over the features for the relevance of all; O(n r^2) for each pair of features asked
for, of rank r, 9 to 15 for a Gaussian feature.

References
----------
M. Yamada et al., "N3LARS: minimum redundancy maximum relevance feature selection for large and
high-dimensional data", 2014.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.arrays import as_blocks
from hsieve.data.columns import ColumnBlocks
from hsieve.data.memory import MemoryPlan, give_back_memory
from hsieve.data.validation import check_lengths
from hsieve.kernels.coded_factors import CodedFactors
from hsieve.kernels.columns import check_positions
from hsieve.kernels.dense_factors import DenseFactors, GroupFactors
from hsieve.kernels.factor_store import Actives, FactorStore, Stack, form_for
from hsieve.kernels.leading_factors import LeadingFactors
from hsieve.kernels.null_laws import log_ratio_tail
from hsieve.measures.base import SINGLE_PRECISION, Measure, PairwiseBoundMeasure
from hsieve.measures.regression_data import RegressionData
from hsieve.measures.targets import refuse_empty, target_factor
from hsieve.parameters import integer
from hsieve.progress import report

# A kernel with less than this fraction of the norm a feature can have is that of a constant.
NO_KERNEL = 1e-12
# Products of two directions in single precision are right to this fraction of their lengths.
ROUNDING_OF_PRODUCTS = 1e-5


@dataclass(eq=False, repr=False, kw_only=True)
class PairwiseHSIC(Measure):
    """HSIC of single features with the target and with each other.

    Parameters
    ----------
    normalised : bool, default=True
        NHSIC (N3LARS) or plain HSIC (HSIC Lasso), up to a common factor.
    categorical : iterable of int, default=()
        Features that are categories; they get a delta kernel.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        Classes get the delta kernel 1/n_c, numbers a Gaussian of width sqrt(n_outputs) on
        standardised values.
    form : {"auto", "dense", "coded"}, default="auto"
        "dense" works from the numbers themselves (error below 1e-4), "coded" from one byte per
        value (about 1e-3, three times as quick). "auto" takes the latter from 8,192 samples and 20
        million values on.
    memory_limit : int, str or None, default=None
        Most memory to use beside the data handed in, in bytes or as "2GB"; None for as much as
        is useful.

    Notes
    -----
    Features and numeric targets are standardised; where a value lies more than five deviations
    out, the scale is robust, so that one outlier does not hide the others
    (:func:`hsieve.kernels.columns.standardised`).
    """

    normalised: bool = True
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    form: str = "auto"
    memory_limit: int | str | None = None

    takes_blocks = True
    takes_survival = True
    redundancy_is_psd = True

    @property
    def no_weights(self) -> str:  # type: ignore[override]
        """Codes are made for samples that count alike."""
        return "counts all samples alike in form='coded'" if self.form == "coded" else ""

    @property
    def takes_groups(self) -> bool:  # type: ignore[override]
        """Codes are of single features."""
        return self.form != "coded"

    def bind(
        self,
        X: ArrayLike | ColumnBlocks,
        y: Any,
        sample_weight: FloatArray | None = None,
        feature_groups: Sequence[IndexArray] | None = None,
    ) -> "BoundPairwiseHSIC":
        """Bind the measure to data; one pass over the features gives the relevance of all."""
        blocks = as_blocks(X if isinstance(X, ColumnBlocks) else np.asarray(X))
        target = target_factor(y, self.target_kind, sample_weight=sample_weight)
        check_lengths(blocks.n_samples, len(target))
        refuse_empty(target, target)
        plan = MemoryPlan.for_data(blocks.n_samples, self.memory_limit, is_local=blocks.is_local)
        store = self.store(blocks, plan, sample_weight, feature_groups)
        relevance, norms = _first_pass(store, target)
        if self.normalised:
            relevance /= np.where(norms > 0, norms, 1.0) * np.linalg.norm(target.T @ target)
        store.expect(np.argsort(-relevance, kind="stable"))
        if not blocks.is_local:
            give_back_memory()
        return BoundPairwiseHSIC(
            columns=np.arange(store.n_features),
            all_relevance=relevance,
            norms=norms,
            normalised=self.normalised,
            target=target,
            tile_bytes=plan.tile_bytes,
            store=store,
            actives=store.actives(plan.stack_bytes),
            regression_data=RegressionData.of(
                blocks, y, target_kind=self.target_kind, categorical=store.categorical
            ),
        )

    def store(
        self,
        blocks: ColumnBlocks,
        plan: MemoryPlan,
        sample_weight: FloatArray | None = None,
        feature_groups: Sequence[IndexArray] | None = None,
    ) -> FactorStore:
        """Make the store of factors of all features, in the form that fits the size of the data."""
        categorical = np.zeros(blocks.n_features, dtype=bool)
        categorical[check_positions(self.categorical, blocks.n_features)] = True
        room: dict[str, Any] = {"block_bytes": plan.block_bytes, "factor_bytes": plan.factor_bytes}
        work, codes = plan.work_bytes, plan.code_bytes
        form = form_for(blocks.n_samples, blocks.n_features, self.form)
        if form == "dense" or sample_weight is not None or feature_groups is not None:
            # There are no codes.
            room["work_bytes"] = work + codes
            if feature_groups is not None:
                return GroupFactors(
                    blocks,
                    categorical,
                    members=feature_groups,
                    sample_weight=sample_weight,
                    **room,
                )
            return DenseFactors(blocks, categorical, **room, sample_weight=sample_weight)
        return CodedFactors(blocks, categorical, **room, work_bytes=work, code_bytes=codes)


@dataclass(frozen=True, eq=False)
class BoundPairwiseHSIC(PairwiseBoundMeasure):
    """Pairwise statistics bound to data; redundancy is computed for the pairs asked for only."""

    redundancy_may_be_skipped = True
    rounding = SINGLE_PRECISION

    columns: IndexArray  # (n_features,): column of the data for each feature
    all_relevance: FloatArray  # (n_columns,): relevance and norm of the kernel, for each column
    norms: FloatArray  # (n_columns,)
    normalised: bool  # whether redundancies are NHSIC
    # (n_samples, rank): factor of the target's centred kernel.
    target: FloatArray = field(repr=False)
    tile_bytes: int  # most that leading factors of all features may take
    store: FactorStore  # where factors come from
    # Factors of features whose redundancy with others is asked for again and again.
    actives: Actives = field(repr=False)
    regression_data: RegressionData = field(repr=False)  # the columns and the target as numbers

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of features."""
        return len(self.columns)

    @property
    def worthwhile_entries(self) -> int:
        """How many redundancies take about as long as asking for them does."""
        return max(512, 500_000 // self.store.n_samples)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """True where a feature holds one single value."""
        return np.asarray(self.norms[self.columns] == 0)

    def among(self, features: IndexArray) -> "BoundPairwiseHSIC":
        """Return the same measure over some of the features, renumbered."""
        data = self.regression_data.among(features)
        return replace(self, columns=self.columns[features], regression_data=data)

    def relevance(self, features: ArrayLike) -> FloatArray:
        """Dependence of each feature on the target, of shape (n_features,)."""
        return np.asarray(self.all_relevance[self.columns[np.asarray(features, np.intp)]])

    def redundancy(self, features: ArrayLike, active: ArrayLike) -> FloatArray:
        """Dependence between features, of shape (n_features, n_active)."""
        rows = self.columns[np.asarray(features, dtype=np.intp)]
        columns = self.columns[np.asarray(active, dtype=np.intp)]
        products = np.empty((len(rows), len(columns)))
        for places, stack in self.actives.stacks(columns):
            for found in self.store.products(rows, stack):
                products[np.ix_(found.places, places)] = found.squares
        if self.normalised:
            norms = np.where(self.norms > 0, self.norms, 1.0)
            products /= np.outer(norms[rows], norms[columns])
        return products

    @property
    def least_redundancy(self) -> Callable[[IndexArray, IndexArray], FloatArray] | None:
        """Lower bounds of redundancies, where they are much cheaper."""
        return self._least_redundancy if self.store.has_leading_products else None

    def _least_redundancy(self, features: IndexArray, active: IndexArray) -> FloatArray:
        assert isinstance(self.store, CodedFactors)
        rows, columns = self.columns[features], self.columns[active]
        norms = np.outer(self.norms[rows], self.norms[columns])
        products = np.abs(self.store.leading_products(rows, columns))
        least = np.maximum(products - ROUNDING_OF_PRODUCTS * np.sqrt(norms), 0.0) ** 2
        return np.asarray(least / np.where(norms > 0, norms, 1.0) if self.normalised else least)

    def relevance_to(self, targets: FloatArray) -> FloatArray:
        """NHSIC of all features with other targets (n_samples, n_targets), in one pass.

        Their kernel is linear: it sees how their mean depends on a feature, by any curve, and not
        how their spread does, so that residuals of unequal variance do not look like an effect.
        """
        centred = targets - targets.mean(axis=0)
        rows = np.ascontiguousarray(centred.T, dtype=np.float32)
        found = np.zeros(len(self.norms))
        stack = Stack(rows, np.zeros(1, dtype=np.intp))
        for products in self.store.products_again(self.columns, stack):
            found[self.columns[products.places]] = products.squares[:, 0]
        norms = self.norms[self.columns] * np.linalg.norm(centred.T @ centred)
        return np.asarray(found[self.columns] / np.where(norms > 0, norms, 1.0))

    def log_p_values(self, features: ArrayLike, targets: FloatArray) -> FloatArray:
        """Log of the chance of such a relevance for normal targets that depend on no feature.

        Shapes: targets (n_samples, n_targets).
        """
        centred = targets - targets.mean(axis=0)
        total = float(np.vdot(centred, centred))
        columns = self.columns[np.asarray(features, dtype=np.intp)]
        factors = [self.store.rows(int(column))[0].astype(np.float64) for column in columns]
        weights = np.zeros((len(factors), max(map(len, factors), default=1)))
        ratios = np.zeros(len(factors))
        for place, rows in enumerate(factors):
            weights[place, : len(rows)] = np.linalg.eigvalsh(rows @ rows.T)
            ratios[place] = np.sum((rows @ centred) ** 2) / total
        of_targets = np.linalg.eigvalsh(centred.T @ centred)
        return log_ratio_tail(ratios, weights, of_targets, len(centred) - 1)

    def leading_factors(self, rank: int) -> LeadingFactors:
        """Leading factors of all features, numbered by column, for a search for interactions."""
        return LeadingFactors.of(self.store, self.columns, rank, self.tile_bytes)

    def self_redundancy(self, features: ArrayLike) -> FloatArray:
        """Redundancy of each feature with itself, of shape (n_features,)."""
        norms = self.norms[self.columns[np.asarray(features, dtype=np.intp)]]
        return np.where(norms > 0, 1.0, 0.0) if self.normalised else norms**2


PairwiseHSIC.bound_type = BoundPairwiseHSIC


def nearest_relatives(
    blocks: ColumnBlocks,
    features: IndexArray,
    n_relatives: int,
    *,
    measure: PairwiseHSIC | None = None,
) -> list[tuple[IndexArray, FloatArray]]:
    """Find the features with the highest NHSIC with each of some features, in one pass."""
    integer(1).check("n_relatives", n_relatives)
    measure = PairwiseHSIC() if measure is None else measure
    plan = MemoryPlan.for_data(blocks.n_samples, measure.memory_limit, is_local=blocks.is_local)
    store = measure.store(blocks, plan)
    actives = store.actives(plan.stack_bytes)
    own = np.array([store.rows(int(feature))[1] for feature in features])
    own[own <= NO_KERNEL * blocks.n_samples] = np.inf
    found = np.zeros((blocks.n_features, len(features)))
    for places, stack in actives.stacks(features):
        for products in store.products_of_all(stack):
            norms = np.outer(np.where(products.norms > 0, products.norms, 1.0), own[places])
            found[np.ix_(products.places, places)] = products.squares / norms
            report((products.places.max() + 1) / blocks.n_features, "relatives")
    found[features, np.arange(len(features))] = -1.0
    n_kept = min(n_relatives, blocks.n_features - 1)
    closest = np.argsort(-found, axis=0, kind="stable")[:n_kept]
    return [(order, found[order, place]) for place, order in enumerate(closest.T)]


def _first_pass(store: FactorStore, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """HSIC of every feature with the target, and the norm of every feature's kernel."""
    rows = np.ascontiguousarray(target.T, dtype=store.precision)
    stack = Stack(rows, np.zeros(1, dtype=np.intp))
    relevance, norms = np.empty(store.n_features), np.empty(store.n_features)
    done = 0
    for products in store.products_of_all(stack):
        relevance[products.places] = products.squares[:, 0]
        norms[products.places] = products.norms
        done += len(products.places)
        report(0.8 * done / store.n_features, "relevance")
    # Rounding leaves a constant feature with a kernel that is not quite zero.
    norms[norms <= NO_KERNEL * store.n_samples] = 0.0
    relevance[norms == 0] = 0.0
    return relevance, norms
