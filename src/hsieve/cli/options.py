"""Options that several commands have, each written once."""

import csv
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hsieve.cli.errors import BadInputError

if TYPE_CHECKING:
    from hsieve.selectors.methods import Method


# Numbers beyond these are slips of the keyboard, and would fill the memory before any work is done.
MOST_WORKERS = 10_000
MOST_REPEATS = 100_000
# Methods that choose their number themselves take this word.
OWN_NUMBER = "auto"

# Said of options that take names of columns or methods.
SEVERAL = ", with commas between them; may be repeated (a name with a comma in double quotes)"

# Panels of help, below the options that people use first.
OF_PATHS = "Methods with a regularisation path (n3lars, hsic-lasso, pairs)"
OF_STABILITY = "Stability selection"
OF_LARGE_DATA = "Large data, clusters and interrupted runs"
DETAILS = "Details"


class TargetKind(StrEnum):
    """How the target is read."""

    auto = "auto"
    classes = "classes"
    continuous = "continuous"


class PValues(StrEnum):
    """Which test of single features to add."""

    none = "none"
    gamma = "gamma"
    permutation = "permutation"


class Missing(StrEnum):
    """What to do with missing values of features."""

    refuse = "refuse"
    impute = "impute"
    category = "category"


class ScreenBy(StrEnum):
    """How to rank the features among which to look for interactions."""

    narrow = "narrow"
    relevance = "relevance"


class EngineName(StrEnum):
    """What processes the columns."""

    local = "local"
    threads = "threads"
    dask = "dask"
    spark = "spark"


class TargetKernel(StrEnum):
    """Kernel of a numeric target."""

    linear = "linear"
    gaussian = "gaussian"


def path(text: str) -> Path:
    """Take a path, but not an empty one, which would be the current folder."""
    if not str(text):
        msg = "a path is empty; give a file or a folder, or . for the current folder"
        raise BadInputError(msg)
    return Path(text)


def memory(text: str) -> str:
    """Take an amount of memory, before any work is done."""
    from hsieve.data.memory import bytes_of

    try:
        bytes_of(text)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    return text


