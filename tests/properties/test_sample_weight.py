"""An integer weight of a sample is as good as so many copies, for every selector that takes one."""

from inspect import signature

import numpy as np
import pytest
from sklearn import config_context
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

from hsieve import (
    BAHSIC,
    FOHSIC,
    HSIC,
    MRMR,
    N3LARS,
    Dataset,
    DependenceSelector,
    HSICLasso,
    KernelPursuit,
    PairwiseHSIC,
    Pearson,
    kernels,
)
from tests.every_selector import SELECTORS, fresh, named
from tests.properties.changes import make_problem

MORE = [
    BAHSIC(2, estimator="biased"),
    BAHSIC(2, estimator="biased", kernel_x=kernels.Gaussian("maximise"), categorical=[2]),
    FOHSIC(2, estimator="biased"),
    HSICLasso(2, categorical=[2]),
    MRMR(2, measure=Pearson()),
    DependenceSelector(PairwiseHSIC(normalised=False), n_features_to_select=2),
    DependenceSelector(HSIC(estimator="biased"), strategy="forward", n_features_to_select=2),
]
EVERY = SELECTORS | {named(one): one for one in MORE}
# Where the measure or the strategy that a selector is made of counts all samples alike.
REFUSED = (
    "BAHSIC(n_contexts=2,",
    "BAHSIC(compensate=False",
    "FOHSIC(n_features_to_select=2)",
    "HSIC(kernel_x=Linear())",
    "form='coded'",
    "LSMI(",
    "MRMR(n_features_to_select=2)",
    "MutualInformation(",
    "SymmetricalUncertainty(",
    "Ridge(",
)


def takes_weights(name):
    has_parameter = "sample_weight" in signature(EVERY[name].fit).parameters
    return has_parameter and not any(part in name for part in REFUSED)


def weighted_problem(seed):
    problem = make_problem(seed, classes=seed % 2 == 0)
    counts = np.random.default_rng(seed).integers(0, 4, len(problem.X))
    return problem.X, problem.y, counts, np.repeat(np.arange(len(counts)), counts)


@pytest.mark.filterwarnings("ignore::hsieve.exceptions.FewerFeaturesWarning")
@pytest.mark.parametrize("name", list(filter(takes_weights, EVERY)))
def test_an_integer_weight_is_as_good_as_copies(name):
    for seed in range(4):
        X, y, counts, rows = weighted_problem(seed)
        found = fresh(EVERY[name]).fit(X, y, sample_weight=counts)
        copied = fresh(EVERY[name]).fit(X[rows], y[rows], sample_weight=np.ones(len(rows)))
        scale = np.abs(copied.scores_).max()
        np.testing.assert_array_equal(found.selected_indices_, copied.selected_indices_)
        np.testing.assert_allclose(found.scores_, copied.scores_, rtol=1e-10, atol=1e-10 * scale)
        # Without weights some measures are worked out in single precision.
        plain = fresh(EVERY[name]).fit(X[rows], y[rows])
        np.testing.assert_allclose(found.scores_, plain.scores_, atol=1e-3 * scale)


@pytest.mark.parametrize("name", [name for name in EVERY if not takes_weights(name)])
def test_other_selectors_refuse_weights_by_name(name):
    X, y, counts, _ = weighted_problem(0)
    selector = fresh(EVERY[name])
    with pytest.raises(ValueError, match="sample_weight") as refusal:
        selector.fit(X, y, sample_weight=counts)
    assert type(selector).__name__ in str(refusal.value)
    assert not hasattr(selector, "ranking_")


def test_fractions_lie_between_integers():
    X, y, counts, _ = weighted_problem(1)
    few, more = counts + 1.0, counts + 1.0
    more[0] += 1.0
    scores = [
        N3LARS(2).fit(X, y, sample_weight=w).relevance_ for w in (few, (few + more) / 2, more)
    ]
    between = np.minimum(scores[0], scores[2]), np.maximum(scores[0], scores[2])
    assert (scores[1] > between[0] - 1e-4).all()
    assert (scores[1] < between[1] + 1e-4).all()
    assert np.abs(scores[0] - scores[2]).max() > 1e-4


