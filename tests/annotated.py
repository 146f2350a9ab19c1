"""AnnData for tests: counts, and a label that two genes make."""

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

__all__ = ["FORMS", "as_form", "counts_and_states", "make_adata"]

FORMS = ("dense", "csr", "csc", "backed dense", "backed csr", "backed csc")


def counts_and_states(n_obs=160, n_vars=25, seed=0):
    """Counts, most of them zero, and the state that genes 3 and 11 make."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(n_obs, n_vars)).astype(np.float32)
    counts[:, [3, 11]] += rng.poisson(0.8, size=(n_obs, 2))
    states = np.where(counts[:, 3] + counts[:, 11] > 3, "active", "quiet")
    return counts, states


def make_adata(matrix, states, **obs):
    """Put a matrix and labels together."""
    index = [f"cell{i}" for i in range(matrix.shape[0])]
    names = [f"gene{i}" for i in range(matrix.shape[1])]
    frame = pd.DataFrame({"state": pd.Categorical(states), **obs}, index=index)
    return anndata.AnnData(matrix, obs=frame, var=pd.DataFrame(index=names))


def as_form(form, counts, states, folder, **obs):
    """Make an AnnData whose matrix is of one of the forms."""
    kind = form.split()[-1]
    matrix = counts if kind == "dense" else sparse.csr_matrix(counts).asformat(kind)
    adata = make_adata(matrix, states, **obs)
    if not form.startswith("backed"):
        return adata
    path = folder / f"{kind}.h5ad"
    adata.write_h5ad(path)
    return anndata.read_h5ad(path, backed="r")
