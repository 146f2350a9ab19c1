"""KernelEnsembleClassifier: seconds, memory and accuracy for many samples. Run by `make bench`.

    python benchmarks/bench_kernel_ensemble.py --only large    one part instead of all

large: continuous xor of two features among 50, 2,000 to 100,000 samples; randSel finds the sets.
Shown are CPU seconds of the fit and of 10,000 predictions, the greatest memory beyond the data, and
the accuracy on these 10,000 samples, beside gradient boosting of trees (scikit-learn's defaults)
and, up to 10,000 samples, a support vector machine with a Gaussian kernel (scikit-learn's
defaults), both on all features.

rare: the same with one sample of 37 in the class of interest, a ring around the origin of two
features: how far up the samples of that class are, as the area under the curve.

Each run is in a process of its own with one BLAS thread; medians over draws of the data.
"""

import statistics

import numpy as np
from measuring import ONE_THREAD, growth_exponent, measured, run_apart, run_parts
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from hsieve import KernelEnsembleClassifier
from hsieve.datasets import make_xor

SIZES = (2_000, 10_000, 30_000, 100_000)
N_FEATURES = 50
N_PREDICTED = 10_000
# A machine holds more and more samples: the larger sizes would take hours.
LARGEST_FOR_MACHINE = 10_000
RARE = 1 / 37
REPETITIONS = 3

CLASSIFIERS = {
    "kernel ensemble": KernelEnsembleClassifier,
    "boosted trees": lambda: HistGradientBoostingClassifier(random_state=0),
    "Gaussian SVM": SVC,
}


def make_data(task):
    """Draw samples to fit on and to predict."""
    n_samples = task["n_samples"] + N_PREDICTED
    if task["kind"] == "xor":
        problem = make_xor(n_samples, N_FEATURES, kind="continuous", random_state=task["seed"])
        return problem.X, problem.y
    X = np.random.default_rng(task["seed"]).normal(size=(n_samples, N_FEATURES))
    radius = np.hypot(X[:, 3], X[:, 7])
    return X, (radius > np.quantile(radius, 1 - RARE)).astype(int)


def measure_here(task):
    """Fit one classifier in this process, after a small one that loads what is late."""
    small = make_xor(60, 6, random_state=0)
    CLASSIFIERS[task["who"]]().fit(small.X, small.y)
    X, y = make_data(task)
    model, n_samples = CLASSIFIERS[task["who"]](), task["n_samples"]
    _, fit = measured(lambda: model.fit(X[:n_samples], y[:n_samples]))
    decisions, predict = measured(lambda: model.decision_function(X[n_samples:]))
    truth = y[n_samples:]
    predicted = model.classes_[(decisions > 0).astype(int)]
    return {
        **fit,
        "predict_cpu": predict["cpu"],
        "accuracy": float(np.mean(predicted == truth)),
        "area": float(roc_auc_score(truth == model.classes_[1], decisions)),
    }


def run_once(task):
    """Answer of a process of its own."""
    return run_apart(__file__, task, environment=ONE_THREAD)


def run_seeds(task, repetitions):
    """Medians over draws; the greatest memory."""
    runs = [run_once({**task, "seed": seed}) for seed in range(repetitions)]
    row = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    return row | {"memory": max(run["memory"] for run in runs)}


def compare_large(repetitions):
    """Print seconds, memory and accuracy for more and more samples."""
    show("samples", "classifier", "fit CPU s", "predict CPU s", "memory GB", "accuracy")
    rows = {}
    for n_samples in SIZES:
        for who in CLASSIFIERS:
            if who == "Gaussian SVM" and n_samples > LARGEST_FOR_MACHINE:
                continue
            task = {"kind": "xor", "who": who, "n_samples": n_samples}
            row = rows[n_samples, who] = run_seeds(task, repetitions)
            show(
                f"{n_samples:,} x {N_FEATURES}",
                who,
                f"{row['cpu']:.1f}",
                f"{row['predict_cpu']:.1f}",
                f"{row['memory']:.2f}",
                f"{row['accuracy']:.3f}",
            )
    seconds = [rows[n_samples, "kernel ensemble"]["cpu"] for n_samples in SIZES]
    if len(SIZES) > 1:
        print(f"fit of the kernel ensemble grows as n^{growth_exponent(SIZES, seconds):.2f}")
    return rows


def compare_rare(repetitions):
    """Print how well a rare class is told from the rest."""
    show("samples", "classifier", "fit CPU s", "", "memory GB", "area")
    rows = {}
    for who in ("kernel ensemble", "boosted trees"):
        task = {"kind": "ring", "who": who, "n_samples": SIZES[-1]}
        row = rows[who] = run_seeds(task, repetitions)
        show(
            f"{SIZES[-1]:,} x {N_FEATURES}",
            who,
            f"{row['cpu']:.1f}",
            "",
            f"{row['memory']:.2f}",
            f"{row['area']:.4f}",
        )
    return rows


def show(*cells):
    """Print one line of a table."""
    widths = (-14, -16, 10, 14, 10, 9)
    text = (
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}"
        for cell, width in zip(cells, widths, strict=True)
    )
    print(" ".join(text).rstrip(), flush=True)


PARTS = {"large": compare_large, "rare": compare_rare}


if __name__ == "__main__":
    run_parts("kernel ensemble", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
