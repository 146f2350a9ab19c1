"""The protocol of the thesis' synthetic sets, with small sets and quick methods."""

import dataclasses
import itertools

import numpy as np
import pytest

from hsieve.datasets import make_problem
from hsieve.inference import stability
from reproduction import (
    thesis_conclusions,
    thesis_methods,
    thesis_synthetic,
)
from reproduction.experiment import Figure, Piece
from reproduction.thesis_cells import DATASETS, Cell, cells_of
from reproduction.thesis_chapter4 import CHAPTER_4
from reproduction.thesis_methods import KERNEL, LINEAR, METHODS, RULES, make_selector

N_FOLDS = 3


def small_piece(method, dataset="linear-weston", fold=0, n_features=12):
    work = thesis_synthetic.Work(DATASETS.index(dataset), (60, n_features), N_FOLDS, seed=0)
    return Piece(dataset, 0, fold, method, work)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_measured_with_every_rule(method, monkeypatch):
    monkeypatch.setattr(thesis_methods, "N_SUBSAMPLES", 4)
    records = thesis_synthetic.measure(small_piece(method))
    assert [record["rule"] for record in records] == list(RULES)
    for record in records:
        chosen = [int(feature) for feature in record["selected"].split()]
        assert len(chosen) == record["number"] >= 1
        n_hits = sum(feature < 10 for feature in chosen)
        assert record["precision"] == pytest.approx(n_hits / len(chosen))
        assert record["recall"] == pytest.approx(n_hits / 10)
        assert 0 <= record["accuracy"] <= 1


def test_the_plan_has_every_fold_of_every_method_and_set():
    pieces = thesis_synthetic.plan(2, 0)
    assert len({piece.key for piece in pieces}) == len(pieces) == 2 * 6 * 10 * 10
    assert [piece.key for piece in thesis_synthetic.plan(1, 0)] == [
        piece.key for piece in pieces if piece.trial == 0
    ]


def test_all_methods_and_folds_of_a_trial_see_the_same_set():
    work = thesis_synthetic.Work(2, (40, 12), N_FOLDS, seed=3)
    first, same, other = (work.problem("zhang-sample", trial) for trial in (1, 1, 2))
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)


def test_the_random_baseline_is_a_tenth_under_cross_validation_and_an_order_else():
    problem = make_problem("fake-class", n_samples=60, n_features=40, random_state=0)
    tenth = make_selector("random", "cv", 1).fit(problem.X, problem.y)
    assert len(tenth.selected_indices_) == 4
    orders = [
        make_selector("random", "alignment", seed).fit(problem.X, problem.y).ranking_
        for seed in (1, 1, 2)
    ]
    assert (orders[0] == orders[1]).all()
    assert (orders[0] != orders[2]).any()


def test_cells_hold_the_means_and_consistency_of_their_folds():
    records = [
        record
        for fold in range(N_FOLDS)
        for record in thesis_synthetic.measure(small_piece("correlation", fold=fold))
    ]
    cell = cells_of(records)["linear-weston", "correlation", "cv"]
    mine = [record for record in records if record["rule"] == "cv"]
    sets = [[int(feature) for feature in record["selected"].split()] for record in mine]
    assert cell.accuracy.mean == pytest.approx(np.mean([record["accuracy"] for record in mine]))
    assert cell.mean_variance == pytest.approx(stability.mean_variance(sets, 12))
    assert cell.log_probability == pytest.approx(stability.log_probability(sets, 12))
    incomplete = cells_of(records[:3])["linear-weston", "correlation", "cv"]
    assert incomplete.mean_variance is None


def records_of_two_folds(method):
    common = {"dataset": "xor", "trial": 0, "method": method}
    return [
        {**common, "fold": fold, "rule": rule, "cpu_seconds": seconds, **some_figures()}
        for fold, times in enumerate([(1.0, 1.0, 4.0), (2.0, 2.0, 12.0)])
        for rule, seconds in zip(RULES, times, strict=True)
    ]


def test_fold_decrease_compares_the_rules_fold_by_fold():
    (found,) = [
        cell
        for cell in thesis_synthetic.summarise(records_of_two_folds("linear RFE"))
        if cell.quantity == "fold decrease"
    ]
    assert found.measured == Figure(5.0, 1.0)
    assert found.published == Figure(7.68, 0.05)


