"""The sweep keeps the same pairs however the work is cut up, and looks at each pair once."""

from types import SimpleNamespace

import hypothesis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from hsieve import open_dataset
from hsieve.interactions import sweep
from hsieve.interactions.atoms import _NormalisedRelevance, _PlainRelevance
from hsieve.interactions.pair_statistic import InteractionTarget, PairEvidence
from hsieve.interactions.sweep import (
    pairs_among,
    seconds_for,
    strongest_extensions,
    strongest_pairs,
)
from hsieve.io.parquet import ParquetBlocks
from hsieve.kernels import leading_factors
from hsieve.kernels.leading_factors import FactorTile
from tests.measures.factors import factors_of

N_SAMPLES, N_FEATURES = 80, 30


@pytest.fixture
def mixed(rng):
    """Numbers, bits and genotypes, so that tiles of several ranks are made."""
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    X[:, 10:20] = rng.integers(0, 2, (N_SAMPLES, 10))
    X[:, 20:] = rng.integers(0, 3, (N_SAMPLES, 10))
    y = ((X[:, 3] > 0) ^ (X[:, 12] > 0)).astype(int)
    return X, y


def swept(X, y, n_kept=40, n_threads=1, **options):
    target = InteractionTarget.of(y).for_sweep()
    return strongest_pairs(factors_of(X, **options), target, n_kept=n_kept, n_threads=n_threads)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4)
    np.testing.assert_allclose(found.ratios, expected.ratios, rtol=1e-5)
    np.testing.assert_allclose(found.traces, expected.traces, rtol=1e-5)
    assert found.n_pairs == expected.n_pairs == pairs_among(N_FEATURES)


def test_true_pair_comes_first(mixed):
    found = swept(*mixed)
    assert found.features[0].tolist() == [3, 12]
    assert len(found.features) == 40
    assert (np.diff(found.scores) <= 0).all()
    assert (found.features[:, 0] < found.features[:, 1]).all()


@pytest.mark.parametrize("n_threads", [2, 3, 5])
def test_number_of_threads_does_not_matter(n_threads, mixed, monkeypatch):
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", 4)
    assert_same(swept(*mixed, n_threads=n_threads), swept(*mixed))


@pytest.mark.parametrize("width", [1, 3, 7])
def test_width_of_tiles_does_not_matter(width, mixed, monkeypatch):
    expected = swept(*mixed)
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", width)
    assert_same(swept(*mixed), expected)


@pytest.mark.parametrize("n_at_a_time", [1, 4, 10])
def test_limit_on_memory_does_not_matter(n_at_a_time, mixed):
    most_bytes = int(n_at_a_time * 4 * N_SAMPLES * 3 / 0.45)
    assert len(factors_of(mixed[0], most_bytes=most_bytes).pieces) > 1
    assert_same(swept(*mixed, most_bytes=most_bytes), swept(*mixed))


@pytest.mark.parametrize("form", ["dense", "coded"])
def test_pieces_hold_no_more_than_allowed(form, mixed):
    most_bytes = 40_000
    factors = factors_of(mixed[0], most_bytes=most_bytes, form=form)
    pieces = factors.pieces
    np.testing.assert_array_equal(np.concatenate(pieces), np.arange(N_FEATURES))
    for piece in pieces:
        tiles = list(factors.tiles(piece))
        assert sum(tile.rows.nbytes for tile in tiles) <= most_bytes / 2
        held = np.concatenate([tile.features for tile in tiles])
        np.testing.assert_array_equal(np.sort(held), piece)


def test_storage_does_not_matter(mixed, tmp_path):
    X, y = mixed
    expected = swept(X, y)
    names = [f"g{j}" for j in range(N_FEATURES)]
    np.save(tmp_path / "c.npy", X)
    np.save(tmp_path / "f.npy", np.asfortranarray(X))
    np.save(tmp_path / "table.npy", np.column_stack([X, y]))
    pq.write_table(
        pa.table(dict(zip(names, X.T, strict=True))), tmp_path / "x.parquet", row_group_size=30
    )
    storages = {
        "Fortran order": np.asfortranarray(X),
        "every other column of a wider array": np.repeat(X, 2, axis=1)[:, ::2],
        "mapped in C order": np.load(tmp_path / "c.npy", mmap_mode="r"),
        "mapped in Fortran order": np.load(tmp_path / "f.npy", mmap_mode="r"),
        "columns of a NumPy file": open_dataset(tmp_path / "table.npy", target="-1").columns,
        "Parquet": ParquetBlocks(tmp_path / "x.parquet", names),
    }
    for stored in storages.values():
        assert_same(swept(stored, y), expected)


def test_constant_features_are_in_no_pair(mixed):
    X, y = mixed
    X[:, [3, 20]] = 7.0
    found = swept(X, y, n_kept=1000)
    assert found.n_pairs == len(found.features) == pairs_among(N_FEATURES - 2)
    assert not np.isin(found.features, [3, 20]).any()


