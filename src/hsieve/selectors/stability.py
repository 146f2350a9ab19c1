"""Stability selection: features that are selected again and again from halves of the data."""

import os
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.multiclass import check_classification_targets

from hsieve.array_types import IndexArray
from hsieve.data.validation import TargetKind, constant_columns, target_kind_of
from hsieve.dataset import Dataset
from hsieve.inference.selection_bounds import (
    false_selection_bound,
    most_per_subsample,
    threshold_for,
    unimodal_bound,
)
from hsieve.kernels import Precomputed
from hsieve.kernels.columns import standardised
from hsieve.parallel.jobs import make_job_engine, refuse_cluster_inside, shared_clusters
from hsieve.parameters import NONE, check_parameters, integer, number, rules, word
from hsieve.selectors.base import BaseSelector, whole_or_nothing
from hsieve.selectors.checkpoint import checkpointed
from hsieve.selectors.halves import (
    Counts,
    Halves,
    check_halves,
    check_sparse,
    checked_groups,
    count_selections,
)
from hsieve.selectors.input_data import on_arrays, refuse_groups
from hsieve.selectors.number_rules import RuleSettings, check_rule_fits
from hsieve.selectors.regularisation import make_range, model_target
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import STABLE, MethodSpec, Variant
from hsieve.strategies.base import SelectionPath

# Where the threshold is solved for a bound, it stays within what the authors recommend.
LEAST_THRESHOLD = 0.6
MOST_THRESHOLD = 0.9
# What is wished where nothing is said.
USUAL_FALSE_SELECTIONS = 1.0
# Rounding of a fraction of subsamples.
SHARE_TOLERANCE = 1e-12


def _logistic_base() -> dict[str, Any]:
    """Sparse logistic regression of standardised features."""
    base = LogisticRegression(l1_ratio=1.0, solver="liblinear")
    return {"estimator": base, "standardise": True}


def _boosting_base() -> dict[str, Any]:
    """Boosting of single features; its room stands above this one."""
    return {"estimator": import_module("hsieve.classifiers").LPBoost()}


