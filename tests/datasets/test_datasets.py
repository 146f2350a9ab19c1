"""Synthetic problems: each recipe is checked against what its mathematics says."""

import numpy as np
import pytest

from hsieve.data.spectra import power_spectra
from hsieve.datasets import (
    PROBLEMS,
    Problem,
    make_and_or,
    make_fake_class,
    make_frequency_bands,
    make_linear_weston,
    make_n3lars,
    make_nonlinear_weston,
    make_problem,
    make_quad,
    make_xor,
    make_xor_toy,
    make_zhang_feature_outliers,
    make_zhang_sample_outliers,
)

LARGE = 20_000
# A mean of LARGE draws of unit variance lies within 5 deviations but for a chance of 6e-7.
BAND = 5 / np.sqrt(LARGE)
ALL_NAMES = sorted(PROBLEMS)
THESIS_MAKERS = [
    make_fake_class,
    make_linear_weston,
    make_zhang_sample_outliers,
    make_zhang_feature_outliers,
    make_nonlinear_weston,
]
XOR_VARIANTS = [
    ("binary", "gaussian"),
    ("clustered", "gaussian"),
    ("clustered", "same"),
    ("continuous", "gaussian"),
]


def standardised(columns):
    """Return columns with mean zero and unit deviation."""
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


def correlations(X, y):
    """Return the Pearson correlation of each column with y."""
    return standardised(X).T @ standardised(np.asarray(y, dtype=float)) / len(y)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_every_problem_keeps_the_promises_of_its_type(name):
    problem = make_problem(name, random_state=0)
    n_samples, n_features = problem.X.shape
    assert isinstance(problem, Problem)
    assert problem.name == name
    assert problem.X.dtype == np.float64
    assert problem.X.flags.c_contiguous
    assert np.isfinite(problem.X).all()
    assert problem.y.shape == (n_samples,)
    assert np.issubdtype(problem.relevant.dtype, np.integer)
    assert (np.diff(problem.relevant) > 0).all()
    assert set(problem.relevant.tolist()) <= set(range(n_features))
    assert problem.n_relevant == len(problem.relevant)
    assert problem.description.endswith(".")
    kinds = {"classes": np.int64, "continuous": np.float64}
    assert problem.y.dtype == kinds[problem.target_kind]
    if problem.target_kind == "classes":
        assert len(np.unique(problem.y)) == 2


@pytest.mark.parametrize(
    ("name", "shape", "n_relevant"),
    [
        ("and-or", (400, 10), 4),
        ("quad", (400, 10), 2),
        ("xor-toy", (400, 10), 2),
        ("fake-class", (300, 200), 0),
        ("linear-weston", (300, 200), 10),
        ("zhang-sample", (300, 200), 10),
        ("zhang-feature", (300, 200), 10),
        ("nonlinear-weston", (300, 200), 10),
        ("xor", (300, 200), 2),
        ("n3lars", (300, 2000), 3),
    ],
)
def test_default_sizes_are_those_of_the_papers(name, shape, n_relevant):
    problem = make_problem(name, random_state=0)
    assert problem.X.shape == shape
    np.testing.assert_array_equal(problem.relevant, np.arange(n_relevant))


@pytest.mark.parametrize("name", ALL_NAMES)
def test_same_seed_gives_same_data_and_another_seed_other_data(name):
    first, again, other = (make_problem(name, random_state=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_a_generator_is_advanced_and_equals_its_seed(name):
    rng = np.random.default_rng(7)
    first, second = make_problem(name, random_state=rng), make_problem(name, random_state=rng)
    np.testing.assert_array_equal(first.X, make_problem(name, random_state=7).X)
    assert not np.array_equal(first.X, second.X)


@pytest.mark.parametrize("random_state", [None, 3])
@pytest.mark.parametrize("name", ALL_NAMES)
def test_the_global_random_state_is_untouched(name, random_state):
    before = np.random.get_state()  # noqa: NPY002 - the global state is what is tested
    make_problem(name, n_samples=20, random_state=random_state)
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]


def test_and_or_is_the_formula_with_known_class_share_and_flips():
    problem = make_and_or(LARGE, random_state=0)
    bits = problem.X.astype(bool)
    truth = (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])
    np.testing.assert_array_equal(problem.y, truth)
    assert abs(problem.y.mean() - 7 / 16) < BAND
    np.testing.assert_allclose(bits[:, :7].mean(axis=0), 0.5, atol=BAND)
    np.testing.assert_allclose((bits[:, 7:] != truth[:, None]).mean(axis=0), 0.2, atol=BAND)


