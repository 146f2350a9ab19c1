"""Functions for engines in trouble; in a module of their own, because workers import them."""

import signal

__all__ = ["ignores_interrupts", "size_of"]


def ignores_interrupts(task: int, shared: None) -> bool:
    """Whether an interrupt from the keyboard would pass by the worker."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def size_of(task: bytes, shared: None) -> int:
    return len(task)
