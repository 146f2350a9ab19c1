"""The protocol of the cleavage sites, on made-up sequences with a motif, and on the collection."""

import itertools

import numpy as np
import pytest

from hsieve.data.sequences import RESIDUES, encode_windows, residue_scales, site_accuracy, windows
from reproduction import thesis_cleavage
from reproduction.cleavage_data import CleavageData, draw_windows, make_fold, rotated
from reproduction.cleavage_machine import Setting, best_setting, machine_scores
from reproduction.cleavage_rows import (
    ADDED,
    BASELINES,
    GROUPS,
    NARROW_MATRIX,
    ORIGINAL,
    THESIS,
    WIDE_MATRIX,
    Sizes,
)
from reproduction.experiment import Figure, Piece
from tests.needs import collection

SMALL = Sizes(
    n_others=3,
    n_learned=(12, 24),
    max_iter=10,
    max_samples=100,
    n_piece=5,
    n_subsamples=4,
    n_rounds=4,
    subsample=30,
    learner_samples=60,
    n_draws=2,
    n_members=3,
)
N_FOLDS = 3


def made_up(n_proteins=36, seed=0, motif="AXA"):
    """Random sequences with a hydrophobic stretch and a motif in front of the site."""
    rng = np.random.default_rng(seed)
    sequences, sites = [], []
    for _ in range(n_proteins):
        site = int(rng.integers(14, 22))
        letters = rng.choice(list(RESIDUES), site + 12)
        letters[site - 12 : site - 4] = rng.choice(list("LVIF"), 8)
        for place, letter in enumerate(motif):
            if letter != "X":
                letters[site - len(motif) + place] = letter
        sequences.append("".join(letters))
        sites.append(site)
    return sequences, sites


@pytest.fixture(scope="module")
def data():
    return CleavageData.of(*made_up())


def small_piece(group, fold=0):
    return Piece("made up", 0, fold, group, thesis_cleavage.Work(N_FOLDS, 0, SMALL))


def test_rotated_scales_keep_all_distances_and_products_of_windows():
    scales = residue_scales()
    cut = windows(made_up()[0], before=3, after=1, ends="padded")
    full, few = encode_windows(cut, scales).X, encode_windows(cut, rotated(scales)).X
    assert few.shape[1] <= 5 * 20 < full.shape[1]
    np.testing.assert_allclose(few @ few.T, full @ full.T, rtol=1e-10)


def test_narrow_windows_are_those_cut_narrow(data):
    narrow = windows(made_up()[0], before=9, after=2)
    assert data.narrow.offsets == narrow.offsets
    np.testing.assert_array_equal(data.narrow.codes, narrow.codes)
    np.testing.assert_array_equal(data.narrow.target, narrow.target)


@pytest.fixture(scope="module")
def records(data):
    return [
        record for group in GROUPS for record in thesis_cleavage.measure(small_piece(group), data)
    ]


def test_candidates_are_the_bonds_with_ten_residues_before_and_two_behind():
    sequences, sites = made_up(4)
    data = CleavageData.of(sequences, sites)
    expected = [
        (protein, bond, bond == site)
        for protein, (sequence, site) in enumerate(zip(sequences, sites, strict=True))
        for bond in range(10, len(sequence) - 1)
    ]
    found = zip(data.protein, data.wide.target + 1, data.is_site, strict=True)
    assert list(found) == expected
    for row, (protein, bond, _) in enumerate(expected):
        window = "".join(RESIDUES[code] for code in data.narrow.codes[row])
        assert window == sequences[protein][bond - 10 : bond + 2]
    assert data.wide.codes.shape[1] == 17


def test_a_site_without_a_window_is_refused():
    sequences, sites = made_up(3)
    sites[1] = 5
    with pytest.raises(ValueError, match="site of sequence 1 has no window"):
        CleavageData.of(sequences, sites)


def test_folds_share_no_protein_and_hold_out_every_protein_once(data):
    held = []
    for part in range(N_FOLDS):
        fold = make_fold(data, part, n_folds=N_FOLDS, n_others=3, seed=1)
        proteins = {
            name: set(data.protein[getattr(fold, name)].tolist())
            for name in ("training", "test", "unlabelled", "chooser_training", "chooser_test")
        }
        assert proteins["training"] == proteins["unlabelled"]
        assert not proteins["test"] & proteins["training"]
        assert not proteins["chooser_test"] & proteins["chooser_training"]
        assert proteins["chooser_test"] | proteins["chooser_training"] == proteins["training"]
        # Every window of a protein that is judged is scored.
        for name in ("test", "chooser_test"):
            every = np.flatnonzero(np.isin(data.protein, list(proteins[name])))
            np.testing.assert_array_equal(np.sort(getattr(fold, name)), every)
        held += proteins["test"]
    assert sorted(held) == list(range(36))


