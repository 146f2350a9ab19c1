"""Features as a matrix in which numbers and categories live side by side.

A category of c levels becomes c indicator columns, scaled so that two samples of different levels
are on average as far apart as two samples of a standardised number (mean squared distance 2). A
Gaussian kernel on those columns *is* a delta kernel up to a constant, so categories and numbers
can share one product kernel, one linear kernel, one distance.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hsieve.data.errors import did_you_mean, listed
from hsieve.data.validation import refuse_rounding
from hsieve.kernels.column_scale import ColumnScale, safe_scale

# Outliers further out than this many deviations are looked at; see `standardised`.
FAR_OUT = 5.0
OUTLIER_FACTOR = 3.0
# Tamed values further out than this are put here: no kernel tells the difference.
OUT_OF_REACH = 1e6
# From the 5 % to the 95 % quantile of a normal variable, in deviations.
NORMAL_SPREAD = 3.29


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """Encoded features and which columns belong to which feature.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_encoded)
        One column a number, one a level of a category.
    starts : ndarray of shape (n_features + 1,)
        Feature j owns the columns ``starts[j]`` to ``starts[j + 1] - 1``.
    categorical : ndarray of shape (n_features,)
        True where a feature is a category.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        How often each sample counts; None for once.
    """

    matrix: NDArray[np.floating]
    starts: NDArray[np.intp]
    categorical: NDArray[np.bool_]
    sample_weight: NDArray[np.floating] | None = None

    def astype(self, dtype: type[np.floating]) -> "EncodedColumns":
        """Return the same columns in another precision, each column together in memory."""
        return replace(self, matrix=np.asfortranarray(self.matrix, dtype=dtype))

    def part(self, samples: NDArray[np.intp], features: NDArray[np.intp]) -> "EncodedColumns":
        """Return some samples of some features, in that order, scaled as they are."""
        rows = np.asarray(self.matrix.T[:, samples].T)
        if self.categorical.any() or len(features) < self.n_features:
            rows = replace(self, matrix=rows).block(features)
        widths = np.diff(self.starts)[features]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
        weight = None if self.sample_weight is None else self.sample_weight[samples]
        return EncodedColumns(rows, starts, self.categorical[features], weight)

    def grouped(self, groups: Sequence[NDArray[np.intp]]) -> "EncodedColumns":
        """Make one feature of each group of features, as far apart on average as one number."""
        widths = np.diff(self.starts)
        matrix = np.hstack([self.block(group) / len(group) ** 0.5 for group in groups])
        starts = np.cumsum([0, *(widths[group].sum() for group in groups)])
        categorical = [len(group) == 1 and self.categorical[group[0]] for group in groups]
        return EncodedColumns(matrix, starts, np.array(categorical), self.sample_weight)

    @cached_property
    def joint(self) -> NDArray[np.bool_]:
        """True where a feature is a group of several columns that is no category."""
        return np.asarray((np.diff(self.starts) > 1) & ~self.categorical)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, categories counted once."""
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and of features."""
        return self.n_samples, self.n_features

    @cached_property
    def two_level(self) -> NDArray[np.bool_]:
        """True where a numeric feature holds exactly two values, which has a cheaper sweep."""
        low, high = self.matrix.min(axis=0), self.matrix.max(axis=0)
        two = ((self.matrix == low) | (self.matrix == high)).all(axis=0) & (low < high)
        return np.asarray(two[self.starts[:-1]] & ~self.categorical & ~self.joint)

    @cached_property
    def share_of_unlike_pairs(self) -> NDArray[np.floating]:
        """For features of two values, the fraction of pairs of samples that differ."""
        high = (self.matrix == self.matrix.max(axis=0)).sum(axis=0)[self.starts[:-1]]
        n = self.n_samples
        return np.asarray(2.0 * high * (n - high) / (n * (n - 1)))

    @cached_property
    def largest_squared_gap(self) -> NDArray[np.floating]:
        """Largest squared distance between two samples in each feature alone."""
        ranges = self.matrix.max(axis=0) - self.matrix.min(axis=0)
        first = self.starts[:-1]
        return np.asarray(np.where(self.categorical, 2.0 * ranges[first] ** 2, ranges[first] ** 2))

    def block(self, features: ArrayLike) -> NDArray[np.floating]:
        """Columns of the given features, side by side."""
        features = np.asarray(features, dtype=np.intp)
        if self.matrix.shape[1] == self.n_features:
            # Whole columns are copied at once where they lie together in memory.
            return np.asarray(self.matrix.T[features].T)
        owned = [np.arange(self.starts[j], self.starts[j + 1]) for j in features]
        return self.matrix[:, np.concatenate(owned)] if owned else self.matrix[:, :0]


def encode_columns(
    X: NDArray[np.floating],
    *,
    categorical: Iterable[int | str] = (),
    standardise: bool = True,
    sample_weight: NDArray[np.floating] | None = None,
) -> EncodedColumns:
    """Encode features: standardise the numbers, turn categories into indicators.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers; a category holds a number for each level.
    categorical : iterable of int, default=()
        Positions of the features that are categories.
    standardise : bool, default=True
        Whether numbers are brought to mean 0 and deviation 1. A constant column becomes zero.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        How often each sample counts; None for once.

    Returns
    -------
    EncodedColumns
        The encoded features.

    Examples
    --------
    >>> import numpy as np
    >>> columns = encode_columns(np.array([[0.0, 1], [2, 5], [4, 5], [6, 1]]), categorical=[1])
    >>> columns.matrix.shape, columns.starts.tolist()
    ((4, 3), [0, 1, 3])
    """
    X = np.asarray(X)
    if X.ndim != 2:
        msg = f"Features must be a table of samples and columns, got an array of shape {X.shape}."
        raise ValueError(msg)
    check_finite(X)
    refuse_rounding(X)
    n_features = X.shape[1]
    is_category = np.zeros(n_features, dtype=bool)
    is_category[check_positions(categorical, n_features)] = True
    precision: type[np.floating] = np.float32 if X.dtype == np.float32 else np.float64
    numbers: NDArray[np.floating] = X.astype(precision)
    if standardise:
        numbers = standardised(numbers, sample_weight=sample_weight)
    if not is_category.any():
        return EncodedColumns(numbers, np.arange(n_features + 1), is_category, sample_weight)
    blocks = [
        _indicators(X[:, j], sample_weight) if is_category[j] else numbers[:, j : j + 1]
        for j in range(n_features)
    ]
    starts = np.concatenate([[0], np.cumsum([block.shape[1] for block in blocks])])
    return EncodedColumns(np.hstack(blocks), starts, is_category, sample_weight)


def unique_counts(
    values: NDArray[Any], sample_weight: NDArray[np.floating] | None = None
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
    """Return the different values, the code of each sample, and how often each value occurs.

    Examples
    --------
    >>> import numpy as np
    >>> unique_counts(np.array([5, 7, 5]), np.array([1.0, 2.0, 0.5]))
    (array([5, 7]), array([0, 1, 0]), array([1.5, 2. ]))
    """
    different, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes = np.ravel(codes)
    if sample_weight is None:
        return different, codes, counts
    return different, codes, np.bincount(codes, sample_weight)


def slices(n_columns: int, width: int) -> Iterator[slice]:
    """Cut columns, or rows, into blocks of at most so many."""
    width = max(1, width)
    for start in range(0, n_columns, width):
        yield slice(start, start + width)


def check_finite(numbers: NDArray[Any]) -> None:
    """Refuse NaN and infinity, which would turn every score into nonsense without a word."""
    if not np.isfinite(numbers).all():
        msg = "The data hold NaN or infinity; only finite numbers are accepted."
        raise ValueError(msg)


def check_positions(
    features: Any, n_features: int, *, name: str = "categorical", names: Iterable[str] | None = None
) -> NDArray[np.intp]:
    """Return features that are given by position or name as positions, in the order given.

    Examples
    --------
    >>> check_positions(["sex", 0, -2], 3, names=["age", "site", "sex"])
    array([2, 0, 1])
    """
    if isinstance(features, str | bytes):
        msg = f"{name} must be a list of positions or names, got the single text {features!r}."
        raise ValueError(msg)
    if isinstance(features, Iterator) or not isinstance(features, Iterable):
        msg = (
            f"{name} must be a list of positions, one that can be read more than once, "
            f"got {features!r}."
        )
        raise ValueError(msg)
    given = list(features)
    if called := [feature for feature in given if isinstance(feature, str)]:
        if names is None:
            msg = (
                f"{name} holds the name {called[0]!r}, but the features have no names; give "
                "positions."
            )
            raise ValueError(msg)
        places = {str(known): place for place, known in enumerate(names)}
        if unknown := [feature for feature in called if feature not in places]:
            hint = did_you_mean(unknown[0], list(places))
            msg = f"{name} holds {listed(unknown)}, but the features are {listed(places)}."
            msg += f" D{hint[1:]}" if hint else ""
            raise ValueError(msg)
        given = [places[f] if isinstance(f, str) else f for f in given]
    positions = np.asarray(given)
    whole = positions.ndim == 1 and (len(positions) == 0 or positions.dtype.kind in "iu")
    if not whole or ((positions < -n_features) | (positions >= n_features)).any():
        msg = f"{name} must hold integer positions below {n_features}, got {positions.tolist()}."
        raise ValueError(msg)
    return positions.astype(np.intp) % max(1, n_features)


def squared_distances(
    matrix: NDArray[np.floating], dtype: type[np.floating] | np.dtype = np.float64
) -> NDArray[np.floating]:
    """Squared Euclidean distances between all rows, by one matrix product.

    Columns are centred first, so that a large common offset does not cancel the digits away.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        The rows.
    dtype : dtype, default=float64
        Precision of the product and of the result.

    Returns
    -------
    ndarray of shape (n_rows, n_rows)
        Squared distances, exactly zero on the diagonal. Right to some last digits of the largest
        of them; smaller ones have that error, too.

    Raises
    ------
    ValueError
        For rows so far apart, or so near each other, that squares of differences are no numbers.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        means = matrix.mean(axis=0, dtype=np.float64)
        centred = np.subtract(matrix, means, dtype=np.float64).astype(dtype, copy=False)
    _refuse_without_square(centred)
    norms = np.einsum("ij,ij->i", centred, centred)
    distances: NDArray[np.floating] = centred @ centred.T
    distances *= -2
    distances += norms[:, None]
    distances += norms[None, :]
    np.maximum(distances, 0, out=distances)
    np.fill_diagonal(distances, 0)
    return distances


