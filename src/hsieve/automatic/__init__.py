"""Choosing the method: what to take for these data, how many features, and why.

The rules are written down in :mod:`hsieve.automatic.rules`.
"""

from hsieve.automatic.selecting import select
from hsieve.automatic.selection import Selection

__all__ = ["Selection", "select"]
