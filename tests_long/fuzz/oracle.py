"""What any answer must be, whatever was given.

An input is answered or refused. A refusal is a ValueError or TypeError raised by this package or by
scikit-learn's checks of input, not by what lies below them. An answer holds together: scores are
finite, the ranking is one, what is selected is what the ranking has first, fewer features than
asked for are announced, and the only warnings are those that this package has words for.
"""

import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import hsieve
from hsieve import exceptions
from hsieve.data.validation import likely_kind_of
from hsieve.measures.base import DOUBLE_PRECISION
from tests.every_selector import fresh, kind_of, named, why_scale_matters
from tests.properties.exceptions import reason
from tests_long.fuzz.recipes import Case

__all__ = ["Refused", "answer", "check_again", "check_answer", "check_twin"]

OURS = Path(hsieve.__file__).parent
CHECKS = Path(sklearn.__file__).parent / "utils"
ANNOUNCED = tuple(
    one
    for one in (getattr(exceptions, name) for name in exceptions.__all__)
    if issubclass(one, Warning)
)
# Said by others in words of their own.
SAID_BY_OTHERS = {
    "L1SVM": "Liblinear failed to converge",  # at penalties next to none, for outliers alone
    "classifier": "`y` could represent a regression problem",  # scikit-learn, of many classes
}
# Share of the largest number of an answer by which the answer for the plain twin may differ.
TWIN_TOLERANCE = 1e-5
LOOSE_TWINS = {
    "KernelSVMRFE": 0.05,  # libsvm stops when the slopes are within 1e-3
}
# Differences of larger numbers, each of which is rounded in single precision.
SINGLE_TWINS = {"RandSel": 1e-7}
# Optima that are not unique, so that rounding decides between answers of one worth.
MANY_OPTIMA = {
    "QPFS": "copies share their weight in any way",
    "LPBoost": "a linear program may have an edge of optima",
    "LPBoostMKL": "copies share their weight in any way",
    "SparseFiltering": "a descent from a random start passes rounding on",
}
# The score is the reason for the place in the ranking, not only a part of it.
RANKED_BY_SCORE = ("ranking", "MaxRelevance", "FamilyRanking", "ReliefF", "SPEC", "LaplacianScore")


class Refused(Exception):
    """The input was refused in words."""


def answer(estimator: Any, X: Any, y: Any) -> tuple[Any, list[warnings.WarningMessage]]:
    """Fit a fresh copy; raise `Refused` for a refusal in words and pass all else on."""
    copy = fresh(estimator)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            copy.fit(X, y)
        except (ValueError, TypeError) as error:
            _check_refusal(error)
            raise Refused(str(error)) from error
    for one in told:
        names = (type(estimator).__name__, kind_of(estimator))
        said = any(SAID_BY_OTHERS.get(name, "nothing") in str(one.message) for name in names)
        known = said or issubclass(one.category, ANNOUNCED)
        assert known, f"unexplained: {one.category}: {one.message}"
    return copy, told


def _check_refusal(error: Exception) -> None:
    """Refusals come from checks, not from whatever broke further down."""
    known = type(error) in (ValueError, TypeError) or type(error).__module__ == exceptions.__name__
    place = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    if not known or not (place.is_relative_to(OURS) or place.is_relative_to(CHECKS)):
        raise AssertionError(f"not refused in words: {error!r} at {place}") from error
    assert len(str(error).split()) >= 4, f"too few words: {error!r}"


def check_answer(fitted: Any, X: Any, told: list[warnings.WarningMessage]) -> None:
    """Check that all parts of an answer fit together."""
    {"selector": _check_selector, "classifier": _check_classifier, "transformer": _check_learned}[
        kind_of(fitted)
    ](fitted, X, told)


