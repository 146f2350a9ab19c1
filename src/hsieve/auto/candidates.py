"""The methods that :func:`hsieve.select` knows by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hsieve.selectors import BAHSIC, L1LSMI, MRMR, N3LARS, KernelPursuit, RandSel

__all__ = ["CANDIDATES", "Maker", "make_candidate"]

Maker = Callable[..., Any]


@dataclass(frozen=True)
class Candidate:
    """One of the methods.

    Parameters
    ----------
    make : callable
        Makes the selector; takes ``categorical``, ``target_kind`` and ``random_state``.
    words : str
        What it is good at, for the reasons.
    rule : str or None, default="guarded"
        How it finds the number of features where none is given; None for its own default.
    reads_blocks : bool, default=False
        Whether it reads columns in blocks, so that the data need not be in memory.
    """

    make: Maker
    words: str
    rule: str | None = "guarded"
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


CANDIDATES: Mapping[str, Candidate] = MappingProxyType(
    {
        "pursuit": Candidate(
            KernelPursuit, "effects that add up, and their number", rule="auto", reads_blocks=True
        ),
        "n3lars": Candidate(
            _n3lars, "single effects of any shape, no repetition", reads_blocks=True
        ),
        "mrmr": Candidate(
            _mrmr, "single effects, no repetition, by information", reads_blocks=True
        ),
        "pairs": Candidate(
            _pairs, "single effects and pairs that matter only together", reads_blocks=True
        ),
        "l1-lsmi": Candidate(
            _l1_lsmi, "sets of features weighed together, no repetition", rule=None
        ),
        "bahsic": Candidate(BAHSIC, "features that matter together in groups of any size"),
        "randsel": Candidate(RandSel, "groups of any size, from subsamples of many samples"),
    }
)


def make_candidate(
    name: str, *, categorical: Sequence[int], target_kind: str, random_state: Any
) -> Any:
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
    BaseSelector
        Unfitted; its number of features is set by who fits it.
    """
    return CANDIDATES[name].make(
        categorical=tuple(categorical), target_kind=target_kind, random_state=random_state
    )
