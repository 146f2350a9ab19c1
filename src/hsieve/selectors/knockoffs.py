"""Selection with a bounded false discovery rate: features that rank before their knockoffs."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.columns import ColumnBlocks
from hsieve.data.validation import constant_columns, target_kind_of
from hsieve.dataset import Dataset
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    NothingFoundWarning,
    ignored,
)
from hsieve.inference.knockoff_filter import e_values, selected_by_e_values
from hsieve.inference.knockoff_model import KnockoffMatch, KnockoffModel
from hsieve.kernels.columns import check_positions
from hsieve.parallel.jobs import make_job_engine
from hsieve.parameters import Rule, check_parameters, integer, number, word
from hsieve.selectors.base import BaseSelector, whole_or_nothing
from hsieve.selectors.input_data import on_arrays, refuse_groups
from hsieve.selectors.kernel_pursuit import KernelPursuit
from hsieve.selectors.number_rules import without_checkpoint
from hsieve.selectors.spec import MethodSpec
from hsieve.strategies.base import SelectionPath

__all__ = ["KnockoffSelector"]

# What a base says of features and knockoffs together is no news of the features.
UNHEARD = (ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning)
# Features and knockoffs that a base puts in order where it is not told how many.
USUAL_RANKED = 60
# Knockoffs that match so badly are told of.
SMALL_P_VALUE = 0.01


@dataclass(eq=False, repr=False)
class KnockoffSelector(MetaEstimatorMixin, BaseSelector):
    """Select features so that the expected fraction of false ones is bounded, by knockoffs.

    Parameters
    ----------
    selector : selector or None, default=None
        Any selector of this package; it ranks the features and their knockoffs together. None is
        ``KernelPursuit(interactions=None)``. Of its ranking all is used: a path that ends after
        ``n_features_to_select`` features should be at least twice as long as the features that you
        expect; None is 60 here.
    fdr : float, default=0.1
        The false discovery rate: the bound on the expected fraction of selected features that do
        not depend on the target given all others. A single draw selects at least ``1 / fdr``
        features, or none.
    n_draws : int, default=1
        Draws of knockoffs. Several are combined by e-values, so that the selection depends less
        on ``random_state``; they select at least ``2 / fdr`` features, or none.
    statistic : {"order", "score"}, default="order"
        How a feature is compared with its knockoff: by which of them ranks first, and how early, or
        by the difference of their scores.
    {categorical}
    {target_kind}
    n_jobs : int or None, default=None
        Number of processes, for several draws. The result does not depend on it.
    random_state : int, Generator or None, default=0
        Seed of the knockoffs.

    Attributes
    ----------
    statistics_ : ndarray of shape (n_draws, n_features)
        W of each feature in each draw: positive where the feature comes before its knockoff. By
        order, the first place of all has W = 1, the last 0.
    e_values_ : ndarray of shape (n_features,)
        Evidence for each feature, averaged over the draws; zero below the thresholds.
    distances_ : ndarray of shape (n_features,)
        By how much the correlation of each feature with its knockoff is below 1. Features with
        small values can hardly be told from their knockoffs, and so hardly be selected.
        NaN for categories.
    match_ : KnockoffMatch
        How well knockoffs match the features, of one more draw: the difference of correlations,
        and the p-value of a test whether features can be swapped with their knockoffs.
    selected_indices_, ranking_, scores_, path_
        As in every selector; the score of a feature is its mean W.

    Notes
    -----
    The bound needs knockoffs that relate to the features as the features do among themselves. They
    are drawn from a Gaussian copula (:mod:`hsieve.inference.knockoffs`): margins may have any law,
    but dependence between features that is not that of ranked Gaussian variables is not seen.
    Categories are drawn by logistic regressions (:mod:`hsieve.inference.knockoff_model`). Nothing
    is assumed about how the target depends on the features. ``match_`` tells whether the data
    contradict what is assumed.

    Copies of a feature cannot be told from its knockoff, so that neither is selected; take them out
    before, for example by :class:`N3LARS` with ``max_redundancy``.

    References
    ----------
    E. Candes, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high dimensional
    controlled variable selection", 2018; Z. Ren, R. F. Barber, "Derandomised knockoffs: leveraging
    e-values for false discovery rate control", 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import KnockoffSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 40))
    >>> y = np.abs(X[:, :6]).sum(axis=1) + X[:, 6:12].sum(axis=1) + 0.3 * rng.normal(size=400)
    >>> selection = KnockoffSelector(fdr=0.1).fit(X, y)
    >>> sorted(selection.selected_indices_.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    """

    selector: BaseSelector | None = None
    _: KW_ONLY
    fdr: float = 0.1
    n_draws: int = 1
    statistic: str = "order"
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"
    n_jobs: int | None = None
    random_state: int | np.random.Generator | None = 0

    match_: KnockoffMatch = field(init=False)
    # The rate decides.
    n_features_to_select: ClassVar[None] = None  # type: ignore[misc]

    _may_have_groups = False

    spec = MethodSpec(
        does=(
            "ranks the features beside knockoffs of them, copies that relate to the other features "
            "as they do but not to the target, and selects the features that rank before their "
            "knockoffs, so that the expected fraction of false ones is bounded."
        ),
        score="How early the feature ranks before its knockoff, from -1 to 1.",
    )

    allowed: ClassVar[Mapping[str, Rule]] = {
        "fdr": number(above=0, below=1),
        "n_draws": integer(1),
        "statistic": word("order", "score"),
    }

    @whole_or_nothing
    def fit(self, X: ArrayLike | ColumnBlocks | Dataset, y: Any = None) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
            What the base takes: classes, numbers, several outputs, or a Gram matrix.

        Returns
        -------
        self
            The fitted selector.
        """
        self._check_base()
        data, target = self._validated(X, y, self, dtype=[np.float64, np.float32])
        self._check(self, target, len(data))
        varying = self._varying_features(constant_columns(data))
        base = self._base(target)
        draws = _Draws(
            base, data[:, varying], target, self._categories(base, varying), self.statistic
        )
        rngs = np.random.default_rng(self.random_state).spawn(int(self.n_draws) + 2)
        model = KnockoffModel(draws.data, draws.categories, rngs[-1])
        with make_job_engine(self.n_jobs) as workers:
            compared = list(workers.map(_compared, rngs[:-2], shared=(draws, model)))
        self.match_ = model.match(model.draw(rngs[-2]), rngs[-1])
        self._choose(np.array(compared), model, varying)
        return self

    def in_words(self) -> str:
        """Say what the rate means, and whether the data contradict the knockoffs."""
        if not len(self.selected_indices_):
            return self._why_none()
        draws = "one draw" if self.n_draws == 1 else f"{self.n_draws} draws"
        told = (
            f"Of the features chosen, at most {self.fdr:.0%} are expected not to depend on the "
            f"target given all others, if the knockoffs match ({draws})."
        )
        if self.match_.p_value <= SMALL_P_VALUE:
            told += (
                " They do not: features depend on each other in ways that the knockoffs do not "
                f"have (p = {self.match_.p_value:.2g}), so that more may be false."
            )
        return told

    def _why_none(self) -> str:
        """Say why there may be no features."""
        least = int(np.ceil((1 if self.n_draws == 1 else 2) / self.fdr - 1e-9))
        who = "One draw selects" if self.n_draws == 1 else f"{self.n_draws} draws select"
        return (
            f"No features are selected at fdr={self.fdr:g}. {who} at least {least} features at "
            "this rate, or none; with fewer relevant ones, raise fdr, or use hsieve.feature_tests "
            "(adjusted p-values)."
        )

    def _check_base(self) -> None:
        """Refuse what is no selector of features."""
        check_parameters(self)
        base = self.selector
        if base is not None and (not isinstance(base, BaseSelector) or base is self):
            msg = f"selector must be a selector of hsieve such as N3LARS(60), got {base!r}."
            raise ValueError(msg)
        refuse_groups(base, self)

    def _base(self, target: NDArray[Any]) -> Any:
        """Copy the base, told what the target holds and how far to rank."""
        base = KernelPursuit(interactions=None) if self.selector is None else self.selector
        known: dict[str, Any] = {}
        for name, value in base.get_params().items():
            own = name.rpartition("__")[2]
            if own == "target_kind" and isinstance(value, str) and value == "auto":
                known[name] = target_kind_of(target, self.target_kind)
            if name == "n_features_to_select" and value is None:
                known[name] = USUAL_RANKED
        return without_checkpoint(base).set_params(**known)

    def _categories(self, base: Any, varying: IndexArray) -> IndexArray:
        """Places of the categories among the varying features, also those the base knows."""
        if len(self.categorical_) and not any(
            name.rpartition("__")[2] == "categorical" for name in base.get_params()
        ):
            msg = (
                f"{type(base).__name__} takes numbers only, but there are categories. Leave these "
                "columns out, or take a selector that has categorical=..., such as N3LARS."
            )
            raise ValueError(msg)
        found = [self.categorical_]
        names = getattr(self, "feature_names_in_", None)
        for name, value in base.get_params().items():
            if name.rpartition("__")[2] == "categorical":
                listed = check_positions(value, self.n_features_in_, names=names)
                found.append(listed % self.n_features_in_)
        return np.flatnonzero(np.isin(varying, np.concatenate(found)))

    def _choose(self, compared: FloatArray, model: KnockoffModel, varying: IndexArray) -> None:
        """Select by the e-values, and put the others behind."""
        values = e_values(list(compared), self.fdr)
        chosen = selected_by_e_values(values, self.fdr)
        mean = compared.mean(axis=0)
        is_chosen = np.isin(np.arange(len(varying)), chosen)
        order = np.lexsort((-mean, ~is_chosen))
        path = SelectionPath(
            order=order,
            feature_scores=mean[order],
            sizes=np.array([len(chosen)]),
            set_scores=np.array([mean[chosen].sum()]),
            stop_reason=f"false discovery rate of at most {self.fdr:g}",
            n_selectable=len(chosen),
        )
        self.statistics_ = np.zeros((len(compared), self.n_features_in_))
        self.statistics_[:, varying] = compared
        self.e_values_, self.distances_ = np.zeros((2, self.n_features_in_))
        self.e_values_[varying], self.distances_[varying] = values, model.distances
        self._keep(path, varying, self.n_features_in_)
        if not len(chosen):
            warnings.warn(self._why_none(), NothingFoundWarning, stacklevel=4)


@dataclass(frozen=True, eq=False)
class _Draws:
    """What is the same in every draw."""

    base: Any
    data: NDArray[np.floating]
    target: NDArray[Any]
    categories: IndexArray
    statistic: str


def _compared(rng: np.random.Generator, shared: tuple[_Draws, KnockoffModel]) -> FloatArray:
    """Draw knockoffs once, rank them with the features, and compare each pair."""
    draws, model = shared
    knockoffs = model.draw(rng)
    n_features = draws.data.shape[1]
    # Where a base prefers the first of two equals, a feature must not gain by its place.
    places = rng.permutation(2 * n_features)
    data = np.empty((len(draws.data), 2 * n_features), dtype=draws.data.dtype)
    data[:, places] = np.hstack([draws.data, knockoffs])
    positions = np.concatenate([draws.categories, draws.categories + n_features])
    base = on_arrays(draws.base, np.sort(places[positions]))
    with ignored(UNHEARD):
        base.fit(data, draws.target)
    by_score = draws.statistic == "score"
    values = base.scores_ if by_score else 1 - (base.ranking_ - 1) / (2 * n_features)
    own, other = values[places[:n_features]], values[places[n_features:]]
    if by_score:
        return np.asarray(own - other)
    return np.asarray(np.maximum(own, other) * np.sign(own - other))
