"""QPFS: weights of features by one quadratic program over relevance and redundancy.

Solves (Rodriguez-Lujan, Huerta, Elkan and Santa Cruz 2010)

    minimise over x >= 0 with sum(x) = 1:   1/2 (1 - alpha) x'Qx - alpha f'x

with the redundancies Q and relevances f of any pairwise measure, and ranks features by weight.

**Indefinite Q**, as with mutual information or absolute correlation: negative eigenvalues are set
to zero and the diagonal restored, which keeps the program convex and each feature's cost to itself;
see :mod:`hsieve.solvers.quadratic_program`.

**Many features.** Above 1000 features, unless told otherwise, redundancies are computed with 400
*landmark* features only, and those between other features follow by Nystroem's formula through a
factor; no d x d matrix is made. Half of the landmarks are the most relevant features, because the
weights go to these and redundancies with landmarks are exact; the others are drawn from the rest,
so that all of the data is represented and the mean redundancy, which alpha needs, can be estimated
without bias: as the mean of both parts' columns, weighted by how many features each stands for.

Cost: d^2 / 2 redundancies, or d p with p landmarks, and O(d p^2).
"""

from dataclasses import dataclass

import numpy as np

from hsieve.array_types import FloatArray, IndexArray
from hsieve.measures.base import PairwiseBoundMeasure
from hsieve.parameters import integer, number, rules, word
from hsieve.progress import report
from hsieve.solvers.quadratic_program import redundancy_factor, simplex_quadratic_program
from hsieve.strategies.base import SelectionPath, Strategy, best_first, scores_of_all

MAX_FULL_FEATURES = 1000
AUTO_LANDMARKS = 400
BLOCK = 512
# Columns of redundancy asked for together; more make the factors of PairwiseHSIC leave the cache.
COLUMN_BLOCK = 64


@dataclass(frozen=True, eq=False)
class QuadraticSelectionPath(SelectionPath):
    """The answer of the quadratic program; ``feature_scores`` are the weights.

    Parameters
    ----------
    alpha : float
        Weight of relevance against redundancy.
    n_landmarks : int
        Features whose redundancies with all others were computed.
    """

    alpha: float
    n_landmarks: int


