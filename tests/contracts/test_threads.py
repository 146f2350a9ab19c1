"""The number of threads changes no digit."""

import numpy as np
import pytest

from hsieve import BAHSIC, N3LARS, HSICLasso, InteractionScan, KernelPursuit
from hsieve.kernels import coded_factors

SELECTORS = {
    "N3LARS": lambda n_jobs: N3LARS(4, n_jobs=n_jobs),
    "N3LARS, coded": lambda n_jobs: N3LARS(4, form="coded", n_jobs=n_jobs),
    "HSICLasso, coded": lambda n_jobs: HSICLasso(4, form="coded", n_jobs=n_jobs),
    "KernelPursuit": lambda n_jobs: KernelPursuit(4, n_jobs=n_jobs),
    "BAHSIC": lambda n_jobs: BAHSIC(4, n_jobs=n_jobs),
    "InteractionScan": lambda n_jobs: InteractionScan(4, n_jobs=n_jobs),
}


@pytest.fixture(scope="module")
def problem():
    """Two single effects and a pair among 40 features."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(160, 40))
    return X, np.abs(X[:, 5]) + X[:, 9] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=160)


@pytest.mark.parametrize("name", SELECTORS)
def test_any_number_of_threads_gives_the_same_digits(name, problem, monkeypatch):
    monkeypatch.setattr(coded_factors, "WORTH_THREADS", 1)
    fits = [SELECTORS[name](n_jobs).fit(*problem) for n_jobs in (1, 2, 4)]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.ranking_, fits[0].ranking_)
        np.testing.assert_array_equal(fit.scores_, fits[0].scores_)


@pytest.mark.parametrize("name", SELECTORS)
def test_numbers_of_threads_are_checked(name, problem):
    with pytest.raises(ValueError, match="n_jobs must be"):
        SELECTORS[name](0).fit(*problem)


def test_threads_and_an_engine_are_refused_together(problem):
    with pytest.raises(ValueError, match="both say where the work is done"):
        N3LARS(2, n_jobs=2, engine="threads").fit(*problem)
