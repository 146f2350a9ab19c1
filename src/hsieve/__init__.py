"""hsieve."""
