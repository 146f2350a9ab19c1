"""What is measured on one fold of a micro-array set in the experiments of the BAHSIC paper.

A method selects ten genes on the training part; a support vector machine with a Gaussian kernel on
these ten is tested on the rest, several classes one against the rest each. Cost and width are taken
from the paper's grid by 5-fold cross-validation inside the training part (the paper says only that
they were tuned); of equals the smaller cost and the greater width win. Genes are standardised
by the training part before they come to the machine.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from hsieve.exceptions import ConstantFeatureWarning
from hsieve.kernels import Gaussian, InverseDistance
from hsieve.kernels.labels import one_vs_rest_coding
from hsieve.measures import MutualInformation
from hsieve.measures.family import linear_hsic
from hsieve.selectors import BAHSIC, L1SVM, SVMRFE, DependenceSelector, FamilyRanking
from hsieve.strategies.base import best_first

__all__ = [
    "FAMILY",
    "NON_LINEAR",
    "N_GENES",
    "OTHERS",
    "SELECTORS",
    "methods_for",
    "n_wrong",
    "select",
    "stratified_folds",
]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

N_GENES = 10
N_INNER_FOLDS = 5
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
WIDTHS = (1000.0, 100.0, 10.0, 1.0)


def _by_estimator(make: Callable[..., Any], X: FloatArray, y: NDArray[Any]) -> IndexArray:
    """Genes that a selector of the package chooses."""
    selector = make(n_features_to_select=N_GENES).fit(X, y)
    return np.asarray(selector.selected_indices_[:N_GENES])


def _linear(X: FloatArray, y: NDArray[Any]) -> IndexArray:
    """Genes by linear kernels on data and coded labels; for two classes the centroid score."""
    # Not through HSIC, which standardises: the paper's lin differs from pc in that it does not.
    return best_first(linear_hsic(X, one_vs_rest_coding(y)))[:N_GENES]


def _family(statistic: str) -> Callable[[FloatArray, NDArray[Any]], IndexArray]:
    make = partial(FamilyRanking, statistic=statistic, target_kind="classes")
    return partial(_by_estimator, make)


def _backward(kernel: Any) -> Callable[[FloatArray, NDArray[Any]], IndexArray]:
    """Algorithm 1 of the paper, a tenth of the genes a round."""
    make = partial(
        BAHSIC,
        kernel_x=kernel,
        step=0.1,
        n_contexts=1,
        compensate=False,
        target_kind="classes",
    )
    return partial(_by_estimator, make)


FAMILY: Mapping[str, Callable[[FloatArray, NDArray[Any]], IndexArray]] = MappingProxyType(
    {
        "pc": _family("pc"),
        "snr": _family("snr"),
        "pam": _family("pam"),
        "t": _family("t"),
        "m-t": _family("moderated-t"),
        "lods": _family("lods"),
        "1-vs-rest": _family("one-vs-rest"),
        "lin": _linear,
        "RBF": _backward(Gaussian("maximise")),
        "dis": _backward(InverseDistance()),
    }
)
NON_LINEAR = ("RBF", "dis")
OTHERS: Mapping[str, Callable[[FloatArray, NDArray[Any]], IndexArray]] = MappingProxyType(
    {
        "mi": partial(
            _by_estimator,
            partial(
                DependenceSelector,
                MutualInformation(estimator="discretised", target_kind="classes"),
            ),
        ),
        "rfe": partial(_by_estimator, partial(SVMRFE, target_kind="classes")),
        "l1": partial(_by_estimator, partial(L1SVM, target_kind="classes")),
    }
)
SELECTORS = MappingProxyType({**FAMILY, **OTHERS})
TWO_CLASSES_ONLY = ("snr", "t", "m-t", "lods")
# For two classes this is pc.
SEVERAL_CLASSES_ONLY = ("1-vs-rest",)


def methods_for(n_classes: int) -> tuple[str, ...]:
    """Return the methods that take so many classes.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    tuple of str
        Names, those of the family first.
    """
    left_out = SEVERAL_CLASSES_ONLY if n_classes == 2 else TWO_CLASSES_ONLY
    return tuple(name for name in SELECTORS if name not in left_out)


def select(method: str, X: FloatArray, y: NDArray[Any]) -> IndexArray:
    """Select ten genes.

    Parameters
    ----------
    method : str
        One of `SELECTORS`.
    X : ndarray of shape (n_samples, n_genes)
        The training part.
    y : ndarray of shape (n_samples,)
        Classes.

    Returns
    -------
    ndarray of shape (10,)
        Genes, best first.
    """
    with warnings.catch_warnings():
        # Genes with one single value in a training part are counted and told in words.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        return SELECTORS[method](X, y)


def n_wrong(
    X: FloatArray, y: NDArray[Any], test: tuple[FloatArray, NDArray[Any]], seed: int
) -> int:
    """Count the test samples that a tuned support vector machine gets wrong.

    Parameters
    ----------
    X : ndarray of shape (n_train, n_genes)
        Selected genes of the training part.
    y : ndarray of shape (n_train,)
        Its classes.
    test : tuple of ndarray
        The same of the test part.
    seed : int
        Seed of the folds inside the training part.

    Returns
    -------
    int
        Number of wrong classes.
    """
    centre, deviation = X.mean(axis=0), X.std(axis=0)
    deviation[deviation == 0] = 1.0
    train, others = (X - centre) / deviation, (test[0] - centre) / deviation
    inside = pairwise_distances(train, metric="sqeuclidean")
    across = pairwise_distances(others, train, metric="sqeuclidean")
    folds = list(stratified_folds(y, N_INNER_FOLDS, seed))
    grams = [np.exp(-inside / (2 * width**2)) for width in WIDTHS]
    # Checking every small matrix again would take most of the time.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        wrong = [
            (sum(_inner_wrong(gram, y, fold, cost) for fold in folds), cost, width, gram)
            for cost in COSTS
            for width, gram in zip(WIDTHS, grams, strict=True)
        ]
        _, cost, width, gram = min(wrong, key=lambda found: found[0])
        predicted = _predict(gram, y, np.exp(-across / (2 * width**2)), cost)
    return int(np.sum(predicted != test[1]))


def stratified_folds(
    y: NDArray[Any], n_folds: int, seed: int
) -> list[tuple[IndexArray, IndexArray]]:
    """Split samples into folds with each class spread evenly.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Classes; those with fewer samples than folds are missing from some of them.
    n_folds : int
        Number of folds.
    seed : int
        Seed of the order.

    Returns
    -------
    list of tuple of ndarray
        Training and test samples of each fold.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(folds.split(np.zeros((len(y), 1)), y))


def _inner_wrong(
    gram: FloatArray, y: NDArray[Any], fold: tuple[IndexArray, IndexArray], cost: float
) -> int:
    """Count the wrong classes in an inner fold."""
    train, test = fold
    predicted = _predict(gram[np.ix_(train, train)], y[train], gram[np.ix_(test, train)], cost)
    return int(np.sum(predicted != y[test]))


def _predict(gram: FloatArray, y: NDArray[Any], across: FloatArray, cost: float) -> NDArray[Any]:
    """Classes of samples with the kernel values `across`; several classes one against the rest."""
    classes = np.unique(y)
    model = SVC(C=cost, kernel="precomputed")
    if len(classes) == 2:
        return np.asarray(model.fit(gram, y).predict(across))
    sides = [model.fit(gram, y == label).decision_function(across) for label in classes]
    return np.asarray(classes[np.argmax(sides, axis=0)])