def test_and_or_flips_are_independent_of_one_another_and_of_the_truth():
    problem = make_and_or(LARGE, random_state=1)
    flips = problem.X[:, 7:] != problem.y[:, None]
    together = np.corrcoef(np.column_stack([flips, problem.y]), rowvar=False)
    np.testing.assert_allclose(together, np.eye(4), atol=BAND)


def test_quad_leaves_exactly_the_stated_noise():
    problem = make_quad(LARGE, random_state=0)
    x0, x1 = problem.X[:, 0], problem.X[:, 1]
    residual = problem.y - (x0**2 + x1) / (0.5 + (x1 + 1.5) ** 2)
    assert abs(residual.mean()) < 0.1 * BAND
    assert abs(residual.std() - 0.1) < 0.1 * BAND
    np.testing.assert_allclose(correlations(problem.X, residual), 0, atol=BAND)


def test_quad_relatives_are_half_the_original_plus_a_uniform():
    problem = make_quad(LARGE, random_state=0)
    uniform = problem.X[:, 8:] - 0.5 * problem.X[:, :2]
    assert np.abs(uniform).max() <= 1
    np.testing.assert_allclose(uniform.mean(axis=0), 0, atol=BAND)
    np.testing.assert_allclose(uniform.var(axis=0), 1 / 3, atol=BAND)
    np.testing.assert_allclose(problem.X[:, :8].mean(axis=0), 0, atol=BAND)
    np.testing.assert_allclose(problem.X[:, :8].std(axis=0), 1, atol=BAND)


def test_xor_toy_is_the_formula_with_fair_and_biased_coins():
    problem = make_xor_toy(LARGE, random_state=0)
    assert set(np.unique(problem.X)) == {0.0, 1.0}
    np.testing.assert_array_equal(problem.y, problem.X[:, 0] != problem.X[:, 1])
    np.testing.assert_allclose(problem.X[:, :5].mean(axis=0), 0.5, atol=BAND)
    np.testing.assert_allclose(problem.X[:, 5:].mean(axis=0), 0.75, atol=BAND)


@pytest.mark.parametrize("maker", THESIS_MAKERS)
def test_thesis_labels_are_fair_signs(maker):
    y = maker(LARGE, 10, random_state=0).y
    assert set(np.unique(y)) == {-1, 1}
    assert abs(y.mean()) < BAND


def test_fake_class_labels_say_nothing_while_the_groups_remain():
    problem = make_fake_class(LARGE, 12, random_state=0)
    assert problem.n_relevant == 0
    np.testing.assert_allclose(correlations(problem.X, problem.y), 0, atol=BAND)
    # Two true features share the group's sign s: cov = E[(0.25 s)^2] and var = 1 + 0.25^2.
    between = np.corrcoef(problem.X, rowvar=False)[:10, :10][np.triu_indices(10, 1)]
    np.testing.assert_allclose(between, 0.0625 / 1.0625, atol=BAND)


def test_linear_weston_moments_follow_the_mixture():
    problem = make_linear_weston(LARGE, 14, random_state=0)
    aligned = problem.y[:, None] * problem.X
    steps = np.arange(1, 6)
    mean = np.r_[0.7 * steps, 0.3 * steps, np.zeros(4)]
    variance = np.r_[1 + 0.21 * steps**2, 1 + 0.21 * steps**2, np.full(4, 20.0)]
    z = (aligned.mean(axis=0) - mean) / np.sqrt(variance / LARGE)
    assert np.abs(z).max() < 5
    np.testing.assert_allclose(problem.X[:, 10:].var(axis=0), 20, rtol=2 * BAND)


def test_linear_weston_halves_take_turns():
    problem = make_linear_weston(LARGE, 10, random_state=0)
    aligned = problem.y[:, None] * problem.X
    # Features 4 and 9 have mean 5 when their half speaks and 0 when silent; never both.
    first_speaks = aligned[:, 4] > aligned[:, 9]
    assert abs(first_speaks.mean() - 0.7) < BAND
    assert (aligned[:, [4, 9]] > 2.5).all(axis=1).mean() < 0.01


