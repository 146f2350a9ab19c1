"""What must not change the value of any measure, unless a reason is written down."""

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hsieve import hsic, kernels, lsmi, measures, nhsic
from hsieve.interactions.pair_statistic import pair_statistics
from hsieve.measures import (
    HSIC,
    LSMI,
    NHSIC,
    FamilyScore,
    IndependenceTest,
    KernelRidge,
    KernelSVM,
    LinearSVM,
    Measure,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    Relief,
    Ridge,
    SpectralScore,
    SymmetricalUncertainty,
)
from tests.every_selector import named
from tests.properties.changes import CHANGES, N_FEATURES, Problem, difference, make_problem
from tests.properties.exceptions import CENTRES, EVIDENCE, NEIGHBOURS, PENALTY, PER_PAIR

MEASURES: dict[str, Measure] = {
    named(one): one
    for one in (
        HSIC(),
        HSIC(estimator="biased", kernel_x=kernels.Gaussian("narrow")),
        NHSIC(),
        LSMI(n_centres=10, n_folds=2, ridges=(0.01, 1.0), width_factors=(0.5, 1.0)),
        PairwiseHSIC(),
        PairwiseHSIC(normalised=False),
        Pearson(),
        Pearson(squared=True),
        MutualInformation(),
        MutualInformation(estimator="discretised"),
        MutualInformation(estimator="copula"),
        SymmetricalUncertainty(),
        FamilyScore(),
        IndependenceTest(),
        IndependenceTest("fisher-z"),
        Relief(),
        SpectralScore(),
        Ridge(),
        KernelRidge(),
        LinearSVM(),
        KernelSVM(),
    )
}
PRODUCTS_OF_KERNELS = "the kernel of classes is divided by their sizes"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "order of columns": {"LSMI": "of two features the later is the target of the fit"},
    "order of classes": {"LSMI": CENTRES},
    "samples twice": {
        "HSIC()": PER_PAIR,
        "HSIC(estimator='biased'": PRODUCTS_OF_KERNELS,
        "normalised=False": PRODUCTS_OF_KERNELS,
        "LSMI": CENTRES,
        "MutualInformation()": NEIGHBOURS,
        "estimator='copula'": "ranks of equal values are shared",
        "IndependenceTest": EVIDENCE,
        "Relief": NEIGHBOURS,
        "Ridge": PENALTY,
        "SVM": PENALTY,
    },
}
TOLERANCE = 5e-6
LOOSE = {
    "KernelSVM": (5e-3, "libsvm stops where slopes are within 1e-3"),
    "LSMI": (1e-4, "small ridges pass rounding on"),
}
N_SEEDS = 12
few = settings(deadline=None, max_examples=2)


def reason(change: str, name: str) -> str | None:
    """Say why a change may change a measure; parts in brackets name the whole beginning."""
    parts = EXCEPTIONS.get(change, {}).items()
    return next(
        (why for part, why in parts if name.startswith(part) or ("(" not in part and part in name)),
        None,
    )


def tolerance(name: str) -> float:
    return next((most for part, (most, _) in LOOSE.items() if part in name), TOLERANCE)


def numbers(measure: Measure, problem: Problem) -> np.ndarray:
    """Everything a measure says of single features, pairs and one set."""
    X = np.asarray(problem.X)
    bound: Any = measure.bind(X, problem.y)
    all_features = np.arange(X.shape[1])
    told = []
    for method in ("feature_scores", "relevance", "self_redundancy"):
        if hasattr(bound, method):
            told.append(getattr(bound, method)(all_features)[problem.places])
    if hasattr(bound, "redundancy"):
        table = bound.redundancy(all_features, all_features)
        told.append(table[problem.places][:, problem.places].ravel())
    if hasattr(bound, "subset_score"):
        told.append([bound.subset_score(np.sort(problem.places[[1, 3]]))])
    if hasattr(bound, "conditional_log_p"):
        # NaN says that there are too few samples for a test.
        log_p = bound.conditional_log_p(int(problem.places[1]), problem.places[[[0]]])
        told.append(np.nan_to_num(log_p, nan=1.0))
    return np.concatenate([np.ravel(part) for part in told])


def problem_of(seed: int) -> Problem:
    return make_problem(seed, classes=seed % 2 == 0)


