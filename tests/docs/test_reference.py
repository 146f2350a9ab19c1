"""The reference and the pages of the methods: everything public is there, and nothing else."""

import importlib
import re

import pytest

import hsieve
from hsieve import strategies
from tests.docs.names import public_names
from tests.docs.pages import DOCS, prose

# Modules whose public names all have a page; tools for those who write engines have none.
COMPLETE = {
    "hsieve": set(),
    "hsieve.kernels": set(),
    "hsieve.report": set(),
    "hsieve.datasets": {"PROBLEMS"},
    "hsieve.data.sequences": {"RESIDUES", "SCALES", "UNKNOWN_CODE"},
    "hsieve.inference.stability": set(),
    "hsieve.io": {"MAX_AUTO_CLASSES"},
}
# Listed with their module's own page, not with one of theirs.
MODULES_AS_NAMES = {"kernels", "stability"}
# Headings of the page of a method.
PARTS = ("What it finds", "What it misses", "Example", "Formula", "Cost", "Reference")
# No method of selection or prediction.
WITHOUT_PAGE = {"FillMissing"}


def listed():
    """Full names in the lists of the reference."""
    found = []
    for page in sorted((DOCS / "reference" / "api").glob("*.md")):
        for block in re.findall(r"```\{eval-rst\}\n(.*?)```", page.read_text(), re.DOTALL):
            module = ""
            for line in block.splitlines():
                if line.startswith(".. currentmodule::"):
                    module = line.split()[-1]
                elif re.fullmatch(r"   [\w.]+", line):
                    name = line.strip()
                    found.append(name if name.startswith("hsieve.") else f"{module}.{name}")
    return found


def test_every_public_name_has_a_page_in_the_reference():
    names = set(listed())
    missing = [
        f"{module_name}.{name}"
        for module_name, left_out in COMPLETE.items()
        for name in public_names(importlib.import_module(module_name))
        if name not in left_out | MODULES_AS_NAMES
        and f"{module_name}.{name}" not in names
        and f"hsieve.{name}" not in names
    ]
    assert missing == []


def test_the_reference_lists_nothing_twice_and_nothing_that_is_not_there():
    names = listed()
    assert len(names) == len(set(names))
    for name in names:
        module_name, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module_name), attribute), name


def method_pages():
    """Pages of the methods, by their titles."""
    pages = sorted((DOCS / "reference" / "methods").glob("*.md"))
    texts = [page.read_text(encoding="utf-8") for page in pages if page.stem != "index"]
    return {re.match(r"# (\w+)\n", text)[1]: text for text in texts}


METHODS = {name for name in hsieve.__all__ if hasattr(getattr(hsieve, name), "fit")}


def test_every_method_has_a_page():
    assert set(method_pages()) == METHODS - WITHOUT_PAGE


@pytest.mark.parametrize("name", sorted(METHODS - WITHOUT_PAGE))
def test_pages_of_methods_have_one_form(name):
    title, *parts = re.split(r"^## ", method_pages()[name], flags=re.MULTILINE)
    headings, texts = zip(*(part.split("\n", 1) for part in parts), strict=True)
    assert headings == PARTS
    body = dict(zip(headings, texts, strict=True))
    assert title.partition("\n")[2].strip(), "a sentence says what the method does"
    assert "$$" in body["Formula"]
    assert re.search(rf"```python\n[^`]*\b{name}\([^`]*```\n\n```text\n", body["Example"])
    assert f"hsieve.{name}" in body["Reference"]


def test_the_table_of_methods_names_every_method():
    table = prose(DOCS / "reference" / "methods" / "index.md")
    assert [name for name in method_pages() if f"[{name}](" not in table] == []


def test_the_table_of_combinations_is_true():
    table = prose(DOCS / "reference" / "methods" / "dependence_selector.md")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    namespace = vars(hsieve) | vars(strategies)
    searches = [re.findall(r"`([^`]+)`", cell) for cell in rows[0][1:]]
    assert sum(map(len, searches)) > 5
    for measure, *cells in rows[2:]:
        for search, cell in zip(searches, cells, strict=True):
            for strategy in search:
                assert fits(eval(strategy, namespace), eval(measure.strip("`"), namespace)) == (
                    cell == "yes"
                ), f"{measure} with {strategy}"


def fits(strategy, measure):
    """Tell whether a strategy takes a measure."""
    try:
        strategy.check(measure, 10, 2)
    except hsieve.IncompatibleCombinationError:
        return False
    return True
