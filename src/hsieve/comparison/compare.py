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
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from hsieve.comparison import runner
from hsieve.comparison.evaluation import Judge, check_scoring, evaluate_fold, usual_scoring
from hsieve.comparison.inputs import (
    check_predictor,
    compared_data,
    make_folds,
    named,
)
from hsieve.comparison.result import SelectorComparison
from hsieve.comparison.results_file import Record, ResultsError
from hsieve.comparison.runner import Experiment, Piece, Settings
from hsieve.comparison.summary import readable, summaries_of, summary_of_nothing
from hsieve.data.views import FilledBlocks
from hsieve.dataset import Dataset, opened
from hsieve.fingerprint import fingerprint_of_arrays, fingerprint_of_estimator
from hsieve.inference.gaussian_machine import Fold
from hsieve.parallel.jobs import make_job_engine, refuse_cluster_inside
from hsieve.parameters import integer
from hsieve.selectors.filling import FillMissing
from hsieve.selectors.input_data import told

__all__ = ["ComparisonPlan", "SelectorComparison", "compare", "plan_comparison"]

NAME = "comparison"
PROTOCOL = 1
# Words beside the progress bar.
WORK = "comparing"
ABOUT_BALANCE = (
    "Classes are unequal, so scores are balanced accuracy: the mean over the classes of the "
    "fraction predicted right. Ask for the score accuracy to count samples."
)
ABOUT_GAPS = (
    "Missing values were filled in from the training samples of each fold: medians of numbers, a "
    "level of their own for categories."
)
# For programmers; these do not tell about the data.
NOT_TOLD = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


@dataclass(frozen=True, eq=False)
class Work:
    """What a piece has to know: its selector, with its name, and its samples."""

    name: str
    selector: Any
    fold: Fold
    judge: Judge
    fills_gaps: bool  # whether missing values are filled in, from the training samples


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """A comparison that is ready to run."""

    experiment: Experiment
    settings: Settings
    data: Dataset
    names: tuple[str, ...]  # of the selectors
    judge: Judge
    folds: Sequence[Sequence[Fold]]  # of each repetition
    warned: tuple[str, ...]  # what is not as it was asked for
    notes: tuple[str, ...]  # the same, and what was done unasked

    def result(self, records: Sequence[Record]) -> SelectorComparison:
        """Return what came of it, as far as there are records."""
        summaries = summaries_of(records, self.names, self.data.names)
        return SelectorComparison(
            summaries,
            self.judge.criterion,
            self.judge.words,
            [readable(record) for record in records],
            self.notes,
            summary_of_nothing(self._without_features(), records, summaries[0].name),
            self.data.target_name,
        )

    def _without_features(self) -> list[Record]:
        """Judge the predictions that look at no feature, as far as that can be done."""
        found: list[Record] = []
        for trial, folds in enumerate(self.folds):
            for number, fold in enumerate(folds):
                record: Record = {"trial": trial, "fold": number}
                record |= {"n_train": len(fold[0]), "n_test": len(fold[1])}
                with suppress(ValueError, TypeError):
                    record["score"] = self.judge.score_of_nothing(self.data.y, fold)
                    found.append(record)
        return found

    def complete_result(self, records: Sequence[Record]) -> SelectorComparison:
        """Return what came of a whole run, if any selector has a score."""
        found = self.result(records)
        if all(summary.score is None for summary in found.summaries):
            first = found.summaries[0]
            msg = f"Every selector failed on every fold; {first.name} says: {first.failure}"
            raise ValueError(msg)
        return found


