"""hsieve.select: data of every kind give the same selection, in words; bad wishes are refused."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import hsieve
from hsieve import BAHSIC, FillMissing, LassoSelector, MaxRelevance, Selection, select
from hsieve.automatic import opening
from hsieve.data.blocks import as_blocks
from hsieve.data.synthetic import make_xor
from tests.annotated import FORMS, as_form, counts_and_states
from tests.frames import LIBRARIES, as_frame, mixed_columns, mixed_frame

# Short of the time to try methods: choices by tests, in a second.
SHORT = 0.5


@pytest.fixture(scope="module")
def xor():
    return make_xor(120, 12, random_state=0)


class TestKindsOfData:
    @pytest.mark.parametrize("method", ["auto", "n3lars", "mrmr", "bahsic"])
    def test_frames_give_the_selection_of_the_array(self, method):
        X, y, categorical = mixed_columns()
        options = {"method": method, "time_allowed": SHORT, "n_features": 2}
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
        options = {"method": method, "time_allowed": SHORT, "n_features": 2}
        expected = select(counts, states, **options)
        assert sorted(expected.indices.tolist()) == [3, 11]
        found = select(as_form(form, counts, states, tmp_path), "state", **options)
        np.testing.assert_array_equal(found.indices, expected.indices)
        assert found.features == tuple(f"gene{i}" for i in expected.indices)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4)

    def test_sparse_matrices_and_blocks(self, xor):
        expected = select(xor.X, xor.y, method="pairs", n_features=2).indices
        for data in (sparse.csr_array(xor.X), sparse.csc_matrix(xor.X), as_blocks(xor.X)):
            found = select(data, xor.y, method="pairs", n_features=2)
            np.testing.assert_array_equal(found.indices, expected)

    @pytest.mark.parametrize("library", LIBRARIES)
    def test_the_target_may_be_a_column(self, library):
        X, y, _ = mixed_columns()
        columns = {f"x{i}": X[:, i] for i in range(6)}
        found = select(as_frame(library, columns | {"out": y}), "out", method="n3lars")
        expected = select(as_frame(library, columns), y, method="n3lars")
        assert found.features == expected.features
        assert "out" not in found.names

    def test_data_elsewhere_are_refused(self, xor):
        array = pytest.importorskip("dask.array").from_array(xor.X)
        with pytest.raises(ValueError, match=r"hsieve.select needs the whole data"):
            select(array, xor.y)


@pytest.fixture(scope="module")
def found(xor):
    return select(xor.X, xor.y, method="pairs", n_features=2)


class TestChoices:
    def test_methods_are_tried_and_the_number_is_found(self, xor):
        found = select(xor.X, xor.y, time_allowed=9)
        assert sorted(found.features) == ["x0", "x1"]
        assert found.method == "pairs"
        assert found.selector.interactions == "pairs"
        assert found.width > 0
        told = " ".join(found.reasons)
        for words in ("120 samples, 12 features, a target of 2 classes", "are tried on 5 folds"):
            assert words in told
        assert "pairs 1.000 (2)" in told

    def test_with_little_time_features_are_tested(self, xor):
        found = select(xor.X, xor.y, time_allowed=SHORT)
        assert sorted(found.features) == ["x0", "x1"]
        told = " ".join(found.reasons)
        assert "No single feature shows" in told
        assert "Pairs do (family-wise p =" in told
        assert found.selector.n_features_choice_.reason in told
        assert found.width == found.selector.n_features_choice_.width

    def test_single_effects_that_show_need_no_more(self, rng):
        X = rng.normal(size=(100, 8))
        found = select(X, X[:, 5] ** 2, time_allowed=SHORT)
        assert found.method == "n3lars"
        assert found.features[0] == "x5"
        assert any("Single features show" in reason for reason in found.reasons)

    def test_triples_are_left_to_groups(self):
        rng = np.random.default_rng(1)
        X = rng.choice([-1.0, 1.0], size=(200, 6))
        y = (X[:, 0] * X[:, 1] * X[:, 2] > 0).astype(int)
        found = select(X, y, time_allowed=1.5)
        assert found.method == "bahsic"
        assert sorted(found.features) == ["x0", "x1", "x2"]

    def test_the_same_seed_gives_the_same(self, xor):
        one, two = (select(xor.X, xor.y, time_allowed=4, random_state=5) for _ in range(2))
        assert one.reasons == two.reasons
        np.testing.assert_array_equal(one.scores, two.scores)

    def test_several_outputs_and_numbers(self, rng):
        X = rng.normal(size=(90, 5))
        Y = np.column_stack([X[:, 1] ** 2, np.abs(X[:, 3])])
        found = select(X, Y, n_features=2, time_allowed=9)
        assert sorted(found.indices.tolist()) == [1, 3]
        assert any("a target of 2 outputs" in reason for reason in found.reasons)

    def test_a_method_given_is_kept(self, xor):
        found = select(xor.X, xor.y, method="bahsic")
        assert type(found.selector) is BAHSIC
        assert len(found) == 2
        assert found.reasons[1] == "bahsic was asked for."
        found = select(xor.X, xor.y, method="l1-lsmi", n_features=2)
        assert len(found) == 2

    def test_a_selector_given_is_copied(self, xor):
        mine = LassoSelector(3)
        found = select(xor.X, xor.y, method=mine)
        assert found.method == "LassoSelector"
        assert len(found) == 3
        assert not hasattr(mine, "selected_indices_")
        assert len(select(xor.X, xor.y, method=mine, n_features=5)) == 5

    def test_a_selector_given_is_told_the_categories(self):
        X, y, categorical = mixed_columns()
        found = select(mixed_frame("polars", X), y, method=MaxRelevance(2))
        assert found.selector.categorical_.tolist() == categorical

    def test_constant_columns_are_told_not_warned_of(self, xor):
        X = np.column_stack([xor.X, np.ones(120)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = select(X, xor.y, time_allowed=SHORT)
        assert any(
            "1 column holds one single value and can never be chosen: 'x12'" in r
            for r in found.reasons
        )

    def test_more_features_than_there_are(self, xor):
        found = select(xor.X, xor.y, n_features=20, method="n3lars")
        assert len(found) == 12
        assert any("20 features were asked for, but there are only 12" in r for r in found.reasons)


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
        found = select(data, xor.y, missing="impute", time_allowed=SHORT)
        assert sorted(found.features) == ["x0", "x1"]
        assert "3 of 120 values missing, filled with the median" in found.reasons[0]
        assert isinstance(found.filler, FillMissing)

    def test_that_nothing_is_missing_is_said_too(self, xor):
        found = select(xor.X, xor.y, missing="impute", time_allowed=SHORT)
        assert found.reasons[0] == "No value was missing."

    def test_sparse_data_are_not_imputed(self, xor):
        with pytest.raises(ValueError, match="needs an array or a data frame"):
            select(sparse.csr_array(xor.X), xor.y, missing="impute")


REFUSED = [
    ({"method": "lasso"}, r"method must be one of 'auto', 'n3lars'.*or a selector, got 'lasso'"),
    ({"method": BAHSIC}, "or a selector, got <class"),
    ({"n_features": 0}, "n_features must be None or a whole number of at least 1, got 0"),
    ({"n_features": True}, "n_features must be None or a whole number"),
    ({"n_features": "guarded"}, "n_features must be None or a whole number"),
    ({"time_allowed": "days"}, "time_allowed must be one of 'seconds', 'minutes', 'hours', or sec"),
    ({"time_allowed": 0}, "time_allowed must be one of"),
    ({"time_allowed": None}, "time_allowed must be one of"),
    ({"missing": "mean"}, "missing must be one of 'refuse', 'impute', got 'mean'"),
    ({"random_state": None}, "random_state must be a whole number of at least 0, got None"),
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
    given = {"X": xor.X, "y": xor.y, "time_allowed": SHORT, **changes}
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
        kept = select(adata, "state", method="n3lars", n_features=2).transform(adata)
        assert kept.var_names.tolist() == ["gene3", "gene11"]

    def test_types_survive(self):
        X, y, _ = mixed_columns()
        frame = mixed_frame("pandas", X)
        found = select(frame, y, method="n3lars", n_features=3)
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
        found = select(X, X[:, 0], method="n3lars", n_features=25, names=names)
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

    def test_the_report_is_that_of_the_selector(self, xor):
        asked = []

        class Reporting(MaxRelevance):
            def report(self, X=None, y=None, **options):
                asked.append((X is xor.X, y is xor.y, options))
                return "a report"

        found = select(xor.X, xor.y, method=Reporting(2))
        assert found.report(xor.X, xor.y, title="mine") == "a report"
        assert asked == [(True, True, {"title": "mine"})]

    def test_names_reach_the_selector(self, xor):
        names = [f"gene {i}" for i in range(12)]
        found = select(xor.X, xor.y, method="bahsic", n_features=2, names=names)
        assert found.selector.feature_names_in_.tolist() == names


def test_what_does_not_fit_into_memory_is_not_held_whole(xor, monkeypatch):
    monkeypatch.setattr(opening, "free_memory", lambda: 1000)
    found = select(as_blocks(xor.X), xor.y, time_allowed=1.5)
    assert "bahsic" not in " ".join(found.reasons)
    with pytest.raises(ValueError, match=r"bahsic holds all data in memory.*n3lars, mrmr or pairs"):
        select(as_blocks(xor.X), xor.y, method="bahsic")


def test_select_is_imported_late():
    code = (
        "import sys, hsieve; assert 'hsieve.automatic' not in sys.modules; "
        "assert 'select' in dir(hsieve) and callable(hsieve.select); "
        "assert 'anndata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"select", "Selection"} <= set(hsieve.__all__)
    assert hsieve.Selection is Selection