def test_zhang_sample_outliers_are_five_percent_of_rows_with_tenfold_deviation():
    problem = make_zhang_sample_outliers(400, 1000, random_state=0)
    noise = problem.X.copy()
    noise[:, :10] -= 0.25 * problem.y[:, None]
    deviation = noise.std(axis=1)
    outlying = deviation > 5
    assert outlying.sum() == 20
    np.testing.assert_allclose(deviation[outlying], 10, rtol=0.15)
    np.testing.assert_allclose(deviation[~outlying], 1, rtol=0.15)


def test_zhang_feature_outliers_touch_only_true_features():
    problem = make_zhang_feature_outliers(LARGE, 20, random_state=0)
    noise = problem.X[:, :10] - 0.25 * problem.y[:, None]
    # Fourth and second moments of 0.95 N(0, 1) + 0.05 N(0, 100).
    variance, fourth = 0.95 + 0.05 * 100, 3 * (0.95 + 0.05 * 100**2)
    spread = np.sqrt((fourth - variance**2) / LARGE)
    np.testing.assert_allclose(noise.var(axis=0), variance, atol=5 * spread)
    np.testing.assert_allclose(problem.X[:, 10:].var(axis=0), 1, atol=2 * BAND)
    # |N(0, 1)| > 5 hardly ever happens, |N(0, 100)| > 5 with probability 0.617.
    far = np.abs(noise) > 5
    assert abs(far.mean() - 0.05 * 0.617) < BAND / np.sqrt(10)


@pytest.mark.parametrize("maker", [make_zhang_sample_outliers, make_zhang_feature_outliers])
def test_zhang_class_means_lie_half_a_unit_apart(maker):
    problem = maker(LARGE, 20, random_state=0)
    gap = problem.X[problem.y > 0].mean(axis=0) - problem.X[problem.y < 0].mean(axis=0)
    largest_deviation = np.sqrt(0.95 + 5)
    band = 2 * largest_deviation * BAND
    np.testing.assert_allclose(gap, np.r_[np.full(10, 0.5), np.zeros(10)], atol=band)
    # Outliers keep their medians, and ten features together narrow the band.
    aligned = problem.y[:, None] * problem.X[:, :10]
    assert abs(np.median(aligned) - 0.25) < 2 * BAND / np.sqrt(10)


def test_nonlinear_weston_clusters_sit_at_their_centres():
    problem = make_nonlinear_weston(LARGE, 10, random_state=0)
    for label, centre in ((-1, np.linspace(-0.75, -3, 10)), (1, np.linspace(3, -3, 10))):
        rows = problem.X[problem.y == label]
        side = np.sign(rows @ centre)
        assert abs(side.mean()) < 2 * BAND
        np.testing.assert_allclose((side[:, None] * rows).mean(axis=0), centre, atol=2 * BAND)
        within = rows - side[:, None] * centre
        np.testing.assert_allclose(np.cov(within, rowvar=False), np.eye(10), atol=3 * BAND)


def test_nonlinear_weston_has_equal_class_means():
    problem = make_nonlinear_weston(LARGE, 12, random_state=0)
    np.testing.assert_allclose(correlations(problem.X, problem.y), 0, atol=BAND)


@pytest.mark.parametrize("maker", [make_linear_weston, make_nonlinear_weston])
def test_noise_variance_scales_only_irrelevant_features(maker):
    usual = maker(50, 15, random_state=0)
    louder = maker(50, 15, noise_variance=80.0, random_state=0)
    np.testing.assert_array_equal(usual.X[:, :10], louder.X[:, :10])
    np.testing.assert_allclose(2 * usual.X[:, 10:], louder.X[:, 10:])


@pytest.mark.parametrize(("kind", "noise"), XOR_VARIANTS)
def test_xor_hides_from_single_features_and_shows_in_the_pair(kind, noise):
    problem = make_xor(LARGE, 6, kind=kind, noise=noise, random_state=0)
    assert abs(problem.y.mean()) < BAND
    for transform in (lambda X: X, np.square, np.abs):
        columns = transform(problem.X - problem.X.mean(axis=0))
        varying = columns.std(axis=0) > 0.05
        np.testing.assert_allclose(correlations(columns[:, varying], problem.y), 0, atol=BAND)
    centred = standardised(problem.X)
    products = centred[:, :2].prod(axis=1)
    # For standard normals E|x0| E|x1| = 2 / pi, the least of the three kinds.
    assert (products * problem.y).mean() > 2 / np.pi - BAND


