"""Choosing the method: what to take for these data, how many features, and why.

How it chooses is written down in :mod:`hsieve.auto.selecting`.
"""

from hsieve.auto.selecting import select
from hsieve.auto.selection import Selection

__all__ = ["Selection", "select"]
