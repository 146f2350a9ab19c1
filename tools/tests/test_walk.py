"""Walks are counted as said, on a package that is made up, and those of `hsieve` can be walked."""

import sys
from importlib import import_module

import pytest

from tools import walk

FILES = {
    "__init__.py": "",
    "door.py": (
        "from walked.room.work import one, Worker\n\n\ndef enter():\n"
        "    return [one(i) for i in range(3)], Worker().work(), inside()\n\n\n"
        "def inside():\n    return (lambda: 1)()\n\n\ndef never():\n    return 0\n"
    ),
    "room/__init__.py": "",
    "room/work.py": (
        "def one(i):\n    return i\n\n\nclass Worker:\n    name = one(2)\n\n"
        "    def work(self):\n        return sorted([2, 1], key=one)\n"
    ),
}


@pytest.fixture
def made(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / "walked" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "walked"


def test_a_function_counts_once_and_a_pair_across_packages_is_a_change(made):
    with walk.Walk(made) as walked:
        import_module("walked.door").enter()
    names = [(file, name) for file, _, name in walked.functions()]
    assert names == [
        ("door.py", "enter"),
        ("door.py", "inside"),
        ("room/work.py", "one"),
        ("room/work.py", "Worker.work"),
    ]
    assert walked.counts() == (4, 2, 2)
    assert sys.getprofile() is None


@pytest.mark.parametrize("name", walk.WALKS)
def test_walks_can_be_walked(name):
    listed, (functions, files, changes) = walk.walked(name)
    assert len(listed) == functions > files > 0
    assert changes > 0
