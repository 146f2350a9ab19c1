"""Selectors beside each other on one's own data: how well, how many, how alike, how long.

Every selector selects on the training samples of every fold, and the samples held out are predicted
from what it selected. A piece of the experiment is one selector on one fold. Data, folds and
predictor belong to the whole file of results; the fingerprint of a selector's parameters is part of
the name of its own pieces, so that a selector can be added, or changed, without measuring the
others again.

Everything that is learned, the selection, its number of features and the scale of the features, is
learned from the training samples alone.
"""

import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from hsieve.comparison import runner
from hsieve.comparison.experiment import Experiment, Piece, Record, Settings
from hsieve.comparison.inputs import (
    check_predictor,
    checked_count,
    compared_data,
    make_folds,
    named,
)
from hsieve.comparison.result import SelectorComparison
from hsieve.comparison.results_file import ResultsError
from hsieve.comparison.summary import readable, summaries_of
from hsieve.data.validation import target_kind_of
from hsieve.dataset import Dataset, opened
from hsieve.exceptions import (
    ConstantFeatureWarning,
    FewerFeaturesWarning,
    IncompatibleCombinationError,
)
from hsieve.fingerprint import fingerprint_of_arrays, fingerprint_of_estimator
from hsieve.inference.gaussian_machine import Fold, criterion_of, held_out_score, score_of
from hsieve.parallel.jobs import make_job_engine, refuse_cluster_inside
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.input_data import told

__all__ = ["ComparisonPlan", "SelectorComparison", "compare", "plan_comparison"]

NAME = "comparison"
PROTOCOL = 1
# Words beside the progress bar.
WORK = "comparing"
USUAL_PREDICTOR = "a support vector machine with a Gaussian kernel"
# For programmers; these do not tell about the data.
NOT_TOLD = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


@dataclass(frozen=True, eq=False)
class Work:
    """What a piece has to know: its selector, with its name, and its samples."""

    name: str
    selector: BaseSelector
    fold: Fold
    predictor: BaseEstimator | None


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """A comparison that is ready to run."""

    experiment: Experiment
    settings: Settings
    data: Dataset
    names: tuple[str, ...]  # of the selectors
    predictor: str  # its description
    notes: tuple[str, ...]  # what is not as it was asked for

    def result(self, records: Sequence[Record]) -> SelectorComparison:
        """Return what came of it, as far as there are records."""
        return SelectorComparison(
            summaries_of(records, self.names, self.data.names),
            criterion_of(is_classes=self.data.target_kind == "classes"),
            self.predictor,
            [readable(record) for record in records],
            self.notes,
        )

    def complete_result(self, records: Sequence[Record]) -> SelectorComparison:
        """Return what came of a whole run, if any selector has a score."""
        found = self.result(records)
        if all(summary.score is None for summary in found.summaries):
            first = found.summaries[0]
            msg = f"Every selector failed on every fold; {first.name} says: {first.failure}"
            raise ValueError(msg)
        return found


