"""The list of oldest versions is that of pyproject.toml."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_oldest_versions_are_those_that_are_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    least = dict(text.split(">=") for text in project["project"]["dependencies"])
    lines = (ROOT / "requirements" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert set(least) <= set(oldest)
    for name, version in least.items():
        assert re.sub(r"(\.0)+$", "", oldest[name]) == re.sub(r"(\.0)+$", "", version), name
