"""Files of AnnData, and what h5py itself finds in them."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from scipy import sparse

from tests_long.fuzz.cases import Case, Columns, is_missing
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import integer, n_rows_of, names, number, options, text
from tests_long.fuzz.damage import damaged
from tests_long.fuzz.other_process import result_of

__all__ = ["make_h5ad"]

TEXT = h5py.string_dtype()
TYPES = ("<f4", "<f8", "<i8", "|u1", "<f2", "<u8", ">f8", "|b1")


def make_h5ad(choices: Choices) -> Case:
    """A file as anndata writes it, mostly; parts may be missing, odd or of another length."""
    n_obs, n_vars = n_rows_of(choices), choices.between(1, 4)
    variables = [one.replace("\0", "") for one in names(choices, n_vars, 20)]
    target = choices.pick(["group", "group", "value", "count"])
    with h5py.File("made", "w", driver="core", backing_store=False) as file:
        _mark(file, "anndata", "0.1.0")
        if not choices.rarely(30):
            _matrix(choices, file, n_obs + choices.rarely(30), n_vars)
        if not choices.rarely(40):
            _observations(choices, file, n_obs)
        if not choices.rarely(40):
            _frame(file, "var", np.array(variables, dtype=object), [])
        for name in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
            if not choices.rarely(30):
                _mark(file.create_group(name), "dict", "0.1.0")
        if choices.rarely(10) and "uns" in file:
            odd = choices.pick([b"pickled", 1.5, "words"])
            file["uns"].create_dataset("odd", data=odd)
        _spoiled(choices, file)
        file.flush()
        content = file.id.get_file_image()
    read = plainly_read
    if choices.rarely(3):
        content = damaged(choices, content)
        read = partial(result_of, plainly_read)  # which may die of it, too
    given = options(choices, [*variables, "group", "value", "count"], target)
    return Case(".h5ad", content, given, read)


def _mark(group: Any, kind: str, version: str) -> None:
    group.attrs["encoding-type"] = kind
    group.attrs["encoding-version"] = version


def _matrix(choices: Choices, file: h5py.File, n_obs: int, n_vars: int) -> None:
    hostile = choices.pick([1000, 1000, 20])
    values = np.array([number(choices, hostile) for _ in range(n_obs * n_vars)], dtype=np.float64)
    with np.errstate(all="ignore"):
        dense = values.reshape(n_obs, n_vars).astype(choices.pick(TYPES))
    form = choices.number(5)
    if form < 3:
        packing = {"compression": "gzip", "shuffle": True} if choices.rarely(3) and n_obs else {}
        _mark(file.create_dataset("X", data=dense, **packing), "array", "0.2.0")
        return
    if dense.dtype.kind == "f":
        dense[np.abs(dense) < 40] = 0
    if dense.dtype.itemsize == 2 or dense.dtype.str[0] == ">":
        with np.errstate(over="ignore"):
            dense = dense.astype(np.float32)
    found = (sparse.csr_matrix if form < 5 else sparse.csc_matrix)(dense)
    group = file.create_group("X")
    _mark(group, "csr_matrix" if form < 5 else "csc_matrix", "0.1.0")
    group.attrs["shape"] = [n_obs, n_vars]
    for part in ("data", "indices", "indptr"):
        stored = getattr(found, part)
        if len(stored) and choices.rarely(40):
            stored = np.nan_to_num(stored).clip(-(2**31), 2**31).astype(np.int64)
            stored[choices.number(len(stored) - 1)] = choices.pick([-1, 99, 2**31 - 1])
        group.create_dataset(part, data=stored, maxshape=(None,))


def _observations(choices: Choices, file: h5py.File, n_obs: int) -> None:
    index = np.array([f"o{place}" for place in range(n_obs)], dtype=object)
    if n_obs and choices.rarely(20):
        index[0] = text(choices, 2).replace("\0", "")
    group = _frame(file, "obs", index, ["group", "value", "count"])
    codes = np.array([choices.number(2) - choices.rarely(12) for _ in range(n_obs)], dtype=np.int8)
    if n_obs and choices.rarely(20):
        codes[0] = choices.pick([5, -9, 127])
    levels = np.array(
        ["a", "b", "c" if choices.rarely(2) else text(choices, 3).replace("\0", "d") * 2],
        dtype=object,
    )
    categories = group.create_group("group")
    _mark(categories, "categorical", "0.2.0")
    categories.attrs["ordered"] = False
    _mark(categories.create_dataset("codes", data=codes), "array", "0.2.0")
    _mark(categories.create_dataset("categories", data=levels, dtype=TEXT), "string-array", "0.2.0")
    hostile = choices.pick([1000, 20])
    values = [number(choices, hostile) for _ in range(n_obs)]
    _mark(group.create_dataset("value", data=np.array(values, dtype=float)), "array", "0.2.0")
    counts = [integer(choices, hostile) for _ in range(n_obs)]
    _mark(group.create_dataset("count", data=np.array(counts, dtype=int)), "array", "0.2.0")


def _frame(file: h5py.File, name: str, index: np.ndarray, columns: list[str]) -> h5py.Group:
    group = file.create_group(name)
    _mark(group, "dataframe", "0.2.0")
    group.attrs["_index"] = "_index"
    group.attrs.create("column-order", np.array(columns, dtype=object), dtype=TEXT)
    _mark(group.create_dataset("_index", data=index, dtype=TEXT), "string-array", "0.2.0")
    return group


def _spoiled(choices: Choices, file: h5py.File) -> None:
    """One thing not as it should be, now and then."""
    if not choices.rarely(6):
        return
    places = ["X", "obs", "var", "obs/group", "obs/value", "obs/_index", "obs/group/codes", "uns"]
    place = choices.pick([one for one in places if one in file] or ["/"])
    how = choices.number(5)
    if how == 0 and place != "/":
        del file[place]
    elif how == 1:
        file[place].attrs["encoding-type"] = choices.pick(
            ["array", "dataframe", "nullable-integer", "x"]
        )
    elif how == 2:
        file[place].attrs.pop("encoding-type", None)
    elif how == 3 and place != "/":
        del file[place]
        file[place] = choices.pick([np.zeros((2, 3)), np.array(5), np.zeros(0), np.zeros(3, "V4")])
    elif how == 4 and place != "/":
        del file[place]
        file[place] = choices.pick(
            [h5py.SoftLink("/obs"), h5py.SoftLink("/nowhere"), h5py.ExternalLink("/dev/null", "/")]
        )
    elif how == 5 and place != "/":
        del file[place]
        far = choices.pick([(2**20, 2**10), (2**40,), (2**20, 2**20)])
        file.create_dataset(place, far, np.float64, chunks=tuple(min(64, one) for one in far))


def plainly_read(path: Path, given: Mapping[str, Any]) -> Columns:
    """The matrix and one annotation; observations without a value of it left out."""
    target = given["target"]
    with h5py.File(path, "r") as file:
        variables = [one.decode() for one in file["var"][file["var"].attrs["_index"]][...]]
        dropped = {place for place, name in enumerate(variables) if name in given.get("drop", ())}
        X = _dense(file["X"], dropped)
        values = _annotation(file["obs"][target], len(X))
    kept = [place for place, value in enumerate(values) if not is_missing(value)]
    assert len(X) == len(values)
    columns: dict[str, Any] = {
        name: [X[row, place].item() for row in kept] for place, name in enumerate(variables)
    }
    assert len(columns) == X.shape[1]
    columns[target] = [values[row] for row in kept]
    return columns


def _annotation(column: Any, n_obs: int) -> list[Any]:
    if isinstance(column, h5py.Group):
        levels = column["categories"][...].tolist()
        texts = [one.decode() if isinstance(one, bytes) else one for one in levels]
        return [None if code < 0 else texts[code] for code in column["codes"][...].tolist()]
    values = np.broadcast_to(column[...], n_obs).tolist()  # one value is that of all
    return [one.decode() if isinstance(one, bytes) else one for one in values]


def _dense(matrix: Any, dropped: set[int]) -> np.ndarray:
    """All values; columns that are dropped, and kept by themselves, need not be sound."""
    if isinstance(matrix, h5py.Dataset):
        return matrix[...]
    n_obs, n_vars = matrix.attrs["shape"]
    data, indices, indptr = (matrix[part][...] for part in ("data", "indices", "indptr"))
    dense = np.zeros((n_obs, n_vars), dtype=data.dtype)
    by_row = matrix.attrs["encoding-type"] == "csr_matrix"
    assert len(indptr) == 1 + (n_obs if by_row else n_vars)
    assert indptr[0] == 0
    assert indptr[-1] == len(data) == len(indices)
    for major in sorted(set(range(len(indptr) - 1)) - (set() if by_row else dropped)):
        for place in range(indptr[major], indptr[major + 1]):
            assert indices[place] >= 0
            where = (major, indices[place]) if by_row else (indices[place], major)
            dense[where] += data[place]
    return dense
