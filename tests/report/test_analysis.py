"""The analysis of a selection: plain data, equal to what selector and data say."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import false_discovery_control, gaussian_kde
from sklearn.exceptions import NotFittedError

import hsieve
from hsieve import (
    BAHSIC,
    FCBF,
    N3LARS,
    DependenceSelector,
    InteractionScan,
    KernelPursuit,
    LaplacianScore,
    MaxRelevance,
    RandSel,
    StabilitySelection,
    conditional_tests,
    feature_tests,
    kernels,
)
from hsieve.data.arrays import as_blocks
from hsieve.report import evidence as evidence_module
from hsieve.report import p_values as p_values_module
from hsieve.report.analysis import AnalysisOptions, analyse
from hsieve.report.shapes import density, edges, levels_of, smooth_curve
from hsieve.selectors.base import BaseSelector
from tests.reference import naive

SELECTORS = {
    name: kind
    for name, kind in ((name, getattr(hsieve, name)) for name in hsieve.__all__)
    if inspect.isclass(kind) and issubclass(kind, BaseSelector)
}


def summarise(selector, X=None, y=None, options=None):
    """All of an analysis, as JSON would give it back."""
    found = analyse(selector, X, y, options=options)
    return json.loads(json.dumps(found.to_dict(), allow_nan=False))


QUICK = {
    "InteractionScan": {"n_permutations": 2},
    "L1LSMI": {"n_restarts": 1},
    "L1HSIC": {"n_restarts": 1},
    "RandSel": {"n_rounds": 4},
    "HalvesRegression": {"n_rounds": 20},
    "StabilitySelection": {"n_subsamples": 6},
}


@pytest.fixture(scope="module")
def data():
    """A curve and a straight line, a copy of the curve's feature, noise, a constant."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 9))
    X[:, 4] = X[:, 0] + 0.01 * rng.normal(size=80)
    X[:, 8] = 1.0
    return X, X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=80)


@pytest.fixture(scope="module")
def selector(data):
    with pytest.warns(hsieve.ConstantFeatureWarning):
        return N3LARS(4).fit(*data)


@pytest.fixture(scope="module")
def summary(selector, data):
    return summarise(selector, *data)


def picture(summary, name):
    return next(one for one in summary["pictures"] if one["id"] == name)


def pictures(summary):
    return [one["id"] for one in summary["pictures"]]


@pytest.mark.filterwarnings("ignore::hsieve.NothingFoundWarning")
@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_has_a_summary_that_json_can_hold(name, data):
    X, y = data[0][:, :8], np.where(data[1] > 0.8, "high", "low")
    finds_number = name in ("FCBF", "HITONPC", "KnockoffSelector")
    settings = {} if finds_number else {"n_features_to_select": 3}
    fitted = SELECTORS[name](**settings, **QUICK.get(name, {})).fit(X, y)
    summary = summarise(fitted, X, y)
    rows = summary["features"]
    chosen = [row["feature"] for row in rows if row["chosen"]]
    assert chosen == fitted.selected_indices_.tolist()
    assert [row["rank"] for row in rows] == list(range(1, 9))
    assert summary["does"]
    assert summary["references"] or name in ("InteractionScan",)
    assert all(one["meaning"] for one in summary["settings"])
    assert {"scores", "landscape", "panels"} <= set(pictures(summary)) or not chosen


def test_without_data_the_path_is_there_and_the_page_says_what_is_not(selector):
    summary = summarise(selector)
    assert pictures(summary) == ["scores", "path"]
    assert summary["n_samples"] is None
    assert "The data were not given" in summary["notes"][-1]
    assert [column["key"] for column in summary["columns"]] == [
        "rank",
        "name",
        "chosen",
        "score",
        "relevance",
    ]


def test_data_of_a_cluster_are_left_alone(selector, data):
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})()
    summary = summarise(selector, frame, "y")
    assert "held by a cluster" in summary["notes"][-1]
    assert "panels" not in pictures(summary)