File = Annotated[
    Path,
    typer.Argument(
        parser=path,
        help="Table to read: .csv, .tsv, .txt (also packed: .gz, .bz2, .xz, .zst, .zip), .xlsx, "
        ".xls, .parquet, .npz, .npy, .zarr, .h5ad, a folder of .parquet parts, or - for text from "
        "standard input.",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(
        callback=lambda given: "\t" if given == "\\t" else given,
        help="Separator of columns in text, such as ';' or '\\t'; detected if not given.",
        rich_help_panel=DETAILS,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        help="'.' or ',' before decimals in text; detected if not given.",
        rich_help_panel=DETAILS,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of text, such as cp1252; detected if not given.", rich_help_panel=DETAILS
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        help="Target column; in .npz the array, by default y; in .h5ad the annotation.",
    ),
]
NFeatures = Annotated[
    str | None,
    typer.Option(
        "--n-features",
        "-k",
        metavar="NUMBER|alignment|guarded|cv|auto",
        help="How many to select; 10 if not given. Or a rule that finds the number: the highest "
        "alignment, the largest number near it (guarded), or cross validation (cv). The methods "
        "auto and pursuit choose the number themselves if none is given.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", parser=path, help="Also write to this .csv or .json file."),
]
Report = Annotated[
    Path | None,
    typer.Option(
        parser=path,
        help="Also write a page with table, pictures and words to this .html file; it needs no "
        "network.",
    ),
]
Categorical = Annotated[
    list[str] | None, typer.Option(metavar="NAMES", help=f"Columns of categories{SEVERAL}.")
]
FeatureGroups = Annotated[
    Path | None,
    typer.Option(
        parser=path,
        help="CSV file with columns feature and group: features of one group are selected together "
        "or not at all, and --n-features counts groups.",
    ),
]
SampleWeight = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column that says how often each sample counts; it is no feature."
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that says which samples belong together, such as cells of one donor; it is no "
        "feature. With --stability, or a number of features.",
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="For survival data, whose target is a time: the column of events, 1, or 0 where the "
        "time is censored.",
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="NAMES", help=f"Columns to leave out{SEVERAL}.")
]
TargetKindOption = Annotated[
    TargetKind, typer.Option(help="How the target is read.", rich_help_panel=DETAILS)
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        help="Missing values of features: refuse them; impute: the median for numbers and a level "
        "of its own for categories; category: a level in every column that has some, which suits "
        "columns of few values such as genotypes."
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        parser=memory,
        metavar="AMOUNT",
        help="Most memory for the search, such as 2GB; a table read whole comes on top.",
        rich_help_panel=OF_LARGE_DATA,
    ),
]
Engine = Annotated[
    EngineName | None,
    typer.Option(
        help="What processes the columns: this process (local), threads, or a cluster of Dask or "
        "Spark, which must see the file by the same path. The answer is the same. Not with all "
        "methods.",
        rich_help_panel=OF_LARGE_DATA,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The cluster of --engine dask (tcp://host:8786) or spark (spark://host:7077, yarn); "
        "if not given, workers are started on this machine.",
        rich_help_panel=OF_LARGE_DATA,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_WORKERS,
        help="How many threads or processes --engine starts; as many as cores if not given.",
        rich_help_panel=OF_LARGE_DATA,
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        parser=path,
        metavar="FOLDER",
        help="Keep results of the work in this folder. A run that was killed is resumed by the "
        "same command; other data or settings are refused. Not with all methods.",
        rich_help_panel=OF_LARGE_DATA,
    ),
]
TimeAllowed = Annotated[
    str | None,
    typer.Option(
        metavar="seconds|minutes|hours|NUMBER",
        help="About how long choosing may take, unless a method is named: 10 s, 5 minutes, 2 "
        "hours, or a number of seconds; 10 s if not given.",
    ),
]
FalseDiscoveryRate = Annotated[
    float | None,
    typer.Option(
        "--fdr",
        metavar="RATE",
        help="Fraction of the selected features that may be false on average, such as 0.1, by "
        "knockoffs around the method; it decides how many are selected.",
    ),
]
RandomState = Annotated[
    int, typer.Option(min=0, help="Seed of random choices.", rich_help_panel=DETAILS)
]


def names_in(option: str, given: list[str] | None) -> tuple[str, ...]:
    """Return the names in an option that may be repeated, each time with several names.

    Examples
    --------
    >>> names_in("--drop", ["age, sex", '"height, in cm"'])
    ('age', 'sex', 'height, in cm')
    """
    names: list[str] = []
    for text in given or ():
        try:
            (row,) = csv.reader([text], skipinitialspace=True)
        except (csv.Error, ValueError):
            row = []
        found = [name.strip() for name in row if name.strip()]
        if not found:
            msg = f"{option} needs names, separated by commas, got {text!r}"
            raise BadInputError(msg)
        names += found
    return tuple(names)


def checked_number(text: str | None, *methods: "Method") -> int | str | None:
    """Read how many features are wanted, None where nothing was given, if the methods can do it."""
    from hsieve.inference.feature_number import RULES

    if text is None or (text.isdecimal() and int(text) >= 1):
        return text and int(text)
    if text not in (*RULES, OWN_NUMBER):
        rules = ", ".join((*RULES, OWN_NUMBER))
        msg = f"--n-features takes an integer of at least 1, or one of {rules}, not {text!r}"
        raise BadInputError(msg)
    for method in methods:
        if method.is_automatic and text != OWN_NUMBER:
            msg = f"--n-features {text} needs a method, such as -m n3lars; auto finds the number"
            raise BadInputError(msg)
        if text == OWN_NUMBER and not method.finds_number:
            msg = f"--n-features {text} does not work with {method.name}; give a number or a rule"
            raise BadInputError(msg)
    return text
