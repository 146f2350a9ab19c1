"""What a user of InteractionScan sees."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hsieve import InteractionScan
from hsieve.data.arrays import ArrayBlocks
from hsieve.exceptions import ConstantFeatureWarning
from hsieve.interactions.scan import Interaction
from hsieve.io.parquet import ParquetBlocks
from hsieve.progress import listen


def xor(rng, n_samples=200, n_features=12, members=(3, 7)):
    X = rng.normal(size=(n_samples, n_features))
    first, second = members
    return X, (X[:, first] * X[:, second] > 0).astype(int)


def found_in(scan):
    return [pair.features for pair in scan.pairs_]


def test_pairs_carry_the_names_of_a_frame(rng):
    X, y = xor(rng)
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(12)])
    scan = InteractionScan(2, n_pairs=5).fit(frame, y)
    best = scan.pairs_[0]
    assert isinstance(best, Interaction)
    assert best.features == (3, 7)
    assert best.names == ("gene3", "gene7")
    assert list(scan.get_feature_names_out()) == ["gene3", "gene7"]
    assert len(scan.pairs_) == 5
    assert scan.triples_ == []
    assert scan.n_pairs_seen_ == 66


def test_positions_stand_for_names_where_there_are_none(rng):
    assert InteractionScan(n_pairs=1).fit(*xor(rng)).pairs_[0].names == ("3", "7")


def test_numbers_of_a_pair_fit_together(rng):
    pairs = InteractionScan(n_pairs=66).fit(*xor(rng)).pairs_
    assert len(pairs) == 66
    for pair in pairs:
        assert pair.p_value == pytest.approx(10**-pair.score)
        assert 0 <= pair.strength <= 1
        assert 0 <= sum(pair.own_shares) <= 1 + 1e-9
        assert 0 <= pair.family_wise_p <= 1
    for name in ("score", "family_wise_p", "false_discovery_rate"):
        values = [getattr(pair, name) for pair in pairs]
        assert values == sorted(values, reverse=name == "score")
    assert pairs[0].family_wise_p < 1e-6
    assert pairs[1].family_wise_p > 0.01
    assert max(pairs[0].own_shares) < 0.2


def test_pairs_make_a_table(rng):
    table = pd.DataFrame(InteractionScan(n_pairs=4).fit(*xor(rng)).pairs_)
    assert table.shape == (4, 8)
    assert list(table.columns)[:3] == ["features", "names", "score"]
    assert table.names[0] == ("3", "7")


def test_features_are_selected_in_the_order_of_their_best_pairs(rng):
    X = rng.normal(size=(400, 10))
    effect = 2 * np.sign(X[:, 1] * X[:, 8]) + np.sign(X[:, 4] * X[:, 6])
    scan = InteractionScan(4).fit(X, effect + 0.2 * rng.normal(size=400))
    assert found_in(scan)[:2] == [(1, 8), (4, 6)]
    assert set(scan.selected_indices_[:2]) == {1, 8}
    assert set(scan.selected_indices_[2:]) == {4, 6}
    assert scan.scores_[1] == scan.scores_[8] == pytest.approx(scan.pairs_[0].score)
    assert sorted(scan.ranking_) == list(range(1, 11))
    assert scan.transform(X).shape == (400, 4)


def test_numbers_as_target(rng):
    X = rng.normal(size=(250, 10))
    y = X[:, 2] * X[:, 5] + 0.5 * rng.normal(size=250)
    best = InteractionScan().fit(X, y).pairs_[0]
    assert best.features == (2, 5)
    assert best.family_wise_p < 1e-3


def test_an_interaction_with_one_of_several_outputs_is_found(rng):
    X = rng.normal(size=(250, 10))
    y = np.column_stack([rng.normal(size=250), X[:, 2] * X[:, 5], X[:, 0]])
    best = InteractionScan().fit(X, y).pairs_[0]
    assert best.features == (2, 5)
    assert best.family_wise_p < 1e-3


def test_categories_have_no_order(rng):
    """A table of two categories in which neither tells anything alone, codes shuffled."""
    X = rng.integers(0, 3, (300, 8)).astype(float)
    y = ((X[:, 1] + X[:, 6]) % 3 == 0).astype(int)
    X = np.array([7.0, -1.0, 2.0])[X.astype(int)]
    scan = InteractionScan(2, categorical=range(8)).fit(X, y)
    assert found_in(scan)[0] == (1, 6)
    assert set(scan.selected_indices_) == {1, 6}


def test_a_number_and_a_category_interact(rng):
    X = rng.normal(size=(300, 8))
    X[:, 4:] = rng.integers(0, 4, (300, 4))
    sign = np.where(np.isin(X[:, 5], [0, 2]), 1, -1)
    y = (sign * X[:, 1] > 0).astype(int)
    scan = InteractionScan(categorical=[4, 5, 6, -1]).fit(X, y)
    assert found_in(scan)[0] == (1, 5)
    assert scan.pairs_[0].family_wise_p < 1e-6


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_additive_effects_are_no_interaction(target):
    """Own effects of two independent features that add up, and noise."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 6))
    effect = X[:, 0] + X[:, 1]
    if target == "classes":
        y = (rng.uniform(-1, 1, 300) < 0.3 * np.sign(X[:, :2]).sum(axis=1)).astype(int)
    else:
        y = effect + rng.normal(size=300)
    found = {pair.features: pair for pair in InteractionScan().fit(X, y).pairs_}
    assert found[0, 1].family_wise_p > 0.01


