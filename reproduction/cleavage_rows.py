"""How each row of the cleavage-site experiment scores the windows held out.

Rows of the thesis (figure 5.3): the original features with a Gaussian machine; features learned by
sparse filtering, chosen by stability selection over l1-logistic regression, by elimination with
a Gaussian machine or by randSel, each with a Gaussian machine; the nested sets of randSel with the
kernel ensemble. Beside them stand weight matrices, and rows of our own.

Nothing is chosen by the proteins held out. On an inner split of the training proteins are chosen:
cost and width of every machine, the number of learned features, and how many of them are kept of a
ranking. Rankings are made once, by all training proteins, so that this inner choice of a number is
somewhat too sure; learned features are made by all training windows, of which no label is used.
Selectors see the site and one other window of each training protein, so that classes are even.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from hsieve.classifiers import KernelEnsembleClassifier, PositionWeightMatrix, SparseFiltering
from hsieve.classifiers.feature_sets import nested_sets
from hsieve.kernels import Gaussian
from hsieve.selectors import KernelSVMRFE, RandSel, StabilitySelection
from hsieve.selectors.base import BaseSelector
from reproduction.cleavage_data import CleavageFold, draw_windows
from reproduction.cleavage_machine import best_setting, machine_scores

__all__ = ["ADDED", "BASELINES", "GROUPS", "THESIS", "Scored", "Sizes"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

ORIGINAL = "original features, Gaussian machine"
STABILITY = "learned, stability selection, Gaussian machine"
ELIMINATION = "learned, kernel RFE, Gaussian machine"
RANDSEL = "learned, randSel, Gaussian machine"
ENSEMBLE = "learned, randSel, ensemble"
THESIS = (ORIGINAL, STABILITY, ELIMINATION, RANDSEL, ENSEMBLE)
NARROW_MATRIX = "weight matrix, -10 to +2"
WIDE_MATRIX = "weight matrix, -15 to +2"
BASELINES = (NARROW_MATRIX, WIDE_MATRIX)
ALL_LEARNED = "learned, all of them, Gaussian machine"
PIECES = "learned from pieces, Gaussian machine"
BOTH_ENSEMBLE = "learned (randSel), original and pieces, ensemble"
WIDE_ORIGINAL = "original features of -15 to +2, Gaussian machine"
WIDE_ENSEMBLE = "original and pieces of -15 to +2, ensemble"
ADDED = (ALL_LEARNED, PIECES, BOTH_ENSEMBLE, WIDE_ORIGINAL, WIDE_ENSEMBLE)

# Shares of a ranking that are tried.
SHARES = (0.75, 0.5, 0.25, 0.125)
SELECTED_COSTS, SELECTED_WIDTHS = (1.0, 3.0), (0.7, 1.0)
# Values of C along which l1-logistic regression selects.
LOGISTIC_COSTS = (0.02, 0.06, 0.2, 0.6, 2.0)
STEP = 0.25
# Of the nested sets every other one is taken, as long as it has this share of all features.
LEAST_SHARE = 12
# Widths in units of sqrt(features), and ridges, of the learners of the ensemble.
LEARNER_WIDTHS, RIDGES = (1.4,), (0.1,)


@dataclass(frozen=True)
class Sizes:
    """How much is done, so that tests can do less.

    Parameters
    ----------
    n_others : int
        Windows other than the site that are fitted, of each protein.
    n_learned : tuple of int
        Numbers of learned features to choose from.
    max_iter, max_samples : int
        Iterations of sparse filtering, and windows it sees.
    piece, n_piece : int
        Residues of a piece, and number of features learned from pieces.
    n_subsamples : int
        Subsamples of stability selection.
    n_rounds, subsample : int
        Rounds and samples of randSel.
    learner_samples, n_draws, n_members : int
        Samples and number of subsamples of the learners of the ensemble, and its members.
    """

    n_others: int = 5
    n_learned: tuple[int, ...] = (400, 1200)
    max_iter: int = 100
    max_samples: int = 4000
    piece: int = 3
    n_piece: int = 80
    n_subsamples: int = 10
    n_rounds: int = 16
    subsample: int = 400
    learner_samples: int = 1800
    n_draws: int = 8
    n_members: int = 20


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of the windows held out, by one row.

    Parameters
    ----------
    row : str
        Name of the row.
    scores : ndarray of shape (n_test,)
        Larger is more likely a site.
    n_features : int
        How many features were used.
    chosen : str
        What was chosen on the inner split, in words.
    cpu_seconds : float
        Time the row took; that of features several rows share is not in it.
    """

    row: str
    scores: FloatArray
    n_features: int
    chosen: str
    cpu_seconds: float


