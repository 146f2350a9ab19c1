"""The command `hsieve interactions`: a scan of all pairs of features."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from hsieve.cli import options
from hsieve.cli.console import complain, origin, result_console
from hsieve.cli.errors import naming_what_is_kept
from hsieve.cli.files import (
    check_outputs,
    gathered_warnings,
    origin_of,
    read_dataset,
    reading_options,
    refusing,
    write_report,
    write_rows,
)
from hsieve.progress import show_progress
from hsieve.text import as_text, legible

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.interactions.result import Interaction
    from hsieve.interactions.scan import InteractionScan

LOST = "nothing is kept of a search for interactions; --screen and --top make it shorter"

LIKELY = 0.05
CSV_JOINTS = {"features": " x ", "own_shares": "; "}
UNKNOWN = "-"
HEADINGS = (
    "score\n-log10 p",
    "strength",
    "alone",
    "p",
    "family-wise\np",
    "false\ndiscovery\nrate",
)
COMFORTABLE_WIDTH = 110
# Million pairs per second; a small table takes no time for its pairs.
SLOWEST_SHOWN = 0.01
ABOUT_FRACTIONS = (
    "alone: how much of their joint information each feature carries on its own; near 0 % for "
    "features that matter only together."
)
ABOUT_CHANCE = (
    "family-wise p: chance that any of all the {what} scores so high if there is no effect. "
    "false discovery rate: fraction of false ones to expect from the top down to that line. "
    "p is not corrected for the number of {what}."
)
NO_PERMUTATIONS = (
    "p is not corrected for the number of {what}; --permutations 20 estimates what chance does "
    "among so many."
)


def interactions_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    top: Annotated[int, typer.Option(min=1, help="How many pairs to show.")] = 20,
    order: Annotated[
        int, typer.Option(min=2, max=3, help="3 looks for triples of features too.")
    ] = 2,
    out: options.Out = None,
    report: options.Report = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    target_kernel: Annotated[
        options.TargetKernel,
        typer.Option(
            help="For a numeric target: linear asks for more than a sum of effects on its mean, "
            "gaussian for anything that depends on features together."
        ),
    ] = options.TargetKernel.linear,
    missing: options.MissingOption = options.Missing.refuse,
    permutations: Annotated[
        int,
        typer.Option(
            min=0,
            max=options.MOST_REPEATS,
            help="Permutations of the target, used to estimate chance.",
        ),
    ] = 20,
    screen: Annotated[
        int | None,
        typer.Option(min=3, help="Look only at pairs among so many features, for large tables."),
    ] = None,
    screen_by: Annotated[
        options.ScreenBy,
        typer.Option(help="Choose these by a narrow kernel, or by their own relevance."),
    ] = options.ScreenBy.narrow,
    time_limit: Annotated[
        float,
        typer.Option(min=0, help="Refuse what would take more seconds than this; 0 for no limit."),
    ] = 3600,
    memory_limit: options.MemoryLimit = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=options.MOST_WORKERS,
            help="Number of threads; if not given, one on each core.",
        ),
    ] = None,
    random_state: options.RandomState = 0,
    *,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the names only, between tabs, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Look at every pair of features for those that tell about the target together."""
    from hsieve.interactions.scan import InteractionScan

    check_outputs(file, out, report)
    reading = reading_options(context)
    selector = InteractionScan(
        n_pairs=top,
        order=order,
        target_kernel=target_kernel.value,
        n_permutations=permutations,
        screen=screen,
        screen_by=screen_by.value,
        time_limit=time_limit or None,
        memory_limit=memory_limit,
        n_jobs=jobs,
        random_state=random_state,
    )
    with naming_what_is_kept(LOST), show_progress(f"reading {file}", shown=not quiet):
        table = read_dataset(file, reading)
        started = time.perf_counter()
        with gathered_warnings() as warned, refusing(table.source):
            selector.fit(table)
        seconds = time.perf_counter() - started
        analysis = None
        if report is not None:
            from hsieve.report.analysis import AnalysisOptions, analyse

            came_from = replace(origin_of(table, reading, context), warnings=tuple(warned))
            with refusing(table.source):
                analysis = analyse(selector, table, options=AnalysisOptions(origin=came_from))
    if out is not None:
        _write(out, selector)
    if report is not None and analysis is not None:
        from hsieve.report.page import Report

        write_report(report, Report(analysis))
    if quiet:
        if out is None:
            for found in (*selector.pairs_, *selector.triples_):
                typer.echo("\t".join(map(legible, found.names)))
        return
    for warning in warned:
        complain("warning", warning)
    _print(table, selector, seconds)


def _print(table: "Dataset", selector: "InteractionScan", seconds: float) -> None:
    """Print what was found, what it was found in, and how to read it."""
    console = result_console()
    found = {"pairs": (selector.pairs_, selector.n_pairs_seen_)}
    if selector.triples_:
        found["triples"] = (selector.triples_, selector.n_triples_seen_)
    for interactions, _ in found.values():
        padding = 0 if console.width < COMFORTABLE_WIDTH else 1
        console.print(_laid_out(interactions, padding))
    sentences = [_looked_at(table, selector, seconds), ABOUT_FRACTIONS]
    if any(math.isnan(pair.family_wise_p) for pair in selector.pairs_):
        sentences.append(NO_PERMUTATIONS.format(what=" or ".join(found)))
    else:
        sentences.append(ABOUT_CHANCE.format(what=" or ".join(found)))
        sentences += [_standing_out(shown, what, n) for what, (shown, n) in found.items()]
    for sentence in sentences:
        console.print(as_text(sentence))


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


def _looked_at(table: "Dataset", selector: "InteractionScan", seconds: float) -> str:
    """Say how many pairs were looked at, and how fast."""
    n_features = len(table.names)
    n_seen, n_pairs = selector.n_pairs_seen_, math.comb(n_features, 2)
    seen = f"{n_seen:,} pair{'' if n_seen == 1 else 's'}"
    if n_seen < n_pairs:
        seen = f"{n_seen:,} of the {n_pairs:,} pairs"
    if selector.triples_:
        seen += f" and {selector.n_triples_seen_:,} triples"
    words = f"{seen} of {n_features:,} features, {origin(table)}; {seconds:.1f} s"
    if selector.triples_:  # most of the time went into these
        return words
    speed = n_seen / seconds / 1e6
    # Of few pairs the speed says nothing.
    return f"{words}, {speed:,.3g} million pairs a second" if speed >= SLOWEST_SHOWN else words


def _standing_out(found: "Sequence[Interaction]", what: str, n_all: int) -> str:
    """Say how many are unlikely to be there by chance."""
    n_likely = sum(one.family_wise_p < LIKELY for one in found)
    if not n_likely:
        return f"None of the {what} stands out from chance: no family-wise p is below {LIKELY}."
    more = "; there may be more, see --top" if n_likely == len(found) < n_all else ""
    have = "has" if n_likely == 1 else "have"
    shown = f"{n_likely} of the {len(found)} {what} shown"
    return f"{shown} {have} a family-wise p below {LIKELY}{more}."


def _write(path: Path, selector: "InteractionScan") -> None:
    """Write what was found, whole or not at all: one row for each pair, then for each triple.

    Names and own shares are lists in JSON and one text in CSV.
    """
    rows = [*_rows(selector.pairs_), *_rows(selector.triples_)]
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
            "family_wise_p": _known(one.family_wise_p),
            "false_discovery_rate": _known(one.false_discovery_rate),
        }
        for rank, one in enumerate(found, start=1)
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
