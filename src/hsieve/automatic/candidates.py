"""The methods among which :func:`hsieve.select` chooses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.estimators import BAHSIC, L1LSMI, MRMR, N3LARS, RandSel

__all__ = ["CANDIDATES", "LONGEST", "Candidate", "Maker", "make_candidate"]

IndexArray = NDArray[np.intp]
Maker = Callable[..., Any]

# Numbers of features that are tried.
LONGEST = 96
# A search for each number takes its time.
MOST_SEARCHES = 4


@dataclass(frozen=True)
class Method:
    """One of the methods.

    Parameters
    ----------
    make : callable
        Makes the selector; takes ``categorical``, ``target_kind`` and ``random_state``.
    words : str
        What it is good at, for the reasons.
    is_nested : bool, default=True
        Whether one ranking serves all numbers of features.
    reads_blocks : bool, default=False
        Whether it reads columns in blocks, so that the data need not be in memory.
    """

    make: Maker
    words: str
    is_nested: bool = True
    reads_blocks: bool = False


def _n3lars(*, categorical: Sequence[int], target_kind: str, random_state: Any) -> N3LARS:
    del random_state
    return N3LARS(categorical=categorical, target_kind=target_kind)


def _pairs(*, categorical: Sequence[int], target_kind: str, random_state: Any) -> N3LARS:
    del random_state
    return N3LARS(interactions="pairs", categorical=categorical, target_kind=target_kind)


def _mrmr(*, categorical: Sequence[int], target_kind: str, random_state: Any) -> MRMR:
    del random_state
    return MRMR(categorical=categorical, target_kind=target_kind)


def _l1_lsmi(*, categorical: Sequence[int], target_kind: str, random_state: Any) -> L1LSMI:
    return L1LSMI(
        n_restarts=2, categorical=categorical, target_kind=target_kind, random_state=random_state
    )


# In the order in which they are preferred where nothing tells them apart.
CANDIDATES: Mapping[str, Method] = MappingProxyType(
    {
        "n3lars": Method(_n3lars, "single effects of any shape, no repetition", reads_blocks=True),
        "mrmr": Method(_mrmr, "single effects, no repetition, by information", reads_blocks=True),
        "pairs": Method(
            _pairs, "single effects and pairs that matter only together", reads_blocks=True
        ),
        "l1-lsmi": Method(
            _l1_lsmi, "sets of features weighed together, no repetition", is_nested=False
        ),
        "bahsic": Method(BAHSIC, "features that matter together in groups of any size"),
        "randsel": Method(RandSel, "groups of any size, from subsamples of many samples"),
    }
)


@dataclass(frozen=True)
class Candidate:
    """A method with its selector, ready to be tried.

    Parameters
    ----------
    name : str
        A key of :data:`CANDIDATES`.
    selector : BaseSelector
        Unfitted; its number is set by who tries it.
    is_nested : bool
        Whether one ranking serves all numbers of features.
    """

    name: str
    selector: Any
    is_nested: bool

    def sizes_of(self, sizes: IndexArray) -> IndexArray:
        """Return the numbers to try: some of them where each takes a search of its own."""
        if self.is_nested or len(sizes) <= MOST_SEARCHES:
            return sizes
        places = np.linspace(0, len(sizes) - 1, MOST_SEARCHES + 2)[1:-1].round().astype(np.intp)
        return sizes[np.unique(places)]


def make_candidate(
    name: str, *, categorical: Sequence[int], target_kind: str, random_state: Any
) -> Candidate:
    """Make the selector of a method.

    Parameters
    ----------
    name : str
        A key of :data:`CANDIDATES`.
    categorical : sequence of int
        Features that are categories.
    target_kind : {"classes", "continuous"}
        What the target holds.
    random_state : int, Generator or None
        Seed of methods that draw.

    Returns
    -------
    Candidate
        Ready to be tried.
    """
    method = CANDIDATES[name]
    selector = method.make(
        categorical=tuple(categorical), target_kind=target_kind, random_state=random_state
    )
    return Candidate(name, selector, method.is_nested)
