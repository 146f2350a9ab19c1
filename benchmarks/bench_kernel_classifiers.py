"""LPBoostMKL beside an RBF SVM tuned by cross validation. Run by `make bench`.

    python benchmarks/bench_kernel_classifiers.py --only few --repetitions 3

real: eight real sets of the collection, where an SVM on all features is hard to beat.

few: problems of 200 or 500 features of which few matter, three of them drawn anew for each trial.

Each trial is a random split, the same for both: 70 % of the samples for training but at most 600,
the others to be predicted; of the synthetic problems 300 and 1,000 samples. The SVM has its C and
gamma from a grid by 5 folds, features standardised. LPBoostMKL is left at its defaults: RandSel
finds its sets, in each of its folds anew. Shown are mean accuracies, the mean difference in points
with its standard error over trials, and median CPU seconds of a fit, with one BLAS thread.
"""

import statistics
import warnings
from dataclasses import dataclass

import numpy as np
from measuring import ONE_THREAD, measured, run_apart, run_parts
from real_data import ENVIRONMENT_VARIABLE, collection_root, load_dataset
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hsieve import LPBoostMKL
from hsieve.datasets import make_linear_weston, make_nonlinear_weston, make_xor

REAL = (
    "l1lsmi/sonar",
    "l1lsmi/ionosphere",
    "l1lsmi/musk1",
    "l1lsmi/vehicle",
    "l1lsmi/image",
    "l1lsmi/spectf",
    "l1lsmi/german",
    "l1lsmi/breastcancer",
)
SYNTHETIC = {
    "linear Weston": make_linear_weston,
    "non-linear Weston": make_nonlinear_weston,
    "xor": make_xor,
}
FEW = (*SYNTHETIC, "asu/madelon")
SYNTHETIC_SHAPE = (300, 200)
N_TO_PREDICT = 1000
TRAINING_SHARE = 0.7
MOST_TRAINING = 600
COSTS = 10.0 ** np.arange(-1, 4)
# Times 1 / number of features: from very wide kernels to very narrow ones.
GAMMAS = 2.0 ** np.arange(-6, 4)
REPETITIONS = 10


@dataclass(frozen=True)
class Row:
    """What several splits gave: accuracies, difference in points with its error, CPU seconds."""

    ours: float
    svm: float
    difference: float
    error: float
    our_cpu: float
    svm_cpu: float


def split(task):
    """Training samples and those to predict, of one trial."""
    trial = task["trial"]
    if task["name"] in SYNTHETIC:
        n_training, n_features = SYNTHETIC_SHAPE
        problem = SYNTHETIC[task["name"]](n_training + N_TO_PREDICT, n_features, random_state=trial)
        X, y = problem.X, problem.y
    else:
        dataset = load_dataset(task["name"])
        X, y = dataset.X.astype(np.float64), dataset.y
        n_training = min(MOST_TRAINING, int(TRAINING_SHARE * len(y)))
    return train_test_split(X, y, train_size=n_training, stratify=y, random_state=trial)


def tuned_svm(n_features):
    """Make the machine to compare with."""
    grid = {"svc__C": COSTS, "svc__gamma": GAMMAS / n_features}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=folds)


def measure_here(task):
    """Fit both in this process, on the same split."""
    training, unseen, known, truth = split(task)
    answers = {}
    for who, model in (("ours", LPBoostMKL()), ("svm", tuned_svm(training.shape[1]))):
        with warnings.catch_warnings():
            # Of constant columns, and of classes smaller than the number of folds.
            warnings.simplefilter("ignore", UserWarning)
            _, cost = measured(lambda model=model: model.fit(training, known))
        answers[who] = {**cost, "accuracy": float(model.score(unseen, truth))}
    return answers


def run_once(task):
    """Answer of one trial in a process of its own."""
    return run_apart(__file__, task, environment=ONE_THREAD)


def run_trials(name, repetitions):
    """Sum up several trials."""
    runs = [run_once({"name": name, "trial": trial}) for trial in range(repetitions)]
    points = [100 * (run["ours"]["accuracy"] - run["svm"]["accuracy"]) for run in runs]
    spread = statistics.stdev(points) if repetitions > 1 else float("nan")
    return Row(
        ours=statistics.fmean(run["ours"]["accuracy"] for run in runs),
        svm=statistics.fmean(run["svm"]["accuracy"] for run in runs),
        difference=statistics.fmean(points),
        error=spread / repetitions**0.5,
        our_cpu=statistics.median(run["ours"]["cpu"] for run in runs),
        svm_cpu=statistics.median(run["svm"]["cpu"] for run in runs),
    )


def compare(names, repetitions):
    """Print both, data set by data set, and the mean over data sets."""
    show("data", "LPBoostMKL", "SVM", "difference", "CPU s", "SVM's")
    rows = {}
    for name in names:
        if name not in SYNTHETIC and collection_root() is None:
            print(
                f"{name} left out: the data sets are not distributed with the package "
                f"(set {ENVIRONMENT_VARIABLE} to their folder)",
                flush=True,
            )
            continue
        row = rows[name] = run_trials(name, repetitions)
        show(
            name.split("/")[-1],
            f"{row.ours:.3f}",
            f"{row.svm:.3f}",
            f"{row.difference:+.2f} ± {row.error:.2f}",
            f"{row.our_cpu:.1f}",
            f"{row.svm_cpu:.1f}",
        )
    if rows:
        mean = statistics.fmean(row.difference for row in rows.values())
        near = sum(row.difference >= -0.5 for row in rows.values())
        show("mean", "", "", f"{mean:+.2f}", "", "")
        print(f"at most half a point below the SVM on {near} of {len(rows)}", flush=True)
    return rows


def compare_real(repetitions):
    """Print both on real sets."""
    return compare(REAL, repetitions)


def compare_few(repetitions):
    """Print both where few features matter."""
    return compare(FEW, repetitions)


def show(*cells):
    """Print one line of a table: data, two accuracies, difference, seconds of both."""
    widths = (-18, 10, 8, 16, 8, 8)
    text = (
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}"
        for cell, width in zip(cells, widths, strict=True)
    )
    print(" ".join(text), flush=True)


PARTS = {"real": compare_real, "few": compare_few}


if __name__ == "__main__":
    run_parts("kernel classifiers", __doc__.splitlines()[0], PARTS, measure_here, REPETITIONS)