def matrix_rows(fold: CleavageFold, sizes: Sizes, seed: int) -> Iterator[Scored]:
    """Score by weight matrices, from all windows of the training proteins."""
    labels = fold.data.is_site[fold.unlabelled]
    for row, cut in ((NARROW_MATRIX, fold.data.narrow), (WIDE_MATRIX, fold.data.wide)):
        started = time.process_time()
        matrix = PositionWeightMatrix().fit(cut.codes[fold.unlabelled], labels)
        scores = matrix.decision_function(cut.codes[fold.test])
        yield Scored(row, scores, cut.codes.shape[1], "", time.process_time() - started)


def original_rows(fold: CleavageFold, sizes: Sizes, seed: int) -> Iterator[Scored]:
    """Score by a machine on the original features."""
    scored = _by_machine(ORIGINAL, fold.data.rotated(), fold)
    yield replace(scored, n_features=fold.data.n_original())


def learned_rows(fold: CleavageFold, sizes: Sizes, seed: int) -> Iterator[Scored]:
    """Score by what is learned from whole windows, as the thesis does, and selected."""
    data = fold.data
    learned = _learned(fold, sizes, seed)
    yield _by_machine(ALL_LEARNED, learned, fold)
    even = draw_windows(data, fold.unlabelled, 1, np.random.default_rng([seed, 1]))
    sets: list[IndexArray] = []
    for row, make in SELECTORS.items():
        started = time.process_time()
        selector = make(sizes, learned.shape[1], seed).fit(learned[even], data.is_site[even])
        if row == RANDSEL:
            sets = _thinned(nested_sets(selector), learned.shape[1])
        ranked = np.argsort(selector.ranking_, kind="stable")
        tried = [ranked[: math.ceil(share * learned.shape[1])] for share in SHARES]
        yield _by_machine(row, learned, fold, sets=tried, started=started)
    yield _by_ensemble(ENSEMBLE, [(learned, sets)], fold, sizes, seed)
    pieces = _from_pieces(fold, sizes, seed, wide=False)
    yield _by_machine(PIECES, pieces, fold)
    parts = [(learned, sets), (data.original(), None), (pieces, None)]
    yield _by_ensemble(BOTH_ENSEMBLE, parts, fold, sizes, seed)


def wide_rows(fold: CleavageFold, sizes: Sizes, seed: int) -> Iterator[Scored]:
    """Score by what windows of positions -15 to +2 tell."""
    scored = _by_machine(WIDE_ORIGINAL, fold.data.rotated(wide=True), fold)
    yield replace(scored, n_features=fold.data.n_original(wide=True))
    original = fold.data.original(wide=True)
    pieces = _from_pieces(fold, sizes, seed, wide=True)
    yield _by_ensemble(WIDE_ENSEMBLE, [(original, None), (pieces, None)], fold, sizes, seed)


GROUPS: Mapping[str, Callable[[CleavageFold, Sizes, int], Iterator[Scored]]] = MappingProxyType(
    {
        "weight matrices": matrix_rows,
        "original features": original_rows,
        "learned features": learned_rows,
        "wide window": wide_rows,
    }
)


def _stability(sizes: Sizes, n_features: int, seed: int) -> BaseSelector:
    return StabilitySelection(
        LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=0),
        n_features_to_select=SHARES[-1],
        n_per_subsample=n_features,
        values=LOGISTIC_COSTS,
        standardise=True,
        n_subsamples=sizes.n_subsamples,
        target_kind="classes",
        random_state=seed,
    )


def _elimination(sizes: Sizes, n_features: int, seed: int) -> BaseSelector:
    return KernelSVMRFE(step=STEP, target_kind="classes")


def _randsel(sizes: Sizes, n_features: int, seed: int) -> BaseSelector:
    # Learned features work together in great numbers; kernels that look for pairs are too narrow.
    return RandSel(
        n_rounds=sizes.n_rounds,
        subsample=sizes.subsample,
        balanced=True,
        step=STEP,
        kernel_x=Gaussian("sqrt_d"),
        target_kind="classes",
        random_state=seed,
    )


SELECTORS: Mapping[str, Callable[[Sizes, int, int], BaseSelector]] = MappingProxyType(
    {STABILITY: _stability, ELIMINATION: _elimination, RANDSEL: _randsel}
)


