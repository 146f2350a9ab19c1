"""Fixtures of the package's tests that these use, too."""

from tests.conftest import interrupts, rng

__all__ = ["interrupts", "rng"]
