"""Features and targets ready for a sweep, as estimators make them."""

import numpy as np

from hsieve import PairwiseHSIC
from hsieve.data.arrays import as_blocks
from hsieve.data.memory import MemoryPlan
from hsieve.kernels.leading_factors import LeadingFactors

__all__ = ["factors_of"]

ENOUGH = 2 * 10**9


def factors_of(X, rank=3, *, categorical=(), most_bytes=ENOUGH, form="auto"):
    """Leading factors of all columns of an array or of column blocks."""
    blocks = as_blocks(X)
    measure = PairwiseHSIC(categorical=categorical, form=form)
    store = measure.store(blocks, MemoryPlan.for_data(blocks.n_samples))
    most = np.full(blocks.n_features, rank)
    return LeadingFactors(store, np.arange(blocks.n_features), most, most_bytes)
