"""The randomised ensemble of the thesis (section 5.3): many LPBoosts over kernel learners, voting.

Kernel ridge regressions on balanced subsamples (:mod:`hsieve.classifiers.ridge_learners`) answer
for samples they were not fitted on; linear programs over these answers, one for each class against
the rest and each random half of the learners (:mod:`hsieve.classifiers.learner_programs`), vote.

Cost: learners see `max_samples` samples each and programs `max_program_samples`, so that of many
samples no more are looked at; from 2,000 samples on kernels are in single precision.
"""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import (
    LogOddsClassifier,
    importances_of,
    numbers_of,
)
from hsieve.classifiers.feature_sets import checked_sets, find_sets
from hsieve.classifiers.learner_programs import Members, fit_members, voted
from hsieve.classifiers.ridge_learners import RidgeLearners, Subsample, fit_learners
from hsieve.data.subsamples import balanced_samples
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.set_kernels import SetKernels
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import NONE, Rule, integer, number, numbers, word

RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
NUS = (0.8, 0.5, 0.3, 0.15, 0.05)
# Samples decided about at a time.
CHUNK = 1024
# From so many training samples on kernels are in single precision.
SINGLE_PRECISION = 2000
# Subsamples where not all samples fit into one.
N_SUBSAMPLES = 4
# Of a class that is given no weight.
LEAST_FREQUENCY = 1e-12
LEARNER_FIELDS = [
    ("set", np.intp),
    ("width", np.float64),
    ("ridge", np.float64),
    ("subsample", np.intp),
    ("error", np.float64),
    ("weight", np.float64),
]


@dataclass(frozen=True, eq=False)
class KernelEnsemble:
    """A fitted ensemble."""

    scale: ColumnScale
    precision: type[np.floating]  # of the kernels
    learners: RidgeLearners
    members: Members  # what votes over the learners

    def decisions(self, X: FloatArray) -> FloatArray:
        """Let the members decide about features as given, and vote."""
        used = np.flatnonzero(self.members.weights.any(axis=(0, 2)))
        learners, members = self.learners.among(used), self.members.among(used)
        found = np.empty((len(X), learners.n_targets))
        for start in range(0, len(X), CHUNK):
            rows: FloatArray = self.scale.apply(X[start : start + CHUNK]).astype(self.precision)
            found[start : start + CHUNK] = voted(members.decisions(learners.answers(rows)))
        return found


