"""Licences are recognised, and one that is not allowed is noticed."""

import pytest

from tools import licences
from tools.licences import PERMISSIVE, is_allowed, not_allowed, not_listed, recognised

MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this"
BSD = "Redistributions of source code must retain the above copyright notice."
PARTS = [("What every user needs", {"numpy": ()}, PERMISSIVE)]


def test_a_licence_that_is_not_allowed_is_noticed(monkeypatch):
    assert not_allowed(PARTS) == []
    monkeypatch.setitem(licences.BY_HAND, "numpy", "GPL-3.0-or-later")
    assert not_allowed(PARTS) == ["numpy (What every user needs): GPL-3.0-or-later"]


def test_a_locked_package_that_is_not_listed_is_noticed():
    missing = not_listed(PARTS)
    assert "scipy" in missing
    assert "numpy" not in missing


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
    assert is_allowed(expression, PERMISSIVE) is expected


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
