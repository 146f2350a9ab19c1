"""The kernel ensemble of the thesis (section 5.3), transcribed loop by loop.

Ridge systems are solved plainly, leave-one-out is refitting, the linear program is written out.
"""

import math

import numpy as np
from scipy.optimize import linprog


def gram(left, right, features, width):
    """exp(-|x_S - x'_S|^2 / (2 w^2 |S|))."""
    K = np.empty((len(left), len(right)))
    for i, x in enumerate(left):
        for j, z in enumerate(right):
            squared = sum((x[f] - z[f]) ** 2 for f in features)
            K[i, j] = math.exp(-squared / (2 * width**2 * len(features)))
    return K


def ridge_coefficients(K, target, ridge, weights):
    """a of (K + ridge diag(1 / v)) a = y."""
    return np.linalg.solve(K + ridge * np.diag(1 / weights), target)


def left_out_answers(K, target, ridge, weights):
    """What the regression says of each sample when it is fitted again without it."""
    answers = []
    for i in range(len(K)):
        others = [j for j in range(len(K)) if j != i]
        a = ridge_coefficients(K[np.ix_(others, others)], target[others], ridge, weights[others])
        answers.append(K[i, others] @ a)
    return np.array(answers)


def best_mixture(answers, labels, nu):
    """w and the optimum of program 5.1 with classes of equal weight, as its primal.

    Maximise rho - sum_i D_i xi_i so that y_i (sum_j w_j h_ij + b) >= rho - xi_i, w >= 0, sum w = 1.
    """
    n, d = answers.shape
    sizes = np.array([np.sum(labels == label) for label in labels])
    prices = 1 / (2 * nu * sizes)
    # Variables: w, b, rho, xi.
    cost = np.r_[np.zeros(d + 1), -1.0, prices]
    margins = np.zeros((n, d + 2 + n))
    for i in range(n):
        margins[i, :d] = -labels[i] * answers[i]
        margins[i, d] = -labels[i]
        margins[i, d + 1] = 1.0
        margins[i, d + 2 + i] = -1.0
    total = np.r_[np.ones(d), np.zeros(n + 2)][None]
    bounds = [(0, None)] * d + [(None, None)] * 2 + [(0, None)] * n
    solved = linprog(cost, A_ub=margins, b_ub=np.zeros(n), A_eq=total, b_eq=[1.0], bounds=bounds)
    assert solved.status == 0
    return solved.x[:d], -solved.fun


def tail_gap(mixture, labels, nu):
    """Half the distance between the lowest share nu of one class and the highest of the other."""
    return (_lowest(mixture[labels > 0], nu) + _lowest(-mixture[labels < 0], nu)) / 2


def _lowest(values, nu):
    """Mean of the lowest share nu of some values, the last of them in part."""
    total, left = 0.0, nu * len(values)
    for value in sorted(values):
        taken = min(1.0, left)
        total += taken * value
        left -= taken
    return total / (nu * len(values))


def deviation(answers, labels):
    """Root of the mean square around the middle of the class means, classes counting the same."""
    middle = (answers[labels > 0].mean() + answers[labels < 0].mean()) / 2
    squares = [np.mean((answers[side] - middle) ** 2) for side in (labels > 0, labels < 0)]
    return math.sqrt(sum(squares) / 2)


def vote(members):
    """Class with most votes; of several, that with the largest sum of decisions."""
    counts, sums = {}, {}
    for decisions in members:
        chosen = int(np.argmax(decisions))
        counts[chosen] = counts.get(chosen, 0) + 1
    for chosen in counts:
        sums[chosen] = sum(decisions[chosen] for decisions in members)
    most = max(counts.values())
    return max((c for c in counts if counts[c] == most), key=lambda chosen: sums[chosen])


def ensemble_decisions(train, codes, test, *, sets, widths, ridge, halves, nu):
    """Decisions of each member about each test sample, before calibration.

    Learners are fitted on all training samples, set by set and width by width; `halves` says which
    of them each member sees. Classes have codes 0, 1, ...; two classes have one column.
    """
    n_classes = int(max(codes)) + 1
    weights = np.array([1.0 / np.sum(codes == code) for code in codes])
    weights /= weights.mean()
    positives = [1] if n_classes == 2 else list(range(n_classes))
    other = -1.0 if n_classes == 2 else -1.0 / (n_classes - 1)
    decisions = np.zeros((len(test), len(halves), len(positives)))
    for column, positive in enumerate(positives):
        target = np.where(codes == positive, 1.0, other)
        labels = np.where(codes == positive, 1.0, -1.0)
        answers, predictions = [], []
        for features in sets:
            for width in widths:
                K = gram(train, train, features, width)
                said = left_out_answers(K, target, ridge, weights)
                scale = deviation(said, labels)
                a = ridge_coefficients(K, target, ridge, weights)
                answers.append(said / scale)
                predictions.append(gram(test, train, features, width) @ a / scale)
        answers, predictions = np.array(answers).T, np.array(predictions).T
        for member, half in enumerate(halves):
            w, _ = best_mixture(answers[:, half], labels, nu)
            decisions[:, member, column] = predictions[:, half] @ w
    return decisions