@pytest.mark.parametrize(("kind", "noise"), XOR_VARIANTS)
def test_xor_label_is_independent_of_each_sign(kind, noise):
    problem = make_xor(LARGE, 3, kind=kind, noise=noise, random_state=0)
    middle = 0.5 if kind == "binary" else 0.0
    for column in problem.X.T:
        assert abs(np.mean(problem.y[column > middle] > 0) - 0.5) < BAND


def test_xor_binary_and_continuous_labels_follow_from_the_features():
    binary = make_xor(500, 5, kind="binary", random_state=0)
    assert set(np.unique(binary.X)) == {0.0, 1.0}
    np.testing.assert_array_equal(binary.y > 0, binary.X[:, 0] == binary.X[:, 1])
    continuous = make_xor(500, 5, kind="continuous", random_state=0)
    np.testing.assert_array_equal(continuous.y, np.sign(continuous.X[:, 0] * continuous.X[:, 1]))


def test_xor_clusters_have_deviation_three_tenths():
    problem = make_xor(LARGE, 4, random_state=0)
    centres = np.sign(problem.X[:, :2])
    np.testing.assert_allclose((problem.X[:, :2] - centres).std(axis=0), 0.3, atol=BAND)
    # A sign is lost only beyond 3.3 deviations, so the signs tell y nearly always.
    assert np.mean(centres.prod(axis=1) == problem.y) > 0.995


@pytest.mark.parametrize(("noise", "fourth_moment"), [("gaussian", 3.0), ("same", 1.3)])
def test_xor_other_features_follow_the_law_asked_for(noise, fourth_moment):
    X = make_xor(LARGE, 4, noise=noise, random_state=0).X[:, 2:]
    # Clusters: (1 + 6 s^2 + 3 s^4) / (1 + s^2)^2 = 1.32 for s = 0.3; normal: 3.
    kurtosis = np.mean(standardised(X) ** 4, axis=0)
    np.testing.assert_allclose(kurtosis, fourth_moment, atol=0.25)


def test_xor_shuffle_only_moves_columns():
    plain = make_xor(60, 30, random_state=0)
    moved = make_xor(60, 30, shuffle=True, random_state=0)
    np.testing.assert_array_equal(plain.y, moved.y)
    np.testing.assert_array_equal(np.sort(plain.X, axis=1), np.sort(moved.X, axis=1))
    true_columns = {column.tobytes() for column in plain.X[:, :2].T}
    assert {moved.X[:, j].tobytes() for j in moved.relevant} == true_columns
    assert moved.X.flags.c_contiguous
    assert plain.relevant.tolist() == [0, 1]


def test_xor_shuffle_reaches_other_columns():
    places = {make_xor(4, 30, shuffle=True, random_state=s).relevant[0] for s in range(20)}
    assert len(places) > 5


def test_n3lars_leaves_exactly_the_stated_noise():
    problem = make_n3lars(LARGE, 10, random_state=0)
    x0, x1, x2 = problem.X[:, :3].T
    residual = problem.y - x0 * np.exp(x1) - x2
    assert abs(residual.mean()) < 0.1 * BAND
    assert abs(residual.std() - 0.1) < 0.1 * BAND
    np.testing.assert_allclose(np.cov(problem.X[:, :5], rowvar=False), np.eye(5), atol=2 * BAND)


@pytest.mark.parametrize("noise", [0.01, 0.5])
def test_n3lars_second_half_copies_the_first(noise):
    problem = make_n3lars(LARGE, 10, noise=noise, random_state=0)
    difference = problem.X[:, 5:] - problem.X[:, :5]
    np.testing.assert_allclose(difference.std(axis=0), noise, rtol=BAND)
    np.testing.assert_allclose(np.corrcoef(difference, rowvar=False), np.eye(5), atol=BAND)
    assert problem.copies == {0: (5,), 1: (6,), 2: (7,)}


def test_n3lars_without_noise_copies_exactly():
    X = make_n3lars(20, 8, noise=0, random_state=0).X
    np.testing.assert_array_equal(X[:, :4], X[:, 4:])


def test_only_n3lars_has_copies():
    with_copies = [n for n in ALL_NAMES if make_problem(n, n_samples=4, random_state=0).copies]
    assert with_copies == ["n3lars"]


def test_problem_cannot_be_reassigned_and_prints_short():
    problem = make_xor(random_state=0)
    with pytest.raises(AttributeError):
        problem.y = None
    assert len(repr(problem)) < 300


