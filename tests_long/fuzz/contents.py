"""What files are filled with: plain values and names, and hostile ones among them."""

import math

from tests_long.fuzz.choices import Choices

__all__ = [
    "field",
    "integer",
    "n_rows_of",
    "names",
    "number",
    "options",
    "text",
]

NUMBERS = (
    0.0,
    1.0,
    -1.5,
    0.1,
    1e308,
    -1.7976931348623157e308,
    5e-324,
    2.2250738585072014e-308,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    2.0**53,
    2.0**53 + 2,
    1e16,
    123456789.123456789,
)
INTEGERS = (0, 1, -1, 2, 7, 2**31, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))
# As they stand in text files, before any quoting.
FIELDS = (
    *("0", "1", "2", "-1", "0.5", "1e5", "1E-5", "+3", " 4 ", "\t5", "007", "1.", ".5"),
    *("1e308", "1e309", "-1e400", "5e-324", "1e-400", "2.2250738585072011e-308", "0.1" + "0" * 60),
    *("inf", "-inf", "Infinity", "INF", "nan", "NaN", "-nan", "NAN", "NA", "N/A", "null", "None"),
    *(
        "",
        " ",
        "#N/A",
        "-1.#IND",
        "1.#QNAN",
        "1.#INF",
        "n/a",
        "?",
        ".",
        "-",
        "+",
        "e5",
        "1e",
        "--1",
    ),
    *("9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807"),
    *("9223372036854775808", "18446744073709551615", "18446744073709551616", "9" * 40, "9" * 400),
    *(
        "9007199254740993.0",
        "9007199254740993e0",
        "0x10",
        "0xFFFFFFFFFFFFFFFF",
        "0x8000000000000000",
    ),
    *("0x", "0b1", "1_000", "1,5", "1.000,5", "1 000", "1d5", "1f", "0x1p3", "٣", "１", "−1", "½"),
    *("true", "false", "True", "FALSE", "yes", "no", "t", "f", "TRUE"),
    *(
        "2020-01-01",
        "2020-01-01 12:00:00",
        "2020-01-01T12:00:00Z",
        "12:00",
        "12:34:56",
        "1999-13-01",
    ),
    *(
        "a",
        "b",
        "c",
        "red",
        "Größe",
        "基因",
        "'",
        '"',
        '""',
        'a"b',
        "a\nb",
        "a\rb",
        "a\r\nb",
        "a\tb",
    ),
    *(
        "=1+1",
        "@SUM(A1)",
        "<script>alert(1)</script>",
        "a\0b",
        "\0",
        "\x1b[31m",
        "a\u2028b",
        "\ufeff1",
    ),
    *("\udc80", "\udcff1", "x" * 300),
)
PLAIN_FIELDS = FIELDS[:13]
TEXTS = (
    *(
        "a",
        "b",
        "c",
        "",
        " ",
        "A",
        "1",
        "0.5",
        "nan",
        "NA",
        "None",
        "Größe",
        "基因",
        "a\nb",
        "a\0b",
    ),
    *("=1+1", "<script>", "x" * 300, "\u2028", "\u202e", "e\u0301", "é", "\x1b[31m"),
)
NAMES = (
    *("y", "X", "a", "feature_names", "x0", "x1", "0", "-1", "", " ", "  padded ", "a.b", "a,b"),
    *('say "hi"', "two\nlines", "a\rb", "a\tb", "nul\0", "<script>alert(1)</script>", "=1+1", "@x"),
    *(
        "-x",
        "--help",
        "Größe",
        "基因",
        "a\u2028b",
        "\u202eabc",
        "e\u0301",
        "é",
        "\ufeffa",
        "n" * 200,
    ),
    *(
        "__index_level_0__",
        "../up",
        "a/b",
        "x.y.z",
        "%s",
        "{0}",
        "[bold]",
        "$HOME",
        "\x1b[31m",
        "nan",
    ),
)


def number(choices: Choices, hostile: int = 4) -> float:
    """A number, a hostile one once in so many times."""
    if choices.rarely(hostile):
        return choices.pick(NUMBERS)
    return choices.number(1000) / 8


def integer(choices: Choices, hostile: int = 4) -> int:
    return choices.pick(INTEGERS) if choices.rarely(hostile) else choices.number(5)


def text(choices: Choices, hostile: int = 4) -> str:
    return choices.pick(TEXTS) if choices.rarely(hostile) else choices.pick("abc")


def field(choices: Choices, hostile: int = 4) -> str:
    """What stands in a text file for one value."""
    return choices.pick(FIELDS if choices.rarely(hostile) else PLAIN_FIELDS)


def name(choices: Choices, place: int, hostile: int = 6) -> str:
    """A name, mostly one that no other place has."""
    return choices.pick(NAMES) if choices.rarely(hostile) else f"c{place}"


def names(choices: Choices, n_names: int, hostile: int = 6) -> list[str]:
    return [name(choices, place, hostile) for place in range(n_names)]


def n_rows_of(choices: Choices) -> int:
    """A few rows, mostly; now and then one or none."""
    return choices.number(1) if choices.rarely(16) else choices.between(2, 6)


def options(choices: Choices, known: list[str], usual_target: str | None) -> dict[str, object]:
    """How a file is read: mostly such that it can be."""
    target = usual_target
    if choices.rarely(8):
        target = choices.pick([*known, None, "", "0", "-1", "nowhere", "99999999999999999999"])
    others = [one for one in known if one != target]
    given: dict[str, object] = {"target": target}
    if choices.rarely(3):
        given["categorical"] = known if choices.rarely(2) else choices.some(known, 3)
    if choices.rarely(5):
        given["drop"] = choices.some(others, 4)
    if choices.rarely(5):
        given["target_kind"] = choices.pick(["classes", "continuous", "auto"])
    if choices.rarely(4):
        given["missing"] = "category"
    return given
