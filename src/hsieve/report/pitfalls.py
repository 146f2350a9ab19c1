"""What to bear in mind with this very result."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsieve.report.evidence import Evidence
from hsieve.report.tables import FeatureRow
from hsieve.selectors.spec import ALONE, MethodSpec
from hsieve.strategies.lars_path import LarsSelectionPath
from hsieve.strategies.pursuit_path import PursuitPath
from hsieve.text import listed, shortened

FEW_IN_CLASS = 10
NAMED = 3
LONGEST = 40


def pitfalls(
    selector: Any,
    evidence: Evidence,
    rows: Sequence[FeatureRow],
    spec: MethodSpec,
    *,
    p_values: bool,
    number_is_found: bool,
) -> tuple[dict[str, str], ...]:
    """Say what to bear in mind with a result, each with a title and a text."""
    number = None if number_is_found else _number(selector)
    is_chosen = len(selector.selected_indices_) > 0
    found = [_outside_validation(evidence.n_samples) if is_chosen else None, number]
    if p_values:
        found.append(
            (
                "The p-values are of single features, before selection",
                '"p alone" tests whether a feature by itself is independent of the target; it does '
                "not see features that matter only together. The adjusted one accounts for all "
                "features that were tested. Neither says what a feature adds to the others chosen, "
                'which "p given the others" tests where at most 20 are chosen. None of them '
                "accounts for other choices made on the same data, such as the method. Confirm "
                "on new samples.",
            )
        )
    found += [*_substitutes(rows), _bound(selector)]
    if spec.sees == ALONE:
        found.append(
            (
                "Features that matter only together are not seen",
                "The method judges what features tell one by one. BAHSIC, RandSel, "
                'InteractionScan or interactions="pairs" look for features that say nothing '
                "alone.",
            )
        )
    if spec.keeps_copies and len(selector.selected_indices_) > 1:
        found.append(
            (
                "Copies may fill the list",
                "The method does not mind redundant features. See redundancy and substitutes, and "
                "compare with N3LARS, which keeps copies back.",
            )
        )
    found += [_filled(selector), _mean_only(selector), _rare(evidence)]
    return tuple({"title": one[0], "text": one[1]} for one in found if one is not None)


def _outside_validation(n_samples: int | None) -> tuple[str, str]:
    samples = "all samples" if n_samples is None else f"all {n_samples:,} samples"
    return (
        "Validate with the selection inside",
        f"These features were chosen on {samples}. A model that is tested on any of these samples "
        "looks better than it is, even on pure noise. Put the selector into a pipeline, so that "
        "each fold of a cross validation selects for itself: "
        "make_pipeline(selector, model), then cross_val_score.",
    )


def _number(selector: Any) -> tuple[str, str] | None:
    wanted = selector.n_features_to_select
    if isinstance(wanted, str) or hasattr(selector, "threshold_"):
        return None
    n_varying = selector.n_features_in_ - len(selector.constant_features_)
    if len(selector.selected_indices_) == selector.path_.n_selectable < n_varying:
        return None  # the method itself would take no more
    asked = "was given" if wanted is not None else "is the default"
    return (
        "The number of features does not come from the data",
        f"It {asked}: as many would have been selected from pure noise. "
        'n_features_to_select="guarded" or "cv" lets the data decide where the method '
        "allows it; stability selection bounds the number of false features.",
    )


def _substitutes(rows: Sequence[FeatureRow]) -> list[tuple[str, str]]:
    """Say which chosen features are redundant, and which others are substitutes."""
    chosen = {row.feature for row in rows if row.chosen}
    shared: dict[frozenset[int], tuple[float, str]] = {}
    outside: list[tuple[float, str]] = []
    for row in rows:
        for other in row.substitutes or () if row.chosen else ():
            names = shortened(row.name, LONGEST), shortened(other.name, LONGEST)
            if other.feature in chosen:
                text = f"{names[0]} and {names[1]} ({other.score:.2f})"
                shared.setdefault(frozenset((row.feature, other.feature)), (other.score, text))
            else:
                text = f"{names[1]} for {names[0]} ({other.score:.2f})"
                outside.append((other.score, text))
    found = []
    if shared:
        found.append(
            (
                "Some chosen features repeat each other",
                f"Their NHSIC is high: {_strongest([*shared.values()])}. Which of them matters is "
                "hard to say from these data, and another sample may bring up the other one.",
            )
        )
    if outside:
        found.append(
            (
                "Some chosen features have substitutes",
                f"Their NHSIC is high: {_strongest(outside)}. That one of them was "
                "chosen does not say that the other does not matter.",
            )
        )
    return found


def _strongest(scored: list[tuple[float, str]]) -> str:
    """List the texts of the highest scores."""
    best = sorted(scored, key=lambda one: -one[0])[:NAMED]
    return listed([text for _, text in best], len(scored), longest=3 * LONGEST)


def _bound(selector: Any) -> tuple[str, str] | None:
    if not hasattr(selector, "threshold_"):
        return None
    bound = (
        f"The bound of {selector.bound_:.2g} expected false selections holds for features in at "
        f"least {selector.threshold_:.0%} of the subsamples, if noise features are exchangeable "
        "and the base is no worse than guessing."
    )
    n_stable = int(selector.path_.sizes[0])
    if selector.n_features_to_select is not None:
        bound += f" {n_stable} of the features are stable; it does not hold for others."
    return (
        "What the bound means",
        f"{bound} Copies of a feature share its selections, so that neither may reach the "
        "threshold.",
    )


def _filled(selector: Any) -> tuple[str, str] | None:
    path, n_chosen = selector.path_, len(selector.selected_indices_)
    if isinstance(path, PursuitPath) and n_chosen > path.n_found:
        return (
            "Some features only fill up the number",
            "Fewer features than were asked for passed the gates of the method: "
            f"{n_chosen - path.n_found} with a score of zero were added by relevance less "
            "redundancy, and may be noise.",
        )
    if isinstance(path, LarsSelectionPath) and n_chosen > len(path.features_on_path):
        return (
            "Some features only fill up the number",
            "The path ended before as many came in as were asked for: "
            f"{n_chosen - len(path.features_on_path)} with a coefficient of zero were added by "
            "relevance, and may repeat the others.",
        )
    return None


def _mean_only(selector: Any) -> tuple[str, str] | None:
    if not isinstance(selector.path_, PursuitPath):
        return None
    return (
        "Only effects on the mean are found",
        "The method looks for features that change the mean of the target (for classes, their "
        "probabilities). A feature that changes only the spread of a numeric target is not "
        "chosen; N3LARS and BAHSIC see it.",
    )


def _rare(evidence: Evidence) -> tuple[str, str] | None:
    target = evidence.target
    if target is None or target.kind != "classes":
        return None
    smallest = int(np.unique(target.values, return_counts=True)[1].min())
    if smallest >= FEW_IN_CLASS:
        return None
    return (
        "A class has few samples",
        f"The smallest class has {smallest}: whatever is odd about these samples looks like "
        "a difference between classes.",
    )
