"""Every public selector passes scikit-learn's own checks, also those its suite leaves out."""

import pytest
from sklearn.decomposition import PCA
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from hsieve import (
    BAHSIC,
    FCBF,
    FOHSIC,
    HITONPC,
    HSIC,
    L1HSIC,
    L1LSMI,
    L1SVM,
    MRMR,
    N3LARS,
    NHSIC,
    QPFS,
    SPEC,
    SVMRFE,
    Backward,
    BackwardLSMI,
    DependenceSelector,
    FamilyRanking,
    FillMissing,
    ForwardLSMI,
    HalvesRegression,
    HSICLasso,
    InteractionScan,
    KernelEnsembleClassifier,
    KernelPursuit,
    KernelSVMRFE,
    KnockoffSelector,
    LaplacianScore,
    LassoSelector,
    LPBoost,
    LPBoostMKL,
    MaxRelevance,
    MutualInformation,
    NestedKernelClassifier,
    PairwiseHSIC,
    Pearson,
    PositionWeightMatrix,
    PursuitSearch,
    RandSel,
    ReliefF,
    SpAM,
    SparseFiltering,
    StabilitySelection,
    kernels,
)
from hsieve.selectors.methods import known_methods

SELECTORS = [
    BAHSIC(),
    BAHSIC(kernel_x=kernels.Gaussian("maximise"), n_contexts=1, step=0.1, compensate=False),
    BAHSIC(kernel_x=kernels.Linear()),
    FOHSIC(),
    N3LARS(),
    HSICLasso(),
    KernelPursuit(),
    KernelPursuit(2),
    KernelPursuit("alignment", interactions=None),
    DependenceSelector(Pearson(), strategy=PursuitSearch()),
    InteractionScan(),
    InteractionScan(order=3, missing="category", screen=20, n_permutations=2),
    DependenceSelector(),
    DependenceSelector(NHSIC(), strategy="forward"),
    DependenceSelector(HSIC(estimator="biased"), strategy=Backward(step=1)),
    DependenceSelector(Pearson()),
    FamilyRanking(),
    DependenceSelector(MutualInformation()),
    MaxRelevance(),
    MaxRelevance(n_screened=50),
    MRMR(),
    MRMR(measure=PairwiseHSIC()),
    MRMR(measure=Pearson(), form="quotient"),
    QPFS(),
    QPFS(measure=Pearson(), n_landmarks=2),
    L1LSMI(n_restarts=2),
    L1LSMI(n_restarts=1, optimiser="paper", n_centres=20),
    L1HSIC(n_restarts=2),
    ForwardLSMI(),
    BackwardLSMI(),
    LassoSelector(),
    ReliefF(),
    ReliefF(n_neighbors=3, sigma=2.0),
    SVMRFE(),
    KernelSVMRFE(),
    KernelSVMRFE(kernel_x=kernels.Linear(), step=0.25),
    RandSel(n_rounds=4),
    RandSel(n_rounds=20, estimator="plain", fix_after=2),
    HalvesRegression(n_rounds=20),
    L1SVM(),
    FCBF(),
    FCBF(measure=PairwiseHSIC()),
    SPEC(),
    SPEC(ranking_function="phi3", n_eigenvectors=3, graph="features"),
    LaplacianScore(),
    SpAM(),
    HITONPC(),
    HITONPC(test="g2", max_given=1),
    StabilitySelection(n_subsamples=4),
    StabilitySelection(n_features_to_select=2, n_subsamples=4, sampling="halves"),
    StabilitySelection(LassoSelector(), n_per_subsample=2, n_subsamples=4),
    KnockoffSelector(MaxRelevance(), fdr=0.5),
    BAHSIC("alignment"),
    FamilyRanking("guarded"),
    N3LARS("alignment"),
    MRMR("guarded"),
    LaplacianScore("alignment"),
]
SELECTORS += [
    method.make()
    for method in known_methods().values()
    if method.kind not in set(map(type, SELECTORS))
]

# Learn or fill features instead of selecting some.
TRANSFORMERS = [
    SparseFiltering(4, max_iter=10),
    SparseFiltering(max_iter=10, preparation="range", intercept=True),
    SparseFiltering(max_iter=10, max_samples=20),
    SparseFiltering(max_iter=10, preparation="none", precision="single"),
    FillMissing(),
    FillMissing(categorical=[0]),
]

CLASSIFIERS = [
    LPBoost(),
    LPBoost(nu=0.2),
    KernelEnsembleClassifier(n_members=4, selector=RandSel(n_rounds=4)),
    KernelEnsembleClassifier(n_members=3, widths=1.0, ridges=(0.1, 1.0), nu=0.3, max_samples=40),
    NestedKernelClassifier(
        PCA(),
        selector=RandSel(n_rounds=4),
        classifier=KernelEnsembleClassifier(widths=1.0, n_members=2),
    ),
    PositionWeightMatrix(),
    LPBoostMKL(selector=FamilyRanking(), n_folds=2, widths=[0.5, 2.0]),
    LPBoostMKL(selector=FamilyRanking(), nu=0.3, n_folds=2, width_choice="program"),
]

CHECKS_OF_WEIGHTS = [
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_all_zero_sample_weights_error",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]

# The public suite does not call these.
EXTRA_CHECKS = [
    "check_dataframe_column_names_consistency",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_get_feature_names_out_error",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
]


def refuses_weights(estimator):
    """Checks of weights that fail, and why, for parts that count all samples alike."""
    if not hasattr(estimator, "make_components"):
        return {}
    why = [part.no_weights for part in estimator.make_components() if part.no_weights]
    if estimator.n_features_to_select == "alignment":
        why.append("the rule counts all samples alike")
    return dict.fromkeys(CHECKS_OF_WEIGHTS, why[0]) if why else {}


# Where no feature is stable, or related to the target, none is selected, and scikit-learn says so.
@pytest.mark.filterwarnings("ignore:No feature is related to the target")
@pytest.mark.filterwarnings("ignore:No features are selected at fdr")
@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    SELECTORS + TRANSFORMERS + CLASSIFIERS, expected_failed_checks=refuses_weights
)
def test_selectors_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# These checks hand over data with other names on purpose.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.filterwarnings("ignore:No feature is related to the target")
@pytest.mark.filterwarnings("ignore:No features are selected at fdr")
@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("selector", SELECTORS + TRANSFORMERS, ids=repr)
@pytest.mark.parametrize("name", EXTRA_CHECKS)
def test_selectors_pass_the_checks_outside_the_public_suite(selector, name):
    getattr(estimator_checks, name)(type(selector).__name__, selector)
