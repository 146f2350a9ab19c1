"""How good is a selection? Prediction and true features, beside what people use today.

    python benchmarks/quality.py run --half tuning --jobs 2    every selector on every table
    python benchmarks/quality.py run --only hsieve.select      some selectors; --tables for tables
    python benchmarks/quality.py table --half reporting        the figures of what has been run
    python benchmarks/quality.py picture                       mean ranks, into docs/pictures
    python benchmarks/quality.py toys                          problems of which the answer is known

Every selector chooses the number of features itself: some have a rule of their own, and rankings
are cut where the cross-validated score of boosted trees is highest. What is chosen on the training
rows is judged on rows held out by a support vector machine, extremely randomised trees and boosted
trees; the best of the three counts (balanced accuracy, or R2 of numbers). Peers that grow faster
than linearly in the rows get at most as many as `MOST_ROWS` says. Finished cells are kept in
``bench-results/quality.jsonl``, so that an interrupted run resumes; a selector that fails is kept
with its error and counts as the prediction from no feature.

Tables are those of quality_tables.py, cut into two halves before anything was tuned. On a busy
machine ``--processor-time`` lets `hsieve.select` count the seconds of its own process.
"""

import argparse
import contextlib
import io
import json
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
from quality_tables import HALVES, table, toy_problems
from scipy.stats import friedmanchisquare, rankdata, studentized_range
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench-results" / "quality.jsonl"
PICTURE = ROOT / "docs" / "pictures" / "quality_ranks.svg"

SMALL = 1_000
SPLITS_OF_SMALL = 2
JUDGED_ROWS = 4_000
# Rows of the training part that a peer sees.
MOST_ROWS = {"Boruta": 1_000, "MultiSURF": 1_000, "pyHSICLasso": 1_000, "mRMR": 5_000}
OTHERS_ROWS = 5_000
SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 64, 128)
CUT_ROWS = 2_000
FORWARD_STEPS = 40


def by_select(X, y, kind):
    import hsieve

    found = hsieve.select(X, y, target_kind=kind, time_allowed="seconds")
    return found.indices


def by_pursuit(X, y, kind):
    from hsieve import KernelPursuit

    return KernelPursuit(target_kind=kind).fit(X, y).selected_indices_


def by_gain(X, y, kind):
    return cut(gain_order(X, y, kind), X, y, kind)


def by_forward_search(X, y, kind):
    """Walk the features by gain and keep those that raise the cross-validated score."""
    return walked(gain_order(X, y, kind)[:FORWARD_STEPS], X, y, kind)


def by_shap(X, y, kind):
    trees = boosted(kind).fit(X, y)
    values = np.abs(trees.predict(X[:SMALL], pred_contrib=True))
    columns = values.reshape(len(values), -1, X.shape[1] + 1)[:, :, :-1]
    return cut(best_first(columns.mean(axis=(0, 1))), X, y, kind)


def by_forest(X, y, kind):
    model = RandomForestRegressor if kind == "continuous" else RandomForestClassifier
    forest = model(200, random_state=0).fit(X, y)
    return cut(best_first(forest.feature_importances_), X, y, kind)


def by_permutation(X, y, kind):
    """Keep features whose permutation hurts boosted trees on rows held out."""
    rows, held = train_test_split(
        np.arange(len(y)), random_state=0, stratify=None if kind == "continuous" else y
    )
    trees = boosted(kind).fit(X[rows], y[rows])
    scoring = "r2" if kind == "continuous" else "neg_log_loss"
    drop = permutation_importance(
        trees, X[held], y[held], n_repeats=5, random_state=0, scoring=scoring
    )
    return np.flatnonzero(drop.importances_mean > 2 * drop.importances_std)


def by_boruta(X, y, kind):
    from boruta import BorutaPy

    model = RandomForestRegressor if kind == "continuous" else RandomForestClassifier
    search = BorutaPy(model(max_depth=5), n_estimators="auto", max_iter=30, random_state=0)
    search.fit(X, y)
    return np.flatnonzero(search.support_)


def by_fcbf(X, y, kind):
    from hsieve import FCBF

    found = FCBF(target_kind=kind).fit(X, y).selected_indices_
    return walked(found[:FORWARD_STEPS], X, y, kind)


def by_mrmr(X, y, kind):
    import pandas as pd
    from mrmr import mrmr_classif, mrmr_regression

    search = mrmr_regression if kind == "continuous" else mrmr_classif
    most = min(X.shape[1], SIZES[-1])
    order = search(pd.DataFrame(X), pd.Series(y), K=most, show_progress=False, n_jobs=1)
    return cut(np.array(order), X, y, kind)


