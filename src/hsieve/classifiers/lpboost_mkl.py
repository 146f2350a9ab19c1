"""LPBoost-MKL as a classifier: kernels over sets of features, with the largest soft margin."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import LogOddsClassifier, importances_of
from hsieve.classifiers.calibration import calibrate
from hsieve.classifiers.feature_sets import checked_sets, nested_sets
from hsieve.classifiers.kernel_choice import (
    Fold,
    HeldOutFold,
    KernelChoice,
    choose_kernels,
    dealt_folds,
    fit_machines,
    varying_sets,
)
from hsieve.classifiers.lpboost_mkl_solver import DEFAULT_MEMORY, TOLERANCE
from hsieve.data.memory import bytes_of
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.labels import sign_coding
from hsieve.kernels.set_kernels import KernelList
from hsieve.parallel.jobs import make_job_engine
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import Rule, integer, number, numbers, word
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.hsic import RandSel

Sets = tuple[IndexArray, ...]

WIDTHS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
WIDTH_CHOICES = ("cv", "program")
NUS = (0.95, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12, 0.05)
# Where there are too few samples to choose.
USUAL_NU = 0.5
# Fewer samples, or features, than this are not searched for sets.
LEAST_SAMPLES = 10
LEAST_FEATURES = 3
SMALLEST_SET = 2


@dataclass(eq=False, repr=False)
class LPBoostMKL(LogOddsClassifier):
    """Classifier of largest soft margin over Gaussian kernels on sets of features.

    Every set of features has a Gaussian kernel, and the weight of each kernel is learned together
    with the classifier, one convex program with a proven optimum. Several classes are each told
    from the rest.

    Parameters
    ----------
    feature_sets : list of lists of int or str, or None, default=None
        Sets of features, by position or by name. None takes the nested sets that `selector` finds
        in the training data: all features, and about a half, a quarter, ... of them.
    selector : selector or None, default=None
        Any selector of this package that ranks; None for :class:`RandSel`. Not used with
        `feature_sets`.
    widths : iterable of float, default=(0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
        Widths of the kernels in multiples of the square root of the size of a set; features are
        standardised.
    width_choice : {"cv", "program"}, default="cv"
        "cv": each set has the width with which its kernel alone predicts most samples held out, and
        only sets that do well are weighed. "program": all sets with all widths are weighed, as in
        the thesis. A narrow kernel separates training samples too easily; "cv" is mostly better.
    nu : float or "cv", default="cv"
        Fraction of samples that may lie within the margin, above 0 and at most 1: of twice the
        smaller class, as in :class:`LPBoost`. "cv" takes the one that gives samples held out the
        highest probabilities.
    n_folds : int, default=5
        Folds of the cross validation, at least 2; fewer where classes are small. The selector is
        fitted in each fold.
    memory_limit : int, str or None, default=None
        Memory that kernels may take, in bytes or such as "500MB"; None for 1 GiB. Others are
        computed again when they are needed.
    n_jobs : int or None, default=None
        Number of processes for the selector's folds; the answer does not depend on it.
    random_state : int, Generator or None, default=0
        Seed of the folds and of the default selector.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_sets_ : tuple of ndarray of int
        The sets, by position.
    widths_ : ndarray of shape (n_widths,)
        The widths.
    kernel_weights_ : ndarray of shape (n_classifiers, n_sets, n_widths)
        Weight of each kernel, summing to one for each classifier that learned something; one
        classifier for two classes, else one a class.
    set_weights_ : ndarray of shape (n_sets,)
        Weight of each set, the mean over classifiers.
    feature_importances_ : ndarray of shape (n_features,)
        Weights of the sets, each shared out evenly over its features; they sum to one.
    nu_ : ndarray of shape (n_classifiers,)
        The nu used: where it has no classifier, the least above it that has.
    fits_ : tuple of LPBoostMKLFit
        Margin, weights and proof of the optimum, for each classifier.
    validation_ : KernelChoice or None
        Kernels and nu chosen by cross validation, and the accuracy; None for too few samples.
    width_accuracies_ : ndarray of shape (n_sets, n_widths) or None
        Accuracy of each kernel alone on samples held out, where it was looked at.

    Notes
    -----
    :meth:`decision_function` gives log-odds: what the classifiers say is made comparable by a
    calibration on samples held out (:mod:`hsieve.classifiers.calibration`).

    References
    ----------
    D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
    section 5.3.

    Examples
    --------
    >>> from hsieve import LPBoostMKL
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(120, 4, random_state=0)
    >>> model = LPBoostMKL([[0, 1], [2, 3], [0, 1, 2, 3]]).fit(problem.X, problem.y)
    >>> model.set_weights_.round(1), model.score(problem.X, problem.y)
    (array([0.9, 0.1, 0. ]), 1.0)
    """

    feature_sets: Any = None
    _: KW_ONLY
    selector: Any = None
    widths: Iterable[float] = WIDTHS
    width_choice: str = "cv"
    nu: float | str = "cv"
    n_folds: int = 5
    memory_limit: int | str | None = None
    n_jobs: int | None = None
    random_state: int | np.random.Generator | None = 0

    _precisions: ClassVar[tuple[type[np.floating], ...]] = (np.float64,)

    allowed: ClassVar[Mapping[str, Rule]] = {
        "widths": numbers(above=0),
        "width_choice": word(*WIDTH_CHOICES),
        "nu": word("cv") | number(above=0, most=1),
        "n_folds": integer(2),
    }

    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Find sets of features in all samples and in each fold, then fit on them."""
        if self.feature_sets is not None and self.selector is not None:
            msg = "feature_sets and selector both say where sets come from; give one of them."
            raise ValueError(msg)
        if self.selector is not None and not isinstance(self.selector, BaseSelector):
            msg = f"selector must be a selector of hsieve that ranks, got {self.selector!r}."
            raise ValueError(msg)
        self.widths_ = np.array([float(width) for width in self.widths])
        rng = np.random.default_rng(self.random_state)
        folds = dealt_folds(codes, self.n_folds, rng)
        found = self._find_sets(data, codes, folds, int(rng.integers(2**31)))
        with one_blas_thread():
            held_out = [
                HeldOutFold.of(data, fold, sets)
                for fold, sets in zip(folds, found[1:], strict=True)
            ]
            self._fit_all(data, codes, found[0], held_out)

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Return log-odds."""
        return self._calibration.apply(self._machines.decisions(self._scale.apply(data)))

    def _find_sets(
        self, data: FloatArray, codes: IndexArray, folds: list[Fold], seed: int
    ) -> list[Sets]:
        """Return sets of all samples, then those of the training samples of each fold."""
        n_features = data.shape[1]
        if self.feature_sets is not None:
            names = getattr(self, "feature_names_in_", None)
            return [checked_sets(self.feature_sets, n_features, names)] * (len(folds) + 1)
        if n_features < LEAST_FEATURES or len(data) < LEAST_SAMPLES:
            return [(np.arange(n_features),)] * (len(folds) + 1)
        selector = RandSel(random_state=seed) if self.selector is None else self.selector
        rows = [np.arange(len(data)), *(training for training, _ in folds)]
        with make_job_engine(self.n_jobs) as workers:
            return _each_once(list(workers.map(_sets_found, rows, shared=(selector, data, codes))))

    def _fit_all(
        self, data: FloatArray, codes: IndexArray, sets: Sets, folds: list[HeldOutFold]
    ) -> None:
        """Choose kernels and nu, fit the classifiers and calibrate them."""
        labels = sign_coding(codes)
        memory = DEFAULT_MEMORY if self.memory_limit is None else bytes_of(self.memory_limit)
        choice = self._choose(labels, codes, len(sets), folds, memory)
        self._scale = ColumnScale.of(data)
        kept = varying_sets(sets, self._scale.varies)
        kernels = KernelList(
            tuple(kept[place] for place in choice.sets),
            tuple(self.widths_[choice.widths].tolist()),
        )
        (self._machines,) = fit_machines(
            kernels,
            self._scale.apply(data),
            labels,
            [choice.nu],
            memory_limit=memory,
            tolerance=TOLERANCE,
        )
        self._keep(sets, kept, choice)
        self._calibration = choice.calibration or calibrate(
            self._machines.decisions(self._machines.samples), codes
        )

    def _choose(
        self,
        labels: FloatArray,
        codes: IndexArray,
        n_sets: int,
        folds: list[HeldOutFold],
        memory: int,
    ) -> KernelChoice:
        """Choose kernels and nu by cross validation, or take the usual for few samples."""
        together = self.width_choice == "program"
        nus = NUS if isinstance(self.nu, str) else (float(self.nu),)
        self.width_accuracies_ = self.validation_ = None
        if not folds:
            widths = np.arange(len(self.widths_)) if together else [len(self.widths_) // 2]
            sets, places = (
                grid.ravel() for grid in np.meshgrid(np.arange(n_sets), widths, indexing="ij")
            )
            nu = USUAL_NU if isinstance(self.nu, str) else nus[0]
            return KernelChoice(sets, places, nu, None, np.nan)
        self.validation_, screened = choose_kernels(
            folds,
            labels,
            codes,
            tuple(self.widths_.tolist()),
            nus,
            together=together,
            memory_limit=memory,
        )
        if screened is not None:
            self.width_accuracies_ = screened.accuracies
        return self.validation_

    def _keep(self, sets: Sets, kept: Sets, choice: KernelChoice) -> None:
        """Put weights where people look for them."""
        self.feature_sets_ = sets
        self.fits_ = self._machines.fits
        self.nu_ = np.array([fit.nu for fit in self.fits_])
        self.kernel_weights_ = np.zeros((len(self.fits_), len(sets), len(self.widths_)))
        for weights, fit in zip(self.kernel_weights_, self.fits_, strict=True):
            weights[choice.sets, choice.widths] = fit.kernel_weights
        self.set_weights_ = self.kernel_weights_.sum(axis=2).mean(axis=0)
        self.feature_importances_ = importances_of(kept, self.set_weights_, self.n_features_in_)


def _sets_found(rows: IndexArray, shared: tuple[BaseSelector, FloatArray, IndexArray]) -> Sets:
    """Return the nested sets a selector finds in some samples: one for each size of a series."""
    selector, data, codes = shared
    with warnings.catch_warnings():
        # A feature that is constant in a fold, or a set smaller than wanted, is no news here.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        warnings.simplefilter("ignore", FewerFeaturesWarning)
        # As text, because whole numbers may be taken for a target that is continuous.
        fitted = clone(selector).fit(data[rows], codes[rows].astype(str))
    sets = nested_sets(fitted)
    logarithms = np.log([len(features) for features in sets])
    return tuple(
        sets[int(np.argmin(np.abs(logarithms - np.log(size))))]
        for size in _halved_sizes(data.shape[1])
    )


def _halved_sizes(n_features: int) -> list[float]:
    """Return all features, half of them, a quarter, ... down to the smallest set."""
    sizes = [float(n_features)]
    while sizes[-1] / 2 > SMALLEST_SET + 0.5:
        sizes.append(sizes[-1] / 2)
    return [*sizes, float(SMALLEST_SET)]


def _each_once(found: list[Sets]) -> list[Sets]:
    """Leave out sets that are there already among those of all samples, in all folds alike."""
    places = {features.tobytes(): place for place, features in reversed(list(enumerate(found[0])))}
    kept = sorted(places.values())
    return [tuple(sets[place] for place in kept) for sets in found]