@pytest.mark.parametrize(
    ("weight", "why"),
    [
        ([1.0, 2.0], "sample_weight.shape"),
        (-1.0, "(?i)negative"),
        (np.nan, "NaN"),
        (0.01, "at least 4"),
    ],
)
def test_wrong_weights_are_refused(weight, why):
    X, y, *_ = weighted_problem(0)
    weight = np.full(len(X), weight) if np.isscalar(weight) else weight
    with pytest.raises(ValueError, match=why):
        N3LARS(2).fit(X, y, sample_weight=weight)


def test_pursuit_takes_counts_only():
    X, y, *_ = weighted_problem(0)
    with pytest.raises(ValueError, match=r"integers only, got 1\.5"):
        KernelPursuit(2).fit(X, y, sample_weight=np.full(len(X), 1.5))


def test_times_and_events_refuse_weights():
    X, _, counts, _ = weighted_problem(0)
    y = np.zeros(len(X), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = np.arange(len(X)) % 3 > 0, 1.0 + np.abs(X[:, 0])
    with pytest.raises(ValueError, match="Times with events take no weights"):
        N3LARS(2).fit(X, y, sample_weight=counts)


def test_rules_for_the_number_refuse_weights():
    X, y, counts, _ = weighted_problem(0)
    with pytest.raises(ValueError, match="give a number"):
        N3LARS("alignment").fit(X, y, sample_weight=counts)


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_a_data_set_brings_its_weights(kind, tmp_path):
    pandas = pytest.importorskip("pandas")
    from hsieve import open_dataset

    X, y, counts, _ = weighted_problem(1)
    expected = N3LARS(2).fit(X, y, sample_weight=counts)
    if kind == "array":
        data = Dataset.from_arrays(X, y, sample_weight=counts)
    else:
        frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
        data = open_dataset(frame.assign(often=counts, y=y), "y", sample_weight="often")
        assert "often" not in data.names
    found = N3LARS(2).fit(data)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)
    with pytest.raises(ValueError, match="ReliefF takes no sample_weight"):
        SELECTORS["ReliefF(n_features_to_select=2)"].fit(data)
    with pytest.raises(ValueError, match="its own weights"):
        N3LARS(2).fit(data, sample_weight=counts)


def test_weights_reach_a_selector_inside_a_pipeline():
    """The example of scikit-learn's issue 30527, with a selector and with SelectFromModel."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    weight = np.repeat([5.0, 0.0], 60)
    # In the samples that count feature 0 decides, in the others feature 1.
    y = np.where(weight > 0, X[:, 0] > 0, X[:, 1] > 0).astype(int)
    with config_context(enable_metadata_routing=True):
        selector = N3LARS(1).set_fit_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        pipeline = make_pipeline(selector, model).fit(X, y, sample_weight=weight)
        assert pipeline[0].selected_indices_.tolist() == [0]
        other = make_pipeline(selector, model).fit(X, y, sample_weight=5.0 - weight)
        assert other[0].selected_indices_.tolist() == [1]
        scores = cross_validate(
            pipeline, X, y, params={"sample_weight": weight + 1.0}, return_estimator=True
        )
        assert all(one[0].selected_indices_.tolist() == [0] for one in scores["estimator"])
        from_model = SelectFromModel(model, max_features=1)
        both = make_pipeline(from_model, N3LARS(1).set_fit_request(sample_weight=True))
        both.fit(X, y, sample_weight=weight)
        assert both[0].get_support().tolist() == [True] + [False] * 5


def test_zero_weights_leave_samples_out_of_constant_features():
    X, y, counts, _ = weighted_problem(1)
    X[:, 0] = np.where(counts > 0, 1.0, X[:, 0])
    with pytest.warns(UserWarning, match="constant"):
        found = N3LARS(2).fit(X, y, sample_weight=counts)
    assert found.constant_features_.tolist() == [0]