def test_relevance_and_redundancy_are_nhsic(data, summary):
    X, y = data
    grams = [
        naive.gaussian_gram(((x - x.mean()) / (x.std() or 1))[:, None], 1.0)
        for x in (*X[:, :8].T, y)
    ]
    rows = {row["feature"]: row for row in summary["features"]}
    chosen = [feature for feature, row in rows.items() if row["chosen"]]
    for feature in range(8):
        exact = naive.alignment(grams[feature], grams[8])
        assert_allclose(rows[feature]["relevance"], exact, atol=2e-4)
        others = [other for other in chosen if other != feature]
        largest = max(naive.alignment(grams[feature], grams[other]) for other in others)
        assert_allclose(rows[feature]["redundancy"], largest, atol=2e-4)


def test_a_copy_is_a_substitute(summary):
    rows = {row["feature"]: row for row in summary["features"]}
    first = rows[0] if rows[0]["chosen"] else rows[4]
    [closest] = first["substitutes"]
    assert {first["feature"], closest["feature"]} == {0, 4}
    assert closest["score"] > 0.99


@pytest.mark.parametrize("form", ["array", "frame", "blocks", "float32"])
def test_only_the_data_of_the_fit_are_accepted_in_a_report(data, form):
    X, y = data[0][:, :8], data[1]
    given = {
        "array": X,
        "frame": pd.DataFrame(X, columns=list("abcdefgh")),
        "blocks": as_blocks(X),
        "float32": X.astype(np.float32),
    }[form]
    fitted = N3LARS(2).fit(given, y)
    same = analyse(fitted, X if form == "float32" else given, y)
    assert same.n_samples == 80
    frame = pd.DataFrame(X, columns=list("abcdefgh")) if form == "frame" else pd.DataFrame(X)
    with pytest.raises(ValueError, match=r"N3LARS was fitted on 80 samples, but got 50; give the"):
        fitted.report(frame[:50], y[:50])
    with pytest.raises(ValueError, match=r"The values of y are not those that N3LARS was fitted"):
        fitted.summary(given, y + 1)
    with pytest.raises(
        ValueError, match=r"values of X and values of y .* in the same order as fit"
    ):
        fitted.report(frame[::-1].reset_index(drop=True), y[::-1])


def test_data_of_a_scan_may_lack_values_in_the_report_as_in_the_fit(data):
    frame = pd.DataFrame(np.sign(data[0][:, :4]), columns=list("abcd"))
    frame.loc[3, "b"] = np.nan
    scan = InteractionScan(2, n_permutations=2, missing="category").fit(frame, data[1])
    assert scan.summary(frame, data[1]).data["kinds"]["categories"] == 1


def test_the_title_is_the_finding_and_the_target(data):
    X, y = data[0][:, :8], data[1]
    series = pd.Series(y, name="price")
    assert N3LARS(3).fit(X, y).summary(X, series).title == "3 of 8 features predict price"
    assert N3LARS(1).fit(X, y).summary(X, series).title == "1 of 8 features predicts price"
    assert N3LARS(1).fit(X, y).report(X, y, title="Mine").summary.title == "Mine"
    assert LaplacianScore(2).fit(X).summary(X).title == "2 of 8 features chosen"
    stable = StabilitySelection(N3LARS(), n_subsamples=10).fit(X, y).summary(X, series)
    assert stable.title.endswith("often selected for price")


@pytest.mark.filterwarnings("ignore::hsieve.NothingFoundWarning")
@pytest.mark.parametrize("selector", [N3LARS(2), KernelPursuit(), KernelPursuit(2)], ids=repr)
def test_that_nothing_is_to_be_found_comes_first_with_its_p_value(selector):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 8)), pd.Series(rng.normal(size=150), name="price")
    found = selector.fit(X, y).report(X, y)
    assert found.summary.title == "No feature predicts price beyond chance"
    least = feature_tests(X, y).p_values[selector.path_.order].min()
    said = f"(least p-value, adjusted for their number: {min(1.0, 8 * least):.2g})."
    assert said in found.summary.warnings[0]
    page = found.html
    assert page.index("by itself than chance") < page.index('id="features"')
    assert selector.summary(X, y).warnings == found.summary.warnings


