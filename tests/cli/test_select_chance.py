"""The warning that chosen features tell no more by themselves than chance would."""

import numpy as np
import pytest

from hsieve.datasets import make_xor
from tests.cli.files import write_csv
from tests.cli.running import invoke

WORDS = "No chosen feature tells more about y by itself than chance would among 8 features"


@pytest.fixture
def tables(tmp_path):
    def stored(name, X, y):
        columns = {f"x{place}": column for place, column in enumerate(X.T)}
        return write_csv(tmp_path / f"{name}.csv", columns | {"y": y})

    rng = np.random.default_rng(3)
    noise = rng.normal(size=(150, 8))
    together = make_xor(150, 8, random_state=0)
    return {
        "noise": stored("noise", noise, rng.normal(size=150)),
        "together": stored("together", together.X, together.y),
        "curve": stored("curve", noise, noise[:, 2] ** 2 + 0.1 * rng.normal(size=150)),
        "few": stored("few", noise[:5], np.arange(5) % 2),
        "single": stored("single", noise[:20], np.arange(20) == 0),
    }


@pytest.mark.parametrize("method", ["n3lars", "mr-nhsic", "pearson"])
@pytest.mark.parametrize("table", ["noise", "together"])
def test_warns_where_single_features_show_nothing(tables, table, method):
    result = invoke("select", tables[table], "-t", "y", "-m", method, "-k", 2)
    assert result.exit_code == 0, result.output
    assert WORDS in result.stderr
    assert "try BAHSIC, or let the method be chosen (auto)" in result.stderr


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("curve", ("-m", "n3lars")),
        ("noise", ("-m", "bahsic")),  # which does not judge features by themselves
        ("noise", ("-m", "n3lars", "--interactions")),
        ("noise", ("-m", "n3lars", "--covariate", "x1")),
        ("few", ("-m", "n3lars")),
        ("single", ("-m", "n3lars")),  # a class of one sample cannot be tested
    ],
)
def test_is_silent_where_there_is_nothing_to_say(tables, table, options):
    result = invoke("select", tables[table], "-t", "y", "-k", 2, *options)
    assert result.exit_code == 0, result.output
    assert "by itself than chance" not in result.stderr


def test_columns_in_blocks_are_tested_too(tmp_path):
    rng = np.random.default_rng(3)
    np.save(tmp_path / "t.npy", rng.normal(size=(100, 9)))
    result = invoke("select", tmp_path / "t.npy", "-t", "-1", "-m", "n3lars", "-k", 2)
    assert "tells more about x8 by itself than chance would" in result.stderr
