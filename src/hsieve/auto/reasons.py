"""Say in sentences what was looked at, and why a method and a number of features were chosen."""

from typing import Any

import numpy as np

from hsieve.auto.holdout_comparison import HoldoutComparison
from hsieve.dataset import Dataset
from hsieve.selectors.methods import find_method

__all__ = ["about_data", "why_chosen"]


def about_data(data: Dataset) -> str:
    """Say what was looked at."""
    target = "numbers"
    if data.y.ndim > 1 and data.y.shape[1] > 1:
        target = f"{data.y.shape[1]} outputs"
    elif data.target_kind == "classes":
        target = f"{len(np.unique(data.y))} classes"
    categories = f", {len(data.categorical)} of them categories" if data.categorical else ""
    size = f"{data.columns.n_samples:,} samples, {data.columns.n_features:,} features{categories}"
    return f"{size}, a target of {target}."


def why_chosen(
    method: str, selector: Any, pursuit: Any, comparison: HoldoutComparison | None
) -> tuple[str, ...]:
    """Say in at most two sentences why this method and this number."""
    n_chosen = len(selector.selected_indices_)
    explained = 1.0 - float(pursuit.path_.errors[-1])
    if not n_chosen:
        return ("No feature is related to the target beyond chance, or predicts samples held out.",)
    features = f"{n_chosen} feature{'s' if n_chosen > 1 else ''}"
    others = []
    if comparison is not None:
        for name in dict.fromkeys(p.method for p in comparison.proposals if p.method != method):
            least = min(comparison.of(name), key=lambda proposal: proposal.loss)
            others.append(f"{name} {1 - least.loss:.2f}")
    beside = f" (others: {', '.join(others)})" if others else ""
    if method == "pursuit" and selector is pursuit:
        first = (
            f"Kernel pursuit found {features} that together explain {explained:.0%} of the target "
            f"in left-out samples; it ended because {pursuit.path_.stop_reason}."
        )
        if pursuit.path_.n_found < n_chosen:
            first = (
                f"Kernel pursuit: {pursuit.path_.n_found} of {features} passed its tests, and "
                "the others fill up the number, by relevance less redundancy."
            )
        if not others:
            return (first,)
        return (first, f"No other method predicted held-out samples clearly better{beside}.")
    assert comparison is not None
    chosen = [p for p in comparison.of(method) if p.number == selector.n_features_to_select]
    score = f"{1 - chosen[0].loss:.2f}" if chosen else "best"
    return (
        f"{method} with {features} predicted held-out samples best{beside or ''}: "
        f"explained fraction {score} ({find_method(method).purpose}).",
        "More features did not predict better but for chance.",
    )
