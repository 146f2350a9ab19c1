"""Notes below a selection: what chance would tell, and how a pursuit went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hsieve.cli.methods import MethodRequest
from hsieve.report.headline import listed
from hsieve.text import shortened

if TYPE_CHECKING:
    from hsieve.dataset import Dataset
    from hsieve.selectors.base import BaseSelector

__all__ = ["nothing_shows", "pursuit_notes"]

# Chosen features that are tested, the best ones.
N_TESTED = 20
SIGNIFICANT = 0.05

MOST_NAMED = 5
SIZES = {2: "pair", 3: "triple"}


def nothing_shows(table: "Dataset", selector: "BaseSelector", request: MethodRequest) -> list[str]:
    """Test the chosen features one by one, if the method judges them so.

    A list is always as long as was asked for, whether or not the data have anything to tell; and
    features that matter only together look like noise to a method that takes them one by one.

    Parameters
    ----------
    table : Dataset
        Features and target.
    selector : BaseSelector
        The fitted selector.
    request : MethodRequest
        What was wanted.

    Returns
    -------
    list of str
        A sentence, or nothing where there is nothing to warn of.
    """
    import numpy as np

    from hsieve.inference.hsic_tests import MIN_GAMMA_SAMPLES, least_p_value
    from hsieve.report.method_words import words_for
    from hsieve.selectors.spec import ALONE

    chosen = selector.selected_indices_[:N_TESTED]
    if len(table.y) < MIN_GAMMA_SAMPLES or not len(chosen) or words_for(selector).sees != ALONE:
        return []
    # Columns that an engine works on stay where they are, and what is adjusted for is not tested.
    if request.engine is not None or request.covariates:
        return []
    try:
        p_value = least_p_value(
            table.columns.read(chosen),
            table.y,
            len(table.names),
            categorical=np.flatnonzero(np.isin(chosen, request.categorical)).tolist(),
            target_kind=request.target_kind,
        )
    except ValueError:  # such a target cannot be tested, say a class of a single sample
        return []
    if p_value <= SIGNIFICANT:
        return []
    return [
        f"no chosen feature tells more about {table.target_name} by itself than chance would among "
        f"{len(table.names)} features (least p-value, adjusted for their number: "
        f"{p_value:.2g}); if features may matter only together, try --method auto or bahsic"
    ]


def pursuit_notes(
    rows: Sequence[dict[str, Any]], selector: "BaseSelector", table: "Dataset"
) -> list[str]:
    """Say what was found, what only fills up the number, and what could replace a feature.

    Parameters
    ----------
    rows : sequence of dict
        One for each selected feature.
    selector : BaseSelector
        The fitted selector.
    table : Dataset
        What it was fitted on.

    Returns
    -------
    list of str
        Sentences; nothing for other selectors.
    """
    from hsieve.selectors import KernelPursuit

    if not isinstance(selector, KernelPursuit):
        return []
    if not rows:
        return [
            f"No feature is related to {table.target_name} beyond chance, so none is selected. "
            "--n-features NUMBER lists the most relevant ones all the same."
        ]
    return [*_fillers(rows, selector), *_together(selector, table), *_substitutes(selector, table)]


def _fillers(rows: Sequence[dict[str, Any]], selector: Any) -> list[str]:
    """Say how many features only fill up the number."""
    n_found = selector.path_.n_found
    if n_found >= len(rows):
        return []
    if not n_found:
        return [
            "None of these features is related to the target beyond chance: they are listed by "
            "relevance less redundancy, because a number of features was given."
        ]
    return [
        f"Only the first {n_found} of these features passed the gates of the method; the others "
        "fill up the number, by relevance less redundancy."
    ]


def _together(selector: Any, table: "Dataset") -> list[str]:
    """Name pairs and triples whose features joined together."""
    chosen = set(selector.selected_indices_.tolist())
    found = [
        f"{listed([table.names[f] for f in event.features], len(event.features))} "
        f"({SIZES[len(event.features)]})"
        for event in selector.path_.events
        if event.what == "joined" and len(event.features) > 1 and chosen.issuperset(event.features)
    ]
    if not found:
        return []
    return [f"Found only together: {'; '.join(found)}."]


def _substitutes(selector: Any, table: "Dataset") -> list[str]:
    """Name features that share much with a selected one."""
    names = table.names
    found = [
        f"{shortened(names[others[0]])} for {shortened(names[feature])}"
        for feature, others in zip(
            selector.selected_indices_.tolist(), selector.substitutes_, strict=True
        )
        if len(others)
    ]
    if not found:
        return []
    return [f"Close substitutes (NHSIC 0.5 or more): {listed(found[:MOST_NAMED], len(found))}."]
