"""Literal levels of one feature: the truth for the compiled loops over them."""


def binned(column, low, scale, n_bins):
    """Bin of each value, and how many values each bin holds."""
    bins = [int((value - low) * scale) for value in column]
    return bins, [bins.count(place) for place in range(n_bins)]


def line(values, counts):
    """Straight line through values that occur so often: first value and rise, by least squares."""
    total = sum(counts)
    if total == 0:
        return 0.0, 0.0
    place = sum(count * q for q, count in enumerate(counts)) / total
    mean = sum(count * value for value, count in zip(values, counts, strict=True)) / total
    spread = sum(count * (q - place) ** 2 for q, count in enumerate(counts))
    rise = sum(
        count * (q - place) * (value - mean)
        for q, (value, count) in enumerate(zip(values, counts, strict=True))
    )
    slope = rise / spread if spread else 0.0
    return mean - slope * place, slope


def linear_over_groups(table, counts, width):
    """Lines of each direction over each group of levels, and what they lose of the kernel."""
    lines, error = [], 0.0
    for values in table:
        groups = range(0, len(values), width)
        own = [line(values[g : g + width], counts[g : g + width]) for g in groups]
        weight = sum(count * value**2 for value, count in zip(values, counts, strict=True))
        lost = sum(
            count * (value - own[q // width][0] - own[q // width][1] * (q % width)) ** 2
            for q, (value, count) in enumerate(zip(values, counts, strict=True))
        )
        lines.append(own)
        error += weight * lost
    return lines, error
