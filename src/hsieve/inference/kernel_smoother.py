"""Predict a target from few features, and say what is left of every sample that was left out.

A ridge regression on the explicit features of a :class:`~hsieve.kernels.mixed_kernel.MixedKernel`.
Width and additive fraction of the kernel, and the ridge, are those with the least leave-one-out
error. Residuals are those of samples left out, so that a fit which is too close does not hide what
other features could explain.

Cost: O(n m^2) for each kernel tried, with m at most 256 landmarks, or 128 for many features, where
samples are too far apart for a product kernel to learn much. Kernels are tried on at most
1,000 samples; the one chosen is then fitted to at most 4,096, more than which m landmarks have no
use for, and predicts the others in O(n m).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hsieve.kernels.mixed_kernel import KernelColumn, MixedKernel
from hsieve.measures.regression_data import RegressionData
from hsieve.parallel.threads import over_rows
from hsieve.solvers.left_out_ridge import LeftOutFit, left_out_ridge

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Groups = tuple[tuple[int, ...], ...]

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
ADDITIVE_FRACTIONS = (0.0, 0.5)
RIDGES = tuple(float(ridge) for ridge in 10.0 ** np.arange(-3.0, 2.1, 0.5))
N_LANDMARKS = 256
# From so many features on there are fewer landmarks, and fewer columns of each feature in the sum.
MANY_FEATURES = 13
N_LANDMARKS_OF_MANY = 128
COLUMNS_OF_MANY = 5
# Up to so many features the kernel is chosen for every set, from there on for every set that is
# larger by this factor.
TUNED_UP_TO = 8
TUNED_GROWTH = 1.4
# Samples on which kernels are compared.
N_TRIED = 1_000
# Samples to which a regression is fitted; it predicts the others, which are left out anyway.
N_FITTED = 4_096
# Less than this left of a direction of the scores counts as this much.
LEAST_LEFT = 0.1
# Columns of features that are kept for being asked for again.
KEPT_COLUMNS = 64
# Regressions that are kept, since the same sets are tried again.
KEPT_FITS = 64
# The same of factors, which have several columns.
KEPT_FACTORS = 16


@dataclass(frozen=True, eq=False)
class Smooth:
    """A regression on some features.

    Parameters
    ----------
    features : tuple of int
        The features.
    residuals : ndarray of shape (n_samples, n_outputs)
        Leave-one-out residuals; those of no feature are the outputs themselves.
    error : float
        Mean squared residual: 1 where nothing is explained.
    kernel : MixedKernel or None
        The kernel; None for no feature.
    ridge : float
        The penalty of the regression.
    n_tuned : int
        For how many features the kernel was chosen.
    groups : tuple of tuple of int
        Features that act together: each group has a kernel of its own in the sum.
    """

    features: tuple[int, ...]
    residuals: FloatArray
    error: float
    kernel: MixedKernel | None
    ridge: float = 0.0
    n_tuned: int = 0
    groups: Groups = ()

    @property
    def losses(self) -> FloatArray:
        """Squared residual of each sample, of shape (n_samples,)."""
        return np.asarray((self.residuals**2).mean(axis=1))


class KernelSmoother:
    """Regressions of the same target on changing sets of features.

    Parameters
    ----------
    data : RegressionData
        Columns and outputs.
    rows : ndarray of int or None, default=None
        Samples to fit to, the others are only predicted; None for all.
    seed : int, Generator or None, default=0
        Draws the landmarks and the samples on which kernels are tried.
    n_landmarks : int or None, default=None
        Most landmarks of a kernel; None for 256.
    """

    def __init__(
        self,
        data: RegressionData,
        *,
        rows: IndexArray | None = None,
        seed: int | np.random.Generator | None = 0,
        n_landmarks: int | None = None,
    ) -> None:
        self._data, self._outputs = data, data.outputs
        everything = np.arange(len(data.outputs))
        order = np.random.default_rng(seed).permutation(everything if rows is None else rows)
        most = N_LANDMARKS if n_landmarks is None else n_landmarks
        self._landmarks = np.sort(order[:most])
        self._landmarks_of_many = np.sort(order[:N_LANDMARKS_OF_MANY])
        self._tried = np.sort(order[:N_TRIED])
        self._fitted_to = np.sort(order[:N_FITTED])
        self._predicted = np.setdiff1d(everything, self._fitted_to)
        self._columns: dict[int | tuple[int, ...], KernelColumn] = {}
        self._left_of_factors: dict[tuple[int, ...], FloatArray] = {}
        self._kept: dict[tuple[tuple[int, ...], Groups, MixedKernel, float, int, bool], Smooth] = {}

    @property
    def tries_all(self) -> bool:
        """Whether kernels are tried on all samples."""
        return len(self._tried) == len(self._outputs)

    def nothing(self) -> Smooth:
        """Return the regression on no feature."""
        return Smooth((), self._outputs, float(np.mean(self._outputs**2)), None)

    def factor(self, feature: int) -> FloatArray:
        """Centred factor of a feature's kernel, the heaviest column last."""
        (column,) = self._read_all([feature], ())
        return column.factor

    def left_of_factor(self, feature: int, given: Sequence[int], *, n_landmarks: int) -> FloatArray:
        """Residuals of the factor of a feature's kernel, regressed on some other features."""
        key = (feature, *given)
        if key not in self._left_of_factors:
            data = replace(self._data, outputs=self.factor(feature), is_classes=False)
            smoother = KernelSmoother(data, n_landmarks=n_landmarks)
            smoother._columns = self._columns
            left = smoother.fit(given) if given else smoother.nothing()
            self._left_of_factors[key] = left.residuals
            for oldest in list(self._left_of_factors)[:-KEPT_FACTORS]:
                del self._left_of_factors[oldest]
        return self._left_of_factors[key]

    def turned(self, fit: Smooth) -> Smooth:
        """Turn scores of classes so that what is explained best counts most from now on.

        Where classes are cut from a sum of effects, one direction of the scores follows that sum,
        and what other features add to it is lost among the directions that no feature explains.
        The axes of the residuals are taken, each weighted by the square of what is left of it.

        Parameters
        ----------
        fit : Smooth
            The regression that explains them.

        Returns
        -------
        Smooth
            The same regression of the turned scores.
        """
        if not self._data.is_classes or self._outputs.shape[1] < 2:
            return fit
        n_samples = len(self._outputs)
        change = np.linalg.lstsq(self._outputs, self._data.outputs, rcond=None)[0]
        residuals = fit.residuals @ change
        left, axes = np.linalg.eigh(residuals.T @ residuals / n_samples)
        weights = np.clip(left, LEAST_LEFT, 1.0) ** -2.0
        axes = axes * np.sqrt(weights / weights.mean())
        self._outputs = self._data.outputs @ axes
        self._kept.clear()
        residuals = residuals @ axes
        return replace(fit, residuals=residuals, error=float(np.mean(residuals**2)))

    def fit(
        self,
        features: Sequence[int],
        like: Smooth | None = None,
        together: tuple[int, ...] = (),
    ) -> Smooth:
        """Regress on some features.

        Parameters
        ----------
        features : sequence of int
            The features, at least one.
        like : Smooth or None, default=None
            A regression on nearly the same features: only kernels about as wide are tried, and
            from nine features on its own one, unless it was chosen for far fewer features.
        together : tuple of int, default=()
            Features that act together, beside the groups of `like`.
        """
        groups = _groups(features, like, together)
        if like is not None and like.kernel is not None and not _is_tuned(features, like):
            return self._whole(features, groups, like.kernel, like.ridge, like.n_tuned)
        columns = self._read_all(features, groups)
        landmarks = self._landmarks_for(columns, len(features))
        tried = [
            (kernel, self._fitted(kernel, columns, landmarks, self._tried))
            for kernel in _kernels(columns, like)
        ]
        kernel, fit = min(tried, key=lambda pair: pair[1].error)
        if self.tries_all:
            return _smooth(features, groups, kernel, fit, len(features))
        return self._whole(features, groups, kernel, fit.ridge, len(features))

    def refit(self, features: Sequence[int], like: Smooth, *, quickly: bool = False) -> Smooth:
        """Regress on some features by the kernel and ridge of another regression.

        Parameters
        ----------
        features : sequence of int
            The features.
        like : Smooth
            The regression whose kernel is taken.
        quickly : bool, default=False
            Whether the samples on which kernels are tried will do.
        """
        if not features or like.kernel is None:
            return self.nothing()
        is_quick = quickly or self.tries_all
        groups = _groups(features, like)
        key = (tuple(features), groups, like.kernel, like.ridge, like.n_tuned, is_quick)
        if key not in self._kept:
            if is_quick:
                columns = self._read_all(features, groups)
                landmarks = self._landmarks_for(columns, like.n_tuned)
                fit = self._fitted(like.kernel, columns, landmarks, self._tried, (like.ridge,))
                self._kept[key] = _smooth(features, groups, like.kernel, fit, like.n_tuned)
            else:
                self._kept[key] = self._whole(
                    features, groups, like.kernel, like.ridge, like.n_tuned
                )
            for oldest in list(self._kept)[:-KEPT_FITS]:
                del self._kept[oldest]
        return self._kept[key]

    def _whole(
        self,
        features: Sequence[int],
        groups: Groups,
        kernel: MixedKernel,
        ridge: float,
        n_tuned: int,
    ) -> Smooth:
        """Fit a kernel and find the residuals of all samples."""
        columns = self._read_all(features, groups)
        landmarks = self._landmarks_for(columns, n_tuned)
        fit = self._fitted(kernel, columns, landmarks, self._fitted_to, (ridge,))
        if not len(self._predicted):
            return _smooth(features, groups, kernel, fit, n_tuned)
        values = over_rows(
            lambda some: kernel.values(
                [column.part(self._predicted[some]) for column in columns],
                landmarks,
                fit.coefficients,
            ),
            len(self._predicted),
        )
        residuals = np.empty_like(self._outputs)
        residuals[self._fitted_to] = fit.residuals
        outputs = self._outputs[self._predicted]
        residuals[self._predicted] = outputs - fit.intercepts - np.concatenate(values)
        error = float(np.mean(residuals**2))
        return Smooth(tuple(features), residuals, error, kernel, ridge, n_tuned, groups)

    def _fitted(
        self,
        kernel: MixedKernel,
        columns: Sequence[KernelColumn],
        landmarks: Sequence[KernelColumn],
        rows: IndexArray,
        ridges: Sequence[float] = RIDGES,
    ) -> LeftOutFit:
        """Fit a kernel to some samples."""
        outputs = self._outputs
        if len(rows) < len(outputs):
            columns, outputs = [column.part(rows) for column in columns], outputs[rows]
        parts = over_rows(
            lambda some: kernel.features([column.part(some) for column in columns], landmarks),
            len(outputs),
        )
        return left_out_ridge(np.concatenate(parts), outputs, ridges)

    def _landmarks_for(self, columns: Sequence[KernelColumn], n_tuned: int) -> list[KernelColumn]:
        """Landmarks of a kernel that was chosen for so many features."""
        rows = self._landmarks if n_tuned < MANY_FEATURES else self._landmarks_of_many
        return [column.part(rows) for column in columns]

    def _read_all(self, features: Sequence[int], groups: Groups) -> list[KernelColumn]:
        """Columns of features, and of groups of them, read unless they are kept."""
        for feature in features:
            if feature not in self._columns:
                self._columns[feature] = KernelColumn(self._data.column(feature))
        for group in groups:
            if group not in self._columns:
                self._columns[group] = KernelColumn.together([self._columns[f] for f in group])
        columns = [self._columns[feature] for feature in features]
        columns += [self._columns[group] for group in groups]
        for oldest in list(self._columns)[:-KEPT_COLUMNS]:
            del self._columns[oldest]
        return columns