def test_screen_and_page_show_the_same_numbers_and_explain_them(data, selector):
    X, y = data
    page, screen = selector.report(X, y).summary, selector.summary(X, y)
    assert screen.features == page.features
    assert screen.columns == page.columns
    chosen = selector.summary(X, y, n_shown=None, p_values="none")
    for row, beside in zip(chosen.chosen, page.chosen, strict=True):
        assert row.relevance == pytest.approx(beside.relevance)
        assert row.substitutes == beside.substitutes
    told = " ".join(str(chosen).split())
    meanings = {column.key: column.meaning for column in chosen.columns}
    assert meanings["score"] in told
    assert meanings["relevance"] in told
    assert meanings["substitutes"] in told
    # The score depends on the number of features, the relevance does not.
    fewer = N3LARS(2).fit(X[:, :8], y).summary(X[:, :8], y)
    assert fewer.chosen[0].relevance == pytest.approx(page.chosen[0].relevance)
    assert fewer.chosen[0].score != page.chosen[0].score


def test_constant_features_are_told_and_never_substitutes(summary):
    assert summary["warnings"] == [
        "1 column holds one single value and can never be selected: 'x8'."
    ]
    assert summary["data"]["kinds"] == {"numbers": 8, "categories": 0, "constant": 1}
    substitutes = [row["substitutes"] or [] for row in summary["features"]]
    assert 8 not in [one["feature"] for found in substitutes for one in found]
    assert summary["features"][-1]["constant"]


def test_p_values_are_those_of_feature_tests_adjusted_for_all(data, selector):
    X, y = data
    summary = summarise(selector, X, y, AnalysisOptions(n_shown=5))
    alone = feature_tests(X[:, :8], y).p_values
    shown = [row["feature"] for row in summary["features"]]
    looked_at = np.ones(9)
    looked_at[shown] = alone[shown]
    adjusted = false_discovery_control(looked_at, method="bh")
    for row in summary["features"]:
        assert_allclose(row["p_value"], alone[row["feature"]], rtol=1e-4)
        assert_allclose(row["adjusted_p_value"], adjusted[row["feature"]], rtol=1e-4)


def test_chosen_features_are_tested_given_the_others(data, selector):
    X, y = data
    rows = summarise(selector, X, y)["features"]
    found = {row["feature"]: row["given_others_p"] for row in rows if row["chosen"]}
    tests = conditional_tests(X, y, list(found))
    assert_allclose(list(found.values()), tests.p_values, rtol=1e-4)
    without = summarise(selector, X, y, AnalysisOptions(p_values="none"))
    assert "given_others_p" not in [column["key"] for column in without["columns"]]
    X = X[:, :8]
    few = MaxRelevance(1).fit(X, y)
    assert summarise(few, X, y)["features"][0]["given_others_p"] is None


def test_p_values_can_be_handed_over_or_left_out(data, selector):
    X, y = data
    tests = feature_tests(X, y, method="permutation", n_permutations=19)
    summary = summarise(selector, X, y, AnalysisOptions(p_values=tests))
    assert summary["p_values"] == "permutation"
    assert summary["features"][0]["p_value"] == tests.p_values[selector.selected_indices_[0]]
    none = summarise(selector, X, y, AnalysisOptions(p_values="none"))
    assert none["p_values"] is None
    assert not any("p-values" in one["title"] for one in none["pitfalls"])
    assert "p_value" not in [column["key"] for column in none["columns"]]


def test_only_as_many_are_tested_unasked_as_take_some_seconds(data, selector, monkeypatch):
    monkeypatch.setattr(p_values_module, "UNASKED_WORK", 3 * 80**3)
    found = [row["p_value"] for row in summarise(selector, *data)["features"]]
    assert [value is None for value in found] == [False] * 3 + [True] * 6
    asked = summarise(selector, *data, AnalysisOptions(p_values="gamma"))["features"]
    assert None not in [row["p_value"] for row in asked]


