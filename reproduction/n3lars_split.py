"""What is measured on one random split in the experiments of the N3LARS paper.

Features are chosen on the training part: 50 of them, then the m with the largest coefficients, as
the authors do. Reported for each m are the redundancy rate and how well the m features predict.

Classes are predicted by kernel logistic regression, numbers by kernel ridge regression, both with
a Gaussian kernel on standardised features; width and penalty are chosen by 3-fold cross-validation
in the training part. Logistic regression on the Nystroem features of *all* training samples is
kernel logistic regression exactly, not an approximation of it.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from hsieve.data.validation import constant_columns
from hsieve.exceptions import ConstantFeatureWarning
from hsieve.selectors import N3LARS, HSICLasso
from reproduction import peer
from reproduction.experiment import Record

__all__ = [
    "HSIC_LASSO",
    "METHODS",
    "OURS",
    "PEER",
    "SIZES",
    "Split",
    "measure_split",
    "redundancy_rate",
]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

SIZES = (10, 20, 30, 40, 50)
N_INNER_FOLDS = 3
COSTS = (1.0, 30.0, 1000.0)
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
# In units of the square root of the number of features, which are standardised.
WIDTHS = (0.5, 1.0, 2.0, 4.0)
MAX_STEPS = 300
STEP_TOLERANCE = 1e-3

OURS = "N3LARS"
HSIC_LASSO = "HSIC Lasso"
PEER = peer.NAME
METHODS = (OURS, HSIC_LASSO, PEER)
SELECTORS: dict[str, Any] = {OURS: N3LARS, HSIC_LASSO: HSICLasso}


@dataclass(frozen=True, eq=False)
class Split:
    """Data, and which samples train and test.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Classes or numbers.
    train, test : ndarray
        Samples of the two parts.
    classes : bool
        Whether y holds classes.
    """

    X: FloatArray
    y: NDArray[Any]
    train: IndexArray
    test: IndexArray
    classes: bool

    def score(self, features: IndexArray, seed: int) -> float:
        """Test accuracy, or the mean square error in units of the target's training variance."""
        columns = self.X[:, features]
        columns = StandardScaler().fit(columns[self.train]).transform(columns)
        gammas = [0.5 / (width**2 * len(features)) for width in WIDTHS]
        if self.classes:
            search = _logistic_search(gammas, seed, len(self.train))
            _fit_quietly(search, columns[self.train], self.y[self.train])
            return float(np.mean(search.predict(columns[self.test]) == self.y[self.test]))
        target = self.y.astype(np.float64)
        target = (target - target[self.train].mean()) / target[self.train].std()
        search = _ridge_search(gammas, seed)
        search.fit(columns[self.train], target[self.train])
        return float(np.mean((search.predict(columns[self.test]) - target[self.test]) ** 2))


def redundancy_rate(X: FloatArray) -> float:
    """Mean absolute correlation over all pairs of columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns that are not constant, at least two.

    Returns
    -------
    float
        The plain mean, from 0 to 1. The formula printed in the paper divides the sum over
        unordered pairs by m (m - 1) and so gives half of it.

    Examples
    --------
    >>> import numpy as np
    >>> redundancy_rate(np.array([[0.0, 0.0], [1.0, -2.0], [2.0, -4.0]]))
    1.0
    """
    correlations = np.asarray(np.corrcoef(X, rowvar=False))
    pairs = np.triu_indices(X.shape[1], k=1)
    return float(np.mean(np.abs(correlations[pairs])))


def measure_split(split: Split, seed: int, *, by_peer: bool = False) -> list[Record]:
    """Measure our methods, or pyHSICLasso, with all numbers of features on one split.

    Parameters
    ----------
    split : Split
        The data.
    seed : int
        Seed of the folds inside the training part.
    by_peer : bool, default=False
        Whether pyHSICLasso selects instead of our methods.

    Returns
    -------
    list of dict
        One record for each method and number of features.
    """
    ours = _selected(split, OURS)
    if by_peer:
        X, y = split.X[split.train], split.y[split.train]
        order = peer.select(X, y, max(SIZES), classes=split.classes)
        chosen = {PEER: (order, len(order))}
    else:
        chosen = {OURS: ours, HSIC_LASSO: _selected(split, HSIC_LASSO)}
    # Methods often agree; one set of features is scored once.
    scores: dict[tuple[int, ...], float] = {}
    records: list[Record] = []
    for method, (order, n_on_path) in chosen.items():
        n_shared = len(set(order.tolist()) & set(ours[0].tolist()))
        for size in SIZES:
            features = np.sort(order[:size])
            key = tuple(features.tolist())
            if key not in scores:
                scores[key] = split.score(features, seed)
            records.append(
                _sizes_of(split)
                | {"method": method, "m": size, "n_on_path": n_on_path}
                | {"n_selected": len(order), "n_shared": n_shared}
                | {"red": redundancy_rate(split.X[np.ix_(split.train, features)])}
                | {"score": scores[key]}
            )
    return records


def _sizes_of(split: Split) -> Record:
    """Sizes that every record of a split carries."""
    return {
        "n_train": len(split.train),
        "n_test": len(split.test),
        "n_features": split.X.shape[1],
        "n_constant": int(constant_columns(split.X[split.train]).sum()),
    }


def _selected(split: Split, method: str) -> tuple[IndexArray, int]:
    """Features by falling coefficient, and how many of them the path itself reached."""
    kind = "classes" if split.classes else "continuous"
    selector = SELECTORS[method](max(SIZES), target_kind=kind)
    # Constant columns are counted in the records and told once, in words.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        selector.fit(split.X[split.train], split.y[split.train])
    return selector.selected_indices_, len(selector.path_.lars.selected)


def _logistic_search(gammas: Sequence[float], seed: int, n_train: int) -> GridSearchCV:
    """Kernel logistic regression with its parameters chosen by cross-validation."""
    model = Pipeline(
        [
            ("kernel", Nystroem(n_components=n_train, random_state=0)),
            ("logistic", LogisticRegression(tol=STEP_TOLERANCE, max_iter=MAX_STEPS)),
        ]
    )
    folds = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=seed)
    return GridSearchCV(model, {"kernel__gamma": gammas, "logistic__C": COSTS}, cv=folds)


def _ridge_search(gammas: Sequence[float], seed: int) -> GridSearchCV:
    """Kernel ridge regression with its parameters chosen by cross-validation."""
    return GridSearchCV(
        KernelRidge(kernel="rbf"),
        {"gamma": gammas, "alpha": RIDGES},
        scoring="neg_mean_squared_error",
        cv=KFold(N_INNER_FOLDS, shuffle=True, random_state=seed),
    )


def _fit_quietly(search: GridSearchCV, X: FloatArray, y: NDArray[Any]) -> None:
    """Fit without being told that an inner fold has fewer samples than there are landmarks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "n_components > n_samples", UserWarning)
        # A very weak penalty may need more steps; its score decides whether it is taken.
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(X, y)