def by_multisurf(X, y, kind):
    from skrebate import MultiSURF

    scores = MultiSURF(n_features_to_select=1).fit(X, y).feature_importances_
    return cut(best_first(scores), X, y, kind)


def by_hsic_lasso(X, y, kind):
    from pyHSICLasso import HSICLasso

    search = HSICLasso()
    search.input(X, y.astype(float))
    most = min(X.shape[1] - 1, 50)
    way = search.regression if kind == "continuous" else search.classification
    way(most, B=20, M=3, n_jobs=1, covars=np.array([]))
    return cut(np.array(search.get_index()), X, y, kind)


def by_lasso(X, y, kind):
    if kind == "continuous":
        model = LassoCV(cv=5, random_state=0)
    else:
        model = LogisticRegressionCV(
            Cs=8, l1_ratios=(1.0,), solver="saga", max_iter=200, cv=3, scoring="neg_log_loss"
        )
    weights = make_pipeline(StandardScaler(), model).fit(X, y)[-1].coef_
    return np.flatnonzero(np.abs(np.atleast_2d(weights)).max(axis=0) > 1e-6)


def by_nothing(X, y, kind):
    del y, kind
    return np.arange(X.shape[1])


SELECTORS = {
    "hsieve.select": by_select,
    "KernelPursuit": by_pursuit,
    "LightGBM gain": by_gain,
    "LightGBM forward": by_forward_search,
    "SHAP": by_shap,
    "random forest": by_forest,
    "permutation": by_permutation,
    "Boruta": by_boruta,
    "FCBF forward": by_fcbf,
    "mRMR": by_mrmr,
    "MultiSURF": by_multisurf,
    "pyHSICLasso": by_hsic_lasso,
    "lasso": by_lasso,
    "all features": by_nothing,
}
OURS = ("hsieve.select", "KernelPursuit")
# Methods that are told the number of true features of a toy problem.
TOLD_THE_NUMBER = ("KernelPursuit", "BAHSIC", "N3LARS")


def best_first(scores):
    return np.argsort(-np.asarray(scores), kind="stable")


def boosted(kind):
    from lightgbm import LGBMClassifier, LGBMRegressor

    model = LGBMRegressor if kind == "continuous" else LGBMClassifier
    return model(n_estimators=60, importance_type="gain", n_jobs=1, verbose=-1, random_state=0)


def gain_order(X, y, kind):
    return best_first(boosted(kind).fit(X, y).feature_importances_)


def trees_score(X, y, kind):
    """Score boosted trees by cross validation, on some rows."""
    folds = KFold if kind == "continuous" else StratifiedKFold
    scoring = "r2" if kind == "continuous" else "neg_log_loss"
    way = folds(3, shuffle=True, random_state=0)
    scores = cross_val_score(
        boosted(kind), X[:CUT_ROWS], y[:CUT_ROWS], cv=way, scoring=scoring, error_score="raise"
    )
    return scores.mean()


def cut(order, X, y, kind):
    """Keep as many of a ranking as predict best."""
    sizes = sorted({size for size in SIZES if size < len(order)} | {len(order)})
    scores = [trees_score(X[:, order[:size]], y, kind) for size in sizes]
    return order[: sizes[int(np.argmax(scores))]]


def walked(order, X, y, kind):
    """Keep the features of a ranking that raise the score, one after the other."""
    kept, best = [], -np.inf
    for feature in order:
        score = trees_score(X[:, [*kept, feature]], y, kind)
        if score > best:
            kept, best = [*kept, int(feature)], score
    return np.array(kept, dtype=int)


def judged(X, y, rows, held, kind):
    """Return the best score of three predictors on the rows held out."""
    if not X.shape[1]:
        return 0.0 if kind == "continuous" else 1 / len(np.unique(y))
    rows, held = rows[:JUDGED_ROWS], held[:JUDGED_ROWS]
    if kind == "continuous":
        middle, spread = y[rows].mean(), y[rows].std()
        y = (y - middle) / spread
        models = (
            make_pipeline(StandardScaler(), SVR(C=10.0, epsilon=0.05)),
            ExtraTreesRegressor(100, random_state=0),
            HistGradientBoostingRegressor(max_iter=100, random_state=0),
        )
        score = r2_score
    else:
        models = (
            make_pipeline(StandardScaler(), SVC(C=10.0, class_weight="balanced")),
            ExtraTreesClassifier(100, class_weight="balanced", random_state=0),
            HistGradientBoostingClassifier(max_iter=100, class_weight="balanced", random_state=0),
        )
        score = balanced_accuracy_score
    return max(
        float(score(y[held], model.fit(X[rows], y[rows]).predict(X[held]))) for model in models
    )


