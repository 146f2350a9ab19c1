"""The heat map of redundancies: its cells, its order, its groups."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from hsieve import N3LARS, MaxRelevance, MutualInformation, PairwiseHSIC
from hsieve.report import RedundancyDisplay
from hsieve.report.plots.redundancy import grouped


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    sources = rng.normal(size=(150, 5))
    # Features j, j + 5 and j + 10 are near copies; the last are not of any.
    copies = [sources + 0.02 * rng.normal(size=sources.shape) for _ in range(3)]
    X = np.hstack([*copies, rng.normal(size=(150, 5))])
    return X, sources[:, 0] + sources[:, 1] ** 2 + sources[:, 2]


@pytest.fixture(scope="module")
def selector(data):
    return MaxRelevance(6).fit(*data)


def test_cells_are_nhsic_in_the_order_of_the_names(selector, data):
    display = RedundancyDisplay.from_selector(selector, *data)
    order = display.order_
    assert sorted(order) == sorted(selector.selected_indices_)
    expected = PairwiseHSIC().bind(*data).redundancy(order, order)
    assert_allclose(display.image_.get_array(), expected, atol=1e-6)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [f"x{feature}" for feature in order]


def test_interchangeable_features_stand_together_and_are_framed(selector, data):
    display = RedundancyDisplay.from_selector(selector, *data)
    places = {int(feature): place for place, feature in enumerate(display.order_)}
    assert display.groups_
    for group, frame in zip(display.groups_, display.frames_, strict=True):
        assert len({feature % 5 for feature in group.tolist()}) == 1  # copies of one source
        rows = sorted(places[feature] for feature in group.tolist())
        assert rows == list(range(rows[0], rows[0] + len(group)))
        assert frame.get_xy() == (rows[0] - 0.5, rows[0] - 0.5)
        assert (frame.get_width(), frame.get_height()) == (len(group), len(group))


def test_relatives_are_the_nearest_not_chosen_and_in_italics(data):
    selector = N3LARS(3, max_redundancy=0.5).fit(*data)
    display = RedundancyDisplay.from_selector(selector, *data, n_relatives=2)
    sources = selector.selected_indices_ % 5
    expected = [s + 5 * copy for s in sources for copy in range(3)]
    assert sorted(display.order_) == sorted(expected)
    styles = [label.get_style() for label in display.ax_.get_yticklabels()]
    chosen = np.isin(display.order_, selector.selected_indices_)
    assert_array_equal(np.array(styles) == "normal", chosen)
    assert len(display.groups_) == 3


@pytest.mark.parametrize("measure", [PairwiseHSIC(normalised=False), MutualInformation()])
def test_other_measures_are_shown_as_shares_of_a_copy(selector, data, measure):
    display = RedundancyDisplay.from_selector(selector, *data, measure=measure)
    shown = np.asarray(display.image_.get_array())
    bound, order = measure.bind(*data), display.order_
    own = bound.self_redundancy(order)
    assert_allclose(shown, bound.redundancy(order, order) / np.sqrt(np.outer(own, own)), rtol=1e-5)
    # What is measured of a feature with itself is the same but for single precision.
    assert_allclose(np.diag(shown), 1.0, atol=1e-4)


def test_any_two_of_a_group_share_the_least_and_neighbours_are_alike():
    rng = np.random.default_rng(3)
    factors = rng.normal(size=(30, 4)) + 3 * np.eye(4)[rng.integers(0, 4, 30)]
    factors /= np.linalg.norm(factors, axis=1, keepdims=True)
    shares = (factors @ factors.T) ** 2
    found = grouped(shares, 0.8)
    assert_array_equal(np.sort(found.order), np.arange(30))
    for group in found.groups:
        assert min(shares[a, b] for a, b in combinations(group, 2)) >= 0.8
    # Two groups cannot be one.
    for first, second in combinations(found.groups, 2):
        assert shares[np.ix_(first, second)].min() < 0.8
    steps = shares[found.order[:-1], found.order[1:]]
    assert steps.mean() > 2 * shares[np.triu_indices(30, 1)].mean()


def test_only_the_best_are_shown_where_there_are_many(data):
    selector = MaxRelevance(20).fit(*data)
    display = RedundancyDisplay.from_selector(selector, *data, n_chosen=15)
    assert sorted(display.order_) == sorted(selector.selected_indices_[:15])
    notes = "".join(text.get_text() for text in display.ax_.texts)
    assert "5 more chosen are not shown" in notes


def test_given_axes_are_drawn_on(selector, data):
    ax = Figure().subplots()
    assert RedundancyDisplay.from_selector(selector, *data, ax=ax).ax_ is ax


def test_what_cannot_be_drawn_is_refused_in_words(selector, data):
    with pytest.raises(ValueError, match="one chosen feature to show"):
        RedundancyDisplay.from_selector(N3LARS(1).fit(*data), *data)
    for options in ({"n_relatives": -1}, {"n_chosen": 0}, {"least": 0.0}, {"n_relatives": True}):
        (name,) = options
        with pytest.raises(ValueError, match=f"{name} must be a"):
            RedundancyDisplay.from_selector(selector, *data, **options)
