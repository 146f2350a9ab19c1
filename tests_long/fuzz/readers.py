"""The readers, by name: what makes an input of each."""

from collections.abc import Callable

from tests_long.fuzz.annotated_files import make_h5ad
from tests_long.fuzz.cases import Case
from tests_long.fuzz.choices import Choices
from tests_long.fuzz.numpy_files import make_npy, make_npz
from tests_long.fuzz.parquet_files import make_parquet, make_parquet_folder
from tests_long.fuzz.text_files import make_csv, make_tsv
from tests_long.fuzz.zarr_files import make_zarr

__all__ = ["READERS"]

READERS: dict[str, Callable[[Choices], Case]] = {
    "csv": make_csv,
    "tsv": make_tsv,
    "parquet": make_parquet,
    "parquet-folder": make_parquet_folder,
    "npz": make_npz,
    "npy": make_npy,
    "h5ad": make_h5ad,
    "zarr": make_zarr,
}
