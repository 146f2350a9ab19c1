"""Where an answer may change, and why: part of an estimator's name and the reason, by change.

An exception that is not needed is a finding, too: :mod:`tests.properties.test_selectors` looks for
data on which each of them shows.
"""

from tests.every_selector import SCALE_MATTERS

__all__ = ["EXCEPTIONS", "LOOSE", "TOLERANCE", "reason", "tolerance"]

DRAWS = "its draws of samples are tied to their places"
DRAWS_COLUMNS = "its draws of features are tied to their places"
KNOCKOFFS = "its knockoffs are drawn by place"
CENTRES = "centres and folds are drawn by place"
PER_PAIR = "scores without bias, which leave pairs of a sample with itself out, see copies as pairs"
EVIDENCE = "twice the samples are more evidence"
PENALTY = "a fixed penalty weighs less beside more samples"
NEIGHBOURS = "the nearest neighbour of a sample is its copy"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "order of samples": {
        "RandSel": DRAWS,
        "StabilitySelection": DRAWS,
        "KnockoffSelector": KNOCKOFFS,
        "LPBoostMKL": "folds are drawn by place",
        "estimator='discretised'), n_features_to_select=2, strategy=PursuitSearch": DRAWS,
    },
    "order of columns": {
        "L1LSMI": "the search begins at random weights",
        "L1HSIC": "the search begins at random weights",
        "RandSel": DRAWS_COLUMNS,
        "HalvesRegression": DRAWS_COLUMNS,
        "KnockoffSelector": KNOCKOFFS,
        "SparseFiltering": "the descent begins at random weights",
    },
    "scale": {
        part: why
        for part, why in SCALE_MATTERS.items()
        if part not in ("ranking_function='phi3'", "PositionWeightMatrix")
    },
    "offset": {part: SCALE_MATTERS[part] for part in ("ranking_function='phi3'", "FillMissing")},
    "order of classes": {
        "ForwardLSMI": CENTRES,
        "BackwardLSMI": CENTRES,
        "measure=LSMI": CENTRES,
        "L1LSMI": CENTRES,
        "StabilitySelection": "halves are drawn class by class, in their order",
    },
    "samples twice": {
        "BAHSIC": PER_PAIR,
        "FOHSIC": PER_PAIR,
        "kernel_x=Linear": PER_PAIR,
        "HalvesRegression": PER_PAIR,
        "estimator='copula'": "ranks of equal values are shared",
        "ForwardLSMI": CENTRES,
        "BackwardLSMI": CENTRES,
        "measure=LSMI": CENTRES,
        "L1LSMI": CENTRES,
        "L1HSIC": "the median distance leaves pairs of a sample with itself out",
        "statistic='moderated-t'": EVIDENCE,
        "statistic='lods'": EVIDENCE,
        "ReliefF": NEIGHBOURS,
        "graph='features'": "the median distance leaves pairs of a sample with itself out",
        "LaplacianScore": NEIGHBOURS,
        "HITONPC": EVIDENCE,
        "SVMRFE": PENALTY,
        "measure=Ridge": PENALTY,
        "measure=KernelRidge": PENALTY,
        "RandSel": DRAWS,
        "StabilitySelection": DRAWS,
        "KnockoffSelector": KNOCKOFFS,
        "InteractionScan": EVIDENCE,
        "KernelPursuit": EVIDENCE,
        "strategy=PursuitSearch": EVIDENCE,
        "LPBoostMKL": "a fold holds copies of what another is fitted on",
        "NestedKernelClassifier": "a fold holds copies of what another is fitted on",
    },
    "single precision": {
        "preparation='range'": "a descent from a random start passes rounding on, larger",
    },
    # A column and its copy have the same score.
    "copy": {
        "BAHSIC": "features are dropped one after the other",
        "FOHSIC": "features are added one after the other",
        "strategy=": "features are added or dropped one after the other",
        "N3LARS": "a copy of a feature on the path adds nothing",
        "HSICLasso": "a copy of a feature on the path adds nothing",
        "KernelPursuit": "a copy of a feature that joined explains nothing more",
        "MRMR(m": "a copy is redundant",
        "MRMR(n": "a copy is redundant",
        "n_screened": "what was chosen is projected out",
        "QPFS": "copies share their weight in any way",
        "ForwardLSMI": "features are added one after the other",
        "BackwardLSMI": "features are dropped one after the other",
        "L1LSMI": "copies share their weight as the start has it",
        "L1HSIC": "copies share their weight as the start has it",
        "LassoSelector": "a copy of a feature with a weight needs none",
        "L1SVM": "a copy of a feature with a weight needs none",
        "SpAM": "a copy of a feature with a weight needs none",
        "SVMRFE": "features are dropped one after the other",
        "RandSel": DRAWS_COLUMNS,
        "HalvesRegression": DRAWS_COLUMNS,
        "KnockoffSelector": KNOCKOFFS,
        "StabilitySelection(n": "a copy of a feature with a weight needs none",
        "estimator=LassoSelector": "a copy of a feature with a weight needs none",
        "estimator=FamilyRanking": "the selection of a half may end between the two",
        "LPBoost(": "a copy of a feature with a weight needs none",
        "KernelEnsembleClassifier": "the sets of its selector end between the two",
        "NestedKernelClassifier": "the sets of its selector end between the two",
    },
}

# Largest difference, as a share of the largest number of an answer.
TOLERANCE = 5e-6
LOOSE = {
    "KernelSVMRFE": (5e-3, "libsvm stops where slopes are within 1e-3"),
    "L1LSMI": (5e-3, "it works in single precision, and its ascent passes rounding on"),
    "BackwardLSMI": (1e-3, "small ridges pass rounding on"),
    "ForwardLSMI": (1e-3, "small ridges pass rounding on"),
    "SparseFiltering": (1e-3, "a descent passes rounding on"),
}


def reason(change: str, name: str) -> str | None:
    """Say why a change may change an answer; None where it must not."""
    return next((why for part, why in EXCEPTIONS.get(change, {}).items() if part in name), None)


def tolerance(name: str) -> float:
    """Largest difference allowed for an estimator."""
    return next((most for part, (most, _) in LOOSE.items() if part in name), TOLERANCE)