@dataclass(eq=False, repr=False)
class StabilitySelection(MetaEstimatorMixin, BaseSelector):
    """Features that a sparse method selects from most halves of the data, with an error bound.

    Parameters
    ----------
    estimator : selector, sparse estimator or None, default=None
        The base: a selector of this package, or an estimator with ``coef_`` or
        ``feature_importances_`` that are zero for features it does not use. None is the lasso over
        standardised features (classes are coded as -1 and 1; several outputs, or more than two
        classes, share their features). ``Lasso()`` fits each output alone; a feature counts if any
        of them uses it. A cluster that the base asks for is started once, and not with `n_jobs`;
        a checkpoint of the base is left out, since every subsample is another run.
    n_features_to_select : int, float, {"alignment", "guarded", "cv"} or None, default=None
        None selects the features above the threshold. A number, or a fraction below 1, selects so
        many of the most stable features, whatever the threshold, but none that no subsample
        selects; a rule finds the number out.
    threshold : float or None, default=0.75
        Fraction of the subsamples from which on a feature is selected, above 1/2. None solves it
        for `expected_false_selections`; it is then between 0.6 and 0.9, or up to 1 if
        `n_per_subsample` is given.
    expected_false_selections : float or None, default=None
        Bound on the expected number of false selections. With a threshold, the number of
        features that a subsample may select follows from it. None is 1, unless `n_per_subsample` or
        a number of features says otherwise.
    n_per_subsample : int or None, default=None
        Most features that a subsample may select over the range; there the range ends for it. None
        follows from the two above; without `expected_false_selections` it is at least the number of
        features asked for. The number of all features is no limit.
    parameter : str or None, default=None
        Parameter of the base that is varied; None takes alpha, C or nu.
    values : array-like or None, default=None
        Its values, the strongest regularisation first; None takes 30 in even ratios down to 5 % of
        the alpha (or up to 20 times the C) at which nothing is selected, or of nu from 1 to 0.2.
    standardise : bool, default=False
        Whether the base is given features of mean 0 and deviation 1, as a sparse model with one
        penalty for all of them should be. The default lasso always is.
    sampling : {"pairs", "halves"}, default="pairs"
        "pairs": complementary pairs, two halves that share no sample. "halves": independent halves.
        Classes are halved too.
    n_subsamples : int, default=100
        Number of subsamples: an even number for pairs.
    {target_kind}
    n_jobs : int or None, default=None
        Number of processes. The result does not depend on it.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who selects from the subsamples, instead of `n_jobs`: see
        :func:`hsieve.parallel.make_engine`. The result does not depend on it. The base cannot have
        a cluster of its own then, and its class must belong to a module.
    {checkpoint}
    random_state : int, Generator or None, default=0
        Seed of the subsamples, and of a base without a seed of its own.

    Attributes
    ----------
    range_ : ndarray of shape (n_points,)
        Points of the range: values of the parameter, or sizes of a selector's ranking.
    frequencies_ : ndarray of shape (n_points, n_features)
        Fraction of the subsamples that select each feature at each point.
    stability_scores_ : ndarray of shape (n_features,)
        The largest of these over the range.
    threshold_ : float
        The threshold used.
    n_selected_ : ndarray of shape (n_subsamples,)
        Number of features that each subsample selects over the whole range.
    bound_ : float
        Bound on the expected number of false selections at the threshold: q^2 / ((2 pi - 1) d),
        with q the mean of ``n_selected_``.
    unimodal_bound_ : float or None
        The tighter bound for complementary pairs, under one more assumption; see Notes.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features most stable first, place and stability of each.

    Notes
    -----
    ``bound_`` counts noise features if these are exchangeable and the base is no worse than random
    guessing (Meinshausen and Buhlmann, theorem 1). For complementary pairs it needs neither, nor
    many pairs, but counts the features that a subsample selects with a probability of at most q / d
    (Shah and Samworth, theorem 1). ``unimodal_bound_`` is their theorem 2. Features of one score
    are ordered by their mean frequency over the range. Copies of a feature share its selections, so
    that neither may reach the threshold. Both bounds hold for the features above the threshold, not
    for a number of features asked for by ``n_features_to_select``.

    References
    ----------
    N. Meinshausen, P. Buhlmann, "Stability selection", 2010; R. Shah, R. Samworth, "Variable
    selection with error control: another look at stability selection", 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import StabilitySelection
    >>> X = np.random.default_rng(0).normal(size=(100, 50))
    >>> y = X[:, 3] - X[:, 7] + np.random.default_rng(1).normal(size=100)
    >>> selection = StabilitySelection().fit(X, y)
    >>> selection.selected_indices_, round(selection.bound_, 2) <= 1
    (array([3, 7]), True)
    """

    estimator: BaseEstimator | None = None
    _: KW_ONLY
    n_features_to_select: int | float | str | None = None
    threshold: float | None = 0.75
    expected_false_selections: float | None = None
    n_per_subsample: int | None = None
    parameter: str | None = None
    values: ArrayLike | None = None
    standardise: bool = False
    sampling: str = "pairs"
    n_subsamples: int = 100
    target_kind: str = "auto"
    n_jobs: int | None = None
    engine: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    random_state: int | np.random.Generator | None = 0

    # The threshold decides.
    _keeps_own_number = True

    spec = MethodSpec(
        does=(
            "selects again and again from random halves of the samples and keeps the features "
            "that come up in most of them, with a bound on the expected number of false ones."
        ),
        score="Largest fraction of the subsamples that select the feature.",
        name="stability-lasso",
        purpose="features that the lasso finds in most halves of the data",
        cost="100 n d a step",
        group=STABLE,
        variants=(
            Variant(
                "stability-logistic",
                "the same by sparse logistic regression; classes only",
                _logistic_base,
                "100 n d a sweep",
                needs_classes=True,
            ),
            Variant(
                "stability-lpboost",
                "the same by boosting of single features; classes only",
                _boosting_base,
                "100 n d + programs",
                needs_classes=True,
            ),
        ),
    )

    allowed = rules(
        threshold=NONE | number(above=0.5, most=1),
        expected_false_selections=NONE | number(above=0),
        n_per_subsample=NONE | integer(1),
        sampling=word("pairs", "halves"),
        n_subsamples=integer(2),
    )

    @whole_or_nothing
    def fit(
        self, X: ArrayLike | Dataset, y: Any = None, *, groups: ArrayLike | None = None
    ) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
            What the base takes: classes, numbers, several outputs, or a Gram matrix.
        groups : array-like of shape (n_samples,) or None, default=None
            Which samples belong together, such as cells of one donor: a subsample has half of the
            groups, whole. None for independent samples.

        Returns
        -------
        self
            The fitted selector.
        """
        self._check_parameters()
        data, target = self._validated(X, y, self._knowing(), dtype=[np.float64, np.float32])
        most = self._most(data.shape[1])
        settings = self._settings(target, most)
        self._check(settings, target, len(data))
        check_rule_fits(self.n_features_to_select, kernel_y=settings.kernel_y)
        kind: TargetKind = "classes" if settings.target_kind == "classes" else "continuous"
        check_halves(target, len(data), kind)
        if isinstance(settings.kernel_y, Precomputed):
            target = settings.kernel_y.gram(target)
        varying = self._varying_features(constant_columns(data))
        data = data.astype(np.float64)
        if self.standardise:
            data = standardised(data)
        base, seen = self._base(kind), model_target(self.estimator, target, kind)
        points = make_range(
            base, data, seen, parameter=self.parameter, values=self.values, most=most
        )
        halves = Halves(
            points,
            data,
            seen,
            most,
            pairs=self.sampling == "pairs",
            classes=target if kind == "classes" else None,
            both_sides=isinstance(settings.kernel_y, Precomputed),
            groups=None if groups is None else checked_groups(groups, len(data)),
        )
        with shared_clusters({} if base is None else base.get_params()):
            counts = self._count(halves, target)
            self._judge()
            check_sparse(counts, most)
            self._choose(varying, data, target, settings)
        return self

    def _knowing(self) -> BaseEstimator:
        """Return who knows the categories and the kernel of the target: the base, or its measure.

        A sparse model takes no categories, as this selector itself.
        """
        base = self.estimator
        if isinstance(base, SearchSelector):
            return base.make_components()[0]
        return base if isinstance(base, BaseSelector) else self

    def _settings(self, target: NDArray[Any], most: int) -> RuleSettings:
        """Tell what the base knows of features and target: more than their looks say."""
        base = self.estimator
        in_folds: dict[str, Any] = {"n_per_subsample": most}
        if not isinstance(base, BaseSelector):
            if base is not None and is_classifier(base):
                check_classification_targets(target)
                return RuleSettings("classes", in_folds=in_folds)
            return RuleSettings(target_kind_of(target, self.target_kind), in_folds=in_folds)
        refuse_groups(base, self)
        in_folds["estimator"] = on_arrays(base, self.categorical_)
        knowing = self._knowing()
        kernel_y = getattr(knowing, "kernel_y", None)
        own = getattr(base, "target_kind", getattr(knowing, "target_kind", "auto"))
        kind = target_kind_of(target, self.target_kind if own == "auto" else own)
        if isinstance(kernel_y, Precomputed):
            kind = "continuous"
        return RuleSettings(kind, self.categorical_.tolist(), kernel_y, in_folds)

    def _base(self, kind: TargetKind) -> BaseEstimator | None:
        """Tell the base what the target holds: a subsample may look otherwise."""
        if not isinstance(self.estimator, BaseSelector):
            return self.estimator
        base = on_arrays(self.estimator, self.categorical_)
        is_open = getattr(base, "target_kind", None) == "auto"
        return base.set_params(target_kind=kind) if is_open else base

    def _most(self, n_features: int) -> int:
        """Work out how many features a subsample may select."""
        wished, threshold = self.expected_false_selections, self.threshold
        if self.n_per_subsample is not None:
            most = int(self.n_per_subsample)
            if wished is not None and threshold is not None:
                _check_kept(most, n_features, float(threshold), float(wished))
            return min(most, n_features)
        highest = MOST_THRESHOLD if threshold is None else float(threshold)
        if wished is None:
            most = max(1, most_per_subsample(USUAL_FALSE_SELECTIONS, n_features, highest))
            number = self.n_features_to_select
            is_number = number is not None and not isinstance(number, str)
            return min(max(most, self._n_wanted(n_features)), n_features) if is_number else most
        most = most_per_subsample(float(wished), n_features, highest)
        if most < 1:
            least = false_selection_bound(1, n_features, highest)
            msg = (
                f"expected_false_selections={wished!r} cannot be kept with {n_features} features: "
                f"even one feature a subsample has a bound of {least:.3g}."
            )
            raise ValueError(msg)
        return most

    def _count(self, halves: Halves, target: NDArray[Any]) -> Counts:
        """Select from every subsample and count."""
        n_draws = int(self.n_subsamples) // (2 if halves.pairs else 1)
        rngs = np.random.default_rng(self.random_state).spawn(n_draws)
        engine = make_job_engine(self.n_jobs, self.engine)
        with checkpointed(self, engine, halves.data, target) as workers:
            counts = count_selections(halves, rngs, workers)
        self.range_ = halves.points.values
        self.n_selected_ = counts.sizes
        self.frequencies_ = counts.frequencies
        self.stability_scores_ = self.frequencies_.max(axis=0)
        return counts

    def _judge(self) -> None:
        """Set the threshold and bound the errors."""
        n_features, mean = self.n_features_in_, float(self.n_selected_.mean())
        wished = self.expected_false_selections
        if self.threshold is None and wished is not None:
            self.threshold_ = max(LEAST_THRESHOLD, threshold_for(wished, mean, n_features))
        else:
            self.threshold_ = float(self.threshold or 0.0)
        if self.threshold_ > 1:
            msg = (
                f"Subsamples select {mean:.3g} features on average, and no threshold bounds the "
                f"false selections by {wished!r} then; leave n_per_subsample=None, or lower it."
            )
            raise ValueError(msg)
        self.bound_ = false_selection_bound(mean, n_features, self.threshold_)
        self.unimodal_bound_ = None
        if self.sampling == "pairs":
            self.unimodal_bound_ = unimodal_bound(
                mean, n_features, self.threshold_, n_pairs=int(self.n_subsamples) // 2
            )

    def _choose(
        self,
        varying: IndexArray,
        data: NDArray[np.floating],
        target: NDArray[Any],
        settings: RuleSettings,
    ) -> None:
        """Order the features by their stability and select."""
        scores = self.stability_scores_[varying]
        order = np.lexsort((-self.frequencies_.mean(axis=0)[varying], -scores))
        n_stable = int(np.sum(scores >= self.threshold_ - SHARE_TOLERANCE))
        n_ever = int(np.count_nonzero(scores))
        path = SelectionPath(
            order=order,
            feature_scores=scores[order],
            sizes=np.array([n_stable]),
            set_scores=np.array([scores[order[:n_stable]].sum()]),
            stop_reason=f"{n_stable} features in at least {self.threshold_:.3g} of the subsamples",
            n_selectable=n_stable if self.n_features_to_select is None else n_ever,
        )
        ever = varying[order[: max(1, n_ever)]]
        n_wanted = self._n_wanted(self.n_features_in_)
        n_wanted = self._by_rule(ever, n_wanted, data, target, settings)
        self._keep(path, varying, n_wanted)

    def _n_ranked(self, n_features: int) -> int:
        return n_features

    def _check_parameters(self) -> None:
        """Refuse settings that have no meaning, before any work."""
        check_parameters(self)
        base = self.estimator
        make_job_engine(self.n_jobs, self.engine)
        if base is not None and (isinstance(base, type) or not hasattr(base, "fit")):
            msg = f"estimator must be a selector or an estimator such as Lasso(), got {base!r}."
            if isinstance(base, Real):
                msg += f" The number of features is n_features_to_select={base!r}."
            raise ValueError(msg)
        if base is not None:
            refuse_cluster_inside(
                self.engine, base.get_params(), type(base).__name__, n_jobs=self.n_jobs
            )
        if self.threshold is None and self.expected_false_selections is None:
            msg = "Give a threshold, or expected_false_selections to solve it for."
            raise ValueError(msg)
        if self.sampling == "pairs" and self.n_subsamples % 2:
            msg = f"n_subsamples must be even for pairs, got {self.n_subsamples!r}."
            raise ValueError(msg)


def _check_kept(most: int, n_features: int, threshold: float, wished: float) -> None:
    """Refuse a threshold, a bound and a number per subsample that do not go together."""
    bound = false_selection_bound(most, n_features, threshold)
    if bound > wished * (1 + SHARE_TOLERANCE):
        msg = (
            f"threshold={threshold!r} and n_per_subsample={most} have a bound of {bound:.3g} with "
            f"{n_features} features, above expected_false_selections={wished!r}; leave one None."
        )
        raise ValueError(msg)
