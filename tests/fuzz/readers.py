"""The readers, by name: what makes an input of each."""

from collections.abc import Callable

from tests.fuzz.annotated_files import make_h5ad
from tests.fuzz.cases import Case
from tests.fuzz.choices import Choices
from tests.fuzz.numpy_files import make_npy, make_npz
from tests.fuzz.parquet_files import make_parquet, make_parquet_folder
from tests.fuzz.text_files import make_csv, make_tsv
from tests.fuzz.zarr_files import make_zarr

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
