"""pyHSICLasso, the program of the method's authors, if it is installed.

It is no dependency: experiments show its features beside ours where it can be imported, and say
that it is not installed where it cannot.

It is run "vanilla" (B = 0: the kernels of all samples, no blocks), because with blocks it leaves
out the samples that do not fill one. That takes about 12 n^2 d bytes, 1.3 GB for 137 x 5748. It
scales every kernel to norm one, so in spite of its name it solves the problem of N3LARS.
"""

import contextlib
import importlib
import io
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import constant_columns

__all__ = ["HOW_TO_GET", "NAME", "is_installed", "select"]

NAME = "pyHSICLasso"
HOW_TO_GET = "pip install pyHSICLasso"


def is_installed() -> bool:
    """Tell whether pyHSICLasso can be imported."""
    try:
        _module()
    except ImportError:
        return False
    return True


def select(X: NDArray[Any], y: NDArray[Any], n_wanted: int, *, classes: bool) -> NDArray[np.intp]:
    """Select features by pyHSICLasso.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features. Constant columns are kept from it: it would divide by their deviation.
    y : ndarray of shape (n_samples,)
        Classes or numbers.
    n_wanted : int
        Number of features.
    classes : bool
        Whether y holds classes.

    Returns
    -------
    ndarray of shape (n_selected,)
        Chosen features, the largest coefficient first; fewer where its path ends before.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    varying = np.flatnonzero(~constant_columns(X))
    with _quiet():
        model = _module().HSICLasso()
        model.input(np.ascontiguousarray(X[:, varying]), y)
        choose = model.classification if classes else model.regression
        choose(n_wanted, B=0, M=1, n_jobs=1)
        chosen = np.asarray(model.get_index(), dtype=np.intp)
    return varying[chosen]


def _module() -> ModuleType:
    """Import pyHSICLasso; what it and its plotting libraries warn of is not ours to repeat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(NAME)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep its printing off the screen, and the global random state as it was."""
    state = np.random.get_state()  # noqa: NPY002 - it seeds the global generator
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
