"""Kernel SVM-RFE: the change of the objective, all features in one sweep."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from hsieve import SVMRFE, KernelSVM, KernelSVMRFE, kernels
from hsieve.kernels.columns import standardised
from hsieve.kernels.labels import sign_coding


def literal_changes(X, machines, features, kernel):
    """Change of a'Ka / 2 for each feature taken out, summed over machines, one kernel each."""
    everything = kernel.gram(X)
    changes = []
    for j in features:
        without = kernel.gram(np.delete(X, j, axis=1))
        changes.append(sum(0.5 * (a @ everything @ a - a @ without @ a) for a in machines))
    return np.array(changes)


def duals(gram, y, machine):
    fitted = machine.fit(gram, y)
    full = np.zeros(len(gram))
    full[fitted.support_] = fitted.dual_coef_[0]
    return full


@pytest.mark.parametrize("kernel", [kernels.Gaussian(2.5), kernels.Linear(), kernels.Polynomial(2)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_sweep_equals_the_literal_change_of_the_objective(kernel, n_classes, rng):
    X = standardised(rng.normal(size=(50, 6)))
    y = rng.integers(n_classes, size=50)
    gram = kernel.gram(X)
    machines = [duals(gram, sign, SVC(kernel="precomputed", C=2.0)) for sign in sign_coding(y).T]
    everything = np.arange(6)
    found = KernelSVM(2.0, kernel_x=kernel).bind(X, y).elimination_scores(everything, everything)
    expected = literal_changes(X, machines, everything, kernel)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    sized = KernelSVM(2.0, kernel_x=kernel, absolute=True).bind(X, y)
    np.testing.assert_allclose(sized.elimination_scores(everything, everything), np.abs(found))


def test_numbers_get_support_vector_regression(rng):
    X = standardised(rng.normal(size=(60, 4)))
    y = standardised((X[:, 1] ** 2 + 0.1 * rng.normal(size=60))[:, None])[:, 0]
    kernel = kernels.Gaussian(2.0)
    machine = duals(kernel.gram(X), y, SVR(kernel="precomputed", C=1.0, epsilon=0.1))
    everything = np.arange(4)
    found = KernelSVM(kernel_x=kernel).bind(X, y).elimination_scores(everything, everything)
    np.testing.assert_allclose(
        found, literal_changes(X, [machine], everything, kernel), rtol=1e-6, atol=1e-9
    )
    assert found.argmax() == 1


@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_the_score_is_minus_the_primal_objective(kind, rng):
    X = standardised(rng.normal(size=(60, 3)))
    number = X[:, 0] + 0.5 * rng.normal(size=60)
    y = number > 0 if kind == "classes" else standardised(number[:, None])[:, 0]
    kernel = kernels.Linear()
    score = KernelSVM(kernel_x=kernel, target_kind=kind).bind(X, y).subset_score([0, 1, 2])
    gram = kernel.gram(X)
    if kind == "classes":
        signs = 2.0 * y - 1
        machine = SVC(kernel="precomputed", tol=1e-8).fit(gram, signs)
        losses = np.maximum(0, 1 - signs * machine.decision_function(gram))
    else:
        machine = SVR(kernel="precomputed", epsilon=0.1, tol=1e-8).fit(gram, y)
        losses = np.maximum(0, np.abs(y - machine.predict(gram)) - 0.1)
    weights = machine.dual_coef_[0] @ X[machine.support_]
    assert score == pytest.approx(-(0.5 * weights @ weights + losses.sum()), rel=1e-3)


def test_a_linear_kernel_agrees_with_svm_rfe():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 6))
        y = X @ [0.0, 4.0, 0.0, 2.0, 1.0, 0.0] > 0
        kernel = KernelSVMRFE(3, kernel_x=kernels.Linear(), step=1).fit(X, y)
        linear = SVMRFE(3, step=1).fit(X, y)
        assert kernel.selected_indices_.tolist() == linear.selected_indices_.tolist() == [1, 3, 4]


def test_a_gaussian_machine_finds_what_a_linear_one_cannot(rng):
    X = rng.normal(size=(150, 10))
    for y in (np.abs(X[:, 2]) + np.abs(X[:, 5]) > 1.5, X[:, 2] * X[:, 5] > 0):
        assert sorted(KernelSVMRFE(2).fit(X, y).selected_indices_.tolist()) == [2, 5]


def test_additions_are_judged_by_the_same_change(rng):
    X = standardised(rng.normal(size=(40, 4)))
    kernel = kernels.Linear()
    bound = KernelSVM(kernel_x=kernel).bind(X, X[:, 3] > 0)
    a = duals(kernel.gram(X[:, :2]), np.sign(X[:, 3]), SVC(kernel="precomputed"))
    np.testing.assert_allclose(
        bound.elimination_scores([0, 1], [2, 3]), 0.5 * (a @ X[:, 2:]) ** 2, rtol=1e-6
    )


def test_additions_to_a_gaussian_kernel_are_the_change_of_the_objective(rng):
    X = standardised(rng.normal(size=(40, 4)))
    kernel = kernels.Gaussian(1.5)
    before = kernel.gram(X[:, :2])
    a = duals(before, np.sign(X[:, 3]), SVC(kernel="precomputed"))
    found = KernelSVM(kernel_x=kernel).bind(X, X[:, 3] > 0).elimination_scores([0, 1], [2, 3])
    after = [kernel.gram(X[:, [0, 1, new]]) for new in (2, 3)]
    expected = [0.5 * a @ (gram - before) @ a for gram in after]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_bad_settings_are_refused_in_words(rng):
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    with pytest.raises(ValueError, match="kernel must be an object"):
        KernelSVMRFE(kernel_x="rbf").fit(X, y)
    with pytest.raises(ValueError, match="C must be a number above 0"):
        KernelSVMRFE(C=0).fit(X, y)