def compare(  # noqa: PLR0913
    selectors: Mapping[str, BaseSelector] | Iterable[BaseSelector],
    X: ArrayLike | Dataset,
    y: ArrayLike | None = None,
    *,
    predictor: BaseEstimator | None = None,
    cv: Any = 10,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    engine: Any = None,
    random_state: int = 0,
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    folder: str | os.PathLike[str] | None = None,
    fresh: bool = False,
) -> SelectorComparison:
    """Compare selectors on folds of your own data.

    Each selects on the training samples alone, and the samples held out are predicted from the
    selected features. Time: that of all selectors on all folds.

    Parameters
    ----------
    selectors : mapping of str to selector, or iterable of selectors
        What to compare; without names they are called by their class.
    X : array-like of shape (n_samples, n_features) or Dataset
        Features: finite numbers, also as a pandas or polars frame, whose names are shown. A
        :class:`hsieve.Dataset` has its own y, categories and kind of target.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        Classes or numbers.
    predictor : estimator or None, default=None
        What predicts from the selected features: a classifier or regressor of scikit-learn. None
        is a support vector machine with a Gaussian kernel over standardised features.
    cv : int, splitter or iterable of (training, held-out) samples, default=10
        The folds. A number shares the classes out evenly; where a class has fewer samples, there
        are fewer folds, and the result says so.
    n_repeats : int, default=1
        How often to share the samples out again; more than one needs a number as `cv`.
    n_jobs : int or None, default=None
        Number of processes; None for one, -1 for one a core. The figures do not depend on it, but
        seconds do.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Who evaluates, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`. A process
        evaluates one fold of one selector at a time, so that threads make nothing quicker. Classes
        of selectors and predictor must belong to modules that workers can import, and selectors
        cannot have a cluster of their own.
    random_state : int, default=0
        Seed of the folds. Selectors and predictor keep their own.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name, for the machine that predicts and for
        all selectors, beside their own ``categorical``. In a data frame those of category type
        or text are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds, also for selectors whose own ``target_kind`` is "auto".
    folder : path-like or None, default=None
        Where to keep what is measured, in ``comparison.jsonl``. What is there already is not
        measured again: an interrupted call goes on, and selectors can be added. Other data, folds
        or another predictor are refused. None keeps nothing.
    fresh : bool, default=False
        Whether to throw away what is in the folder.

    Returns
    -------
    SelectorComparison
        Prints as a table: score, difference from the best, number of features, consistency, time.

    Raises
    ------
    ValueError
        If nothing can be compared, or every selector fails on every fold. One that fails on some
        folds is told of in the result, and has no score there.
    ResultsError
        If the folder holds results of something else, or cannot be used.

    Examples
    --------
    >>> import hsieve
    >>> from hsieve.datasets import make_xor
    >>> problem = make_xor(120, 12, random_state=0)
    >>> selectors = {"together": hsieve.BAHSIC(2), "one by one": hsieve.MaxRelevance(2)}
    >>> found = hsieve.compare(selectors, problem.X, problem.y, cv=5)
    >>> found.best.name, [feature.name for feature in found.best.frequent]
    ('together', ['x0', 'x1'])
    >>> found["one by one"].difference.is_clear
    True
    """
    if fresh and folder is None:
        msg = "fresh=True throws away what is in a folder, but folder is None."
        raise ValueError(msg)
    data = opened(X, y, categorical=categorical, target_kind=target_kind)
    plan = plan_comparison(
        selectors,
        data,
        predictor=predictor,
        cv=cv,
        n_repeats=n_repeats,
        n_jobs=n_jobs,
        engine=engine,
        random_state=random_state,
        is_kept=folder is not None,
    )
    for note in plan.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    if folder is None:
        return plan.complete_result(runner.measure_all(plan.experiment, plan.settings))
    try:
        outcome = runner.run(plan.experiment, plan.settings, Path(folder), fresh=fresh)
    except ResultsError as error:
        words = str(error).replace(" by --results", "").replace("--fresh", "fresh=True")
        raise ResultsError(words) from error
    return plan.complete_result(outcome.records)


def plan_comparison(
    selectors: Mapping[str, BaseSelector] | Iterable[BaseSelector],
    data: Dataset,
    *,
    predictor: BaseEstimator | None = None,
    cv: Any = 10,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    engine: Any = None,
    random_state: int = 0,
    is_kept: bool = True,
) -> ComparisonPlan:
    """Check everything that :func:`compare` is given, and measure nothing.

    `is_kept` says whether results go to a file, which has to know the selectors again.
    """
    make_job_engine(n_jobs, engine)
    data = compared_data(data)
    seed = checked_count("random_state", random_state, 0)
    n_repeats = checked_count("n_repeats", n_repeats, 1)
    check_predictor(predictor, data.target_kind)
    ready = {
        name: told(selector, data, strict=False) for name, selector in named(selectors).items()
    }
    for name, one in ready.items():
        refuse_cluster_inside(engine, one.get_params(), name)
    folds, notes = make_folds(data, cv, n_repeats, seed)
    notes += tuple(_asking_for_too_many(ready, data.n_features))
    keys = {
        name: f"{name} {fingerprint_of_estimator(one)}" if is_kept else name
        for name, one in ready.items()
    }
    words = USUAL_PREDICTOR if predictor is None else " ".join(repr(predictor).split())
    mark = fingerprint_of_estimator(predictor) if is_kept and predictor is not None else ""

    def pieces(trials: int, seed: int) -> list[Piece]:
        return [
            Piece(WORK, trial, part, keys[name], Work(name, selector, fold, predictor))
            for trial in range(trials)
            for part, fold in enumerate(folds[trial])
            for name, selector in ready.items()
        ]

    experiment = Experiment(
        name=NAME,
        protocol=PROTOCOL,
        plan=pieces,
        measure=measure,
        load=lambda _: data,
        belongs_to=_belongs_to(data, folds[0], f"{words} {mark}".strip()) if is_kept else {},
    )
    jobs = effective_n_jobs(n_jobs) if engine is None else 1
    settings = Settings(trials=n_repeats, jobs=jobs, seed=seed, engine=engine)
    return ComparisonPlan(experiment, settings, data, tuple(ready), words, notes)


def _asking_for_too_many(selectors: Mapping[str, Any], n_features: int) -> Iterator[str]:
    """Say which selectors are to select more features than there are."""
    for name, selector in selectors.items():
        wanted = getattr(selector, "n_features_to_select", None)
        if isinstance(wanted, Integral) and int(wanted) > n_features:
            yield f"{name} was asked for {wanted} features, but there are only {n_features}."


