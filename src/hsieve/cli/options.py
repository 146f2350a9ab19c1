"""Options that several commands have, each written once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Categorical",
    "Drop",
    "File",
    "MemoryLimit",
    "Missing",
    "NFeatures",
    "Out",
    "PValues",
    "RandomState",
    "ScreenBy",
    "Target",
    "TargetKernel",
    "TargetKind",
    "TargetKindOption",
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


class TargetKernel(StrEnum):
    """Kernel of a target of numbers."""

    linear = "linear"
    gaussian = "gaussian"


File = Annotated[
    Path, typer.Argument(help="Table to read: .csv, .tsv (also .gz), .parquet, .npz or .npy.")
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
RandomState = Annotated[int, typer.Option(min=0, help="Seed of random choices.")]