def test_problem_names_cannot_be_added_to_the_table():
    with pytest.raises(TypeError):
        PROBLEMS["mine"] = make_xor


@pytest.mark.parametrize("n_samples", [3, 0, -5, 10.0, "ten"])
@pytest.mark.parametrize("name", ALL_NAMES)
def test_bad_sample_sizes_are_refused(name, n_samples):
    with pytest.raises(ValueError, match=r"n_samples must be an integer of at least 4, got"):
        make_problem(name, n_samples=n_samples)


@pytest.mark.parametrize(
    ("maker", "least"), [*((m, 10) for m in THESIS_MAKERS), (make_xor, 2), (make_n3lars, 6)]
)
def test_too_few_features_are_refused_and_the_least_number_works(maker, least):
    assert maker(4, least, random_state=0).X.shape == (4, least)
    with pytest.raises(ValueError, match=f"n_features must be .* at least {least}, got"):
        maker(4, least - 1)


def test_n3lars_refuses_an_odd_number_of_features():
    with pytest.raises(ValueError, match=r"must be even.*got 11"):
        make_n3lars(20, 11)


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_bad_noise_levels_are_refused(value):
    with pytest.raises(ValueError, match="noise must be a number of at least 0, got"):
        make_n3lars(20, 10, noise=value)
    for maker in (make_linear_weston, make_nonlinear_weston):
        with pytest.raises(ValueError, match="noise_variance must be a number of at least 0, got"):
            maker(20, 10, noise_variance=value)


@pytest.mark.parametrize("option", ["kind", "noise"])
def test_unknown_xor_options_are_refused_with_the_known_ones(option):
    known = {"kind": "'binary', 'clustered' or 'continuous'", "noise": "'gaussian' or 'same'"}
    with pytest.raises(ValueError, match=f"{option} must be {known[option]}, got 'odd'"):
        make_xor(**{option: "odd"})


def test_unknown_problem_is_refused_with_the_known_names():
    with pytest.raises(ValueError, match="got 'parity'") as caught:
        make_problem("parity")
    assert all(repr(name) in str(caught.value) for name in PROBLEMS)


def test_make_problem_passes_options_on():
    direct = make_xor(20, 5, kind="binary", random_state=3)
    named = make_problem("xor", n_samples=20, n_features=5, kind="binary", random_state=3)
    np.testing.assert_array_equal(direct.X, named.X)
    with pytest.raises(TypeError, match="colour"):
        make_problem("xor", colour="red")


def test_frequency_bands_differ_between_classes_in_the_band_only():
    problem = make_frequency_bands(4000, 2, drop=0.5, random_state=0)
    means = [problem.X[problem.y == label].mean(axis=0) for label in (-1, 1)]
    ratio = means[1] / means[0]
    inside = (problem.frequencies >= 10) & (problem.frequencies <= 14)
    np.testing.assert_array_equal(np.flatnonzero(inside), problem.relevant)
    assert (ratio[inside] < 0.75).all()
    np.testing.assert_allclose(ratio[~inside], 1.0, atol=0.25)


def test_frequency_bands_are_the_spectra_of_their_signals():
    problem = make_frequency_bands(20, 3, duration=1.5, sampling_rate=60.0, random_state=0)
    assert problem.signals.shape == (20, 3, 90)
    spectra = power_spectra(problem.signals, problem.sampling_rate)
    np.testing.assert_allclose(problem.X, spectra.power)
    np.testing.assert_allclose(problem.frequencies, spectra.frequencies)


def test_noise_of_frequency_bands_falls_with_the_frequency():
    problem = make_frequency_bands(2000, 1, drop=0.0, random_state=0)
    outside = (problem.frequencies > 25) & (problem.frequencies < 50)
    power = problem.X[:, outside].mean(axis=0) * problem.frequencies[outside]
    np.testing.assert_allclose(power / power.mean(), 1.0, atol=0.2)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_channels": 0}, "n_channels must be an integer"),
        ({"duration": -1.0}, "duration must be a number above 0"),
        ({"duration": 0.01}, "at least 4 points"),
        ({"drop": 1.5}, "drop must be a number from 0 to 1, got 1.5"),
        ({"band": (60.0, 70.0)}, "band must hold a frequency"),
        ({"band": (14.0, 10.0)}, "band must hold a frequency"),
    ],
)
def test_frequency_bands_refuse_what_makes_no_signals(options, match):
    with pytest.raises(ValueError, match=match):
        make_frequency_bands(20, **options)