@dataclass(eq=False, repr=False, kw_only=True)
class QuadraticProgram(Strategy):
    """Weight features by a convex quadratic program: relevant, not redundant.

    Parameters
    ----------
    alpha : "auto" or float, default="auto"
        Weight of relevance, from 0 (redundancy alone) to 1 (relevance alone, a plain ranking).
        "auto" is the paper's q / (q + f), with the means of redundancy and relevance.
    n_landmarks : "auto", "all" or int, default="auto"
        Features whose redundancy with all others is computed. "auto" is all of at most 1000
        features and 400 of more.
    random_state : int, Generator or None, default=0
        Seed of the landmarks drawn at random.

    Notes
    -----
    Features of weight zero follow by the gradient of the objective: first those that came nearest
    to a weight.
    """

    alpha: float | str = "auto"
    n_landmarks: int | str = "auto"
    random_state: int | np.random.Generator | None = 0

    needs = ("relevance", "redundancy", "self_redundancy")
    refusal = "Choose a pairwise measure such as PairwiseHSIC(), MutualInformation() or Pearson()."

    allowed = rules(
        alpha=word("auto") | number(least=0, most=1), n_landmarks=word("auto", "all") | integer(1)
    )

    def search(
        self, bound: PairwiseBoundMeasure, n_features_to_select: int
    ) -> QuadraticSelectionPath:
        """Solve the program; the weights do not depend on how many features are wanted."""
        n_landmarks = self._count_landmarks(bound.n_features)
        relevance = scores_of_all(bound.relevance, bound.n_features, share_of_work=0.05)
        landmarks, n_best = _choose_landmarks(relevance, n_landmarks, self.random_state)
        columns = _redundancy_columns(bound, landmarks)
        diagonal = _own_redundancy(bound, landmarks, columns)
        alpha = self._weigh(relevance, columns, n_best)
        factor, rest = redundancy_factor(columns, landmarks, diagonal)
        solution = simplex_quadratic_program(
            alpha * relevance, np.sqrt(1.0 - alpha) * factor, (1.0 - alpha) * rest
        )
        report(1.0, "quadratic program")
        weights = solution.weights
        order = np.lexsort([solution.gradient, -weights])
        return QuadraticSelectionPath(
            order=order,
            feature_scores=weights[order],
            sizes=np.array([np.count_nonzero(weights)]),
            set_scores=np.array([-solution.objective]),
            stop_reason="quadratic program solved",
            alpha=alpha,
            n_landmarks=n_landmarks,
        )

    def _count_landmarks(self, n_features: int) -> int:
        """Work out the number of landmarks asked for."""
        wanted = self.n_landmarks
        if isinstance(wanted, str) and wanted == "auto":
            return n_features if n_features <= MAX_FULL_FEATURES else AUTO_LANDMARKS
        return n_features if isinstance(wanted, str) else min(int(wanted), n_features)

    def _weigh(self, relevance: FloatArray, columns: FloatArray, n_best: int) -> float:
        """Work out alpha, q / (q + f) unless it is given."""
        if not isinstance(self.alpha, str):
            return float(self.alpha)
        means = columns.mean(axis=0)
        share_of_best = n_best / len(relevance)
        mean_redundancy = share_of_best * means[:n_best].mean() if n_best else 0.0
        if n_best < len(means):
            mean_redundancy += (1.0 - share_of_best) * means[n_best:].mean()
        total = float(mean_redundancy + relevance.mean())
        return min(max(float(mean_redundancy) / total, 0.0), 1.0) if total > 0 else 0.5


def _choose_landmarks(
    relevance: FloatArray, n_landmarks: int, random_state: int | np.random.Generator | None
) -> tuple[IndexArray, int]:
    """Landmarks, the most relevant first, and how many are there for their relevance."""
    order = best_first(relevance)
    if n_landmarks == len(order):
        return order, n_landmarks
    n_best = n_landmarks // 2
    generator = np.random.default_rng(random_state)
    drawn = generator.choice(order[n_best:], size=n_landmarks - n_best, replace=False)
    return np.concatenate([order[:n_best], np.sort(drawn)]), n_best


def _redundancy_columns(bound: PairwiseBoundMeasure, landmarks: IndexArray) -> FloatArray:
    """Redundancies of all features with the landmarks; each pair of landmarks is computed once."""
    n_features, n_landmarks = bound.n_features, len(landmarks)
    # With the landmarks in front, all pairs not yet known lie below the diagonal.
    order = np.concatenate([landmarks, np.setdiff1d(np.arange(n_features), landmarks)])
    columns = np.empty((n_features, n_landmarks))
    for start in range(0, n_landmarks, COLUMN_BLOCK):
        stop = min(start + COLUMN_BLOCK, n_landmarks)
        block = bound.redundancy(order[start:], landmarks[start:stop])
        within = block[: stop - start]
        block[: stop - start] = 0.5 * (within + within.T)
        columns[order[start:], start:stop] = block
        columns[landmarks[start:stop], stop:] = block[stop - start : n_landmarks - start].T
        report(0.05 + 0.85 * stop / n_landmarks, "redundancy")
    return columns


def _own_redundancy(
    bound: PairwiseBoundMeasure, landmarks: IndexArray, columns: FloatArray
) -> FloatArray:
    """Redundancy of each feature with itself, known already for the landmarks."""
    diagonal = np.empty(bound.n_features)
    diagonal[landmarks] = columns[landmarks, np.arange(len(landmarks))]
    others = np.setdiff1d(np.arange(bound.n_features), landmarks)
    diagonal[others] = bound.self_redundancy(others)
    return diagonal
