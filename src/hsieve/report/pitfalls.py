"""What to bear in mind with this very result, and what was warned of."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsieve.inference.hsic_tests import FeatureTests
from hsieve.report.curves import Names
from hsieve.report.evidence import Evidence
from hsieve.report.headline import listed
from hsieve.report.names import shortened
from hsieve.selectors.spec import ALONE, MethodSpec
from hsieve.strategies.lars_path import LarsSelectionPath
from hsieve.strategies.overlaps import INTERCHANGEABLE
from hsieve.strategies.pursuit_path import PursuitPath

__all__ = ["pitfalls", "warnings_of"]

# NHSIC from which two chosen features are said to share much.
MUCH_SHARED = 0.3
FEW_IN_CLASS = 10
NAMED = 3
LONGEST = 40


def warnings_of(selector: Any, names: Names, told: Sequence[str]) -> list[str]:
    """Gather what a selector warns of, from what it keeps and from what was told.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    names : Names
        Names of the features.
    told : sequence of str
        Warnings that were given, where somebody kept them; instead of our own, if there are any.

    Returns
    -------
    list of str
        Sentences.
    """
    if told:
        return list(told)
    found = []
    constant = selector.constant_features_
    if len(constant):
        what = "column holds" if len(constant) == 1 else "columns hold"
        found.append(
            f"{len(constant):,} {what} one single value and can never be selected: "
            f"{listed([names(f) for f in constant[:NAMED]], len(constant))}."
        )
    wanted, n_chosen = selector.n_features_to_select, len(selector.selected_indices_)
    is_number = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
    if is_number and n_chosen < wanted:
        found.append(f"{wanted} features were asked for, but only {n_chosen} could be selected.")
    if getattr(selector, "is_complete_", True) is False:
        found.append(
            "More interactions are likely than could be tested: some that were not may belong "
            "among those reported."
        )
    return found


def pitfalls(
    selector: Any,
    evidence: Evidence,
    tests: FeatureTests | None,
    words: MethodSpec,
    names: Names,
) -> list[dict[str, str]]:
    """Say what to bear in mind with a result.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    evidence : Evidence
        What the data tell.
    tests : FeatureTests or None
        p-values, where they are shown.
    words : MethodSpec
        What its method does.
    names : Names
        Names of the features.

    Returns
    -------
    list of dict
        Title and text of each.
    """
    found = [_outside_validation(evidence)]
    found += _number(selector)
    found += _p_values(tests)
    found += _shared(evidence, names)
    found += _replaceable(selector, evidence, names)
    found += _stability(selector)
    found += _company(selector, words)
    found += _filled(selector)
    found += _mean_only(selector)
    found += _rare(evidence)
    return [{"title": title, "text": text} for title, text in found]


def _outside_validation(evidence: Evidence) -> tuple[str, str]:
    samples = "all samples" if evidence.n_samples is None else f"all {evidence.n_samples:,} samples"
    return (
        "Validate with the selection inside",
        f"These features were chosen on {samples}. A model that is tested on any of these samples "
        "looks better than it is, even on pure noise. Put the selector into a pipeline, so that "
        "each fold of a cross validation selects for itself: "
        "make_pipeline(selector, model), then cross_val_score.",
    )


def _number(selector: Any) -> list[tuple[str, str]]:
    wanted = selector.n_features_to_select
    if isinstance(wanted, str) or hasattr(selector, "threshold_"):
        return []
    n_varying = selector.n_features_in_ - len(selector.constant_features_)
    if len(selector.selected_indices_) == selector.path_.n_selectable < n_varying:
        return []  # the method itself would take no more
    asked = "was given" if wanted is not None else "is the usual one of the package"
    return [
        (
            "The number of features was not found by the data",
            f"It {asked}: as many would have been selected from pure noise. "
            'n_features_to_select="guarded" or "cv" lets the data decide where the method '
            "allows it; stability selection bounds the number of false features.",
        )
    ]


def _p_values(tests: FeatureTests | None) -> list[tuple[str, str]]:
    if tests is None:
        return []
    return [
        (
            "The p-values are of single features, before selection",
            '"p alone" tests whether a feature by itself is independent of the target; it does '
            "not see features that matter only together. The adjusted one accounts for the number "
            "of features looked at. Neither accounts for the features having been chosen because "
            "of these very data: after selection they are too small. Confirm on new samples.",
        )
    ]


def _shared(evidence: Evidence, names: Names) -> list[tuple[str, str]]:
    if evidence.overlap is None or len(evidence.compared) < 2:
        return []
    n_compared = min(len(evidence.compared), len(evidence.features))
    # Chosen features come first among those shown, so that they are rows and columns alike.
    shares = np.triu(evidence.overlap[:n_compared, :n_compared], 1)
    places = np.argwhere(shares >= MUCH_SHARED)
    if not len(places):
        return []
    strongest = sorted(places.tolist(), key=lambda pair: -shares[pair[0], pair[1]])[:NAMED]
    shown = [
        f"{shortened(names(evidence.compared[a]), LONGEST)} and "
        f"{shortened(names(evidence.compared[b]), LONGEST)} ({shares[a, b]:.2f})"
        for a, b in strongest
    ]
    much = listed(shown, len(places), longest=3 * LONGEST)
    return [
        (
            "Some chosen features repeat each other",
            f"Much is shared (NHSIC) by {much}. Which of them matters can "
            "hardly be told from these data, and another sample may bring up the other one.",
        )
    ]


def _replaceable(selector: Any, evidence: Evidence, names: Names) -> list[tuple[str, str]]:
    chosen = set(selector.selected_indices_.tolist())
    pairs = [
        (feature, other, score)
        for feature, relatives in evidence.relatives.items()
        for other, score in relatives
        if score >= INTERCHANGEABLE and other not in chosen
    ]
    if not pairs:
        return []
    shown = [
        f"{shortened(names(other), LONGEST)} for {shortened(names(feature), LONGEST)} ({score:.2f})"
        for feature, other, score in sorted(pairs, key=lambda one: -one[2])[:NAMED]
    ]
    return [
        (
            "Some features that were not chosen could stand for chosen ones",
            f"Nearly the same is told (NHSIC) by {listed(shown, len(pairs), longest=3 * LONGEST)}. "
            "That one of them was chosen does not say that the other does not matter.",
        )
    ]


def _stability(selector: Any) -> list[tuple[str, str]]:
    if not hasattr(selector, "threshold_"):
        return []
    bound = (
        f"The bound of {selector.bound_:.2g} expected false selections holds for features in at "
        f"least {selector.threshold_:.0%} of the subsamples, if noise features are exchangeable "
        "and the base is no worse than guessing."
    )
    n_stable = int(selector.path_.sizes[0])
    if selector.n_features_to_select is not None:
        bound += f" {n_stable} of the features are stable; it does not hold for others."
    return [
        (
            "What the bound means",
            f"{bound} Copies of a feature share its selections, so that neither may reach the "
            "threshold.",
        )
    ]


def _company(selector: Any, words: MethodSpec) -> list[tuple[str, str]]:
    found = []
    if words.sees == ALONE:
        found.append(
            (
                "Features that matter only together are not seen",
                "The method judges what features tell one by one. BAHSIC, RandSel, "
                'InteractionScan or interactions="pairs" look for features that say nothing '
                "alone.",
            )
        )
    if words.keeps_copies and len(selector.selected_indices_) > 1:
        found.append(
            (
                "Copies may fill the list",
                "The method does not mind features that repeat each other. See redundancy and "
                "relatives, and compare with N3LARS, which keeps copies back.",
            )
        )
    return found


def _filled(selector: Any) -> list[tuple[str, str]]:
    path = getattr(selector, "path_", None)
    if isinstance(path, PursuitPath):
        return _filled_pursuit(len(selector.selected_indices_) - path.n_found)
    if not isinstance(path, LarsSelectionPath):
        return []
    n_filled = len(selector.selected_indices_) - len(path.features_on_path)
    if n_filled <= 0:
        return []
    return [
        (
            "Some features only fill up the number",
            f"The path ended before as many came in as were asked for: {n_filled} with a "
            "coefficient of zero were added by relevance, and may repeat the others.",
        )
    ]


def _filled_pursuit(n_filled: int) -> list[tuple[str, str]]:
    if n_filled <= 0:
        return []
    return [
        (
            "Some features only fill up the number",
            f"Fewer features than were asked for passed the gates of the method: {n_filled} with "
            "a score of zero were added by relevance less redundancy, and may be noise.",
        )
    ]


def _mean_only(selector: Any) -> list[tuple[str, str]]:
    if not isinstance(getattr(selector, "path_", None), PursuitPath):
        return []
    return [
        (
            "Only effects on the mean are found",
            "The method looks for features that change the mean of the target (for classes, their "
            "probabilities). A feature that changes only the spread of a numeric target is not "
            "chosen; N3LARS and BAHSIC see it.",
        )
    ]


def _rare(evidence: Evidence) -> list[tuple[str, str]]:
    target = evidence.target
    if target is None or target.kind != "classes":
        return []
    smallest = int(np.unique(target.values, return_counts=True)[1].min())
    if smallest >= FEW_IN_CLASS:
        return []
    return [
        (
            "A class has few samples",
            f"The smallest class has {smallest}: whatever is odd about these samples looks like "
            "a difference between classes.",
        )
    ]
