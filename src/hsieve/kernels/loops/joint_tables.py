"""Products of the factors of coded features, by the joint table of their codes.

With tables T_a, T_b of the levels of two features (levels x rank),

    F_a' F_b = T_a' H T_b,    H[p, q] = number of samples on level p of a and level q of b,

so one increment per sample and two small products replace r_a r_b multiplications per sample.
H is counted in integers: no digit depends on an order of summation. It need not be held whole: if
T_a is linear over each group of neighbouring levels, the count of a group and the sum of the places
inside it, both in one 64-bit integer, tell all of H that matters.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels.loops.compilation import compiled

ONE, HALF = np.uint64(1), np.uint64(32)


@compiled
def sums_by_level(codes: NDArray[Any], columns: NDArray[np.float32], sums: FloatArray) -> None:
    """Add up, for each level of a feature, rows of other factors: F'G = T' (sums).

    Shapes: codes (n_samples,), columns (n_samples, n_columns), sums (n_levels, n_columns), zeros.
    """
    for i in range(len(codes)):
        level = codes[i]
        for c in range(columns.shape[1]):
            sums[level, c] += columns[i, c]


@compiled
def joint_squares(
    codes: NDArray[Any],
    table: NDArray[np.float32],
    stacked_codes: NDArray[Any],
    chosen: NDArray[np.intp],
    shifts: NDArray[np.int64],
    coefficients: NDArray[np.float32],
    starts: NDArray[np.intp],
    ranks: NDArray[np.intp],
    squares: FloatArray,
) -> None:
    """Squared norms of F_a'F_b for a feature b and some features a of a stack.

    Shapes: codes (n_samples,), table (rank, n_levels), stacked_codes (n_stacked, n_samples),
    squares (n_chosen,). The coefficients of feature a are ``ranks[a]`` rows from ``starts[a]`` on
    in the flat array `coefficients`: those of the counts of its groups, then those of the places
    inside.
    """
    n_samples = len(codes)
    rank, n_levels = table.shape
    levels = np.uint64(n_levels)
    for place in range(len(chosen)):
        a = chosen[place]
        shift, own = np.uint64(shifts[a]), stacked_codes[a]
        n_columns = (starts[a + 1] - starts[a]) // ranks[a]
        own_coefficients = coefficients[starts[a] : starts[a + 1]].reshape(ranks[a], n_columns)
        n_groups = n_columns if shift == 0 else n_columns // 2
        counts = np.zeros(n_groups * n_levels, dtype=np.uint64)
        inside = (ONE << shift) - ONE
        if shift == 0:
            for i in range(n_samples):
                counts[np.uint64(own[i]) * levels + np.uint64(codes[i])] += ONE
        else:
            added = np.empty(n_groups << np.int64(shift), dtype=np.uint64)
            for level in range(len(added)):
                added[level] = ONE | ((np.uint64(level) & inside) << HALF)
            for i in range(n_samples):
                code = np.uint64(own[i])
                counts[(code >> shift) * levels + np.uint64(codes[i])] += added[code]
        joint = np.empty((n_columns, n_levels), dtype=np.float32)
        flat = joint.reshape(n_columns * n_levels)
        for cell in range(len(counts)):
            flat[cell] = np.int32(counts[cell])
        if shift > 0:
            for cell in range(len(counts)):
                flat[len(counts) + cell] = np.int32(counts[cell] >> HALF)
        total = 0.0
        for c in range(ranks[a]):
            # A row of T_a'H, then its products with the columns of T_b.
            row = np.zeros(n_levels, dtype=np.float32)
            weights = own_coefficients[c]
            whole = n_columns - n_columns % 4
            for p in range(0, whole, 4):
                w0, w1, w2, w3 = weights[p], weights[p + 1], weights[p + 2], weights[p + 3]
                h0, h1, h2, h3 = joint[p], joint[p + 1], joint[p + 2], joint[p + 3]
                for q in range(n_levels):
                    row[q] += w0 * h0[q] + w1 * h1[q] + w2 * h2[q] + w3 * h3[q]
            for p in range(whole, n_columns):
                for q in range(n_levels):
                    row[q] += weights[p] * joint[p, q]
            for d in range(rank):
                product: Any = np.float32(0.0)
                for q in range(n_levels):
                    product += row[q] * table[d, q]
                total += product * product
        squares[place] = total
