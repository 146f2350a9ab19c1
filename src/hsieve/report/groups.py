"""Groups of features that can stand for each other, and an order that keeps them together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

__all__ = ["GroupedFeatures", "grouped"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GroupedFeatures:
    """An order of features, and the groups in it.

    Parameters
    ----------
    order : ndarray of shape (n_features,)
        Places of the features, neighbours alike.
    groups : list of ndarray
        Places of the members of each group of two or more, as they stand in `order`.
    """

    order: IndexArray
    groups: list[IndexArray]


def grouped(shares: FloatArray, least: float) -> GroupedFeatures:
    """Order features so that those that share much stand together, and group them.

    Parameters
    ----------
    shares : ndarray of shape (n_features, n_features)
        What two features share: 0 nothing, 1 all.
    least : float
        Two features of one group share at least so much, whichever two they are.

    Returns
    -------
    GroupedFeatures
        The order and the groups of two or more.

    Notes
    -----
    Complete linkage: a group is as far as its two most different members are. Leaves are turned so
    that neighbours are alike.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[1.0, 0.1, 0.95], [0.1, 1.0, 0.2], [0.95, 0.2, 1.0]])
    >>> [sorted(group.tolist()) for group in grouped(shares, 0.9).groups]
    [[0, 2]]
    """
    n_features = len(shares)
    if n_features < 2:
        return GroupedFeatures(np.arange(n_features), [])
    distances = 1.0 - np.clip((shares + shares.T) / 2, 0.0, 1.0)
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "complete", optimal_ordering=True)
    order = np.asarray(leaves_list(tree), dtype=np.intp)
    # Rounding must not part what shares exactly the least.
    of_group = fcluster(tree, 1.0 - least + 1e-12, criterion="distance")[order]
    ends = np.flatnonzero(np.diff(of_group)) + 1
    return GroupedFeatures(order, [part for part in np.split(order, ends) if len(part) > 1])
