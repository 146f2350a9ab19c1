"""Tests of features: alone, given the others, and one that holds a result against chance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsieve.inference.conditional import LEAST_SAMPLES, conditional_tests
from hsieve.inference.feature_number import representative_rows
from hsieve.inference.hsic_tests import (
    MIN_GAMMA_SAMPLES,
    FeatureTests,
    among_all_features,
    feature_tests,
    least_p_value,
)
from hsieve.measures.hsic import HSIC
from hsieve.report.evidence import Evidence, declared, is_on_cluster
from hsieve.selectors.number_rules import samples_of

FloatArray = NDArray[np.floating]
IndexArray = NDArray[np.intp]

# Features times samples cubed, as the gamma test goes: some seconds on one core.
UNASKED_WORK = 5e10
# Samples of tests that were asked for: a test holds some matrices of this size squared.
MOST_TESTED_ROWS = 5000
# Chosen features, the best ones, that are held against chance.
N_HELD_AGAINST_CHANCE = 20
SIGNIFICANT = 0.05
# Up to so many chosen features, each is tested given the others: some seconds on one core.
MOST_GIVEN = 20


def p_values_of(
    selector: Any, evidence: Evidence, p_values: str | FeatureTests, *, seed: int
) -> FeatureTests | None:
    """Test single features, as far as that is asked for and possible.

    With "auto" as many of the best features are tested as takes a few seconds. Where a test is
    asked for by name, all features are tested if that takes a few seconds, else those shown. Those
    not tested count as p = 1 where others are adjusted, so that no adjusted p-value is too small.
    """
    if isinstance(p_values, FeatureTests):
        return p_values
    if p_values == "none" or evidence.target is None or evidence.blocks is None:
        return None
    if p_values == "auto":
        return _quick_tests(selector, evidence)
    blocks, leading, tested = evidence.blocks, evidence.target.shown, evidence.features
    rows = representative_rows(
        np.zeros(blocks.n_samples) if leading is None else leading, MOST_TESTED_ROWS
    )
    if blocks.n_features * len(rows) ** 3 <= UNASKED_WORK and not is_on_cluster(selector):
        tested = np.arange(blocks.n_features)
    if not len(tested):
        return None
    values = samples_of(blocks, tested, rows)
    return _tested(selector, evidence, values, tested, rows, method=p_values, seed=seed)


def _quick_tests(selector: Any, evidence: Evidence) -> FeatureTests | None:
    """Test as many of the features looked at as takes a few seconds."""
    rows, values = evidence.rows, evidence.values
    if rows is None or values is None or evidence.relevance is None:
        return None
    tested = evidence.features[: int(UNASKED_WORK // len(rows) ** 3)]
    if len(tested) == 0 or len(rows) < MIN_GAMMA_SAMPLES:
        return None
    return _tested(selector, evidence, values[:, : len(tested)], tested, rows)


def _tested(  # noqa: PLR0917 - what is tested, where and how
    selector: Any,
    evidence: Evidence,
    values: FloatArray,
    tested: IndexArray,
    rows: IndexArray,
    method: str = "gamma",
    seed: int = 0,
) -> FeatureTests:
    """Test features by their values in some of the samples."""
    target = evidence.target
    assert target is not None
    measure = HSIC(
        categorical=evidence.categories_among(tested),
        target_kind=target.read_as,
        kernel_y=declared(selector, "kernel_y", None),
    )
    found = feature_tests(
        values,
        target.tested(rows),
        measure=measure,
        method=method,
        groups=None if evidence.groups is None else evidence.groups[rows],
        random_state=seed,
    )
    return among_all_features(found, tested, selector.n_features_in_)


def given_the_others(selector: Any, evidence: Evidence) -> FloatArray | None:
    """Test each chosen feature given the other chosen ones; NaN for features that are not chosen.

    None where one feature or none is chosen, or too many for a quick and reliable test.
    """
    target, rows, values = evidence.target, evidence.rows, evidence.values
    is_chosen = np.isin(evidence.features, selector.selected_indices_)
    places = np.flatnonzero(is_chosen)
    n_chosen = len(selector.selected_indices_)
    if target is None or rows is None or values is None or evidence.relevance is None:
        return None
    if not 1 < len(places) == n_chosen <= MOST_GIVEN or len(rows) < 2 * LEAST_SAMPLES:
        return None
    found = conditional_tests(
        values[:, places],
        target.tested(rows),
        categorical=evidence.categories_among(evidence.features[places]),
        target_kind=target.read_as,
    )
    p_values = np.full(len(evidence.features), np.nan)
    p_values[places] = found.p_values
    return p_values


def chance_of(selector: Any, evidence: Evidence, tests: FeatureTests | None) -> float | None:
    """Least p-value of the best chosen features, adjusted for the number of all features.

    Where none was chosen it is that of the best ones; where nothing can be tested it is None. Tests
    that were made already serve, but for permutations, which cannot give p-values small enough.
    """
    chosen = selector.selected_indices_[:N_HELD_AGAINST_CHANCE]
    if not len(chosen):
        chosen = selector.path_.order[:N_HELD_AGAINST_CHANCE]
    target, blocks = evidence.target, evidence.blocks
    if not len(chosen) or target is None or target.kind == "gram" or blocks is None:
        return None
    n_features = blocks.n_features
    if tests is not None and tests.method == "gamma":
        least = tests.p_values[chosen].min()
        if np.isfinite(least):
            return min(1.0, float(least) * n_features)
    # Quick tests take samples for independent.
    if evidence.groups is not None:
        return None
    if is_on_cluster(selector) or blocks.n_samples < MIN_GAMMA_SAMPLES:
        return None
    try:
        return least_p_value(
            blocks.read(chosen),
            target.values if target.times is None else target.times,
            n_features,
            categorical=evidence.categories_among(chosen),
            target_kind=target.read_as,
        )
    except ValueError:  # such a target cannot be tested, say a class of a single sample
        return None
