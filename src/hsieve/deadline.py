"""A time by which work must end, for work that goes in steps and cannot be interrupted in one."""

from math import inf
from time import monotonic

__all__ = ["Deadline"]


class Deadline:
    """A limit of time, and how long steps take.

    A step is not begun if, by what earlier ones took, it would end too late.

    Parameters
    ----------
    seconds : float, default=inf
        Seconds from now.
    """

    def __init__(self, seconds: float = inf) -> None:
        self._began = self._step_began = monotonic()
        self._seconds = seconds
        self._step_seconds = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return monotonic() - self._began

    def left(self, fraction: float = 1.0) -> float:
        """Seconds left of some fraction of the time."""
        return fraction * self._seconds - self.elapsed

    def begin_step(self) -> None:
        """Note how long a step takes: as long as the last one, or half of the one before."""
        now = monotonic()
        self._step_seconds = max(now - self._step_began, 0.5 * self._step_seconds)
        self._step_began = now

    def allows_step(self, fraction: float = 1.0) -> bool:
        """Say whether another step would end within some fraction of the time."""
        return self.left(fraction) >= self._step_seconds
