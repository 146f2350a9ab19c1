"""Selections whose reports are tested, and the browser that opens them."""

import os
import shutil
from functools import cache

import numpy as np
import pandas as pd
import pytest

from hsieve import (
    N3LARS,
    InteractionScan,
    KernelPursuit,
    MaxRelevance,
    RandSel,
    StabilitySelection,
    feature_tests,
)
from hsieve.datasets import make_nonlinear_weston, make_xor
from hsieve.inference import among_all_features

__all__ = ["HOSTILE", "LONG", "REPORTS", "browser_path", "needs_browser", "report_of"]

LONG = "gene " * 2000
# Names that a careless page would run, break at or hide.
HOSTILE = [
    "<script>window.hacked = 1; alert(1)</script>",
    "</script><script>window.hacked = 2</script>",
    '"onmouseover="window.hacked = 3',
    "' onfocus='window.hacked = 4' autofocus='",
    "<img src=x onerror=window.hacked=5>",
    "{{ 7 * 7 }} {% raw %} ${window.hacked = 6}",
    "<!-- <svg><desc> ]]> &lt;b&gt; &amp;",
    "two\nlines\tand a tab",
    "\u202eright to left\u202c",
    "שלום عربى",
    "🧬👩‍🔬 emoji",
    "\u2028 line separator",
    "javascript:alert(1)",
    "__proto__",
    "NaN",
    LONG,
]


def browser_path():
    """Where Chromium is: HSIEVE_CHROMIUM, or the usual names on the path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = (shutil.which(name) for name in (os.environ.get("HSIEVE_CHROMIUM", ""), *names) if name)
    return next((path for path in found if path), None)


needs_browser = pytest.mark.skipif(
    browser_path() is None,
    reason="opens reports in Chromium, which is not on this machine "
    "(apt-get install chromium, or set HSIEVE_CHROMIUM to its path)",
)


def classes():
    """Classes by a curve in each of two features, beside copies and a category."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 12))
    X[:, 3] = X[:, 0] + 0.05 * rng.normal(size=160)
    y = np.where(X[:, 0] ** 2 + X[:, 1] > 1, "ill", "well")
    names = [f"marker {feature}" for feature in range(12)]
    frame = pd.DataFrame(X, columns=names)
    frame["stage"] = rng.integers(0, 3, 160) + 2 * (y == "ill")
    return N3LARS(5, categorical=[12]), frame, pd.Series(y, name="state")


def numbers():
    """A numeric target, with stability selection."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 10))
    y = X[:, 2] ** 2 + np.sin(2 * X[:, 5]) + 0.2 * rng.normal(size=120)
    return StabilitySelection(N3LARS(), n_subsamples=20), X, y


def rounds():
    """Contributions, and a number found by a rule."""
    problem = make_nonlinear_weston(120, random_state=0)
    return RandSel("alignment", n_rounds=8), problem.X[:, :30], problem.y


def pairs():
    """Two features that matter together."""
    problem = make_xor(150, 20, random_state=0)
    return InteractionScan(4, n_permutations=5), problem.X, problem.y


def hostile():
    """Names that are just names, in the table and in all pictures."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, len(HOSTILE)))
    frame = pd.DataFrame(X, columns=HOSTILE)
    y = np.where(X[:, 0] + X[:, 1] > 0, "</script><b>x", "'\"><img src=x onerror=alert(1)>")
    return N3LARS(len(HOSTILE)), frame, pd.Series(y, name="<i>target</i>")


def many():
    """More features than are shown, most of them chosen."""
    X = np.random.default_rng(4).normal(size=(60, 400))
    return N3LARS(40), X, X[:, :3].sum(axis=1)


def skewed():
    """Every second sample lies far out, and p-values of some features only are known."""
    X = np.exp(np.random.default_rng(5).normal(size=(300, 150)))
    X[1::2] *= 50  # the dots that are drawn are the others
    return MaxRelevance(9), X, X[:, 0] + X[:, 1]


def explained():
    """A pursuit with single features, a pair and a near duplicate that could replace one."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 15))
    X[:, 9] = X[:, 2] + 0.2 * rng.normal(size=200)
    y = 3 * X[:, 2] + X[:, 4] ** 2 + 2 * X[:, 6] * X[:, 7] + 0.3 * rng.normal(size=200)
    return KernelPursuit(), X, y


@cache
def report_of(name):
    """Fit one of the selections and make its report, once for all tests."""
    selector, X, y = REPORTS[name]()
    options = {"n_shown": 100}
    if name == "skewed":
        tested = np.arange(0, 150, 2)
        tests = feature_tests(X[:, tested], y)
        options["p_values"] = among_all_features(tests, tested, X.shape[1])
    return selector.fit(X, y).report(X, y, **options)


REPORTS = {
    "classes": classes,
    "numbers": numbers,
    "rounds": rounds,
    "pairs": pairs,
    "hostile": hostile,
    "many": many,
    "skewed": skewed,
    "explained": explained,
}