def test_lines_of_the_path_are_the_path(selector, summary):
    path = picture(summary, "path")
    lars = selector.path_.lars
    assert_allclose(path["x"]["values"], lars.levels, rtol=1e-5)
    dense = lars.dense()
    for line in path["series"]:
        exact = dense[:, line["feature"]]
        drawn = np.array([np.nan if v is None else v for v in line["values"]])
        inside = ~np.isnan(drawn)
        assert_allclose(drawn[inside], exact[inside], rtol=1e-5, atol=1e-12)
        assert not exact[~inside].any()


def test_pairs_on_a_path_have_both_names(data):
    X, y = data
    y = np.sign(X[:, 2] * X[:, 3]) + y
    fitted = N3LARS(4, interactions="pairs").fit(X[:, :4], y)
    summary = summarise(fitted, X[:, :4], y)
    best = fitted.pairs_[0]
    first = summary["pairs"][0]
    assert tuple(first["features"]) == best.features
    assert_allclose(first["coefficient"], best.coefficient, rtol=1e-5)
    lines = [one for one in picture(summary, "path")["series"] if "also" in one]
    a, b = best.features
    assert f"x{a} x x{b}" in [line["name"] for line in lines]
    assert "planes" in pictures(summary)


def test_stability_shows_frequencies_and_threshold(data):
    X, y = data[0][:, :8], data[1]
    fitted = StabilitySelection(N3LARS(), n_subsamples=10).fit(X, y)
    summary = summarise(fitted, X, y)
    drawn = picture(summary, "stability")
    assert drawn["lines"][0]["value"] == fitted.threshold_
    for line in drawn["series"]:
        assert_allclose(line["values"], fitted.frequencies_[:, line["feature"]])
    keys = [column["key"] for column in summary["columns"]]
    assert "frequency" in keys
    assert "score" not in keys
    assert f"{fitted.bound_:.2g}" in " ".join(one["text"] for one in summary["pitfalls"])


def test_nothing_stable_is_said_plainly(data):
    X = np.random.default_rng(5).normal(size=(40, 30))
    y = np.random.default_rng(6).normal(size=40)
    summary = summarise(StabilitySelection(n_subsamples=10).fit(X, y), X, y)
    assert summary["headline"].startswith("None of 30 features from 40 samples is stable")
    assert summary["n_selected"] == 0


def test_contributions_and_the_curve_of_the_number_are_drawn(data):
    X, y = data[0][:, :8], data[1]
    fitted = RandSel("alignment", n_rounds=4).fit(X, y)
    summary = summarise(fitted, X, y)
    for line in picture(summary, "contributions")["series"]:
        drawn = [np.nan if value is None else value for value in line["values"]]
        assert_allclose(drawn, fitted.path_.contributions[:, line["feature"]], rtol=1e-5)
    number = picture(summary, "number")
    assert number["caption"] == fitted.n_features_choice_.reason
    assert_allclose(number["series"][0]["values"], fitted.n_features_choice_.values, rtol=1e-5)
    assert not any("does not come from the data" in one["title"] for one in summary["pitfalls"])


def test_interactions_are_told_with_their_family_wise_p(data):
    X, _ = data
    y = np.sign(X[:, 2] * X[:, 3])
    fitted = InteractionScan(2, n_permutations=5).fit(X[:, :8], y)
    summary = summarise(fitted, X[:, :8], y)
    assert "x2 and x3 tell most together (family-wise p =" in summary["headline"]
    assert_allclose(summary["pairs"][0]["family_wise_p"], fitted.pairs_[0].family_wise_p, rtol=1e-4)
    assert fitted.is_complete_
    fitted.is_complete_ = False
    assert "More interactions are likely" in summarise(fitted)["warnings"][0]


