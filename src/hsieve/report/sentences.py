"""A result in sentences: the headline, what to be warned of, and notes on how it came about.

The same sentences stand on the screen, on the page and in a notebook, so they name no option of one
of them.
"""

import math
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from hsieve.report.curves import atom_name, lars_selection_path, names_of
from hsieve.report.evidence import Evidence
from hsieve.report.p_values import SIGNIFICANT, chance_of
from hsieve.report.tables import FeatureRow, PairRow
from hsieve.strategies.lars_path import LarsSelectionPath
from hsieve.strategies.pursuit_path import PursuitPath
from hsieve.text import listed, shortened

NAMED = 5
SIZES = {2: "pair", 3: "triple"}


# Members of a group that are named.
MOST_MEMBERS = 8


def headline(selector: Any, n_samples: int | None, names: Sequence[str]) -> str:
    """Say the result in one sentence: how many features of how many were chosen, and which."""
    chosen = selector.selected_indices_.tolist()
    n_features = f"{selector.n_features_in_:,} features"
    samples = "" if n_samples is None else f" from {n_samples:,} samples"
    which = listed([names[feature] for feature in chosen[:NAMED]], len(chosen))
    if hasattr(selector, "threshold_"):
        return _stable(selector, n_features, samples, which)
    best = next(iter(getattr(selector, "pairs_", ())), None)
    if best is not None and hasattr(best, "family_wise_p"):
        return _interaction(selector, best, names, samples)
    name = type(selector).__name__
    if not chosen and hasattr(selector, "e_values_"):
        return f"{name} chose none of {n_features}{samples} at fdr={selector.fdr:g}."
    if not chosen:
        tried = any(event.what == "set aside" for event in getattr(selector.path_, "events", ()))
        why = "lowers the error of left-out samples" if tried else "is related to the target"
        beyond = "enough" if tried else "beyond chance"
        return f"{name} chose none of {n_features}{samples}: no feature {why} {beyond}."
    return f"{name} chose {len(chosen):,} of {n_features}{samples}: {which}."


def _stable(selector: Any, n_features: str, samples: str, which: str) -> str:
    """Say how many features are stable."""
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


def _interaction(selector: Any, best: Any, names: Sequence[str], samples: str) -> str:
    """Say the best pair of a scan, and how sure it is."""
    pair = " and ".join(shortened(names[feature], 40) for feature in best.features)
    chance = best.family_wise_p
    sure = "" if math.isnan(chance) else f" (family-wise p = {chance:.2g})"
    return (
        f"Of {selector.n_pairs_seen_:,} pairs of features{samples}, {pair} tell most together"
        f"{sure}."
    )


def title_of(selector: Any, target_name: str, names: Sequence[str], *, is_noise: bool) -> str:
    """Say what was found, and of what, as a heading."""
    n_chosen, n_features = len(selector.selected_indices_), selector.n_features_in_
    if is_noise:
        return f"No feature predicts {target_name} beyond chance"
    if not n_chosen:
        return f"None of {n_features:,} features predicts {target_name} well enough"
    found = f"{n_chosen:,} of {n_features:,} features"
    if not selector._needs_target():
        return f"{found} chosen"
    is_one = n_chosen == 1
    if hasattr(selector, "threshold_"):
        return f"{found} {'is' if is_one else 'are'} often selected for {target_name}"
    if getattr(selector, "pairs_", ()) and hasattr(selector.pairs_[0], "family_wise_p"):
        return _of_pairs(selector.pairs_, target_name, names)
    return f"{found} {'predicts' if is_one else 'predict'} {target_name}"


def _of_pairs(pairs: Sequence[Any], target_name: str, names: Sequence[str]) -> str:
    """Say which pairs of a scan are no chance; where nothing was permuted, the best is named."""
    sure = [pair for pair in pairs if pair.family_wise_p <= SIGNIFICANT]
    if not sure and not math.isnan(pairs[0].family_wise_p):
        return f"No pair of features predicts {target_name} beyond chance"
    if len(sure) > 1:
        return f"{len(sure):,} pairs of features predict {target_name} together"
    pair = " and ".join(shortened(names[feature], 40) for feature in pairs[0].features)
    return f"{pair} {'predict' if sure else 'may predict'} {target_name} together"


