"""Parameters that many selectors share, written once: a line ``{name}`` stands for each."""

import re

ENTRIES = {
    "n_features_to_select": """\
    n_features_to_select : int, float, str or None, default=None
        A number, a fraction below 1, None for 10 (or all, where there are fewer), or "alignment",
        "guarded" or "cv" to find the number; see :mod:`hsieve.inference.feature_number`.""",
    "number_without_rules": """\
    n_features_to_select : int, float or None, default=None
        A number, a fraction below 1, or None for 10 (or all, where there are fewer).""",
    "categorical": """\
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name. In a data frame those of category type
        and text are categories anyway.""",
    "target_kind": """\
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds.""",
    "engine": """\
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who works on the columns: see :func:`hsieve.parallel.make_engine`. None and "local": this
        process, without threads. The answer does not depend on it.""",
    "checkpoint": """\
    checkpoint : path-like or None, default=None
        Folder in which results of the work are kept as they come. If `fit` is killed, the same
        `fit` with the same folder computes only what is missing, and finds the same; other data or
        parameters are refused. It may be deleted afterwards. One folder per fit: not inside cross
        validation, where each fold has other data.""",
}
PLACE = re.compile(rf"^    \{{({'|'.join(ENTRIES)})\}}$", re.MULTILINE)


def with_common_parameters(docstring: str | None) -> str | None:
    r"""Fill in the entries that a docstring names; what is indented below one adds to it.

    Examples
    --------
    >>> print(with_common_parameters("    {target_kind}\n        Only classes are accepted."))
        target_kind : {"auto", "classes", "continuous"}, default="auto"
            What y holds.
            Only classes are accepted.
    """
    if docstring is None:  # left out by python -OO
        return None
    return PLACE.sub(lambda place: ENTRIES[place[1]], docstring)