def compare(  # noqa: PLR0913
    selectors: Mapping[str, Any] | Iterable[Any],
    X: ArrayLike | Dataset,
    y: ArrayLike | None = None,
    *,
    predictor: BaseEstimator | None = None,
    scoring: Any = None,
    cv: Any = 10,
    groups: ArrayLike | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    engine: Any = None,
    random_state: int = 0,
    categorical: Iterable[int | str] = (),
    target_kind: str = "auto",
    missing: str = "refuse",
    folder: str | os.PathLike[str] | None = None,
    fresh: bool = False,
) -> SelectorComparison:
    """Compare selectors on folds of your own data.

    Each selects on the training samples alone, and the samples held out are predicted from the
    selected features. Time: that of all selectors on all folds.

    Parameters
    ----------
    selectors : mapping of str to selector, or iterable of selectors
        What to compare; without names they are called by their class. Beside the selectors of this
        package any of scikit-learn, such as ``SelectKBest``, ``SelectFromModel`` and ``RFE``; what
        has ``support_`` or ``get_support()`` once it is fitted, such as Boruta; and pipelines
        that end in one of these.
    X : array-like of shape (n_samples, n_features) or Dataset
        Features: finite numbers, also as a pandas or polars frame, whose names are shown. A
        :class:`hsieve.Dataset` has its own y, categories and kind of target.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        Classes or numbers.
    predictor : estimator or None, default=None
        What predicts from the selected features: a classifier or regressor of scikit-learn. None
        is a support vector machine with a Gaussian kernel over standardised features.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn, by name or as ``scorer(estimator, X, y)``; more is better. None
        is the accuracy of classes, balanced accuracy where one class has at least twice as many
        samples as another, and R2 of numbers.
    cv : int, splitter or iterable of (training, held-out) samples, default=10
        The folds. A number shares the classes out evenly; where a class, or the groups, are too
        few, there are fewer folds, with a warning.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples that belong together, such as those of one patient: none of a group that is held
        out is trained with. Passed to a splitter.
    n_repeats : int, default=1
        How often to share the samples out again; more than one needs a number as `cv`.
    n_jobs : int or None, default=None
        Number of processes; None for one, -1 for one per core. The figures do not depend on it, but
        seconds do.
    engine : {"local", "threads", "dask", "spark"}, dict, EngineSettings or None, default=None
        Where selectors are evaluated, instead of `n_jobs`: see :func:`hsieve.parallel.make_engine`.
        A process evaluates one fold of one selector at a time, so that threads make nothing
        quicker. Classes of selectors and predictor must belong to modules that workers can import,
        and selectors cannot have a cluster of their own.
    random_state : int, default=0
        Seed of the folds. Selectors and predictor keep their own.
    categorical : iterable of int or str, default=()
        Features that are categories, by position or name, for the machine that predicts and for
        all selectors, beside their own ``categorical``. In a data frame those of category type
        or text are categories anyway.
    target_kind : {"auto", "classes", "continuous"}, default="auto"
        What y holds, also for selectors whose own ``target_kind`` is "auto".
    missing : {"refuse", "impute", "category"}, default="refuse"
        What to do with missing values of features, as in :func:`hsieve.open_dataset`; medians are
        those of the training samples.
    folder : path-like or None, default=None
        Where to keep what is measured, in ``comparison.jsonl``. What is there already is not
        measured again: an interrupted call goes on, and selectors can be added. Other data, folds
        or another predictor are refused. None keeps nothing.
    fresh : bool, default=False
        Whether to throw away what is in the folder.

    Returns
    -------
    SelectorComparison
        Prints as a table: score, difference from the best, number of features, consistency, time;
        below, the score of predictions that look at no feature. ``report()`` is a page.

    Raises
    ------
    ValueError
        If nothing can be compared, or every selector fails on every fold. One that fails on some
        folds is listed in the result, and has no score there.
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
    data = opened(
        X, y, categorical=categorical, target_kind=target_kind, missing=missing, takes_groups=True
    )
    plan = plan_comparison(
        selectors,
        data,
        predictor=predictor,
        scoring=scoring,
        cv=cv,
        groups=data.groups if groups is None else groups,
        n_repeats=n_repeats,
        n_jobs=n_jobs,
        engine=engine,
        random_state=random_state,
        is_kept=folder is not None,
    )
    for note in plan.warned:
        warnings.warn(note, UserWarning, stacklevel=2)
    path = None if folder is None else Path(folder)
    try:
        outcome = runner.run(plan.experiment, plan.settings, path, fresh=fresh)
    except ResultsError as error:
        words = str(error).replace(" by --results", "").replace("--fresh", "fresh=True")
        raise ResultsError(words) from error
    return plan.complete_result(outcome.records)


def plan_comparison(  # noqa: PLR0913
    selectors: Mapping[str, Any] | Iterable[Any],
    data: Dataset,
    *,
    predictor: BaseEstimator | None = None,
    scoring: Any = None,
    cv: Any = 10,
    groups: ArrayLike | None = None,
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
    fills_gaps = isinstance(data.columns, FilledBlocks)
    data = compared_data(data)
    integer(0).check("random_state", random_state)
    integer(1).check("n_repeats", n_repeats)
    check_predictor(predictor, data.target_kind)
    check_scoring(scoring)
    ready = {
        name: told(selector, data, strict=False) for name, selector in named(selectors).items()
    }
    for name, one in ready.items():
        refuse_cluster_inside(engine, one.get_params(), name)
    folds, warned = make_folds(data, cv, n_repeats, random_state, groups)
    warned += tuple(_asking_for_too_many(ready, data.n_features))
    notes: tuple[str, ...] = ()
    if scoring is None:
        scoring = usual_scoring(data.y, data.target_kind)
        notes += (ABOUT_BALANCE,) * (scoring is not None)
    if fills_gaps:
        notes += (ABOUT_GAPS,)
    judge = Judge(data.target_kind, scoring, predictor, data.categorical)
    keys = {
        name: f"{name} {fingerprint_of_estimator(one)}" if is_kept else name
        for name, one in ready.items()
    }
    mark = fingerprint_of_estimator(predictor) if is_kept and predictor is not None else ""

    def pieces(trials: int, seed: int) -> list[Piece]:
        return [
            Piece(WORK, trial, part, keys[name], Work(name, selector, fold, judge, fills_gaps))
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
        belongs_to=_belongs_to(data, folds[0], judge, mark) if is_kept else {},
    )
    jobs = effective_n_jobs(n_jobs) if engine is None else 1
    settings = Settings(trials=n_repeats, jobs=jobs, seed=int(random_state), engine=engine)
    return ComparisonPlan(
        experiment, settings, data, tuple(ready), judge, folds, warned, (*warned, *notes)
    )


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
            X = data.X
            if work.fills_gaps:
                X = FillMissing(categorical=data.categorical).fit(X[work.fold[0]]).transform(X)
            outcome = evaluate_fold(work.selector, X, data.y, work.fold, work.judge)
        except (ValueError, TypeError, RuntimeError) as error:
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


def _belongs_to(
    data: Dataset, folds: Sequence[Fold], judge: Judge, mark: str
) -> dict[str, str | int]:
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
        "predictor": f"{judge.words} {mark}".strip(),
        "scoring": judge.criterion,
    }