def test_missing_values_as_a_level_are_shown_as_one():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 5)).astype(float)
    y = (X[:, 0] * X[:, 1] > 1).astype(int)
    X[::7, 0] = np.nan
    fitted = InteractionScan(2, n_permutations=0, missing="category").fit(X, y)
    panels = picture(summarise(fitted, X, y), "panels")["panels"]
    missing = next(panel for panel in panels if panel["feature"] == 0)
    assert missing["form"] == "fractions"
    assert len(missing["levels"]) == 4


def test_panels_hold_quantiles_densities_fractions_and_curves(data):
    X, y = data
    X = np.column_stack([X[:, :4], np.digitize(X[:, 1], [-0.5, 0.5])])
    classes = np.where(y > 0.8, "high", "low")
    by_class = summarise(MaxRelevance(5).fit(X, classes), X, classes)
    for panel in picture(by_class, "panels")["panels"]:
        values = X[:, panel["feature"]]
        if panel["feature"] == 4:
            for level in panel["levels"]:
                own = classes[values == float(level["name"])]
                assert level["count"] == len(own)
                assert_allclose(level["fractions"][0], np.mean(own == "high"), atol=1e-5)
        else:
            assert max(h for group in panel["groups"] for _, h in group["density"]) == 1.0
            for group in panel["groups"]:
                own = values[classes == group["name"]]
                exact = np.quantile(own, (0.05, 0.25, 0.5, 0.75, 0.95))
                assert_allclose(group["quantiles"], exact, rtol=1e-4)
                assert set(group["points"]) <= {float(f"{value:.6g}") for value in own}
    by_number = picture(summarise(MaxRelevance(5).fit(X, y), X, y), "panels")["panels"]
    cloud = next(panel for panel in by_number if panel["feature"] == 0)
    at, heights = np.array(cloud["line"]).T
    assert_allclose(heights, np.interp(at, *smooth_curve(X[:, 0], y)), atol=1e-3)
    stepped = next(panel for panel in by_number if panel["feature"] == 4)
    assert [group["count"] for group in stepped["groups"]] == np.bincount(
        X[:, 4].astype(int)
    ).tolist()


def test_a_violin_is_the_kernel_density_of_its_group(rng):
    values = np.concatenate([rng.normal(-2, 0.5, 300), rng.normal(2, 0.5, 300)])
    places, heights = density(values)
    width = 0.9 * min(values.std(), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349)
    exact = gaussian_kde(values, width * 600**-0.2 / values.std(ddof=1))(places)
    assert_allclose(heights, exact, rtol=1e-6)
    assert heights[np.abs(places) < 0.3].max() < 0.3 * heights.max()  # no box would show the gap
    assert density(np.full(9, 3.0)) is None


def test_levels_are_shown_by_their_names_in_every_door(rng, tmp_path):
    sex, ward = rng.choice(["f", "m"], 120), rng.choice(["east", "north", "west"], 120)
    frame = pd.DataFrame({"age": rng.normal(size=120), "sex": sex, "ward": ward})
    y = pd.Series((sex == "m") + 2.0 * (ward == "north") + 0.3 * rng.normal(size=120), name="y")
    frame.assign(y=y).to_csv(tmp_path / "table.csv", index=False)
    table = hsieve.open_dataset(tmp_path / "table.csv", target="y")
    for X, target in ((frame, y), (table, None)):
        fitted = N3LARS(2).fit(X, target)
        panels = picture(summarise(fitted, X, target), "panels")["panels"]
        shown = {p["name"]: [group["name"] for group in p["groups"]] for p in panels}
        assert shown == {"sex": ["f", "m"], "ward": ["east", "north", "west"]}


def test_values_far_out_are_drawn_at_the_edge_only_where_they_squeeze_the_others(data):
    X, y = data
    wild = X[:, :8].copy()
    wild[5, 0] = 1e6
    for features, largest in ((X[:, :8], X[:, 0].max()), (wild, edges(wild[:, 0])[1])):
        panels = picture(summarise(MaxRelevance(8).fit(features, y), features, y), "panels")
        cloud = next(panel for panel in panels["panels"] if panel["feature"] == 0)
        assert_allclose(max(x for x, _ in cloud["points"]), largest, rtol=1e-5)
    assert edges(wild[:, 0])[1] < 10


