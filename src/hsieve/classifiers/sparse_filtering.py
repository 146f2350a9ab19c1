"""Sparse filtering: a representation learned without a target."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hsieve.array_types import FloatArray
from hsieve.classifiers.preparation import PREPARATIONS, Preparation
from hsieve.classifiers.sparse_filtering_solver import learned_features, sparse_filtering
from hsieve.data.validation import checked_data
from hsieve.io.distributed import refuse_distributed
from hsieve.parameters import BOOLEAN, NONE, Rule, check_parameters, integer, number, word
from hsieve.selectors.base import whole_or_nothing

DEFAULT_N_COMPONENTS = 256
PRECISIONS: dict[str, type[np.floating] | None] = {
    "data": None,
    "single": np.float32,
    "double": np.float64,
}
TRANSFORMED_ROWS = 2048


@dataclass(eq=False, repr=False)
class SparseFiltering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learned features of which only few are active in any one sample.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of learned features, the one parameter of the method; more than there are features
        is usual. None for as many as features, at most 256.
    max_iter : int, default=200
        Most iterations of L-BFGS. The objective still falls after that on most data: to end there
        is usual, and no warning is given.
    max_samples : int or None, default=10_000
        Features are learned from this many samples, drawn without replacement; None for all.
    preparation : {"standardise", "range", "whiten", "none"}, default="standardise"
        What is done with the features first: mean 0 and deviation 1; least value 0 and greatest 1;
        uncorrelated with deviation 1, which needs many more samples than features; nothing, as in
        the thesis, which is for values of about 1.
    intercept : bool, default=False
        Whether a constant is added to the features, so that learned features have an intercept.
    tol : float, default=1e-7
        The descent ends when an iteration lowers the objective by less than this fraction of it.
    precision : {"data", "single", "double"}, default="data"
        Of the products while learning: that of X, or as named. Single precision takes about half
        the time and gives features as good.
    random_state : int, Generator or None, default=0
        Seed of the samples drawn and of the weights at the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weights of the features as they are given, less `offset_`; the preparation is in them.
    offset_ : ndarray of shape (n_features,)
        Subtracted from each sample first.
    intercept_ : ndarray of shape (n_components,)
        Constant of each learned feature; zero without `intercept`.
    feature_norms_ : ndarray of shape (n_components,)
        Norm of each learned feature over the samples learned from.
    objective_ : float
        Sum of the learned features over these samples, which is minimised.
    n_iter_ : int
        Iterations taken.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where they were given.

    Notes
    -----
    A learned feature is the soft absolute sqrt(f^2 + 1e-8) of f = w (x - offset) + intercept,
    divided by the norm of that feature over all samples, after which each sample is divided by its
    own norm. The sum of all values is smallest if every sample is told by few features.

    `transform` divides by the norms of the samples learned from, not by those of the samples given:
    else the features of one sample would depend on the others, and one sample alone would have all
    its features equal. Samples learned from get the features of the end of the descent.

    The absolute forgets signs: x and -x, measured from the offset, have the same features. Where a
    sign tells something, take ``preparation="range"``, which measures from the least values, or
    ``intercept=True``.

    Features that are constant in the samples learned from have no weight. Data of low rank, such as
    residues coded by many scales, cost as much as their rank.

    References
    ----------
    J. Ngiam, P. W. Koh, Z. Chen, S. Bhaskar, A. Y. Ng, "Sparse filtering", 2011.
    D. Athanasakis, "Feature selection in computational biology", thesis, 2014, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import SparseFiltering
    >>> X = np.random.default_rng(0).laplace(size=(100, 6))
    >>> learned = SparseFiltering(8).fit_transform(X)
    >>> learned.shape, bool(np.allclose((learned**2).sum(axis=1), 1))
    ((100, 8), True)
    """

    n_components: int | None = None
    _: KW_ONLY
    max_iter: int = 200
    max_samples: int | None = 10_000
    preparation: str = "standardise"
    intercept: bool = False
    tol: float = 1e-7
    precision: str = "data"
    random_state: int | np.random.Generator | None = 0

    allowed: ClassVar[Mapping[str, Rule]] = {
        "n_components": NONE | integer(1),
        "max_iter": integer(1),
        "max_samples": NONE | integer(2),
        "preparation": word(*PREPARATIONS),
        "precision": word(*PRECISIONS),
        "intercept": BOOLEAN,
        "tol": number(least=0, below=1),
    }

    @whole_or_nothing
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: finite numbers.
        y : object, default=None
            Not used.

        Returns
        -------
        self
            The fitted transformer.
        """
        check_parameters(self)
        refuse_distributed(X, type(self).__name__)
        data = checked_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        rng = np.random.default_rng(self.random_state)
        if self.max_samples is not None and self.max_samples < len(data):
            data = data[np.sort(rng.choice(len(data), int(self.max_samples), replace=False))]
        preparation = Preparation.learned(data, self.preparation)
        prepared = preparation.applied(
            data, precision=PRECISIONS[self.precision], intercept=self.intercept
        )
        n_components = self.n_components or min(data.shape[1], DEFAULT_N_COMPONENTS)
        start = rng.normal(size=(int(n_components), prepared.shape[1]))
        fit = sparse_filtering(prepared, start, max_iter=int(self.max_iter), tol=float(self.tol))
        weights, n_features = fit.weights, data.shape[1]
        self.components_ = preparation.folded(weights[:, :n_features]).astype(data.dtype)
        self.intercept_ = weights[:, n_features:].sum(axis=1).astype(data.dtype)
        self.offset_ = preparation.offset
        self.feature_norms_ = fit.feature_norms
        self.objective_ = fit.objective
        self.n_iter_ = fit.n_iter
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Compute the learned features of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Not negative; each sample has norm one, or less where it lies next to the offset. Of
            the precision of X.
        """
        check_is_fitted(self)
        refuse_distributed(X, f"{type(self).__name__}.transform")
        data = checked_data(self, X, dtype=[np.float64, np.float32], reset=False)
        learned = np.empty((len(data), len(self.components_)), dtype=data.dtype)
        for first in range(0, len(data), TRANSFORMED_ROWS):
            rows = slice(first, first + TRANSFORMED_ROWS)
            # In double precision: a large offset would take the digits of single ones.
            # What is too far away for that is refused below, in words.
            with np.errstate(over="ignore"):
                centred = (data[rows].astype(np.float64) - self.offset_).astype(data.dtype)
            learned[rows] = learned_features(
                centred, self.components_, self.feature_norms_, self.intercept_
            )
        return learned

    @property
    def _n_features_out(self) -> int:
        """Number of learned features, for the names of scikit-learn."""
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
