"""Table 4 of the BAHSIC paper: support vector regression with all, random and chosen features.

Protocol of [1]_, section 5.3: 10-fold cross-validation, epsilon-SVR with epsilon = 0.001 and a
Gaussian kernel. The paper does not say how the cost C and the width of the kernel are set; here
both are chosen by 5-fold cross-validation inside each training part. Features are chosen inside it
as well, so a test sample has no say in what is tested on it.

Bodyfat appears twice. The collection's target is the percentage of fat, from 0 to 47.5, on which
an error of 0.0019 is out of reach. Percentage and density of the body are functions of one another
(Siri's formula), and density has a deviation of 0.019: the published figure fits the task that has
density for its target and the percentage among its 14 features.

Cost: for each fold 8 searches over a grid of 16 regressions, 5 fits each; four minutes in all
on one core.

References
----------
.. [1] L. Song, A. Smola, A. Gretton, K. Borgwardt, "Supervised feature selection via dependence
   estimation", 2007.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from hsieve.data.validation import constant_columns
from hsieve.exceptions import ConstantFeatureWarning
from hsieve.kernels import Gaussian
from hsieve.selectors import BAHSIC
from reproduction.collection import load_dataset
from reproduction.experiment import Comparison, Figure, Piece, PublishedExperiment, Record
from reproduction.tables import TextTable, long_table

__all__ = [
    "EXPERIMENT",
    "TASKS",
    "Task",
    "explain",
    "load",
    "measure",
    "plan",
    "summarise",
    "tables",
]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

N_FOLDS = 10
N_INNER_FOLDS = 5
N_DRAWS = 5
EPSILON = 1e-3
# The target is divided by its deviation, and the features are standardised, so one grid fits all.
COSTS = (0.1, 1.0, 10.0, 100.0)
WIDTHS = (0.5, 1.0, 2.0, 4.0)

TITLE = "Table 4 of the BAHSIC paper: regression with all, random and selected features"
ALL = "all features"
RANDOM = "random features"
DEFAULT_RULE = "BAHSIC (our default)"
PAPER_RULE = "BAHSIC (paper's rule)"
METHODS = (ALL, RANDOM, DEFAULT_RULE, PAPER_RULE)
# The paper takes the width with the highest HSIC and drops a tenth of the features each round.
RULES: dict[str, dict[str, Any]] = {
    DEFAULT_RULE: {},
    PAPER_RULE: {
        "kernel_x": Gaussian("maximise"),
        "n_contexts": 1,
        "step": 0.1,
        "compensate": False,
    },
}


@dataclass(frozen=True)
class Task:
    """One row of the table.

    Parameters
    ----------
    name : str
        Name of the row.
    key : str
        Name of the data in the collection.
    n_selected : int
        Number of features to choose, as in the paper.
    paper_shape : tuple of int
        Samples and features according to the paper.
    published : dict of str to Figure
        Published root mean square errors; empty where the scale of the target is another.
    target_column : int or None, default=None
        Column that changes places with the collection's target; None leaves it as it is.
    """

    name: str
    key: str
    n_selected: int
    paper_shape: tuple[int, int]
    published: dict[str, Figure] = field(default_factory=dict)
    target_column: int | None = None

    def load(self) -> tuple[FloatArray, FloatArray]:
        """Return the features and the target."""
        data = load_dataset(self.key)
        X, y = data.X.astype(np.float64), data.y.astype(np.float64)
        if self.target_column is not None:
            column = X[:, self.target_column].copy()
            X[:, self.target_column] = y
            y = column
        return X, y


def _published(every: Figure, random: Figure, bahsic: Figure) -> dict[str, Figure]:
    """Figures of a row of the paper; both our BAHSIC columns answer its one."""
    return {ALL: every, RANDOM: random, DEFAULT_RULE: bahsic, PAPER_RULE: bahsic}


TASKS = (
    Task(
        name="pyrim",
        key="regression/pyrim",
        n_selected=5,
        paper_shape=(55, 27),
        published=_published(Figure(0.112, 0.067), Figure(0.092, 0.073), Figure(0.085, 0.066)),
    ),
    Task(
        name="triazines",
        key="l1lsmi/triazines",
        n_selected=2,
        paper_shape=(186, 60),
        published=_published(Figure(0.147, 0.027), Figure(0.157, 0.036), Figure(0.144, 0.033)),
    ),
    Task(
        name="bodyfat (density)",
        key="regression/bodyfat",
        n_selected=7,
        paper_shape=(227, 14),
        published=_published(
            Figure(0.0019, 0.0026), Figure(0.0019, 0.0026), Figure(0.0019, 0.0024)
        ),
        target_column=0,
    ),
    Task(name="bodyfat (percent)", key="regression/bodyfat", n_selected=7, paper_shape=(227, 14)),
)


REMARKS = (
    "The paper's 227 bodyfat samples are nine tenths of 252, the size of a training part; which "
    "55 of the 74 pyrim samples it used, it does not say.",
    "The paper does not name bodyfat's target. An error of 0.0019 is out of reach in percent of "
    "fat, which is rounded to 0.1, and fits the density of the body (deviation 0.019), from which "
    "the percentage is computed; so density is our reading, with the percentage among the "
    "features, and the row in percent has nothing to be compared with.",
    "Against that reading speaks the published random column, as good as all features: half of "
    "the random sets of 7 of 14 miss the percentage and do far worse, so it would have to be one "
    "lucky draw.",
)


def plan(trials: int, seed: int) -> list[Piece]:
    """List the folds of all data sets."""
    return [
        Piece(task.name, trial, fold, work=Work(task, place, N_FOLDS, seed))
        for place, task in enumerate(TASKS)
        for trial in range(trials)
        for fold in range(N_FOLDS)
    ]


def load(piece: Piece) -> tuple[FloatArray, FloatArray]:
    """Return the features and the target of a piece."""
    data: tuple[FloatArray, FloatArray] = piece.work.task.load()
    return data


def measure(piece: Piece, data: tuple[FloatArray, FloatArray]) -> list[Record]:
    """Measure all methods on one fold."""
    work: Work = piece.work
    folds = KFold(work.n_folds, shuffle=True, random_state=work.seed + piece.trial)
    train, test = list(folds.split(data[0]))[piece.part]
    seed = np.random.SeedSequence([work.seed, work.place, piece.trial, piece.part])
    return _measure_fold(work.task, Fold(*data, train, test, piece.trial, piece.part), seed)


def summarise(records: Sequence[Record]) -> list[Comparison]:
    """Average over folds and trials, beside the published figures."""
    cells = []
    for task in TASKS:
        for method in METHODS:
            errors = [
                float(record["rmse"])
                for record in records
                if record["dataset"] == task.name and record["method"] == method
            ]
            if errors:
                measured = Figure.of(errors)
                cells.append(Comparison(task.name, method, measured, task.published.get(method)))
    return cells


def tables(records: Sequence[Record]) -> list[TextTable]:
    """Lay out the figures."""
    return [long_table(TITLE, "RMSE", summarise(records))]


def explain(records: Sequence[Record]) -> list[str]:
    """Say how the figures were made and where the paper's data differ from ours."""
    sentences = [
        f"Root mean square error: mean and deviation over {N_FOLDS} folds; difference = ours "
        "minus the paper's.",
        f"Ours: epsilon-SVR with epsilon = {EPSILON:g}; the cost C and the width of the Gaussian "
        f"are chosen by {N_INNER_FOLDS}-fold cross-validation inside each training part (the "
        "paper does not say how); features are chosen inside it too; the random column averages "
        f"{N_DRAWS} draws in each fold.",
    ]
    for task in TASKS:
        first = next((record for record in records if record["dataset"] == task.name), None)
        if first is not None:
            sentences.append(_describe(task, first))
    constant = {
        (record["dataset"], record["trial"], record["fold"])
        for record in records
        if int(record["n_constant"]) > 0
    }
    if constant:
        sentences.append(
            f"In {len(constant)} training parts some columns hold one single value; BAHSIC never "
            "selects such a column."
        )
    return [*sentences, *REMARKS]


