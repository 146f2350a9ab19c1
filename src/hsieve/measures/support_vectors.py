"""Linear support vector machines with squared losses, to rounding, by Newton's method.

Minimises J = |w|^2 / 2 + C sum_i l_i^2 with the hinge loss l = max(0, 1 - y f) for signs y, or the
loss outside a tube, l = max(0, |y - f| - tube), for numbers; f = x'w, the offset being the weight
of a column of ones. J is quadratic as long as the samples with a loss stay the same, so Newton's
step from a set A of them is a ridge regression on A towards t = y, or y -+ tube (Chapelle 2007):

    w = X_A' (X_A X_A' + I / 2C)^-1 t_A = (X_A' X_A + I / 2C)^-1 X_A' t_A,

whichever is smaller. It ends when the set stays, after some five steps, where liblinear needs
hundreds of sweeps on standardised data and stops short of the optimum.

Cost: O(a^2 b + b^3) a step, where a and b are the larger and the smaller of |A| and the columns.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from hsieve.array_types import FloatArray
from hsieve.data.validation import target_kind_of
from hsieve.kernels.columns import encode_columns
from hsieve.kernels.labels import sign_coding

# Half the width of the tube, in deviations of the target.
TUBE = 0.1
MOST_STEPS = 200
MOST_HALVINGS = 30


def machine_outputs(y: Any, target_kind: str) -> tuple[FloatArray, float | None]:
    """Give what machines are fitted to, one a column, and the tube.

    Shape of the result: (n_samples, n_machines).
    """
    if target_kind_of(y, target_kind) == "classes":
        return sign_coding(y), None
    numbers = np.asarray(y, dtype=np.float64)
    return encode_columns(numbers.reshape(len(numbers), -1)).matrix, TUBE


def losses(fitted: FloatArray, target: FloatArray, tube: float | None) -> FloatArray:
    """Loss of each sample with the sign of what would make it smaller."""
    errors = target - fitted
    if tube is None:
        return np.where(target * errors > 0, errors, 0.0)
    return np.asarray(np.sign(errors) * np.maximum(np.abs(errors) - tube, 0.0))


def fit_machine(
    rows: FloatArray,
    target: FloatArray,
    C: float,
    *,
    tube: float | None = None,
    start: FloatArray | None = None,
) -> FloatArray:
    """Fit a machine to signs, or to numbers if there is a tube, and give its weights.

    A column of ones in `rows` makes an offset. `start` holds values of a similar machine, from
    which to guess the samples with a loss.

    Examples
    --------
    >>> import numpy as np
    >>> fit_machine(np.array([[1.0], [-2.0]]), np.array([1.0, -1.0]), 0.5)
    array([0.5])
    """

    def objective(weights: FloatArray, fitted: FloatArray) -> float:
        lost = losses(fitted, target, tube)
        return 0.5 * float(weights @ weights) + C * float(lost @ lost)

    weights = np.zeros(rows.shape[1])
    fitted = np.zeros(len(rows))
    signs = np.sign(losses(fitted if start is None else start, target, tube))
    value = np.inf
    for _ in range(MOST_STEPS):
        wanted = _ridge(rows, target - signs * (tube or 0.0), signs != 0, C)
        reached = rows @ wanted
        step = 1.0
        # A full step may overshoot into another set; the objective is convex along it.
        for _ in range(MOST_HALVINGS):
            new_weights = weights + step * (wanted - weights)
            new_fitted = fitted + step * (reached - fitted)
            new_value = objective(new_weights, new_fitted)
            if new_value <= value:
                break
            step /= 2
        new_signs = np.sign(losses(new_fitted, target, tube))
        settled = step == 1.0 and np.array_equal(new_signs, signs)
        stuck = new_value >= value and not settled
        weights, fitted, signs, value = new_weights, new_fitted, new_signs, new_value
        if settled or stuck:
            break
    return weights


def _ridge(
    rows: FloatArray, target: FloatArray, members: NDArray[np.bool_], C: float
) -> FloatArray:
    """Ridge regression on some samples, in the smaller of both forms."""
    rows, target = rows[members], target[members]
    if len(rows) <= rows.shape[1]:
        gram = rows @ rows.T
        gram.flat[:: len(gram) + 1] += 0.5 / C
        return np.asarray(rows.T @ linalg.solve(gram, target, assume_a="pos"))
    gram = rows.T @ rows
    gram.flat[:: len(gram) + 1] += 0.5 / C
    return np.asarray(linalg.solve(gram, rows.T @ target, assume_a="pos"))