def changed_by(name: str, change: str, seed: int) -> float:
    problem = problem_of(seed)
    if change == "copy":
        twice = np.column_stack([problem.X, problem.X[:, 1]])
        bound: Any = MEASURES[name].bind(twice, problem.y)
        of_one = bound.relevance if hasattr(bound, "relevance") else bound.feature_scores
        scores = of_one(np.arange(N_FEATURES + 1))
        return difference(scores[-1:], scores[1:2])
    changed = CHANGES[change](problem, np.random.default_rng([seed, 1]))
    return difference(numbers(MEASURES[name], changed), numbers(MEASURES[name], problem))


def test_no_public_measure_is_forgotten():
    public = (getattr(measures, name) for name in measures.__all__)
    classes = {
        one.__name__
        for one in public
        if inspect.isclass(one) and issubclass(one, Measure) and one is not Measure
    }
    assert classes - {type(one).__name__ for one in MEASURES.values()} == set()


@pytest.mark.parametrize("change", [*CHANGES, "copy"])
@pytest.mark.parametrize("name", MEASURES)
def test_a_change_of_the_data_does_not_change_the_measure(name, change):
    if reason(change, name) is not None:
        return

    @few
    @given(seed=st.integers(0, N_SEEDS - 1))
    def unchanged(seed):
        most = changed_by(name, change, seed)
        assert most <= tolerance(name), most

    unchanged()


NEEDED = [(change, part) for change, parts in EXCEPTIONS.items() for part in parts]


@pytest.mark.parametrize(("change", "part"), NEEDED)
def test_every_exception_is_needed(change, part):
    names = [name for name in MEASURES if reason(change, name) == EXCEPTIONS[change][part]]
    names = [name for name in names if part in name]
    assert names, f"{part!r} names no measure"
    for seed in range(N_SEEDS):
        if any(changed_by(name, change, seed) > tolerance(name) for name in names):
            return
    pytest.fail(f"{change}: nothing changes for {part!r}; it could promise that")


seeds = st.integers(0, 2**20)
many = settings(deadline=None, max_examples=15)


def two_tables(seed: int, n: int = 18) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.normal(size=(n, 2))


@many
@given(seed=seeds, sigma=st.floats(0.1, 10))
def test_nhsic_lies_between_zero_and_one(seed, sigma):
    X, Y = two_tables(seed)
    value = nhsic(X, Y[:, 0], kernel_x=kernels.Gaussian(sigma))
    assert -1e-12 <= value <= 1 + 1e-12


@many
@given(seed=seeds)
def test_hsic_is_symmetric_in_its_arguments(seed):
    X, Y = two_tables(seed)
    width = kernels.Gaussian(1.3)
    there = hsic(X, Y, kernel_x=width, kernel_y=width)
    assert there == pytest.approx(hsic(Y, X, kernel_x=width, kernel_y=width), abs=1e-13)


@many
@given(seed=seeds)
def test_biased_hsic_is_never_negative(seed):
    X, Y = two_tables(seed)
    assert hsic(X, Y[:, 0], estimator="biased") >= -1e-15


@many
@given(seed=seeds, shift=st.floats(-100, 100), scale=st.floats(1e-3, 1e3))
def test_lsmi_minds_neither_shift_nor_scale_of_both_sides(seed, shift, scale):
    X, Y = two_tables(seed)
    expected = lsmi(X, Y[:, 0]).value
    found = lsmi(X * scale + shift, Y[:, 0] * scale - shift).value
    assert found == pytest.approx(expected, abs=1e-5)


@many
@given(seed=seeds)
def test_pair_statistics_mind_neither_order_nor_scale_of_features(seed):
    X, Y = two_tables(seed, n=30)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    y = (Y[:, 0] > 0).astype(int)
    expected = pair_statistics(X, y, pairs)
    np.testing.assert_allclose(pair_statistics(X, y, pairs[:, ::-1]), expected, rtol=1e-9)
    np.testing.assert_allclose(pair_statistics(50 * X - 7, y, pairs), expected, rtol=1e-6)


@many
@given(seed=seeds)
def test_single_and_double_precision_give_the_same_contributions_up_to_rounding(seed):
    problem = make_problem(seed, classes=True)
    bounds = [
        HSIC(kernel_x=kernels.Gaussian("narrow"), precision=precision).bind(problem.X, problem.y)
        for precision in ("single", "double")
    ]
    single, double = (bound.contributions(np.arange(4), np.arange(5)) for bound in bounds)
    np.testing.assert_allclose(single, double, atol=1e-4 * np.abs(double).max())
