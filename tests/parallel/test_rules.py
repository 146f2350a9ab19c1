"""Rules for the number of features on engines: what travels for them, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve import MRMR, N3LARS, MaxRelevance, MutualInformation, Pearson
from hsieve.parallel import EngineSettings
from hsieve.selectors import number_rules
from tests import needs
from tests.parallel.columns import make_problem, stored

N_SAMPLED = 40


@pytest.mark.parametrize("rule", ["alignment", "guarded"])
def test_only_sampled_rows_travel(
    settings: EngineSettings, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = make_problem()
    monkeypatch.setattr(number_rules, "ALIGNMENT_SAMPLES", N_SAMPLED)
    monkeypatch.setattr(number_rules, "PIECE_BYTES", 7 * 4 * len(problem.X))
    columns = stored("row parts", problem, tmp_path)
    expected = MaxRelevance(rule).fit(problem.X, problem.numbers)
    found = MaxRelevance(rule, engine=settings).fit(columns, problem.numbers)
    assert found.n_features_choice_.number == expected.n_features_choice_.number
    np.testing.assert_array_equal(found.selected_indices_, expected.selected_indices_)
    # The columns themselves are 72 kB.
    assert found.traffic_.results < problem.X.nbytes / 2


@pytest.mark.parametrize("selector", [N3LARS, MaxRelevance, MRMR])
@pytest.mark.parametrize(
    "engine", ["dask", pytest.param(EngineSettings("spark"), marks=needs.pyspark)]
)
def test_cross_validation_on_a_cluster_is_refused(selector: Any, engine: Any) -> None:
    """Before workers are started."""
    problem = make_problem()
    with pytest.raises(ValueError, match=r"'cv' fits in this process.*use 'alignment' or 'guarded"):
        selector("cv", engine=engine).fit(problem.X, problem.numbers)


def test_advice_is_as_near_as_there_is() -> None:
    problem = make_problem()
    for measure, instead in (
        (MutualInformation(), r"MutualInformation\(estimator='discretised'\)"),
        (Pearson(), r"PairwiseHSIC\(\)"),
    ):
        with pytest.raises(ValueError, match=f"Choose {instead}, or leave engine out"):
            MRMR(measure=measure, engine="threads").fit(problem.X, problem.numbers)
