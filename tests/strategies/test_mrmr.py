"""Greedy mRMR against its literal transcription."""

import numpy as np
import pytest

from hsieve import (
    LSMI,
    MRMRSearch,
    MutualInformation,
    PairwiseHSIC,
    Pearson,
    SymmetricalUncertainty,
)
from hsieve.measures.base import BoundMeasure
from hsieve.progress import listen
from tests.reference import naive_pairwise
from tests.reference.naive_mrmr import full_mrmr

MEASURES = [
    Pearson(),
    Pearson(squared=True),
    MutualInformation(estimator="discretised"),
    MutualInformation(estimator="copula"),
    PairwiseHSIC(),
]
FORMS = ["difference", "quotient"]


class Table(BoundMeasure):
    """A measure that looks redundancies up, and counts how often it is asked for them."""

    redundancy_may_be_skipped = True

    def __init__(self, relevance, redundancy, worthwhile=3):
        self._relevance, self._redundancy = relevance, redundancy
        self._worthwhile = worthwhile
        self.n_features = len(relevance)
        self.n_asked = 0

    @property
    def worthwhile_entries(self):
        return self._worthwhile

    def relevance(self, features):
        return self._relevance[features]

    def redundancy(self, features, active):
        self.n_asked += len(features) * len(active)
        return self._redundancy[np.ix_(features, active)]

    def self_redundancy(self, features):
        return self._redundancy[features, features]


def random_problem(rng, kind):
    """Statistics of up to 60 features; ties in almost all of them where they are coarse."""
    d = int(rng.integers(7, 60))
    relevance = rng.exponential(size=d)
    redundancy = rng.exponential(0.5, size=(d, d)) * (rng.random((d, d)) < rng.random())
    if kind == "coarse":
        relevance, redundancy = np.round(2 * relevance) / 2, np.round(2 * redundancy) / 2
    elif kind == "copies":
        source = rng.integers(0, d, size=d)
        relevance, redundancy = relevance[source], redundancy[np.ix_(source, source)]
    elif kind == "equal relevance":
        relevance = np.full(d, 0.3)
    elif kind == "nothing relevant":
        relevance = np.zeros(d)
    elif kind == "no redundancy":
        redundancy = np.zeros((d, d))
    return relevance, redundancy + redundancy.T


