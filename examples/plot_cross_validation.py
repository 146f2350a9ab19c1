"""
How good is my selection, honestly?
===================================

Choosing features on all samples and validating afterwards flatters. By how much?
"""

# %%
# There is nothing to be found here: noise, and classes by the toss of a coin. The
# honest accuracy of any method is one half.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from hsieve import N3LARS
from hsieve.datasets import make_n3lars


def noise(seed, n_features):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, n_features)), rng.permutation(np.repeat([0, 1], 30))


def accuracies(X, y):
    """Accuracy with features chosen before, and chosen inside every fold."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    chosen = N3LARS(10).fit_transform(X, y)
    pipeline = Pipeline([("select", N3LARS(10)), ("classify", SVC())])
    return (
        cross_val_score(SVC(), chosen, y, cv=folds).mean(),
        cross_val_score(pipeline, X, y, cv=folds).mean(),
    )


sizes = [20, 100, 500, 2000]
before, inside = np.array(
    [
        np.mean([accuracies(*noise(seed, size)) for seed in range(5)], axis=0)
        for size in sizes
    ]
).T

figure, axis = plt.subplots(figsize=(6, 3.6))
axis.plot(
    sizes, before, marker="o", color="#D55E00", label="chosen before: flattering"
)
axis.plot(
    sizes, inside, marker="s", color="#0072B2", label="chosen in every fold: honest"
)
axis.axhline(0.5, color="#9aa5b1", linestyle="--", linewidth=1)
axis.set(
    xscale="log", ylim=(0.3, 1), xlabel="features of pure noise", ylabel="accuracy"
)
axis.legend(frameon=False, loc="upper left")
figure.tight_layout()
print(f"2,000 features of noise: {before[-1]:.2f} instead of {inside[-1]:.2f}")

# %%
# Inside a pipeline the selector sees the training samples of a fold only, and its
# parameters can be searched like any others. Here the number of features, on data
# in which three matter.

problem = make_n3lars(n_samples=200, n_features=200, random_state=0)
y = problem.y > np.median(problem.y)
search = GridSearchCV(
    Pipeline([("select", N3LARS()), ("classify", SVC())]),
    {"select__n_features_to_select": [1, 2, 3, 5, 10, 20, 50]},
    cv=5,
).fit(problem.X, y)

figure, axis = plt.subplots(figsize=(6, 3.4))
results = search.cv_results_
numbers = list(results["param_select__n_features_to_select"])
axis.errorbar(
    numbers,
    results["mean_test_score"],
    yerr=results["std_test_score"],
    marker="o",
    color="#0072B2",
)
axis.set(
    xscale="log",
    xticks=numbers,
    xticklabels=numbers,
    xlabel="features",
    ylabel="accuracy",
)
axis.minorticks_off()
axis.set_title(
    f"Best with {search.best_params_['select__n_features_to_select']}", loc="left"
)
figure.tight_layout()

# %%
# The best of seven numbers is once more a choice: its score flatters a little. A
# second cross validation around the whole search is honest again.

outer = cross_val_score(search, problem.X, y, cv=3)
print(f"inside the search: {search.best_score_:.2f}, around it: {outer.mean():.2f}")
