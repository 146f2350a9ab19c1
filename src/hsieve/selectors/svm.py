"""Support vector machines as selectors: recursive elimination, and an l1 penalty."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import target_kind_of
from hsieve.kernels import Kernel
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import sign_coding
from hsieve.measures import KernelSVM, LinearSVM
from hsieve.selectors.search import Components, SearchSelector
from hsieve.selectors.sparse_models import SparseSelector
from hsieve.selectors.spec import MODELS, TOGETHER, MethodSpec
from hsieve.solvers import SparseFit, l1_svm_of_size
from hsieve.strategies import Backward
from hsieve.text import how


@dataclass(eq=False, repr=False, kw_only=True)
class SVMRFE(SearchSelector):
    """Recursive elimination of the features that a linear support vector machine needs least.

    Parameters
    ----------
    {n_features_to_select}
    C : float, default=1.0
        Weight of the losses against the size of the weights, for standardised features.
    step : float or int, default=0.1
        Fraction (below 1) or number (1 or more) of the features dropped each round; at least one.
        ``step=1`` goes one by one.
    {target_kind}
        Numbers get support vector regression.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, half the squared
        weight of each feature when it was dropped, the whole search.

    Notes
    -----
    This is :class:`~hsieve.measures.LinearSVM` with :class:`~hsieve.strategies.Backward`. The
    fraction dropped is one of the features *left*, as Guyon et al. have it, whereas a fraction in
    scikit-learn's ``RFE`` is one of all features, which drops thousands in the last round. With
    ``step=1`` both give the same ranking.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using
    support vector machines", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SVMRFE
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> SVMRFE(2).fit(X, 2 * X[:, 3] - X[:, 7] > 0).selected_indices_
    array([3, 7])
    """

    C: float = 1.0
    step: float = 0.1
    target_kind: str = "auto"

    spec = MethodSpec(
        does=(
            "drops, again and again, the features that a linear support vector machine needs least."
        ),
        score="Half the squared weight of the feature when it was dropped.",
        name="svm-rfe",
        purpose="drops what a linear support vector machine needs least",
        cost="n^2 d, or n d^2",
        group=MODELS,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(LinearSVM), self._make(Backward)


@dataclass(eq=False, repr=False, kw_only=True)
class L1SVM(SparseSelector):
    """Features of a linear support vector machine with an l1 penalty.

    Parameters
    ----------
    {number_without_rules}
    {target_kind}
        Only classes are accepted, so that "classes" helps where integers would be taken for
        measurements.
    random_state : int or None, default=0
        Seed of liblinear; a fixed seed gives one answer.

    Attributes
    ----------
    penalty_ : float
        1 / C of the machine, for standardised features.
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features by weight, place of each feature, absolute weight of
        each feature (root of the sum of squares over classes), the fit.

    Notes
    -----
    C is searched until the number of features with a weight is the number wanted. Where it jumps
    over that number, the nearest is taken (the smaller of two as near); surplus features are those
    of least weight, and missing ones those nearest to a weight, with a score of zero. Several
    classes: one against the rest each, and a feature counts if any of these machines uses it.

    References
    ----------
    P. Bradley, O. Mangasarian, "Feature selection via concave minimization and support vector
    machines", 1998; J. Zhu et al., "1-norm support vector machines", 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import L1SVM
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> L1SVM(2).fit(X, 2 * X[:, 3] - X[:, 7] > 0).selected_indices_
    array([3, 7])
    """

    random_state: int | None = 0

    spec = MethodSpec(
        does="fits a linear support vector machine of which most weights are zero.",
        score="Absolute weight of the feature (root of the sum of squares over classes).",
        name="l1-svm",
        purpose="a sparse linear support vector machine; classes only",
        cost="n d a sweep",
        group=MODELS,
        keeps_copies=False,
    )

    def _sparse_fit(self, X: NDArray[np.floating], y: NDArray[Any], n_wanted: int) -> SparseFit:
        if target_kind_of(y, self.target_kind) != "classes":
            option = how("target_kind='classes'", "--target-kind classes")
            others = how("LassoSelector or SVMRFE", "lasso or svm-rfe")
            msg = (
                f"L1SVM takes classes, got a continuous target; use {option} if these are classes, "
                f"{others} if they are numbers."
            )
            raise ValueError(msg)
        return l1_svm_of_size(
            standardised(X), sign_coding(y), n_wanted, random_state=self.random_state
        )


@dataclass(eq=False, repr=False, kw_only=True)
class KernelSVMRFE(SearchSelector):
    """Recursive elimination of the features that a kernel machine needs least.

    Parameters
    ----------
    {n_features_to_select}
    kernel_x : Kernel or None, default=None
        Kernel of the machine. None is a Gaussian of width sqrt(number of features left).
    C : float, default=1.0
        Weight of the losses, for standardised features.
    absolute : bool, default=False
        Whether features are judged by the size of the change of the objective, whatever its sign;
        see :mod:`hsieve.measures.svm`.
    step : float or int, default=0.1
        Fraction (below 1) or number (1 or more) of the features dropped each round; at least one.
        The thesis drops 0.25.
    {categorical}
    {target_kind}
        Numbers get support vector regression.

    Attributes
    ----------
    selected_indices_, ranking_, scores_, path_
        As in every selector: chosen features best first, place of each feature, change of the
        machine's objective when it was dropped, the whole search.

    Notes
    -----
    This is :class:`~hsieve.measures.KernelSVM` with :class:`~hsieve.strategies.Backward`. For a
    linear kernel :class:`SVMRFE` is quicker and has squared losses.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using
    support vector machines", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import KernelSVMRFE
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> y = X[:, 3] ** 2 + X[:, 6] ** 2 > 1.5
    >>> sorted(KernelSVMRFE(2).fit(X, y).selected_indices_.tolist())
    [3, 6]
    """

    kernel_x: Kernel | None = None
    C: float = 1.0
    absolute: bool = False
    step: float = 0.1
    categorical: Iterable[int | str] = ()
    target_kind: str = "auto"

    spec = MethodSpec(
        does=(
            "drops, again and again, the features that a kernel support vector machine needs least."
        ),
        score="Change of the objective of the machine when the feature was dropped.",
        name="kernel-svm-rfe",
        purpose="drops what a Gaussian support vector machine needs least",
        cost="n^2 d a round",
        group=MODELS,
        sees=TOGETHER,
    )

    def make_components(self) -> Components:
        """Make the measure and the strategy of these settings."""
        return self._make(KernelSVM), self._make(Backward)
