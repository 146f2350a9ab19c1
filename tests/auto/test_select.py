"""hsieve.select: data of every kind give the same selection, in words; bad wishes are refused."""

import pickle
import subprocess
import sys
import warnings
from html import unescape

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import hsieve
from hsieve import (
    BAHSIC,
    FewerFeaturesWarning,
    KernelPursuit,
    LassoSelector,
    MaxRelevance,
    Selection,
)
from hsieve.auto import choice
from hsieve.data.arrays import as_blocks
from hsieve.data.views import SampleBlocks
from hsieve.datasets import make_xor
from tests.annotated import FORMS, as_form, counts_and_states
from tests.frames import LIBRARIES, as_frame, mixed_columns, mixed_frame


def select(X, y, **options):
    """Select with time enough for a busy machine."""
    return hsieve.select(X, y, **{"time_allowed": "minutes", **options})


@pytest.fixture(scope="module")
def xor():
    return make_xor(120, 12, random_state=0)


class TestKindsOfData:
    @pytest.mark.parametrize("method", ["auto", "n3lars", "mrmr", "bahsic"])
    def test_frames_give_the_selection_of_the_array(self, method):
        X, y, categorical = mixed_columns()
        options = {"method": method, "n_features_to_select": 2}
        names = ["age", "dose", "site", "smoker", "sex", "noise"]
        expected = select(X, y, categorical=categorical, names=names, **options)
        for library in LIBRARIES:
            found = select(mixed_frame(library, X), y, **options)
            assert found.features == expected.features
            assert found.method == expected.method
            np.testing.assert_array_equal(found.indices, expected.indices)
            np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-5)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("method", ["auto", "pairs", "bahsic"])
    def test_anndata_of_every_form_gives_the_selection_of_the_array(self, form, method, tmp_path):
        counts, states = counts_and_states()
        options = {"method": method, "n_features_to_select": 2}
        expected = select(counts, states, **options)
        assert sorted(expected.indices.tolist()) == [3, 11]
        found = select(as_form(form, counts, states, tmp_path), "state", **options)
        np.testing.assert_array_equal(found.indices, expected.indices)
        assert found.features == tuple(f"gene{i}" for i in expected.indices)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4)

    def test_sparse_matrices_and_blocks(self, xor):
        expected = select(xor.X, xor.y, method="pairs", n_features_to_select=2).indices
        for data in (sparse.csr_array(xor.X), sparse.csc_matrix(xor.X), as_blocks(xor.X)):
            found = select(data, xor.y, method="pairs", n_features_to_select=2)
            np.testing.assert_array_equal(found.indices, expected)

    @pytest.mark.parametrize("library", LIBRARIES)
    def test_the_target_may_be_a_column(self, library):
        X, y, _ = mixed_columns()
        columns = {f"x{i}": X[:, i] for i in range(6)}
        found = select(as_frame(library, columns | {"out": y}), "out", method="n3lars")
        expected = select(as_frame(library, columns), y, method="n3lars")
        assert found.features == expected.features
        assert "out" not in found.names

    def test_data_of_a_cluster_are_collected(self, xor):
        array = pytest.importorskip("dask.array").from_array(xor.X)
        found = select(array, xor.y, method="pairs", n_features_to_select=2)
        expected = select(xor.X, xor.y, method="pairs", n_features_to_select=2)
        np.testing.assert_array_equal(found.indices, expected.indices)
        assert any(note.endswith("from the cluster.") for note in found.notes)


@pytest.fixture(scope="module")
def found(xor):
    return select(xor.X, xor.y, method="pairs", n_features_to_select=2)


