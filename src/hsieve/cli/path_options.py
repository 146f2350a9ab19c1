"""What only the methods with a regularisation path take: covariates, limits, pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hsieve.cli.errors import BadInputError
from hsieve.cli.files import check_memory_limit
from hsieve.cli.methods import PATH, check_takes

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.selectors.methods import Method

__all__ = ["PathOptions"]


@dataclass(frozen=True)
class PathOptions:
    """Options for methods with a path, as they were given.

    Parameters
    ----------
    covariates : sequence of str
        Names of columns to adjust for.
    max_redundancy : float or None
        Most that two selected features may share.
    memory_limit : str or None
        Most memory, such as "2GB".
    interactions : bool
        Whether pairs of features are on the path too.
    """

    covariates: Sequence[str]
    max_redundancy: float | None
    memory_limit: str | None
    interactions: bool

    @property
    def given(self) -> list[str]:
        """The options that were given, by their names on the command line."""
        is_given = {
            "--covariate": bool(self.covariates),
            "--max-redundancy": self.max_redundancy is not None,
            "--memory-limit": self.memory_limit is not None,
            "--interactions": self.interactions,
        }
        return [option for option, given in is_given.items() if given]

    def check(self, method: "Method") -> None:
        """Refuse options that the method does not take, and limits that make no sense."""
        for option in self.given:
            check_takes(method, "memory_limit" if option == "--memory-limit" else PATH, option)
        if self.max_redundancy is not None and not 0 < self.max_redundancy <= 1:
            msg = f"--max-redundancy must be above 0 and at most 1, got {self.max_redundancy:g}"
            raise BadInputError(msg)
        check_memory_limit(self.memory_limit)

    def positions(self, table: "Dataset", drop: Sequence[str]) -> tuple[int, ...]:
        """Return the places of the covariates among the features, of which some were dropped."""
        place = {name: i for i, name in enumerate(table.names)}
        names = list(dict.fromkeys(self.covariates))
        for name in names:
            if name not in place:
                raise BadInputError(_no_feature(table, name, drop))
        if len(names) == len(place):
            msg = f"{table.source}: every feature is a covariate, so none is left to select"
            raise BadInputError(msg)
        return tuple(place[name] for name in names)


def _no_feature(table: "Dataset", name: str, drop: Sequence[str]) -> str:
    """Say why a name cannot be that of a covariate."""
    from hsieve.data.errors import quoted, unknown_name

    if name == table.target_name:
        return f"{table.source}: the target {quoted(name)} cannot be a covariate too"
    if name in drop:
        return f"{table.source}: {quoted(name)} is both in covariate and in drop"
    return str(unknown_name(table.source, "covariate", name, table.names))
