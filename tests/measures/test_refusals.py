"""Targets and settings with which every answer would be nonsense are refused in words."""

import inspect

import numpy as np
import pytest

from hsieve import (
    BAHSIC,
    FOHSIC,
    HSIC,
    MRMR,
    N3LARS,
    NHSIC,
    DependenceSelector,
    FamilyRanking,
    KernelRidge,
    MutualInformation,
    PairwiseHSIC,
    ReliefF,
    SpectralScore,
    feature_tests,
    hsic,
    hsic_test,
    kernels,
    measures,
    nhsic,
    pair_statistics,
)
from hsieve.data.validation import target_kind_of
from hsieve.measures.base import Measure

NO_ANSWER = "every feature would score zero"


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 6))
    return X, X[:, 1] ** 2 + np.sin(2 * X[:, 3])


@pytest.mark.parametrize("function", [hsic, nhsic, hsic_test, feature_tests])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["X", "y"])
def test_missing_and_infinite_values_never_become_a_p_value(function, value, where, data):
    X, y = (array.copy() for array in data)
    (X if where == "X" else y).flat[3] = value
    with pytest.raises(ValueError, match=f"{where}.*(NaN|missing|infinit)"):
        function(X, y)


@pytest.mark.parametrize("selector", [BAHSIC(1), FOHSIC(1), DependenceSelector()], ids=repr)
def test_a_class_of_one_sample_is_invisible_to_the_unbiased_estimator(selector, data):
    y = np.zeros(60, dtype=int)
    y[7] = 1
    with pytest.raises(ValueError, match="estimator='biased'"):
        selector.fit(data[0], y)


@pytest.mark.parametrize("selector", [BAHSIC(1), DependenceSelector(NHSIC()), N3LARS(1)], ids=repr)
def test_samples_that_are_all_classes_of_their_own_are_refused(selector, data):
    with pytest.raises(ValueError, match=NO_ANSWER):
        selector.fit(data[0], [f"sample {i}" for i in range(60)])


@pytest.mark.parametrize("value", [1.0, 0.0])
def test_a_constant_gram_matrix_is_refused(value, data):
    with pytest.raises(ValueError, match=NO_ANSWER):
        BAHSIC(1, kernel_y=kernels.Precomputed()).fit(data[0], np.full((60, 60), value))


def test_a_gram_matrix_of_small_numbers_is_taken(data):
    X, y = data
    gram = kernels.Gaussian(1.0).gram(y)
    measure = HSIC(kernel_y=kernels.Precomputed())
    small, plain = (measure.bind(X, scale * gram).subset_score([1, 3]) for scale in (1e-25, 1.0))
    assert small == pytest.approx(1e-25 * plain, rel=1e-9, abs=0.0)


def test_ranks_of_few_samples_are_numbers_not_classes(rng):
    X = rng.normal(size=(18, 5))
    ranks = np.argsort(np.argsort(X[:, 3]))
    assert target_kind_of(ranks) == "continuous"
    assert FOHSIC(1).fit(X, ranks).selected_indices_.tolist() == [3]
    assert hsic_test(X[:, [3]], ranks).p_value == pytest.approx(
        hsic_test(X[:, [3]], ranks.astype(float)).p_value
    )


@pytest.mark.parametrize("dtype", ["uint64", "int64", object])
@pytest.mark.parametrize("selector", [MRMR(1), N3LARS(1), BAHSIC(1), ReliefF(1)], ids=repr)
def test_whole_numbers_that_would_be_rounded_into_one_are_refused(selector, dtype, rng):
    X = rng.normal(size=(9, 2))
    y = (np.arange(9, dtype=np.uint64) + np.uint64(2**53 + 1)).astype(dtype)
    with pytest.raises(ValueError, match=r"holds 9007199254740993, an integer beyond 2\^53"):
        selector.fit(X, y)


@pytest.mark.parametrize(
    "y", [-(2**53) - 1 - np.arange(9), np.array([0.5, 1.5, 2.5, 2**64] * 2, dtype=object)]
)
def test_negative_ones_and_those_beside_fractions_are_refused_too(y, rng):
    with pytest.raises(ValueError, match=r"holds (-9007199254740993|18446744073709551616), an int"):
        MRMR(1).fit(rng.normal(size=(len(y), 2)), y)


def test_classes_may_have_long_names_and_numbers_up_to_the_last_exact_one_are_taken(rng):
    X = rng.normal(size=(12, 3))
    long = np.repeat(np.array([2**63, 2**63 + 1], dtype=np.uint64), 6)
    expected = MRMR(2).fit(X, np.repeat([0, 1], 6)).scores_.tolist()
    for names in (long, long.astype(object)):
        assert MRMR(2).fit(X, names).scores_.tolist() == expected
    assert target_kind_of(2**53 - np.arange(12)) == "continuous"


def test_the_first_feature_of_a_forward_search_has_its_own_width():
    agree = 0
    for seed in range(10):
        generator = np.random.default_rng(seed)
        X = generator.normal(size=(100, 20))
        y = X[:, 0] + 1.5 * generator.normal(size=100)
        kernel = kernels.Gaussian("maximise")
        first = FOHSIC(1, kernel_x=kernel).fit(X, y)
        best = DependenceSelector(HSIC(kernel_x=kernel), n_features_to_select=1).fit(X, y)
        agree += first.selected_indices_[0] == best.selected_indices_[0]
        assert first.path_.feature_scores[0] == pytest.approx(first.path_.set_scores[0])
    assert agree == 10


