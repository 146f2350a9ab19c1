"""Selections and scores of 34 pairs of method and data, kept in `table.csv`.

`python -m tests.same_results.table --write` writes the table anew. Do so only if a change of the
answers is meant, and say why in CHANGELOG.md: people compare selections over years.
"""

import argparse
import csv
import warnings
from pathlib import Path

import hsieve
from hsieve.datasets import make_problem

__all__ = ["PAIRS", "TABLE", "answer", "kept"]

TABLE = Path(__file__).with_name("table.csv")
FIELDS = ("method", "problem", "selected", "scores")
# Problem: its size. Small enough that all take some ten seconds.
SIZES = {
    "and-or": {"n_samples": 200},
    "quad": {"n_samples": 200},
    "xor-toy": {"n_samples": 200},
    "xor": {"n_samples": 200, "n_features": 60},
    "linear-weston": {"n_samples": 150, "n_features": 60},
    "nonlinear-weston": {"n_samples": 150, "n_features": 60},
    "zhang-sample": {"n_samples": 150, "n_features": 60},
    "n3lars": {"n_samples": 200, "n_features": 120},
}
# Method: how it is made for so many features.
METHODS = {
    "N3LARS": hsieve.N3LARS,
    "N3LARS, pairs": lambda k: hsieve.N3LARS(k, interactions="pairs"),
    "HSICLasso": hsieve.HSICLasso,
    "KernelPursuit": hsieve.KernelPursuit,
    "BAHSIC": hsieve.BAHSIC,
    "FOHSIC": hsieve.FOHSIC,
    "FamilyRanking": hsieve.FamilyRanking,
    "MaxRelevance": hsieve.MaxRelevance,
    "MRMR": hsieve.MRMR,
    "QPFS": hsieve.QPFS,
    "L1LSMI": lambda k: hsieve.L1LSMI(k, n_restarts=2),
    "L1HSIC": lambda k: hsieve.L1HSIC(k, n_restarts=2),
    "ForwardLSMI": hsieve.ForwardLSMI,
    "RandSel": lambda k: hsieve.RandSel(k, n_rounds=16),
    "RandSel, plain": lambda k: hsieve.RandSel(k, estimator="plain", n_rounds=200),
    "HalvesRegression": lambda k: hsieve.HalvesRegression(k, n_rounds=200),
    "StabilitySelection": lambda k: hsieve.StabilitySelection(
        hsieve.N3LARS(), n_features_to_select=k, n_subsamples=10
    ),
    "SVMRFE": hsieve.SVMRFE,
    "KernelSVMRFE": hsieve.KernelSVMRFE,
    "L1SVM": hsieve.L1SVM,
    "LassoSelector": hsieve.LassoSelector,
    "SpAM": hsieve.SpAM,
    "ReliefF": hsieve.ReliefF,
    "SPEC": hsieve.SPEC,
    "LaplacianScore": hsieve.LaplacianScore,
    "FCBF": hsieve.FCBF,
    "HITONPC": hsieve.HITONPC,
    "InteractionScan": hsieve.InteractionScan,
    "NHSIC, forward": lambda k: hsieve.DependenceSelector(
        hsieve.NHSIC(), strategy="forward", n_features_to_select=k
    ),
    "Pearson": lambda k: hsieve.DependenceSelector(hsieve.Pearson(), n_features_to_select=k),
}
PAIRS = [
    ("N3LARS", "n3lars"),
    ("N3LARS", "linear-weston"),
    ("N3LARS, pairs", "xor"),
    ("HSICLasso", "n3lars"),
    ("BAHSIC", "nonlinear-weston"),
    ("BAHSIC", "xor"),
    ("FOHSIC", "linear-weston"),
    ("FamilyRanking", "zhang-sample"),
    ("MaxRelevance", "n3lars"),
    ("MRMR", "zhang-sample"),
    ("QPFS", "linear-weston"),
    ("L1LSMI", "and-or"),
    ("L1LSMI", "quad"),
    ("L1HSIC", "xor-toy"),
    ("ForwardLSMI", "quad"),
    ("RandSel", "xor"),
    ("RandSel, plain", "linear-weston"),
    ("HalvesRegression", "linear-weston"),
    ("StabilitySelection", "n3lars"),
    ("SVMRFE", "zhang-sample"),
    ("KernelSVMRFE", "nonlinear-weston"),
    ("L1SVM", "zhang-sample"),
    ("LassoSelector", "linear-weston"),
    ("SpAM", "quad"),
    ("ReliefF", "xor"),
    ("SPEC", "nonlinear-weston"),
    ("LaplacianScore", "nonlinear-weston"),
    ("FCBF", "linear-weston"),
    ("HITONPC", "zhang-sample"),
    ("InteractionScan", "xor"),
    ("NHSIC, forward", "quad"),
    ("Pearson", "n3lars"),
    ("KernelPursuit", "n3lars"),
    ("KernelPursuit", "xor"),
]


def answer(method, problem):
    """Select as many features as matter (at least three); return them, best first, and scores."""
    made = make_problem(problem, random_state=7, **SIZES[problem])
    selector = METHODS[method](max(3, made.n_relevant) if method != "L1LSMI" else made.n_relevant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(made.X, made.y)
    selected = selector.selected_indices_
    return selected.tolist(), selector.scores_[selected].tolist()


def kept():
    """Return the table as it is kept: (method, problem) -> (selected, scores)."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {
            (row["method"], row["problem"]): (
                [int(text) for text in row["selected"].split()],
                [float(text) for text in row["scores"].split()],
            )
            for row in csv.DictReader(file)
        }


def write():
    """Write the table anew."""
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for method, problem in PAIRS:
            selected, scores = answer(method, problem)
            writer.writerow(
                {
                    "method": method,
                    "problem": problem,
                    "selected": " ".join(map(str, selected)),
                    "scores": " ".join(f"{score:.9g}" for score in scores),
                }
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table anew")
    if parser.parse_args().write:
        write()
    else:
        for pair in PAIRS:
            print(*pair, *answer(*pair), kept().get(pair), sep="\n    ")
