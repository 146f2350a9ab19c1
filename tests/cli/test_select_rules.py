"""`hsieve select --n-features alignment | guarded | cv`."""

import numpy as np
import pytest

from hsieve.inference.feature_number import RULES
from tests.cli.files import write_csv
from tests.cli.running import assert_refused, invoke


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=80) for i in range(6)}
    y = np.where(columns["x1"] + columns["x4"] > 0, "up", "down")
    return write_csv(
        tmp_path / "table.csv", {**{k: v.tolist() for k, v in columns.items()}, "y": y.tolist()}
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("method", ["n3lars", "pearson", "screening"])
def test_a_rule_finds_the_number_and_says_why(table, rule, method):
    result = invoke("select", table, "-t", "y", "-k", rule, "-m", method)
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert f"How many, by {rule}: 2 features: the" in told
    assert "2 of 6 features" in told
    names = invoke("select", table, "-t", "y", "-k", rule, "-m", method, "-q").stdout.split()
    assert sorted(names) == ["x1", "x4"]


@pytest.mark.parametrize("method", ["lasso", "fcbf", "hiton-pc", "l1-hsic"])
def test_methods_with_their_own_number_refuse(table, method):
    result = invoke("select", table, "-t", "y", "-k", "alignment", "-m", method)
    assert_refused(result, "cannot find its number")


@pytest.mark.parametrize("number", ["0", "-3", "2.5", "most", "Alignment"])
def test_other_numbers_and_words_are_refused(table, number):
    result = invoke("select", table, "-t", "y", f"--n-features={number}")
    assert_refused(result, "--n-features takes an integer", "alignment, guarded, cv, auto", number)
