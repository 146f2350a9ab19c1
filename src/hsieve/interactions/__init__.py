"""Features that matter together: the sweep over all pairs, their tests, the scan."""
