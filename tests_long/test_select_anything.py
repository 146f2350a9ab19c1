"""`hsieve.select` on thousands of small, awkward problems: an answer, or a sentence that is true.

HSIEVE_FUZZ_INPUTS sets how many problems are drawn.
"""

import os
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import hsieve

# What a refusal says is true of the data as they were given.
REFUSALS = "constant|one single value|1 class|at least two"
N_PROBLEMS = int(os.environ.get("HSIEVE_FUZZ_INPUTS", "200"))


def target(rng, n_samples, kind):
    """Classes, two of which may have two samples; nearly all of one class; numbers; a constant."""
    if kind == "numbers":
        return rng.normal(size=n_samples)
    if kind == "counts":
        return rng.poisson(2, n_samples).astype(float)
    if kind == "98 to 2":
        return (np.arange(n_samples) < max(1, n_samples // 50)).astype(int)
    if kind == "pairs":
        return np.arange(n_samples) // 2
    if kind == "constant":
        return np.zeros(n_samples)
    return rng.integers(0, rng.integers(2, 5), n_samples)


def column(rng, n_samples, kind, y):
    """One feature, related to the target or not."""
    if kind == "constant":
        return np.full(n_samples, 3.0)
    if kind == "levels":
        return rng.integers(0, max(2, n_samples // 2), n_samples).astype(float)
    if kind == "bits":
        return rng.integers(0, 2, n_samples).astype(float)
    if kind == "heavy":
        return rng.standard_cauchy(n_samples)
    if kind == "target":
        return y.astype(float)
    return rng.normal(size=n_samples)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_an_answer_or_a_sentence(seed):
    rng = np.random.default_rng([seed, 22])
    n_samples, n_features = int(rng.integers(8, 80)), int(rng.integers(1, 9))
    target_kind = rng.choice(["numbers", "counts", "98 to 2", "pairs", "constant", "classes"])
    y = target(rng, n_samples, target_kind)
    kinds = rng.choice(["constant", "levels", "bits", "heavy", "target", "normal"], n_features)
    X = np.column_stack([column(rng, n_samples, kind, y) for kind in kinds])
    categorical = [place for place in range(n_features) if kinds[place] == "levels"]
    is_refused = len(np.unique(y)) < 2 or set(kinds) == {"constant"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=REFUSALS) if is_refused else nullcontext():
            found = hsieve.select(X, y, categorical=categorical, time_allowed=2)
            assert set(found.indices.tolist()) <= set(range(n_features))
            assert not any(kinds[place] == "constant" for place in found.indices)
            assert 1 <= len(found.reasons) <= 3