def test_tables_show_each_set_and_the_fold_decrease_but_not_that_of_the_baseline():
    records = [*records_of_two_folds("linear RFE"), *records_of_two_folds("random")]
    of_set, decrease = thesis_synthetic.tables(records)
    assert of_set.title == "xor: mean over folds (deviation)"
    assert [row[:2] for row in of_set.rows] == [
        *zip(("linear RFE", "", ""), RULES, strict=True),
        *zip(("random", "", ""), [rule.replace("cv", "tenth") for rule in RULES], strict=True),
    ]
    row = dict(zip(of_set.headings, of_set.rows[2], strict=True))
    assert row["accuracy"] == "0.700 (0.000)"
    assert row["features"] == "2.0 (0.0)"
    assert (row["precision"], row["recall"], row["CPU s"]) == ("0.50", "0.10", "8.0")
    assert decrease.title.startswith("Table 3.2")
    assert len(decrease.rows) == 1
    assert "linear RFE" in decrease.rows[0]
    assert "1 draw " in thesis_synthetic.explain(records)[0]


def some_figures():
    return {
        "accuracy": 0.7,
        "number": 2,
        "precision": 0.5,
        "recall": 0.1,
        "n_features": 12,
        "n_folds": 2,
        "selected": "0 11",
    }


def make_cells(**changes):
    """All cells alike, but for those changed by "dataset|method|rule"."""
    plain = Cell(Figure(0.7, 0.1), Figure(5.0, 1.0), 0.5, 0.5, 0.01, -10.0, 1.0)
    keys = itertools.product(DATASETS, METHODS, RULES)
    cells = dict.fromkeys(keys, plain)
    for key, cell in changes.items():
        cells[tuple(key.split("|"))] = cell
    return cells


def verdict_of(cells, beginning):
    (found,) = [
        verdict
        for conclusion, verdict in thesis_conclusions.judged(cells)
        if conclusion.words.startswith(beginning)
    ]
    return found


def test_conclusions_wait_for_all_cells():
    cells = make_cells()
    del cells["xor", "BAHSIC", "cv"]
    assert thesis_conclusions.judged(cells) == []
    assert thesis_conclusions.table(cells) == []
    assert thesis_conclusions.in_words(cells) == []


def test_a_conclusion_can_be_confirmed_in_part_or_contradicted():
    words = "Linear Weston: alignment leads to perfect precision"
    perfect = Cell(Figure(0.7, 0.1), Figure(5.0, 1.0), 1.0, 0.5, 0.01, -10.0, 1.0)
    changed = {f"linear-weston|{method}|alignment": perfect for method in LINEAR}
    assert verdict_of(make_cells(), words).word == "contradicted"
    assert verdict_of(make_cells(**changed), words).word == "confirmed"
    part = dict(list(changed.items())[:3])
    verdict = verdict_of(make_cells(**part), words)
    assert (verdict.word, verdict.n_held, verdict.n_compared) == ("in part", 3, 5)