def test_drawn_windows_are_the_site_and_so_many_others_of_each_protein(data):
    rows = np.flatnonzero(data.protein < 20)
    drawn = draw_windows(data, rows, 4, np.random.default_rng(0))
    assert len(np.unique(drawn)) == len(drawn)
    for protein in range(20):
        own = drawn[data.protein[drawn] == protein]
        assert len(own) == 5
        assert data.is_site[own].sum() == 1
    other = draw_windows(data, rows, 4, np.random.default_rng(1))
    assert not np.array_equal(drawn, other)
    assert len(draw_windows(data, rows, 10**6, np.random.default_rng(0))) == len(rows)


def test_rotated_features_have_the_distances_of_all_scales(data):
    full, few = data.original(wide=True), data.rotated(wide=True)
    assert few.shape[1] == 17 * 20 < full.shape[1] == 17 * 54 == data.n_original(wide=True)
    assert data.n_original() == data.original().shape[1] == 648
    rows = np.arange(0, len(full), 25)
    for one, other in itertools.pairwise(rows):
        expected = np.linalg.norm(full[one] - full[other])
        assert np.linalg.norm(few[one] - few[other]) == pytest.approx(expected, rel=1e-4)


def test_the_machine_is_that_of_scikit_learn(data):
    from sklearn.metrics import pairwise_distances
    from sklearn.svm import SVC

    fold = make_fold(data, 0, n_folds=N_FOLDS, n_others=3, seed=0)
    X = data.rotated().astype(np.float64)
    features = np.arange(40)
    scores = machine_scores(X, fold, Setting(features, 2.0, 0.8, 0.0))
    fitted = X[np.ix_(fold.training, features)]
    distances = pairwise_distances(fitted, metric="sqeuclidean")
    median = np.median(distances[~np.eye(len(fitted), dtype=bool)])
    machine = SVC(C=2.0, gamma=0.5 / (0.8**2 * median), tol=1e-6)
    machine.fit(fitted, data.is_site[fold.training])
    expected = machine.decision_function(X[np.ix_(fold.test, features)])
    # Windows are compared with each other, so that the intercept is left out.
    np.testing.assert_allclose(scores, expected - machine.intercept_, atol=5e-3)


def test_settings_are_chosen_without_the_proteins_held_out(data):
    fold = make_fold(data, 0, n_folds=N_FOLDS, n_others=3, seed=0)
    X = data.rotated()
    setting = best_setting(X, fold, sets=[np.arange(20), np.arange(200)])
    spoilt = X.copy()
    spoilt[fold.test] = np.random.default_rng(0).normal(size=X[fold.test].shape)
    again = best_setting(spoilt, fold, sets=[np.arange(20), np.arange(200)])
    assert (setting.cost, setting.width) == (again.cost, again.width)
    assert setting.reciprocal_rank == again.reciprocal_rank
    assert len(setting.features) == 200


def test_every_row_is_measured_once(records):
    assert [record["row"] for record in records if record["row"] in THESIS] == list(THESIS)
    assert {record["row"] for record in records} == {*THESIS, *BASELINES, *ADDED}
    assert len(records) == len({record["row"] for record in records})
    for record in records:
        right = [int(protein) for protein in record["right"].split()]
        wrong = [int(protein) for protein in record["wrong"].split()]
        assert len(right) + len(wrong) == record["n_proteins"] == 12
        assert not set(right) & set(wrong)
        assert record["accuracy"] == pytest.approx(len(right) / 12)
        assert record["n_features"] >= 1
    # A motif and a stretch can be learned from 24 proteins by what looks at them.
    found = {record["row"]: record["accuracy"] for record in records}
    assert min(found[NARROW_MATRIX], found[WIDE_MATRIX], found[ORIGINAL]) > 0.5


def test_a_fold_is_measured_the_same_again(data, records):
    again = thesis_cleavage.measure(small_piece("learned features"), data)
    before = [record for record in records if record["method"] == "learned features"]
    for one, other in zip(before, again, strict=True):
        assert {key: value for key, value in one.items() if key != "cpu_seconds"} == {
            key: value for key, value in other.items() if key != "cpu_seconds"
        }


