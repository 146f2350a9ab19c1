"""Information of levels from column blocks: the same digits however they are cut, near or far."""

import numpy as np
import pytest

from hsieve import MutualInformation
from hsieve.data import memory
from hsieve.data.arrays import as_blocks
from hsieve.data.engine_columns import EngineColumns
from hsieve.measures import level_codes
from hsieve.measures.level_information import LevelInformation
from hsieve.parallel import make_engine
from hsieve.parallel.settings import SerialEngine
from tests.reference import naive_pairwise

N, D = 400, 23
CATEGORIES = [4, 11]
EVERYTHING = np.arange(D)


class FarEngine(SerialEngine):
    """Does its work here but says it does not, so that columns are sent and codes fetched."""

    is_local = False


class StoringEngine(SerialEngine):
    """Works here, and would have to store whatever large result it is given."""

    keeps_results = True


ENGINES = {"far": FarEngine, "storing": StoringEngine, "threads": lambda: make_engine("threads")}


@pytest.fixture
def features(rng):
    X = rng.normal(size=(N, D)).astype(np.float32)
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]
    X[:, 2] = rng.lognormal(sigma=2, size=N)
    X[:, 3] = np.tile([0.0, 1.0], N // 2)
    X[:, 4] = rng.integers(0, 6, N)
    X[:, 9] = 2.5
    X[:, 11] = rng.permutation(N) // 1.3  # more levels than a byte tells apart
    X[:, 20] = X[:, 3]
    return X


TARGETS = {
    "classes": lambda X: np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.7])],
    "numbers": lambda X: X[:, 0] + X[:, 7],
}
MEASURE = MutualInformation(estimator="discretised", categorical=CATEGORIES)


def statistics(bound):
    return (
        bound.relevance(EVERYTHING),
        bound.redundancy(EVERYTHING, [7, 0, 11]),
        bound.redundancy([4, 11, 0, 4], [11, 3]),
        bound.self_redundancy(EVERYTHING),
        bound.constant,
        bound.n_levels,
        bound.codes,
    )


def assert_same(found, expected):
    for values, same in zip(statistics(found), statistics(expected), strict=True):
        np.testing.assert_array_equal(values, same)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n_columns", [1, 4, D])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_cut_and_the_place_change_nothing(engine, n_columns, target, features, monkeypatch):
    y = TARGETS[target](features)
    expected = MEASURE.bind(features.astype(np.float64), y)
    assert isinstance(expected, LevelInformation)
    monkeypatch.setattr(level_codes, "PIECE_BYTES", n_columns * features[:, 0].nbytes)
    monkeypatch.setattr(level_codes, "FETCHED_VALUES", 3 * N)
    with ENGINES[engine]() as opened:
        bound = MEASURE.bind(EngineColumns(as_blocks(features), opened), y)
        assert_same(bound, expected)


@pytest.mark.parametrize("n_kept", [1, 5])
def test_features_that_find_no_room_are_met_where_they_are(n_kept, features, monkeypatch):
    y = TARGETS["numbers"](features)
    expected = MEASURE.bind(features, y)
    monkeypatch.setattr(memory, "FETCHED_CODES", n_kept * N)
    monkeypatch.setattr(level_codes, "PIECE_BYTES", 4 * features[:, 0].nbytes)
    met = []
    information_of_piece = level_codes.information_of_piece

    def noted(piece, shared):
        met.extend(piece.features.tolist())
        return information_of_piece(piece, shared)

    # Engines take functions that other processes could import.
    noted.__module__, noted.__qualname__ = level_codes.__name__, "information_of_piece"
    monkeypatch.setattr(level_codes, "information_of_piece", noted)
    with FarEngine() as opened:
        bound = MEASURE.bind(EngineColumns(as_blocks(features), opened), y)
        assert_same(bound, expected)
        assert len(set(met)) >= D - n_kept
        met.clear()
        few = np.array([7])
        bound.redundancy(few, few)
        bound.redundancy(few, few)
        assert not met


def test_the_numbers_are_those_of_the_definition(features):
    features[:, 2] = np.log(features[:, 2])  # the literal version tames no wild values
    y = TARGETS["classes"](features)
    bound = MEASURE.bind(as_blocks(features), y)
    codes = [
        list(x) if j in CATEGORIES else naive_pairwise.three_levels(x.tolist(), 0.5)
        for j, x in enumerate(features.astype(float).T)
    ]
    relevance = [naive_pairwise.plug_in_information(x, y) for x in codes]
    np.testing.assert_allclose(bound.relevance(EVERYTHING), relevance, atol=1e-12)
    entropies = [naive_pairwise.plug_in_information(x, x) for x in codes]
    np.testing.assert_allclose(bound.self_redundancy(EVERYTHING), entropies, atol=1e-12)
    assert np.flatnonzero(bound.constant).tolist() == [9]
    assert bound.target_entropy() == pytest.approx(naive_pairwise.plug_in_information(y, y))


def test_some_of_the_features_are_renumbered(features):
    bound = MEASURE.bind(features, TARGETS["numbers"](features))
    some = np.array([11, 0, 9, 4])
    part = bound.among(some).among(np.array([3, 0, 1]))
    wanted = some[[3, 0, 1]]
    assert part.n_features == 3
    np.testing.assert_array_equal(part.relevance([2, 0]), bound.relevance(wanted[[2, 0]]))
    np.testing.assert_array_equal(
        part.redundancy([0, 1, 2], [1]), bound.redundancy(wanted, wanted[[1]])
    )
    np.testing.assert_array_equal(part.self_redundancy([1]), bound.self_redundancy(wanted[[1]]))
    np.testing.assert_array_equal(part.codes, bound.codes[:, wanted])
    assert not part.constant.any()


def test_a_value_takes_one_byte(features):
    numbers = np.delete(features, CATEGORIES, axis=1)
    bound = MutualInformation(estimator="discretised").bind(numbers, numbers[:, 0])
    assert bound.codes.nbytes == numbers.size


def test_codes_are_kept_as_long_as_there_is_room_for_all(features, monkeypatch):
    y = TARGETS["numbers"](features)
    expected = MEASURE.bind(features, y)
    for room in (N * D, N * D - 1, N):
        monkeypatch.setattr(memory, "KEPT_LEVELS", room)
        bound = MEASURE.bind(features, y)
        assert_same(bound, expected)


def test_only_levels_are_read_in_blocks(features):
    assert MEASURE.takes_blocks
    for estimator in ("neighbours", "copula"):
        measure = MutualInformation(estimator=estimator)
        assert not measure.takes_blocks
        with pytest.raises(ValueError, match=f"estimator='{estimator}' needs the whole data"):
            measure.bind(as_blocks(features), features[:, 0])
