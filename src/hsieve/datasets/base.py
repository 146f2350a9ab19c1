"""A problem with a known answer, and what its generators share.

:class:`Problem` is the answer of every generator.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import TargetKind

Seed: TypeAlias = int | np.random.Generator | None
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

MIN_SAMPLES = 4


@dataclass(frozen=True, eq=False)
class Problem:
    """Data together with the features that determine the target.

    Parameters
    ----------
    name : str
        Name under which :data:`PROBLEMS` lists the generator.
    X : ndarray of shape (n_samples, n_features)
        Features, float64.
    y : ndarray of shape (n_samples,)
        Target: int64 class labels, or float64 values.
    relevant : ndarray of shape (n_relevant,)
        Zero-based indices of the true features in rising order; empty if there are none.
    target_kind : {"classes", "continuous"}
        What `y` holds.
    description : str
        The recipe in one sentence.
    copies : dict of int to tuple of int, default={}
        For each true feature that has near duplicates, the columns that duplicate it. Choosing
        a copy in place of its original loses next to nothing.

    Examples
    --------
    >>> from hsieve.datasets import make_quad
    >>> problem = make_quad(50, random_state=0)
    >>> problem.X.shape, problem.relevant.tolist(), problem.target_kind
    ((50, 10), [0, 1], 'continuous')
    """

    name: str
    X: FloatArray = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    relevant: IntArray
    target_kind: TargetKind
    description: str
    copies: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def n_relevant(self) -> int:
        """Number of true features."""
        return len(self.relevant)


def draw_signs(rng: np.random.Generator, size: int | tuple[int, ...]) -> IntArray:
    """Return fair draws from {-1, 1}."""
    return 2 * rng.integers(0, 2, size=size) - 1
