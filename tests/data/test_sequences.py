"""Windows of sequences, their coding, and the judge of sites."""

import itertools
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from hsieve.data.sequences import (
    RESIDUES,
    SCALES,
    UNKNOWN_CODE,
    ResidueScales,
    best_windows,
    encode_windows,
    residue_scales,
    site_accuracy,
    windows,
)
from hsieve.exceptions import MissingExtraError


def some_sequences(n_sequences=6, seed=0, shortest=15, longest=25):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shortest, longest, n_sequences)
    return ["".join(rng.choice(list(RESIDUES), length)) for length in lengths]


def letters(codes):
    return "".join((RESIDUES + "-")[code] for code in codes)


@pytest.mark.parametrize(("before", "after"), [(9, 2), (0, 0), (3, 0), (0, 4)])
def test_windows_inside_are_the_slices_of_the_sequence(before, after):
    sequences = some_sequences()
    expected = [
        (place, target, sequence[target - before : target + after + 1])
        for place, sequence in enumerate(sequences)
        for target in range(before, len(sequence) - after)
    ]
    cut = windows(sequences, before=before, after=after)
    found = zip(cut.sequence, cut.target, map(letters, cut.codes), strict=True)
    assert list(found) == expected


def test_padded_windows_have_every_residue_as_target_and_unknown_beyond_the_ends():
    cut = windows(["MK", "ACDEF"], before=2, after=1, ends="padded")
    assert [letters(codes) for codes in cut.codes] == [
        "--MK",
        "-MK-",
        "--AC",
        "-ACD",
        "ACDE",
        "CDEF",
        "DEF-",
    ]
    assert cut.target.tolist() == [0, 1, 0, 1, 2, 3, 4]


def test_small_letters_count_as_capitals_and_unusual_ones_as_unknown():
    cut = windows(["mKxUbO"], before=0, after=0)
    unknown = UNKNOWN_CODE
    assert cut.codes[:, 0].tolist() == [10, 8, unknown, unknown, unknown, unknown]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "at least one sequence"),
        ("MKLAACDEFGHIK", "a list of sequences"),
        (7, "a list of sequences"),
        (["MKLAACDEFGHIK", ""], "Sequence 1 is empty"),
        (["MKLAACDEFGHIK", None], "Sequence 1 must be text"),
        (["MKLAA*CDEFGHIK"], r"Sequence 0 has '\*' at position 5.*accepted are ACDEF"),
        (["MKLAA\u03b1CDEFGHIK"], "Sequence 0 has '\u03b1' at position 5"),
        (["MKLAACDEFGHIK", "MKLAA"], "Sequence 1 has 5 residues, but a window has 12"),
    ],
)
def test_odd_sequences_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        windows(given)


@pytest.mark.parametrize(
    "options", [{"before": -1}, {"after": 1.5}, {"before": True}, {"ends": "wrapped"}]
)
def test_odd_settings_of_windows_are_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} must be"):
        windows(["MKLAACDEFGHIK"], **options)


def test_there_are_54_different_scales_without_missing_values():
    scales = residue_scales()
    assert scales.names == tuple(SCALES)
    assert scales.values.shape == (20, 54)
    assert np.isfinite(scales.values).all()
    correlations = np.corrcoef(scales.values.T) - np.eye(54)
    assert np.abs(correlations).max() < 1 - 1e-6


def test_scales_are_scaled_over_the_residues():
    raw = residue_scales(scaling="none").values
    ranged = residue_scales(scaling="range").values
    standard = residue_scales(scaling="standardise").values
    np.testing.assert_array_equal(ranged.min(axis=0), 0)
    np.testing.assert_array_equal(ranged.max(axis=0), 1)
    np.testing.assert_allclose(standard.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standard.std(axis=0), 1)
    for column in range(54):
        for other in (ranged, standard):
            assert np.corrcoef(raw[:, column], other[:, column])[0, 1] == pytest.approx(1)


