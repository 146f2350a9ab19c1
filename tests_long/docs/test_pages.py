"""Parts of pages that take minutes: all code of the README, and the commands of the first page."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hsieve.cli.main import app
from tests.docs.pages import DOCS, prepared_in, run_page
from tests.docs.test_pages import CLUSTER_IN_README, README, commands_in, label_of

pytestmark = pytest.mark.slow


def test_all_code_of_the_readme_runs_but_for_the_cluster(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(README, prepared_in(tmp_path)(label_of(README)), left_out=CLUSTER_IN_README)


def test_commands_of_the_first_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = DOCS / "index.md"
    run_page(page, prepared_in(tmp_path)("type"))  # writes the table
    for words in commands_in(page):
        done = CliRunner().invoke(app, words[1:])
        assert done.exit_code == 0, f"{words}: {done.output}"
    assert Path("page.html").exists()
    assert Path("features.csv").exists()
