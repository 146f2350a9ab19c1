"""What hsieve is built upon may be used with it, and the page of licences leaves nothing out."""

import re

import pytest

from tests.contracts.test_locks import locked
from tools import licences
from tools.licences import is_allowed, licence_of, not_allowed, recognised, sections

MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this"
BSD = "Redistributions of source code must retain the above copyright notice."


def on_the_page():
    """Return the packages of the page with their licences."""
    text = licences.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9.-]+) \| ([^|]+) \|", text, re.MULTILINE)
    return {name: licence for name, licence in rows if name != "package"}


def test_every_licence_is_allowed_for_what_it_serves():
    assert not_allowed(sections()) == []


def test_the_page_has_every_locked_package():
    missing = {*locked("ci"), *locked("build")} - set(on_the_page())
    assert missing == set(), "run `make licences`"


def test_the_page_says_what_the_packages_say():
    page = on_the_page()
    installed = {name for _, packages, _ in sections() for name in packages}
    differing = {
        name: licence_of(name) for name in installed & set(page) if page[name] != licence_of(name)
    }
    assert differing == {}, "run `make licences`"


def test_a_licence_that_is_not_allowed_is_noticed(monkeypatch):
    monkeypatch.setitem(licences.BY_HAND, "numpy", "GPL-3.0-or-later")
    assert not_allowed(sections()) == ["numpy (What every user needs): GPL-3.0-or-later"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND MIT", True),
        ("BSD-3-Clause AND GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT", True),
        ("(MIT OR GPL-2.0-only) AND GPL-3.0-only", False),
        ("MPL-2.0", False),
        ("unknown", False),
    ],
)
def test_expressions_are_judged(expression, expected):
    assert is_allowed(expression, licences.PERMISSIVE) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT, "MIT"),
        (BSD, "BSD-2-Clause"),
        (BSD + " Neither the name of the holder nor", "BSD-3-Clause"),
        ("All rights reserved.", None),
    ],
)
def test_licences_are_known_by_their_wording(text, expected):
    assert recognised(text.replace(" ", "\n  ", 3)) == expected
