"""Options that several commands have, each written once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Categorical",
    "Checkpoint",
    "Drop",
    "Engine",
    "EngineName",
    "File",
    "MemoryLimit",
    "Missing",
    "NFeatures",
    "Out",
    "PValues",
    "RandomState",
    "Scheduler",
    "ScreenBy",
    "Target",
    "TargetKernel",
    "TargetKind",
    "TargetKindOption",
    "Workers",
]


class TargetKind(StrEnum):
    """What the target holds."""

    auto = "auto"
    classes = "classes"
    continuous = "continuous"


class PValues(StrEnum):
    """Which test of single features to add."""

    none = "none"
    gamma = "gamma"
    permutation = "permutation"


class Missing(StrEnum):
    """What to do with missing values."""

    refuse = "refuse"
    category = "category"


class ScreenBy(StrEnum):
    """How to rank the features among which to look for interactions."""

    narrow = "narrow"
    relevance = "relevance"


class EngineName(StrEnum):
    """Who works on the columns."""

    local = "local"
    threads = "threads"
    dask = "dask"
    spark = "spark"


class TargetKernel(StrEnum):
    """Kernel of a target of numbers."""

    linear = "linear"
    gaussian = "gaussian"


File = Annotated[
    Path,
    typer.Argument(
        help="Table to read: .csv, .tsv (also .gz), .parquet, .npz, .npy, .zarr, or a folder of "
        ".parquet parts."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Target column; in .npz the array, by default y."),
]
NFeatures = Annotated[
    str | None,
    typer.Option(
        "--n-features",
        "-k",
        metavar="NUMBER|alignment|guarded|cv",
        help="How many to select; 10 if not given. Or a rule that finds the number: the highest "
        "alignment, the largest number near it (guarded), or cross validation (cv).",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Also write to this .csv or .json file.")
]
Categorical = Annotated[
    list[str] | None, typer.Option(help="A column of categories; may be repeated.")
]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")]
TargetKindOption = Annotated[TargetKind, typer.Option(help="What the target holds.")]
MemoryLimit = Annotated[
    str | None,
    typer.Option(help="Most memory for the search, such as 2GB; a table read whole comes on top."),
]
Engine = Annotated[
    EngineName | None,
    typer.Option(
        help="Who works on the columns: this process (local), threads, or a cluster of Dask or "
        "Spark, which must see the file by the same path. The answer is the same. Not with all "
        "methods."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The cluster of --engine dask (tcp://host:8786) or spark (spark://host:7077, yarn); "
        "if not given, workers are started on this machine.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many threads or processes --engine starts; as many as cores if not given."
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Keep results of the work on the columns in this folder. A run that was killed is "
        "taken up by the same command; other data or settings are refused.",
    ),
]
RandomState = Annotated[int, typer.Option(min=0, help="Seed of random choices.")]
