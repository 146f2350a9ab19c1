"""The randomised ensemble of the thesis (section 5.3): many LPBoosts over kernel learners, voting.

Kernel ridge regressions on balanced subsamples (:mod:`hsieve.classifiers.ridge_learners`) answer
for samples they were not fitted on; linear programs over these answers, one for each class against
the rest and each random half of the learners (:mod:`hsieve.classifiers.learner_programs`), vote.

Cost: learners see `max_samples` samples each and programs `max_program_samples`, so that of many
samples no more are looked at; from 2,000 samples on kernels are in single precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsieve.classifiers.learner_programs import Members, fit_members
from hsieve.classifiers.ridge_learners import RidgeLearners, Subsample, fit_learners
from hsieve.data.subsamples import balanced_samples
from hsieve.kernels.column_scale import ColumnScale
from hsieve.kernels.set_kernels import SetKernels

__all__ = ["EnsembleSettings", "KernelEnsemble", "fit_kernel_ensemble", "voted"]

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]
Precision: TypeAlias = type[np.float32] | type[np.float64]

# Samples decided about at a time.
CHUNK = 1024
# From so many training samples on kernels are in single precision.
SINGLE_PRECISION = 2000
# Subsamples where not all samples fit into one.
N_SUBSAMPLES = 4
# How far the class that most members vote for is put above the others where the mean of the
# decisions has another one.
ABOVE = 1e-9


@dataclass(frozen=True)
class EnsembleSettings:
    """How an ensemble is made.

    Parameters
    ----------
    ridges : sequence of float
        Ridges of the learners.
    best_ridge : bool
        Whether the best of them is taken for each kernel, or each makes a learner of its own.
    nus : sequence of float
        Values of nu to choose from, from large to small.
    n_members, n_folds : int
        Number of members, and of folds for the choice.
    n_subsamples : int or None
        Number of subsamples; None for 4, or one where all samples fit into one.
    max_samples, max_program_samples : int
        Most samples of a subsample, and of the programs.
    """

    ridges: Sequence[float]
    best_ridge: bool
    nus: Sequence[float]
    n_members: int
    n_folds: int
    n_subsamples: int | None
    max_samples: int
    max_program_samples: int


@dataclass(frozen=True, eq=False)
class KernelEnsemble:
    """A fitted ensemble.

    Parameters
    ----------
    scale : ColumnScale
        Scale of the features.
    precision : type
        Precision of the kernels.
    learners : RidgeLearners
        All learners.
    members : Members
        What votes over them.
    """

    scale: ColumnScale
    precision: Precision
    learners: RidgeLearners
    members: Members

    def decisions(self, X: FloatArray) -> FloatArray:
        """Let the members decide, and vote.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Features as given.

        Returns
        -------
        ndarray of shape (n_samples, n_targets)
            See :func:`voted`.
        """
        used = np.flatnonzero(self.members.weights.any(axis=(0, 2)))
        learners, members = self.learners.among(used), self.members.among(used)
        found = np.empty((len(X), learners.n_targets))
        for start in range(0, len(X), CHUNK):
            rows: FloatArray = self.scale.apply(X[start : start + CHUNK]).astype(self.precision)
            found[start : start + CHUNK] = voted(members.decisions(learners.answers(rows)))
        return found


def fit_kernel_ensemble(
    X: FloatArray,
    codes: IndexArray,
    kernels: SetKernels,
    settings: EnsembleSettings,
    *,
    scale: ColumnScale,
    frequencies: FloatArray,
    rng: np.random.Generator,
) -> KernelEnsemble:
    """Fit learners on subsamples, and programs on their answers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features as given.
    codes : ndarray of shape (n_samples,)
        Class of each sample as a position; all classes are there.
    kernels : SetKernels
        Kernels over at least one set.
    settings : EnsembleSettings
        How the ensemble is made.
    scale : ColumnScale
        Scale of the features.
    frequencies : ndarray of shape (n_classes,)
        How frequent the classes are where the ensemble is to be used, summing to one.
    rng : Generator
        Source of all draws.

    Returns
    -------
    KernelEnsemble
        The ensemble.
    """
    n_subsamples = settings.n_subsamples
    if n_subsamples is None:
        n_subsamples = 1 if len(X) <= settings.max_samples else N_SUBSAMPLES
    single = len(X) >= SINGLE_PRECISION
    precision: Precision = np.float32 if single else np.float64
    subsamples = []
    for size in [settings.max_samples] * n_subsamples + [settings.max_program_samples]:
        places = balanced_samples(codes, size, rng)
        rows: FloatArray = scale.apply(X[places]).astype(precision)
        subsamples.append(Subsample(places, rows, codes[places]))
    *fitted, asked = subsamples
    learners, answers = fit_learners(
        kernels,
        fitted,
        asked,
        n_classes=len(frequencies),
        ridges=settings.ridges,
        best_ridge=settings.best_ridge,
    )
    members = fit_members(
        answers,
        asked.codes,
        counts=len(asked.codes) * (frequencies / np.bincount(asked.codes))[asked.codes],
        nus=settings.nus,
        n_members=settings.n_members,
        n_folds=settings.n_folds,
        rng=rng,
    )
    return KernelEnsemble(scale, precision, learners, members)


def voted(decisions: FloatArray) -> FloatArray:
    """Bring decisions of members together: their mean, with the class of most votes on top.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples, n_members, n_targets)
        Log-odds by each member: one column for two classes, above zero for the second, else a
        column a class, the largest of which has the member's vote.

    Returns
    -------
    ndarray of shape (n_samples, n_targets)
        The mean over members. Where the class that most members vote for is not that of the mean,
        it is put just above the others; the mean decides between classes of equally many votes.

    Examples
    --------
    >>> import numpy as np
    >>> voted(np.array([[[1.0], [1.0], [-8.0]], [[1.0], [-3.0], [-1.0]]]))
    array([[ 1.e-09],
           [-1.e+00]])
    """
    mean: FloatArray = decisions.mean(axis=1)
    if decisions.shape[2] == 1:
        lead = np.sign(decisions).sum(axis=1)
        disagree = lead * mean < 0
        mean[disagree] = ABOVE * np.sign(lead[disagree])
        return mean
    votes = np.zeros(mean.shape)
    chosen = np.argmax(decisions, axis=2)
    np.add.at(votes, (np.arange(len(votes))[:, None], chosen), 1.0)
    most = votes == votes.max(axis=1, keepdims=True)
    winner = np.argmax(np.where(most, mean, -np.inf), axis=1)
    rows = np.flatnonzero(winner != np.argmax(mean, axis=1))
    mean[rows, winner[rows]] = mean[rows].max(axis=1) + ABOVE
    return mean
