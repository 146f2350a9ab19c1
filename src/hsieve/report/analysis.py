"""All that there is to say of a selection, computed once.

Screen, page, files and notebooks render an :class:`Analysis` and compute nothing themselves. It
holds plain values only, so that it can be kept as JSON.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hsieve.data.survival import martingale_residuals
from hsieve.dataset import Dataset
from hsieve.inference.hsic_tests import FeatureTests
from hsieve.io.frames import pandas_frame
from hsieve.io.targets import survival_target
from hsieve.parameters import integer, word
from hsieve.report.curves import Names, curves, names_of
from hsieve.report.docstrings import parameter_meanings, spec_of
from hsieve.report.evidence import Evidence, declared, gather
from hsieve.report.p_values import given_the_others, p_values_of
from hsieve.report.panels import data_pictures, target_summary
from hsieve.report.pitfalls import pitfalls
from hsieve.report.repetition import (
    Origin,
    Repetition,
    changed_parameters,
    repetition,
    written_out,
)
from hsieve.report.sentences import (
    headline,
    noise_warning,
    notes_on,
    title_of,
    warnings_of,
)
from hsieve.report.tables import (
    Column,
    FeatureRow,
    PairRow,
    Steps,
    columns_of,
    feature_rows,
    pair_columns,
    pair_rows,
    steps_of,
)
from hsieve.selectors.base import BaseSelector
from hsieve.selectors.spec import ALONE
from hsieve.text import shortened

MOST_SHOWN = 500
P_VALUES = ("auto", "none", "gamma", "permutation")
LONGEST_TITLE, LONGEST_TARGET = 200, 60
LONGEST_TEXT = 1000
LONGEST_VALUE = 300


@dataclass(frozen=True)
class AnalysisOptions:
    """What an analysis is to hold; the first five as :meth:`BaseSelector.report` takes them."""

    title: str | None = None
    feature_names: Iterable[Any] | None = None
    target_name: str | None = None
    p_values: str | FeatureTests = "auto"
    n_shown: int | None = 300  # None for the chosen features
    n_substitutes: int | None = None  # None for three, unless that takes long
    pictures: bool = True
    seed: int = 0  # of permutations
    origin: Origin = field(default_factory=Origin)


@dataclass(frozen=True)
class Setting:
    """A parameter of the selector, its value written out, and what it means."""

    name: str
    value: str
    is_usual: bool
    meaning: str


@dataclass(frozen=True)
class Analysis:
    """What a fitted selector chose, why, and what to bear in mind.

    Made by ``selector.summary(X, y)``. Printed, it is a table with a few sentences; a notebook
    shows it too.

    Attributes
    ----------
    title, headline : str
        The finding in a few words, and in one sentence.
    warnings, reasons, notes : tuple of str
        What is wrong with the result, why :func:`hsieve.select` chose as it did, and how else the
        result came about.
    method, does : str
        Name of the selector's class, and what it does.
    references : tuple of str
        Where the method comes from.
    settings : tuple of Setting
        Its parameters; those that were changed come first.
    target_name : str
        What the target is called.
    n_samples : int or None
        Number of samples; None where the data were not given.
    n_features, n_selected, n_shown : int
        Number of all features, of the chosen ones, and of those with numbers from the data.
    columns : tuple of Column
        What is known of the features.
    features : tuple of FeatureRow
        The best features, at least all chosen ones, best first.
    pairs : tuple of PairRow
        Pairs and triples of features that matter together, best first.
    pair_columns : tuple of Column
        What is known of the pairs.
    steps : Steps or None
        What happened in the search, for kernel pursuit.
    p_values : str or None
        How single features were tested; None if they were not.
    data : dict
        Kinds of features, and the target in numbers.
    pitfalls : tuple of dict
        What to bear in mind, each a title and a text.
    repeat : Repetition
        How to get the selection again.
    pictures : tuple of dict
        Pictures as plain numbers that a page can draw.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> summary = N3LARS(3).fit(problem.X, problem.y).summary(problem.X, problem.y)
    >>> summary.headline
    'N3LARS chose 3 of 100 features from 300 samples: x..., x... and x....'
    >>> [len(row.substitutes) for row in summary.chosen]
    [1, 1, 1]
    """

    title: str
    headline: str
    warnings: tuple[str, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    method: str
    does: str
    references: tuple[str, ...]
    settings: tuple[Setting, ...]
    target_name: str
    n_samples: int | None
    n_features: int
    n_selected: int
    n_shown: int
    columns: tuple[Column, ...]
    features: tuple[FeatureRow, ...]
    pairs: tuple[PairRow, ...]
    pair_columns: tuple[Column, ...]
    steps: Steps | None
    p_values: str | None
    data: dict[str, Any]
    pitfalls: tuple[dict[str, str], ...]
    repeat: Repetition
    pictures: tuple[dict[str, Any], ...]

    @property
    def chosen(self) -> tuple[FeatureRow, ...]:
        """The chosen features, best first."""
        return tuple(row for row in self.features if row.chosen)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dictionaries, lists, texts, numbers, booleans and None."""
        return asdict(self)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each of ``features``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        keys = ["feature", *(column.key for column in self.columns)]
        rows = [{key: getattr(row, key) for key in keys} for row in self.features]
        for row in rows:
            if "substitutes" in row:
                row["substitutes"] = [one.name for one in row["substitutes"] or ()]
        return pandas_frame(rows, "to_dict()", columns=keys).set_index("feature")

    def __str__(self) -> str:
        from hsieve.report.screen import as_lines

        return as_lines(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def _repr_html_(self) -> str:
        from hsieve.report.screen import as_html

        return as_html(self)


def analyse(
    selector: BaseSelector, X: Any = None, y: Any = None, *, options: AnalysisOptions | None = None
) -> Analysis:
    """Look at a selection and its data once, and keep all that there is to say.

    Parameters
    ----------
    selector : BaseSelector
        A fitted selector.
    X : array-like, ColumnBlocks, Dataset or None, default=None
        The features it was fitted on. Without them nothing is said that needs values.
    y : array-like or None, default=None
        The target.
    options : AnalysisOptions or None, default=None
        What is wanted; None for the usual.

    Returns
    -------
    Analysis
        Plain values.

    Raises
    ------
    NotFittedError
        If the selector is not fitted.
    ValueError
        If the data are not those of the fit, or an option makes no sense.
    """
    options = AnalysisOptions() if options is None else options
    check_is_fitted(selector)
    _check(options, selector.n_features_in_)
    evidence, names, target_name = _gathered(selector, X, y, options)
    tests = p_values_of(selector, evidence, options.p_values, seed=options.seed)
    spec = spec_of(selector)
    given_others = given_the_others(selector, evidence) if tests else None
    rows = feature_rows(selector, evidence, tests, names, given_others)
    pairs = pair_rows(selector, names)
    origin = options.origin
    noise = noise_warning(
        selector,
        evidence,
        tests,
        target_name,
        sees_alone=spec.sees == ALONE and not origin.reasons,
    )
    title = options.title or title_of(
        selector, shortened(target_name, LONGEST_TARGET), names, is_noise=bool(noise)
    )
    return Analysis(
        title=shortened(title, LONGEST_TITLE),
        headline=headline(selector, evidence.n_samples, names),
        warnings=_texts([noise] if noise else [], warnings_of(selector, names), origin.warnings),
        reasons=_texts(origin.reasons),
        notes=_texts(
            origin.notes,
            notes_on(selector, rows, pairs, names, has_reasons=bool(origin.reasons)),
            evidence.notes,
        ),
        method=type(selector).__name__,
        does=spec.does,
        references=tuple(spec.references),
        settings=_settings(selector),
        target_name=target_name,
        n_samples=evidence.n_samples,
        n_features=int(selector.n_features_in_),
        n_selected=len(selector.selected_indices_),
        n_shown=min(len(evidence.features), len(rows)),
        columns=columns_of(selector, rows, spec.score),
        features=rows,
        pairs=pairs,
        pair_columns=pair_columns(pairs),
        steps=steps_of(selector, names),
        p_values=None if tests is None else tests.method,
        data=_data(selector, evidence, target_name),
        pitfalls=pitfalls(
            selector,
            evidence,
            rows,
            spec,
            p_values=tests is not None,
            number_is_found=origin.number_is_found,
        ),
        repeat=repetition(selector, evidence.n_samples, origin, names, target_name),
        pictures=_pictures(selector, evidence, names, target_name) if options.pictures else (),
    )


def _gathered(
    selector: BaseSelector, X: Any, y: Any, options: AnalysisOptions
) -> tuple[Evidence, list[str], str]:
    """Look at the data; return what they tell, and what features and target are called."""
    feature_names, target_name = options.feature_names, options.target_name
    levels = X.levels if isinstance(X, Dataset) else None
    groups = X.groups if isinstance(X, Dataset) else None
    if isinstance(X, Dataset):
        feature_names = X.names if feature_names is None else feature_names
        target_name = X.target_name if target_name is None else target_name
        X, y, times = X.columns, X.y, X.times
    else:
        times = survival_target(y, declared(selector, "target_kind", "auto"))
        y = y if times is None else martingale_residuals(times)
    names = names_of(selector, feature_names)
    target_name = str(target_name or getattr(y, "name", None) or "y")
    n_shown = options.n_shown or len(selector.selected_indices_)
    evidence = gather(
        selector,
        X,
        y,
        selector.path_.order[:n_shown],
        times=times,
        groups=groups,
        levels=levels,
        n_substitutes=options.n_substitutes,
        for_page=options.pictures,
    )
    return evidence, names, target_name


def pictures_of(
    selector: BaseSelector, X: Any, y: Any, options: AnalysisOptions
) -> tuple[dict[str, Any], ...]:
    """Make the pictures of an analysis, and nothing else."""
    check_is_fitted(selector)
    return _pictures(selector, *_gathered(selector, X, y, options))


def _check(options: AnalysisOptions, n_features: int) -> None:
    """Refuse options that make no sense, before any work."""
    if options.n_shown is not None:
        integer(1, MOST_SHOWN).check("n_shown", options.n_shown)
    if options.title is not None and not isinstance(options.title, str):
        msg = f"title must be a text or None, got {options.title!r}."
        raise ValueError(msg)
    if not isinstance(options.p_values, FeatureTests):
        word(*P_VALUES).check("p_values", options.p_values)
    elif (n_tested := len(options.p_values.p_values)) != n_features:
        msg = f"p_values must hold tests of all {n_features} features, got {n_tested}."
        raise ValueError(msg)


def _texts(*groups: Iterable[str]) -> tuple[str, ...]:
    """Show sentences that may hold names of any length, each once."""
    texts = dict.fromkeys(text for group in groups for text in group)
    return tuple(shortened(" ".join(text.split()), LONGEST_TEXT) for text in texts)


def _settings(selector: BaseSelector) -> tuple[Setting, ...]:
    """All parameters with their values and meanings; those that were changed come first."""
    changed = changed_parameters(selector)
    meanings = parameter_meanings(type(selector))
    given = selector.get_params(deep=False)
    in_order = [*changed, *(name for name in given if name not in changed)]
    return tuple(
        Setting(
            name,
            shortened(written_out(given[name]), LONGEST_VALUE),
            name not in changed,
            meanings.get(name, ""),
        )
        for name in in_order
    )


def _data(selector: BaseSelector, evidence: Evidence, target_name: str) -> dict[str, Any]:
    """Kinds of features, and the target."""
    n_constant = len(selector.constant_features_)
    n_categories = len(np.setdiff1d(evidence.categorical, selector.constant_features_))
    return {
        "kinds": {
            "numbers": int(selector.n_features_in_) - n_constant - n_categories,
            "categories": n_categories,
            "constant": n_constant,
        },
        "target": target_summary(evidence, target_name),
    }


def _pictures(
    selector: BaseSelector, evidence: Evidence, names: Sequence[str], target_name: str
) -> tuple[dict[str, Any], ...]:
    """Make the pictures: what was found comes first, the search last."""
    named = Names(names, selector.selected_indices_)
    return (*data_pictures(selector, evidence, named, target_name), *curves(selector, named))