@hypothesis.settings(max_examples=15, deadline=None)
@hypothesis.given(
    seed=st.integers(0, 10**6),
    n_features=st.integers(2, 14),
    n_kept=st.integers(1, 12),
    width=st.integers(1, 6),
    n_threads=st.integers(1, 3),
)
def test_pairs_kept_above_a_running_floor_are_the_best_of_all(
    seed, n_features, n_kept, width, n_threads
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_features))
    X[:, ::3] = rng.integers(0, 3, X[:, ::3].shape)
    y = rng.integers(0, 3, 40)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leading_factors, "TILE_WIDTH", width)
        few = swept(X, y, n_kept=n_kept, n_threads=n_threads)
        everything = swept(X, y, n_kept=10**6)
    n_varying = int((X.std(axis=0) > 0).sum())
    assert few.n_pairs == everything.n_pairs == len(everything.features) == pairs_among(n_varying)
    assert len(few.features) == min(n_kept, len(everything.features))
    # Below the mean all evidence is zero and which of those are kept does not matter.
    np.testing.assert_allclose(few.scores, everything.scores[: len(few.scores)], rtol=1e-6)
    told = few.scores > 0
    np.testing.assert_array_equal(few.features[told], everything.features[: len(told)][told])


def test_only_pairs_that_reach_the_given_floor_are_kept(mixed):
    X, y = mixed
    target = InteractionTarget.of(y).for_sweep()
    everything = strongest_pairs(factors_of(X), target, n_kept=1000)
    floor = float(everything.scores[20])
    found = strongest_pairs(factors_of(X), target, n_kept=1000, floor=floor)
    np.testing.assert_array_equal(found.features, everything.features[:21])


@pytest.mark.parametrize("n_kept", [3, 25, 200])
def test_the_best_of_a_large_block_are_the_best_of_all(n_kept, rng):
    X, y = rng.normal(size=(40, 60)), rng.integers(0, 3, 40)
    few, everything = swept(X, y, n_kept=n_kept), swept(X, y, n_kept=10**6)
    assert len(everything.features) == pairs_among(60)
    np.testing.assert_array_equal(few.features, everything.features[:n_kept])


def test_extensions_of_factors_of_features_score_as_their_pairs(mixed, monkeypatch):
    """With features in the place of products: each with each, in the order product, feature."""
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", 4)
    X, y = mixed
    target, factors = InteractionTarget.of(y).for_sweep(), factors_of(X)
    pairs = strongest_pairs(factors, target, n_kept=1000)
    scores = dict(zip(map(tuple, pairs.features.tolist()), pairs.scores, strict=True))
    tile = next(factors.tiles(next(iter(factors.pieces))))
    products = FactorTile(np.arange(len(tile.features)), tile.rows)
    found = strongest_extensions(products, factors, target, n_kept=1000, n_threads=1)
    assert found.n_pairs == len(found.features) == len(tile.features) * N_FEATURES
    for (product, feature), score in zip(found.features.tolist(), found.scores, strict=True):
        of_product = int(tile.features[product])
        if feature != of_product:
            pair = (min(of_product, feature), max(of_product, feature))
            assert score == pytest.approx(scores[pair], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("scale", [0.01, 30.0])
def test_products_of_any_size_have_the_same_best_extensions(scale, mixed, monkeypatch):
    X, y = mixed
    target, factors = InteractionTarget.of(y).for_sweep(), factors_of(X[:, :10])
    [tile] = factors_of(X[:, 10:14]).tiles(np.arange(4))
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", 1)
    expected, found = (
        strongest_extensions(
            FactorTile(tile.features, rows), factors, target, n_kept=5, n_threads=1
        )
        for rows in (tile.rows, np.float32(scale) * tile.rows)
    )
    np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4)


def test_products_and_features_that_never_vary_together_are_left_out(mixed):
    """One product is zero wherever the third feature is not."""
    X, y = mixed
    odd = np.arange(N_SAMPLES) % 2
    target = InteractionTarget.of(y).for_sweep_beside(odd[None] * X[:, :1].T)
    rows = np.stack([1 - odd, np.ones(N_SAMPLES)]).astype(np.float32)
    products, factors = FactorTile(np.arange(2), rows[None]), factors_of(X)
    for n_kept in (5, 1000):
        found = strongest_extensions(products, factors, target, n_kept=n_kept, n_threads=1)
        assert found.features[:, 0].tolist() == [1] * min(n_kept, N_FEATURES)