@pytest.mark.parametrize("kind", ["numbers", "genotypes"])
@pytest.mark.parametrize("target", ["bent", "straight"])
def test_a_feature_and_its_copy_are_not_reported(kind, target):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 8))
    if kind == "genotypes":
        X = rng.integers(0, 3, (200, 8)).astype(float)
    X[:, 5] = X[:, 2]
    own = X[:, 2] - X[:, 2].mean()
    y = (own > 0.2).astype(int) if target == "straight" else (np.abs(own) > 0.6).astype(int)
    found = {pair.features: pair for pair in InteractionScan().fit(X, y).pairs_}
    assert (2, 5) not in found or found[2, 5].family_wise_p > 0.05


def test_nothing_is_found_where_there_is_nothing():
    n_found = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        scan = InteractionScan(n_pairs=1, time_limit=None)
        scan.fit(rng.normal(size=(80, 15)), rng.integers(0, 2, 80))
        n_found += scan.pairs_[0].family_wise_p <= 0.05
    assert n_found <= 7  # 2 are expected; 8 or more have a chance of one in a thousand


def test_parity_of_three_is_found_among_triples(rng):
    X = rng.normal(size=(300, 10))
    y = (X[:, 1] * X[:, 4] * X[:, 8] > 0).astype(int)
    scan = InteractionScan(3, order=3, n_pairs=10).fit(X, y)
    best = scan.triples_[0]
    assert best.features == (1, 4, 8)
    assert best.family_wise_p < 1e-3
    assert len(best.own_shares) == 3
    assert set(scan.selected_indices_) == {1, 4, 8}
    assert len(scan.triples_) == len(scan.pairs_) == 10


@pytest.mark.parametrize("triples", ["all", "beam"])
def test_two_features_have_no_triples(triples, rng):
    X, y = xor(rng, n_features=2, members=(0, 1))
    scan = InteractionScan(order=3, triples=triples).fit(X, y)
    assert scan.triples_ == []
    assert found_in(scan) == [(0, 1)]


@pytest.mark.parametrize("screen_by", ["narrow", "relevance"])
def test_screening_keeps_the_pair_and_looks_at_fewer(screen_by, rng):
    X = rng.normal(size=(300, 30))
    y = ((X[:, 3] > 0) & (X[:, 7] > 0)).astype(int)
    scan = InteractionScan(screen=8, screen_by=screen_by).fit(X, y)
    assert scan.n_pairs_seen_ == 28
    assert {3, 7} <= {feature for pair in scan.pairs_ for feature in pair.features}
    assert len(scan.ranking_) == 30


def test_narrow_screening_sees_a_pure_interaction(rng):
    X = rng.choice([-1.0, 1.0], size=(400, 12))
    y = (X[:, 3] * X[:, 7] > 0).astype(int)
    assert found_in(InteractionScan(screen=4).fit(X, y))[0] == (3, 7)


def test_screening_knows_categories_counted_from_the_end(rng):
    X = rng.normal(size=(200, 12))
    X[:, 9:] = rng.integers(0, 5, (200, 3))
    y = rng.integers(0, 2, 200)
    one, other = (
        InteractionScan(screen=6, categorical=positions).fit(X, y)
        for positions in ([9, 10, 11], [-3, -2, -1])
    )
    assert {f for pair in one.pairs_ for f in pair.features} == {
        f for pair in other.pairs_ for f in pair.features
    }