@dataclass(frozen=True)
class Work:
    """What a fold has to know: its row and the place of it, the number of folds, the seed."""

    task: Task
    place: int
    n_folds: int
    seed: int


@dataclass(frozen=True, eq=False)
class Fold:
    """Data, and which samples train and test."""

    X: FloatArray
    y: FloatArray
    train: IndexArray
    test: IndexArray
    trial: int
    number: int

    def error(self, features: IndexArray, inner: KFold) -> float:
        """Root mean square error on the test part, of a regression on some features."""
        scaler = StandardScaler().fit(self.X[np.ix_(self.train, features)])
        target = self.y[self.train]
        centre, deviation = target.mean(), target.std()
        search = GridSearchCV(
            SVR(epsilon=EPSILON / deviation),
            {"C": COSTS, "gamma": [0.5 / (width**2 * len(features)) for width in WIDTHS]},
            scoring="neg_mean_squared_error",
            cv=inner,
        )
        search.fit(
            scaler.transform(self.X[np.ix_(self.train, features)]), (target - centre) / deviation
        )
        predicted = search.predict(scaler.transform(self.X[np.ix_(self.test, features)]))
        residuals = self.y[self.test] - (centre + deviation * predicted)
        return float(np.sqrt(np.mean(residuals**2)))


def _measure_fold(task: Task, fold: Fold, seed: np.random.SeedSequence) -> list[Record]:
    """Measure all methods on one fold."""
    rng = np.random.default_rng(seed)
    inner = KFold(N_INNER_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    n_features = fold.X.shape[1]
    draws = [
        np.sort(rng.choice(n_features, task.n_selected, replace=False)) for _ in range(N_DRAWS)
    ]
    choices = {ALL: [np.arange(n_features)], RANDOM: draws}
    choices |= {rule: [_selected(task, fold, options)] for rule, options in RULES.items()}
    shared: Record = {
        "dataset": task.name,
        "trial": fold.trial,
        "fold": fold.number,
        "n_train": len(fold.train),
        "n_test": len(fold.test),
        "n_features": n_features,
        "n_constant": int(constant_columns(fold.X[fold.train]).sum()),
        "target_mean": float(fold.y.mean()),
        "target_deviation": float(fold.y.std()),
    }
    return [
        shared
        | {
            "method": method,
            "n_selected": len(sets[0]),
            "rmse": float(np.mean([fold.error(features, inner) for features in sets])),
        }
        for method, sets in choices.items()
    ]


def _selected(task: Task, fold: Fold, options: dict[str, Any]) -> IndexArray:
    """Features that BAHSIC chooses on the training part."""
    selector = BAHSIC(task.n_selected, target_kind="continuous", **options)
    # Constant columns are counted in the records and told once, in words.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        selector.fit(fold.X[fold.train], fold.y[fold.train])
    return np.sort(selector.selected_indices_)


def _describe(task: Task, record: Record) -> str:
    """Tell the shape of the data here and in the paper, and the spread of the target."""
    n_samples = int(record["n_train"]) + int(record["n_test"])
    return (
        f"{task.name}: {n_samples} samples (paper: {task.paper_shape[0]}), "
        f"{record['n_features']} features (paper: {task.paper_shape[1]}), {task.n_selected} "
        f"selected; target with mean {record['target_mean']:.3g} and deviation "
        f"{record['target_deviation']:.3g}."
    )


EXPERIMENT = PublishedExperiment(
    name="bahsic-table4",
    title=TITLE,
    protocol=1,
    plan=plan,
    load=load,
    measure=measure,
    summarise=summarise,
    explain=explain,
    tables=tables,
)