def test_many_samples_are_thinned_and_rare_classes_kept(monkeypatch):
    monkeypatch.setattr(evidence_module, "MOST_ROWS", 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6))
    y = np.where(X[:, 0] > 0, 1, 0)
    y[[7, 2345]] = 2
    summary = summarise(MaxRelevance(2).fit(X, y), X, y, AnalysisOptions(p_values="none"))
    assert "of 3,000 samples" in summary["notes"][-1]
    groups = picture(summary, "panels")["panels"][0]["groups"]
    assert {group["name"]: group["count"] >= 2 for group in groups} == dict.fromkeys("012", True)
    assert "The smallest class has 2" in " ".join(one["text"] for one in summary["pitfalls"])


def test_column_blocks_tell_the_same_as_the_array(selector, data, summary):
    X, y = data
    assert summarise(selector, as_blocks(X), y) == summary


def test_frames_bring_their_names_and_series_theirs(data):
    X, y = data
    frame = pd.DataFrame(X[:, :8], columns=list("abcdefgh"))
    series = pd.Series(y, name="yield")
    summary = summarise(N3LARS(2).fit(frame, series), frame, series)
    assert summary["data"]["target"]["name"] == "yield"
    assert {row["name"] for row in summary["features"]} == set("abcdefgh")


def test_gram_matrices_and_several_outputs_are_targets_too(data):
    X, y = data
    X = X[:, :8]
    gram = np.outer(y, y)
    by_gram = DependenceSelector(
        hsieve.HSIC(kernel_y=kernels.Precomputed()), n_features_to_select=2
    ).fit(X, gram)
    summary = summarise(by_gram, X, gram, AnalysisOptions(p_values="gamma"))
    assert summary["data"]["target"]["kind"] == "gram"
    assert "heat" in pictures(summary)
    assert "panels" not in pictures(summary)
    assert summary["features"][0]["p_value"] < 0.05
    outputs = np.column_stack([y, X[:, 2]])
    summary = summarise(N3LARS(2).fit(X, outputs), X, outputs)
    assert summary["data"]["target"]["n_outputs"] == 2
    assert picture(summary, "panels")["target"] == "y (first output)"


def test_a_target_that_was_not_looked_at_need_not_vary(data):
    X = data[0][:, :8]
    fitted = LaplacianScore(2).fit(X)
    assert "panels" in pictures(summarise(fitted, X, np.zeros(80)))
    assert "landscape" not in pictures(summarise(fitted, X))


def test_pitfalls_fit_the_result(data, summary):
    X, y = data
    titles = [one["title"] for one in summary["pitfalls"]]
    assert titles[0] == "Validate with the selection inside"
    assert "The number of features does not come from the data" in titles
    assert "Features that matter only together are not seen" in titles
    assert "Some chosen features have substitutes" in titles
    assert "Some chosen features repeat each other" not in titles
    assert "Copies may fill the list" not in titles
    copies = X[:, [0, 1, 4]]
    summary = summarise(MaxRelevance(3).fit(copies, y), copies, y)
    repeated = next(one for one in summary["pitfalls"] if "repeat each other" in one["title"])
    assert "x0 and x2 (1.00)" in repeated["text"]
    apart = X[:, [0, 1, 2, 3]]
    summary = summarise(BAHSIC(2).fit(apart, y), apart, y)
    titles = [one["title"] for one in summary["pitfalls"]]
    assert "Some chosen features repeat each other" not in titles
    assert "Features that matter only together are not seen" not in titles
    assert "Copies may fill the list" in titles
    assert "Some chosen features have substitutes" not in titles


def test_a_method_that_finds_the_number_itself_is_not_blamed_for_it(data):
    X, y = data[0][:, :8], data[1]
    summary = summarise(FCBF().fit(X, y), X, y)
    assert 0 < summary["n_selected"] < 8
    assert not any("number of features" in one["title"] for one in summary["pitfalls"])


