"""The scale of columns, learned from some samples and used for others."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray

# Rows whose squares are summed up together.
BLOCK = 4096
# No kernel tells values further out than this many deviations apart, and squares stay finite.
OUT_OF_REACH = 1e6


@dataclass(frozen=True, eq=False)
class ColumnScale:
    """What brings columns to mean 0 and deviation 1.

    Examples
    --------
    >>> import numpy as np
    >>> scale = ColumnScale.of(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> scale.apply(np.array([[4.0, 7.0]]))
    array([[2., 0.]])
    """

    # (n_columns,): keeps squares of very large or small values from overflowing or vanishing;
    # mostly 1.
    divisor: FloatArray | float
    mean: FloatArray  # (n_columns,): after that division
    deviation: FloatArray  # (n_columns,)
    varies: NDArray[np.bool_]  # (n_columns,): columns with more than one value

    @classmethod
    def of(cls, numbers: FloatArray) -> Self:
        """Learn the scale."""
        low, high = numbers.min(axis=0), numbers.max(axis=0)
        divisor = safe_scale(low, high)
        parts = [numbers[start : start + BLOCK] for start in range(0, len(numbers), BLOCK)]
        mean = sum((part / divisor).sum(axis=0, dtype=np.float64) for part in parts) / len(numbers)
        # Again, because the first mean of a column with a huge offset is itself rounded.
        mean = mean + sum((part / divisor - mean).sum(axis=0) for part in parts) / len(numbers)
        rest = sum((part / divisor - mean).sum(axis=0) for part in parts) / len(numbers)
        squares = sum(np.square(part / divisor - mean).sum(axis=0) for part in parts)
        # Beside a huge offset even that mean is rounded, and the squares are not those around it.
        deviation = np.sqrt(np.maximum(squares / len(numbers) - np.square(rest), 0.0))
        varies = (low < high) & (deviation > 0)
        return cls(divisor, mean, np.where(varies, deviation, 1.0), varies)

    def apply(self, numbers: FloatArray) -> FloatArray:
        """Bring rows to that scale, in double precision.

        A column that was constant in the samples of the scale says nothing and becomes zero,
        whatever it is here; values more than a million deviations out are put there.
        """
        with np.errstate(over="ignore"):
            scaled: FloatArray = (numbers / self.divisor - self.mean) / self.deviation
        np.clip(scaled, -OUT_OF_REACH, OUT_OF_REACH, out=scaled)
        scaled[:, ~self.varies] = 0.0
        return scaled


def safe_scale(low: FloatArray, high: FloatArray) -> FloatArray | float:
    """Tell what to divide by so that squares neither overflow nor vanish; mostly 1.

    Else a power of two that brings the largest value to between 1 and 2: dividing by it rounds
    nothing, so that a column and its multiple by any power of two give the same digits.
    """
    largest = np.maximum(np.abs(low), np.abs(high))
    bound = float(np.finfo(low.dtype).max) ** 0.25
    extreme = (largest > bound) | ((largest > 0) & (largest < 1 / bound))
    if not extreme.any():
        return 1.0
    power = np.where(extreme, np.frexp(largest)[1] - 1, 0)
    return np.asarray(np.ldexp(np.ones_like(low), power))