def test_scales_go_by_our_name_by_accession_number_or_by_a_name_of_ones_own():
    ours = residue_scales(["hydropathy"]).values
    theirs = residue_scales(["KYTJ820101"])
    own = residue_scales({"greasy": "KYTJ820101"})
    np.testing.assert_array_equal(ours, theirs.values)
    np.testing.assert_array_equal(ours, own.values)
    assert (theirs.names, own.names) == (("KYTJ820101",), ("greasy",))
    # Isoleucine is the most, arginine the least hydrophobic residue of this scale.
    assert RESIDUES[ours.argmax()] + RESIDUES[ours.argmin()] == "IR"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["greasiness"], "no scale 'greasiness'"),
        ([], "at least one scale"),
        ("hydropathy", "a list of names"),
        (["AVBF000101"], "no value for"),
    ],
)
def test_scales_that_there_are_not_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        residue_scales(given)


def test_odd_scalings_are_refused():
    with pytest.raises(ValueError, match="scaling must be 'range'"):
        residue_scales(scaling="ranks")


def test_without_aaindex_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "aaindex", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"hsieve\[sequences\]\""):
        residue_scales()


def test_every_residue_is_coded_by_its_scales():
    scales = residue_scales()
    cut = windows(["MKXLA", "WYA"], before=1, after=1, ends="padded")
    coded = encode_windows(cut, scales)
    assert coded.X.shape == (8, 3 * 54)
    assert len(set(coded.names)) == 3 * 54
    for row, (place, offset) in itertools.product(range(8), enumerate((-1, 0, 1))):
        letter = letters(cut.codes[row])[place]
        expected = scales.values.mean(axis=0)
        if letter != "-":
            expected = scales.values[RESIDUES.index(letter)]
        columns = [coded.names.index(f"{name}[{offset}]") for name in SCALES]
        np.testing.assert_allclose(coded.X[row, columns], expected)


def test_a_table_of_another_shape_is_refused():
    cut = windows(["MKLA"], before=1, after=1)
    with pytest.raises(ValueError, match="must have 20 rows"):
        encode_windows(cut, ResidueScales(("a",), np.ones((21, 1))))


def test_the_best_window_of_each_sequence_is_found_whatever_the_order():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 7, 60)
    scores = rng.integers(0, 5, 60).astype(float)
    expected = [
        max(np.flatnonzero(groups == group), key=lambda row: (scores[row], -row))
        for group in range(7)
    ]
    assert best_windows(scores, groups).tolist() == expected


def test_site_accuracy_counts_sequences_not_windows():
    groups = [0] * 9 + [1]
    is_site = [0] * 8 + [1, 1]
    assert site_accuracy(np.arange(10), groups, is_site) == 1.0
    assert site_accuracy(-np.arange(10), groups, is_site) == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, 0.2], [0], [1, 0]), "one value for each window"),
        (([], [], []), "at least one"),
        (([0.1, np.nan], [0, 0], [1, 0]), "NaN"),
        (([0.1, 0.2], [0, 0], [1]), "is_site must have"),
    ],
)
def test_scores_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        site_accuracy(*arguments)


def test_sites_that_follow_a_motif_are_found_by_grouped_validation():
    rng = np.random.default_rng(1)
    sequences, sites = some_sequences(60, seed=2, shortest=20, longest=30), []
    for place, sequence in enumerate(sequences):
        site = int(rng.integers(6, len(sequence) - 2))
        sites.append(site)
        sequences[place] = sequence[: site - 2] + "WCW" + sequence[site + 1 :]
    cut = windows(sequences, before=3, after=1)
    is_site = cut.target == np.array(sites)[cut.sequence]
    scores = cross_val_predict(
        LogisticRegression(),
        encode_windows(cut).X,
        is_site,
        groups=cut.sequence,
        cv=GroupKFold(3),
        method="decision_function",
    )
    assert site_accuracy(scores, cut.sequence, is_site) > 0.9
