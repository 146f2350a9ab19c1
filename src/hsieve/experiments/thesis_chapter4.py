"""What chapter 4 of the thesis concludes: methods of a Gaussian kernel with cross validation."""

from hsieve.experiments.thesis_cells import DATASETS
from hsieve.experiments.thesis_comparisons import (
    ALIKE,
    FAILING,
    PERFECT,
    WELL,
    Conclusion,
    cells_under,
    is_first,
    listed,
    mean_number,
    variance,
)
from hsieve.experiments.thesis_methods import KERNEL, LINEAR

__all__ = ["CHAPTER_4"]

CHAPTER_4: tuple[Conclusion, ...] = (
    Conclusion(
        "4.3.1.2",
        "Feature outliers: Gaussian kernels predict alike; RFE has the lowest precision, randSel "
        "the highest and the best recall",
        lambda c: [
            max(cell.accuracy.mean for cell in cells_under(c, "zhang-feature", KERNEL, "cv"))
            - min(cell.accuracy.mean for cell in cells_under(c, "zhang-feature", KERNEL, "cv"))
            <= 2 * ALIKE,
            is_first(c, "zhang-feature", "Gaussian RFE", lambda cell: cell.precision),
            is_first(c, "zhang-feature", "randSel", lambda cell: -cell.precision),
            is_first(c, "zhang-feature", "randSel", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + listed(c, "zhang-feature", KERNEL, "cv", "precision")
            + "; recall, "
            + listed(c, "zhang-feature", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.2",
        "Feature outliers: FOHSIC is the sparsest, BAHSIC the most consistent",
        lambda c: [
            is_first(c, "zhang-feature", "FOHSIC", lambda cell: cell.number.mean),
            is_first(c, "zhang-feature", "BAHSIC", variance),
        ],
        lambda c: (
            "features, "
            + listed(c, "zhang-feature", KERNEL, "cv", "number")
            + "; mean variance, "
            + listed(c, "zhang-feature", KERNEL, "cv", "mean_variance")
        ),
    ),
    Conclusion(
        "4.3.1.3",
        "Sample outliers: FOHSIC is the most precise, sparsest and most consistent, randSel has "
        "the best recall",
        lambda c: [
            is_first(c, "zhang-sample", "FOHSIC", lambda cell: -cell.precision),
            is_first(c, "zhang-sample", "FOHSIC", lambda cell: cell.number.mean),
            is_first(c, "zhang-sample", "FOHSIC", variance),
            is_first(c, "zhang-sample", "randSel", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + listed(c, "zhang-sample", KERNEL, "cv", "precision")
            + "; recall, "
            + listed(c, "zhang-sample", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.4",
        "Linear Weston: HSIC methods are precise, sparse and stable, randSel most; RFE has the "
        "best recall",
        lambda c: [
            c["linear-weston", "randSel", "cv"].precision >= PERFECT - 0.04,
            is_first(c, "linear-weston", "randSel", lambda cell: -cell.precision),
            is_first(c, "linear-weston", "randSel", variance),
            is_first(c, "linear-weston", "Gaussian RFE", lambda cell: -cell.recall),
        ],
        lambda c: (
            "precision, "
            + listed(c, "linear-weston", KERNEL, "cv", "precision")
            + "; recall, "
            + listed(c, "linear-weston", KERNEL, "cv", "recall")
        ),
    ),
    Conclusion(
        "4.3.1.5",
        "Non-linear Weston: all Gaussian methods predict very well; randSel and FOHSIC are "
        "perfectly precise",
        lambda c: [
            *(
                cell.accuracy.mean >= WELL
                for cell in cells_under(c, "nonlinear-weston", KERNEL, "cv")
            ),
            *(
                cell.precision >= PERFECT
                for cell in cells_under(c, "nonlinear-weston", ["randSel", "FOHSIC"], "cv")
            ),
        ],
        lambda c: (
            "accuracy, "
            + listed(c, "nonlinear-weston", KERNEL, "cv", "accuracy")
            + "; precision, "
            + listed(c, "nonlinear-weston", KERNEL, "cv", "precision")
        ),
    ),
    Conclusion(
        "4.3.1.6",
        "Xor: FOHSIC fails; randSel and BAHSIC are the same on every measure; RFE follows",
        lambda c: [
            c["xor", "FOHSIC", "cv"].accuracy.mean <= FAILING,
            c["xor", "randSel", "cv"].accuracy.mean >= WELL,
            abs(c["xor", "randSel", "cv"].accuracy.mean - c["xor", "BAHSIC", "cv"].accuracy.mean)
            <= ALIKE,
            variance(c["xor", "randSel", "cv"]) == variance(c["xor", "BAHSIC", "cv"]),
            c["xor", "Gaussian RFE", "cv"].accuracy.mean <= c["xor", "randSel", "cv"].accuracy.mean,
        ],
        lambda c: (
            "accuracy, "
            + listed(c, "xor", KERNEL, "cv", "accuracy")
            + "; features, "
            + listed(c, "xor", KERNEL, "cv", "number")
        ),
    ),
    Conclusion(
        "4.4",
        "HSIC methods tend to give sparser models than the linear methods of chapter 3, with no "
        "clear winner in accuracy",
        lambda c: [
            mean_number(c, dataset, KERNEL[:3]) < mean_number(c, dataset, LINEAR)
            for dataset in DATASETS
        ],
        lambda c: "; ".join(
            f"{dataset} {mean_number(c, dataset, KERNEL[:3]):.1f} against "
            f"{mean_number(c, dataset, LINEAR):.1f}"
            for dataset in DATASETS
        ),
    ),
)
