"""How many of the features of a ranking to keep.

``"alignment"``
    Algorithm 3 of the thesis [1]_: the prefix, and width, whose Gaussian kernel has the highest
    centred alignment with the target's.
``"guarded"``
    The largest prefix whose alignment is within one standard error of the highest. The thesis found
    its own rule to be too sparse at times (linear Weston, TB micro-array).
``"cv"``
    The prefix with the best cross-validated prediction, the ranking made anew in every fold, as in
    sec. 2.5.1 of the thesis; see :mod:`hsieve.inference.nested_validation`.
``"auto"``
    The features that pass the gates of a search which finds its number itself
    (:class:`hsieve.KernelPursuit`).

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.alignment_sweep import AlignmentSweep
from hsieve.inference.nested_validation import NestedValidation

__all__ = [
    "ALIGNMENT_SAMPLES",
    "RULES",
    "NumberChoice",
    "by_alignment",
    "by_validation",
    "prefix_sizes",
    "representative_rows",
]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

RULES = ("alignment", "guarded", "cv")
# Alignment is computed from at most so many samples: its standard error is then about 0.02.
ALIGNMENT_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class NumberChoice:
    """How many features were kept, and why.

    Parameters
    ----------
    rule : {"alignment", "guarded", "cv", "auto"}
        How the number was chosen.
    number : int
        The number.
    sizes : ndarray of shape (n_sizes,)
        Numbers of features tried.
    values : ndarray of shape (n_sizes,)
        Alignment, accuracy, R2 or explained variance of each, for the best width.
    criterion : {"alignment", "accuracy", "R2", "explained variance"}
        What `values` are.
    width : float
        Width of the Gaussian kernel at that number, for standardised features.
    standard_error : float or None
        Standard error of the highest alignment; None for "cv" and "auto".
    stop_reason : str, default=""
        With "auto", why the search ended.
    """

    rule: str
    number: int
    sizes: IndexArray
    values: FloatArray
    criterion: str
    width: float
    standard_error: float | None = None
    stop_reason: str = ""

    @property
    def threshold(self) -> float:
        """Value that the chosen number had to reach."""
        slack = self.standard_error if self.rule == "guarded" else None
        return float(self.values.max()) - (slack or 0.0)

    @property
    def reason(self) -> str:
        """Why this number, in one sentence."""
        place = int(np.flatnonzero(self.sizes == self.number)[0])
        value, best = float(self.values[place]), int(self.values.argmax())
        tried = f"{len(self.sizes)} numbers from {self.sizes[0]} to {self.sizes[-1]}"
        kept = f"{self.number} {'feature' if self.number == 1 else 'features'}"
        if self.rule == "auto" and not self.number:
            return "No features: none is related to the target beyond chance and lowers the error."
        if self.rule == "auto":
            return (
                f"{kept}: {self.stop_reason}; they explain {max(value, 0.0):.0%} of the variance "
                "of samples left out."
            )
        if self.rule == "guarded":
            return (
                f"{kept}: the largest number whose alignment ({value:.3f}) is within one standard "
                f"error ({self.standard_error:.3f}) of the highest ({self.values[best]:.3f}, with "
                f"{self.sizes[best]}); of {tried}."
            )
        if self.rule == "cv":
            best_of = f"the best cross-validated {self.criterion}"
        else:
            best_of = "the highest alignment"
        return f"{kept}: {best_of} ({value:.3f}) of {tried}."


def by_alignment(rule: str, sweep: AlignmentSweep) -> NumberChoice:
    """Choose a number from a sweep.

    Parameters
    ----------
    rule : {"alignment", "guarded"}
        The rule.
    sweep : AlignmentSweep
        Alignments of prefixes.

    Returns
    -------
    NumberChoice
        The number and why.
    """
    number = sweep.guarded_size if rule == "guarded" else sweep.best_size
    place = int(np.flatnonzero(sweep.sizes == number)[0])
    return NumberChoice(
        rule=rule,
        number=number,
        sizes=sweep.sizes,
        values=sweep.curve,
        criterion="alignment",
        width=float(sweep.widths[place, sweep.alignments[place].argmax()]),
        standard_error=sweep.standard_error,
    )


def by_validation(validation: NestedValidation) -> NumberChoice:
    """Choose the number with the best cross-validated prediction; of several, the smallest.

    Parameters
    ----------
    validation : NestedValidation
        Scores of numbers and widths.

    Returns
    -------
    NumberChoice
        The number and why.
    """
    values = validation.scores.max(axis=1)
    place = int(values.argmax())
    return NumberChoice(
        rule="cv",
        number=int(validation.sizes[place]),
        sizes=validation.sizes,
        values=values,
        criterion=validation.criterion,
        width=float(validation.widths[place, validation.scores[place].argmax()]),
    )


def prefix_sizes(n_ranked: int, *, n_each: int, growth: float) -> IndexArray:
    """Numbers of features to try: each up to some number, then growing by a factor.

    Parameters
    ----------
    n_ranked : int
        Length of the ranking, which is the last number.
    n_each : int
        Up to here every number is tried.
    growth : float
        Factor between the numbers after that, above 1.

    Returns
    -------
    ndarray of int
        Rising numbers.

    Examples
    --------
    >>> prefix_sizes(50, n_each=5, growth=1.5).tolist()
    [1, 2, 3, 4, 5, 8, 12, 18, 27, 41, 50]
    """
    sizes = list(range(1, min(n_each, n_ranked) + 1))
    while sizes[-1] < n_ranked:
        sizes.append(min(n_ranked, int(np.ceil(sizes[-1] * growth))))
    return np.array(sizes, dtype=np.intp)


def representative_rows(y: NDArray[Any], n_wanted: int, *, seed: int = 0) -> IndexArray:
    """Pick some of the samples, spread evenly over the classes or numbers of the target.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target; of several outputs the first leads.
    n_wanted : int
        How many samples at most.
    seed : int, default=0
        Seed of the order among equal values.

    Returns
    -------
    ndarray of int
        Positions, rising.
    """
    n = len(y)
    if n <= n_wanted:
        return np.arange(n)
    shuffled = np.random.default_rng(seed).permutation(n)
    leading = y if y.ndim == 1 else y[:, 0]
    _, codes = np.unique(leading, return_inverse=True)
    in_order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    places = ((np.arange(n_wanted) + 0.5) * n / n_wanted).astype(np.intp)
    return np.sort(in_order[places])
