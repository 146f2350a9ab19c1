"""Tests that take minutes to hours: fuzzers, faults, a soak, recovery rates, levels, memory."""
