"""Pages written by hand: their code runs and prints what they say, their names and links exist."""

import re
import shlex
import time
from functools import cache

import pytest
import typer

from hsieve import deadline
from hsieve.cli.main import app
from hsieve.selectors.methods import known_methods
from reproduction.catalogue import EXPERIMENTS
from tests.docs.names import known, unknown_in_code, unknown_inline
from tests.docs.pages import DOCS, ROOT, blocks, name_of, pages, prepared_in, prose, run_page

README = ROOT / "README.md"
WITH_CODE = [page for page in pages() if any(b.kind == "python" for b in blocks(page))]
# Other packages are shown beside ours, with their own names.
FOREIGN = {"docs/how_to/coming_from.md"}
# What the page is 84 letters wide for; tables of figures may be scrolled.
WIDEST_LINE = 84


@cache
def source():
    """All source text of the package."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """Names and files that pages take for granted."""
    monkeypatch.chdir(tmp_path)
    # What hsieve.select finds in its seconds must not depend on what else the machine does.
    monkeypatch.setattr(deadline, "monotonic", time.process_time)
    return prepared_in(tmp_path)


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_code_of_a_page_runs_and_prints_what_it_says(page, prepared):
    run_page(page, prepared)


def test_code_that_prints_something_else_is_noticed(tmp_path, monkeypatch):
    page = ROOT / "docs" / "made_up.md"
    text = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    monkeypatch.setattr(type(page), "read_text", lambda self, encoding: text)
    with pytest.raises(AssertionError, match="prints"):
        run_page(page, {})


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_imports_and_keywords_exist_also_in_code_that_is_not_run(page):
    names = known()
    code = [block.body for block in blocks(page) if block.kind == "python"]
    assert [missing for body in code for missing in unknown_in_code(body, names)] == []


@pytest.mark.parametrize("page", [p for p in pages() if name_of(p) not in FOREIGN], ids=name_of)
def test_names_in_the_text_of_a_page_exist(page):
    assert unknown_inline(prose(page), known(), source()) == []


def test_names_that_do_not_exist_are_noticed():
    text = "`NoSuchSelector(3)`, `N3LARS(no_such=1)`, `no_such_`, `no_such_option=3`, `N3LARS(5)`"
    assert unknown_inline(text, known(), "") == [
        "NoSuchSelector(3)",
        "N3LARS(no_such=)",
        "no_such_",
        "no_such_option=3",
    ]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_commands_in_a_page_exist_with_their_options(page):
    commands = typer.main.get_command(app).commands
    for words in commands_in(page):
        assert words[1] in commands, words
        command = commands[words[1]]
        options = {option for parameter in command.params for option in parameter.opts}
        given = [word.split("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)]
        assert set(given) <= options | {"--help"}, words
        for option, choices in (
            ("--method", {*known_methods(), "auto"}),
            ("--methods", known_methods()),
        ):
            if option in words:
                assert set(words[words.index(option) + 1].split(",")) <= set(choices), words


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_experiments_named_in_a_page_exist(page):
    command = r"(?:make reproduce NAME=|python -m reproduction )([a-z][\w-]*)"
    assert set(re.findall(command, page.read_text(encoding="utf-8"))) <= set(EXPERIMENTS)


def commands_in(page):
    """Commands of ours in the blocks of a page that hold commands, as words."""
    lines = [
        line.removeprefix("$ ")
        for block in blocks(page)
        if block.kind in {"", "console"}
        for line in block.body.replace("\\\n", " ").splitlines()
    ]
    return [
        shlex.split(line, comments=True)
        for line in lines
        if re.match(r"hsieve [a-z]+( |$)", line) and "," not in line.split()[0]
    ]


def test_commands_are_found():
    assert sum(len(commands_in(page)) for page in pages()) > 10
    assert commands_in(README)


def test_the_readme_fits_on_a_few_screens():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_of_a_page_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"(https?|mailto):", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if file.is_relative_to(DOCS / "gallery"):
            continue  # made by the build, which checks it
        assert file.exists(), f"{name_of(page)} links to {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{name_of(page)} links to {target}"


def anchors(page):
    """Anchors of the headings of a page."""
    headings = re.findall(r"^#{1,3} (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", [p for p in pages() if p != README], ids=name_of)
def test_code_of_a_page_is_not_wider_than_the_page(page):
    shown = [block for block in blocks(page) if block.kind in {"python", "text", "console"}]
    lines = [line for block in shown for line in block.body.splitlines()]
    assert [line for line in lines if len(line) > WIDEST_LINE] == []
