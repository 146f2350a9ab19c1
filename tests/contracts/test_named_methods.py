"""A selector says once what it is, and is found everywhere: its file, its test, its page."""

import gc
import re
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import hsieve
from hsieve.measures import Pearson
from hsieve.report.docstrings import spec_of
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.methods import known_methods
from hsieve.selectors.search import SearchSelector
from hsieve.selectors.spec import GROUPS, RANKINGS, MethodSpec, Variant
from hsieve.strategies import Ranking
from tests.cli.running import invoke

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "methods" / "index.md"
PUBLIC = [
    one
    for one in (getattr(hsieve, name) for name in hsieve.__all__)
    if isinstance(one, type) and issubclass(one, BaseSelector)
]


@pytest.fixture
def named():
    """A selector with a name and a variant, which is forgotten afterwards."""

    class Squares(SearchSelector):
        """Rank features by squared correlation."""

        spec = MethodSpec(
            "ranks features by squared correlation.",
            "Squared correlation.",
            name="squares",
            purpose="squared correlation",
            cost="n d",
            group=RANKINGS,
            variants=(Variant("absolutes", "absolute correlation", lambda: {"squared": False}),),
        )

        def __init__(self, n_features_to_select=None, *, squared=True, target_kind="auto"):
            self.n_features_to_select = n_features_to_select
            self.squared = squared
            self.target_kind = target_kind

        def make_components(self):
            return Pearson(squared=self.squared, target_kind=self.target_kind), Ranking()

    yield Squares
    del Squares
    gc.collect()


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_every_public_selector_has_a_spec_and_a_line_in_the_table_of_methods(kind):
    spec = vars(kind).get("spec")
    assert isinstance(spec, MethodSpec)
    assert spec.does
    assert spec.score.endswith(".")
    assert not re.search(r"^ *\{\w+\}$", kind.__doc__, re.MULTILINE)  # all entries are filled in
    assert re.search(rf"^\| \[[^]]*\b{kind.__name__}\b", PAGE.read_text("utf-8"), re.MULTILINE)


def test_lines_of_methods_are_short_and_names_are_said_once():
    methods = known_methods()
    specs = {method.kind.spec for method in methods.values()}
    names = [one.name for spec in specs for one in (spec, *spec.variants) if one.name]
    assert sorted(names) == sorted(methods)
    for method in methods.values():
        assert 0 < len(method.purpose) <= 56
        assert 0 < len(method.cost) <= 20
        assert method.group in GROUPS


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_the_table_of_methods_says_what_the_spec_does(kind):
    (row,) = re.findall(
        rf"^\| \[[^]]*\b{kind.__name__}\b.*$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    _, _, sees_company, keeps_copies_back, *_ = (cell.strip() for cell in row.split("|")[1:-1])
    if sees_company in ("yes", "no"):
        assert (kind.spec.sees == "together") == (sees_company == "yes")
    if keeps_copies_back in ("yes", "no"):
        assert kind.spec.keeps_copies == (keeps_copies_back == "no")


def test_a_file_among_the_selectors_is_all_that_a_name_needs(tmp_path, monkeypatch):
    code = """
        from hsieve.selectors.hsic import FOHSIC
        from hsieve.selectors.spec import FEW, MethodSpec

        class Another(FOHSIC):
            spec = MethodSpec("adds features.", "Score.", "another", "as fohsic", "k n^2 d", FEW)
    """
    (tmp_path / "another_selector.py").write_text(dedent(code), encoding="utf-8")
    monkeypatch.setattr(hsieve.selectors, "__path__", [*hsieve.selectors.__path__, str(tmp_path)])
    assert known_methods()["another"].make().n_features_to_select is None
    monkeypatch.delitem(sys.modules, "hsieve.selectors.another_selector")
    monkeypatch.delattr(hsieve.selectors, "another_selector")
    gc.collect()


def test_a_named_selector_is_found_everywhere(named, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 2] + 0.1 * rng.normal(size=60)
    table = tmp_path / "table.csv"
    header = "a,b,c,d,y"
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=header, comments="")

    assert known_methods()["absolutes"].make().squared is False
    assert "  squares " in invoke("methods").stdout
    for name in ("squares", "absolutes"):
        chosen = invoke("select", table, "-t", "y", "-k", 1, "-m", name, "-q")
        assert chosen.stdout == "c\n", chosen.output
        assert hsieve.select(X, y, method=name, n_features_to_select=1).features == ("x2",)
    refused = invoke("select", table, "-t", "y", "-m", "squares", "--engine", "threads")
    assert "--engine does not work with squares" in refused.stderr
    fitted = named(1).fit(X, y)
    assert spec_of(fitted).does == "ranks features by squared correlation."
    assert "--method squares -k 1" in fitted.report(X, y).summary.repeat.command
