"""Examples of the gallery: each asks a question and is listed."""

import ast
import importlib.util

import pytest

from tests.docs.pages import DOCS, ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def extension(name):
    """Import one of the extensions of the documentation, which are no package."""
    place = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_there_are_at_least_twelve_examples():
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_an_example_has_a_title_and_a_question_and_explains_itself(script):
    text = script.read_text(encoding="utf-8")
    title, line, empty, *question = ast.get_docstring(ast.parse(text), clean=False).split("\n")[1:]
    assert title[0].isupper()
    assert line == "=" * len(title)
    assert empty == ""
    assert "?" in title + "".join(question), "an example asks a question"
    assert text.count("\n# %%\n# ") >= 3, "an example explains what it does, part by part"
    assert "plt." in text or "Display." in text, "an example shows a picture"


def test_every_example_is_listed_once_and_nothing_else_is():
    assert sorted(extension("example_order").ORDER) == [script.name for script in EXAMPLES]


def test_the_build_refuses_examples_that_take_too_long():
    times = extension("example_times")
    assert times.complaint({"plot_quick.py": times.LONGEST_SECONDS - 1}) == ""
    assert "plot_slow.py (30 s)" in times.complaint({"plot_slow.py": times.LONGEST_SECONDS})
