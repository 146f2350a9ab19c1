"""LPBoost as a classifier: few features or stumps, with the largest soft margin."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.classifiers.base import BaseClassifier
from hsieve.classifiers.lpboost_solver import (
    LPBoostFit,
    SingleFeatures,
    Stumps,
    lpboost,
    lpboost_path,
)
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import sign_coding
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import Rule, number, word

LEARNERS = ("features", "stumps")
STUMP_FIELDS = [("feature", np.intp), ("threshold", np.float64), ("weight", np.float64)]


@dataclass(eq=False, repr=False)
class LPBoost(BaseClassifier):
    """Classifier of largest soft margin over single features or decision stumps, l1 norm one.

    Parameters
    ----------
    nu : float, default=0.5
        Fraction of samples that may lie within the margin, above 0 and at most 1; a fraction of
        twice the smaller class, which is all samples if both classes are of one size. Few features
        have a weight for a large nu, more for a smaller one. The price of a violation, D in the
        paper, is 1 / (nu * m), where m is twice the size of the smaller class.
    learners : {"features", "stumps"}, default="features"
        What is combined: standardised features, or all stumps "x_j at least t", with either sign.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Size of each feature's weights (those of its stumps together), summing to one; the mean
        over classes if there are several.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients of the features as given, not standardised; only with ``learners="features"``.
        Infinite for values so small that theirs is no number; decisions do not need it.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts that belong to them, or to the stumps.
    stumps_ : list of structured ndarray
        Feature, threshold and weight of each stump, for each classifier; only with
        ``learners="stumps"``.
    fits_ : list of LPBoostFit
        Margin, weights of the samples, optimum and proof of it, for each classifier.
    nu_ : ndarray of shape (1,) or (n_classes,)
        The nu used: data that overlap have no classifier for too small a nu, and the smallest
        that has one, and one percent, is taken instead.

    Notes
    -----
    With two classes there is one classifier, with several each class has one against the rest, and
    the largest decision wins. A feature that repeats another has no weight: the first by position
    does. If nothing can be learned, as with constant features, the larger class is predicted.

    References
    ----------
    A. Demiriz, K. Bennett, J. Shawe-Taylor, "Linear programming boosting via column generation",
    2002.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import LPBoost
    >>> X = np.random.default_rng(0).normal(size=(100, 10))
    >>> model = LPBoost(nu=0.3).fit(X, X[:, 3] > X[:, 7])
    >>> np.argsort(-model.feature_importances_)[:2]
    array([3, 7])
    """

    _: KW_ONLY
    nu: float = 0.5
    learners: str = "features"

    # For stability selection: what is varied, see `selections_along`.
    path_parameter: ClassVar[str] = "nu"
    _precisions: ClassVar[tuple[type[np.floating], ...]] = (np.float64,)

    allowed: ClassVar[Mapping[str, Rule]] = {
        "nu": number(above=0, most=1),
        "learners": word(*LEARNERS),
    }

    def _fit(self, data: FloatArray, codes: IndexArray) -> None:
        """Fit one classifier for two classes, else one for each against the rest."""
        for name in ("coef_", "stumps_", "_centre", "_shift", "_shifted_coef"):
            self.__dict__.pop(name, None)
        family = self._make_learners(data)
        with one_blas_thread():
            self.fits_: list[LPBoostFit] = [
                lpboost(family, column, float(self.nu)) for column in sign_coding(codes).T
            ]
            self._centred_intercept: FloatArray = np.array([fit.intercept for fit in self.fits_])
            if isinstance(family, Stumps):
                self._keep_stumps(family)
            else:
                self._keep_features(data)
        self.nu_ = np.array([fit.nu for fit in self.fits_])

    def _decisions(self, data: FloatArray) -> FloatArray:
        """Sum up what the learners say, by their weights."""
        if self.learners == "stumps":
            decisions = np.column_stack([_said(data, stumps) for stumps in self.stumps_])
        else:
            # Centred first, as in fit: large offsets would cancel the digits away.
            decisions = (np.ldexp(data, self._shift) - self._centre) @ self._shifted_coef.T
        return np.asarray(decisions + self._centred_intercept)

    def selections_along(
        self, X: FloatArray, y: NDArray[Any], values: NDArray[Any]
    ) -> Iterator[IndexArray]:
        """Features used at each value of nu, in turn; one counts if any class uses it."""
        learners = self._make_learners(X)
        paths = [lpboost_path(learners, labels, values) for labels in sign_coding(y).T]
        for fits in zip(*paths, strict=True):
            yield np.unique(np.concatenate([fit.features for fit in fits]))

    def _make_learners(self, data: FloatArray) -> SingleFeatures | Stumps:
        """Make the family of learners of that name, from features as given."""
        return Stumps(data) if self.learners == "stumps" else SingleFeatures(standardised(data))

    def _keep_features(self, data: FloatArray) -> None:
        """Translate weights of standardised features to features as they are."""
        weights = np.zeros((len(self.fits_), data.shape[1]))
        for row, fit in zip(weights, self.fits_, strict=True):
            row[fit.features] = fit.weights
        # A power of two for each feature, which rounds nothing, brings its largest value to about
        # 1: squares of very large or small values would overflow or vanish.
        self._shift = -np.frexp(np.abs(data).max(axis=0))[1]
        shifted = np.ldexp(data, self._shift)
        self._centre = shifted.mean(axis=0)
        centred = shifted - self._centre
        # The mean of a column with a huge offset is itself rounded; the rest goes to the intercept.
        rest = centred.mean(axis=0)
        deviation = (centred - rest).std(axis=0)
        deviation[(deviation == 0) | (weights == 0).all(axis=0)] = 1.0
        self._shifted_coef = weights / deviation
        self._centred_intercept -= self._shifted_coef @ rest
        # Of values near the end of the range a coefficient may lie beyond it; no decision needs it.
        with np.errstate(over="ignore"):
            self.coef_ = np.ldexp(self._shifted_coef, self._shift)
        self.intercept_ = self._centred_intercept - self._shifted_coef @ self._centre
        self.feature_importances_ = np.abs(weights).mean(axis=0)

    def _keep_stumps(self, family: Stumps) -> None:
        """Translate cuts to thresholds."""
        self.stumps_ = []
        self.feature_importances_ = np.zeros(self.n_features_in_)
        for fit in self.fits_:
            stumps = np.zeros(len(fit.features), dtype=STUMP_FIELDS)
            stumps["feature"], stumps["weight"] = fit.features, fit.weights
            cuts = zip(fit.features.tolist(), fit.cuts.tolist(), strict=True)
            stumps["threshold"] = [family.threshold(feature, cut) for feature, cut in cuts]
            self.stumps_.append(stumps)
            share = np.abs(fit.weights) / len(self.fits_)
            np.add.at(self.feature_importances_, fit.features, share)
        self.intercept_ = self._centred_intercept


def _said(data: FloatArray, stumps: NDArray[Any]) -> FloatArray:
    """Sum up the stumps of one classifier."""
    above = data[:, stumps["feature"]] >= stumps["threshold"]
    return np.asarray(np.where(above, 1.0, -1.0) @ stumps["weight"])
