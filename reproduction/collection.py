"""Load data sets from a local collection of NumPy files.

A collection is a folder with one compressed file per data set, ``<group>/<name>.npz``, and
an ``INDEX.csv`` that lists them (columns group, name, n_samples, n_features, task, n_classes,
source, notes). Each file holds `X` (samples in rows) and `y`, some hold `relevant`, the indices of
the columns known to determine `y`, or further arrays.

The collection is not part of the repository. It is looked for in the folder named by the
environment variable ``HSIEVE_DATA``; if that is not set, in ``../shared/data`` seen from the root
of the repository and then from the current directory. Files are read without pickle, so loading
runs no foreign code.
"""

import csv
import difflib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import TargetKind

__all__ = [
    "Dataset",
    "DatasetEntry",
    "DatasetNotFoundError",
    "collection_root",
    "list_datasets",
    "load_dataset",
]

FolderLike: TypeAlias = str | os.PathLike[str]

ENVIRONMENT_VARIABLE = "HSIEVE_DATA"
INDEX_NAME = "INDEX.csv"
DEFAULT_PLACE = Path("..", "shared", "data")

TARGET_KIND_OF_TASK: dict[str, TargetKind] = {
    "classification": "classes",
    "regression": "continuous",
}
N_SUGGESTIONS = 5
SUGGESTION_CUTOFF = 0.6
MATRIX_DIMENSIONS = 2


class DatasetNotFoundError(FileNotFoundError):
    """Raised when the collection, or a data set in it, cannot be found."""


@dataclass(frozen=True)
class DatasetEntry:
    """One line of a collection's index.

    Parameters
    ----------
    group, name : str
        Folder and file name, without extension, of the data set.
    n_samples, n_features : int
        Shape of `X`.
    target_kind : {"classes", "continuous"}
        What `y` holds.
    n_classes : int or None
        Number of classes, None for a continuous target.
    source, notes : str
        Where the data come from, and remarks.
    """

    group: str
    name: str
    n_samples: int
    n_features: int
    target_kind: TargetKind
    n_classes: int | None
    source: str = field(repr=False)
    notes: str = field(repr=False)

    @property
    def key(self) -> str:
        """The full name, ``group/name``."""
        return f"{self.group}/{self.name}"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set of the collection.

    Parameters
    ----------
    name, group : str
        File name, without extension, and folder of the data set.
    X : ndarray of shape (n_samples, n_features)
        Features, float32 or float64 as stored.
    y : ndarray of shape (n_samples,)
        Class labels as in the source, or a continuous target.
    target_kind : {"classes", "continuous"}
        What `y` holds.
    relevant : ndarray of shape (n_relevant,) or None
        Zero-based indices of the true features in rising order, None where they are not known.
    extra : dict of str to ndarray
        Any further arrays of the file.
    """

    name: str
    group: str
    X: NDArray[Any] = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    target_kind: TargetKind
    relevant: NDArray[np.int64] | None
    extra: dict[str, NDArray[Any]] = field(repr=False)


def collection_root() -> Path | None:
    """Return the folder of the collection, or None if there is none.

    Returns
    -------
    Path or None
        The first of the places named in the module's description that holds an ``INDEX.csv``. When
        ``HSIEVE_DATA`` is set no other place is tried, so that a misspelt folder is noticed.

    Examples
    --------
    >>> from reproduction.collection import collection_root
    >>> root = collection_root()
    >>> root is None or (root / "INDEX.csv").is_file()
    True
    """
    return next((place for place in _places() if (place / INDEX_NAME).is_file()), None)


def list_datasets(*, root: FolderLike | None = None) -> tuple[DatasetEntry, ...]:
    """List the data sets of the collection.

    Parameters
    ----------
    root : path-like or None, default=None
        Folder of the collection; None looks for it, see :func:`collection_root`.

    Returns
    -------
    tuple of DatasetEntry
        One entry for each line of the index, in its order.

    Raises
    ------
    DatasetNotFoundError
        If there is no collection.

    Examples
    --------
    >>> from reproduction.collection import list_datasets
    >>> [entry.key for entry in list_datasets()][:2]  # doctest: +SKIP
    ['asu/warpAR10P', 'asu/warpPIE10P']
    """
    index = _require_root(root) / INDEX_NAME
    with index.open(newline="", encoding="utf-8") as lines:
        return tuple(_parse_entry(row, index) for row in csv.DictReader(lines))


def load_dataset(name: str, *, root: FolderLike | None = None) -> Dataset:
    """Load one data set of the collection.

    Parameters
    ----------
    name : str
        Full name such as "asu/colon", or the bare name "colon" if no other group has it. Capitals
        count: "asu/Isolet" and "l1lsmi/isolet" are different sets.
    root : path-like or None, default=None
        Folder of the collection; None looks for it, see :func:`collection_root`.

    Returns
    -------
    Dataset
        The arrays of the file, with what the index says of the target.

    Raises
    ------
    DatasetNotFoundError
        If there is no collection, no data set of that name in it, or its file is missing.
    ValueError
        If several groups have the bare name, or the file does not hold a data set.

    Examples
    --------
    >>> from reproduction.collection import load_dataset
    >>> load_dataset("asu/colon").X.shape  # doctest: +SKIP
    (62, 2000)
    """
    folder = _require_root(root)
    entry = _find_entry(name, list_datasets(root=folder), folder)
    arrays = _read_arrays(folder / entry.group / f"{entry.name}.npz")
    relevant = arrays.pop("relevant", None)
    return Dataset(
        name=entry.name,
        group=entry.group,
        X=arrays.pop("X"),
        y=arrays.pop("y"),
        target_kind=entry.target_kind,
        relevant=None if relevant is None else np.sort(relevant).astype(np.int64),
        extra=arrays,
    )


def _places() -> list[Path]:
    """Return the folders in which a collection is looked for, in order."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        return [Path(named).expanduser()]
    starts = [Path(__file__).resolve().parents[1], Path.cwd()]
    places = [(start / DEFAULT_PLACE).resolve() for start in starts]
    return list(dict.fromkeys(places))