KINDS = [
    "any",
    "coarse",
    "copies",
    "equal relevance",
    "nothing relevant",
    "no redundancy",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_skipping_changes_no_digit_of_what_is_taken(kind, form, rng):
    for _ in range(60):
        relevance, redundancy = random_problem(rng, kind)
        bound = Table(relevance, redundancy, worthwhile=int(rng.integers(1, 6)))
        n_wanted = int(rng.integers(1, len(relevance) + 1))
        path = MRMRSearch(form=form).search(bound, n_wanted)
        taken, scores, criterion = full_mrmr(bound, n_wanted, form)
        assert path.order[:n_wanted].tolist() == taken
        assert path.feature_scores[:n_wanted].tolist() == scores
        # The others could not have reached more than their scores say, nor the last one taken.
        others = path.order[n_wanted:]
        assert (path.feature_scores[n_wanted:] >= criterion[others]).all()
        falling = path.feature_scores[n_wanted - 1 :]
        assert (np.diff(falling) <= 1e-12 * np.maximum(np.abs(falling[1:]), 1.0)).all()
        assert sorted(path.order.tolist()) == list(range(len(relevance)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "measure",
    [MutualInformation(estimator="discretised", categorical=[5]), SymmetricalUncertainty()],
    ids=repr,
)
def test_levels_are_the_same_to_the_last_digit(measure, form, rng):
    X = rng.normal(size=(1_000, 600))
    X[:, 5] = rng.integers(0, 5, 1_000)
    X[:, 300:] = X[:, :300] + 0.3 * X[:, 300:]
    X[:, 77], X[:, 400] = X[:, 1], X[:, 0]
    bound = measure.bind(X, X[:, :6].sum(axis=1))
    path = MRMRSearch(form=form).search(bound, 30)
    taken, scores, _ = full_mrmr(bound, 30, form)
    assert path.order[:30].tolist() == taken
    assert path.feature_scores[:30].tolist() == scores


def test_features_that_cannot_win_are_not_looked_at(rng):
    relevance = np.concatenate([np.full(20, 5.0), rng.random(1_999), [0.0]])
    redundancy = rng.random((2_020, 2_020))
    bound = Table(relevance, redundancy, worthwhile=10)
    path = MRMRSearch().search(bound, 10)
    assert path.order[:10].max() < 20
    assert bound.n_asked <= 20 * 9
    # A quotient is unbounded before any redundancy is known.
    bound = Table(relevance, redundancy, worthwhile=10)
    MRMRSearch(form="quotient").search(bound, 10)
    assert 2_019 <= bound.n_asked < 2_019 * 9 / 2


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_nothing_is_skipped_where_a_redundancy_may_be_negative(sign, rng):
    relevance, redundancy = rng.random(40), sign * rng.random((40, 40))
    bound = Table(relevance, redundancy, worthwhile=2)
    bound.redundancy_may_be_skipped = False
    path = MRMRSearch().search(bound, 12)
    assert bound.n_asked == 40 * 11
    taken, scores, criterion = full_mrmr(bound, 12, "difference")
    assert path.order[:12].tolist() == taken
    assert path.feature_scores[:12].tolist() == scores
    assert path.feature_scores[12:].tolist() == criterion[path.order[12:]].tolist()


def test_among_few_features_nothing_is_skipped(rng):
    """Few are up to twice as many as are worth asking for at a time."""
    relevance, redundancy = rng.random(40), 0.1 * rng.random((40, 40))
    few, many = (Table(relevance, redundancy, worthwhile=n) for n in (20, 19))
    path = MRMRSearch().search(few, 6)
    assert few.n_asked == 40 * 5
    _, _, criterion = full_mrmr(few, 6, "difference")
    assert path.feature_scores[6:].tolist() == criterion[path.order[6:]].tolist()
    MRMRSearch().search(many, 6)
    assert many.n_asked < 40 * 5


def test_measures_with_a_negative_redundancy_are_never_skipped():
    assert not LSMI().redundancy_is_positive
    assert not LSMI.bound_type.redundancy_may_be_skipped


@pytest.mark.parametrize("least", [-3.0, -0.5])
def test_a_quotient_of_negative_relevance_is_not_skipped(least, rng):
    relevance, redundancy = rng.uniform(least, 0.1, size=40), rng.random((40, 40))
    bound = Table(relevance, redundancy, worthwhile=2)
    path = MRMRSearch(form="quotient").search(bound, 12)
    taken, scores, _ = full_mrmr(bound, 12, "quotient")
    assert path.order[:12].tolist() == taken
    assert path.feature_scores[:12].tolist() == scores


@pytest.fixture
def data(rng):
    X = rng.normal(size=(80, 12))
    X[:, 6:] = X[:, :6] + 0.4 * X[:, 6:]
    return X, X[:, 0] + 0.8 * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=80)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_the_search_is_the_greedy_algorithm(measure, form, data):
    bound = measure.bind(*data)
    everything = np.arange(12)
    relevance, redundancy = bound.relevance(everything), bound.redundancy(everything, everything)
    path = MRMRSearch(form=form).search(bound, 7)
    expected = naive_pairwise.mrmr(relevance, redundancy, 7, form)
    assert path.order[:7].tolist() == expected
    assert sorted(path.order.tolist()) == list(range(12))


def test_scores_are_the_criterion_when_a_feature_was_taken(data):
    bound = Pearson().bind(*data)
    path = MRMRSearch().search(bound, 4)
    for place in range(1, 4):
        feature, taken = path.order[[place]], path.order[:place]
        expected = bound.relevance(feature)[0] - bound.redundancy(feature, taken).mean()
        assert path.feature_scores[place] == pytest.approx(expected)
    assert path.sizes.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(path.set_scores, np.cumsum(path.feature_scores[:4]))


def test_a_step_asks_for_one_column(data, monkeypatch):
    bound = Pearson().bind(*data)
    asked = []
    redundancy = type(bound).redundancy

    def counting(self, features, active):
        asked.append(len(active))
        return redundancy(self, features, active)

    monkeypatch.setattr(type(bound), "redundancy", counting)
    MRMRSearch().search(bound, 6)
    assert asked == [1] * 5


def test_features_without_any_redundancy_do_not_divide_by_zero():
    X = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]).T
    path = MRMRSearch(form="quotient").search(Pearson().bind(X, X @ [3.0, 2.0, 1.0]), 3)
    assert path.order.tolist() == [0, 1, 2]
    assert np.isfinite(path.feature_scores).all()


def test_progress_ends_at_one_and_a_wrong_form_is_refused(data):
    heard = []
    bound = Pearson().bind(*data)
    with listen(lambda share, _: heard.append(share)):
        MRMRSearch().search(bound, 3)
    assert heard[-1] == 1.0
    assert heard == sorted(heard)
    with pytest.raises(ValueError, match="form must be '"):
        MRMRSearch(form="ratio").check(Pearson(), 5, 3)
