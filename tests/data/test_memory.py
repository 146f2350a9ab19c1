"""Reading a limit of memory and sharing it out."""

import pytest

from hsieve.data.memory import MemoryPlan, bytes_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [(10**6, 10**6), ("2GB", 2 * 10**9), ("500 mb", 5 * 10**8), ("1.5k", 1500), ("7", 7)],
)
def test_limits_are_read(given, expected):
    assert bytes_of(given) == expected


@pytest.mark.parametrize("given", ["", "much", "-1", "1 GiB", 0, -5, True, 1.5, "0MB"])
def test_other_limits_are_refused(given):
    with pytest.raises(ValueError, match="memory_limit must be"):
        bytes_of(given)


def test_shares_stay_within_the_limit():
    plan = MemoryPlan.for_data(10_000, "200MB")
    used = 4 * plan.block_bytes + plan.code_bytes + plan.stack_bytes + plan.factor_bytes
    assert used <= 200 * 10**6


def test_a_limit_that_cannot_be_kept_is_refused():
    with pytest.raises(ValueError, match="'20MB' is too small for 10000 samples: at least"):
        MemoryPlan.for_data(10_000, "20MB")
