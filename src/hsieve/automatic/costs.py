"""What methods cost, roughly, in seconds of one core.

The formulas were fitted by eye to fits of one BLAS thread, 100 to 3,000 samples and 20 to 5,000
features; most of those were within a factor of two (``docs/choosing.md``). They decide what is
tried, never what is found.
"""

from dataclasses import dataclass

__all__ = ["CAN_COST", "Size", "seconds_of", "seconds_to_judge"]

# Columns of the factor of a numeric target, and most of those of one of classes.
COLUMNS_OF_NUMBERS = 8
# RandSel looks at no more samples in a round.
MOST_OF_ROUND = 1000
CAN_COST = ("n3lars", "mrmr", "pairs", "l1-lsmi", "bahsic", "randsel", "scan")


@dataclass(frozen=True)
class Size:
    """What the cost of a method depends on.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the data.
    n_classes : int or None, default=None
        Number of classes; None for numbers.
    """

    n_samples: int
    n_features: int
    n_classes: int | None = None


def seconds_of(method: str, size: Size) -> float:
    """Estimate the time of one fit.

    Parameters
    ----------
    method : str
        One of :data:`CAN_COST`; "scan" is an :class:`hsieve.InteractionScan` with 20 permutations.
    size : Size
        Size of the data.

    Returns
    -------
    float
        Seconds of one core.

    Examples
    --------
    >>> seconds_of("n3lars", Size(1000, 1000)) < 1 < seconds_of("bahsic", Size(1000, 1000))
    True
    """
    n, d = float(size.n_samples), float(size.n_features)
    columns = COLUMNS_OF_NUMBERS if size.n_classes is None else max(1, size.n_classes - 1)
    one_by_one = 0.05 + 2.5e-7 * n * d
    pairs = (4e-10 + 1.2e-10 * columns) * n * d**2
    if method in ("n3lars", "mrmr"):
        return one_by_one
    if method == "pairs":
        return one_by_one + pairs
    if method == "scan":
        # As many random orders as the true one are looked through whole, or fewer where it is long.
        return one_by_one + (21 if d < 1000 else 2) * pairs + 2e-4 * n
    if method == "l1-lsmi":
        return 0.3 + 5e-6 * n * d
    if method == "bahsic":
        return 6e-9 * n * n * d + 1e-6 * n * n + 1.5e-4 * d
    if method == "randsel":
        m = min(n / 2, MOST_OF_ROUND)
        return 1.0 + 1e-7 * m * m * d + 2e-5 * m * m
    msg = f"method must be one of {', '.join(CAN_COST)}, got {method!r}."
    raise ValueError(msg)


def seconds_to_judge(n_samples: int, n_sizes: int, *, n_folds: int, n_widths: int) -> float:
    """Estimate the time of predicting held-out samples for all numbers of features.

    Parameters
    ----------
    n_samples, n_sizes, n_folds, n_widths : int
        Samples, numbers of features, folds and widths that are tried.

    Returns
    -------
    float
        Seconds of one core.
    """
    return n_folds * n_sizes * n_widths * (1e-3 + 1.2e-7 * n_samples**2)
