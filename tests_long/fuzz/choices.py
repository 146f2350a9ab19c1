"""An input is a function of some bytes.

Whoever makes an input asks for choices, and each choice is read off the next bytes. So random bytes
give random inputs at full speed, hypothesis shrinks an input by shrinking its bytes, and an input
is known again by its seed and number alone. Zero, and bytes that have run out, mean the plainest
choice.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["N_BYTES", "Choices", "bytes_of_input"]

N_BYTES = 768
Thing = TypeVar("Thing")


class Choices:
    """Choices read off bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def number(self, most: int) -> int:
        """A number from 0 to `most`."""
        n_bytes = (most.bit_length() + 7) // 8
        value = int.from_bytes(self.bytes(n_bytes), "big")
        return value % (most + 1)

    def between(self, least: int, most: int) -> int:
        return least + self.number(most - least)

    def pick(self, things: Sequence[Thing]) -> Thing:
        return things[self.number(len(things) - 1)]

    def rarely(self, one_in: int) -> bool:
        """True once in so many times."""
        return self.number(one_in - 1) == one_in - 1

    def some(self, things: Sequence[Thing], one_in: int) -> list[Thing]:
        """Each of them once in so many times."""
        return [thing for thing in things if self.rarely(one_in)]

    def bytes(self, n_bytes: int) -> bytes:
        found = self._data[self._place : self._place + n_bytes]
        self._place += n_bytes
        return found.ljust(n_bytes, b"\0")


def bytes_of_input(what: str, seed: int, number: int) -> bytes:
    """The bytes of an input of a long run."""
    return random.Random(f"{what} {seed} {number}").randbytes(N_BYTES)