def measure(piece: Piece, data: Dataset) -> list[Record]:
    """Evaluate one selector on one fold; a refusal is a record too."""
    work: Work = piece.work
    training, held_out = work.fold
    record: Record = {
        "selector": work.name,
        "trial": piece.trial,
        "fold": piece.part,
        "n_train": len(training),
        "n_test": len(held_out),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for category in NOT_TOLD:
            warnings.simplefilter("ignore", category)
        try:
            outcome = evaluate_fold(
                work.selector,
                data.X,
                data.y,
                work.fold,
                predictor=work.predictor,
                categorical=data.categorical,
                target_kind=data.target_kind,
            )
        except (ValueError, RuntimeError, IncompatibleCombinationError) as error:
            record["failure"] = _on_one_line(error)
        else:
            record["score"] = outcome.score
            record["n_selected"] = len(outcome.selected)
            record["selected"] = " ".join(map(str, outcome.selected.tolist()))
            record["seconds"] = outcome.seconds
            record["cpu_seconds"] = outcome.cpu_seconds
    messages = dict.fromkeys(_on_one_line(warning.message) for warning in caught)
    record["warnings"] = "\n".join(messages)
    return [record]


def _on_one_line(message: Exception | Warning | str) -> str:
    return " ".join(str(message).split()) or type(message).__name__


def _belongs_to(data: Dataset, folds: Sequence[Fold], predictor: str) -> dict[str, str | int]:
    """Say what all records of a file have in common. Further repeats follow from the first."""
    from hsieve import __version__

    n_samples, n_features = data.X.shape
    values = fingerprint_of_arrays([data.X, data.y])
    roles = "" if not data.categorical else f", categories {list(data.categorical)}"
    marked = fingerprint_of_arrays(part for fold in folds for part in fold)
    return {
        "version": __version__,
        "data": f"{n_samples} x {n_features} ({values}{roles}), target of {data.target_kind}",
        "folds": f"{len(folds)} ({marked})",
        "predictor": predictor,
    }


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """What came of one selector on one fold."""

    selector: BaseSelector  # fitted to the training samples
    score: float  # accuracy or R2 of the samples held out
    seconds: float  # of the selection
    cpu_seconds: float  # of the selection, in this process

    @property
    def selected(self) -> NDArray[np.intp]:
        """Selected features, best first."""
        chosen: NDArray[np.intp] = self.selector.selected_indices_
        return chosen


def evaluate_fold(
    selector: BaseSelector,
    X: NDArray[Any],
    y: NDArray[Any],
    fold: Fold,
    *,
    predictor: BaseEstimator | None = None,
    categorical: Iterable[int] = (),
    target_kind: str = "auto",
) -> FoldOutcome:
    """Select on the training samples and predict the others from the selected features.

    Without a predictor this is done by a support vector machine with a Gaussian kernel, whose width
    is the one that came with the number of features, if the selector found that out, else the
    square root of the number.
    """
    training, held_out = fold
    kind = target_kind_of(y, target_kind)
    started, cpu_started = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        # What is constant, or missing, in a part of the samples only needs no word.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        warnings.simplefilter("ignore", FewerFeaturesWarning)
        fitted = clone(selector).fit(X[training], y[training])
    cpu_seconds, seconds = time.process_time() - cpu_started, time.perf_counter() - started
    chosen = fitted.selected_indices_
    if len(chosen) == 0:
        score = _score_of_nothing(y, fold, is_classes=kind == "classes")
    elif predictor is None:
        choice = getattr(fitted, "n_features_choice_", None)
        score = held_out_score(
            X,
            y,
            fold,
            chosen,
            width=None if choice is None else choice.width,
            categorical=categorical,
            target_kind=kind,
        )
    else:
        model = clone(predictor).fit(X[np.ix_(training, chosen)], y[training])
        predicted = model.predict(X[np.ix_(held_out, chosen)])
        score = score_of(y[held_out], predicted, is_classes=kind == "classes", training=y[training])
    return FoldOutcome(fitted, score, seconds, cpu_seconds)


def _score_of_nothing(y: NDArray[Any], fold: Fold, *, is_classes: bool) -> float:
    """Judge a prediction that looks at no feature."""
    training, held_out = fold
    if not is_classes:
        means = np.broadcast_to(y[training].mean(axis=0), y[held_out].shape)
        return score_of(y[held_out], means, is_classes=False, training=y[training])
    values, counts = np.unique(y[training], return_counts=True)
    return score_of(y[held_out], values[[counts.argmax()]], is_classes=True)