def test_storage_and_precision_do_not_change_the_pairs(rng, tmp_path):
    X, y = xor(rng)
    X = X.astype(np.float32)
    names = [f"x{j}" for j in range(12)]
    np.save(tmp_path / "x.npy", X)
    pq.write_table(pa.table(dict(zip(names, X.T, strict=True))), tmp_path / "x.parquet")
    expected = InteractionScan(n_pairs=3).fit(X.astype(np.float64), y)
    for stored in (
        X,
        np.asfortranarray(X),
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        ArrayBlocks(X, names=names),
        ParquetBlocks(tmp_path / "x.parquet"),
    ):
        scan = InteractionScan(n_pairs=3).fit(stored, y)
        assert found_in(scan) == found_in(expected)
        for pair, other in zip(scan.pairs_, expected.pairs_, strict=True):
            assert pair.score == pytest.approx(other.score, rel=1e-3)
    assert scan.pairs_[0].names == ("x3", "x7")


def test_little_memory_and_one_thread_do_not_change_the_pairs(rng):
    X, y = xor(rng)
    scans = [InteractionScan(n_pairs=3), InteractionScan(n_pairs=3, memory_limit="17MB")]
    scans.append(InteractionScan(n_pairs=3, n_jobs=1))
    found = [[(p.features, round(p.score, 6)) for p in scan.fit(X, y).pairs_] for scan in scans]
    assert found[0] == found[1] == found[2]


def test_order_of_columns_and_samples_does_not_matter(rng):
    X, y = xor(rng)
    columns, samples = rng.permutation(12), rng.permutation(200)
    plain = InteractionScan(n_pairs=5).fit(X, y)
    turned = InteractionScan(n_pairs=5).fit(X[samples][:, columns], y[samples])
    for pair, other in zip(plain.pairs_, turned.pairs_, strict=True):
        assert pair.features == tuple(sorted(columns[list(other.features)].tolist()))
        assert pair.score == pytest.approx(other.score, rel=1e-4)


def test_random_state_makes_it_repeatable(rng):
    X, y = xor(rng)
    first, again, other = (
        InteractionScan(n_pairs=5, random_state=seed).fit(X, y).pairs_ for seed in (1, 1, 2)
    )
    assert first == again
    assert [pair.score for pair in first] == [pair.score for pair in other]
    assert first[1].family_wise_p != other[1].family_wise_p


def test_no_permutations_leave_chance_unknown(rng):
    pair = InteractionScan(n_permutations=0).fit(*xor(rng)).pairs_[0]
    assert np.isnan(pair.family_wise_p)
    assert np.isnan(pair.false_discovery_rate)
    assert pair.p_value < 1e-6


def test_settings_are_left_alone_and_clone_works(rng):
    scan = InteractionScan(3, categorical=[0], missing="category", n_pairs=2)
    before = scan.get_params()
    X, y = xor(rng)
    X[:, 0] = rng.integers(0, 3, len(X))
    scan.fit(X, y)
    assert scan.get_params() == before == clone(scan).get_params()
    with pytest.raises(NotFittedError):
        clone(scan).transform(X)


def test_missing_genotypes_are_refused_by_the_name_of_their_column(rng):
    X = rng.integers(0, 3, (60, 4)).astype(float)
    X[5, 2] = np.nan
    y = rng.integers(0, 2, 60)
    with pytest.raises(ValueError, match="Column 2 holds nan in row 5"):
        InteractionScan().fit(X, y)
    with pytest.raises(ValueError, match="Column 'rs2' holds nan in row 5"):
        InteractionScan().fit(ArrayBlocks(X, names=[f"rs{j}" for j in range(4)]), y)


