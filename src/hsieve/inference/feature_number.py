"""How many of the features of a ranking to keep.

``"alignment"``
    Algorithm 3 of the thesis [1]_: the prefix, and width, whose Gaussian kernel has the highest
    centred alignment with the target's.
``"guarded"``
    The largest prefix whose alignment is within one standard error of the highest. The thesis found
    its own rule to be too sparse at times (linear Weston, TB micro-array).
``"cv"``
    The prefix with the best cross-validated prediction, the ranking made again in every fold, as in
    sec. 2.5.1 of the thesis.
``"auto"``
    The features that pass the gates of a search which finds its number itself
    (:class:`hsieve.KernelPursuit`).

Cross-validated prediction from each prefix of a ranking that is made again in every fold.

The inner loop of sec. 2.5.1 of the thesis: in each of ten folds features are ranked on the
training samples alone; a support vector machine with a Gaussian kernel is trained on each number of
the best of them, for a few widths; and number and width with the best prediction of the samples
left out are taken, the smaller number of two as good.

Cost: ten rankings, and a machine for every fold, number and width.

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import target_kind_of
from hsieve.inference.alignment_sweep import AlignmentSweep
from hsieve.inference.gaussian_machine import (
    criterion_of,
    gaussian_predictions,
    scaled_by,
    score_of,
    validation_folds,
)
from hsieve.kernels import encode_columns, squared_distances
from hsieve.progress import report

RULES = ("alignment", "guarded", "cv")
# Alignment is computed from at most so many samples: its standard error is then about 0.02.
ALIGNMENT_SAMPLES = 1000
Ranker = Callable[[IndexArray], IndexArray]

# Widths in units of the square root of the number of features.
WIDTH_FACTORS = (2.0, 1.0, 0.5)


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
                f"{kept}: the most whose alignment ({value:.3f}) is at most one standard error "
                f"({self.standard_error:.3f}) below the highest ({self.values[best]:.3f}, with "
                f"{self.sizes[best]}); tried {tried}."
            )
        if self.rule == "cv":
            best_of = f"the best cross-validated {self.criterion}"
        else:
            best_of = "the highest alignment"
        return f"{kept}: {best_of} ({value:.3f}) of {tried}."


def by_alignment(rule: str, sweep: AlignmentSweep) -> NumberChoice:
    """Choose a number from a sweep."""
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


def nested_validation(
    X: NDArray[Any],
    y: NDArray[Any],
    rank: Ranker,
    sizes: IndexArray,
    *,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
) -> NumberChoice:
    """Choose the number with the best cross-validated prediction; of several, the smallest.

    `rank` gives the order of the features for some training samples.
    """
    is_classes = target_kind_of(y, target_kind) == "classes"
    outputs = y.reshape(len(y), -1)
    columns = encode_columns(X.astype(np.float64), categorical=categorical, standardise=False)
    folds = validation_folds(outputs, is_classes=is_classes, seed=0)
    widths = np.sqrt(sizes)[:, None] * np.array(WIDTH_FACTORS)
    kind: Any = outputs.dtype if is_classes else np.float64
    predicted = np.empty((*widths.shape, *outputs.shape), dtype=kind)
    for number, (training, held_out) in enumerate(folds):
        order = np.asarray(rank(training))
        distances, before = np.zeros((len(y), len(y))), 0
        scaled = scaled_by(columns, training)
        for place, size in enumerate(sizes):
            added = order[before:size]
            if len(added):
                distances += squared_distances(scaled.block(added))
            before = size
            for column, width in enumerate(widths[place]):
                gram = np.exp(-0.5 / width**2 * distances[:, training])
                predicted[place, column, held_out] = gaussian_predictions(
                    gram, outputs, (training, held_out), is_classes=is_classes
                )
        report((number + 1) / len(folds), "nested cross validation")
    scores = np.array(
        [[score_of(outputs, cell, is_classes=is_classes) for cell in row] for row in predicted]
    )
    values = scores.max(axis=1)
    place = int(values.argmax())
    return NumberChoice(
        rule="cv",
        number=int(sizes[place]),
        sizes=sizes,
        values=values,
        criterion=criterion_of(is_classes=is_classes),
        width=float(widths[place, scores[place].argmax()]),
    )


def prefix_sizes(n_ranked: int, *, n_each: int, growth: float) -> IndexArray:
    """Numbers of features to try: each up to some number, then growing by a factor.

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
    """Pick some of the samples, spread evenly over the classes or numbers of the target."""
    n = len(y)
    if n <= n_wanted:
        return np.arange(n)
    shuffled = np.random.default_rng(seed).permutation(n)
    leading = y if y.ndim == 1 else y[:, 0]
    _, codes = np.unique(leading, return_inverse=True)
    in_order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    places = ((np.arange(n_wanted) + 0.5) * n / n_wanted).astype(np.intp)
    return np.sort(in_order[places])