class TestChoices:
    def test_a_pair_and_its_number_are_found(self, xor):
        found = select(xor.X, xor.y)
        assert sorted(found.features) == ["x0", "x1"]
        assert found.method == "pursuit"
        assert type(found.selector) is KernelPursuit
        assert found.width > 0
        assert found.reasons[0] == "120 samples, 12 features, a target with 2 classes."
        assert found.reasons[1].startswith("Kernel pursuit found 2 features that together explain")
        assert len(found.reasons) <= 3

    def test_effects_that_add_up_and_no_copy(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 20))
        X[:, 9] = X[:, 3] + 0.2 * rng.normal(size=400)
        y = X[:, 3] + X[:, 7] ** 2 + np.sin(3 * X[:, 12]) + 0.2 * rng.normal(size=400)
        found = select(X, y)
        assert sorted(found.indices.tolist()) == [3, 7, 12]
        assert found.substitutes == {"x3": ("x9",)}

    def test_groups_of_any_size_are_left_to_elimination(self):
        """A parity of four, of which no pair or triple tells anything."""
        X = np.random.default_rng(1).choice([-1.0, 1.0], size=(300, 8))
        y = (X[:, [0, 2, 5, 6]].prod(axis=1) > 0).astype(int)
        found = select(X, y)
        assert found.method == "bahsic"
        assert sorted(found.indices.tolist()) == [0, 2, 5, 6]
        assert "bahsic with 4 features predicted held-out samples best" in found.reasons[1]

    def test_many_weak_features_of_few_samples(self):
        """Hardly any passes a test by itself, and yet together they predict."""
        rng = np.random.default_rng(2)
        y = np.arange(60) % 3
        X = rng.normal(size=(60, 200))
        X[:, :60] += 0.8 * rng.normal(size=(3, 60))[y]
        found = select(X, y)
        assert len(found) > len(KernelPursuit().fit(X, y).selected_indices_)
        assert np.mean(found.indices < 60) > 0.7

    def test_many_noisy_measures_of_the_same_predict_best_together(self):
        rng = np.random.default_rng(0)
        latent = rng.normal(size=(150, 1))
        X = latent + 4.0 * rng.normal(size=(150, 200))
        found = select(X, latent[:, 0])
        assert found.method == "forest"
        assert len(found) > 64

    def test_noise_selects_nothing_and_says_so(self):
        rng = np.random.default_rng(0)
        found = select(rng.normal(size=(80, 15)), rng.normal(size=80))
        assert found.features == ()
        assert found.reasons[1] == (
            "No feature is related to the target beyond chance, or predicts samples held out."
        )
        assert str(found).startswith("0 of 15 features")
        assert found.summary().to_dict()["repeat"]["python"].endswith("found.features  # none")

    def test_a_number_of_features_of_noise_is_given(self, rng):
        found = select(rng.normal(size=(80, 6)), rng.normal(size=80), n_features_to_select=2)
        assert len(found) == 2
        assert found.reasons[1].startswith("Kernel pursuit: 0 of 2 features passed its tests")

    def test_of_many_samples_some_are_used_and_all_classes(self, monkeypatch):
        monkeypatch.setattr(choice, "VALUES_A_SECOND", 10)
        monkeypatch.setattr(choice, "FEWEST_ROWS", 150)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3_000, 4))
        y = np.where(X[:, 2] > 0, "common", "other")
        y[:3] = "rare"
        found = select(X, y)
        assert "x2" in found.features
        (note,) = found.notes
        assert note.endswith("of 3,000 samples were used, for want of time.")
        assert int(note.split()[0]) >= 150

    def test_the_same_seed_gives_the_same(self, xor):
        one, two = (select(xor.X, xor.y, random_state=5) for _ in range(2))
        assert one.reasons == two.reasons
        np.testing.assert_array_equal(one.scores, two.scores)

    def test_several_outputs_and_numbers(self, rng):
        X = rng.normal(size=(90, 5))
        Y = np.column_stack([X[:, 1] ** 2, np.abs(X[:, 3])])
        found = select(X, Y, n_features_to_select=2)
        assert sorted(found.indices.tolist()) == [1, 3]
        assert any("a target with 2 outputs" in reason for reason in found.reasons)

    def test_a_method_given_is_kept(self, xor):
        found = select(xor.X, xor.y, method="bahsic")
        assert type(found.selector) is BAHSIC
        assert len(found) == 2
        assert found.reasons[1] == "bahsic was asked for."
        found = select(xor.X, xor.y, method="l1-lsmi", n_features_to_select=2)
        assert len(found) == 2

    def test_a_selector_given_is_copied(self, xor):
        mine = LassoSelector(3)
        found = select(xor.X, xor.y, method=mine)
        assert found.method == "LassoSelector"
        assert len(found) == 3
        assert not hasattr(mine, "selected_indices_")
        assert len(select(xor.X, xor.y, method=mine, n_features_to_select=5)) == 5

    def test_a_selector_given_is_told_the_categories(self):
        X, y, categorical = mixed_columns()
        found = select(mixed_frame("polars", X), y, method=MaxRelevance(2))
        assert found.selector.categorical_.tolist() == categorical

    def test_constant_columns_are_told_not_warned_of(self, xor):
        X = np.column_stack([xor.X, np.ones(120)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = select(X, xor.y)
        assert any(
            "1 column holds one single value and can never be chosen: 'x12'" in r
            for r in found.notes
        )

    def test_more_features_than_there_are(self, xor):
        with pytest.warns(FewerFeaturesWarning, match="only 12"):
            found = select(xor.X, xor.y, n_features_to_select=20, method="n3lars")
        assert len(found) == 12
        assert any("20 features were asked for, but there are only 12" in r for r in found.notes)


class TestMissing:
    def test_refused_in_words(self, xor):
        X = xor.X.copy()
        X[3:6, 2] = np.nan
        with pytest.raises(ValueError, match=r"1 of 12 columns of X have.*2 \(3\).*missing='impu"):
            select(X, xor.y)
        with pytest.raises(ValueError, match=r"'x2' \(3 of 120\), has missing.*missing='impute'"):
            select(pd.DataFrame(X, columns=[f"x{i}" for i in range(12)]), xor.y)
        X[3, 2] = np.inf
        X[4:6, 2] = 0.0
        with pytest.raises(ValueError, match="infinite values"):
            select(X, xor.y)

    @pytest.mark.parametrize("library", [*LIBRARIES, "array"])
    def test_imputed_when_asked_and_told(self, library, xor):
        X = xor.X.copy()
        X[3:6, 2] = np.nan
        data = X
        if library != "array":
            data = as_frame(library, {f"x{i}": X[:, i] for i in range(12)})
        found = select(data, xor.y, missing="impute")
        assert sorted(found.features) == ["x0", "x1"]
        assert "3 of 120 values missing, filled with the median" in found.notes[0]
        # A report fills the gaps in the same way, and says how to get the selection again.
        told = found.summary(data, xor.y)
        assert [row.name for row in told.chosen] == list(found.features)
        assert "hsieve.select(X, y, time_allowed=300.0, missing='impute')" in told.repeat.python
        assert told.repeat.command.endswith("--time-allowed 300.0 --missing impute")
        # Filled in or not, other samples are not those of the selection.
        with pytest.raises(ValueError, match="values of X are not those"):
            found.summary(
                data[::-1] if library != "arrow" else data.take(list(range(119, -1, -1))), xor.y
            )

    def test_that_nothing_is_missing_is_said_too(self, xor):
        found = select(xor.X, xor.y, missing="impute")
        assert found.notes[0] == "No value was missing."

    def test_sparse_data_are_imputed_too(self, xor):
        X = xor.X.copy()
        X[3:6, 2] = np.nan
        dense, found = (select(x, xor.y, missing="impute") for x in (X, sparse.csr_array(X)))
        assert found.features == dense.features
        np.testing.assert_array_equal(found.scores, dense.scores)


REFUSED = [
    (
        {"method": "laso"},
        r"There is no method 'laso'; did you mean lasso",
    ),
    ({"method": BAHSIC}, "or a selector, got <class"),
    (
        {"n_features_to_select": 0},
        "n_features_to_select must be None or an integer of at least 1, got 0",
    ),
    ({"n_features_to_select": True}, "n_features_to_select must be None or an integer"),
    ({"n_features_to_select": "guarded"}, "n_features_to_select must be None or an integer"),
    ({"time_allowed": "days"}, "time_allowed must be one of 'seconds', 'minutes', 'hours', or sec"),
    ({"time_allowed": 0}, "time_allowed must be one of"),
    ({"time_allowed": None}, "time_allowed must be one of"),
    ({"missing": "mean"}, "missing must be 'refuse', 'impute' or 'category', got 'mean'"),
    ({"random_state": None}, "random_state must be an integer of at least 0, got None"),
    ({"names": ["a"]}, "names must be one for each of 12 features, got 1"),
    ({"names": ["a"] * 12}, "names must differ"),
    ({"categorical": ["sex"]}, "categorical holds 'sex', but the features are 'x0'"),
    ({"y": None}, "y must hold the target.*got None"),
    ({"y": "outcome"}, "X is no data frame"),
    ({"y": np.zeros(120)}, "1 class; at least two"),
    ({"y": np.arange(7)}, "inconsistent numbers of samples"),
    ({"X": np.ones((3, 2)), "y": [0, 1, 1]}, "at least 4 samples"),
    ({"X": np.ones((120, 2))}, "are constant: there is nothing to select from"),
    ({"X": [["a", "b"]] * 120}, "Convert your data to numeric values"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[words[:30] for _, words in REFUSED])
def test_bad_wishes_are_refused_in_words(changes, words, xor):
    given = {"X": xor.X, "y": xor.y, **changes}
    with pytest.raises(ValueError, match=words):
        select(given.pop("X"), given.pop("y"), **given)


class TestSelection:
    def test_data_of_every_kind_are_cut_down(self, found, xor, tmp_path):
        chosen = np.sort(found.indices)
        np.testing.assert_array_equal(found.transform(xor.X), xor.X[:, chosen])
        np.testing.assert_array_equal(found.transform(as_blocks(xor.X)), xor.X[:, chosen])
        kept = found.transform(sparse.csr_array(xor.X))
        np.testing.assert_array_equal(kept.toarray(), xor.X[:, chosen])
        for library in LIBRARIES:
            # In another order and with others beside: frames go by names.
            columns = {f"x{i}": xor.X[:, i] for i in reversed(range(14)) if i < 12}
            frame = as_frame(library, columns | {"more": xor.X[:, 0]})
            kept = found.transform(frame)
            assert type(kept) is type(frame)
            names = list(kept.column_names if library == "arrow" else kept.columns)
            assert names == ["x1", "x0"]

    def test_an_anndata_is_cut_down(self, tmp_path):
        counts, states = counts_and_states()
        adata = as_form("csr", counts, states, tmp_path)
        kept = select(adata, "state", method="n3lars", n_features_to_select=2).transform(adata)
        assert kept.var_names.tolist() == ["gene3", "gene11"]

    def test_types_survive(self):
        X, y, _ = mixed_columns()
        frame = mixed_frame("pandas", X)
        found = select(frame, y, method="n3lars", n_features_to_select=3)
        pd.testing.assert_frame_equal(
            found.transform(frame), frame[[n for n in frame.columns if n in found.features]]
        )

    def test_other_data_are_refused(self, found, xor):
        with pytest.raises(ValueError, match="X must have 12 columns, as in the selection, got 5"):
            found.transform(xor.X[:, :5])
        with pytest.raises(ValueError, match=r"The data have no column 'x[01]', which was chosen"):
            found.transform(pl.DataFrame({"a": [1.0]}))

    def test_it_reads_well(self, found):
        lines = str(found).splitlines()
        assert lines[0] == "2 of 12 features by pairs"
        assert lines[1].split()[:2] == ["1", found.features[0]]
        assert "Why:" in lines
        assert repr(found) == str(found)

    def test_long_selections_are_cut_and_names_are_plain(self, rng):
        names = [f"<b>{i}</b>\n" for i in range(30)]
        X = rng.normal(size=(50, 30))
        found = select(X, X[:, 0], method="n3lars", n_features_to_select=25, names=names)
        assert "... and" in str(found)
        assert "\n\n" not in str(found)
        page = found._repr_html_()
        assert "<b>" not in page
        assert "&lt;b&gt;0&lt;/b&gt;\\n" in page
        assert f"... and {len(found) - 20} more" in page

    def test_it_pickles(self, found, xor):
        again = pickle.loads(pickle.dumps(found))
        assert again.features == found.features
        np.testing.assert_array_equal(again.transform(xor.X), found.transform(xor.X))

    def test_summary_and_report_are_those_of_the_selector_with_the_reasons(self, found, xor):
        summary = found.summary(xor.X, xor.y)
        assert [row.name for row in summary.chosen] == list(found.features)
        assert summary.reasons == found.reasons
        report = found.report(xor.X, xor.y, title="mine")
        assert report.summary.features == summary.features
        assert report.summary.title == "mine"
        assert all(reason in unescape(report.html) for reason in found.reasons)

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("n_features", [None, 2])
    def test_a_report_says_that_the_number_was_given_only_if_it_was(self, n_features):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(150, 8))
        y = np.sign(X[:, 0] * X[:, 1]) + np.abs(X[:, 2]) + 0.3 * rng.normal(size=150)
        found = select(X, y, n_features_to_select=n_features)
        assert found.selector.n_features_to_select is not None or n_features is None
        told = found.report(X, y).summary
        titles = [one["title"] for one in told.pitfalls]
        is_said = "The number of features does not come from the data" in titles
        assert is_said == (n_features is not None)
        # Neither warns of names that an array cannot have.
        assert told.warnings == found.selector.report(X, y).summary.warnings == ()

    def test_names_reach_the_selector(self, xor):
        names = [f"gene {i}" for i in range(12)]
        found = select(xor.X, xor.y, method="bahsic", n_features_to_select=2, names=names)
        assert found.selector.feature_names_in_.tolist() == names


def test_what_does_not_fit_into_memory_is_not_held_whole(xor, monkeypatch):
    monkeypatch.setattr("hsieve.dataset.free_memory", lambda: 1000)
    monkeypatch.setattr("hsieve.selectors.input_data.free_memory", lambda: 1000)
    columns = SampleBlocks(as_blocks(xor.X), np.arange(120))
    found = select(columns, xor.y)
    assert "bahsic" not in " ".join(found.reasons)
    with pytest.raises(ValueError, match=r"BAHSIC holds all data in memory, twice.*N3LARS or MRMR"):
        select(columns, xor.y, method="bahsic")


def test_select_is_imported_late():
    code = (
        "import sys, hsieve; assert 'hsieve.auto' not in sys.modules; "
        "assert 'select' in dir(hsieve) and callable(hsieve.select); "
        "assert 'anndata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"select", "Selection"} <= set(hsieve.__all__)
    assert hsieve.Selection is Selection
