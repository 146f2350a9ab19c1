"""Tables of odd shapes at every estimator: nothing, next to nothing, many more columns than rows.

What the fuzzer meets by chance is asked of everyone here.
"""

import warnings

import numpy as np
import pytest

from tests.every_selector import ALL, SELECTORS, fresh, kind_of
from tests_long.fuzz.oracle import Refused, answer, check_answer

CLASSES = sorted({type(one).__name__ for one in ALL.values()})
ONE_OF_EACH = {type(one).__name__: one for one in reversed(ALL.values())}

EMPTY = {"no rows": (0, 3), "no columns": (6, 0), "nothing": (0, 0), "one sample": (1, 3)}
SMALL = {
    "two samples": (2, 3),
    "three samples": (3, 1),
    "one column": (8, 1),
    "eight columns, four samples": (4, 8),
}
# Beyond these many features they take minutes: every feature, or pair, costs a fit of its own.
NOT_FOR_MANY = {
    "QPFS": "the relevance of every pair of landmarks and features is asked for",
    "ForwardLSMI": "a cross validation for every feature",
    "BackwardLSMI": "a cross validation for every feature",
    "HITONPC": "a test for every feature and set of parents",
    "SpAM": "a spline basis for every feature",
    "InteractionScan": "all pairs",
}


@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("name", CLASSES)
def test_tables_without_anything_to_learn_from_are_refused(name, shape):
    if (name, shape) == ("FillMissing", "one sample"):
        return  # There is a median of one value.
    X = np.ones(EMPTY[shape])
    with pytest.raises(Refused):
        answer(ONE_OF_EACH[name], X, np.arange(len(X)) % 2)


@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("name", CLASSES)
def test_small_tables_are_answered_or_refused(name, shape):
    X = np.random.default_rng(0).normal(size=SMALL[shape])
    y = np.arange(len(X)) % 2
    try:
        fitted, told = answer(ONE_OF_EACH[name], X, y)
    except Refused:
        return
    check_answer(fitted, X, told)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_its_own_for_each_sample_is_refused(name):
    """A classifier may take it; nobody selects features by it."""
    X = np.random.default_rng(0).normal(size=(8, 3))
    names = np.array([f"sample {place}" for place in range(8)])
    if kind_of(ONE_OF_EACH[name]) == "transformer" or name == "LaplacianScore":
        answer(ONE_OF_EACH[name], X, names)
        return
    try:
        fitted, told = answer(ONE_OF_EACH[name], X, names)
    except Refused:
        return
    assert kind_of(fitted) == "classifier"
    check_answer(fitted, X, told)


def check_wide(n_features: int) -> None:
    """Fit everyone who is made for many features, and check the answer."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, n_features)), np.arange(12) % 2
    X[:, 7] += 4 * y
    for name in {type(one).__name__ for one in SELECTORS.values()} - set(NOT_FOR_MANY):
        fitted, told = answer(ONE_OF_EACH[name], X, y)
        check_answer(fitted, X, told)


def test_many_more_columns_than_rows():
    check_wide(1_000)


@pytest.mark.slow
def test_a_hundred_thousand_columns():
    check_wide(100_000)


def test_too_many_pairs_are_refused_before_any_work():
    scan = fresh(ONE_OF_EACH["InteractionScan"]).set_params(time_limit=1.0)
    X = np.random.default_rng(0).normal(size=(12, 20_000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="Look at fewer features with screen="):
            scan.fit(X, np.arange(12) % 2)
