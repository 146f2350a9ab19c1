"""Sizes of a package are counted as said, on one that is made up."""

import sys

import pytest

from tools import size

FILES = {
    "__init__.py": '"""Made up."""\n\nfrom made.public import shown\n',
    "public.py": "from made.inner.helper import help_one\n\n\ndef shown():\n    return help_one\n",
    "inner/__init__.py": "",
    "inner/helper.py": (
        '"""A docstring\n\nof three lines."""\n# a comment\n\nfrom . import shared\n\n\n'
        'def help_one():\n    """Help."""\n    return """two\nlines""", shared  # code\n'
    ),
    "inner/shared.py": "ONE = 1\n",
    "inner/other.py": "import made.inner.shared\n",
}


@pytest.fixture
def made(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "made"


def test_code_is_without_docstrings_comments_and_blank_lines(made):
    assert size.lines_of_code(made / "inner" / "helper.py") == 4


def test_rows_are_packages_and_their_sum(made):
    rows = dict(size.table(made))
    assert rows == {
        "(modules)": [8, 4, 2, 0],  # `public` is made public by the package itself
        "inner": [14, 6, 4, 1],  # `helper` has one importer, `shared` two, `other` none
        "total": [22, 10, 6, 1],
    }


def test_columns_are_aligned(made, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["size.py", str(made)])
    size.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["package", "lines", "code", "files", "one", "importer"]
    assert lines[-1].split() == ["total", "22", "10", "6", "1"]
    assert len({len(line) for line in lines}) == 1
