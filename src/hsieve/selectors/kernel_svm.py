"""Recursive elimination by a support vector machine with a kernel."""

from collections.abc import Iterable

from hsieve.kernels import Gaussian, Kernel, Linear
from hsieve.measures.base import Measure
from hsieve.measures.svm import KernelSVM
from hsieve.selectors.search import SearchSelector
from hsieve.strategies import Backward
from hsieve.strategies.base import Strategy

__all__ = ["KernelSVMRFE"]

KERNELS = ("gaussian", "linear")


class KernelSVMRFE(SearchSelector):
    """Recursive elimination of the features that a kernel machine needs least.

    Parameters
    ----------
    n_features_to_select : int, float, str or None, default=None
        A number, a share below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.
    kernel : {"gaussian", "linear"} or Kernel, default="gaussian"
        Kernel of the machine; "gaussian" has the width sqrt(number of features left).
    C : float, default=1.0
        Weight of the losses, for standardised features.
    absolute : bool, default=False
        Whether features are judged by the size of the change of the objective, whatever its sign;
        see :mod:`hsieve.measures.svm`.
    step : float or int, default=0.1
        Share (below 1) or number (1 or more) of the features dropped each round; at least one.
        The thesis drops 0.25.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category, text
        or boolean type are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds; numbers get support vector regression.

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

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        kernel: str | Kernel = "gaussian",
        C: float = 1.0,
        absolute: bool = False,
        step: float = 0.1,
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.kernel = kernel
        self.C = C
        self.absolute = absolute
        self.step = step
        self.categorical = categorical
        self.target_kind = target_kind

    def make_components(self) -> tuple[Measure, Strategy]:
        """Make the measure and the strategy of these settings."""
        measure = KernelSVM(
            self.C,
            kernel_x=_kernel(self.kernel),
            absolute=self.absolute,
            categorical=self.categorical,
            target_kind=self.target_kind,
        )
        return measure, Backward(step=self.step)


def _kernel(kernel: str | Kernel) -> Kernel:
    """Kernel of a name, or the kernel itself."""
    if kernel == "gaussian":
        return Gaussian("sqrt_d")
    if kernel == "linear":
        return Linear()
    if isinstance(kernel, Kernel):
        return kernel
    msg = f"kernel must be one of {KERNELS} or an object such as Gaussian(1.0), got {kernel!r}."
    raise ValueError(msg)
