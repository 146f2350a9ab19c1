"""Greedy mRMR against its literal transcription."""

import numpy as np
import pytest

from hsieve import MRMRSearch, MutualInformation, PairwiseHSIC, Pearson
from hsieve.progress import listen
from tests.reference import naive_pairwise

MEASURES = [
    Pearson(),
    Pearson(squared=True),
    MutualInformation(estimator="discretised"),
    MutualInformation(estimator="copula"),
    PairwiseHSIC(),
]


@pytest.fixture
def data(rng):
    X = rng.normal(size=(80, 12))
    X[:, 6:] = X[:, :6] + 0.4 * X[:, 6:]
    return X, X[:, 0] + 0.8 * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=80)


@pytest.mark.parametrize("form", ["difference", "quotient"])
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
    with pytest.raises(ValueError, match="form must be one of"):
        MRMRSearch(form="ratio").search(bound, 3)
