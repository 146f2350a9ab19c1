"""Files that tests of the command line read."""

import csv

__all__ = ["write_csv"]


def write_csv(path, columns):
    """Write columns, a name each, to a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path
