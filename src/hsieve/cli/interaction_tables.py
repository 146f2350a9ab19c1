"""What `hsieve interactions` prints: tables of pairs and triples, and how to read them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from hsieve.cli.console import as_text, result_console
from hsieve.cli.printing import origin

if TYPE_CHECKING:
    from hsieve.cli.interactions import Findings
    from hsieve.data import blocks, tables
    from hsieve.interactions.result import Interaction

__all__ = ["print_interactions"]

LIKELY = 0.05
UNKNOWN = "-"
HEADINGS = (
    "score\n-log10 p",
    "strength",
    "alone",
    "p",
    "family-\nwise p",
    "false\ndiscovery\nrate",
)
COMFORTABLE_WIDTH = 110
# Million pairs a second; a small table takes no time for its pairs.
SLOWEST_TOLD = 0.01
ABOUT_SHARES = (
    "alone: what each feature tells by itself, as a share of all that they tell; near 0 % for "
    "features that matter only together."
)
ABOUT_CHANCE = (
    "family-wise p: chance that any of all the {what} scores so high where there is nothing to be "
    "found. false discovery rate: share of false ones to expect from the top down to that line. p "
    "takes no account of how many were looked at."
)
NO_PERMUTATIONS = (
    "p takes no account of how many were looked at; --permutations 20 says what chance does among "
    "so many."
)


def print_interactions(table: "tables.Table | blocks.ColumnTable", findings: "Findings") -> None:
    """Print what was found, what it was found in, and how to read it.

    Parameters
    ----------
    table : Table or ColumnTable
        What was looked at.
    findings : Findings
        What was found.
    """
    console = result_console()
    found = {"pairs": findings.pairs}
    if findings.triples:
        found["triples"] = findings.triples
    for interactions in found.values():
        padding = 0 if console.width < COMFORTABLE_WIDTH else 1
        console.print(_laid_out(interactions, padding))
    console.print(as_text(_looked_at(table, findings)))
    console.print(as_text(ABOUT_SHARES))
    if any(math.isnan(pair.family_wise_p) for pair in findings.pairs):
        console.print(as_text(NO_PERMUTATIONS))
        return
    console.print(as_text(ABOUT_CHANCE.format(what=" or ".join(found))))
    for what, interactions in found.items():
        n_all = findings.n_pairs_seen if what == "pairs" else findings.n_triples_seen
        console.print(as_text(_standing_out(interactions, what, n_all)))


def _laid_out(found: "Sequence[Interaction]", padding: int) -> Table:
    """Lay out pairs or triples; names are folded before any number is cut."""
    order = len(found[0].features)
    shown = Table(padding=(0, padding))
    shown.add_column("rank", justify="right")
    for number in range(1, order + 1):
        shown.add_column(f"feature {number}", overflow="fold")
    for heading in HEADINGS:
        shown.add_column(heading, justify="right", no_wrap=True)
    for rank, one in enumerate(found, start=1):
        shown.add_row(
            str(rank),
            *map(as_text, one.names),
            f"{one.score:.1f}",
            f"{one.strength:.3f}",
            ", ".join(f"{100 * share:.0f} %" for share in one.own_shares),
            *map(_chance, (one.p_value, one.family_wise_p, one.false_discovery_rate)),
        )
    return shown


def _chance(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.2g}"


def _looked_at(table: "tables.Table | blocks.ColumnTable", findings: "Findings") -> str:
    """Say how many pairs were looked at, and how fast."""
    n_features = len(table.feature_names)
    n_seen, n_pairs = findings.n_pairs_seen, math.comb(n_features, 2)
    seen = f"{n_seen:,} pair{'' if n_seen == 1 else 's'}"
    if n_seen < n_pairs:
        seen = f"{n_seen:,} of the {n_pairs:,} pairs"
    if findings.triples:
        seen += f" and {findings.n_triples_seen:,} triples"
    words = f"{seen} of {n_features:,} features, {origin(table)}; {findings.seconds:.1f} s"
    if findings.triples:  # most of the time went into these
        return words
    speed = n_seen / findings.seconds / 1e6
    # Of few pairs the speed says nothing.
    return f"{words}, {speed:,.3g} million pairs a second" if speed >= SLOWEST_TOLD else words


def _standing_out(found: "Sequence[Interaction]", what: str, n_all: int) -> str:
    """Say how many are unlikely to be there by chance."""
    n_likely = sum(one.family_wise_p < LIKELY for one in found)
    if not n_likely:
        return f"None of the {what} stands out from chance: no family-wise p is below {LIKELY}."
    more = "; there may be more, see --top" if n_likely == len(found) < n_all else ""
    have = "has" if n_likely == 1 else "have"
    shown = f"{n_likely} of the {len(found)} {what} shown"
    return f"{shown} {have} a family-wise p below {LIKELY}{more}."