def _require_root(root: FolderLike | None) -> Path:
    """Return the given or found folder of the collection, or say where it was looked for."""
    places = _places() if root is None else [Path(root)]
    for place in places:
        if (place / INDEX_NAME).is_file():
            return place
    looked = ", ".join(str(place) for place in places)
    msg = (
        f"no data collection found: no {INDEX_NAME} in {looked}. Set the environment variable "
        f"{ENVIRONMENT_VARIABLE} to the folder that holds {INDEX_NAME}"
    )
    raise DatasetNotFoundError(msg)


def _parse_entry(row: dict[str, str], index: Path) -> DatasetEntry:
    """Turn one line of the index into an entry."""
    task = row["task"]
    if task not in TARGET_KIND_OF_TASK:
        known = ", ".join(map(repr, TARGET_KIND_OF_TASK))
        msg = f"{index}: task of {row['group']}/{row['name']} must be one of {known}, got {task!r}"
        raise ValueError(msg)
    return DatasetEntry(
        group=row["group"],
        name=row["name"],
        n_samples=int(row["n_samples"]),
        n_features=int(row["n_features"]),
        target_kind=TARGET_KIND_OF_TASK[task],
        n_classes=int(row["n_classes"]) if row["n_classes"] else None,
        source=row["source"],
        notes=row["notes"],
    )


def _find_entry(name: str, entries: tuple[DatasetEntry, ...], folder: Path) -> DatasetEntry:
    """Return the one entry with this full or bare name."""
    matches = [entry for entry in entries if name in (entry.key, entry.name)]
    if not matches:
        near = _near_names(name, entries)
        hint = f"did you mean {', '.join(near)}?" if near else "list_datasets() names them all."
        msg = (
            f"no data set {name!r} among the {len(entries)} of {folder / INDEX_NAME}; {hint} "
            f"Another collection is chosen by the environment variable {ENVIRONMENT_VARIABLE}"
        )
        raise DatasetNotFoundError(msg)
    if len(matches) > 1:
        keys = ", ".join(repr(entry.key) for entry in matches)
        msg = f"{name!r} is found in several groups; give one of the full names {keys}"
        raise ValueError(msg)
    return matches[0]


def _near_names(name: str, entries: tuple[DatasetEntry, ...]) -> list[str]:
    """Return the full names whose bare or full name resembles the given one, best first."""
    keys_of: dict[str, list[str]] = {}
    for entry in entries:
        # With a group, "asv/colon" should find asu/colon; without one, "Colon" should as well.
        spelling = entry.key if "/" in name else entry.name
        keys_of.setdefault(spelling.lower(), []).append(entry.key)
    close = difflib.get_close_matches(
        name.lower(), keys_of, n=N_SUGGESTIONS, cutoff=SUGGESTION_CUTOFF
    )
    return [key for spelling in close for key in keys_of[spelling]]


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of a file and check that they make a data set."""
    if not path.is_file():
        msg = f"the index lists a data set whose file is missing: {path}"
        raise DatasetNotFoundError(msg)
    with np.load(path, allow_pickle=False) as archive:
        arrays = {key: archive[key] for key in archive.files}
    if not {"X", "y"} <= arrays.keys():
        msg = f"{path} must hold the arrays X and y, got {', '.join(sorted(arrays)) or 'none'}"
        raise ValueError(msg)
    X, y = arrays["X"], arrays["y"]
    if X.ndim != MATRIX_DIMENSIONS or y.shape != X.shape[:1]:
        msg = (
            f"{path} must hold X of shape (n_samples, n_features) and y of shape (n_samples,), "
            f"got {X.shape} and {y.shape}"
        )
        raise ValueError(msg)
    return arrays
