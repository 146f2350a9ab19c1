"""The pipeline of the thesis (chapter 5): representation, nested sets of features, kernels."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import LogOddsClassifier, validated_classes
from hsieve.classifiers.feature_sets import find_sets
from hsieve.classifiers.kernel_ensemble import KernelEnsembleClassifier
from hsieve.classifiers.lpboost_mkl import LPBoostMKL
from hsieve.data.validation import checked_data
from hsieve.parameters import NONE, Rule, check_parameters, integer
from hsieve.selectors.base import whole_or_nothing

# Samples represented at a time when predicting.
CHUNK = 8192
# What is told of the classifier here, too.
KEPT = ("feature_sets_", "set_weights_", "feature_importances_")


@dataclass(eq=False, repr=False)
class NestedKernelClassifier(LogOddsClassifier):
    """Learned features, ever finer sets of them by randSel, and a kernel classifier over the sets.

    Parameters
    ----------
    representation : transformer or None, default=None
        What turns features into others, learned without the classes, such as
        :class:`SparseFiltering`; it is cloned. One that is fitted already stays as it is inside
        ``sklearn.frozen.FrozenEstimator``.
    selector : selector or None, default=None
        What finds nested sets of these features; None for :class:`RandSel`.
    classifier : KernelEnsembleClassifier, LPBoostMKL or None, default=None
        What is fitted on the sets; None for :class:`KernelEnsembleClassifier`. The thesis has
        :class:`LPBoostMKL` for few samples.
    max_sets : int or None, default=8
        How many of the sets found are used, spread from the largest to the smallest by the
        logarithm of their size; None for all, as in the thesis.
    max_selector_samples : int, default=2000
        Most samples that the selector sees, as many of each class as there are.
    random_state : int, Generator or None, default=0
        Seed of what is made here; parts that are given have their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    representation_ : transformer or None
        The fitted representation.
    selector_ : selector or None
        The fitted selector; None where there were too few samples or features to select from.
    classifier_ : classifier
        The fitted classifier.
    feature_sets_ : tuple of ndarray of int
        Nested sets of features of the representation.
    set_weights_ : ndarray of shape (n_sets,)
        Weight of each set, summing to one.
    feature_importances_ : ndarray of shape (n_represented,)
        Weight of each feature of the representation, which are the features given where there is
        none; summing to one.
    represented_names_ : ndarray of str of shape (n_represented,)
        Names of these features.

    Notes
    -----
    None is the ensemble also for few samples: on seven sets of 106 to 400 samples, with the same
    nested sets, it predicted as well as :class:`LPBoostMKL` in a fourth to a tenth of the time
    (``docs/explanation/benchmarks.md``).

    Sets are found from the classes of all training samples. To know how good predictions are, put
    the whole classifier into cross validation.

    References
    ----------
    D. Athanasakis, "Feature selection in computational biology", University College London, 2014,
    chapter 5.

    Examples
    --------
    >>> from hsieve import NestedKernelClassifier
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(300, 20, random_state=0)
    >>> model = NestedKernelClassifier().fit(problem.X[:200], problem.y[:200])
    >>> model.score(problem.X[200:], problem.y[200:]) > 0.9
    True
    """

    representation: Any = None
    _: KW_ONLY
    selector: Any = None
    classifier: Any = None
    max_sets: int | None = 8
    max_selector_samples: int = 2000
    random_state: int | np.random.Generator | None = 0

    allowed: ClassVar[Mapping[str, Rule]] = {
        "max_sets": NONE | integer(1),
        "max_selector_samples": integer(8),
    }

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike, X_unlabelled: ArrayLike | None = None) -> Self:
        """Learn the representation, find the sets and fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : array-like of shape (n_samples,)
            Classes.
        X_unlabelled : array-like of shape (n_unlabelled, n_features) or None, default=None
            Further samples, without classes, that the representation is learned from, too.

        Returns
        -------
        self
            The fitted classifier.
        """
        check_parameters(self)
        data, _, codes = validated_classes(self, X, y)
        self._fit(data, codes, X_unlabelled)
        return self

    def _fit(
        self, data: FloatArray, codes: IndexArray, X_unlabelled: ArrayLike | None = None
    ) -> None:
        """Learn the representation, find the sets and fit the classifier."""
        target = self.classes_[codes]
        rng = np.random.default_rng(self.random_state)
        seed, _ = rng.integers(2**31 - 1, size=2)  # two, which keeps answers as they were
        classifier = self._make_classifier(int(seed))
        represented = self._learn_representation(data, target, X_unlabelled)
        self.selector_, found = find_sets(
            self.selector,
            represented,
            target,
            max_samples=self.max_selector_samples,
            max_sets=self.max_sets,
            rng=rng,
        )
        # Where nothing varies there are no sets; the classifier then goes by the frequencies.
        sets = found or (np.arange(represented.shape[1]),)
        self.classifier_ = classifier.set_params(feature_sets=sets).fit(represented, target)
        for name in KEPT:
            self.__dict__.pop(name, None)
            if hasattr(self.classifier_, name):
                setattr(self, name, getattr(self.classifier_, name))

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Ask the classifier about some thousands of samples at a time."""
        ask = self.classifier_.decision_function
        starts = range(0, len(data), CHUNK)
        return np.concatenate([ask(self._represented(data[i : i + CHUNK])) for i in starts])

    def _represented(self, data: FloatArray) -> FloatArray:
        """Features of the representation."""
        if self.representation_ is None:
            return data
        return np.asarray(self.representation_.transform(data))

    def _learn_representation(
        self,
        data: FloatArray,
        target: NDArray[Any],
        X_unlabelled: ArrayLike | None,
    ) -> FloatArray:
        """Fit the representation on samples with and without classes; return those with."""
        given = self.representation
        if given is None:
            if X_unlabelled is not None:
                msg = (
                    "X_unlabelled serves to learn a representation, but representation is None; "
                    "give a transformer, or leave X_unlabelled out."
                )
                raise ValueError(msg)
            self.representation_ = None
            self.represented_names_ = getattr(
                self, "feature_names_in_", np.array([f"x{place}" for place in range(data.shape[1])])
            )
            return data
        if not (hasattr(given, "fit") and hasattr(given, "transform")):
            msg = f"representation must be a transformer with fit and transform, got {given!r}."
            raise ValueError(msg)
        if X_unlabelled is None:
            self.representation_ = clone(given).fit(data, target)
        else:
            more = checked_data(self, X_unlabelled, dtype=data.dtype, reset=False)
            self.representation_ = clone(given).fit(np.vstack([data, more]))
        represented = self._represented(data)
        if represented.ndim != 2 or len(represented) != len(data):
            msg = (
                f"representation must give a row for each of {len(data)} samples, got an array of "
                f"shape {represented.shape}."
            )
            raise ValueError(msg)
        self.represented_names_ = _names(self.representation_, represented.shape[1])
        return represented

    def _make_classifier(self, seed: int) -> Any:
        """Make the classifier, not fitted yet."""
        given = self.classifier
        if given is None:
            return KernelEnsembleClassifier(random_state=seed)
        if not isinstance(given, KernelEnsembleClassifier | LPBoostMKL):
            msg = f"classifier must be a KernelEnsembleClassifier or an LPBoostMKL, got {given!r}."
            raise ValueError(msg)
        return clone(given)


def _names(representation: Any, n_represented: int) -> NDArray[Any]:
    """Names of the features of a representation, its own where it has any."""
    if hasattr(representation, "get_feature_names_out"):
        return np.asarray(representation.get_feature_names_out(), dtype=object)
    return np.array([f"represented{place}" for place in range(n_represented)], dtype=object)