@pytest.mark.parametrize(
    "use",
    [
        lambda X, y, rule: hsic(X, y, kernel_x=rule),
        lambda X, y, rule: hsic(X, y, kernel_y=rule),
        lambda X, y, rule: feature_tests(X, y, measure=HSIC(kernel_x=rule)),
        lambda X, y, rule: KernelRidge(kernel_x=rule).bind(X, y).subset_score([0, 1]),
    ],
)
def test_maximise_is_refused_where_nothing_is_maximised(use, data):
    with pytest.raises(ValueError, match="'maximise'"):
        use(*data, kernels.Gaussian("maximise"))


@pytest.mark.parametrize("scale", [1e-4, 1e-8, 1e-12])
def test_nhsic_does_not_depend_on_small_scales(scale, rng):
    x = rng.normal(size=30)
    value = nhsic(scale * x, x, kernel_x=kernels.Linear(), kernel_y=kernels.Linear())
    assert value == pytest.approx(1.0)


def test_one_constant_output_among_several_does_no_harm(data):
    X, _ = data
    Y = np.column_stack([X[:, 4], np.zeros(60)])
    assert FamilyRanking(1).fit(X, Y).selected_indices_.tolist() == [4]


@pytest.mark.parametrize("measure", [HSIC, NHSIC, KernelRidge])
def test_a_kernel_that_vanishes_is_refused_by_every_measure(measure, data):
    X, y = data
    bound = measure(kernel_x=kernels.Gaussian(1e-3)).bind(X, y)
    with pytest.raises(ValueError, match="No two samples are similar"):
        bound.subset_score(np.arange(6))
    bound = measure(kernel_x=kernels.Laplace(1e-4)).bind(X, y)
    with pytest.raises(ValueError, match="No two samples are similar"):
        bound.subset_score(np.arange(6))


def test_categories_that_can_be_read_only_once_are_refused(data):
    with pytest.raises(ValueError, match="more than once"):
        BAHSIC(1, categorical=(i for i in [2])).fit(*data)


def test_a_gram_matrix_without_a_word_is_warned_of(data):
    X, _ = data
    with pytest.warns(UserWarning, match="kernel_y=Precomputed"):
        FOHSIC(1).fit(X, X @ X.T)


def test_more_outputs_than_samples_are_outputs(rng):
    X, Y = rng.normal(size=(20, 3)), rng.normal(size=(20, 30))
    Y[:, :15] += 3 * X[:, [1]]
    assert FOHSIC(1).fit(X, Y).selected_indices_.tolist() == [1]


def test_a_square_of_truth_values_is_no_gram_matrix(data):
    X, _ = data
    above = X[:, [1]] > X[:, 1]
    alike = above == above.T
    assert nhsic(X, alike) == pytest.approx(nhsic(X, alike.astype(int)))


@pytest.mark.parametrize("n_samples", [59, 61])
@pytest.mark.parametrize(
    "measure", [HSIC(), NHSIC(), MutualInformation(), SpectralScore(), PairwiseHSIC()], ids=repr
)
def test_a_target_of_another_length_is_refused(measure, n_samples, data):
    y = np.arange(n_samples) % 2
    with pytest.raises(ValueError, match=f"X has 60 samples but y has {n_samples}"):
        measure.bind(data[0], y)


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: BAHSIC(1, kernel_x="gaussian").fit(X, y),
        lambda X, y: BAHSIC(1, kernel_y=kernels.Gaussian).fit(X, y),
        lambda X, y: hsic(X, y, kernel_x="rbf"),
        lambda X, y: feature_tests(X[:, 0], y),
        lambda X, y: hsic_test(X, y, n_permutations=9.5),
        lambda X, y: BAHSIC(1, step="a").fit(X, y),
        lambda X, y: BAHSIC(1, step=np.inf).fit(X, y),
        lambda X, y: BAHSIC(1, n_contexts="a").fit(X, y),
        lambda X, y: BAHSIC(1, kernel_x=kernels.Polynomial("a")).fit(X, y),
        lambda X, y: DependenceSelector(HSIC).fit(X, y),
    ],
)
def test_wrong_types_get_a_sentence(call, data):
    with pytest.raises((ValueError, TypeError), match=r"must be|cannot search|Expected 2D array"):
        call(*data)


def every_measure():
    """All public measures that take a plain table and one target."""
    found = filter(inspect.isclass, (getattr(measures, name) for name in measures.__all__))
    return [one for one in found if issubclass(one, Measure) and not inspect.isabstract(one)]


@pytest.mark.parametrize("measure", every_measure(), ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("n_targets", [59, 61])
def test_targets_of_another_length_are_refused_when_they_are_bound(measure, kind, n_targets, rng):
    X = rng.normal(size=(60, 3))
    y = rng.normal(size=n_targets) if kind == "numbers" else np.arange(n_targets) % 2
    with pytest.raises(
        ValueError, match=rf"60 samples but y has {n_targets}|{n_targets} samples of y"
    ):
        measure().bind(X, y)


def test_target_kernels_that_there_are_not(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"must be .*'linear'.*, got 'lienar'"):
        pair_statistics(X, X[:, 0], [(0, 1)], target_kernel="lienar")
