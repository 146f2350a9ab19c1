"""The papers' experiments, run again beside their published figures.

Run from the root of the repository, ``make reproduce NAME=bahsic-table4`` or
``python -m reproduction bahsic-table4``. This folder is not part of the installed package.
"""