def _check_selector(fitted: Any, X: Any, told: list[warnings.WarningMessage]) -> None:
    d, chosen = fitted.n_features_in_, fitted.selected_indices_
    assert fitted.scores_.shape == fitted.ranking_.shape == (d,)
    assert np.isfinite(fitted.scores_).all(), fitted.scores_
    assert sorted(fitted.ranking_) == list(range(1, d + 1)), fitted.ranking_
    np.testing.assert_array_equal(fitted.ranking_[chosen], np.arange(1, len(chosen) + 1))
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), fitted.path_.order)
    assert not set(chosen) & set(fitted.constant_features_)
    assert not fitted.scores_[fitted.constant_features_].any()
    wanted = fitted.n_features_to_select
    if wanted is not None:
        assert len(chosen) <= wanted
        said = any(issubclass(one.category, ANNOUNCED) for one in told)
        assert len(chosen) == wanted or said, f"{len(chosen)} of {wanted} without a word"
    if RANKED_BY_SCORE[0] in str(getattr(fitted, "strategy", "")) or (
        type(fitted).__name__ in RANKED_BY_SCORE and getattr(fitted, "n_screened", None) is None
    ):
        varying = np.setdiff1d(np.arange(d), fitted.constant_features_)
        in_order = fitted.scores_[varying][np.argsort(fitted.ranking_[varying])]
        # Of scores that differ by rounding the lower feature comes first.
        rounding = 10 * DOUBLE_PRECISION * np.abs(in_order).max(initial=0.0)
        assert (np.diff(in_order) <= rounding).all(), in_order
    if len(chosen):
        expected = np.asarray(X)[:, np.sort(chosen)]
        np.testing.assert_array_equal(np.asarray(fitted.transform(X)), expected)


def _check_classifier(fitted: Any, X: Any, told: list[warnings.WarningMessage]) -> None:
    assert np.isin(fitted.predict(X), fitted.classes_).all()
    decisions = fitted.decision_function(X)
    assert np.isfinite(decisions).all(), decisions
    if hasattr(fitted, "predict_proba"):
        chances = fitted.predict_proba(X)
        assert (chances >= 0).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-9)
    importances = getattr(fitted, "feature_importances_", np.zeros(1))
    assert np.isfinite(importances).all()
    assert (importances >= 0).all(), importances


def _check_learned(fitted: Any, X: Any, told: list[warnings.WarningMessage]) -> None:
    learned = np.asarray(fitted.transform(X), dtype=np.float64)
    assert np.isfinite(learned).all()
    if hasattr(fitted, "components_"):
        assert np.isfinite(fitted.components_).all()
        assert (learned >= 0).all()
        # Less than one only next to the offset, where the absolute is soft.
        assert ((learned**2).sum(axis=1) <= 1 + 1e-5).all()
    else:
        given = np.asarray(X, dtype=np.float64)
        np.testing.assert_array_equal(learned[~np.isnan(given)], given[~np.isnan(given)])


def check_again(fitted: Any, X: Any, y: Any) -> None:
    """The same data and seed give the same answer, to the last digit."""
    again, _ = answer(fitted, X, y)
    np.testing.assert_array_equal(_numbers_of(again, X), _numbers_of(fitted, X))


def check_twin(fitted: Any, case: Case, X: Any, y: Any) -> bool:
    """A table and its plain twin give the same answer; say whether there was one to compare."""
    plain, target = case.plain(), case.plain_target()
    comparable = case.has_twin and likely_kind_of(np.asarray(y)) == likely_kind_of(target)
    if kind_of(fitted) == "classifier":
        comparable &= case.target[0] == "classes"
    if why_scale_matters(fitted) is not None:
        comparable &= not case.is_scaled
    name = type(fitted).__name__
    # Single precision in a list is given as double.
    rounds_alike = not case.is_scaled and np.asarray(X).dtype == plain.dtype
    if not comparable or (name in MANY_OPTIMA and not rounds_alike):
        return False
    twin, _ = answer(fitted, plain, target)
    found, expected = _numbers_of(fitted, X), _numbers_of(twin, plain)
    if case.has_copies:
        # Rounding decides which of two copies goes first, and searches go on from there.
        if reason("copy", named(fitted)) is not None:
            return False
        found, expected = np.sort(found, axis=0), np.sort(expected, axis=0)
    largest = max(float(np.abs(expected).max()), np.finfo(float).tiny)
    tolerance = LOOSE_TWINS.get(name, TWIN_TOLERANCE) * largest
    if case.dtype == "float32":
        tolerance = max(tolerance, SINGLE_TWINS.get(name, 0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=max(tolerance, 1e-12))
    return True


def _numbers_of(fitted: Any, X: Any) -> np.ndarray:
    """Numbers of an answer that two answers are compared by."""
    kind = kind_of(fitted)
    if kind == "selector":
        return np.asarray(fitted.scores_)
    if kind == "classifier":
        return np.asarray(fitted.decision_function(X))
    return np.asarray(fitted.transform(X), dtype=np.float64)
