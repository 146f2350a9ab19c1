"""Real data sets: the collection that the papers' experiments use, found from any folder."""

import sys
from pathlib import Path

# A script's own folder is searched for modules, the root of the repository is not.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from reproduction.collection import (
    ENVIRONMENT_VARIABLE,
    DatasetNotFoundError,
    collection_root,
    list_datasets,
    load_dataset,
)

__all__ = [
    "ENVIRONMENT_VARIABLE",
    "DatasetNotFoundError",
    "collection_root",
    "list_datasets",
    "load_dataset",
]
