"""The protocol of Table 4 of the l1-LSMI paper, with few samples and quick methods."""

import numpy as np
import pytest

from hsieve.comparison.runner import run
from hsieve.datasets import make_quad, make_xor_toy
from hsieve.kernels import Delta, Gaussian
from hsieve.measures import hsic
from reproduction import l1lsmi_methods, l1lsmi_table4
from reproduction.experiment import Piece, Settings, restricted

EXPERIMENT = l1lsmi_table4.EXPERIMENT
QUICK = ("PC", "mRMR", "QPFS", "Lasso", "Relief")


@pytest.mark.parametrize(
    ("selected", "expected"),
    [([0, 1, 2, 3], 1.0), ([3, 7, 8, 9], 0.25), ([5, 6, 7, 8], 0.0), ([0, 1], 2 / 3)],
)
def test_f_measure_is_the_harmonic_mean_of_precision_and_recall(selected, expected):
    assert l1lsmi_table4.f_measure(selected, [0, 1, 2, 3]) == pytest.approx(expected)


def test_published_figures_fit_the_methods():
    for row in l1lsmi_table4.PUBLISHED.values():
        assert len(row) == len(l1lsmi_methods.METHODS) == 11
    published = dict(zip(l1lsmi_methods.METHODS, l1lsmi_table4.PUBLISHED["xor"], strict=True))
    assert published["B-HSIC"] == published["L1-LSMI"] == (1.0, 0.0)
    assert published["mRMR"] == (0.28, 0.31)


def test_quick_methods_come_near_the_published_figures():
    records = run(restricted(EXPERIMENT, ["and-or"], QUICK), Settings(trials=15)).records
    assert len(records) == 15 * len(QUICK)
    for cell in EXPERIMENT.summarise(records):
        assert abs(cell.difference) < 0.15, cell


def test_all_methods_of_a_trial_see_the_same_sample_and_trials_differ():
    first, same, other = (
        l1lsmi_table4.Work(0, 50, seed=4).problem("and-or", trial) for trial in (2, 2, 3)
    )
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("method", l1lsmi_methods.METHODS)
def test_every_method_selects_as_many_as_are_true(method, monkeypatch):
    monkeypatch.setattr(l1lsmi_methods, "N_RESTARTS", 2)
    work = l1lsmi_table4.Work(place=1, n_samples=80, seed=0)
    (record,) = l1lsmi_table4.measure(Piece("quad", 0, method=method, work=work))
    assert len(record["selected"].split()) == 2
    assert 0 <= record["f_measure"] <= 1
    assert all(isinstance(value, str | int | float) for value in record.values())


def test_records_do_not_depend_on_the_number_of_jobs():
    some = restricted(EXPERIMENT, ["xor"], ["PC", "Relief"])
    alone = run(some, Settings(trials=2)).records
    together = run(some, Settings(trials=2, jobs=2)).records
    for record in (*alone, *together):
        record.pop("seconds")
    assert alone == together


def test_cells_far_from_the_published_ones_are_named():
    near = {"dataset": "quad", "method": "mRMR", "trial": 0, "f_measure": 1.0}
    far = {"dataset": "quad", "method": "PC", "trial": 0, "f_measure": 1.0}
    text = " ".join(EXPERIMENT.explain([near, far]))
    assert "More than 0.1 from the published mean: quad, PC (+0.43)." in text
    assert "Every mean is within 0.1" in " ".join(EXPERIMENT.explain([near]))


def test_half_a_run_and_none_can_be_shown():
    assert EXPERIMENT.summarise([]) == []
    assert EXPERIMENT.explain([])
    (table,) = EXPERIMENT.tables([])
    assert not table.rows


@pytest.mark.parametrize("subset", [[0], [0, 1], [2, 5, 9]])
@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_hsic_of_a_set_has_the_median_width_of_that_set(subset, kind):
    make = make_xor_toy if kind == "classes" else make_quad
    problem = make(60, random_state=0)
    X = (problem.X - problem.X.mean(axis=0)) / problem.X.std(axis=0)
    kernel_y = Delta(normalised=False) if kind == "classes" else Gaussian()
    bound = l1lsmi_methods.MedianHSIC(target_kind=kind).bind(X, problem.y)

    def literal(features):
        return hsic(X[:, features], problem.y, estimator="biased", kernel_y=kernel_y)

    assert bound.subset_score(subset) == pytest.approx(literal(subset))
    added = bound.addition_scores(subset, [3, 4])
    assert added == pytest.approx([literal([*subset, 3]), literal([*subset, 4])])
    if len(subset) > 1:
        removed = bound.removal_scores(subset)
        assert removed == pytest.approx([literal([j for j in subset if j != i]) for i in subset])
    else:
        assert bound.removal_scores(subset) == pytest.approx([0.0])
        assert bound.feature_scores(subset) == pytest.approx([literal(subset)])
