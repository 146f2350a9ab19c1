"""A CSV file of one line for each draw, which an interrupted benchmark resumes."""

import csv


def rows(path):
    """Lines of the file; none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(path, fields, row):
    """Write one line, and before the first one the names."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(fields)
        writer.writerow(row)
