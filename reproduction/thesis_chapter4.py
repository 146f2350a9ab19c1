"""What chapter 4 of the thesis concludes: methods of a Gaussian kernel with cross validation."""

from reproduction.thesis_cells import DATASETS
from reproduction.thesis_comparisons import (
    ALIKE,
    CHANCE,
    FAILING,
    PERFECT,
    WELL,
    Conclusion,
    are_the_same,
    cells_under,
    figures,
    is_first,
    log_probability,
    mean_number,
    spread,
    variance,
)
from reproduction.thesis_methods import KERNEL, LINEAR

__all__ = ["CHAPTER_4"]

NEARLY_PERFECT = 0.95

CHAPTER_4: tuple[Conclusion, ...] = (
    Conclusion(
        "4.3.1.1",
        "Labels at random: no method predicts better than chance, and selections change from fold "
        "to fold far more than with sample outliers, by the log-probability",
        lambda c: [
            holds
            for method in KERNEL
            for cell in [c["fake-class", method, "cv"]]
            for holds in (
                cell.accuracy.mean <= CHANCE + 2 * ALIKE,
                log_probability(cell) > log_probability(c["zhang-sample", method, "cv"]),
            )
        ],
        lambda c: figures(c, "fake-class", KERNEL, "accuracy", "log_probability", rule="cv"),
    ),
    Conclusion(
        "4.3.1.2",
        "Feature outliers: Gaussian kernels predict alike; RFE has the lowest precision, randSel "
        "the highest, and it alone perfect recall",
        lambda c: [
            spread(cells_under(c, "zhang-feature", KERNEL, "cv")) <= 2 * ALIKE,
            is_first(c, "zhang-feature", "Gaussian RFE", lambda cell: cell.precision),
            is_first(c, "zhang-feature", "randSel", lambda cell: -cell.precision),
            *(
                (c["zhang-feature", method, "cv"].recall >= PERFECT) == (method == "randSel")
                for method in KERNEL
            ),
        ],
        lambda c: figures(c, "zhang-feature", KERNEL, "accuracy", "precision", "recall", rule="cv"),
    ),
    Conclusion(
        "4.3.1.2",
        "Feature outliers: FOHSIC is the sparsest, BAHSIC the most consistent",
        lambda c: [
            is_first(c, "zhang-feature", "FOHSIC", lambda cell: cell.number.mean),
            is_first(c, "zhang-feature", "BAHSIC", variance),
        ],
        lambda c: figures(c, "zhang-feature", KERNEL, "number", "mean_variance", rule="cv"),
    ),
    Conclusion(
        "4.3.1.3",
        "Sample outliers: FOHSIC is the most precise, sparsest and, by both measures, most "
        "consistent; randSel has the best recall",
        lambda c: [
            is_first(c, "zhang-sample", "FOHSIC", lambda cell: -cell.precision),
            is_first(c, "zhang-sample", "FOHSIC", lambda cell: cell.number.mean),
            is_first(c, "zhang-sample", "FOHSIC", variance),
            is_first(c, "zhang-sample", "FOHSIC", log_probability),
            is_first(c, "zhang-sample", "randSel", lambda cell: -cell.recall),
        ],
        lambda c: figures(
            c,
            "zhang-sample",
            KERNEL,
            "number",
            "precision",
            "recall",
            "mean_variance",
            "log_probability",
            rule="cv",
        ),
    ),
    Conclusion(
        "4.3.1.4",
        "Linear Weston: randSel is nearly perfectly precise, the sparsest and most stable; RFE has "
        "the best recall",
        lambda c: [
            c["linear-weston", "randSel", "cv"].precision >= NEARLY_PERFECT,
            is_first(c, "linear-weston", "randSel", lambda cell: -cell.precision),
            is_first(c, "linear-weston", "randSel", lambda cell: cell.number.mean),
            is_first(c, "linear-weston", "randSel", variance),
            is_first(c, "linear-weston", "Gaussian RFE", lambda cell: -cell.recall),
        ],
        lambda c: figures(
            c, "linear-weston", KERNEL, "number", "precision", "recall", "mean_variance", rule="cv"
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
        lambda c: figures(c, "nonlinear-weston", KERNEL, "accuracy", "precision", rule="cv"),
    ),
    Conclusion(
        "4.3.1.6",
        "Xor: FOHSIC fails; randSel and BAHSIC are the same on every measure; RFE follows",
        lambda c: [
            c["xor", "FOHSIC", "cv"].accuracy.mean <= FAILING,
            c["xor", "randSel", "cv"].accuracy.mean >= WELL,
            *are_the_same(c["xor", "randSel", "cv"], c["xor", "BAHSIC", "cv"]),
            c["xor", "Gaussian RFE", "cv"].accuracy.mean <= c["xor", "randSel", "cv"].accuracy.mean,
        ],
        lambda c: figures(
            c,
            "xor",
            KERNEL,
            "accuracy",
            "number",
            "precision",
            "recall",
            "mean_variance",
            rule="cv",
        ),
    ),
    Conclusion(
        "4.4",
        "HSIC methods tend to give sparser models than the linear methods of chapter 3",
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
