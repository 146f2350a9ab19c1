"""What only the methods with a regularisation path take: covariates, limits, relatives, pairs.

Looking for relatives is one more pass over the data, with a product for each feature and selected
feature. Where nobody asked for it, it is done only if there are not too many of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hsieve.cli.errors import BadInputError
from hsieve.cli.files import check_memory_limit
from hsieve.cli.methods import PATH, MethodRequest, check_takes

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.selectors.base import BaseSelector
    from hsieve.selectors.methods import Method

__all__ = [
    "NOT_LOOKED_FOR",
    "NO_PAIRS",
    "USUAL_RELATIVES",
    "PathOptions",
    "add_partners",
    "add_relatives",
    "capped",
    "in_words",
    "selected_pairs",
]

USUAL_RELATIVES = 3
# Samples times features times selected features: roughly half a minute on one core.
MOST_UNASKED_WORK = 2e9
# Scores of large data are right to about three digits.
DIGITS = 4
NO_PAIRS = "No pair of features is on the path."
NOT_LOOKED_FOR = (
    "Relatives of the features were not looked for, since there are many pairs to compare; "
    f"--relatives {USUAL_RELATIVES} does it."
)


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
    n_relatives : int or None
        How many relatives to look for; None if nothing was said.
    interactions : bool
        Whether pairs of features are on the path too.
    """

    covariates: Sequence[str]
    max_redundancy: float | None
    memory_limit: str | None
    n_relatives: int | None
    interactions: bool

    @property
    def given(self) -> list[str]:
        """The options that were given, by their names on the command line."""
        is_given = {
            "--covariate": bool(self.covariates),
            "--max-redundancy": self.max_redundancy is not None,
            "--memory-limit": self.memory_limit is not None,
            "--relatives": self.n_relatives is not None,
            "--interactions": self.interactions,
        }
        return [option for option, given in is_given.items() if given]

    def check(self, method: "Method") -> None:
        """Refuse what can be refused before the file is read.

        Parameters
        ----------
        method : Method
            The method chosen.

        Raises
        ------
        BadInputError
            If the method does not take an option, or a limit makes no sense.
        """
        for option in self.given:
            parameter = "memory_limit" if option == "--memory-limit" else PATH
            check_takes(method, parameter, option)
        if self.max_redundancy is not None and not 0 < self.max_redundancy <= 1:
            msg = f"--max-redundancy must be above 0 and at most 1, got {self.max_redundancy:g}"
            raise BadInputError(msg)
        check_memory_limit(self.memory_limit)

    def positions(self, table: "Dataset", drop: Sequence[str]) -> tuple[int, ...]:
        """Return the places of the covariates among the features.

        Parameters
        ----------
        table : Dataset
            The features.
        drop : sequence of str
            Names of columns that were left out.

        Returns
        -------
        tuple of int
            One place for each covariate.

        Raises
        ------
        BadInputError
            If a covariate is no feature, or all features are covariates.
        """
        place = {name: i for i, name in enumerate(table.names)}
        names = list(dict.fromkeys(self.covariates))
        for name in names:
            if name not in place:
                raise BadInputError(_no_feature(table, name, drop))
        if len(names) == len(place):
            msg = f"{table.source}: every feature is a covariate, so none is left to select"
            raise BadInputError(msg)
        return tuple(place[name] for name in names)


def add_relatives(
    rows: Sequence[dict[str, Any]],
    selector: "BaseSelector",
    table: "Dataset",
    request: MethodRequest,
) -> None:
    """Add to each row the features most like its own, if they are wanted and can be found.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature; `relatives` is added, a list of dict with the name
        (feature) and the NHSIC (score) of each, closest first.
    selector : BaseSelector
        The fitted selector.
    table : Dataset
        What it was fitted on.
    request : MethodRequest
        Says how many relatives are wanted.
    """
    from hsieve.selectors import N3LARS, HSICLasso

    n_samples, n_features = table.columns.shape
    wanted = request.n_relatives
    if wanted is None:
        is_little = n_samples * n_features * len(rows) <= MOST_UNASKED_WORK
        wanted = USUAL_RELATIVES if is_little else 0
    if not wanted or not isinstance(selector, (N3LARS, HSICLasso)):
        return
    for row, found in zip(rows, selector.relatives(table.columns, wanted), strict=True):
        row["relatives"] = [
            {"feature": table.names[index], "score": round(float(score), DIGITS)}
            for index, score in zip(found.indices, found.scores, strict=True)
            if score > 0  # a constant column is nobody's relative
        ]


def selected_pairs(selector: "BaseSelector", table: "Dataset") -> list[tuple[str, str, float]]:
    """Name the pairs of features on the path.

    Parameters
    ----------
    selector : BaseSelector
        The fitted selector.
    table : Dataset
        What it was fitted on.

    Returns
    -------
    list of tuple
        Names of the two features and the coefficient of each pair, the largest first.
    """
    from hsieve.selectors import N3LARS, HSICLasso

    if not isinstance(selector, (N3LARS, HSICLasso)):
        return []
    names = table.names
    return [
        (names[pair.features[0]], names[pair.features[1]], pair.coefficient)
        for pair in selector.pairs_
    ]


def add_partners(rows: Sequence[dict[str, Any]], pairs: Sequence[tuple[str, str, float]]) -> None:
    """Add to each row the features that its own is in a pair with.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature; `partners` is added, a list of dict with the name (feature)
        of each and the coefficient (score) of the pair.
    pairs : sequence of tuple
        From :func:`selected_pairs`.
    """
    for row in rows:
        row["partners"] = [
            {"feature": second if row["feature"] == first else first, "score": coefficient}
            for first, second, coefficient in pairs
            if row["feature"] in (first, second)
        ]


def capped(rows: Sequence[dict[str, Any]], request: MethodRequest) -> list[str]:
    """Say that a cap on redundancy left fewer features than were asked for, if it did.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature.
    request : MethodRequest
        What was wanted.

    Returns
    -------
    list of str
        One sentence, or nothing.
    """
    wanted = request.n_features if isinstance(request.n_features, int) else 0
    if request.max_redundancy is None or len(rows) >= wanted:
        return []
    return [
        f"{wanted} features are asked for, but only {len(rows)} can be selected with "
        f"--max-redundancy {request.max_redundancy:g}"
    ]


def in_words(relatives: Sequence[dict[str, Any]]) -> str:
    """Write relatives as one text, for files of plain columns.

    Parameters
    ----------
    relatives : sequence of dict
        Those of one feature, from :func:`add_relatives`.

    Returns
    -------
    str
        Names, each with its score.

    Examples
    --------
    >>> in_words([{"feature": "x7", "score": 0.9912}, {"feature": "x3", "score": 0.41}])
    'x7 (0.99); x3 (0.41)'
    """
    return "; ".join(f"{one['feature']} ({one['score']:.2f})" for one in relatives)


def _no_feature(table: "Dataset", name: str, drop: Sequence[str]) -> str:
    """Say why a name cannot be that of a covariate."""
    from hsieve.data.tables.errors import quoted, unknown_name

    if name == table.target_name:
        return f"{table.source}: the target {quoted(name)} cannot be a covariate too"
    if name in drop:
        return f"{table.source}: {quoted(name)} is both in covariate and in drop"
    return str(unknown_name(table.source, "covariate", name, table.names))