@dataclass(eq=False, repr=False)
class KernelEnsembleClassifier(LogOddsClassifier):
    """Votes of LPBoosts over kernel ridge regressions on sets of features, for many samples.

    Parameters
    ----------
    feature_sets : list of lists of int or str, or None, default=None
        Sets of features, by position or name, to put Gaussian kernels on; constant features do not
        count. None takes the nested sets of `selector`, all features among them.
    selector : selector or None, default=None
        What finds the sets; None for :class:`RandSel`. Any selector of the package will do.
    max_sets : int or None, default=8
        How many of the sets found by the selector are used, spread from the largest to the smallest
        by the logarithm of their size; None for all.
    widths : iterable of float, default=(0.25, 0.5, 1.0, 2.0)
        Widths of the kernels, in multiples of the square root of the number of features in a set.
    ridges : "auto", float or iterable of float, default="auto"
        Ridge of the regressions. "auto" takes for each kernel the one of six, from 0.001 to 100,
        whose left-out answers are best; of several numbers each makes a learner of its own.
    nu : "cv" or float, default="cv"
        Fraction of each class that may lie within the margin of the linear programs, above 0 and at
        most 1. "cv" chooses among 0.8, 0.5, 0.3, 0.15 and 0.05 by cross validation.
    n_members : int, default=50
        Number of LPBoosts, each of which sees a random half of the learners. They vote; the mean
        of their decisions breaks ties.
    n_subsamples : int or None, default=None
        Number of subsamples that learners are fitted on; None for 4, or one where all samples fit
        into one.
    max_selector_samples : int, default=2000
        Most samples that the selector sees, as many of each class as there are. Most selectors
        hold a matrix of all pairs of samples.
    max_samples : int, default=1000
        Most samples of a subsample, as many of each class as there are.
    max_program_samples : int, default=2000
        Most samples that the linear programs see, as many of each class as there are.
    n_folds : int, default=5
        Number of folds by which nu is chosen and decisions are calibrated.
    class_weight : dict, "balanced" or None, default=None
        Predictions and probabilities are for classes as frequent as in the training data (None),
        equally frequent ("balanced"), or that many times as frequent as in the training data.
    random_state : int, Generator or None, default=0
        Seed of all draws; a fixed seed gives one answer.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_sets_ : tuple of ndarray of int
        Sets used, as positions.
    selector_ : selector
        The fitted selector; only where it found the sets. It sees only features that vary.
    learners_ : structured ndarray of shape (n_learners,)
        Place of the set, width, ridge, place of the subsample, mean squared error of the left-out
        answers, and weight: the mean over members and classes. Weights sum to one.
    set_weights_ : ndarray of shape (n_sets,)
        Weights of the learners of each set, summing to one.
    feature_importances_ : ndarray of shape (n_features,)
        Weights of the sets, shared out equally over their features, summing to one.
    nu_ : float
        The nu used.
    nu_losses_ : dict of float to float
        Log loss of left-out decisions for each nu tried.

    Notes
    -----
    Learners are judged by what they say of samples they were not fitted on; for their own samples,
    by the exact answer of the regression without the sample. Sets that are found by a selector have
    seen all samples, so with few samples and many features these answers are too good, and small
    sets are favoured; cross validation around the whole classifier tells the truth.

    With more than two classes every class has a program against the rest. Decisions are log-odds,
    made comparable by a calibration on left-out decisions (:mod:`hsieve.classifiers.calibration`):
    the mean over the members. Where most members vote for another class than the mean, that class
    is put just above the others.

    References
    ----------
    D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
    section 5.3.

    Examples
    --------
    >>> from hsieve import KernelEnsembleClassifier
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(300, 20, random_state=0)
    >>> model = KernelEnsembleClassifier(n_members=10).fit(problem.X[:200], problem.y[:200])
    >>> model.score(problem.X[200:], problem.y[200:]) > 0.9
    True
    >>> sorted(model.feature_importances_.argsort()[-2:].tolist())
    [0, 1]
    """

    feature_sets: Any = None
    _: KW_ONLY
    selector: Any = None
    max_sets: int | None = 8
    widths: Iterable[float] = (0.25, 0.5, 1.0, 2.0)
    ridges: str | float | Iterable[float] = "auto"
    nu: str | float = "cv"
    n_members: int = 50
    n_subsamples: int | None = None
    max_selector_samples: int = 2000
    max_samples: int = 1000
    max_program_samples: int = 2000
    n_folds: int = 5
    class_weight: Any = None
    random_state: int | np.random.Generator | None = 0

    allowed: ClassVar[Mapping[str, Rule]] = {
        "widths": number(above=0) | numbers(above=0),
        "ridges": word("auto") | number(above=0) | numbers(above=0),
        "nu": word("cv") | number(above=0, most=1),
        "max_sets": NONE | integer(1),
        "n_members": integer(1),
        "n_folds": integer(2),
        "n_subsamples": NONE | integer(1),
        "max_selector_samples": integer(8),
        "max_samples": integer(2),
        "max_program_samples": integer(2),
    }

    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Find sets of features, then fit the ensemble on them."""
        rng = np.random.default_rng(self.random_state)
        with one_blas_thread():
            self._scale = ColumnScale.of(data)
            self._find_sets(data, codes, rng)
            self._fit_classes(data, codes, rng)

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Return log-odds: those of the frequencies where nothing could be learned."""
        if self._ensemble is not None:
            return self._ensemble.decisions(data)
        odds = self._log_odds[1:] - self._log_odds[:1]
        return np.tile(odds if len(odds) == 1 else self._log_odds, (len(data), 1))

    def _find_sets(self, data: FloatArray, codes: IndexArray, rng: np.random.Generator) -> None:
        """Take the sets given, or let a selector find nested ones, without constant features."""
        self.__dict__.pop("selector_", None)
        varying = np.flatnonzero(self._scale.varies)
        if self.feature_sets is not None:
            names = getattr(self, "feature_names_in_", None)
            given = checked_sets(self.feature_sets, self.n_features_in_, names)
            left = [np.intersect1d(features, varying) for features in given]
            distinct = {features.tobytes(): features for features in left if len(features)}
            self.feature_sets_ = tuple(distinct.values())
            return
        selector, self.feature_sets_ = find_sets(
            self.selector,
            data,
            self.classes_[codes],
            max_samples=self.max_selector_samples,
            max_sets=self.max_sets,
            rng=rng,
        )
        if selector is not None:
            self.selector_ = selector

    def _fit_classes(self, data: FloatArray, codes: IndexArray, rng: np.random.Generator) -> None:
        """Fit the ensemble; without any feature that varies, keep to the frequencies."""
        worth = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_[codes]
        )
        frequencies = np.maximum(np.bincount(codes) * worth, LEAST_FREQUENCY)
        frequencies = frequencies / frequencies.sum()
        self._log_odds = np.log(frequencies)
        self._ensemble: KernelEnsemble | None = None
        self.learners_ = np.zeros(0, LEARNER_FIELDS)
        self.nu_ = np.nan
        self.nu_losses_: dict[float, float] = {}
        if self.feature_sets_:
            self._ensemble = self._fit_ensemble(data, codes, frequencies, rng)
            self._tell_learners(self._ensemble)
        self.set_weights_ = np.zeros(len(self.feature_sets_))
        np.add.at(self.set_weights_, self.learners_["set"], self.learners_["weight"])
        self.feature_importances_ = importances_of(
            self.feature_sets_, self.set_weights_, self.n_features_in_
        )

    def _fit_ensemble(
        self,
        data: FloatArray,
        codes: IndexArray,
        frequencies: FloatArray,
        rng: np.random.Generator,
    ) -> KernelEnsemble:
        """Fit learners on subsamples, and programs on their answers."""
        n_subsamples = self.n_subsamples
        if n_subsamples is None:
            n_subsamples = 1 if len(data) <= self.max_samples else N_SUBSAMPLES
        precision = np.float32 if len(data) >= SINGLE_PRECISION else np.float64
        subsamples = []
        for size in [self.max_samples] * n_subsamples + [self.max_program_samples]:
            places = balanced_samples(codes, size, rng)
            rows: FloatArray = self._scale.apply(data[places]).astype(precision)
            subsamples.append(Subsample(places, rows, codes[places]))
        *fitted, asked = subsamples
        is_auto = isinstance(self.ridges, str)
        learners, answers = fit_learners(
            SetKernels(self.feature_sets_, numbers_of(self.widths)),
            fitted,
            asked,
            n_classes=len(frequencies),
            ridges=RIDGES if is_auto else numbers_of(self.ridges),
            best_ridge=is_auto,
        )
        members = fit_members(
            answers,
            asked.codes,
            # How many samples each stands for in the calibration.
            counts=len(asked.codes) * (frequencies / np.bincount(asked.codes))[asked.codes],
            nus=self._nus,
            n_members=self.n_members,
            n_folds=self.n_folds,
            rng=rng,
        )
        return KernelEnsemble(self._scale, precision, learners, members)

    def _tell_learners(self, ensemble: KernelEnsemble) -> None:
        """Tell what the learners are, what weight they have, and which nu was taken."""
        learners, members = ensemble.learners, ensemble.members
        self.learners_ = np.zeros(len(learners), LEARNER_FIELDS)
        self.learners_["set"] = learners.sets
        self.learners_["width"] = np.array(learners.kernels.widths)[learners.widths]
        self.learners_["ridge"] = learners.ridges
        self.learners_["subsample"] = learners.subsamples
        self.learners_["error"] = learners.errors
        self.learners_["weight"] = members.weights.mean(axis=(0, 2))
        self.nu_ = members.nu
        self.nu_losses_ = dict(zip(self._nus, members.losses.tolist(), strict=True))

    @property
    def _nus(self) -> tuple[float, ...]:
        """Values of nu to choose from, from large to small."""
        return NUS if isinstance(self.nu, str) else (float(self.nu),)
