"""Valid files, damaged: bytes changed, cut off, doubled, mixed with those of another."""

from tests_long.fuzz.choices import Choices

__all__ = ["damaged"]

TELLING = (
    *(b"\0", b"\xff", b"\x7f", b"\x80", b"\n", b'"', b",", b"\xff\xff\xff\xff", b"\0\0\0\0"),
    *(b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\0\0\0", b"\xff" * 8, b"\0\0\0\0\0\0\0\x40"),
    *(b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"\x1f\x8b"),
)


def damaged(choices: Choices, content: bytes) -> bytes:
    """A file with one to three kinds of damage."""
    for _ in range(choices.between(1, 3)):
        content = choices.pick(KINDS)(choices, content)
    return content


def _place(choices: Choices, content: bytes) -> int:
    """Anywhere, or near the beginning or the end, where headers and directories are."""
    last = max(0, len(content) - 1)
    where = choices.number(3)
    if where == 0:
        return choices.number(last)
    near = choices.number(min(last, 255))
    return near if where == 1 else last - near


def _changed_byte(choices: Choices, content: bytes) -> bytes:
    if not content:
        return content
    place = _place(choices, content)
    return content[:place] + choices.bytes(1) + content[place + 1 :]


def _flipped_bit(choices: Choices, content: bytes) -> bytes:
    if not content:
        return content
    place = _place(choices, content)
    changed = content[place] ^ (1 << choices.number(7))
    return content[:place] + bytes([changed]) + content[place + 1 :]


def _overwritten(choices: Choices, content: bytes) -> bytes:
    place, what = _place(choices, content), choices.pick(TELLING)
    return content[:place] + what + content[place + len(what) :]


def _inserted(choices: Choices, content: bytes) -> bytes:
    place = _place(choices, content)
    return content[:place] + choices.pick(TELLING) + content[place:]


def _cut_off(choices: Choices, content: bytes) -> bytes:
    return content[: _place(choices, content)]


def _cut_out(choices: Choices, content: bytes) -> bytes:
    place = _place(choices, content)
    return content[:place] + content[place + choices.number(64) :]


def _doubled(choices: Choices, content: bytes) -> bytes:
    place = _place(choices, content)
    piece = content[place : place + choices.number(255)]
    other = _place(choices, content)
    return content[:other] + piece + content[other:]


def _larger_number(choices: Choices, content: bytes) -> bytes:
    """A run of digits, or a little number in two to eight bytes, made much larger."""
    place = _place(choices, content)
    digits = [
        i for i in range(place, min(len(content), place + 200)) if content[i : i + 1].isdigit()
    ]
    if digits and not choices.rarely(3):
        more = choices.pick([b"0", b"000", b"999999", b"99999999999999999999"])
        return content[: digits[0]] + more + content[digits[0] :]
    length = choices.pick([2, 4, 8])
    order = choices.pick(["little", "big"])
    value = int.from_bytes(content[place : place + length], order)
    value = (value << choices.between(1, 8 * length - 1)) % 256**length
    return content[:place] + value.to_bytes(length, order) + content[place + length :]


KINDS = (
    *(_flipped_bit, _changed_byte, _overwritten, _inserted, _cut_off, _cut_out, _doubled),
    _larger_number,
)