def _refuse_without_square(centred: NDArray[np.floating]) -> None:
    """Refuse differences whose squares overflow, or vanish all together."""
    limits = np.finfo(centred.dtype)
    largest = float(np.abs(centred).max(initial=0.0))
    most = float(np.sqrt(float(limits.max) / (8 * max(1, centred.shape[1]))))
    least = float(np.sqrt(float(limits.tiny)) / float(limits.eps))
    if largest == 0 or least <= largest <= most:
        return
    msg = (
        f"Values differ from their mean by up to {largest:.3g}; squares of that are no numbers in "
        f"{centred.dtype}, so that distances cannot be told. Scale the data first."
    )
    raise ValueError(msg)


def standardised(
    numbers: NDArray[np.floating],
    *,
    robust: bool = False,
    sample_weight: NDArray[np.floating] | None = None,
) -> NDArray[np.floating]:
    """Columns with mean 0 and deviation 1; constant columns become zero.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_columns)
        Finite numbers; not changed.
    robust : bool, default=False
        Whether outliers are kept from pressing all the others into one point. Where a value
        lies more than five deviations from the mean, the range from the 5 % to the 95 % quantile
        is turned into the deviation of a normal variable with that range; if the deviation is
        more than three times that, the former is the scale. Samples of a lognormal or t(3)
        variable do not go that far.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        How often each sample counts; None for once.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        The same precision as the input. Right to a few last digits of that precision, whatever the
        offset and scale of a column: an offset costs only the digits it took from the values.
    """
    low, high = numbers.min(axis=0, initial=np.inf), numbers.max(axis=0, initial=-np.inf)
    original, numbers = numbers, numbers / safe_scale(low, high)
    centred: NDArray[np.floating] = numbers - _means(numbers, sample_weight)
    # Twice, because the first mean of a column with a huge offset is itself rounded.
    centred -= _means(centred, sample_weight)
    # In double precision: the sum of a million squares in single precision is off by a thousandth.
    if sample_weight is None:
        squares = np.einsum("ji,ji->j", centred.T, centred.T, dtype=np.float64)
        deviation = np.sqrt(squares / max(1, len(centred)))
    else:
        deviation = np.sqrt(sample_weight @ np.square(centred) / sample_weight.sum())
    constant = low == high
    deviation[constant | (deviation == 0)] = 1.0
    centred[:, constant] = 0.0
    centred /= deviation.astype(centred.dtype)
    if robust:
        _tame(centred, original, sample_weight)
    return centred


