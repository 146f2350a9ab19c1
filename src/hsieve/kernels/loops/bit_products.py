"""Products of pairs of features of two or three values, by bits and population counts.

With the samples of each level of a feature as bits, the joint counts of two features within a class
of the target are population counts: 64 samples at a time, and in integers, so that no digit depends
on an order. A factor is its value on the lowest level and a step from there to each other level,
F_a = low_a + steps_a[level], so that for weights g of the samples

    F_a' diag(g) F_b = low_a (sum of g F_b) + low_b (sum of g (F_a - low_a))
                       + sum over levels u, v of steps_a[u] steps_b[v] (weighted count of u, v).
"""

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import FloatArray
from hsieve.kernels.loops.compilation import compiled

Bits = NDArray[np.uint64]
# Values on the lowest level (rank, n), steps from it (rank, n_planes, n), weighted sums over the
# samples (n_weights, rank, n): of whole factors on the right, less their lowest level on the left.
Tables = tuple[FloatArray, FloatArray, FloatArray]

# A population count, in steps that compilers know as one instruction where there is one.
ODD, PAIRS, NIBBLES, BYTES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
ONE, TWO, FOUR, LAST = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def bit_products(
    left_bits: Bits,
    right_bits: Bits,
    weights: FloatArray,
    left: Tables,
    right: Tables,
    left_diagonals: Tables,
    right_diagonals: Tables,
    statistics: NDArray[np.float32],
    traces: NDArray[np.float32],
) -> None:
    """Add up squares of F_a' diag(g) F_b over all weights g, and give traces of K_a * K_b.

    Shapes: left_bits (n_classes, n_planes, n_left, n_words), right_bits (n_others, n_right,
    n_words), weights (n_weights, n_classes), statistics and traces (n_left, n_right). Diagonals
    are factors of rank one with the weight one.
    """
    n_classes, n_planes, n_left, n_words = left_bits.shape
    n_others, n_right, _ = right_bits.shape
    counts = np.empty((n_classes, n_planes, n_others, n_right))
    joint, product = np.empty((n_planes, n_others, n_right)), np.empty(n_right)
    for a in range(n_left):
        for c in range(n_classes):
            for u in range(n_planes):
                for v in range(n_others):
                    for b in range(n_right):
                        count = np.uint64(0)
                        for word in range(n_words):
                            bits = left_bits[c, u, a, word] & right_bits[v, b, word]
                            bits -= (bits >> ONE) & ODD
                            bits = (bits & PAIRS) + ((bits >> TWO) & PAIRS)
                            bits = (bits + (bits >> FOUR)) & NIBBLES
                            count += (bits * BYTES) >> LAST
                        counts[c, u, v, b] = np.int32(count)
        for b in range(n_right):
            statistics[a, b] = 0.0
        # The last round is for the traces.
        for g in range(len(weights) + 1):
            of_trace = g == len(weights)
            lows, steps, sums = left_diagonals if of_trace else left
            other_lows, other_steps, other_sums = right_diagonals if of_trace else right
            place = 0 if of_trace else g
            joint[:] = 0.0
            for c in range(n_classes):
                weight = 1.0 if of_trace else weights[g, c]
                for u in range(n_planes):
                    for v in range(n_others):
                        for b in range(n_right):
                            joint[u, v, b] += weight * counts[c, u, v, b]
            for i in range(len(lows)):
                for j in range(len(other_lows)):
                    low, total = lows[i, a], sums[place, i, a]
                    for b in range(n_right):
                        product[b] = low * other_sums[place, j, b] + total * other_lows[j, b]
                    for u in range(n_planes):
                        for v in range(n_others):
                            step = steps[i, u, a]
                            for b in range(n_right):
                                product[b] += step * other_steps[j, v, b] * joint[u, v, b]
                    if of_trace:
                        for b in range(n_right):
                            traces[a, b] = product[b]
                    else:
                        for b in range(n_right):
                            statistics[a, b] += product[b] * product[b]
