"""Features that are chosen together: one-hot columns, spline bases, pathways."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.array_types import IndexArray
from hsieve.kernels.columns import check_positions
from hsieve.parameters import Rule
from hsieve.strategies.base import SelectionPath

__all__ = ["GROUPS", "FeatureGroups"]

# What `feature_groups` may be; which columns there are is known in `fit` only.
GROUPS = Rule(
    (
        ("None", lambda value: value is None),
        (
            "a mapping of names to columns, or one label for each column",
            lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes),
        ),
    )
)


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """Groups of features; a feature in no group is one of its own.

    Parameters
    ----------
    labels : tuple of str
        A name for each group.
    members : tuple of ndarray of int
        Positions of its features.

    Examples
    --------
    >>> groups = FeatureGroups.of({"colour": [0, 2]}, 3, ["red", "age", "blue"])
    >>> groups.labels, [members.tolist() for members in groups.members]
    (('colour', 'age'), [[0, 2], [1]])
    """

    labels: tuple[str, ...]
    members: tuple[IndexArray, ...]

    @classmethod
    def of(cls, given: Any, n_features: int, names: Iterable[str] | None) -> "FeatureGroups":
        """Read what is given as `feature_groups`; groups stand in the order of their features."""
        called = [f"x{i}" for i in range(n_features)] if names is None else list(map(str, names))
        if isinstance(given, Mapping):
            listed = {
                str(label): check_positions(of, n_features, name="feature_groups", names=names)
                for label, of in given.items()
            }
        else:
            labels = [str(label) for label in given]
            if len(labels) != n_features:
                msg = (
                    f"feature_groups must hold one label for each of {n_features} features, got "
                    f"{len(labels)}; or a mapping of names to columns."
                )
                raise ValueError(msg)
            listed = {
                label: np.flatnonzero([one == label for one in labels])
                for label in dict.fromkeys(labels)
            }
        every = np.concatenate([[], *listed.values()]).astype(np.intp)
        counts = np.bincount(every, minlength=n_features)
        if (counts > 1).any():
            twice = called[int(np.argmax(counts))]
            msg = f"feature_groups holds {twice!r} more than once; a feature is in one group only."
            raise ValueError(msg)
        for label, members in listed.items():
            if not len(members):
                msg = f"feature_groups has no column for the group {label!r}."
                raise ValueError(msg)
        for one in np.flatnonzero(counts == 0):
            if called[one] in listed:
                msg = f"feature_groups calls a group {called[one]!r}, as a feature outside it is."
                raise ValueError(msg)
            listed[called[one]] = np.array([one])
        ordered = sorted(listed.items(), key=lambda group: int(group[1].min()))
        return cls(tuple(label for label, _ in ordered), tuple(of for _, of in ordered))

    def among(self, features: IndexArray) -> "FeatureGroups":
        """Return what is left of the groups in some of the features, renumbered."""
        left = [
            (label, np.flatnonzero(np.isin(features, members)))
            for label, members in zip(self.labels, self.members, strict=True)
        ]
        kept = [(label, members) for label, members in left if len(members)]
        return FeatureGroups(tuple(label for label, _ in kept), tuple(of for _, of in kept))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each feature the value of its group."""
        spread = np.zeros(sum(map(len, self.members)), dtype=values.dtype)
        for value, members in zip(values, self.members, strict=True):
            spread[members] = value
        return spread

    def path_of_features(self, path: SelectionPath) -> SelectionPath:
        """Turn a path over groups into one over their features, members side by side."""
        sizes = np.array([0, *np.cumsum([len(self.members[group]) for group in path.order])])
        selectable = len(path.order) if path.n_selectable is None else path.n_selectable
        return SelectionPath(
            order=np.concatenate([self.members[group] for group in path.order]),
            feature_scores=np.repeat(path.feature_scores, np.diff(sizes)),
            sizes=sizes[path.sizes],
            set_scores=path.set_scores,
            stop_reason=path.stop_reason,
            n_selectable=int(sizes[selectable]),
        )