def cells_of_the_thesis():
    """Cells in which everything is as the thesis says."""
    cells = {}
    for dataset, method, rule in itertools.product(DATASETS, METHODS, RULES):
        aligned = rule == "alignment"
        cells[dataset, method, rule] = Cell(
            accuracy=Figure(0.75, 0.1),
            number=Figure(7.0 if aligned else 12.0, 1.0),
            precision=1.0 if aligned else 0.7,
            recall=0.7 if aligned else 0.8,
            mean_variance=0.002 if aligned else 0.01,
            log_probability=-90.0 if aligned else -40.0,
            cpu_seconds=1.0 if aligned else 9.5,
        )

    def change(dataset, method, rule, **changes):
        key = dataset, method, rule
        for name in ("accuracy", "number"):
            if name in changes:
                changes[name] = Figure(changes[name], 0.1)
        cells[key] = dataclasses.replace(cells[key], **changes)

    for method, rule in itertools.product(METHODS, RULES):
        change("fake-class", method, rule, accuracy=0.5)
    for method in KERNEL:
        change("fake-class", method, "cv", log_probability=5.0)
        change("nonlinear-weston", method, "cv", accuracy=0.97)
    change("fake-class", "linear RFE", "alignment", number=15.0)
    change("fake-class", "random", "alignment", number=60.0)
    change("fake-class", "random", "cv", number=20.0)
    change("zhang-feature", "random", "cv", accuracy=0.5)
    change("zhang-feature", "linear RFE", "alignment", number=5.0)
    for method in ("correlation", "stability, logistic", "stability, LPBoost"):
        change("zhang-sample", method, "alignment", recall=1.0)
    for method in ("correlation", "linear RFE"):
        change("linear-weston", method, "alignment", number=1.2, accuracy=0.6, mean_variance=0.05)
    for method, rule in itertools.product(LINEAR, RULES):
        if method != "linear RFE":
            change("nonlinear-weston", method, rule, accuracy=0.52)
        change("xor", method, rule, accuracy=0.6 if rule == "alignment" else 0.5)
        change("xor", method, rule, recall=0.9 if rule == "alignment" else 0.4)
    change("nonlinear-weston", "linear RFE", "alignment", number=4.0)
    change("nonlinear-weston", "random", "alignment", accuracy=0.6)
    change("zhang-feature", "Gaussian RFE", "cv", precision=0.49)
    change("zhang-feature", "randSel", "cv", precision=0.71, recall=1.0)
    change("zhang-feature", "FOHSIC", "cv", number=6.0)
    change("zhang-feature", "BAHSIC", "cv", mean_variance=0.005)
    sparse = {"number": 8.0, "mean_variance": 0.004}
    change("zhang-sample", "FOHSIC", "cv", precision=0.95, log_probability=-80.0, **sparse)
    change("zhang-sample", "randSel", "cv", recall=0.9)
    change("linear-weston", "randSel", "cv", precision=0.98, **sparse)
    change("linear-weston", "Gaussian RFE", "cv", recall=0.95)
    for method in ("randSel", "FOHSIC"):
        change("nonlinear-weston", method, "cv", precision=1.0)
    for method in ("randSel", "BAHSIC"):
        change("xor", method, "cv", accuracy=0.98, **sparse)
    change("xor", "FOHSIC", "cv", accuracy=0.5)
    for dataset, method in itertools.product(DATASETS, KERNEL[:3]):
        change(dataset, method, "cv", number=cells[dataset, method, "cv"].number.mean - 1)
    return cells


def test_all_conclusions_are_confirmed_where_everything_is_as_the_thesis_says():
    for conclusion, verdict in thesis_conclusions.judged(cells_of_the_thesis()):
        assert verdict.word == "confirmed", (conclusion.words, verdict)


def test_no_conclusion_is_confirmed_where_nothing_differs():
    same = Cell(Figure(0.65, 0.1), Figure(5.0, 1.0), 0.5, 0.5, 0.01, -10.0, 1.0)
    cells = dict.fromkeys(itertools.product(DATASETS, METHODS, RULES), same)
    for conclusion, verdict in thesis_conclusions.judged(cells):
        assert verdict.word != "confirmed", conclusion.words


def test_xor_is_judged_as_the_thesis_has_it():
    good = Cell(Figure(0.97, 0.02), Figure(2.0, 0.0), 1.0, 1.0, 0.0, -80.0, 1.0)
    bad = Cell(Figure(0.5, 0.1), Figure(30.0, 9.0), 0.05, 0.4, 0.1, -3.0, 1.0)
    cells = make_cells(**{"xor|randSel|cv": good, "xor|BAHSIC|cv": good, "xor|FOHSIC|cv": bad})
    assert verdict_of(cells, "Xor: FOHSIC fails").word == "confirmed"
    cells["xor", "BAHSIC", "cv"] = bad
    assert verdict_of(cells, "Xor: FOHSIC fails").word == "contradicted"


def test_every_conclusion_shows_figures_and_names_its_section():
    rows = thesis_conclusions.table(make_cells())[0].rows
    assert len(rows) == len(thesis_conclusions.CONCLUSIONS)
    for section, words, verdict, count, figures in rows:
        assert section[0] in "34"
        assert words
        assert verdict in {"confirmed", "in part", "contradicted"}
        assert " of " in count
        assert any(letter.isdigit() for letter in figures)
    assert all(conclusion.section.startswith("4") for conclusion in CHAPTER_4)
    assert set(KERNEL) < set(METHODS)
