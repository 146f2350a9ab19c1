"""What maintainers run: the list of licences, the audit, the release, the size."""
