"""One container for data of any origin: columns, target, and what is known of both.

:func:`open_dataset` takes files, data frames, AnnData and arrays. What it gives is taken by ``fit``
of every selector, by :func:`hsieve.select`, :func:`hsieve.compare` and ``selector.report``, so that
categories and the kind of the target are known wherever the data go.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
)

from hsieve.data.arrays import ArrayBlocks
from hsieve.data.columns import ColumnBlocks, some_columns
from hsieve.data.errors import listed, quoted, table_error, unknown_name
from hsieve.data.memory import free_memory, give_back_memory
from hsieve.data.survival import SURVIVAL, martingale_residuals, survival_times
from hsieve.data.validation import (
    TARGET_KINDS,
    TargetKind,
    numbers_if_all_are,
    plain_array,
    target_kind_of,
)
from hsieve.data.views import FilledBlocks, MissingAsLevel
from hsieve.exceptions import IdentifierWarning, warn_user
from hsieve.io.anndata import is_annotated, open_annotated
from hsieve.io.delimited import TextFormat
from hsieve.io.distributed import is_distributed, open_distributed
from hsieve.io.frames import FrameBlocks, as_frame, frame_names, is_frame, take_columns
from hsieve.io.reading import assign_roles, open_source
from hsieve.io.source import Source
from hsieve.io.sparse import SparseBlocks, is_sparse
from hsieve.io.targets import split_target, survival_target, target_array
from hsieve.kernels.columns import check_positions
from hsieve.parameters import word

__all__ = ["Dataset", "open_dataset", "opened"]

MISSING = ("refuse", "impute", "category")
BYTES_AT_A_TIME = 64 * 2**20


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, a target, and what is known of them.

    Parameters
    ----------
    columns : ColumnBlocks
        The features, in memory or in a file; `X` reads them all.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The target: class labels or numbers; of times with events, martingale residuals.
    names : tuple of str
        A name for each feature.
    target_name : str, default="y"
        Name of the target.
    target_kind : {"classes", "continuous", "survival"}
        How the target is read.
    categorical : tuple of int, default=()
        Positions of the features that are categories, ascending.
    levels : mapping of int to tuple, default={}
        For categories that were text, what their codes 0, 1, ... stand for.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        How often each sample counts; None for once.
    groups : ndarray of int of shape (n_samples,) or None, default=None
        Which samples belong together, such as cells of one donor; None for independent samples.
    times : ndarray of shape (n_samples,) or None, default=None
        Of survival data the structured array of ``event`` and ``time``.
    notes : tuple of str, default=()
        What was done to the data, in sentences.
    source : Path or str, default="data"
        The file or folder that the data come from.

    Examples
    --------
    >>> import numpy as np
    >>> from hsieve import N3LARS, Dataset
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> data = Dataset.from_arrays(X, np.abs(X[:, 2]), names=["a", "b", "c", "d"])
    >>> N3LARS(1).fit(data).get_feature_names_out()
    array(['c'], dtype=object)
    """

    columns: ColumnBlocks = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    target_name: str = "y"
    target_kind: TargetKind = "continuous"
    categorical: tuple[int, ...] = ()
    levels: Mapping[int, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    sample_weight: NDArray[np.float64] | None = field(default=None, repr=False)
    groups: NDArray[np.intp] | None = field(default=None, repr=False)
    times: NDArray[Any] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    source: Path | str = "data"

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        *,
        names: Sequence[str] | None = None,
        target_name: str = "y",
        categorical: Iterable[int | str] = (),
        target_kind: str = "auto",
        missing: str = "refuse",
        sample_weight: Any = None,
    ) -> "Dataset":
        """Take an array, a sparse matrix or column blocks, and a target.

        Parameters
        ----------
        X : array-like, sparse matrix or ColumnBlocks of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The target; or times with events, as :func:`open_dataset` takes them.
        names : sequence of str or None, default=None
            Names of the features; None for their own, or x0, x1, ...
        target_name : str, default="y"
            Name of the target.
        categorical, target_kind, missing
            As in :func:`open_dataset`.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each sample counts; None for once.

        Returns
        -------
        Dataset
            The data, not copied.
        """
        given_names = None if names is None else _checked_names(names, X)
        columns = _columns_of_array(X, given_names)
        kept = given_names or columns.names or tuple(f"x{i}" for i in range(columns.n_features))
        given = _given_categories(categorical, columns.n_features, kept)
        target, kind, times = _read_target(y, target_kind, columns.n_samples)
        data = cls(columns, target, kept, target_name, kind, given, times=times)
        data = replace(data, notes=_about_times(times))
        if missing == "refuse" and isinstance(columns, ArrayBlocks):
            _refuse_array(columns.whole())
        data = data.without_gaps(missing)
        return data if sample_weight is None else _weighted(data, sample_weight)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        target: Any,
        *,
        categorical: Iterable[int | str] = (),
        drop: Iterable[str] = (),
        missing: str = "refuse",
        target_kind: str = "auto",
        event: str | None = None,
    ) -> "Dataset":
        """Take a data frame of pandas, polars, Arrow or another library that Narwhals knows.

        Parameters
        ----------
        frame : DataFrame, LazyFrame, Table or RecordBatch
            The features, and perhaps the target. A lazy frame is collected once, without the
            columns to drop.
        target : str or array-like
            Name of the target's column, or its values.
        categorical, drop, missing, target_kind, event
            As in :func:`open_dataset`.

        Returns
        -------
        Dataset
            The columns are read from the frame, which is not copied.
        """
        dropped = tuple(drop)
        named = isinstance(target, str)
        _kept(dropped, [n for n in map(str, frame_names(frame)) if not (named and n == target)])
        frame = as_frame(frame, dropped)
        _refuse_several_names(target, frame)
        target_name = getattr(target, "name", None) or "y"
        if isinstance(target, str):
            target_name = target
            frame, target = split_target(frame, target)
        if event is not None:
            if not named:
                msg = f"event={event!r} needs the name of the column of times as target."
                raise ValueError(msg)
            frame, events = split_target(frame, event, "the events")
            target = survival_times(
                target_array(events, "continuous"), target_array(target, "continuous")
            )
        frame = as_frame(frame)
        wanted = [place for place, name in enumerate(frame.columns) if str(name) not in dropped]
        frame = take_columns(frame, np.array(wanted, dtype=np.intp))
        blocks = FrameBlocks(frame)
        every = tuple(blocks.name_of(place) for place in range(blocks.n_features))
        listed_ones = _given_categories(categorical, blocks.n_features, every)
        left = blocks.refuse_unusable(gaps=missing != "refuse", categories=listed_ones)
        notes = blocks.notes
        for sentence in left.values():
            warn_user(sentence, IdentifierWarning)
        kept = np.array([place for place in range(len(every)) if place not in left], dtype=np.intp)
        if not len(kept):
            msg = "No feature is left beside columns that identify or count the rows."
            raise ValueError(msg)
        if left:
            blocks = FrameBlocks(take_columns(frame, kept))
        shown = tuple(every[place] for place in kept)
        given = np.flatnonzero(np.isin(kept, listed_ones))
        values, kind, times = _read_target(target, target_kind, blocks.n_samples)
        return cls(
            columns=blocks,
            y=values,
            names=shown,
            target_name=str(target_name),
            target_kind=kind,
            times=times,
            categorical=tuple(np.union1d(given, blocks.declared).astype(int).tolist()),
            levels={i: c.levels for i, c in enumerate(blocks.columns) if c.kind == "text"},
            notes=(*_about_times(times), *notes),
        ).without_gaps(missing)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.columns.n_samples

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.columns.n_features

    @property
    def X(self) -> NDArray[Any]:
        """All features as an array of shape (n_samples, n_features)."""
        return self.columns.whole()

    @property
    def in_memory(self) -> bool:
        """Whether the features are in the memory of this process."""
        return isinstance(self.columns, ArrayBlocks | FrameBlocks | SparseBlocks)

    @property
    def fits(self) -> bool:
        """Whether all features fit into memory, twice."""
        n_bytes = self.n_samples * self.n_features * self.columns.dtype.itemsize
        return 2 * n_bytes <= free_memory()

    def rows(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Read some samples of all features, a few columns at a time."""
        found = np.empty((len(rows), self.n_features), dtype=np.float64, order="F")
        for features in self.columns.walk(BYTES_AT_A_TIME):
            found[:, features] = self.columns.read(features)[rows]
        return found

    def collected(self) -> "Dataset":
        """Bring the columns of a cluster into this process, if they fit into memory twice."""
        if self.columns.is_local or not self.fits:
            return self
        block = np.empty(self.columns.shape, dtype=self.columns.dtype, order="F")
        for features in self.columns.walk(BYTES_AT_A_TIME):
            block[:, features] = self.columns.read(features)
        size = f"{self.n_samples:,} samples x {self.n_features:,} features"
        note = f"Collected {size} from the cluster."
        columns = ArrayBlocks(block, self.columns.names)
        return replace(self, columns=columns, notes=(*self.notes, note))

    def without_gaps(self, missing: str) -> "Dataset":
        """Treat missing values as `missing` of :func:`open_dataset` says."""
        if missing == "impute":
            filled = FilledBlocks(self.columns, self.categorical)
            notes = filled.notes or ("No value was missing.",)
            return replace(self, columns=filled, notes=(*self.notes, *notes))
        if missing == "category":
            coded = MissingAsLevel(self.columns)
            categorical = np.union1d(self.categorical, np.flatnonzero(coded.has_missing))
            return replace(self, columns=coded, categorical=tuple(categorical.astype(int).tolist()))
        return self


def open_dataset(  # noqa: PLR0913 - one for each thing that data may not say themselves
    source: Any,
    target: Any = None,
    *,
    categorical: Iterable[int | str] = (),
    drop: Iterable[str] = (),
    missing: str = "refuse",
    target_kind: str = "auto",
    sample_weight: Any = None,
    groups: Any = None,
    event: str | None = None,
    names: Sequence[str] | None = None,
    layer: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Dataset:
    r"""Open data of any kind.

    Parameters
    ----------
    source : path-like, file object, data frame, AnnData, array, sparse matrix or ColumnBlocks
        A file ending in .csv, .tsv or .txt (also packed: .gz, .bz2, .xz, .zst, .zip), .xlsx, .xls,
        .parquet, .npz, .npy or .h5ad, a folder ending in .zarr, a folder of Parquet files, which
        are one table in the order of their names (its rows if they have equal columns, its columns
        if they have none in common and equally many rows), an open file of delimited text such as
        ``sys.stdin.buffer``, data in memory, an array or data frame of Dask, or a data frame of
        Spark.
    target : str or array-like
        Name of the target's column, or its values. For .npz and .zarr the name of a 1-D array, by
        default "y"; for .npy the index of a column, such as "0" or "-1", or its name; for .h5ad
        and AnnData a column of ``obs``. Times with events (survival data) are a structured array of
        event and time, as scikit-survival has them, or a frame of these two columns.
    categorical : iterable of int or str, default=()
        Features that are categories, beside those of category type and text. By name in a file.
    drop : iterable of str, default=()
        Columns to leave out; they are not looked at.
    missing : {"refuse", "impute", "category"}, default="refuse"
        Missing values of features: refuse them; fill in the median of numbers and a level of its
        own for categories; or make every feature that has some a category with a level for what is
        missing. The target may have none in any case.
    target_kind : {"auto", "classes", "continuous", "survival"}, default="auto"
        How the target is read. "auto": text, booleans, categories and integers of few values are
        classes, other numbers are numbers. "survival": an array of two columns holds events and
        times.
    event : str or None, default=None
        Of survival data the column that tells whether the event was observed (1) or the time is
        censored (0); the target is the column of times. In a file or a data frame.
    sample_weight : str, array-like or None, default=None
        How often each sample counts: the name of a column of numbers, which is then no feature, or
        its values. None counts each once.
    groups : str, array-like or None, default=None
        Which samples belong together, such as cells of one donor: the name of a column, which is
        then no feature, or its values. Tests and stability selection keep groups together; methods
        that would judge samples as independent are refused.
    names : sequence of str or None, default=None
        Names of the features of an array.
    layer : str or None, default=None
        Layer of an AnnData to take instead of ``X``.
    sep, decimal, encoding : str or None, default=None
        How delimited text is written: the separator of columns, "." or "," before decimals, and the
        encoding. None finds each out, and says so in `notes`.

    Returns
    -------
    Dataset
        Features, target, names, categories and the kind of the target. The features of .parquet,
        .npy, .zarr and .h5ad stay in the file and are read some columns at a time. Those of Dask
        are computed when they are read; with ``engine="dask"`` they stay on the workers. Those of
        Spark are written as Parquet into a temporary folder, which is removed with the last use.

    Raises
    ------
    ValueError
        If the data cannot be used; the message says why and what to do. For files it is a
        :class:`hsieve.io.TableError`.

    Notes
    -----
    Text of few levels is a category, which `notes` tell. Text that is different in every row, and
    integers that count the rows, are left out with a warning (from 20 rows on, in files and frames
    whose columns have types of their own), as are row labels saved by pandas. Dates are refused,
    and so is text among numbers. Booleans become 0 and 1, categories the codes 0, 1, ... of their
    sorted levels. In delimited text and Excel files, empty fields and the usual marks such as
    ``NA``, ``NaN``, ``N.D.`` and ``#DIV/0!`` are missing. Of an Excel file the first sheet that
    holds something is read. An .npz file,
    or a group of zarr, holds the arrays ``X`` (2-D), the target, and optionally ``feature_names``
    (1-D, text). Where names are not stored the columns are called x0, x1, ... Values of features
    that stay in a file are checked when they are read.

    Examples
    --------
    >>> import tempfile
    >>> from hsieve import open_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     _ = path.write_text("age,sex,ill\n30,f,no\n41,m,yes\n")
    ...     data = open_dataset(path, target="ill", categorical=["sex"])
    >>> data.names, data.X.tolist(), data.y.tolist(), data.categorical
    (('age', 'sex'), [[30.0, 0.0], [41.0, 1.0]], ['no', 'yes'], (1,))
    """
    _check_words(missing, target_kind, categorical, drop)
    options: dict[str, Any] = {
        "categorical": categorical,
        "missing": missing,
        "target_kind": target_kind,
    }
    if sample_weight is not None or groups is not None:
        data = open_dataset(
            source,
            target,
            drop=drop,
            **options,
            event=event,
            names=names,
            layer=layer,
            sep=sep,
            decimal=decimal,
            encoding=encoding,
        )
        data = data if sample_weight is None else _weighted(data, sample_weight)
        return data if groups is None else _grouped(data, groups)
    if event is not None:
        options["event"] = event
    given = any(one is not None for one in (sep, decimal, encoding))
    told = TextFormat(sep, decimal, encoding) if given else None
    if isinstance(source, str | os.PathLike):
        if not os.fspath(source):
            msg = "The path of the data is empty; give a file or a folder."
            raise ValueError(msg)
        source = Path(source)
    is_stream = hasattr(source, "read") and not isinstance(source, ColumnBlocks)
    drop = tuple(drop)
    if isinstance(source, Path) or is_stream:
        return _without(_from_file(source, target, told, drop=drop, **options), drop)
    if told is not None:
        msg = f"sep, decimal and encoding are for delimited text, got {type(source).__name__}."
        raise ValueError(msg)
    if is_distributed(source):
        _refuse_event(event, "data of Dask and Spark")
        return _without(_from_cluster(source, target, drop=drop, names=names, **options), drop)
    if target is None:
        msg = "y must hold the target, one value for each sample, or name its column; got None."
        raise ValueError(msg)
    if is_annotated(source):
        _refuse_event(event, "AnnData")
        columns, y, notes = open_annotated(source, target, layer=layer, target_kind=target_kind)
        data = Dataset.from_arrays(columns, y, target_name=target, **options)
        return _without(_dropped(replace(data, notes=(*notes, *data.notes)), drop), drop)
    if is_frame(source):
        return _without(Dataset.from_frame(source, target, drop=drop, **options), drop)
    if isinstance(target, str):
        msg = f"y={target!r} names a column, but X is no data frame; got {type(source).__name__}."
        raise ValueError(msg)
    _refuse_event(event, "arrays")
    return _without(
        _dropped(Dataset.from_arrays(source, target, names=names, **options), drop), drop
    )


def _without(data: Dataset, drop: tuple[str, ...]) -> Dataset:
    """Note the columns that were left out as asked."""
    note = (f"Left out as asked: {listed(drop)}.",) if drop else ()
    return replace(data, notes=(*data.notes, *note))


def _refuse_event(event: str | None, what: str) -> None:
    """Refuse the name of a column where there is none."""
    if event is not None:
        msg = (
            f"event={event!r} names a column of a file or a data frame, which {what} are not; give "
            "a structured array of event and time as the target."
        )
        raise ValueError(msg)


def opened(
    X: Any, y: Any, *, takes_weights: bool = False, takes_groups: bool = False, **options: Any
) -> Dataset:
    """Open data with the options of `open_dataset`, unless they are; collect those of a cluster.

    A Dataset whose samples have weights is refused by who `takes_weights` not, and one of groups by
    who `takes_groups` not.
    """
    if not isinstance(X, Dataset):
        return open_dataset(X, y, **options).collected()
    if X.sample_weight is not None and not takes_weights:
        msg = (
            "The samples of this Dataset have weights, which only selectors and hsieve.select "
            "take; open it without sample_weight."
        )
        raise ValueError(msg)
    if X.groups is not None and not takes_groups:
        msg = (
            "The samples of this Dataset are in groups, and this would take them for independent. "
            "Groups are kept together by StabilitySelection, feature_tests, hsic_test and compare; "
            "else open it without groups."
        )
        raise ValueError(msg)
    usual = dict.fromkeys(options) | {
        "categorical": (),
        "missing": "refuse",
        "target_kind": "auto",
    }
    given = [
        name
        for name, value in options.items()
        if value is not usual[name] and not np.array_equal(value, usual[name] or ())
    ]
    if y is not None or given:
        name = "y" if y is not None else given[0]
        msg = f"A Dataset has its own {name}; leave it out, or give it to open_dataset."
        raise ValueError(msg)
    return X.collected()


def _grouped(data: Dataset, groups: Any) -> Dataset:
    """Keep samples together: by values, or by the name of a column, which is a feature no more."""
    called = "groups"
    if isinstance(groups, str):
        if groups not in data.names:
            raise unknown_name(data.source, "groups", groups, data.names)
        called, columns = quoted(groups), data.columns
        positions = np.array([data.names.index(groups)])
        if isinstance(columns, FilledBlocks):
            values = columns.unfilled_columns(positions)
        else:
            values = columns.read(positions)
        data, groups = _dropped(data, [groups]), values[:, 0]
    values = np.asarray(groups)
    if values.shape != (data.n_samples,):
        msg = f"groups must be one for each of {data.n_samples} samples, got {values.shape}."
        raise ValueError(msg)
    if values.dtype.kind == "f" and np.isnan(values).any():
        msg = "groups must not be missing."
        raise ValueError(msg)
    codes = np.unique(values, return_inverse=True)[1].reshape(-1)
    if codes.max() == 0:
        msg = "groups holds a single group; at least two are needed."
        raise ValueError(msg)
    note = f"Samples are in {codes.max() + 1:,} groups, by {called}."
    return replace(data, groups=codes, notes=(*data.notes, note))


def _weighted(data: Dataset, sample_weight: Any) -> Dataset:
    """Give samples their weights: values, or the name of a column, which is a feature no more."""
    if data.times is not None:
        msg = "Times with events take no weights of samples; leave sample_weight out."
        raise ValueError(msg)
    note = "Samples are weighted."
    if isinstance(sample_weight, str):
        if sample_weight not in data.names:
            raise unknown_name(data.source, "sample_weight", sample_weight, data.names)
        place = data.names.index(sample_weight)
        columns = data.columns
        if place in data.categorical:
            msg = f"The weights in column {quoted(sample_weight)} must be numbers without gaps."
            raise ValueError(msg)
        # Weights that are missing are not filled in.
        positions = np.array([place])
        if isinstance(columns, FilledBlocks):
            values = columns.unfilled_columns(positions)
        else:
            values = columns.read(positions)
        note = f"Samples are weighted by {quoted(sample_weight)}."
        data, sample_weight = _dropped(data, [sample_weight]), values[:, 0]
    weight = _check_sample_weight(
        sample_weight,
        np.empty((data.n_samples, 0)),
        dtype=np.float64,
        ensure_non_negative=True,
    )
    return replace(data, sample_weight=weight, notes=(*data.notes, note))


def _refuse_several_names(target: Any, frame: Any) -> None:
    """Refuse a list of names as a target."""
    if not isinstance(target, list | tuple) or not 0 < len(target) < frame.shape[0]:
        return
    if all(isinstance(name, str) and name in frame_names(frame) for name in target):
        msg = (
            f"The target must be one column, got the names {listed(map(str, target))}. For several "
            "outputs give their values, such as frame[[...]], and leave them out of the features. "
            "Times with events are target='time', event='event'."
        )
        raise ValueError(msg)


def _from_file(
    opened_file: Any, target: str | None, told: TextFormat | None, **options: Any
) -> Dataset:
    """Open a file."""
    if target is not None and not isinstance(target, str):
        msg = f"target must be a string, such as a column name or '-1', got {target!r}"
        raise TypeError(msg)
    data = _from_source(open_source(opened_file, target, told), **options)
    # Footers of wide tables take hundreds of megabytes, all in small pieces.
    give_back_memory()
    return data


def _from_cluster(
    collection: Any,
    target: Any,
    *,
    drop: Sequence[str],
    names: Sequence[str] | None,
    **options: Any,
) -> Dataset:
    """Open data of Dask or Spark, which stay on the cluster."""
    found, y = open_distributed(collection, target, options["target_kind"])
    if isinstance(found, Source):
        found.check_target()
        return _from_source(found, drop=drop, **options)
    if isinstance(y, str):
        msg = f"y must be values, since an array of Dask has no column names; got {y!r}."
        raise ValueError(msg)
    return _dropped(Dataset.from_arrays(found, y, names=names, **options), drop)


def _from_source(
    source: Source,
    *,
    categorical: Iterable[int | str],
    drop: Sequence[str],
    missing: str,
    target_kind: str,
    event: str | None = None,
) -> Dataset:
    """Read the target of a source, and its features or where they are."""
    given = tuple(map(str, categorical))
    may_lack = missing != "refuse"
    with closing(source):
        roles = assign_roles(
            source,
            categorical=given,
            drop=drop,
            target_kind=target_kind,
            may_lack=may_lack,
            event=event,
        )
        columns = source.columns(roles.features, roles.declared, may_lack=may_lack)
    y, kind, times = roles.y, roles.target_kind, None
    if roles.event is not None:
        try:
            times = survival_times(roles.event, roles.y)
        except ValueError as error:
            raise table_error(source.path, f"{error}") from error
        y, kind = martingale_residuals(times), SURVIVAL
    return Dataset(
        columns=columns,
        y=y,
        names=roles.features,
        target_name=source.target,
        target_kind=kind,
        times=times,
        categorical=tuple(i for i, n in enumerate(roles.features) if n in roles.declared),
        levels={i: roles.levels[n] for i, n in enumerate(roles.features) if n in roles.levels},
        notes=(*source.notes, *_about_times(times), *roles.notes),
        source=source.path,
    ).without_gaps(missing)


def _check_words(missing: str, target_kind: str, categorical: Any, drop: Any) -> None:
    """Refuse options that are no words or lists of such."""
    word(*MISSING).check("missing", missing)
    word(*TARGET_KINDS).check("target_kind", target_kind)
    for option, given in (("categorical", categorical), ("drop", drop)):
        if isinstance(given, str):
            msg = f"{option} must be a sequence of column names, got the single string {given!r}"
            raise TypeError(msg)


def _columns_of_array(X: Any, names: Sequence[str] | None) -> ColumnBlocks:
    """Return features in memory as column blocks."""
    if isinstance(X, ColumnBlocks):
        return X
    if is_sparse(X):
        return SparseBlocks(X, names)
    X = plain_array(X, "X")
    array = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    if array.dtype.kind not in "biuf":
        array = check_array(X, dtype=np.float64, ensure_all_finite=False, input_name="X")
    return ArrayBlocks(array, names)


def _refuse_array(array: NDArray[Any]) -> None:
    """Say where an array is not finite."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return
    missing = np.isnan(array).sum(axis=0)
    if not missing.any():
        msg = "X holds infinite values; only finite numbers are accepted."
        raise ValueError(msg)
    worst = np.argsort(-missing, kind="stable")[:5]
    shown = ", ".join(f"{i} ({missing[i]})" for i in sorted(worst[missing[worst] > 0].tolist()))
    msg = (
        f"{int((missing > 0).sum())} of {array.shape[1]} columns of X have missing values, such as "
        f"{shown}. Fill them in first (hsieve.FillMissing()), leave them out, or say "
        "missing='impute' in hsieve.select, hsieve.compare or open_dataset (the median of numbers, "
        "a level of its own for categories)."
    )
    raise ValueError(msg)


def _read_target(
    y: Any, target_kind: str, n_samples: int
) -> tuple[NDArray[Any], TargetKind, NDArray[Any] | None]:
    """Return a target as an array and its kind; of survival data residuals, and the times."""
    times = survival_target(y, target_kind)
    if times is None:
        values = _checked_target(y, target_kind, n_samples)
        return values, target_kind_of(values, target_kind), None
    check_consistent_length(times, np.empty(n_samples))
    return martingale_residuals(times), SURVIVAL, times


def _about_times(times: NDArray[Any] | None) -> tuple[str, ...]:
    """Say how much of survival data is censored."""
    if times is None:
        return ()
    n_events = int(times["event"].sum())
    part = 1 - n_events / len(times)
    return (
        f"Times with {n_events:,} events, {part:.0%} censored, compared by martingale residuals.",
    )


def _checked_target(y: Any, target_kind: str, n_samples: int) -> NDArray[Any]:
    """Return a target of any library as an array of one value, or row, for each sample."""
    if y is None:
        msg = "y must hold the target, one value for each sample, got None."
        raise ValueError(msg)
    plain = target_array(y, target_kind)
    target: NDArray[Any] = numbers_if_all_are(
        check_array(plain, ensure_2d=False, dtype=None, input_name="y")
    )
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    check_consistent_length(target, np.empty(n_samples))
    return target


def _checked_names(names: Sequence[str], X: Any) -> tuple[str, ...]:
    """Return one name for each feature, all different."""
    given = tuple(str(name) for name in names)
    n_features = np.shape(X)[1] if np.ndim(X) == 2 else X.shape[1]
    if isinstance(names, str) or len(given) != n_features:
        n_given = 1 if isinstance(names, str) else len(given)
        msg = f"names must be one for each of {n_features} features, got {n_given}."
        raise ValueError(msg)
    if len(set(given)) < len(given):
        msg = "names must differ from each other."
        raise ValueError(msg)
    return given


def _given_categories(
    categorical: Iterable[int | str], n_features: int, names: Sequence[str]
) -> tuple[int, ...]:
    """Return the positions of categories, ascending."""
    positions = check_positions(categorical, n_features, names=names)
    return tuple(np.unique(positions).astype(int).tolist())


def _kept(drop: Iterable[str], names: Sequence[str]) -> NDArray[np.intp]:
    """Return the positions of the columns that are not dropped."""
    dropped = set(drop)
    unknown = [name for name in dropped if name not in names]
    if unknown:
        msg = f"drop holds {listed(map(str, unknown))}, but the features are {listed(names)}."
        raise ValueError(msg)
    kept = [place for place, name in enumerate(names) if name not in dropped]
    if not kept:
        msg = f"No feature is left once {listed(map(str, dropped))} are dropped."
        raise ValueError(msg)
    return np.array(kept, dtype=np.intp)


def _dropped(data: Dataset, drop: Iterable[str]) -> Dataset:
    """Leave out features by name."""
    kept = _kept(drop, data.names)
    if len(kept) == data.n_features:
        return data
    places = {int(old): new for new, old in enumerate(kept)}
    return replace(
        data,
        columns=some_columns(data.columns, kept),
        names=tuple(data.names[place] for place in kept),
        categorical=tuple(places[place] for place in data.categorical if place in places),
        levels={places[p]: levels for p, levels in data.levels.items() if p in places},
    )