def noise_warning(
    selector: Any, evidence: Evidence, tests: Any, target_name: str, *, sees_alone: bool
) -> str:
    """Say that no feature shows anything beyond chance; empty where some do, or nobody can tell.

    `sees_alone` is true where the method judges features one by one. Its list is as long as was
    asked for, whether or not the data have anything to tell, and features that matter only together
    look like noise to it.
    """
    path = selector.path_
    if isinstance(path, PursuitPath):
        may_be_noise, advice = not path.n_found, ""  # else its own tests were passed
    else:
        may_be_noise = sees_alone and not tuple(getattr(selector, "covariates", ()))
        advice = (
            " If features may matter only together, try BAHSIC, or let the method be chosen (auto)."
        )
    chance = chance_of(selector, evidence, tests) if may_be_noise else None
    if chance is None or chance <= SIGNIFICANT:
        return ""
    which = "chosen feature" if len(selector.selected_indices_) else "feature"
    return (
        f"No {which} tells more about {target_name} by itself than chance would among "
        f"{selector.n_features_in_:,} features (least p-value, adjusted for their number: "
        f"{chance:.2g}).{advice}"
    )


def warnings_of(selector: Any, names: Sequence[str]) -> list[str]:
    """Say what is wrong with a result, as far as the selector tells."""
    found = []
    constant = selector.constant_features_
    if len(constant):
        what = "column holds" if len(constant) == 1 else "columns hold"
        shown = listed([repr(names[feature]) for feature in constant[:NAMED]], len(constant))
        found.append(
            f"{len(constant):,} {what} one single value and can never be selected: {shown}."
        )
    found += _fewer(selector)
    if getattr(selector, "is_complete_", True) is False:
        found.append(
            "More interactions are likely than could be tested: some that were not may belong "
            "among those reported."
        )
    return found


def _fewer(selector: Any) -> list[str]:
    """Say that fewer features than asked for were chosen, and why."""
    wanted, n_chosen = selector.n_features_to_select, len(selector.selected_indices_)
    if not isinstance(wanted, Integral) or isinstance(wanted, bool) or n_chosen >= wanted:
        return []
    n_features = selector.n_features_in_
    if wanted <= n_features and n_chosen == n_features - len(selector.constant_features_):
        return []  # only those are missing that hold one single value, which is said
    why = ""
    if hasattr(selector, "threshold_"):
        why = ": no other is selected from any subsample"
    elif getattr(selector, "max_redundancy", None) is not None:
        why = f" with a largest redundancy of {selector.max_redundancy:g}"
    return [f"{wanted} features were asked for, but only {n_chosen} could be selected{why}."]


def notes_on(
    selector: Any,
    rows: Sequence[FeatureRow],
    pairs: Sequence[PairRow],
    names: Sequence[str],
    *,
    has_reasons: bool,
) -> list[str]:
    """Say how a result came about: the number of features, what was searched, how it ended.

    The reasons of :func:`hsieve.select`, where there are any, say of a pursuit what would be said
    here.
    """
    chosen = [row for row in rows if row.chosen]
    choice = getattr(selector, "n_features_choice_", None)
    notes = []
    if chosen and choice is not None and not has_reasons:
        notes.append(f"How many, by {choice.rule}: {choice.reason}")
    if hasattr(selector, "threshold_"):
        notes += _on_stability(selector, chosen, names)
    if hasattr(selector, "e_values_") and not has_reasons:
        notes.append(selector.in_words())
    if isinstance(selector.path_, PursuitPath) and (chosen or not has_reasons):
        notes += _on_pursuit(selector, chosen, names)
    if getattr(selector, "selected_groups_", None):
        notes += _on_groups(selector, chosen, names)
    if isinstance(selector.path_, LarsSelectionPath):
        if getattr(selector, "interactions", None) and not pairs:
            notes.append("No pair of features is on the path.")
        notes.append(path_in_words(selector, feature_names=names))
    return notes


def _on_groups(selector: Any, chosen: Sequence[FeatureRow], names: Sequence[str]) -> list[str]:
    """Name the chosen groups with their members, and what each of these tells alone."""
    alone = {row.feature: row.relevance for row in chosen}
    notes = []
    for label in selector.selected_groups_:
        members = selector.feature_groups_[label].tolist()
        if len(members) == 1:
            continue
        told = {member: max(alone.get(member) or 0.0, 0.0) for member in members}
        total = sum(told.values())
        best = sorted(members, key=lambda member: -told[member])
        shown = [
            shortened(names[member]) + (f" {told[member] / total:.0%}" if total else "")
            for member in best[:MOST_MEMBERS]
        ]
        more = [f"{len(best) - MOST_MEMBERS} more"] if len(best) > MOST_MEMBERS else []
        notes.append(f"Group {shortened(label)}: {', '.join([*shown, *more])}.")
    if notes and any(alone.values()):
        notes.append("Percentages: relevance of a member alone, of the sum over its group.")
    return notes