def splits_of(one):
    """Training and held-out rows: twice for small tables."""
    n = len(one.y)
    way = ShuffleSplit if one.kind == "continuous" else StratifiedShuffleSplit
    times = SPLITS_OF_SMALL if n < SMALL else 1
    return list(way(times, test_size=0.25, random_state=0).split(np.zeros(n), one.y))


def run_cell(one, split, selector):
    """Select on the training rows and judge on the others."""
    rows, held = split
    seen = rows if selector in OURS else rows[: MOST_ROWS.get(selector, OTHERS_ROWS)]
    cell = {"table": one.name, "selector": selector}
    started, cpu = time.perf_counter(), time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen = SELECTORS[selector](one.X[seen], one.y[seen], one.kind)
    except Exception as failure:
        chosen = []
        cell["failure"] = f"{type(failure).__name__}: {failure}"[:300]
    cell["seconds"] = time.perf_counter() - started
    cell["cpu"] = time.process_time() - cpu
    cell["chosen"] = sorted(int(feature) for feature in chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cell["score"] = judged(one.X[:, cell["chosen"]], one.y, rows, held, one.kind)
    if one.true is not None:
        right = len(one.true & set(cell["chosen"]))
        cell["precision"] = right / len(cell["chosen"]) if cell["chosen"] else 0.0
        cell["recall"] = right / len(one.true)
        cell["copies"] = len(one.copies & set(cell["chosen"]))
    return cell


def run_table(name, selectors, done, results):
    """Run the cells of a table that are not finished."""
    one = table(name)
    for number, split in enumerate(splits_of(one)):
        for selector in selectors:
            if (name, number, selector) not in done:
                # One thread for all, so that CPU seconds compare and runs side by side do not wait.
                with threadpool_limits(1):
                    cell = {"split": number, **run_cell(one, split, selector)}
                with results.open("a") as file:
                    file.write(json.dumps(cell) + "\n")


def finished(results):
    """Return all finished cells, the last of each."""
    if not results.exists():
        return {}
    cells = map(json.loads, results.read_text().splitlines())
    return {(cell["table"], cell["split"], cell["selector"]): cell for cell in cells}


def summary(cells, half):
    """Return figures of each selector over the tables that all have finished."""
    names = [name for name in HALVES[half] if any(cell[0] == name for cell in cells)]
    selectors = [s for s in SELECTORS if any(cell[2] == s for cell in cells)]
    means = {}
    for name in names:
        for selector in selectors:
            rows = [c for (t, _, s), c in cells.items() if (t, s) == (name, selector)]
            if rows:
                means[name, selector] = {
                    key: float(np.mean([row[key] for row in rows]))
                    for key in ("score", "cpu", "seconds", "precision", "recall")
                    if key in rows[0]
                } | {
                    "failed": sum("failure" in row for row in rows),
                    "number": float(np.mean([len(row["chosen"]) for row in rows])),
                }
    names = [name for name in names if all((name, s) in means for s in selectors)]
    return names, selectors, means


def ranks_of(names, selectors, means):
    """Rank the selectors on each table by score; 1 is best."""
    scores = np.array([[means[name, s]["score"] for s in selectors] for name in names])
    return rankdata(-scores.round(3), axis=1)


def f_measure(figures):
    both = figures["precision"] + figures["recall"]
    return 2 * figures["precision"] * figures["recall"] / both if both else 0.0


def rows_of(cells, half):
    """Return the lines of the table of a half."""
    names, selectors, means = summary(cells, half)
    ranks = ranks_of(names, selectors, means)
    made = [name for name in names if name.startswith("made-")]
    peers = [s for s in selectors if s not in OURS] or selectors
    lines = []
    for place, selector in enumerate(selectors):
        own = [means[name, selector] for name in names]
        below = [
            max(means[name, s]["score"] for s in peers) - means[name, selector]["score"]
            for name in names
        ]
        truth = [means[name, selector] for name in made]
        lines.append(
            (
                ranks[:, place].mean(),
                f"| {selector} | {ranks[:, place].mean():.1f} | "
                f"{np.mean([one['score'] for one in own]):.3f} | {max(below):.3f} | "
                f"{sum(lack > 0.02 for lack in below)} | "
                f"{np.mean([one['precision'] for one in truth]):.2f} | "
                f"{np.mean([one['recall'] for one in truth]):.2f} | "
                f"{np.mean([f_measure(one) for one in truth]):.2f} | "
                f"{np.mean([one['number'] for one in own]):.0f} | "
                f"{np.mean([one['cpu'] for one in own]):.1f} | "
                f"{max(one['seconds'] for one in own):.0f} | "
                f"{sum(one['failed'] for one in own)} |",
            )
        )
    head = (
        f"{len(names)} tables, {len(made)} of them made",
        "| selector | mean rank | score | most below the best peer | tables more than 0.02 below | "
        "precision | recall | F1 | features | CPU s | longest s | failed |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    )
    return [*head, *(line for _, line in sorted(lines))]


def draw_ranks(cells, half, path):
    """Draw mean ranks; selectors whose bars overlap do not differ by Nemenyi's test at 0.05."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "quality", "svg.fonttype": "none"})
    names, selectors, means = summary(cells, half)
    ranks = ranks_of(names, selectors, means)
    n_tables, n_selectors = ranks.shape
    quantile = studentized_range.ppf(0.95, n_selectors, np.inf) / np.sqrt(2)
    half_width = quantile * np.sqrt(n_selectors * (n_selectors + 1) / (6 * n_tables)) / 2
    order = np.argsort(ranks.mean(axis=0))[::-1]
    figure = Figure(figsize=(6.5, 0.28 * n_selectors + 1.1), layout="constrained")
    axes = figure.add_subplot()
    for place, selector in enumerate(order):
        color = "#c0392b" if selectors[selector] in OURS else "#34495e"
        middle = ranks[:, selector].mean()
        axes.errorbar(middle, place, xerr=half_width, fmt="o", color=color, capsize=3)
    axes.set_yticks(range(n_selectors), [selectors[selector] for selector in order])
    chance = friedmanchisquare(*ranks.T).pvalue
    axes.set_xlabel(f"mean rank on {n_tables} tables (Friedman p = {chance:.1g})")
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


def show_toys(seeds, told_the_number):
    """Print for each toy problem how often select, and methods told the number, find it.

    A method finds it if it chooses the true features and no other; a copy counts as its original.
    """
    methods = ("select", *told_the_number)
    print(f"| problem | draws | {' | '.join(methods)} | recall | false features |")
    print("|---|" + "---|" * (len(methods) + 3))
    for name, toys in toy_problems(seeds).items():
        found = {method: [chosen_of(toy, method) for toy in toys] for method in methods}
        counts = [
            sum(one == toy.true for one, toy in zip(found[method], toys, strict=True))
            for method in methods
        ]
        pairs = list(zip(found["select"], toys, strict=True))
        recall = np.mean([len(one & toy.true) / len(toy.true) for one, toy in pairs])
        wrong = np.mean([len(one - toy.true) for one, toy in pairs])
        shown = " | ".join(map(str, counts))
        print(f"| {name} | {len(toys)} | {shown} | {recall:.2f} | {wrong:.1f} |", flush=True)


def chosen_of(toy, method):
    """Return what a method chooses on a toy problem, with originals in the place of copies."""
    import hsieve

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "select":
            chosen = hsieve.select(toy.X, toy.y, target_kind=toy.kind).indices
        else:
            options = {"max_redundancy": 0.9} if method == "N3LARS" else {}
            make = getattr(hsieve, method)
            selector = make(len(toy.true), target_kind=toy.kind, **options)
            chosen = selector.fit(toy.X, toy.y).selected_indices_
    return {toy.originals.get(int(feature), int(feature)) for feature in chosen}


def count_processor_time():
    """Let `hsieve.select` count the seconds of its process, not those of a busy machine."""
    from hsieve import deadline

    deadline.monotonic = time.process_time


def show_tables(cells, half):
    """Print, for each table, our scores beside the best peer."""
    names, selectors, means = summary(cells, half)
    ours = [s for s in OURS if s in selectors]
    for name in names:
        best = max((s for s in selectors if s not in OURS), key=lambda s: means[name, s]["score"])
        told = ", ".join(
            f"{s} {means[name, s]['score']:.3f} ({means[name, s]['number']:.0f})"
            for s in [*ours, best]
        )
        print(f"{name:<20} {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "table", "picture", "toys"))
    parser.add_argument("--half", choices=tuple(HALVES), default="reporting")
    parser.add_argument("--only", help="selectors, with commas between them")
    parser.add_argument("--tables", help="tables, with commas between them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--processor-time", action="store_true")
    given = parser.parse_args()
    if given.processor_time:
        count_processor_time()
    if given.what == "toys":
        show_toys(range(3), TOLD_THE_NUMBER)
        return
    selectors = given.only.split(",") if given.only else list(SELECTORS)
    if given.what == "run":
        names = given.tables.split(",") if given.tables else HALVES[given.half]
        given.results.parent.mkdir(exist_ok=True)
        done = set(finished(given.results))
        joblib.Parallel(given.jobs)(
            joblib.delayed(run_table)(name, selectors, done, given.results) for name in names
        )
    cells = finished(given.results)
    if given.what == "picture":
        draw_ranks(cells, given.half, PICTURE)
    print("\n".join(rows_of(cells, given.half)))
    show_tables(cells, given.half)


if __name__ == "__main__":
    main()
