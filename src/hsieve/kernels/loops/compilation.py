"""Compile a loop when it is first needed.

``import hsieve`` imports no Numba, which takes half a second, and small problems never compile
anything. What was compiled is kept in a folder beside the code, or in the user's own (Numba's
``NUMBA_CACHE_DIR`` names another one), so that compilation is paid once on a machine. Where no
folder can be written, each process compiles for itself. ``NUMBA_DISABLE_JIT=1`` runs the loops as
plain Python.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

import numpy as np

Loop = TypeVar("Loop", bound=Callable[..., Any])

# Sums of floating-point numbers may be vectorised: the order of their terms then depends on the
# processor, as in BLAS, but not on the number of threads.
FLOATING_POINT = {"contract", "reassoc"}


def compiled(loop: Loop) -> Loop:
    """Compile a function when it is first called; it releases Python's lock while it runs."""
    return cast(Loop, _Compiled(loop))


class _Compiled:
    """A function that is compiled when it is first called."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        self._loop = loop
        update_wrapper(self, loop)

    def __call__(self, *arguments: Any) -> Any:
        # As plain Python, unsigned integers would warn of the overflow that some loops rely on.
        with np.errstate(over="ignore"):
            return self._fast(*arguments)

    @cached_property
    def _fast(self) -> Callable[..., Any]:
        from numba import njit

        options: Any = {"nogil": True, "error_model": "numpy", "fastmath": FLOATING_POINT}
        try:
            return cast(Callable[..., Any], njit(cache=True, **options)(self._loop))
        except RuntimeError:  # no folder for what is compiled
            return cast(Callable[..., Any], njit(**options)(self._loop))
