"""
Which genes tell cell types apart?
==================================

Single cells come as an AnnData object with a sparse matrix of counts. Which few
genes tell the annotated types?
"""

# %%
# Made counts: 400 cells of three types, 300 genes, most counts zero. Genes 0 to 2
# mark one type each; genes 3 to 5 are near copies of them.

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import sparse

from hsieve.anndata import select

rng = np.random.default_rng(0)
kinds = rng.choice(["B", "NK", "T"], size=400)
rates = np.full((400, 300), 0.4)
for place, kind in enumerate(["B", "NK", "T"]):
    rates[kinds == kind, place] = 4.0
    rates[kinds == kind, place + 3] = 3.0
counts = sparse.csr_matrix(np.log1p(rng.poisson(rates)))
cells = anndata.AnnData(
    counts,
    obs=pd.DataFrame(
        {"cell_type": pd.Categorical(kinds)}, index=[f"c{k}" for k in range(400)]
    ),
    var=pd.DataFrame(index=[f"gene {k}" for k in range(300)]),
)

# %%
# One call. The result stands in ``var``, as users of scanpy expect.

select(cells, "cell_type", n_features_to_select=6, method="n3lars")
found = cells.var[cells.var["hsieve"]].sort_values("hsieve_rank")
print(found)

# %%
# The mean of each chosen gene in each type.

dense = cells[:, found.index].X.toarray()
means = [dense[kinds == kind].mean(axis=0) for kind in ["B", "NK", "T"]]
figure, ax = plt.subplots(layout="constrained")
picture = ax.imshow(means, cmap="Blues")
ax.set_xticks(range(len(found)), found.index, rotation=45)
ax.set_yticks(range(3), ["B", "NK", "T"])
ax.set_title("mean log count of the chosen genes")
figure.colorbar(picture)
