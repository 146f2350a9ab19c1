"""Feature selection where single-cell biology keeps its data: in an AnnData.

>>> import anndata, numpy as np
>>> import hsieve.anndata
>>> rng = np.random.default_rng(0)
>>> adata = anndata.AnnData(rng.normal(size=(100, 8)))
>>> adata.obs["state"] = np.where(np.abs(adata.X[:, 5]) > 0.7, "on", "off")
>>> hsieve.anndata.select(adata, groupby="state", method="n3lars", n_features_to_select=1)
>>> adata.var_names[adata.var["hsieve"]].tolist()
['5']

The package anndata is an extra (``pip install hsieve[anndata]``) and is not imported here.
"""

import platform
from importlib import metadata
from typing import Any

import numpy as np

import hsieve
from hsieve.auto.selecting import check_options, select_from
from hsieve.auto.selection import Selection
from hsieve.dataset import open_dataset
from hsieve.io.anndata import is_annotated

__all__ = ["select"]

PACKAGES = ("anndata", "numpy", "scipy", "scikit-learn")


def select(
    adata: Any,
    groupby: str,
    *,
    n_features_to_select: int | None = None,
    method: Any = "auto",
    layer: str | None = None,
    time_allowed: str | float = "minutes",
    target_kind: str = "auto",
    key_added: str = "hsieve",
    random_state: int = 0,
    copy: bool = False,
) -> Any:
    """Choose variables that tell an annotation of the observations, and write them into ``var``.

    Parameters
    ----------
    adata : AnnData
        Data in memory or backed by a file, dense or sparse. Sparse columns are made dense a block
        at a time.
    groupby : str
        Column of ``adata.obs`` that is the target: categories, text and booleans are classes,
        numbers are numbers unless they are few and whole.
    n_features_to_select : int or None, default=None
        How many variables; None finds the number.
    method : str or selector, default="auto"
        As in :func:`hsieve.select`.
    layer : str or None, default=None
        Layer to take instead of ``adata.X``. ``adata.raw`` is not looked at; for that, hand over
        ``adata.raw.to_adata()``.
    time_allowed, target_kind, random_state
        As in :func:`hsieve.select`.
    key_added : str, default="hsieve"
        What the new columns and the entry of ``adata.uns`` are called.
    copy : bool, default=False
        Whether to leave `adata` alone and write into a copy.

    Returns
    -------
    AnnData or None
        The copy, or None where `adata` itself was written to, as in scanpy.

    Notes
    -----
    Written are ``adata.var[key_added]`` (True for the chosen), ``adata.var[key_added + "_rank"]``
    (1 = best; NaN for the others), ``adata.var[key_added + "_score"]`` (of all variables), and
    ``adata.uns[key_added]`` with the names best first, method, parameters, reasons and versions.
    Observations without a label are left out, which the reasons tell. All of it survives
    ``write_h5ad``. For the fitted selector itself use :func:`hsieve.select`, which takes an AnnData
    too: ``hsieve.select(adata, "cell_type")``.
    """
    if not is_annotated(adata):
        msg = f"adata must be an AnnData, got {type(adata).__name__}; see hsieve.select."
        raise ValueError(msg)
    if not isinstance(key_added, str) or not key_added:
        msg = f"key_added must be a name, got {key_added!r}."
        raise ValueError(msg)
    options = check_options(method, n_features_to_select, time_allowed, random_state)
    data = open_dataset(adata, groupby, target_kind=target_kind, layer=layer)
    found = select_from(data, options)
    written = adata.copy() if copy and not adata.isbacked else adata
    if copy and adata.isbacked:
        written = adata.to_memory()
    parameters = {
        "method": options.method_name,
        "n_features_to_select": ("found" if n_features_to_select is None else n_features_to_select),
        "time_allowed": str(time_allowed),
        "random_state": random_state,
        "target_kind": data.target_kind,
        "layer": "X" if layer is None else layer,
    }
    _write(written, found, key_added, groupby, parameters)
    return written if copy else None


def _write(
    adata: Any, found: Selection, key: str, groupby: str, parameters: dict[str, Any]
) -> None:
    """Write a selection where users of scanpy look for it."""
    chosen = np.zeros(len(found.names), dtype=bool)
    chosen[found.indices] = True
    ranks = np.full(len(found.names), np.nan)
    ranks[found.indices] = np.arange(1, len(found.indices) + 1)
    adata.var[key] = chosen
    adata.var[f"{key}_rank"] = ranks
    adata.var[f"{key}_score"] = np.asarray(found.selector.scores_, dtype=np.float64)
    versions = {"hsieve": hsieve.__version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in PACKAGES}
    adata.uns[key] = {
        "method": found.method,
        "target": groupby,
        "names": np.array(found.features, dtype=object),
        "reasons": np.array([*found.notes, *found.reasons], dtype=object),
        "params": parameters,
        "versions": versions,
    }