def _on_stability(selector: Any, chosen: Sequence[FeatureRow], names: Sequence[str]) -> list[str]:
    """Say how stable features were separated from others, and what it means if there are none."""
    share, n_subsamples = selector.threshold_, len(selector.n_selected_)
    notes = [
        f"Stable are features selected from at least {share:.0%} of {n_subsamples} subsamples of "
        "half the samples; the expected number of false ones among them is at most "
        f"{selector.bound_:.2g}."
    ]
    n_stable = selector.path_.sizes[0]
    if not chosen:
        best = int(selector.stability_scores_.argmax())
        notes.append(
            f"No feature is stable, so none is selected: nearest is {shortened(names[best])} with "
            f"{selector.stability_scores_[best]:.0%}. If more false selections are allowed, more "
            "features are stable; if a number of features is asked for, the most frequent ones are "
            "selected, without a bound."
        )
    elif selector.n_features_to_select is not None:
        what = "feature is" if n_stable == 1 else "features are"
        notes.append(
            f"{n_stable} {what} stable; the bound holds for these, not for the number asked for."
        )
    return notes


def _on_pursuit(selector: Any, chosen: Sequence[FeatureRow], names: Sequence[str]) -> list[str]:
    """Say what was found only together, what fills up the number, or that nothing was found."""
    if not chosen:
        return [
            "No feature is related to the target beyond chance, so none is selected. If a number "
            "of features is asked for, the most relevant ones are listed all the same."
        ]
    notes, n_found = [], selector.path_.n_found
    if not n_found:
        notes.append(
            "None of these features is related to the target beyond chance: they are listed by "
            "relevance less redundancy, because a number of features was given."
        )
    elif n_found < len(chosen):
        notes.append(
            f"Only the first {n_found} of these features passed the gates of the method; the "
            "others fill up the number, by relevance less redundancy."
        )
    everything = {row.feature for row in chosen}
    together = [
        f"{listed([names[f] for f in event.features], len(event.features))} "
        f"({SIZES[len(event.features)]})"
        for event in selector.path_.events
        if event.what == "joined" and len(event.features) > 1 and everything >= set(event.features)
    ]
    if together:
        notes.append(f"Found only together: {'; '.join(together)}.")
    return notes


def path_in_words(selector: Any, *, feature_names: Iterable[Any] | None = None) -> str:
    """Say how a path ended, and how many comparisons of features it did without.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector with a regularisation path.
    feature_names : iterable or None, default=None
        Names of all features; None for those of the data frame, or x0, x1, ...

    Returns
    -------
    str
        One or two sentences.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> from hsieve.report import path_in_words
    >>> problem = make_n3lars(600, 100, random_state=0)
    >>> path_in_words(N3LARS(3).fit(problem.X, problem.y))
    "The path ended with 3 features in, where 'x...' would have come in next (level ...). ..."
    """
    path = lars_selection_path(selector)
    names = names_of(selector, feature_names)
    lars = path.lars
    parts = [_ending(path, names)]
    n_left = len(lars.order) - len(lars.selected)
    if n_left:
        parts.append(f"{n_left} came in and left again")
    n_filled = len(selector.selected_indices_) - len(path.features_on_path)
    if n_filled:
        parts.append(f"{n_filled} with a coefficient of zero were added by relevance")
    return (
        f"{'; '.join(parts)}. Of the pairs of a feature that came in with any feature, "
        f"{lars.share_spared:.1%} never had to be compared."
    )


def _ending(path: LarsSelectionPath, names: list[str]) -> str:
    """Say where the path ended and why."""
    lars = path.lars
    n_in = len(lars.selected)
    features = f"{n_in} feature{'' if n_in == 1 else 's'} in"
    n_pairs = int((lars.selected >= len(path.relevance)).sum())
    if n_pairs:
        n_single = n_in - n_pairs
        features = (
            f"{n_single} single feature{'' if n_single == 1 else 's'} and "
            f"{n_pairs} pair{'' if n_pairs == 1 else 's'} in"
        )
    stop = lars.events[-1]
    if lars.stop_reason == "enough features":
        next_one = atom_name(path, stop.feature, names)
        return (
            f"The path ended with {features}, where {next_one!r} would have come in next "
            f"(level {stop.level:.3g})"
        )
    if lars.stop_reason == "lowest level":
        return (
            f"The path was followed down to level {stop.level:.3g}, below which not all pairs were "
            f"looked at, with {features}"
        )
    if lars.stop_reason == "level zero":
        return (
            f"The path ran down to level zero with {features}; no other feature adds to them "
            "or may come in"
        )
    return (
        f"The path was cut off by its limit of steps at level {stop.level:.3g} with {features}, "
        "so other features may be as good"
    )
