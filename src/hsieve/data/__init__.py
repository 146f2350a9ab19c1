"""Data: problems with a known answer, the data collection, tables from files."""
