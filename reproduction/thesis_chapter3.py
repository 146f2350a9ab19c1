"""What chapter 3 of the thesis concludes: linear methods, alignment against cross validation."""

from reproduction.thesis_cells import DATASETS
from reproduction.thesis_comparisons import (
    ALIKE,
    CHANCE,
    FAILING,
    PERFECT,
    Conclusion,
    by_both_rules,
    cells_under,
    count_consistent,
    decrease,
    figures,
    log_probability,
    more_consistent,
    sparser,
    spread,
    variance,
)
from reproduction.thesis_methods import LINEAR, RANDOM, STABILITY

__all__ = ["CHAPTER_3"]

CHAPTER_3: tuple[Conclusion, ...] = (
    Conclusion(
        "3.3.1.1",
        "Labels at random: no method predicts better than chance",
        lambda c: [
            cell.accuracy.mean <= CHANCE + 2 * ALIKE
            for rule in ("alignment", "cv")
            for cell in cells_under(c, "fake-class", LINEAR, rule)
        ],
        lambda c: figures(c, "fake-class", LINEAR, "accuracy"),
    ),
    Conclusion(
        "3.3.1.1",
        "Labels at random: neither way of finding the number is sparser throughout",
        lambda c: [0 < sum(sparser(c, ["fake-class"], LINEAR)) < len(LINEAR)],
        lambda c: figures(c, "fake-class", LINEAR, "number"),
    ),
    Conclusion(
        "3.3.1.1",
        "Labels at random: alignment is the more stable, by mean variance and log-probability",
        lambda c: [
            *more_consistent(c, ["fake-class"], LINEAR),
            *(
                log_probability(a) < log_probability(b)
                for a, b in by_both_rules(c, ["fake-class"], LINEAR)
            ),
        ],
        lambda c: figures(c, "fake-class", LINEAR, "mean_variance", "log_probability"),
    ),
    Conclusion(
        "3.3.1.1",
        "Labels at random: alignment keeps far more of a random order than a tenth, to no avail",
        lambda c: [
            c["fake-class", RANDOM, "alignment"].number.mean
            > 1.5 * c["fake-class", RANDOM, "cv"].number.mean,
            c["fake-class", RANDOM, "alignment"].accuracy.mean <= CHANCE + 2 * ALIKE,
        ],
        lambda c: figures(c, "fake-class", [RANDOM], "number"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: all methods are far better than a random tenth",
        lambda c: [
            cell.accuracy.mean > c["zhang-feature", RANDOM, "cv"].accuracy.mean + 2 * ALIKE
            for rule in ("alignment", "cv")
            for cell in cells_under(c, "zhang-feature", LINEAR, rule)
        ],
        lambda c: figures(c, "zhang-feature", [*LINEAR, RANDOM], "accuracy"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment keeps fewer features; linear RFE fewest",
        lambda c: [
            *sparser(c, ["zhang-feature"], LINEAR),
            c["zhang-feature", "linear RFE", "alignment"].number.mean
            == min(
                cell.number.mean for cell in cells_under(c, "zhang-feature", LINEAR, "alignment")
            ),
        ],
        lambda c: figures(c, "zhang-feature", LINEAR, "number"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: precision is perfect by alignment, diminished by cross validation",
        lambda c: [
            a.precision >= PERFECT > b.precision
            for a, b in by_both_rules(c, ["zhang-feature"], LINEAR)
        ],
        lambda c: figures(c, "zhang-feature", LINEAR, "precision"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment has the lower recall",
        lambda c: [a.recall < b.recall for a, b in by_both_rules(c, ["zhang-feature"], LINEAR)],
        lambda c: figures(c, "zhang-feature", LINEAR, "recall"),
    ),
    Conclusion(
        "3.3.1.2",
        "Feature outliers: alignment is the more consistent by far",
        lambda c: [
            2 * variance(a) < variance(b) for a, b in by_both_rules(c, ["zhang-feature"], LINEAR)
        ],
        lambda c: figures(c, "zhang-feature", LINEAR, "mean_variance"),
    ),
    Conclusion(
        "3.3.1.3",
        "Sample outliers: accuracies are indistinguishable; alignment is sparser",
        lambda c: [
            *(
                abs(a.accuracy.mean - b.accuracy.mean) <= ALIKE
                for a, b in by_both_rules(c, ["zhang-sample"], LINEAR)
            ),
            *(
                spread(cells_under(c, "zhang-sample", LINEAR, rule)) <= 2 * ALIKE
                for rule in ("alignment", "cv")
            ),
            *sparser(c, ["zhang-sample"], LINEAR),
        ],
        lambda c: figures(c, "zhang-sample", LINEAR, "accuracy", "number"),
    ),
    Conclusion(
        "3.3.1.3",
        "Sample outliers: correlation, logistic and LPBoost with alignment find all true features "
        "and no other",
        lambda c: [
            share >= PERFECT
            for method in ("correlation", "stability, logistic", "stability, LPBoost")
            for cell in [c["zhang-sample", method, "alignment"]]
            for share in (cell.precision, cell.recall)
        ],
        lambda c: figures(c, "zhang-sample", LINEAR, "precision", "recall", rule="alignment"),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: alignment leaves correlation and linear RFE with too few features "
        "(1.3 and 1.1), at the cost of accuracy",
        lambda c: [
            holds
            for a, b in by_both_rules(c, ["linear-weston"], ["correlation", "linear RFE"])
            for holds in (a.number.mean < 2, a.accuracy.mean < b.accuracy.mean - ALIKE)
        ],
        lambda c: figures(c, "linear-weston", ["correlation", "linear RFE"], "number", "accuracy"),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: alignment leads to perfect precision",
        lambda c: [
            cell.precision >= PERFECT
            for cell in cells_under(c, "linear-weston", LINEAR, "alignment")
        ],
        lambda c: figures(c, "linear-weston", LINEAR, "precision"),
    ),
    Conclusion(
        "3.3.1.4",
        "Linear Weston: with alignment correlation and linear RFE are less consistent than with "
        "cross validation",
        lambda c: [
            variance(a) > variance(b)
            for a, b in by_both_rules(c, ["linear-weston"], ["correlation", "linear RFE"])
        ],
        lambda c: figures(c, "linear-weston", ["correlation", "linear RFE"], "mean_variance"),
    ),
    Conclusion(
        "3.3.1.5",
        "Non-linear Weston: all linear methods but RFE fail",
        lambda c: [
            (cell.accuracy.mean <= FAILING) != (method == "linear RFE")
            for rule in ("alignment", "cv")
            for method in LINEAR
            for cell in [c["nonlinear-weston", method, rule]]
        ],
        lambda c: figures(c, "nonlinear-weston", LINEAR, "accuracy"),
    ),
    Conclusion(
        "3.3.1.5",
        "Non-linear Weston: linear RFE with alignment is the sparsest and most accurate; alignment "
        "on a random order sees something, but predicts worse",
        lambda c: [
            *(
                holds
                for method in LINEAR
                if method != "linear RFE"
                for other in [c["nonlinear-weston", method, "alignment"]]
                for holds in (
                    c["nonlinear-weston", "linear RFE", "alignment"].number.mean
                    < other.number.mean,
                    c["nonlinear-weston", "linear RFE", "alignment"].accuracy.mean
                    > other.accuracy.mean,
                )
            ),
            c["nonlinear-weston", RANDOM, "alignment"].accuracy.mean > CHANCE + 2 * ALIKE,
            c["nonlinear-weston", RANDOM, "alignment"].accuracy.mean
            < c["nonlinear-weston", "linear RFE", "alignment"].accuracy.mean,
        ],
        lambda c: figures(
            c, "nonlinear-weston", [*LINEAR, RANDOM], "accuracy", "number", rule="alignment"
        ),
    ),
    Conclusion(
        "3.3.1.6",
        "Xor: alignment has the higher accuracy and recall",
        lambda c: [
            holds
            for a, b in by_both_rules(c, ["xor"], LINEAR)
            for holds in (a.accuracy.mean > b.accuracy.mean, a.recall > b.recall)
        ],
        lambda c: figures(c, "xor", LINEAR, "accuracy", "recall"),
    ),
    Conclusion(
        "3.3.1",
        "Alignment nearly always gives the more consistent selections; the exceptions are "
        "correlation and linear RFE on linear Weston",
        lambda c: [
            *more_consistent(c, [name for name in DATASETS if name != "linear-weston"], LINEAR),
            *more_consistent(c, ["linear-weston"], STABILITY),
        ],
        lambda c: count_consistent(c, DATASETS, LINEAR),
    ),
    Conclusion(
        "3.4",
        "Alignment gives the sparser models on all sets but xor (and labels at random, of which "
        "sec. 3.3.1.1 says otherwise)",
        lambda c: sparser(
            c, [name for name in DATASETS if name not in {"xor", "fake-class"}], LINEAR
        ),
        lambda c: "; ".join(
            f"{dataset} {sum(sparser(c, [dataset], LINEAR))} of {len(LINEAR)}"
            for dataset in DATASETS
        ),
    ),
    Conclusion(
        "3.3.1",
        "Alignment saves time, stability selection nearly ten times (table 3.2)",
        lambda c: [
            decrease(c, method) > (8 if method.startswith("stability") else 5) for method in LINEAR
        ],
        lambda c: "; ".join(f"{method} {decrease(c, method):.1f}" for method in LINEAR),
    ),
)