@pytest.mark.parametrize("n_kept", [1, 5, 30])
@pytest.mark.parametrize("width", [1, 4, 1024])
@pytest.mark.parametrize("n_at_a_time", [3, 1000])
def test_ties_go_to_the_lower_features(n_kept, width, n_at_a_time, monkeypatch):
    """Bits with every entry exact, so that copies tie to the last digit."""
    monkeypatch.setattr(leading_factors, "TILE_WIDTH", width)
    a, b = (np.tile(pattern, 8) for pattern in ([0.0, 0, 1, 1], [0.0, 1, 0, 1]))
    X = np.column_stack([a, b] * 5)
    most_bytes = int(n_at_a_time * 4 * len(X) * 3 / 0.45)
    found = swept(X, (a != b).astype(int), n_kept=n_kept, most_bytes=most_bytes)
    ties = [(i, j) for i in range(10) for j in range(i + 1, 10) if (i + j) % 2]
    assert found.scores.max() == pytest.approx(found.scores[: len(ties)].min(), rel=1e-12)
    np.testing.assert_array_equal(found.features[: len(ties)], ties[:n_kept])


def test_pairs_without_evidence_are_in_the_order_of_their_features(mixed, rng):
    """Features of several ranks, which come in tiles of their own, take turns."""
    X, y = mixed
    found = swept(X[:, rng.permutation(N_FEATURES)], y, n_kept=1000)
    nothing = found.features[found.scores == 0].tolist()
    assert len(nothing) > 100
    assert nothing == sorted(nothing)


@pytest.mark.parametrize("score", [1e-6, 0.3, 5.0, 800.0])
@pytest.mark.parametrize("degrees", [1.0, 2.7, 40.0])
def test_least_ratio_is_where_the_score_is_reached(score, degrees):
    scoring = PairEvidence(mean_ratio=0.02, target_degrees=1.8)
    least = scoring.least_ratio(score, degrees, 1.0)
    reached, above = scoring.scores(
        np.array([least, least * (1 + 4e-6)]), np.full(2, degrees), np.ones(2)
    )
    assert reached <= score < above


@pytest.mark.parametrize("score", [0.3, 5.0, 80.0])
def test_least_ratio_is_a_bound_for_pairs_of_fewer_degrees(score):
    scoring = PairEvidence(mean_ratio=0.02, target_degrees=1.8)
    least = scoring.least_ratio(score, 9.0, 1.0)
    fewer = np.linspace(0.5, 9.0, 30)
    assert (scoring.scores(np.full(30, least), fewer, np.ones(30)) <= score).all()


@pytest.mark.parametrize(("n_features", "n_sampled"), [(2000, 512), (100, 100), (2, 2)])
def test_seconds_are_those_of_a_sample_for_each_of_its_pairs_times_all_pairs(
    n_features, n_sampled, monkeypatch
):
    clock, sizes = [0.0], []

    def sweep_of_three_seconds(factors, target, **options):
        clock[0] += 3.0 if sizes else 50.0
        sizes.append(len(factors))
        assert options["n_threads"] == 1

    monkeypatch.setattr(sweep, "strongest_pairs", sweep_of_three_seconds)
    monkeypatch.setattr(sweep, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    features = np.arange(n_features)
    factors = SimpleNamespace(features=features, among=lambda some: features[some])
    n_pairs, n_pairs_sampled = (k * (k - 1) / 2 for k in (n_features, n_sampled))
    expected = 3.0 * n_pairs / n_pairs_sampled / 4
    assert seconds_for(factors, None, n_threads=4) == pytest.approx(expected)
    assert sizes == [n_sampled] * 2


def test_without_a_pair_there_is_an_empty_answer(mixed):
    X, y = mixed
    found = swept(X[:, :1], y)
    assert found.features.shape == (0, 2)
    assert len(found.scores) == len(found.ratios) == len(found.traces) == found.n_pairs == 0


def test_without_a_pair_a_sweep_takes_no_time(mixed):
    X, y = mixed
    assert seconds_for(factors_of(X[:, :1]), InteractionTarget.of(y).for_sweep()) == 0.0


def test_no_pair_reaches_a_score_without_a_trace():
    assert _PlainRelevance().least_ratio(0.7, 4.0, 0.0) > 1e200


@pytest.mark.parametrize("score", [1e-6, 0.02, 0.7])
@pytest.mark.parametrize("trace", [12.0, 0.3])
@pytest.mark.parametrize("scoring", [_NormalisedRelevance(3.5), _PlainRelevance()], ids=repr)
def test_least_ratio_of_a_relevance_is_where_it_is_reached(scoring, score, trace):
    ratio = scoring.least_ratio(score, 4.0, trace)
    reached = scoring.scores(np.array([ratio]), np.array([4.0]), np.array([trace]))[0]
    # A bit below, so that rounding loses no pair.
    assert score * (1 - 1e-5) < reached < score
    # The bound is for the most degrees and the largest trace: with less, more is needed.
    assert scoring.least_ratio(score, 3.0, 0.75 * trace) > ratio
