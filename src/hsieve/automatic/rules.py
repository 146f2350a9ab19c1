"""The rules by which :func:`hsieve.select` chooses a method and a number of features.

They follow from the size of the data, the kind of target and the time allowed, and where there is
time from how methods do on samples held out. n samples, d features, T seconds allowed; costs are
those of :mod:`hsieve.automatic.costs`.

=====  =========================================================================================
rule   what it says
=====  =========================================================================================
A      A method is *within reach* if one fit of it on all samples takes less than T / 2. N3LARS
       always is, and so are all others only if d is at least 2.
A1     BAHSIC and L1LSMI need all data in memory, twice.
A2     mRMR and L1LSMI are for one target, L1LSMI for at most 200 features.
A3     RandSel stands in for BAHSIC where that is out of reach: it looks at 1,000 samples a round.
B      Where something beside N3LARS is within reach, and there are at least 40 samples (and 5 of
       each class), methods are *tried*: on five folds of at most 500 samples, by prediction of
       the samples held out from up to 96 of their features.
B1     If trying all takes more than T / 2, fewer samples take part, down to 100, and then the most
       expensive methods are left out.
B2     The number of a method is the smallest that lacks no more than one standard error of its
       best prediction.
B3     Of the methods that lack no more than one standard error of the best prediction, and no more
       than 0.01, the first in the order n3lars, mrmr, pairs, l1-lsmi, bahsic, randsel is taken;
       but a later one that needs at most two thirds as many features instead.
C      Else methods are *tested*. If a single feature shows (p < 0.01, adjusted for all d), N3LARS.
C1     If none does and a scan of all pairs is within reach and finds one (family-wise p < 0.01),
       N3LARS over features and pairs.
C2     If none does, BAHSIC or RandSel if within reach, for groups of features.
C3     Else N3LARS, with the word that nothing shows.
C4     The number is that of the rule "guarded".
D      A number or a method that the user gives is never changed.
=====  =========================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hsieve.automatic.candidates import CANDIDATES, LONGEST, MOST_SEARCHES
from hsieve.automatic.contest import WIDTH_FACTORS, Contest, Standing, least_of
from hsieve.automatic.costs import Size, seconds_of, seconds_to_judge
from hsieve.data.validation import TargetKind

__all__ = [
    "N_FOLDS",
    "SHARE_OF_TIME",
    "SIGNIFICANT",
    "Choice",
    "Plan",
    "Situation",
    "by_contest",
    "by_tests",
    "make_plan",
    "tried_sizes",
    "within_reach",
]

IndexArray = NDArray[np.intp]

SHARE_OF_TIME = 0.5
MOST_FOR_LSMI = 200
N_FOLDS = 5
MOST_TRIED = 500
FEWEST_TRIED = 100
FEWEST_SAMPLES = 40
FEWEST_OF_CLASS = 5
# Each number up to 4, then steps of about a half.
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, LONGEST)
SIGNIFICANT = 0.01
# Accuracy or R2 that a simpler method may lack. A method that fails in one fold of five may lack
# less than a standard error, and still fails once in five times.
MAY_LACK = 0.01


@dataclass(frozen=True)
class Situation:
    """What the rules look at.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the data.
    kind : {"classes", "continuous"}
        What the target holds.
    seconds : float
        Time allowed.
    n_classes : int or None, default=None
        Number of classes; None for numbers.
    rarest : int or None, default=None
        Samples of the rarest class.
    n_outputs : int, default=1
        Columns of the target.
    fits : bool, default=True
        Whether all data fit into memory, twice.
    n_wanted : int or None, default=None
        Number of features that the user gave.
    """

    n_samples: int
    n_features: int
    kind: TargetKind
    seconds: float
    n_classes: int | None = None
    rarest: int | None = None
    n_outputs: int = 1
    fits: bool = True
    n_wanted: int | None = None

    @property
    def size(self) -> Size:
        """What costs depend on."""
        return Size(self.n_samples, self.n_features, self.n_classes)


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Parameters
    ----------
    way : {"try", "test"}
        Whether methods are tried on held-out samples, or features tested.
    methods : tuple of str
        Those to try, or those within reach.
    n_samples : int
        Samples that take part in trying.
    reasons : tuple of str
        Why, in sentences.
    """

    way: str
    methods: tuple[str, ...]
    n_samples: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Parameters
    ----------
    method : str
        A key of :data:`hsieve.automatic.candidates.CANDIDATES`.
    number : int, str or None
        Number of features, the rule that finds it, or None for the method's own.
    width : float or None, default=None
        Width of a Gaussian kernel over the standardised features that predicted best.
    reasons : tuple of str, default=()
        Why, in sentences.
    """

    method: str
    number: int | str | None
    width: float | None = None
    reasons: tuple[str, ...] = field(default=())


def within_reach(situation: Situation) -> tuple[str, ...]:
    """Return the methods that rules A to A3 allow, in the order of preference.

    Parameters
    ----------
    situation : Situation
        Size, target and time.

    Returns
    -------
    tuple of str
        N3LARS is always among them.
    """
    found = ["n3lars"]
    if situation.n_features < 2:
        return tuple(found)
    limit = SHARE_OF_TIME * situation.seconds
    for method in CANDIDATES:
        if method in found or seconds_of(method, situation.size) > limit:
            continue
        if method in ("l1-lsmi", "bahsic") and not situation.fits:
            continue
        if method in ("mrmr", "l1-lsmi") and situation.n_outputs > 1:
            continue
        if method == "l1-lsmi" and situation.n_features > MOST_FOR_LSMI:
            continue
        if method == "randsel" and ("bahsic" in found or not situation.fits):
            continue
        found.append(method)
    return tuple(found)


def tried_sizes(situation: Situation) -> IndexArray:
    """Return the numbers of features to try."""
    if situation.n_wanted is not None:
        return np.array([min(situation.n_wanted, situation.n_features)], dtype=np.intp)
    most = min(situation.n_features, LONGEST)
    return np.array([size for size in SIZES if size <= most], dtype=np.intp)


def make_plan(situation: Situation) -> Plan:
    """Decide between trying and testing, by the rules B and B1.

    Parameters
    ----------
    situation : Situation
        Size, target and time.

    Returns
    -------
    Plan
        What to do, with reasons.
    """
    reach = within_reach(situation)
    enough = situation.n_samples >= FEWEST_SAMPLES
    if situation.rarest is not None:
        enough = enough and situation.rarest >= FEWEST_OF_CLASS
    out = [name for name in CANDIDATES if name not in reach]
    if not enough:
        few = f"{situation.n_samples} samples"
        if situation.rarest is not None and situation.rarest < FEWEST_OF_CLASS:
            few = f"{situation.rarest} samples of the rarest class"
        why = f"{few[0].upper()}{few[1:]} are too few to try methods on samples held out."
        return Plan("test", reach, reasons=(why,))
    for n_tried in (MOST_TRIED, 250, FEWEST_TRIED):
        n_used = min(n_tried, situation.n_samples)
        if _seconds_to_try(reach, situation, n_used) <= SHARE_OF_TIME * situation.seconds:
            return _plan_to_try(reach, situation, n_used, out)
    cheap = list(reach)
    while len(cheap) > 1:
        # N3LARS, the first, stays whatever it costs.
        cheap.remove(max(cheap[1:], key=lambda name: _seconds_of_trial(name, situation, n_used)))
        if _seconds_to_try(cheap, situation, n_used) <= SHARE_OF_TIME * situation.seconds:
            break
    if len(cheap) > 1:
        return _plan_to_try(cheap, situation, n_used, out)
    why = f"Trying methods on held-out samples takes longer than {situation.seconds:g} s allow."
    return Plan("test", reach, reasons=(why,))


def by_contest(contest: Contest, situation: Situation) -> Choice:
    """Choose by held-out prediction, by the rules B2 and B3.

    Parameters
    ----------
    contest : Contest
        How the methods did.
    situation : Situation
        Size, target and time.

    Returns
    -------
    Choice
        Method, number and width, with reasons.
    """
    leader = max(contest.standings, key=lambda standing: standing.score)
    best = leader.scores[leader.best]
    chosen, place = leader, _place_of(leader, contest, situation)
    is_first = True
    for standing in contest.standings:
        lacking = best - standing.scores[standing.best]
        if lacking.mean() > min(MAY_LACK, contest.error_of(lacking)):
            continue
        found = _place_of(standing, contest, situation)
        if is_first or 3 * standing.sizes[found] <= 2 * chosen.sizes[place]:
            chosen, place, is_first = standing, found, False
    what = "accuracy" if situation.kind == "classes" else "R2"
    told = ", ".join(
        f"{standing.method} {standing.score:.3f} ({standing.sizes[standing.best]})"
        for standing in contest.standings
    )
    reasons = [
        f"Prediction of samples held out, {what} at the best number of features: {told}; "
        f"without any feature {contest.nothing.mean():.3f}."
    ]
    if chosen is leader:
        reasons.append(f"{chosen.method} predicts best: {CANDIDATES[chosen.method].words}.")
    else:
        reasons.append(
            f"{leader.method} predicts no better than {chosen.method} but for chance, which is the "
            f"simpler one: {CANDIDATES[chosen.method].words}."
        )
    number = int(chosen.sizes[place])
    if situation.n_wanted is None:
        reasons.append(
            f"{number} feature{'s' if number > 1 else ''}: the smallest number tried whose {what} "
            f"({chosen.scores[place].mean():.3f}) is as good as the best "
            f"({chosen.score:.3f} with {chosen.sizes[chosen.best]}) but for chance."
        )
    gain = best - contest.nothing
    if gain.mean() <= contest.error_of(gain):
        reasons.append(
            "No method predicts better than no feature at all but for chance: take the selection "
            "as a guess."
        )
    return Choice(chosen.method, number, float(chosen.widths[place]), tuple(reasons))


def by_tests(plan: Plan, situation: Situation, *, single_p: float, pair_p: float | None) -> Choice:
    """Choose by tests of features and pairs, by the rules C to C4.

    Parameters
    ----------
    plan : Plan
        Methods within reach.
    situation : Situation
        Size, target and time.
    single_p : float
        Smallest p-value of single features, adjusted for their number.
    pair_p : float or None
        Family-wise p-value of the best pair; None if pairs were not looked at.

    Returns
    -------
    Choice
        Method and number, with reasons.
    """
    number: int | str = "guarded" if situation.n_wanted is None else situation.n_wanted
    if single_p < SIGNIFICANT:
        why = f"Single features show (p = {single_p:.2g}, adjusted for all of them): n3lars."
        return Choice("n3lars", number, reasons=(why,))
    reasons = [f"No single feature shows (p = {single_p:.2g}, adjusted for all of them)."]
    if pair_p is not None and pair_p < SIGNIFICANT:
        reasons.append(f"Pairs do (family-wise p = {pair_p:.2g}): n3lars over features and pairs.")
        return Choice("pairs", number, reasons=tuple(reasons))
    if pair_p is not None:
        reasons.append(f"No pair does either (family-wise p = {pair_p:.2g}).")
    for method in ("bahsic", "randsel"):
        if method in plan.methods:
            reasons.append(f"{method} is left to look for groups of features that matter together.")
            return Choice(method, number, reasons=tuple(reasons))
    reasons.append("Nothing else is within reach: n3lars, whose selection is a guess.")
    return Choice("n3lars", number, reasons=tuple(reasons))


def _place_of(standing: Standing, contest: Contest, situation: Situation) -> int:
    """Return the place of the number that a method would be taken with."""
    return standing.best if situation.n_wanted is not None else least_of(standing, contest)


def _seconds_of_trial(method: str, situation: Situation, n_used: int) -> float:
    """Estimate the time of trying one method."""
    sizes = tried_sizes(situation)
    per_fold = Size(int(n_used * (1 - 1 / N_FOLDS)), situation.n_features, situation.n_classes)
    nested = CANDIDATES[method].is_nested
    n_fits = 1 if nested else min(len(sizes), MOST_SEARCHES)
    judged = seconds_to_judge(
        n_used, len(sizes) if nested else n_fits, n_folds=N_FOLDS, n_widths=len(WIDTH_FACTORS)
    )
    return N_FOLDS * n_fits * seconds_of(method, per_fold) + judged * situation.n_outputs


def _seconds_to_try(methods: Sequence[str], situation: Situation, n_used: int) -> float:
    return sum(_seconds_of_trial(method, situation, n_used) for method in methods)


def _plan_to_try(
    methods: Sequence[str], situation: Situation, n_used: int, out: Sequence[str]
) -> Plan:
    some = "all" if n_used == situation.n_samples else f"{n_used} of {situation.n_samples}"
    reasons = [
        f"{', '.join(methods)} are tried on {N_FOLDS} folds of {some} samples, which "
        f"{situation.seconds:g} s allow."
    ]
    missing = [name for name in CANDIDATES if name not in methods and name not in out]
    if missing:
        reasons.append(f"Not tried for want of time: {', '.join(missing)}.")
    return Plan("try", tuple(methods), n_used, tuple(reasons))
