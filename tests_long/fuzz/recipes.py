"""Hostile data by recipe: few small choices that hypothesis can shrink and that read in a report.

Most columns are *plain* values, whole multiples of 1/64, in a *dress* that rounds nothing: a power
of two for a factor, a large offset. So every dressed table has a plain twin, and a method that
promises not to mind shift and scale must give the same answer for both. Other columns are wild,
and have no twin.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from hypothesis import strategies as st

__all__ = ["Case", "cases"]

SHAPES = ("grid", "grid", "grid", "levels", "two", "lone", "constant", "copy", "target")
# Factor as a power of two, and offset before it.
DRESSES = {
    "float64": {
        "as is": (0, 0.0),
        "large": (1018, 0.0),
        "square overflows": (520, 0.0),
        "square vanishes": (-530, 0.0),
        "spread of 1e-300": (-996, 0.0),
        "denormal": (-1068, 0.0),
        "offset of 1e12": (0, 2.0**40),
        "offset of -1e12": (0, -(2.0**40)),
        "last digits": (0, 2.0**45),
        "last digits, large": (900, 2.0**45),
        "last digits, small": (-900, -(2.0**45)),
        "beyond 2^53": (16, 2.0**45),
    },
    "float32": {
        "as is": (0, 0.0),
        "large": (122, 0.0),
        "square overflows": (70, 0.0),
        "square vanishes": (-80, 0.0),
        "denormal": (-143, 0.0),
        "offset": (0, 2.0**12),
        "last digits": (0, -(2.0**16)),
        "last digits, large": (100, 2.0**16),
    },
}
WILD = ("magnitudes", "outlier", "extremes", "tiny beside huge")
FORMS = ("fortran", "read-only", "strided", "list", "frame")
REFUSED_FORMS = ("nan", "infinite", "no rows", "no columns", "flat", "cube", "complex", "text")
OTHER_FORMS = ("objects", "dates", "sparse", "whole", "boolean", "half")
# Two and three samples are refused by most, so they are rare.
SIZES = (*range(4, 31), *range(4, 12), 2, 3)
CLASS_NAMES = ("codes", "text", "objects", "boolean", "large", "far", "floats", "bytes", "unsigned")
ODD_TARGETS = (
    "one class",
    "own class each",
    "lone sample",
    "constant",
    "nan",
    "infinite",
    "none",
    "mixed",
    "outputs",
    "column",
    "short",
    "complex",
    "empty",
    "dates",
    "durations",
    "decimals",
    "magnitudes",
)


@dataclass(frozen=True)
class Case:
    """One input; `seed` fills in the values."""

    n_samples: int
    columns: tuple[tuple[str, str], ...]
    target: tuple[str, str]
    dtype: str
    form: str
    seed: int

    def plain_target(self) -> np.ndarray:
        """Whole numbers for classes, multiples of 1/64 for numbers."""
        rng = np.random.default_rng([self.seed, 1])
        kind, dress = self.target
        if kind == "classes":
            n_classes = 2 if dress == "boolean" else int(rng.integers(2, 4))
            return rng.permutation(np.arange(self.n_samples) % n_classes)
        return rng.integers(-256, 257, self.n_samples) / 64

    def y(self) -> Any:
        """The target as it is given."""
        plain = self.plain_target()
        kind, dress = self.target
        if kind == "classes":
            return _named_classes(plain, dress)
        if kind == "numbers":
            return _dressed(plain, dress, "float64")
        return _odd_target(kind, self.n_samples, np.random.default_rng([self.seed, 2]))

    def plain(self) -> np.ndarray:
        """The table without dresses; wild columns are what they are."""
        return self._table(dressed=False)

    def X(self) -> Any:
        """The features as they are given."""
        return _formed(self._table(dressed=True), self.form)

    @property
    def has_twin(self) -> bool:
        """Whether the same is told by a plain table and target."""
        wild = any(shape in WILD for shape, _ in self.columns)
        plain = self.target[0] in ("classes", "numbers") and self.form in ("plain", *FORMS)
        return plain and not wild

    @property
    def is_scaled(self) -> bool:
        """Whether any feature is shifted or scaled."""
        return any(dress != "as is" for _, dress in self.columns)

    @property
    def has_copies(self) -> bool:
        """Whether two columns may be the same but for their dress."""
        shapes = [shape for shape, _ in self.columns]
        few = ("two", "lone", "levels", "target")
        return "copy" in shapes or sum(shape in few for shape in shapes) > 1

    def _table(self, *, dressed: bool) -> np.ndarray:
        table = np.empty((self.n_samples, len(self.columns)), dtype=self.dtype)
        for place, (shape, dress) in enumerate(self.columns):
            rng = np.random.default_rng([self.seed, 3, place])
            values = self._shaped(shape, rng)
            keeps = shape in WILD or not dressed
            table[:, place] = values if keeps else _dressed(values, dress, self.dtype)
        return table

    def _shaped(self, shape: str, rng: np.random.Generator) -> np.ndarray:
        n = self.n_samples
        if shape in WILD:
            return _wild(shape, n, rng, self.dtype)
        if shape == "copy":
            return self._shaped("grid", np.random.default_rng([self.seed, 3, 0]))
        if shape == "target":
            return np.asarray(self.plain_target(), dtype=np.float64)
        return {
            "grid": lambda: rng.integers(-256, 257, n) / 64,
            "levels": lambda: rng.integers(0, 4, n) * 1.0,
            "two": lambda: rng.integers(0, 2, n) * 1.0,
            "lone": lambda: (np.arange(n) == rng.integers(n)) * 1.0,
            "constant": lambda: np.full(n, 3.0),
        }[shape]()


def _dressed(values: np.ndarray, dress: str, dtype: str) -> np.ndarray:
    power, offset = DRESSES[dtype][dress]
    return np.ldexp((values + offset).astype(dtype), power)


def _wild(shape: str, n: int, rng: np.random.Generator, dtype: str) -> np.ndarray:
    limits = np.finfo(dtype)
    most = float(np.log10(limits.max)) - 1
    if shape == "magnitudes":
        return rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(-most, most, n)
    if shape == "outlier":
        return np.where(np.arange(n) == rng.integers(n), 10**most, rng.normal(size=n))
    if shape == "extremes":
        return rng.choice([limits.min, 0.0, limits.max], n).astype(np.float64)
    return np.where(rng.random(n) < 0.5, float(limits.tiny), float(limits.max))


def _named_classes(codes: np.ndarray, name: str) -> np.ndarray:
    return {
        "codes": lambda: codes,
        "text": lambda: np.array(["a", "aß", "b"])[codes],
        "objects": lambda: np.array(["a", "b", "c"], dtype=object)[codes],
        "boolean": lambda: codes.astype(bool),
        "large": lambda: np.ldexp(codes - 1.0, 1020),
        "far": lambda: codes + 2**62,
        "floats": lambda: codes - 5.0,
        "bytes": lambda: np.array([b"a", b"b", b"c"])[codes],
        "unsigned": lambda: codes.astype(np.uint64) + np.uint64(2**63),
    }[name]()


def _odd_target(kind: str, n: int, rng: np.random.Generator) -> Any:
    numbers = rng.normal(size=n)
    days = np.datetime64("2020-01-01") + np.arange(n)
    return {
        "one class": lambda: np.full(n, "a"),
        "own class each": lambda: np.array([f"name {i}" for i in range(n)]),
        "lone sample": lambda: (np.arange(n) == 0).astype(int),
        "constant": lambda: np.full(n, 0.1),
        "nan": lambda: np.where(np.arange(n) == 1, np.nan, numbers),
        "infinite": lambda: np.where(np.arange(n) == 1, np.inf, numbers),
        "none": lambda: None,
        "mixed": lambda: np.array([i if i % 2 else str(i) for i in range(n)], dtype=object),
        "outputs": lambda: rng.integers(-64, 65, (n, 2)) / 64,
        "column": lambda: numbers[:, None],
        "short": lambda: numbers[1:],
        "complex": lambda: numbers + 1j,
        "empty": lambda: np.zeros(0),
        "dates": lambda: days,
        "durations": lambda: days - days[0],
        "decimals": lambda: np.array([Decimal(str(v)) for v in numbers], dtype=object),
        "magnitudes": lambda: 10 ** rng.uniform(-307, 307, n),
    }[kind]()


def _formed(table: np.ndarray, form: str) -> Any:
    n, d = table.shape
    if form == "read-only":
        table = table.copy()
        table.flags.writeable = False
        return table
    whole = np.nan_to_num(table % 7).round()
    return {
        "plain": lambda: table,
        "fortran": lambda: np.asfortranarray(table),
        "strided": lambda: np.repeat(np.repeat(table, 2, axis=0), 3, axis=1)[::2, ::3],
        "list": table.tolist,
        "frame": lambda: pd.DataFrame(table, columns=[f"f{j}" for j in range(d)]),
        "nan": lambda: np.where(np.arange(n * d).reshape(n, d) == n * d // 2, np.nan, table),
        "infinite": lambda: np.where(np.arange(n * d).reshape(n, d) == 0, -np.inf, table),
        "no rows": lambda: table[:0],
        "no columns": lambda: table[:, :0],
        "flat": lambda: table[:, 0],
        "cube": lambda: table[:, :, None],
        "complex": lambda: table + 1j,
        "text": lambda: np.full((n, d), "word"),
        "objects": lambda: table.astype(object),
        "dates": lambda: whole.astype(np.int64).astype("datetime64[D]"),
        "sparse": lambda: scipy.sparse.csr_matrix(table),
        "whole": lambda: whole.astype(np.int64) + 2**60,
        "boolean": lambda: table > 0,
        "half": lambda: whole.astype(np.float16),
    }[form]()


@st.composite
def cases(draw: Any) -> Case:
    """Any case, plain ones more often than odd ones."""
    dtype = draw(st.sampled_from(("float64", "float64", "float32")))
    dress = st.sampled_from(tuple(DRESSES[dtype]))
    column = st.one_of(
        st.tuples(st.sampled_from(SHAPES), st.just("as is")),
        st.tuples(st.sampled_from(SHAPES), dress),
        st.tuples(st.sampled_from(SHAPES), dress),
        st.tuples(st.sampled_from(WILD), st.just("as is")),
    )
    target = st.one_of(
        st.tuples(st.just("classes"), st.sampled_from(CLASS_NAMES)),
        st.tuples(st.just("classes"), st.just("codes")),
        st.tuples(st.just("numbers"), st.sampled_from(tuple(DRESSES["float64"]))),
        st.tuples(st.just("numbers"), st.just("as is")),
        st.tuples(st.sampled_from(ODD_TARGETS), st.just("")),
    )
    odd = (*FORMS, *REFUSED_FORMS, *OTHER_FORMS)
    return Case(
        n_samples=draw(st.sampled_from(SIZES)),
        columns=tuple(draw(st.lists(column, min_size=1, max_size=8))),
        target=draw(target),
        dtype=dtype,
        form=draw(st.sampled_from(("plain",) * 2 * len(odd) + odd)),
        seed=draw(st.integers(0, 2**16)),
    )
