"""hsieve.anndata.select: what is written where users of scanpy look, and that it survives."""

import anndata
import numpy as np
import pytest

import hsieve
import hsieve.anndata
from hsieve import BAHSIC, N3LARS
from tests.annotated import FORMS, as_form, counts_and_states, make_adata

OPTIONS = {"method": "n3lars", "n_features_to_select": 2}


@pytest.mark.parametrize("form", FORMS)
def test_the_result_is_written_into_var_and_uns(form, tmp_path):
    counts, states = counts_and_states()
    adata = as_form(form, counts, states, tmp_path)
    assert hsieve.anndata.select(adata, groupby="state", **OPTIONS) is None
    by_array = N3LARS(2).fit(counts, states)
    best = [f"gene{i}" for i in by_array.selected_indices_]
    assert sorted(adata.var_names[adata.var["hsieve"]]) == sorted(best) == ["gene11", "gene3"]
    assert adata.var["hsieve"].dtype == bool
    ranks = adata.var["hsieve_rank"]
    assert [ranks[name] for name in best] == [1.0, 2.0]
    assert ranks.isna().sum() == 23
    np.testing.assert_allclose(adata.var["hsieve_score"], by_array.scores_, rtol=1e-4, atol=1e-7)
    told = adata.uns["hsieve"]
    assert told["names"].tolist() == best
    assert (told["method"], told["target"]) == ("n3lars", "state")
    assert told["params"]["n_features_to_select"] == 2
    assert told["versions"]["hsieve"] == hsieve.__version__
    assert any("n3lars was asked for" in reason for reason in told["reasons"])


def test_it_survives_a_round_trip(tmp_path):
    counts, states = counts_and_states()
    labels = np.where(np.arange(160) < 3, None, states)
    adata = as_form("csr", counts, labels, tmp_path)
    hsieve.anndata.select(adata, "state", time_allowed="minutes")
    adata.write_h5ad(tmp_path / "out.h5ad")
    again = anndata.read_h5ad(tmp_path / "out.h5ad")
    for column in ("hsieve", "hsieve_rank", "hsieve_score"):
        np.testing.assert_array_equal(again.var[column], adata.var[column])
        assert again.var[column].dtype == adata.var[column].dtype
    before, after = adata.uns["hsieve"], again.uns["hsieve"]
    assert after["names"].tolist() == before["names"].tolist()
    assert after["reasons"].tolist() == before["reasons"].tolist()
    assert "3 of 160 observations have no state: left out." in after["reasons"]
    assert after["params"] == before["params"]
    assert after["versions"] == before["versions"]


@pytest.mark.parametrize("form", ["csr", "backed csr"])
def test_a_copy_leaves_the_original_alone(form, tmp_path):
    counts, states = counts_and_states()
    adata = as_form(form, counts, states, tmp_path)
    copied = hsieve.anndata.select(adata, "state", copy=True, key_added="mine", **OPTIONS)
    assert list(adata.var.columns) == []
    assert "mine" not in adata.uns
    assert {"mine", "mine_rank", "mine_score"} == set(copied.var.columns)
    assert copied.shape == adata.shape
    assert not copied.isbacked


def test_layers_numbers_and_selectors():
    counts, states = counts_and_states()
    adata = make_adata(np.zeros_like(counts), states, level=counts[:, 7] * 1.5)
    adata.layers["counts"] = counts
    hsieve.anndata.select(adata, "level", layer="counts", method=BAHSIC(1))
    assert adata.var_names[adata.var["hsieve"]].tolist() == ["gene7"]
    told = adata.uns["hsieve"]
    assert told["method"] == "BAHSIC"
    assert told["params"]["layer"] == "counts"
    assert told["params"]["target_kind"] == "continuous"


def test_one_module_has_the_name_of_another():
    assert hsieve.anndata.__name__ == "hsieve.anndata"
    assert anndata.__name__ == "anndata"
    assert hsieve.anndata.select is not hsieve.select


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"adata": np.ones((4, 2))}, "adata must be an AnnData, got ndarray; see hsieve.select"),
        ({"groupby": "type"}, "groupby must be a column of adata.obs, got 'type'"),
        ({"key_added": ""}, "key_added must be a name, got ''"),
        ({"method": "scanpy"}, "There is no method 'scanpy'; there are auto, n3lars"),
        ({"n_features_to_select": -1}, "n_features_to_select must be None or an integer"),
        ({"layer": "spliced"}, "There is no layer 'spliced'"),
    ],
)
def test_hostile_cases_are_refused_before_anything_is_written(changes, words):
    adata = make_adata(*counts_and_states())
    given = {"adata": adata, "groupby": "state", **changes}
    with pytest.raises(ValueError, match=words):
        hsieve.anndata.select(given.pop("adata"), **given)
    assert list(adata.var.columns) == []


def test_one_label_is_refused():
    counts, _ = counts_and_states()
    with pytest.raises(ValueError, match="1 class; at least two"):
        hsieve.anndata.select(make_adata(counts, ["same"] * 160), "state")
