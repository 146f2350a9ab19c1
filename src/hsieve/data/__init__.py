"""Data: problems with a known answer, tables from files."""

# Blocks and tables import each other: blocks have to come first.
from hsieve.data import blocks

__all__ = ["blocks"]