def _by_machine(
    row: str,
    X: FloatArray,
    fold: CleavageFold,
    *,
    sets: Sequence[IndexArray] | None = None,
    started: float | None = None,
) -> Scored:
    """Choose a machine on the inner split, on all features or on one of some sets, and score."""
    started = time.process_time() if started is None else started
    if sets is None:
        setting = best_setting(X, fold)
    else:
        setting = best_setting(X, fold, sets=sets, costs=SELECTED_COSTS, widths=SELECTED_WIDTHS)
    scores = machine_scores(X, fold, setting)
    n_features = X.shape[1] if setting.features is None else len(setting.features)
    chosen = f"cost {setting.cost:g}, width {setting.width:g}"
    return Scored(row, scores, n_features, chosen, time.process_time() - started)


def _by_ensemble(
    row: str,
    parts: Sequence[tuple[FloatArray, Sequence[IndexArray] | None]],
    fold: CleavageFold,
    sizes: Sizes,
    seed: int,
) -> Scored:
    """Score by the ensemble over sets of features of several kinds; None is all of a kind."""
    started = time.process_time()
    X = np.concatenate([features for features, _ in parts], axis=1)
    first, sets = 0, []
    for features, some in parts:
        own = [np.arange(features.shape[1])] if some is None else some
        sets += [first + places for places in own]
        first += features.shape[1]
    ensemble = KernelEnsembleClassifier(
        sets,
        widths=LEARNER_WIDTHS,
        ridges=RIDGES,
        n_members=sizes.n_members,
        n_subsamples=sizes.n_draws,
        max_samples=sizes.learner_samples,
        random_state=seed,
    ).fit(X[fold.unlabelled], fold.data.is_site[fold.unlabelled])
    scores = ensemble.decision_function(X[fold.test])
    weights = ", ".join(f"{weight:.2f}" for weight in ensemble.set_weights_)
    chosen = f"nu {ensemble.nu_:g}, weights of {len(sets)} sets {weights}"
    return Scored(
        row, scores, len(np.unique(np.concatenate(sets))), chosen, time.process_time() - started
    )


def _thinned(sets: Sequence[IndexArray], n_features: int) -> list[IndexArray]:
    """Take every other nested set, as long as they are not small."""
    large = [features for features in sets if len(features) * LEAST_SHARE >= n_features]
    return large[::2]


def _learned(fold: CleavageFold, sizes: Sizes, seed: int) -> FloatArray:
    """Learn features from whole windows; their number is chosen on the inner split."""
    original = fold.data.rotated()
    best: tuple[float, FloatArray] | None = None
    for number in sizes.n_learned:
        learned = _filtering(number, sizes, seed).fit(original[fold.unlabelled]).transform(original)
        rank = best_setting(learned, fold, costs=(3.0,), widths=(1.0,)).reciprocal_rank
        if best is None or rank > best[0]:
            best = rank, learned
    assert best is not None
    return best[1]


def _from_pieces(fold: CleavageFold, sizes: Sizes, seed: int, *, wide: bool) -> FloatArray:
    """Learn features of a few neighbouring residues, and put them together place by place."""
    original = fold.data.rotated(wide=wide)
    n_places = (fold.data.wide if wide else fold.data.narrow).codes.shape[1]
    residues = original.reshape(len(original), n_places, -1)
    starts = range(n_places - sizes.piece + 1)
    pieces = np.stack([residues[:, start : start + sizes.piece] for start in starts], axis=1)
    pieces = pieces.reshape(len(original), len(starts), -1)
    rng = np.random.default_rng([seed, 2])
    rows = rng.choice(fold.unlabelled, min(sizes.max_samples, len(fold.unlabelled)), replace=False)
    drawn = pieces[rows, rng.integers(0, len(starts), len(rows))]
    filtering = _filtering(sizes.n_piece, sizes, seed).fit(drawn)
    learned = filtering.transform(pieces.reshape(-1, pieces.shape[2]))
    return np.asarray(learned.reshape(len(original), -1))


def _filtering(number: int, sizes: Sizes, seed: int) -> SparseFiltering:
    """Sparse filtering of residues coded from 0 to 1, so that signs are kept."""
    return SparseFiltering(
        number,
        max_iter=sizes.max_iter,
        max_samples=sizes.max_samples,
        preparation="none",
        precision="single",
        random_state=seed,
    )
