"""The work of `hsieve interactions`, apart from options and tables on the screen."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.cli.files import gathered_warnings, refusing, write_rows

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.interactions.result import Interaction
    from hsieve.interactions.scan import InteractionScan
    from hsieve.report.analysis import Analysis
    from hsieve.report.repetition import Origin

__all__ = ["Findings", "analysed", "scan", "write"]

CSV_JOINTS = {"features": " x ", "own_shares": "; "}


@dataclass(frozen=True)
class Findings:
    """The fitted selector, what the user should know, and the time of the scan."""

    selector: "InteractionScan"
    warnings: list[str]
    seconds: float


def scan(table: "Dataset", settings: dict[str, Any]) -> Findings:
    """Look at the pairs of features of a table; `settings` are those of an InteractionScan."""
    from hsieve.interactions.scan import InteractionScan

    started = time.perf_counter()
    selector = InteractionScan(
        categorical=table.categorical, target_kind=table.target_kind, **settings
    )
    with gathered_warnings() as warned, refusing(table.source):
        selector.fit(table)
    return Findings(selector, warned, time.perf_counter() - started)


def analysed(table: "Dataset", findings: Findings, origin: "Origin") -> "Analysis":
    """Look at the result once more, for a page."""
    from hsieve.report.analysis import AnalysisOptions, analyse

    options = AnalysisOptions(
        origin=replace(origin, warnings=tuple(findings.warnings)),
    )
    with refusing(table.source):
        return analyse(findings.selector, table, options=options)


def write(path: Path, findings: Findings) -> None:
    """Write what was found, whole or not at all: one row for each pair, then for each triple.

    Names and own shares are lists in JSON and one text in CSV.
    """
    rows = [*_rows(findings.selector.pairs_), *_rows(findings.selector.triples_)]
    if path.suffix.lower() == ".csv":
        for row in rows:
            row.update({key: joint.join(map(str, row[key])) for key, joint in CSV_JOINTS.items()})
    write_rows(path, rows, list(rows[0]))


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
