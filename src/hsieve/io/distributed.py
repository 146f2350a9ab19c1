"""Data that Dask or Spark holds: what becomes of it, and who refuses it.

No package is imported to find out: whoever has such data has imported it already.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsieve.data.columns import ColumnBlocks
from hsieve.data.errors import listed
from hsieve.parallel.base import Engine

__all__ = [
    "distributed_columns",
    "distributed_features",
    "is_distributed",
    "is_of_spark",
    "no_fixed_order",
    "open_distributed",
    "refuse_distributed",
]


def is_distributed(X: Any) -> bool:
    """Say whether data are a collection of Dask or a data frame of Spark.

    Examples
    --------
    >>> import numpy as np
    >>> is_distributed(np.zeros((2, 2)))
    False
    """
    return _is_of_dask(X) or is_of_spark(X)


def distributed_columns(X: Any, y: Any, engine: Engine) -> tuple[ColumnBlocks, Any]:
    """Take features and target from collections of Dask and data frames of Spark."""
    if y is None:
        msg = "The target y is None; give its values, or the name of its column in a data frame."
        raise ValueError(msg)
    if is_of_spark(X):
        from hsieve.io.spark import spark_columns

        return spark_columns(X, y, engine)
    from hsieve.io.dask import dask_columns

    return dask_columns(X, y, engine)


def open_distributed(X: Any, target: Any, target_kind: str) -> tuple[Any, Any]:
    """Open data of a cluster: an array as columns, with its target, or a data frame as a source.

    A data frame of Dask may have its target apart; that of Spark has it among its columns.
    """
    if is_of_spark(X):
        from hsieve.io.spark import SparkFrame

        return SparkFrame(X, target), None
    from hsieve.io.dask import DaskBlocks, DaskFrame, computed
    from hsieve.io.targets import target_array

    if hasattr(target, "__dask_graph__"):
        (target,) = computed([target])
    if not hasattr(X, "columns"):
        return DaskBlocks(X), target
    X = X.rename(columns=str)
    if target is None or isinstance(target, str):
        return DaskFrame(X, target, computed), None
    name = str(getattr(target, "name", None) or "y")
    while name in X.columns:  # the target of a column may have been left among the features
        name += " (target)"
    values = np.asarray(target_array(target, target_kind))
    return DaskFrame(X, name, computed, values), None


def distributed_features(X: Any, names: Sequence[str] | None, engine: Engine) -> ColumnBlocks:
    """Take the features of a fit from collections of Dask and data frames of Spark."""
    if names is not None and hasattr(X, "columns"):
        lacking = [name for name in names if name not in set(X.columns)]
        if lacking:
            msg = f"The data frame has no {listed(lacking, 'or')}, which fit has seen."
            raise ValueError(msg)
    if is_of_spark(X):
        from hsieve.io.spark import spark_features

        if names is None:
            msg = "The selector was fitted on features without names, a data frame has names."
            raise ValueError(msg)
        return spark_features(X, names, engine)
    from hsieve.io.dask import dask_columns

    if names is not None and hasattr(X, "columns"):
        X = X[list(names)]
    return dask_columns(X, None, engine)[0]


def refuse_distributed(X: Any, whose: str) -> None:
    """Refuse data that would have to be collected on this machine."""
    if is_distributed(X):
        kind = "Spark" if is_of_spark(X) else "Dask"
        msg = (
            f"{whose} needs the whole data as an array, got {type(X).__name__} of {kind}, which is "
            "not collected here unasked. N3LARS, HSICLasso and KernelPursuit, and MaxRelevance and "
            "MRMR with PairwiseHSIC(), are fitted to it where it is; fit(hsieve.open_dataset(X, "
            "target)) of other selectors collects it. To transform, choose the columns by "
            "get_feature_names_out() or get_support(indices=True)."
        )
        raise ValueError(msg)


def no_fixed_order() -> ValueError:
    """Say why work on a data frame of Spark cannot be taken up again, and what can be done."""
    return ValueError(
        "checkpoint= needs data that are the same when a run resumes, but the rows of a "
        "data frame of Spark have no fixed order. Write it once, with X.write.parquet(folder), and "
        "fit on hsieve.open_dataset(folder, target=...)."
    )


def _is_of_dask(X: Any) -> bool:
    if type(X).__module__.split(".")[0] in {"dask", "dask_expr"}:
        return hasattr(X, "__dask_graph__")
    # Arrays of other packages may hold one of Dask, or not.
    graph = getattr(type(X), "__dask_graph__", None)
    return graph is not None and graph(X) is not None


def is_of_spark(X: Any) -> bool:
    """Say whether data are of Spark."""
    return type(X).__module__.split(".")[0] == "pyspark"
