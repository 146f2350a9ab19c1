"""Types of arrays, as signatures name them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["FloatArray", "IndexArray"]

FloatArray: TypeAlias = NDArray[np.floating]
IndexArray: TypeAlias = NDArray[np.intp]
