"""Centred alignment of every prefix of a ranking, for many widths, in one sweep.

Algorithm 3 of the thesis [1]_ takes the features of a ranking whose Gaussian kernel has the highest
centred alignment with the target's, over all prefixes and widths. Computed one kernel at a time
that is d times w kernels from nothing. Here

* squared distances grow by one feature at a time;
* the kernel of half the squared width is the square of a kernel, entry by entry, so that one
  exponential serves up to ten widths;
* only the target is centred: <HKH, HLH> = <K, HLH>, and |HKH|^2 follows from |K|^2 and row sums;
* |K|^2 is the sum of the entries of that square, which is the next kernel: no look of its own;
* half of the symmetric matrix is visited, in tiles that stay in the cache.

Where a kernel is so nearly constant that |HKH|^2 would lose its digits, K - 1 is taken in place of
K, which centring does not tell apart.

Cost: n^2 d w multiplications, n^2 d / 2 exponentials.

References
----------
.. [1] D. Athanasakis, "Feature selection in computational biology", thesis, 2014.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray, IndexArray
from hsieve.data.validation import check_lengths
from hsieve.kernels import Kernel, centre, encode_columns
from hsieve.kernels.columns import check_positions, squared_distances
from hsieve.kernels.growing_tiles import GrowingTile, growing_tiles
from hsieve.measures.nhsic import unit_target
from hsieve.measures.targets import target_gram
from hsieve.parallel.threads import one_blas_thread
from hsieve.parameters import numbers
from hsieve.progress import report

# Widths in units of the square root of the number of features; squared widths halve each time.
WIDTH_FACTORS = tuple(2.0 ** (power / 2) for power in range(3, -6, -1))
# Each squaring doubles the rounding error: ten of them leave 1e-13.
MOST_SQUARINGS = 10
ROUNDING = 1e-13
# With less than this fraction of its squared norm left after centring, a kernel is looked at again.
NEARLY_CONSTANT = 1e-5
# Differences of alignment below this are rounding: the smaller prefix is taken.
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class AlignmentSweep:
    """Alignment of prefixes of a ranking.

    Parameters
    ----------
    sizes : ndarray of shape (n_prefixes,)
        Number of features of each prefix, rising.
    widths : ndarray of shape (n_prefixes, n_widths)
        Widths of the Gaussian kernel tried for each prefix.
    alignments : ndarray of shape (n_prefixes, n_widths)
        Centred alignment of each kernel with that of the target; 0 for a constant kernel.
    standard_error : float
        Standard error of the highest alignment, by the jackknife.
    """

    sizes: IndexArray
    widths: FloatArray
    alignments: FloatArray
    standard_error: float

    @property
    def curve(self) -> FloatArray:
        """Highest alignment of each prefix over the widths."""
        return np.asarray(self.alignments.max(axis=1))

    @property
    def best_place(self) -> int:
        """Position in `sizes` of the highest alignment; of several, the smallest prefix."""
        return int(np.argmax(self.curve >= self.curve.max() - TIE))

    @property
    def best_size(self) -> int:
        """Number of features with the highest alignment."""
        return int(self.sizes[self.best_place])

    @property
    def best_alignment(self) -> float:
        """The highest alignment."""
        return float(self.curve[self.best_place])

    @property
    def best_width(self) -> float:
        """Width of the kernel with the highest alignment."""
        return float(self.widths[self.best_place, self.alignments[self.best_place].argmax()])

    @property
    def guarded_size(self) -> int:
        """Largest number of features within one standard error of the highest alignment."""
        within = self.curve >= self.best_alignment - self.standard_error
        return int(self.sizes[np.flatnonzero(within)[-1]])


def alignment_sweep(
    X: ArrayLike,
    y: Any,
    ranking: ArrayLike | None = None,
    *,
    sizes: ArrayLike | None = None,
    widths: ArrayLike | None = None,
    kernel_y: Kernel | None = None,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
    standardise: bool = True,
) -> AlignmentSweep:
    """Align the Gaussian kernels of all prefixes of a ranking with the target.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features: finite numbers.
    y : array-like of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_samples)
        Classes, numbers, several outputs or, with ``kernel_y=Precomputed()``, a Gram matrix.
    ranking : array-like of int or None, default=None
        Features, best first; None is the order of the columns.
    sizes : array-like of int or None, default=None
        Lengths of prefixes; None is all.
    widths : array-like of float or None, default=None
        Widths, the same for all prefixes. None is sqrt(number of features) times
        :data:`WIDTH_FACTORS`, from 0.18 to 2.8.
    kernel_y, categorical, target_kind, standardise
        As in :class:`hsieve.NHSIC`.

    Returns
    -------
    AlignmentSweep
        Alignments, widths, and the best of them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 20))
    >>> alignment_sweep(X, X[:, 0] * X[:, 1] > 0).best_size
    2
    """
    data = np.asarray(X, dtype=np.float64)
    columns = encode_columns(data, categorical=categorical, standardise=standardise)
    order = np.arange(columns.n_features) if ranking is None else ranking
    order = check_positions(np.asarray(order).tolist(), columns.n_features, name="ranking")
    lengths = _checked_sizes(sizes, len(order))
    grid = _checked_widths(widths, lengths)
    gram_y = target_gram(y, kernel_y, target_kind=target_kind, standardise=standardise)
    check_lengths(columns.n_samples, len(gram_y))
    # Widest first, because a kernel is squared to get a narrower one.
    falling = np.argsort(-grid[0], kind="stable")
    alignments = np.zeros(grid.shape)
    with one_blas_thread():
        tiles = growing_tiles(unit_target(gram_y))
        before = 0
        for place, size in enumerate(lengths):
            block = columns.block(order[before:size])
            for tile in tiles:
                tile.add(block)
            rates = 0.5 / grid[place, falling] ** 2
            alignments[place, falling] = tile_alignments(tiles, rates)
            before = size
            report((place + 1) / len(lengths), "alignment of prefixes")
        sweep = AlignmentSweep(lengths, grid, alignments, 0.0)
        distances = squared_distances(columns.block(order[: sweep.best_size]))
        error = alignment_error(np.exp(-0.5 / sweep.best_width**2 * distances), gram_y)
    return AlignmentSweep(lengths, grid, alignments, error)


def alignment_error(gram_x: ArrayLike, gram_y: ArrayLike) -> float:
    """Estimate the standard error of a centred alignment, by the jackknife.

    Notes
    -----
    All n alignments without one sample cost O(n^2) together. With both matrices centred, that
    without sample i changes <K, L> by -2 p_i + k_i l_i - 2 (p_i - k_i l_i) / m + k_i l_i / m^2,
    where p_i is the sum of row i of K * L, k and l are the diagonals, and m = n - 1. The variance
    of HSIC (:func:`hsieve.hsic_variance`) would leave out that the norms vary, too.
    """
    K, L = centre(np.asarray(gram_x, dtype=float)), centre(np.asarray(gram_y, dtype=float))
    n = len(K)
    if n < 3:
        return 0.0
    norms = _without_one(K, K) * _without_one(L, L)
    whole = float(np.vdot(K, K) * np.vdot(L, L))
    if whole == 0 or (norms <= ROUNDING * whole).any():
        return 0.0
    alignments = _without_one(K, L) / np.sqrt(norms)
    return float(np.sqrt((n - 1) * np.var(alignments)))


def _without_one(K: FloatArray, L: FloatArray) -> FloatArray:
    """Centred inner products of two centred matrices with each sample left out in turn."""
    m = len(K) - 1
    rows = np.einsum("ij,ij->i", K, L)
    corners = K.diagonal() * L.diagonal()
    return np.asarray(
        rows.sum() - 2.0 * rows + corners - 2.0 / m * (rows - corners) + corners / m**2
    )


def tile_alignments(tiles: list[GrowingTile], rates: FloatArray) -> FloatArray:
    """Align the Gaussian kernels of grown distances with the target."""
    n = tiles[-1].stop
    inner, squared = np.zeros(len(rates)), np.zeros(len(rates))
    row_sums = np.zeros((len(rates), n))
    squarings = _squarings(rates)
    is_next = [times == 1 for times in (*squarings[1:], 0)]
    for tile in tiles:
        for place, rate in enumerate(rates):
            if not squarings[place]:
                tile.exponentiate(float(rate))
            for _ in range(squarings[place]):
                tile.kernel *= tile.kernel
            tile.add_row_sums(row_sums[place])
            inner[place] += tile.inner()
            if not is_next[place]:
                squared[place] += tile.squared_norm()
    sums = row_sums.sum(axis=1)
    squared = np.where(is_next, np.roll(sums, -1), squared)
    centred = squared - 2.0 / n * np.einsum("ij,ij->i", row_sums, row_sums) + (sums / n) ** 2
    flat = centred <= NEARLY_CONSTANT * squared
    ratios: FloatArray = inner / np.sqrt(np.where(flat, 1.0, centred))
    for place in np.flatnonzero(flat).tolist():
        ratios[place] = _flat_alignment(tiles, float(rates[place]))
    return ratios


def _flat_alignment(tiles: list[GrowingTile], rate: float) -> float:
    """Alignment of a kernel that is nearly constant; 0 where it is constant."""
    n = tiles[-1].stop
    inner, squared, row_sums = 0.0, 0.0, np.zeros(n)
    for tile in tiles:
        tile.less_one(rate)
        tile.add_row_sums(row_sums)
        inner += tile.inner()
        squared += tile.squared_norm()
    centred = squared - 2.0 / n * float(row_sums @ row_sums) + (row_sums.sum() / n) ** 2
    return inner / float(np.sqrt(centred)) if centred > ROUNDING * squared else 0.0


def _squarings(rates: FloatArray) -> list[int]:
    """How often to square the kernel before for each rate; 0 for a new exponential."""
    needed, depth = [0], 0
    for ratio in rates[1:] / rates[:-1]:
        times = round(float(np.log2(ratio)))
        fits = 1 <= times <= 2 and abs(ratio / 2.0**times - 1.0) <= ROUNDING
        depth = depth + times if fits and depth + times <= MOST_SQUARINGS else 0
        needed.append(times if depth else 0)
    return needed


def _checked_sizes(sizes: ArrayLike | None, n_ranked: int) -> IndexArray:
    if sizes is None:
        return np.arange(1, n_ranked + 1)
    lengths = np.asarray(sizes)
    rising = lengths.ndim == 1 and len(lengths) > 0 and lengths.dtype.kind in "iu"
    if not rising or lengths[0] < 1 or lengths[-1] > n_ranked or (np.diff(lengths) <= 0).any():
        msg = f"sizes must be rising integers from 1 to {n_ranked}, got {lengths.tolist()}."
        raise ValueError(msg)
    return lengths.astype(np.intp)


def _checked_widths(widths: ArrayLike | None, sizes: IndexArray) -> FloatArray:
    if widths is None:
        return np.asarray(np.sqrt(sizes)[:, None] * np.array(WIDTH_FACTORS))
    numbers(above=0).check("widths", widths)
    return np.tile(np.asarray(widths, dtype=float), (len(sizes), 1))