def test_missing_values_of_a_frame_are_refused(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    frame.loc[5, "c"] = np.nan
    with pytest.raises(ValueError, match=r"'c' \(1 of 60\), has missing"):
        InteractionScan().fit(frame, rng.integers(0, 2, 60))


@pytest.mark.parametrize("as_frame", [False, True])
def test_missing_genotypes_are_a_level_when_asked(as_frame, rng):
    """That a genotype is missing is what interacts."""
    X = rng.integers(0, 3, (300, 6)).astype(float)
    X[rng.random(300) < 0.5, 1] = np.nan
    y = (np.isnan(X[:, 1]) ^ (X[:, 4] > 0)).astype(int)
    data = pd.DataFrame(X, columns=list("abcdef")) if as_frame else X
    scan = InteractionScan(2, missing="category").fit(data, y)
    assert found_in(scan)[0] == (1, 4)
    assert scan.transform(data).shape == (300, 2)
    assert np.isnan(X).any()


def test_infinity_is_refused_even_where_missing_values_are_not(rng):
    X = rng.integers(0, 3, (60, 4)).astype(float)
    X[5, 2] = np.inf
    with pytest.raises(ValueError, match="Column 2 holds inf in row 5"):
        InteractionScan(missing="category").fit(X, rng.integers(0, 2, 60))


def test_constant_features_are_warned_of_and_in_no_pair(rng):
    X, y = xor(rng, n_features=8)
    X[:, [0, 5]] = 3.0
    with pytest.warns(ConstantFeatureWarning, match=r"2 constant column\(s\).*x0, x5"):
        scan = InteractionScan(order=3).fit(X, y)
    pairs = [pair.features for pair in [*scan.pairs_, *scan.triples_]]
    assert not {0, 5} & {feature for members in pairs for feature in members}
    assert found_in(scan)[0] == (3, 7)
    assert scan.scores_[0] == scan.scores_[5] == 0
    assert set(np.argsort(scan.ranking_)[-2:]) == {0, 5}
    assert scan.n_pairs_seen_ == 15


def test_one_feature_is_refused(rng):
    X, y = xor(rng)
    with pytest.raises(ValueError, match="an interaction needs at least two"):
        InteractionScan().fit(X[:, :1], y)
    X[:, 1] = 0.0
    with (
        pytest.warns(ConstantFeatureWarning),
        pytest.raises(ValueError, match="an interaction needs at least two"),
    ):
        InteractionScan().fit(X[:, :2], y)


def test_classes_of_one_sample_are_refused_by_name(rng):
    X, y = xor(rng)
    names = np.where(y > 0, "sick", "well")
    names[3] = "odd"
    with pytest.raises(ValueError, match=r"at least 2 samples.*only one of: odd"):
        InteractionScan().fit(X, names)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 4}, "order must be an integer from 2 to 3, got 4"),
        ({"triples": "some"}, "triples must be 'auto', 'all' or 'beam', got 'some'"),
        ({"missing": "mean"}, "missing must be 'refuse' or 'category', got 'mean'"),
        ({"screen_by": "name"}, "screen_by must be 'narrow' or 'relevance', got 'name'"),
        ({"n_pairs": 0}, "n_pairs must be an integer of at least 1, got 0"),
        ({"n_pairs": 2.5}, "n_pairs must be an integer of at least 1, got 2.5"),
        ({"rank": 0}, "rank must be an integer of at least 1, got 0"),
        ({"n_permutations": -1}, "n_permutations must be an integer of at least 0, got -1"),
        ({"n_permutations": True}, "n_permutations must be an integer of at least 0"),
        ({"screen": 2}, "screen must be None or an integer of at least 3, got 2"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or an integer of at least 1, got 0"),
        ({"time_limit": 0}, "time_limit must be None or a number above 0, got 0"),
        ({"time_limit": float("nan")}, "time_limit must be None or a number above 0"),
        ({"time_limit": "1h"}, "time_limit must be None or a number above 0, got '1h'"),
        ({"memory_limit": "few"}, "memory_limit must be None, bytes as an integer"),
        ({"memory_limit": "1MB"}, "memory_limit='1MB' is too small"),
        ({"categorical": [12]}, "categorical must hold integer positions below 12"),
        ({"target_kind": "ranks"}, "target_kind must be '"),
        ({"n_features_to_select": 0}, "n_features_to_select must be"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message, rng):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        InteractionScan(**settings).fit(*xor(rng))


def test_too_long_a_scan_says_how_long_and_offers_screening(rng):
    X, y = xor(rng)
    message = (
        r"all 66 pairs of 12 features would take about .* seconds, more than time_limit=1e-09 "
        r"seconds.*screen=\d+.*screen_by='relevance'"
    )
    with pytest.raises(ValueError, match=message):
        InteractionScan(time_limit=1e-9).fit(X, y)
    assert found_in(InteractionScan(time_limit=None).fit(X, y))[0] == (3, 7)


def test_screening_is_offered_with_numbers_that_fit_the_time(rng, monkeypatch):
    monkeypatch.setattr(
        "hsieve.interactions.search.InteractionSearch.seconds",
        lambda _, *, all_triples: (32 if all_triples else 4) * 7200.0,
    )
    X, y = xor(rng, n_features=40)
    with pytest.raises(ValueError, match=r"about 8 hours, more than time_limit=7200.*screen=20 "):
        InteractionScan(time_limit=7200).fit(X, y)
    with pytest.raises(ValueError, match=r"all triples .* about 3 days, more than .*screen=12 "):
        InteractionScan(time_limit=7200, order=3, triples="all").fit(X, y)


def test_progress_speaks_of_pairs_a_second_and_ends(rng):
    heard = []
    with listen(lambda share, what: heard.append((share, what))):
        InteractionScan().fit(*xor(rng))
    assert any("pairs of features" in what and "million a second" in what for _, what in heard)
    assert any(what == "random orders of the target" for _, what in heard)
    assert all(0 <= share <= 1 + 1e-9 for share, _ in heard)
    assert heard[-1][0] == pytest.approx(1.0)