def test_labels_of_the_proteins_held_out_play_no_part(data):
    piece = small_piece("learned features")
    fold = make_fold(data, 0, n_folds=N_FOLDS, n_others=3, seed=thesis_cleavage.seed_of(0, 0))
    flipped = data.is_site.copy()
    flipped[fold.test] = np.roll(flipped[fold.test], 1)
    changed = CleavageData(data.wide, flipped)
    spoilt = make_fold(changed, 0, n_folds=N_FOLDS, n_others=3, seed=thesis_cleavage.seed_of(0, 0))
    for one, other in zip(
        GROUPS[piece.method](fold, SMALL, 5), GROUPS[piece.method](spoilt, SMALL, 5), strict=True
    ):
        assert one.chosen == other.chosen
        np.testing.assert_array_equal(one.scores, other.scores)


def test_the_plan_has_every_fold_of_every_group():
    pieces = thesis_cleavage.plan(2, 0)
    assert len({piece.key for piece in pieces}) == len(pieces) == 2 * 10 * 4
    assert [piece.key for piece in thesis_cleavage.plan(1, 0)] == [
        piece.key for piece in pieces if piece.trial == 0
    ]


def some_record(row, fold, right, wrong, n_folds=2):
    return {
        "row": row,
        "trial": 0,
        "fold": fold,
        "right": right,
        "wrong": wrong,
        "n_features": 10 + fold,
        "n_folds": n_folds,
        "cpu_seconds": 1.0,
    }


def test_rows_compare_protein_by_protein():
    records = [
        some_record(ORIGINAL, 0, "0 1", "2"),
        some_record(ORIGINAL, 1, "3", "4"),
        some_record(NARROW_MATRIX, 0, "0 1 2", ""),
    ]
    rows = thesis_cleavage.rows_of(records)
    original, matrix = rows[ORIGINAL], rows[NARROW_MATRIX]
    assert original.accuracy.mean == pytest.approx(60)
    assert original.accuracy.deviation == pytest.approx(100 * np.sqrt(0.24 / 5))
    assert matrix.above(original).mean == pytest.approx(100 / 3)
    assert thesis_cleavage.rows_of([some_record("x", 0, "9", "")])["x"].above(original) is None
    cells = {cell.method: cell for cell in thesis_cleavage.summarise(records)}
    assert cells[ORIGINAL].published == Figure(67.2, 0.0)
    assert cells[ORIGINAL].difference == pytest.approx(60 - 67.2)
    assert cells[NARROW_MATRIX].measured.mean == pytest.approx(100)


def test_rows_that_are_missing_or_in_part_say_so():
    (table,) = thesis_cleavage.tables([some_record(NARROW_MATRIX, 0, "0 1 2", "")])
    by_name = {row[0]: row for row in table.rows}
    assert len(table.rows) == len(THESIS) + len(BASELINES) + len(ADDED)
    assert all(len(row) == len(table.headings) for row in table.rows)
    assert by_name[NARROW_MATRIX][2] == "100.0 ± 0.0"
    assert by_name[NARROW_MATRIX][6] == "1 of 2"
    assert by_name[ORIGINAL][2] == "not measured"
    assert by_name[ORIGINAL][-1] == "67.2"
    (cell,) = [cell for cell in thesis_cleavage.summarise([]) if cell.measured == "not measured"]
    assert cell.method == ORIGINAL


@collection
@pytest.mark.data
def test_weight_matrices_find_real_sites_and_wide_ones_more():
    piece = thesis_cleavage.plan(1, 0)[0]
    data = thesis_cleavage.load(piece)
    assert data.is_site.sum() == len(np.unique(data.protein)) == 1005
    records = [
        record
        for fold in range(10)
        for record in thesis_cleavage.measure(
            Piece(piece.dataset, 0, fold, "weight matrices", piece.work), data
        )
    ]
    rows = thesis_cleavage.rows_of(records)
    assert 50 < rows[NARROW_MATRIX].accuracy.mean < 62
    difference = rows[WIDE_MATRIX].above(rows[NARROW_MATRIX])
    assert difference.mean > 3 * difference.deviation
    # The source has positions -13 to +7 of the true bond; ours must agree with it.
    site = np.flatnonzero(data.is_site)
    known = thesis_cleavage.load_dataset(thesis_cleavage.FILE)
    np.testing.assert_array_equal(
        data.narrow.codes[site], known.X[known.y == 1][:, 3:15].astype(np.uint8)
    )
    assert site_accuracy(data.is_site, data.protein, data.is_site) == 1.0
