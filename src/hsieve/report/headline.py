"""The result in one sentence."""

import math
from collections.abc import Sequence
from typing import Any

from hsieve.report.curves import Names
from hsieve.report.evidence import Evidence
from hsieve.report.names import shortened

__all__ = ["headline", "listed"]

NAMED = 5
LONGEST = 40


def headline(selector: Any, evidence: Evidence, names: Names) -> str:
    """Tell the result in one sentence.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    evidence : Evidence
        What the data tell.
    names : Names
        Names of the features.

    Returns
    -------
    str
        Who chose how many of how many, and which.
    """
    chosen = selector.selected_indices_.tolist()
    n_features = f"{selector.n_features_in_:,} features"
    samples = "" if evidence.n_samples is None else f" from {evidence.n_samples:,} samples"
    which = listed([names(feature) for feature in chosen[:NAMED]], len(chosen))
    if hasattr(selector, "threshold_"):
        return _stable(selector, n_features, samples, which)
    best = next(iter(getattr(selector, "pairs_", ())), None)
    if best is not None and hasattr(best, "family_wise_p"):
        return _interaction(selector, best, names, samples)
    name = type(selector).__name__
    if not chosen:
        tried = any(event.what == "set aside" for event in getattr(selector.path_, "events", ()))
        why = "lowers the error of samples left out" if tried else "is related to the target"
        beyond = "enough" if tried else "beyond chance"
        return f"{name} chose none of {n_features}{samples}: no feature {why} {beyond}."
    return f"{name} chose {len(chosen):,} of {n_features}{samples}: {which}."


def _stable(selector: Any, n_features: str, samples: str, which: str) -> str:
    """Tell how many features are stable."""
    share, n_subsamples = f"{selector.threshold_:.0%}", len(selector.n_selected_)
    n_chosen = len(selector.selected_indices_)
    if not n_chosen:
        return (
            f"None of {n_features}{samples} is stable: no feature is selected from {share} or more "
            f"of {n_subsamples} subsamples."
        )
    if selector.n_features_to_select is None:
        verb = "is" if n_chosen == 1 else "are"
        return (
            f"{n_chosen:,} of {n_features}{samples} {verb} stable, selected from {share} or more "
            f"of {n_subsamples} subsamples: {which}."
        )
    return (
        f"Stability selection chose {n_chosen:,} of {n_features}{samples}, those most often "
        f"selected from {n_subsamples} subsamples: {which}."
    )


def _interaction(selector: Any, best: Any, names: Names, samples: str) -> str:
    """Tell the best pair of a scan, and how sure it is."""
    pair = " and ".join(shortened(names(feature), LONGEST) for feature in best.features)
    chance = best.family_wise_p
    sure = "" if math.isnan(chance) else f" (family-wise p = {chance:.2g})"
    return (
        f"Of {selector.n_pairs_seen_:,} pairs of features{samples}, {pair} tell most together"
        f"{sure}."
    )


def listed(texts: Sequence[str], n_all: int, *, longest: int = LONGEST) -> str:
    """List names in a sentence.

    Parameters
    ----------
    texts : sequence of str
        The first of them.
    n_all : int
        How many there are.
    longest : int, default=40
        Number of characters to which each is kept.

    Returns
    -------
    str
        Names with commas and an "and".

    Examples
    --------
    >>> listed(["a", "b", "c"], 3), listed(["a", "b"], 7)
    ('a, b and c', 'a, b and 5 more')
    """
    parts = [shortened(text, longest) for text in texts]
    if n_all > len(parts):
        parts.append(f"{n_all - len(parts):,} more")
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last
