"""AnnData as columns and a target, and .h5ad files as tables."""

import anndata
import numpy as np
import pandas as pd
import pytest

from hsieve import N3LARS, FillMissing, open_dataset
from hsieve.data.errors import TableError
from hsieve.io.anndata import annotated_columns, is_annotated
from tests.annotated import FORMS, as_form, counts_and_states, make_adata
from tests.io.reading import read_table


@pytest.mark.parametrize("form", FORMS)
def test_columns_and_target_of_every_form(form, tmp_path):
    counts, states = counts_and_states()
    adata = as_form(form, counts, states, tmp_path)
    assert is_annotated(adata)
    data = open_dataset(adata, "state")
    assert data.columns.names[3] == "gene3"
    np.testing.assert_array_equal(data.columns.read([11, 3]), counts[:, [11, 3]])
    assert data.y.tolist() == states.tolist()
    assert data.notes == ()


@pytest.mark.parametrize("form", FORMS)
def test_observations_without_a_label_are_left_out_and_counted(form, tmp_path):
    counts, states = counts_and_states()
    labels = np.where(np.arange(160) % 40 == 7, None, states)
    data = open_dataset(as_form(form, counts, labels, tmp_path), "state")
    assert data.notes == ("4 of 160 observations have no state: left out.",)
    kept = np.arange(160) % 40 != 7
    assert data.y.tolist() == states[kept].tolist()
    np.testing.assert_array_equal(data.columns.read([5]), counts[kept][:, [5]])


def test_layers_views_and_kinds_of_targets(tmp_path):
    counts, states = counts_and_states()
    age = np.arange(160) / 7
    adata = make_adata(counts, states, age=age, batch=np.arange(160) % 3)
    adata.layers["log"] = np.log1p(counts)
    np.testing.assert_array_equal(
        annotated_columns(adata, "log").read([3]), np.log1p(counts[:, [3]])
    )
    assert open_dataset(adata, "age").y.tolist() == age.tolist()
    assert open_dataset(adata, "batch").y.dtype.kind == "i"
    view = adata[10:50, 2:9]
    assert annotated_columns(view).names == tuple(f"gene{i}" for i in range(2, 9))
    np.testing.assert_array_equal(annotated_columns(view).read([1]), counts[10:50, [3]])


def test_hostile_cases_are_refused_in_words():
    counts, states = counts_and_states()
    adata = make_adata(counts, states, when=pd.to_datetime(["2020-01-01"] * 160))
    adata.obs["nothing"] = np.nan
    cases = {
        "cell_type": "groupby must be a column of adata.obs, got 'cell_type'; there are 'state'",
        "nothing": r"adata.obs\['nothing'\] has no value at all",
        "when": r"adata.obs\['when'\] holds values of a type that is no target",
        3: "groupby must be a column of adata.obs, got 3",
    }
    for groupby, words in cases.items():
        with pytest.raises(ValueError, match=words):
            open_dataset(adata, groupby)
    with pytest.raises(ValueError, match="no layer 'log', only none"):
        open_dataset(adata, "state", layer="log")
    with pytest.raises(ValueError, match=r"adata.X is empty; name one of adata.layers"):
        open_dataset(anndata.AnnData(obs=adata.obs, shape=(160, 3)), "state")
    adata.var_names = ["same"] * 25
    with pytest.raises(ValueError, match=r"not unique; call adata.var_names_make_unique"):
        annotated_columns(adata)


def test_plain_selectors_say_who_takes_an_anndata():
    adata = make_adata(*counts_and_states())
    y = np.arange(160.0)
    with pytest.raises(ValueError, match=r"N3LARS.fit got an AnnData; use hsieve.anndata.select"):
        N3LARS().fit(adata, y)
    fitted = N3LARS(2).fit(adata.to_df(), y)
    with pytest.raises(ValueError, match=r"N3LARS.transform got an AnnData"):
        fitted.transform(adata)
    with pytest.raises(ValueError, match="FillMissing got an AnnData"):
        FillMissing().fit(adata)


@pytest.fixture(params=["dense", "csr", "csc"])
def stored(request, tmp_path, reads_here):
    counts, states = counts_and_states()
    labels = np.where(np.arange(160) == 9, None, states)
    as_form(f"backed {request.param}", counts, labels, tmp_path, age=np.arange(160) / 3)
    return tmp_path / f"{request.param}.h5ad"


def test_files_are_tables(stored):
    counts, states = counts_and_states()
    table = open_dataset(stored, target="state", drop=["gene0"])
    assert table.names == tuple(f"gene{i}" for i in range(1, 25))
    assert table.target_kind == "classes"
    assert table.notes == (
        "1 of 160 observations have no state: left out.",
        "Left out as asked: 'gene0'.",
    )
    kept = np.arange(160) != 9
    assert table.y.tolist() == states[kept].tolist()
    np.testing.assert_array_equal(table.X, counts[kept, 1:])
    numbers = open_dataset(stored, target="age")
    assert numbers.target_kind == "continuous"
    assert len(numbers.y) == 160


def test_files_that_cannot_be_used_are_refused_in_words(stored, tmp_path, monkeypatch):
    with pytest.raises(TableError, match="there is no 'stat', given for the target; did you mean"):
        read_table(stored, target="stat")
    with pytest.raises(TableError, match=r"no target given.*a name of 'state' and 'age'"):
        read_table(stored, target=None)
    categories = open_dataset(stored, target="state", categorical=["gene3"]).categorical
    assert categories == (3,)
    broken = tmp_path / "broken.h5ad"
    broken.write_bytes(b"no HDF5 at all")
    with pytest.raises(TableError, match=r"broken.h5ad: cannot be read as .h5ad"):
        read_table(broken, target="state")
    empty = tmp_path / "empty.h5ad"
    anndata.AnnData(obs=pd.DataFrame({"state": ["a", "b"]}, index=["c", "d"])).write_h5ad(empty)
    with pytest.raises(TableError, match="there is no matrix X inside"):
        read_table(empty, target="state")
    monkeypatch.setitem(__import__("sys").modules, "anndata", None)
    with pytest.raises(TableError, match=r"reading this needs anndata \(pip install hsieve"):
        read_table(stored, target="state")
