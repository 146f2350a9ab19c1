"""The sample sizes of theorem 4.2.10 keep the probabilities it promises."""

import math

import pytest

from hsieve import randsel_sample_sizes


@pytest.mark.parametrize(("d", "eta", "delta", "T"), [(200, 0.1, 0.05, 1), (5000, 0.3, 0.01, 20)])
def test_the_sizes_just_keep_the_bounds(d, eta, delta, T):
    sizes = randsel_sample_sizes(d, eta, failure=delta, n_iterations=T)
    # Eq. 4.5 and 4.6: a deviation of eta / 6 for some feature in some iteration.
    for n_rounds, kept in ((sizes.n_rounds, True), (sizes.n_rounds - 1, False)):
        assert (4 * d * T * math.exp(-n_rounds * eta**2 / 72) <= delta / 2) == kept
    # Eq. 4.9 for every set that is scored: one with and one without each feature, a round.
    for n_samples, kept in ((sizes.n_samples, True), (sizes.n_samples - 1, False)):
        failing = 2 * math.exp(-2 * n_samples * (eta / 6) ** 2 / 4)
        assert (2 * sizes.n_rounds * d * T * failing <= delta / 2) == kept


def test_bad_numbers_are_refused_in_words():
    with pytest.raises(ValueError, match="n_features must be an integer"):
        randsel_sample_sizes(0, 0.1)
    with pytest.raises(ValueError, match="influence must be a number between 0 and 1"):
        randsel_sample_sizes(10, 1.0)
    with pytest.raises(ValueError, match="failure must be"):
        randsel_sample_sizes(10, 0.1, failure=0)
