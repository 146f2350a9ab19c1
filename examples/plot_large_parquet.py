"""
What if the table is larger than memory?
========================================

The features stay in their file and are read a few columns at a time. What does that
cost, and is the answer the same?
"""

# %%
# A Parquet file of 20,000 samples and 1,000 features, 80 MB as numbers, written
# here in parts as a pipeline would. (A million samples work the same way; this is
# what half a minute allows.)

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hsieve import N3LARS, open_dataset

rng = np.random.default_rng(0)
n, d = 20_000, 1000
X = rng.normal(size=(n, d)).astype(np.float32)
y = (
    np.abs(X[:, 10])
    + np.sin(2 * X[:, 20])
    + X[:, 30] * (X[:, 30] > 0)
    + 0.5 * rng.normal(size=n)
)

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "cells.parquet"
table = pa.table({**{f"f{k}": X[:, k] for k in range(d)}, "outcome": y})
pq.write_table(table, path, row_group_size=5000)
print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB")

# %%
# ``open_dataset`` reads the target and leaves the features where they are. The
# selector never holds more than some columns; ``memory_limit`` caps what it uses
# beside.

data = open_dataset(path, target="outcome")
started = time.perf_counter()
from_file = N3LARS(5, memory_limit="200MB").fit(data)
seconds = time.perf_counter() - started
print(
    "from the file:",
    sorted(from_file.get_feature_names_out().tolist()),
    f"in {seconds:.1f} s",
)

# %%
# The same from memory: the answer does not depend on where the columns come from.

in_memory = N3LARS(5).fit(X, y)
print("from memory:  ", sorted(f"f{k}" for k in in_memory.selected_indices_))
print("coefficients equal:", np.allclose(from_file.coef_, in_memory.coef_))

# %%
# From 8,192 samples and 20 million values on, a feature is held as one byte a
# value. How much is lost by that? The relevance of all features both ways:

exact = N3LARS(5, form="dense").fit(X[:, :200], y)
coded = N3LARS(5, form="coded").fit(X[:, :200], y)
figure, axis = plt.subplots(figsize=(4.6, 4.2))
axis.loglog(exact.relevance_, coded.relevance_, "o", markersize=4, color="#0072B2")
ends = [exact.relevance_.min(), exact.relevance_.max()]
axis.plot(ends, ends, color="#9aa5b1", linewidth=1)
axis.set(
    xlabel="relevance, numbers as they are", ylabel="relevance, one byte a value"
)
figure.tight_layout()
folder.cleanup()
