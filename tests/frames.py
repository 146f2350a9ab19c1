"""One table in every library: what the tests of frames are run on."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = ["LIBRARIES", "as_frame", "mixed_columns", "mixed_frame"]

LIBRARIES = ("pandas", "polars", "arrow")
SITES = ("north", "south", "west", "east")


def as_frame(library, columns):
    """Make a frame of NumPy arrays and lists, without categories."""
    if library == "pandas":
        return pd.DataFrame(columns)
    return pl.DataFrame(columns) if library == "polars" else pa.table(columns)


def mixed_columns(n_samples=90, seed=0):
    """Give numbers and codes of categories, and a target that a category and a number make.

    Returns
    -------
    X, y, categorical
        As an array: its columns are age (whole numbers), dose, site (4 levels), smoker (0 or
        1, a number), sex (2) and noise.
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n_samples)
    dose = rng.normal(size=n_samples)
    site = rng.integers(0, 4, n_samples)
    smoker = rng.integers(0, 2, n_samples)
    sex = rng.integers(0, 2, n_samples)
    X = np.column_stack([age, dose, site, smoker, sex, rng.normal(size=n_samples)]).astype(float)
    y = np.isin(site, [0, 3]) + np.abs(dose) + 0.1 * rng.normal(size=n_samples)
    return X, y, [2, 4]


def mixed_frame(library, X):
    """Give the columns of :func:`mixed_columns` the types that they would have in a frame.

    Codes are the places of the sorted levels, but each library has its levels in another order.
    """
    age, dose, site, smoker, sex, noise = X.T
    levels = sorted(SITES)
    texts = [levels[int(code)] for code in site]
    sexes = [("female", "male")[int(code)] for code in sex]
    age, smoker = age.astype(np.int64), smoker.astype(bool)
    if library == "pandas":
        return pd.DataFrame(
            {
                "age": age,
                "dose": dose,
                "site": pd.Categorical(texts, categories=["unused", *SITES]),
                "smoker": smoker,
                "sex": pd.Series(sexes, dtype="string"),
                "noise": noise.astype(np.float64),
            }
        )
    if library == "polars":
        return pl.DataFrame(
            {
                "age": age,
                "dose": dose,
                "site": pl.Series(texts, dtype=pl.Enum(SITES)),
                "smoker": smoker,
                "sex": pl.Series(sexes, dtype=pl.Categorical),
                "noise": noise,
            }
        )
    half = len(texts) // 2
    return pa.table(
        {
            "age": age,
            "dose": dose,
            "site": pa.chunked_array(
                [
                    pa.array(texts[:half]).dictionary_encode(),
                    pa.array(texts[half:]).dictionary_encode(),
                ]
            ),
            "smoker": smoker,
            "sex": pa.array(sexes),
            "noise": noise,
        }
    )
