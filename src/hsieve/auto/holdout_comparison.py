"""Methods side by side on samples held out: whose features predict best, and how many of them.

Each method chooses features on the training samples of every fold; a kernel regression on these
features, tuned and fitted on the training samples alone, predicts the samples held out. The loss is
the squared error of standardised outputs: for classes that of their scores, a Brier score in which
rare classes count as much as common ones. Differences between methods
are judged sample by sample, since all predict the same samples.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.data.validation import TargetKind
from hsieve.exceptions import ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning
from hsieve.inference.gaussian_machine import validation_folds
from hsieve.inference.kernel_smoother import KernelSmoother, Smooth
from hsieve.measures.regression_data import RegressionData
from hsieve.progress import stage
from hsieve.selectors.regularisation import ignored

__all__ = ["HoldoutComparison", "Proposal", "compare_on_holdout"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Sets = dict[int | None, IndexArray]


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
    methods: Mapping[str, Callable[[FloatArray, NDArray[Any]], Sets]],
    X: FloatArray,
    y: NDArray[Any],
    *,
    kind: TargetKind,
    categorical: Sequence[int] = (),
    n_folds: int = 3,
    seed: int = 0,
    is_late: Callable[[], bool] = lambda: False,
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
        What the target holds.
    categorical : sequence of int, default=()
        Features that are categories.
    n_folds : int, default=3
        Number of folds: fewer where the rarest class has fewer samples.
    seed : int, default=0
        Seed of folds and landmarks.
    is_late : callable, default=never
        Tells whether the time is up: then a method that has not seen all folds is left out, and so
        are those after it.

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
    smoothers = [KernelSmoother(data, rows=training, seed=seed) for training, _ in folds]
    proposals: list[Proposal] = []
    for place, (method, choose) in enumerate(methods.items()):
        losses: dict[int | None, FloatArray] = {}
        sizes: dict[int | None, list[int]] = {}
        with stage(place / len(methods), (place + 1) / len(methods), f"trying {method}"):
            for (training, held_out), smoother in zip(folds, smoothers, strict=True):
                if is_late():
                    return HoldoutComparison(tuple(proposals), _nothing(data))
                # What is constant, or not found, in a part of the samples needs no word.
                with ignored((ConstantFeatureWarning, FewerFeaturesWarning, NothingFoundWarning)):
                    sets = choose(X[training], y[training])
                for key, fit in _fits(smoother, sets):
                    losses.setdefault(key, np.empty(len(y)))[held_out] = fit.losses[held_out]
                    sizes.setdefault(key, []).append(len(fit.features))
        proposals += [
            Proposal(method, key, found, float(np.mean(sizes[key])))
            for key, found in losses.items()
        ]
    return HoldoutComparison(tuple(proposals), _nothing(data))


def _nothing(data: RegressionData) -> Proposal:
    """Return the prediction from no feature."""
    return Proposal("nothing", 0, (data.outputs**2).mean(axis=1), 0.0)


def _fits(smoother: KernelSmoother, sets: Sets) -> list[tuple[int | None, Smooth]]:
    """Regress on each set, the smallest first, each by a kernel like the one before."""
    found: list[tuple[int | None, Smooth]] = []
    like: Smooth | None = None
    known: dict[tuple[int, ...], Smooth] = {}
    for key, features in sorted(sets.items(), key=lambda item: len(item[1])):
        chosen = tuple(sorted(features.tolist()))
        if chosen not in known:
            known[chosen] = smoother.fit(chosen, like) if chosen else smoother.nothing()
        like = known[chosen]
        found.append((key, like))
    order = list(sets)
    return sorted(found, key=lambda item: order.index(item[0]))
