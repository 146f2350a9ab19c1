"""Groups of zarr arrays, written by hand in both formats, and what is in their chunks."""

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests_long.fuzz.cases import Case, Columns
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.contents import integer, n_rows_of, number, options
from tests_long.fuzz.damage import damaged

__all__ = ["make_zarr"]

FILTERS = (
    [{"id": "pickle", "protocol": 5}],
    [{"id": "json2"}],
    [{"id": "nothing"}],
)


def make_zarr(choices: Choices) -> Case:
    n_rows, n_columns = n_rows_of(choices), choices.between(1, 4)
    hostile = choices.pick([1000, 1000, 20])
    X = np.array([number(choices, hostile) for _ in range(n_rows * n_columns)], dtype=np.float64)
    whole = choices.rarely(2)
    y = np.array([(integer if whole else number)(choices, hostile) for _ in range(n_rows)])
    y = y.astype(np.int64 if whole else np.float64)
    write = choices.pick([_second, _third])
    files = {".zgroup": b'{"zarr_format": 2}'}
    if write is _third:
        files = {"zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'}
    dtype = choices.pick(["<f8", "<f4", "<i4", "|u1"])
    with np.errstate(all="ignore"):
        files.update(write(choices, "X", X.reshape(n_rows, n_columns).astype(dtype)))
    files.update(write(choices, "y", y))
    for name in choices.some(list(files), 24):
        files[name] = damaged(choices, files[name])
    for name in choices.some(list(files), 60):
        del files[name]
    given = options(choices, [f"x{place}" for place in range(n_columns)], choices.pick([None, "y"]))
    return Case(".zarr", files, given, plainly_read)


def _second(choices: Choices, name: str, array: np.ndarray) -> dict[str, bytes]:
    """Format 2: a description, and one chunk."""
    packing = choices.pick([None, None, {"id": "zlib", "level": 1}, {"id": "gzip", "level": 1}])
    about = {
        "zarr_format": 2,
        "shape": list(array.shape),
        "chunks": [max(1, length) for length in array.shape],
        "dtype": array.dtype.str,
        "compressor": packing,
        "fill_value": 0,
        "order": "C",
        "filters": choices.pick(FILTERS) if choices.rarely(20) else None,
    }
    _spoil(choices, about, ["shape", "chunks"])
    chunk = array.tobytes()
    if packing is not None:
        chunk = zlib.compress(chunk) if packing["id"] == "zlib" else gzip.compress(chunk, mtime=0)
    place = ".".join("0" for _ in array.shape)
    return {f"{name}/.zarray": json.dumps(about).encode(), f"{name}/{place}": chunk}


def _third(choices: Choices, name: str, array: np.ndarray) -> dict[str, bytes]:
    """Format 3: the same."""
    kinds = {"<f8": "float64", "<f4": "float32", "<i4": "int32", "|u1": "uint8", "<i8": "int64"}
    is_packed = choices.rarely(2)
    codecs: list[Any] = [{"name": "bytes", "configuration": {"endian": "little"}}]
    codecs += [{"name": "gzip", "configuration": {"level": 1}}] if is_packed else []
    if choices.rarely(30):
        codecs.append({"name": choices.pick(["numcodecs.pickle", "nothing"]), "configuration": {}})
    chunks = {"chunk_shape": [max(1, length) for length in array.shape]}
    about = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(array.shape),
        "data_type": kinds[array.dtype.str],
        "chunk_grid": {"name": "regular", "configuration": chunks},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": codecs,
        "attributes": {},
    }
    _spoil(choices, about, ["shape"])
    _spoil(choices, chunks, ["chunk_shape"])
    chunk = gzip.compress(array.tobytes(), mtime=0) if is_packed else array.tobytes()
    place = "/".join("0" for _ in array.shape)
    return {f"{name}/zarr.json": json.dumps(about).encode(), f"{name}/c/{place}": chunk}


def _spoil(choices: Choices, about: dict[str, Any], keys: list[str]) -> None:
    """Now and then, a length that is not the true one."""
    if not choices.rarely(16):
        return
    key = choices.pick(keys)
    about[key] = list(about[key])
    length = choices.pick([0, -1, 1, 3, 2**20, 2**40, 2**63, "3", None, 1.5])
    about[key][choices.number(len(about[key]) - 1)] = length


def plainly_read(path: Path, given: Mapping[str, Any]) -> Columns:
    """The one chunk of each array, without zarr."""
    X, y = (_chunk(path / name, n) for name, n in (("X", 2), (given["target"] or "y", 1)))
    columns = {f"x{place}": X[:, place].tolist() for place in range(X.shape[1])}
    return {**columns, given["target"] or "y": y.tolist()}


def _chunk(folder: Path, n_dimensions: int) -> np.ndarray:
    kinds = {"float64": "<f8", "float32": "<f4", "int32": "<i4", "uint8": "|u1", "int64": "<i8"}
    second = (folder / ".zarray").exists()
    about = json.loads((folder / (".zarray" if second else "zarr.json")).read_bytes())
    chunks = about["chunks"] if second else about["chunk_grid"]["configuration"]["chunk_shape"]
    dtype = np.dtype(about["dtype"] if second else kinds[about["data_type"]])
    fill = about["fill_value"]
    file = folder / ("." if second else "/").join([*([] if second else ["c"]), *"0" * n_dimensions])
    shape = tuple(about["shape"])
    if not file.exists():  # zarr's rule
        return np.full(shape, fill, dtype)
    content = file.read_bytes()
    packing = about["compressor"] if second else None
    if packing is not None or (not second and len(about["codecs"]) > 1):
        content = zlib.decompress(content, 47)
    chunk = np.frombuffer(content, dtype).reshape(chunks)
    array = np.full(shape, fill, dtype)
    array[tuple(slice(0, one) for one in chunks)] = chunk[tuple(slice(0, one) for one in shape)]
    return array