def _means(
    numbers: NDArray[np.floating], sample_weight: NDArray[np.floating] | None
) -> NDArray[np.floating]:
    """Means of columns, in their precision but worked out in double."""
    if sample_weight is None:
        return np.asarray(numbers.mean(axis=0, dtype=np.float64).astype(numbers.dtype))
    return np.asarray((sample_weight @ numbers / sample_weight.sum()).astype(numbers.dtype))


def standardised_by(numbers: NDArray[np.floating], rows: NDArray[np.intp]) -> NDArray[np.floating]:
    """Scale columns so that some of their rows have mean 0 and deviation 1.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_columns)
        Finite numbers; not changed.
    rows : ndarray of int
        The rows, say training samples.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        All rows on that scale. A column that is constant in the rows says nothing and becomes zero,
        whatever it is elsewhere.
    """
    return ColumnScale.of(numbers[rows]).apply(numbers).astype(numbers.dtype, copy=False)


def _tame(
    scaled: NDArray[np.floating],
    original: NDArray[np.floating],
    sample_weight: NDArray[np.floating] | None,
) -> None:
    """Scale columns with outliers again, in place; see :func:`standardised`."""
    furthest = np.maximum(scaled.max(axis=0, initial=0), -scaled.min(axis=0, initial=0))
    for column in np.flatnonzero(furthest > FAR_OUT):
        # From the numbers as they were: beside an outlier the others may have rounded together.
        values = original[:, column].astype(np.float64)
        largest = np.abs(values).max()
        if sample_weight is None:
            low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], method="inverted_cdf")
            deviation = largest * np.std(values / largest)
        else:
            order = np.argsort(values, kind="stable")
            upto = np.cumsum(sample_weight[order])
            # Sums of fractions are rounded.
            places = np.searchsorted(upto, np.array([0.05, 0.5, 0.95]) * upto[-1] * (1 - 1e-12))
            low, middle, high = values[order[places]]
            mean = np.average(values / largest, weights=sample_weight)
            squares = np.average((values / largest - mean) ** 2, weights=sample_weight)
            deviation = largest * np.sqrt(squares)
        scale = tamed_scale(float(deviation), float(high - low))
        if scale < deviation:
            scaled[:, column] = np.clip((values - middle) / scale, -OUT_OF_REACH, OUT_OF_REACH)