def test_what_makes_no_sense_is_refused(selector, data):
    X, y = data
    with pytest.raises(NotFittedError):
        summarise(N3LARS())
    with pytest.raises(ValueError, match=r"n_shown must be an integer from 1 to 500, got 0"):
        summarise(selector, X, y, AnalysisOptions(n_shown=0))
    with pytest.raises(ValueError, match="title must be a text or None, got 7"):
        summarise(selector, X, y, AnalysisOptions(title=7))
    with pytest.raises(ValueError, match=r"p_values must be 'auto'.*got 'exact'"):
        summarise(selector, X, y, AnalysisOptions(p_values="exact"))
    with pytest.raises(ValueError, match="tests of all 9 features, got 3"):
        summarise(selector, X, y, AnalysisOptions(p_values=feature_tests(X[:, :3], y)))
    with pytest.raises(ValueError, match="X has 5 features, but N3LARS is expecting 9"):
        summarise(selector, X[:, :5], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        summarise(selector, X, y[:-1])
    with pytest.raises(ValueError, match="feature_names must hold 9 names"):
        summarise(selector, X, y, AnalysisOptions(feature_names=["a"]))


@pytest.mark.parametrize("categorical", [(), ["clinic"], [1]])
def test_categories_of_a_data_frame_are_told_as_categories(rng, categorical):
    clinic = rng.choice(["north", "south", "west"], size=150)
    frame = pd.DataFrame({"age": rng.normal(size=150), "clinic": clinic})
    y = frame["age"] + (clinic == "south")
    told = N3LARS(1, categorical=categorical).fit(frame, y).report(frame, y).summary.to_dict()
    assert told["data"]["kinds"] == {"numbers": 1, "categories": 1, "constant": 0}


def test_a_summary_prints_the_chosen_features_and_what_is_said_of_them(selector, data, summary):
    found = selector.summary(*data)
    told = str(found)
    assert found.headline in told
    for row in found.chosen:
        assert f"│    {row.rank} │ {row.name}" in told
    for sentence in (*found.notes, *found.warnings):
        assert " ".join(sentence.split()) in " ".join(told.split())
    assert "x8" in found._repr_html_()
    assert found.features == analyse(selector, *data).features
    assert summary["headline"] == found.headline


def test_a_summary_becomes_a_frame_with_a_row_for_each_feature(selector, data):
    found = selector.summary(*data)
    frame = found.to_frame()
    assert frame.index.tolist() == [row.feature for row in found.features]
    assert frame["score"].tolist() == selector.scores_[frame.index].tolist()
    assert frame["chosen"].sum() == 4
    assert len(selector.summary(*data, n_shown=None).to_frame()) == 4


def test_names_in_a_notebook_are_escaped(data):
    X, y = data[0][:, :3], data[1]
    names = ["<script>", "b", "c"]
    shown = N3LARS(2).fit(X, y).summary(X, y, feature_names=names)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_many_levels_become_the_frequent_ones_and_the_others():
    values = np.repeat(np.arange(10), np.arange(1, 11))
    levels = levels_of(values, 4)
    assert levels.names == ["7", "8", "9", "other (7)"]
    assert np.bincount(levels.codes).tolist() == [8, 9, 10, 28]
    assert levels_of(values, 10).names == [str(level) for level in range(10)]


def test_a_smooth_curve_follows_the_means_whatever_the_scale():
    rng = np.random.default_rng(0)
    x = np.exp(1.5 * rng.normal(size=2000))
    places, heights = smooth_curve(x, np.log(x) + 0.3 * rng.normal(size=2000))
    middle = (places > 0.1) & (places < 10)
    assert np.abs(heights[middle] - np.log(places[middle])).max() < 0.15
    assert (np.diff(places) > 0).all()
    assert np.allclose(smooth_curve(x, np.full(2000, 3.0))[1], 3.0)
    assert smooth_curve(np.repeat([0.0, 1.0, 2.0, 3.0], 20), rng.normal(size=80)) is None
    assert np.abs(smooth_curve(x, rng.normal(size=2000))[1]).max() < 0.5
