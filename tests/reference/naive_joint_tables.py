"""Literal joint tables of codes: the truth for the compiled loops over them."""


def joint_table(codes, others, n_levels, n_other_levels):
    """Count how often each pair of levels occurs."""
    table = [[0] * n_other_levels for _ in range(n_levels)]
    for code, other in zip(codes, others, strict=True):
        table[code][other] += 1
    return table


def squared_norm_of_product(codes, table, other_codes, other_table):
    """Squared norm of F_a'F_b, sample by sample; tables have a row for each level."""
    total = 0.0
    for a in range(len(table[0])):
        for b in range(len(other_table[0])):
            product = sum(
                table[code][a] * other_table[other][b]
                for code, other in zip(codes, other_codes, strict=True)
            )
            total += product**2
    return total


def sums_by_level(codes, columns, n_levels):
    """Sums of the rows of some columns over the samples of each level."""
    sums = [[0.0] * len(columns[0]) for _ in range(n_levels)]
    for code, row in zip(codes, columns, strict=True):
        for place, value in enumerate(row):
            sums[code][place] += value
    return sums
