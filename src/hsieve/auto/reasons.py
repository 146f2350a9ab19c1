"""Say in sentences what was looked at, and why a method and a number of features were chosen."""

from typing import Any

import numpy as np

from hsieve.auto.holdout_comparison import HoldoutComparison
from hsieve.dataset import Dataset
from hsieve.strategies.pursuit import TIME_IS_UP
from hsieve.text import how

__all__ = ["about_data", "why_chosen"]

PURPOSES = {
    "bahsic": "joint effects of any order, by dropping features",
    "forest": "the most important features of a forest of extremely randomised trees",
}


def about_data(data: Dataset) -> str:
    """Say what was looked at."""
    target = "a numeric target"
    if data.y.ndim > 1 and data.y.shape[1] > 1:
        target = f"a target with {data.y.shape[1]} outputs"
    elif data.target_kind == "classes":
        target = f"a target with {len(np.unique(data.y))} classes"
    elif data.target_kind == "survival":
        target = "times with events"
    categories = f" ({len(data.categorical)} categorical)" if data.categorical else ""
    size = f"{data.columns.n_samples:,} samples, {data.columns.n_features:,} features{categories}"
    return f"{size}, {target}."


def _how_it_ended(reason: str) -> str:
    if reason != TIME_IS_UP:
        return f"it ended because {reason}"
    more = how("time_allowed='minutes'", "--time-allowed minutes")
    return f"it stopped at the time limit: allow more with {more}"


def why_chosen(
    method: str, selector: Any, pursuit: Any, comparison: HoldoutComparison | None
) -> tuple[str, ...]:
    """Say in at most two sentences why this method and this number."""
    n_chosen = len(selector.selected_indices_)
    explained = 1.0 - float(pursuit.path_.errors[-1])
    if not n_chosen:
        return ("No feature is related to the target beyond chance, or predicts samples held out.",)
    features = f"{n_chosen} feature{'s' if n_chosen > 1 else ''}"
    beside = ""
    if comparison is not None:
        best = {
            name: 1 - min(proposal.loss for proposal in comparison.of(name))
            for name in dict.fromkeys(p.method for p in comparison.proposals if p.method != method)
        }
        if best:
            beside = f" (others: {', '.join(f'{name} {part:.2f}' for name, part in best.items())})"
    if method == "pursuit" and selector is pursuit:
        first = (
            f"Kernel pursuit found {features} that together explain {explained:.0%} of the target "
            f"in left-out samples; {_how_it_ended(pursuit.path_.stop_reason)}."
        )
        if pursuit.path_.n_found < n_chosen:
            first = (
                f"Kernel pursuit: {pursuit.path_.n_found} of {features} passed its tests, and "
                "the others fill up the number, by relevance less redundancy."
            )
        if not beside:
            return (first,)
        return (first, f"No other method predicted held-out samples clearly better{beside}.")
    assert comparison is not None
    part = 1 - min(p.loss for p in comparison.of(method) if p.number == n_chosen)
    return (
        f"{method} with {features} predicted held-out samples best{beside}: "
        f"explained fraction {part:.2f} ({PURPOSES[method]}).",
    )
