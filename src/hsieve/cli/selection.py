"""The command `hsieve select`: options become parameters of a selector, its result is shown."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hsieve.cli import options
from hsieve.cli.console import complain, origin, result_console
from hsieve.cli.engines import engine_settings, traffic_note, workers_ready
from hsieve.cli.errors import BadInputError, kept_in, naming_what_is_kept
from hsieve.cli.files import (
    check_columns,
    check_outputs,
    gathered_warnings,
    origin_of,
    read_dataset,
    read_groups,
    reading_options,
    refusing,
    write_report,
    write_rows,
    written,
)
from hsieve.progress import show_progress
from hsieve.text import legible

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.report.analysis import Analysis, AnalysisOptions
    from hsieve.selectors.methods import Method

# Options that set parameters of selectors by another name.
OPTIONS = {
    "covariates": "--covariate",
    "expected_false_selections": "--false-selections",
    "n_subsamples": "--subsamples",
}
P_VALUES = ("p_value", "adjusted_p_value")
RELATED = ("substitutes", "partners")


def select_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    event: options.Event = None,
    groups: options.Groups = None,
    n_features: options.NFeatures = None,
    fdr: options.FalseDiscoveryRate = None,
    method_name: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="One of those that 'hsieve methods' lists; auto chooses method and number of "
            "features, and says why.",
        ),
    ] = "auto",
    out: options.Out = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            parser=options.path,
            help="Also draw the regularisation path into this .png, .svg or .pdf file.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    report: options.Report = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    sample_weight: options.SampleWeight = None,
    feature_groups: options.FeatureGroups = None,
    target_kind: options.TargetKindOption = options.TargetKind.auto,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    missing: options.MissingOption = options.Missing.refuse,
    time_allowed: options.TimeAllowed = None,
    p_values: Annotated[
        options.PValues,
        typer.Option(
            help="Test each selected feature on its own, by HSIC.",
            rich_help_panel=options.DETAILS,
        ),
    ] = options.PValues.none,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help=f"Columns to adjust for, never selected{options.SEVERAL}.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    max_redundancy: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Most that two selected features may share (NHSIC); 0.9 excludes copies.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = None,
    memory_limit: options.MemoryLimit = None,
    substitutes: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many features that could replace a selected one (NHSIC 0.5 or more) to "
            "name; if not given, 3, among all features unless that takes long; 0 for none.",
            rich_help_panel=options.DETAILS,
        ),
    ] = None,
    *,
    interactions: Annotated[
        bool,
        typer.Option(
            "--interactions",
            help="Also find features that matter only in pairs.",
            rich_help_panel=options.OF_PATHS,
        ),
    ] = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Select again and again from halves of the samples, by the method named, and keep "
            "what is found in most of them: as many features as are stable, unless --n-features "
            "says more.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = False,
    false_selections: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Most false selections to expect, with --stability; 1 if not given, unless "
            "--n-features is a number.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = None,
    subsamples: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=options.MOST_REPEATS,
            help="Number of halves, with --stability; 100 if not given.",
            rich_help_panel=options.OF_STABILITY,
        ),
    ] = None,
    engine: options.Engine = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    checkpoint: options.Checkpoint = None,
    random_state: options.RandomState = 0,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print the names only, or nothing with --out; no bar, no warnings.",
        ),
    ] = False,
) -> None:
    """Select the features of a table that matter for its target."""
    from hsieve.report.analysis import AnalysisOptions

    with refusing():
        method = _method(method_name, fdr, n_features, stability=stability)
        settings = {
            "n_features_to_select": options.checked_number(n_features, method),
            "covariates": options.names_in("--covariate", covariate) or None,
            "max_redundancy": max_redundancy,
            "memory_limit": memory_limit,
            "interactions": "pairs" if interactions else None,
            "expected_false_selections": false_selections,
            "n_subsamples": subsamples,
            "engine": engine_settings(engine, scheduler, workers),
            "checkpoint": checkpoint,
            "feature_groups": None if feature_groups is None else read_groups(feature_groups),
        }
        settings = {name: value for name, value in settings.items() if value is not None}
        for parameter in settings:
            if parameter != "n_features_to_select":
                option = OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")
                # Other methods have interactions of another kind than those of a path.
                needed = "covariates" if parameter == "interactions" else parameter
                method.check_takes(needed, option)
        if plot is not None:
            method.check_takes("covariates", "--plot")  # which have a path
    if time_allowed is not None and not method.is_automatic:
        msg = "--time-allowed works with --method auto only"
        raise BadInputError(msg)
    check_outputs(file, out, report, plot)
    reading = reading_options(context)
    started = time.perf_counter()
    with (
        naming_what_is_kept(_kept_after_interruption(method, checkpoint)),
        show_progress(f"reading {file}", shown=not quiet),
    ):
        table = read_dataset(file, reading)
        is_seen = not quiet or out is not None
        analysed = AnalysisOptions(
            p_values="auto" if report and p_values is options.PValues.none else p_values.value,
            n_shown=300 if report else None,
            n_substitutes=substitutes if is_seen or report else 0,
            pictures=report is not None,
            seed=random_state,
            origin=origin_of(table, reading, context),
        )
        settings |= {"random_state": random_state}
        selector, analysis, how = select(table, method, settings, time_allowed, analysed)
    has_p_values = p_values is not options.PValues.none
    if out is not None:
        _write(out, analysis, p_values=has_p_values)
    if plot is not None:
        from hsieve.report import PathDisplay

        display = PathDisplay.from_selector(selector, feature_names=table.names)
        with written(plot, "the picture"):
            display.save(plot)
    if report is not None:
        from hsieve.report.page import Report

        write_report(report, Report(analysis))
    if quiet:
        if out is None:
            for row in analysis.chosen:
                typer.echo(legible(row.name))
        return
    seconds = time.perf_counter() - started
    head = f"{analysis.n_selected} of {analysis.n_features} features by {how}, {origin(table)}"
    _print(analysis, f"{head}; {seconds:.1f} s", p_values=has_p_values)


def _method(name: str, fdr: float | None, n_features: str | None, *, stability: bool) -> "Method":
    """Find a method, alone, repeated or with knockoffs around it, called as on the screen."""
    from hsieve.selectors.methods import find_method

    method = find_method(name)
    if fdr is not None:
        for option, given in (("--n-features", n_features is not None), ("--stability", stability)):
            if given:
                msg = f"--fdr does not go with {option}: both decide how many features are selected"
                raise BadInputError(msg)
        called = "knockoffs" if method.is_automatic else f"knockoffs around {name}"
        return replace(method.at_error_rate(fdr), name=called)
    if not stability:
        return method
    if method.is_automatic or method.is_stability:
        why = "which auto does not name" if method.is_automatic else f"which {name} does already"
        msg = f"--stability needs a method to repeat, {why}"
        raise BadInputError(msg)
    return replace(method.repeated(), name=f"stability selection over {name}")


def _kept_after_interruption(method: "Method", checkpoint: Path | None) -> str:
    """Say what is kept of a run that is interrupted, and how to resume it."""
    if checkpoint is not None:
        return kept_in(checkpoint)
    if method.takes("checkpoint"):
        return "nothing is kept; with --checkpoint FOLDER the run could be resumed"
    return f"nothing is kept, and a run of {method.name} can only start again"


def select(
    table: "Dataset",
    method: "Method",
    settings: dict[str, Any],
    time_allowed: str | None,
    analysed: "AnalysisOptions",
) -> tuple[Any, "Analysis", str]:
    """Return the fitted selector, the analysis of its result, and what selected."""
    from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
    from hsieve.report.analysis import analyse

    came_from, how = analysed.origin, method.name
    with workers_ready(settings.get("engine")), refusing(table.source):
        # The analysis says these, by names.
        with gathered_warnings(
            ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
        ) as warned:
            if method.is_automatic:
                from hsieve.auto import select as choose

                found = choose(table, time_allowed=_time(time_allowed), **settings)
                selector, how = found.selector, f"{found.method}, chosen by auto"
                came_from = replace(
                    came_from,
                    notes=(*came_from.notes, *found.notes),
                    reasons=found.reasons,
                    settings=found.settings,
                )
            else:
                check_columns(table, method)
                selector = method.make(**_with_positions(settings, table)).fit(table)
        # Only these may find nothing where there is something to select from.
        if not len(selector.selected_indices_) and not method.may_find_nothing:
            msg = "all features beside the covariates are constant: there is nothing to select from"
            raise ValueError(msg)
        came_from = replace(
            came_from, warnings=tuple(warned), notes=(*came_from.notes, *traffic_note(selector))
        )
        analysis = analyse(selector, table, options=replace(analysed, origin=came_from))
    return selector, analysis, how


def _time(given: str | None) -> str | float:
    """Return the time allowed as :func:`hsieve.select` takes it."""
    try:
        return float(given or "seconds")
    except ValueError:
        return given or "seconds"


def _with_positions(settings: dict[str, Any], table: "Dataset") -> dict[str, Any]:
    """Return the settings with positions of covariates and groups in place of their names."""
    from hsieve.data.errors import unknown_name

    if "feature_groups" in settings:
        from hsieve.selectors.feature_groups import FeatureGroups

        groups = FeatureGroups.of(settings["feature_groups"], table.n_features, table.names)
        members = (positions.tolist() for positions in groups.members)
        settings = settings | {"feature_groups": dict(zip(groups.labels, members, strict=True))}
    if "covariates" not in settings:
        return settings
    names = dict.fromkeys(settings["covariates"])
    for name in names:
        if name not in table.names:
            raise unknown_name(table.source, "covariate", name, table.names)
    return settings | {"covariates": tuple(map(table.names.index, names))}


def _write(path: Path, analysis: "Analysis", *, p_values: bool) -> None:
    """Write the chosen features; substitutes and partners are lists in JSON, one text in CSV."""
    keys = ["rank", "feature", "index", "score"]
    if "frequency" in {column.key for column in analysis.columns}:
        keys.append("frequency")
    keys += P_VALUES if p_values else ()
    chosen = analysis.chosen
    related = [key for key in RELATED if any(getattr(row, key) is not None for row in chosen)]
    is_text = path.suffix.lower() == ".csv"
    rows = []
    for row in chosen:
        cells: dict[str, Any] = {"feature": row.name, "index": row.feature}
        cells |= {key: getattr(row, key) for key in keys if key not in cells}
        for key in related:
            others = getattr(row, key) or ()
            cells[key] = [{"feature": one.name, "score": one.score} for one in others]
            if is_text:
                cells[key] = "; ".join(f"{one.name} ({one.score:.2f})" for one in others)
        rows.append(cells)
    write_rows(path, rows, [*keys, *related])


def _print(analysis: "Analysis", head: str, *, p_values: bool) -> None:
    """Print the chosen features, what they were chosen from, how, and in how many seconds."""
    from hsieve.report.screen import renderables

    console = result_console()
    for warning in analysis.warnings:
        complain("warning", warning)
    for shown in renderables(analysis, head, p_values=p_values):
        console.print(shown)
