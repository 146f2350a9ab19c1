"""Methods side by side on samples held out: whose features predict best, and how many of them.

Each method chooses features on the training samples of every fold; regressions on these features,
fitted on the training samples alone, predict the samples held out: a kernel regression, which sees
what few features do together, a forest, which gains from many features that help a little, or both,
whose losses are averaged. The loss is the squared error of standardised outputs: for classes that
of their scores, a Brier score in which rare classes count as much as common ones. Differences
between methods are judged sample by sample, since all predict the same samples; a method that is
clearly worse than the first one after some folds is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.auto.forest import LEAVES, grow_forest
from hsieve.data.validation import TargetKind
from hsieve.deadline import Deadline
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    NothingFoundWarning,
    ignored,
)
from hsieve.inference.gaussian_machine import validation_folds
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.measures.regression_data import RegressionData
from hsieve.progress import stage

__all__ = ["Chooser", "HoldoutComparison", "Proposal", "Sets", "compare_on_holdout"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Sets = dict[int | None, IndexArray]
Losses = dict[int | None, FloatArray]
# Takes features and target of training samples, and gives features for numbers of them.
Chooser = Callable[[FloatArray, NDArray[Any]], Sets]

# Landmarks of the kernel regressions: enough to tell sets apart.
N_LANDMARKS = 128
# Standard errors by which a method is worse than the first after some folds, and left out.
DECIDED = 2.0


@dataclass(frozen=True, eq=False)
class Proposal:
    """A method with a number of features, and how it predicted.

    Parameters
    ----------
    method : str
        The method.
    number : int or None
        Number of features; None where the method chose it in each fold.
    losses : ndarray of shape (n_samples,)
        Loss of every sample, predicted without it.
    n_features : float
        Mean number of features over the folds.
    """

    method: str
    number: int | None
    losses: FloatArray
    n_features: float

    @property
    def loss(self) -> float:
        """Mean loss; 1 where nothing is explained."""
        return float(self.losses.mean())

    def lack(self, other: "Proposal") -> float:
        """By how many standard errors the loss is higher than that of another proposal."""
        differences = self.losses - other.losses
        spread = float(differences.std())
        mean = float(differences.mean())
        if spread == 0.0:
            return 0.0 if mean <= 0.0 else np.inf
        return mean / spread * float(np.sqrt(len(differences)))


@dataclass(frozen=True, eq=False)
class HoldoutComparison:
    """All proposals.

    Parameters
    ----------
    proposals : tuple of Proposal
        In the order of preference, by method and then by number.
    nothing : Proposal
        The prediction from no feature.
    """

    proposals: tuple[Proposal, ...]
    nothing: Proposal

    @property
    def best(self) -> Proposal:
        """The proposal with the least loss; of equal ones the first."""
        return min(self.proposals, key=lambda proposal: proposal.loss)

    def of(self, method: str) -> list[Proposal]:
        """Return the proposals of a method."""
        return [proposal for proposal in self.proposals if proposal.method == method]


def compare_on_holdout(
    methods: Mapping[str, Chooser],
    X: FloatArray,
    y: NDArray[Any],
    *,
    kind: TargetKind,
    categorical: Sequence[int] = (),
    predictors: Sequence[str] = ("kernels",),
    n_folds: int = 3,
    seed: int = 0,
    deadline: Deadline | None = None,
) -> HoldoutComparison:
    """Let methods choose features on training samples, and predict the others from them.

    Parameters
    ----------
    methods : mapping of str to callable
        Takes the features and target of training samples, and gives the features chosen for each
        number of them, or for the key None by the method's own number. The keys are the same for
        all samples.
    X : ndarray of shape (n_samples, n_features)
        Features, finite.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target; classes must have two samples at least.
    kind : {"classes", "continuous"}
        How the target is read.
    categorical : sequence of int, default=()
        Features that are categories.
    predictors : sequence of {"kernels", "forest"}, default=("kernels",)
        What predicts from the features; the loss of a set is the mean over these.
    n_folds : int, default=3
        Number of folds: fewer where the rarest class has fewer samples.
    seed : int, default=0
        Seed of folds, landmarks and trees.
    deadline : Deadline or None, default=None
        When to end; None for never. A method that would not see all folds by then, by what those
        before took, is left out, and so are those after it.

    Returns
    -------
    HoldoutComparison
        The proposals of all methods, or of those that came to their end.
    """
    is_category = np.zeros(X.shape[1], dtype=bool)
    is_category[list(categorical)] = True
    data = RegressionData.of(X, y, target_kind=kind, categorical=is_category)
    outputs = y.reshape(len(y), -1)
    folds = validation_folds(outputs, is_classes=kind == "classes", n_folds=n_folds, seed=seed)
    learners: list[_Kernels | _Forest] = [
        _Forest(X, data, seed) if predictor == "forest" else _Kernels(data, seed)
        for predictor in predictors
    ]
    proposals: list[Proposal] = []
    deadline = Deadline() if deadline is None else deadline
    for place, (method, choose) in enumerate(methods.items()):
        losses: dict[int | None, FloatArray] = {}
        sizes: dict[int | None, list[int]] = {}
        with stage(place / len(methods), (place + 1) / len(methods), f"trying {method}"):
            for training, held_out in folds:
                deadline.begin_step()
                if not deadline.allows_step():
                    return HoldoutComparison(tuple(proposals), _nothing(data))
                # What is constant, or not found, in a part of the samples needs no word.
                with ignored((ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning)):
                    sets = choose(X[training], y[training])
                found = [each.losses(sets, training, held_out) for each in learners]
                for key, features in sets.items():
                    mean = np.mean([of_one[key] for of_one in found], axis=0)
                    losses.setdefault(key, np.full(len(y), np.nan))[held_out] = mean
                    sizes.setdefault(key, []).append(len(features))
                if proposals and _is_decided(losses, proposals[0]):
                    break
            else:
                proposals += [
                    Proposal(method, key, each, float(np.mean(sizes[key])))
                    for key, each in losses.items()
                ]
    return HoldoutComparison(tuple(proposals), _nothing(data))


def _nothing(data: RegressionData) -> Proposal:
    """Return the prediction from no feature."""
    return Proposal("nothing", 0, (data.outputs**2).mean(axis=1), 0.0)


def _is_decided(losses: Mapping[int | None, FloatArray], first: Proposal) -> bool:
    """Say whether a method is clearly worse, whatever the number, on the samples seen so far."""
    for found in losses.values():
        seen = ~np.isnan(found)
        so_far = Proposal("", None, found[seen], 0.0)
        if so_far.lack(replace(first, losses=first.losses[seen])) < DECIDED:
            return False
    return True


class _Kernels:
    """Kernel regressions on sets of features."""

    def __init__(self, data: RegressionData, seed: int) -> None:
        self._data, self._seed = data, seed
        self._smoothers: dict[bytes, KernelSmoother] = {}

    def losses(self, sets: Sets, training: IndexArray, held_out: IndexArray) -> Losses:
        """Regress on each set, the smallest first, each by a kernel like the one before."""
        fold = training.tobytes()
        if fold not in self._smoothers:
            self._smoothers[fold] = KernelSmoother(
                self._data, rows=training, n_landmarks=N_LANDMARKS, seed=self._seed
            )
        smoother = self._smoothers[fold]
        like: Smooth | None = None
        known: dict[tuple[int, ...], Smooth] = {(): smoother.nothing()}
        found: Losses = {}
        for key, features in sorted(sets.items(), key=lambda item: len(item[1])):
            chosen = tuple(sorted(features.tolist()))
            if chosen not in known:
                known[chosen] = smoother.fit(chosen, like)
            like = known[chosen]
            found[key] = like.losses[held_out]
        return {key: found[key] for key in sets}


class _Forest:
    """Forests on sets of features."""

    def __init__(self, X: FloatArray, data: RegressionData, seed: int) -> None:
        self._X, self._outputs, self._seed = X, data.outputs, seed

    def losses(self, sets: Sets, training: IndexArray, held_out: IndexArray) -> Losses:
        """Predict from each set by forests of its own, small or large leaves."""
        found: Losses = {}
        for key, features in sets.items():
            if not len(features):
                found[key] = (self._outputs[held_out] ** 2).mean(axis=1)
                continue
            known = self._X[np.ix_(training, features)]
            of_leaves = []
            for leaf in LEAVES:
                forest = grow_forest(known, self._outputs[training], self._seed, leaf=leaf)
                predicted = forest.predict(self._X[np.ix_(held_out, features)])
                errors = self._outputs[held_out] - predicted.reshape(len(held_out), -1)
                of_leaves.append((errors**2).mean(axis=1))
            found[key] = min(of_leaves, key=np.mean)
        return found
