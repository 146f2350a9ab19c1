"""The projection onto the positive l1 ball, against its definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq

from hsieve.strategies.weight_search import project_onto_positive_l1_ball

ENTRIES = st.floats(-50, 50, allow_subnormal=False).map(lambda v: round(v, 6))


def by_definition(values, radius):
    """theta by root finding."""
    if np.maximum(values, 0).sum() <= radius:
        return np.maximum(values, 0)
    theta = brentq(lambda t: np.maximum(values - t, 0).sum() - radius, 0, values.max(), xtol=1e-14)
    return np.maximum(values - theta, 0)


@given(arrays(float, st.integers(1, 40), elements=ENTRIES), st.floats(1e-3, 200))
def test_projection_is_that_of_the_definition(values, radius):
    found = project_onto_positive_l1_ball(values, radius)
    np.testing.assert_allclose(found, by_definition(values, radius), atol=1e-9)
    assert found.min() >= 0
    assert found.sum() <= radius * (1 + 1e-9) + 1e-12


@given(
    arrays(float, 12, elements=ENTRIES),
    arrays(float, 12, elements=st.floats(0, 1)),
    st.floats(0.1, 20),
)
def test_no_point_of_the_ball_is_nearer(values, direction, radius):
    found = project_onto_positive_l1_ball(values, radius)
    other = direction / max(direction.sum(), 1e-12) * radius * direction.max()
    assert np.sum((values - found) ** 2) <= np.sum((values - other) ** 2) + 1e-6


def test_equal_entries_share_the_radius():
    np.testing.assert_allclose(project_onto_positive_l1_ball(np.full(7, 3.0), 1.4), np.full(7, 0.2))