def _smooth(
    features: Sequence[int], groups: Groups, kernel: MixedKernel, fit: LeftOutFit, n_tuned: int
) -> Smooth:
    return Smooth(tuple(features), fit.residuals, fit.error, kernel, fit.ridge, n_tuned, groups)


def _groups(features: Sequence[int], like: Smooth | None, together: tuple[int, ...] = ()) -> Groups:
    """List the groups that act together, as far as all their features take part."""
    known = (*(() if like is None else like.groups), *([together] if together else []))
    return tuple(group for group in dict.fromkeys(known) if set(group) <= set(features))


def _is_tuned(features: Sequence[int], like: Smooth) -> bool:
    """Say whether kernel and ridge are chosen for some features, or taken from a regression."""
    return len(features) <= TUNED_UP_TO or len(features) >= TUNED_GROWTH * like.n_tuned


def _kernels(columns: Sequence[KernelColumn], like: Smooth | None) -> list[MixedKernel]:
    """List the kernels to try: all, or those about as wide as one that did well before."""
    near = None if like is None or like.kernel is None else like.kernel.width
    widths = [width for width in WIDTHS if near is None or 0.5 <= width / near <= 2.0]
    fractions = ADDITIVE_FRACTIONS if len(columns) > 1 else (0.0,)
    most = None if len(columns) < MANY_FEATURES else COLUMNS_OF_MANY
    return [MixedKernel(width, fraction, most) for width in widths for fraction in fractions]