def tamed_scale(deviation: float, spread: float) -> float:
    """Scale of a feature with far outliers: see :func:`standardised`."""
    calm = spread / NORMAL_SPREAD
    return calm if 0 < OUTLIER_FACTOR * calm < deviation else deviation


def _indicators(
    values: NDArray[np.floating], sample_weight: NDArray[np.floating] | None
) -> NDArray[np.floating]:
    """Make the indicator columns of a category, scaled to a mean squared distance of 2."""
    levels, codes, counts = unique_counts(values, sample_weight)
    indicators = np.zeros((len(values), len(levels)))
    indicators[np.arange(len(values)), codes] = 1.0
    share_of_different_pairs = 1.0 - np.sum((counts / counts.sum()) ** 2)
    if share_of_different_pairs == 0:
        return np.zeros_like(indicators)
    return np.asarray(indicators / np.sqrt(share_of_different_pairs))


def within_range(numbers: NDArray[np.floating]) -> NDArray[np.floating]:
    """Numbers from 0 for the least to 1 for the largest of their column; 0 in constant columns.

    The least is taken away first: after a division the last digits beside an offset would be gone.
    """
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    divisor = safe_scale(low, high)
    above: NDArray[np.floating] = numbers / divisor - low / divisor
    spread = above.max(axis=0)
    return np.asarray(above / np.where(spread > 0, spread, 1.0))
