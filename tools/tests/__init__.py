"""Tests of the tools; they take seconds and run with `make test`."""
