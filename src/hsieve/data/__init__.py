"""Data: problems with a known answer, tables from files."""
