"""The work of `hsieve interactions`, apart from options and tables on the screen."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.files import gathered_warnings, in_options, plainly, write_rows

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.interactions.result import Interaction
    from hsieve.interactions.scan import InteractionScan

__all__ = ["Findings", "ScanOptions", "scan", "write"]

CSV_JOINTS = {"features": " x ", "own_shares": "; "}


@dataclass(frozen=True)
class ScanOptions:
    """What the user wants of the scan.

    Parameters
    ----------
    top : int
        How many pairs, and triples, to report.
    order : {2, 3}
        3 looks for triples too.
    target_kernel : {"linear", "gaussian"}
        Kernel of numbers.
    n_permutations : int
        Random orders of the target; 0 for none.
    screen : int or None
        Look at so many features only.
    screen_by : {"narrow", "relevance"}
        How these are chosen.
    time_limit : float
        Most seconds; 0 for no limit.
    memory_limit : str or None
        Most memory, such as "2GB".
    n_threads : int or None
        Number of threads.
    random_state : int
        Seed.
    """

    top: int
    order: int
    target_kernel: str
    n_permutations: int
    screen: int | None
    screen_by: str
    time_limit: float
    memory_limit: str | None
    n_threads: int | None
    random_state: int


@dataclass(frozen=True)
class Findings:
    """What was found.

    Parameters
    ----------
    pairs, triples : list of Interaction
        Best first.
    n_pairs_seen, n_triples_seen : int
        How many pairs and triples were looked at.
    warnings : list of str
        What the user should know.
    seconds : float
        Time of the scan.
    selector : InteractionScan
        The fitted selector.
    """

    pairs: "list[Interaction]"
    triples: "list[Interaction]"
    n_pairs_seen: int
    n_triples_seen: int
    warnings: list[str]
    seconds: float
    selector: "InteractionScan"


def scan(table: "Dataset", wish: ScanOptions) -> Findings:
    """Look at the pairs of features of a table.

    Parameters
    ----------
    table : Dataset
        Features and target.
    wish : ScanOptions
        What is wanted.

    Returns
    -------
    Findings
        The best pairs and triples, and what is to be said about them.

    Raises
    ------
    BadInputError
        If the data do not allow it, or it would take too long.
    """
    started = time.perf_counter()
    with gathered_warnings() as warned, plainly(table.source):
        scanned = _scan_for(table, wish).fit(table)
    return Findings(
        scanned.pairs_,
        scanned.triples_,
        scanned.n_pairs_seen_,
        scanned.n_triples_seen_,
        [in_options(text).replace("own_shares", "the shares alone") for text in warned],
        time.perf_counter() - started,
        scanned,
    )


def write(path: Path, findings: Findings) -> None:
    """Write what was found, whole or not at all: one row for each pair, then for each triple.

    Names and own shares are lists in JSON and one text in CSV.

    Parameters
    ----------
    path : Path
        A file ending in .csv or .json.
    findings : Findings
        What was found.

    Raises
    ------
    BadInputError
        If the file cannot be written.
    """
    rows = [*_rows(findings.pairs), *_rows(findings.triples)]
    if path.suffix.lower() == ".csv":
        for row in rows:
            row.update({key: joint.join(map(str, row[key])) for key, joint in CSV_JOINTS.items()})
    write_rows(path, rows, list(rows[0]))


def _scan_for(table: "Dataset", wish: ScanOptions) -> "InteractionScan":
    """Make the selector."""
    from hsieve.interactions.scan import InteractionScan

    return InteractionScan(
        n_pairs=wish.top,
        order=wish.order,
        categorical=table.categorical,
        target_kind=table.target_kind,
        target_kernel=wish.target_kernel,
        n_permutations=wish.n_permutations,
        screen=wish.screen,
        screen_by=wish.screen_by,
        time_limit=None if wish.time_limit == 0 else wish.time_limit,
        memory_limit=wish.memory_limit,
        n_threads=wish.n_threads,
        random_state=wish.random_state,
    )


def _rows(found: "Sequence[Interaction]") -> list[dict[str, Any]]:
    """Write interactions out; what is not known is None."""
    return [
        {
            "rank": rank,
            "order": len(one.features),
            "features": list(one.names),
            "score": one.score,
            "strength": one.strength,
            "own_shares": list(one.own_shares),
            "p_value": one.p_value,
            "family_wise_p": None if math.isnan(one.family_wise_p) else one.family_wise_p,
            "false_discovery_rate": (
                None if math.isnan(one.false_discovery_rate) else one.false_discovery_rate
            ),
        }
        for rank, one in enumerate(found, start=1)
    ]
