"""A round of what users do: every public estimator, reports, commands, workers, and mistakes.

A piece of work is a function without arguments. It may be refused (ValueError), which is part of
the work: the refusals of all methods must not hold on to anything, either. Any other error ends
the soak.
"""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.base import BaseEstimator, clone

import hsieve
from hsieve.progress import listen
from tests.cli.files import write_csv
from tests.cli.running import invoke
from tests.contracts.test_sklearn_checks import CLASSIFIERS, SELECTORS, TRANSFORMERS

__all__ = ["Interruption", "pieces"]

# With workers of their own, or work that is begun ahead of its results.
WITH_WORKERS = (
    hsieve.StabilitySelection(n_subsamples=6, n_jobs=2),
    hsieve.RandSel(n_rounds=4, n_jobs=2),
    hsieve.L1LSMI(n_restarts=2, n_jobs=2),
    hsieve.StabilitySelection(n_subsamples=6, engine="threads"),
    hsieve.N3LARS(engine="threads"),
    hsieve.HSICLasso(engine="threads"),
    hsieve.MaxRelevance(engine="threads"),
    hsieve.MRMR(engine="threads"),
)
WITH_REPORT = (
    hsieve.N3LARS(3),
    hsieve.BAHSIC("alignment"),
    hsieve.StabilitySelection(n_features_to_select=2, n_subsamples=6),
    hsieve.RandSel(3, n_rounds=4),
)
INTERRUPTED = (
    hsieve.BAHSIC(),
    hsieve.BackwardLSMI(),
    hsieve.L1LSMI(n_restarts=4),
    hsieve.RandSel(n_rounds=8),
    hsieve.StabilitySelection(n_subsamples=8, engine="threads"),
    hsieve.N3LARS(engine="threads"),
    hsieve.InteractionScan(),
)


@dataclass(frozen=True, eq=False)
class Data:
    """Features and a target."""

    X: np.ndarray
    y: np.ndarray


class Interruption(Exception):
    """Comes in the middle of a fit."""


def pieces(seed: int) -> Iterator[Callable[[], object]]:
    """Yield the work of a round; the same kinds of data in each, with other values."""
    sets = _data(np.random.default_rng(seed))
    for data in sets:
        for estimator in (*SELECTORS, *TRANSFORMERS, *CLASSIFIERS):
            yield partial(_fit, estimator, data)
    usual = sets[0]
    for estimator in WITH_WORKERS:
        yield partial(_fit, estimator, usual)
    for selector in WITH_REPORT:
        yield partial(_report, selector, usual)
    for selector in INTERRUPTED:
        yield partial(_interrupt, selector, usual)
    for selector in SELECTORS:
        yield partial(_fit, selector, Data(np.full_like(usual.X, np.nan), usual.y))
        yield partial(_fit, selector, Data(usual.X, usual.y[1:]))
    yield partial(_commands, usual)
    yield partial(_functions, usual, seed)


def _data(rng: np.random.Generator) -> list[Data]:
    """Return data of several shapes, types and kinds of target."""
    X = rng.normal(size=(80, 12))
    classes = (X[:, 0] * X[:, 1] > 0).astype(int)
    wide = rng.normal(size=(40, 40)).astype(np.float32)
    counts = rng.integers(0, 4, size=(60, 8)).astype(float)
    letters = np.array(list("abc"))[np.argmax(counts[:, :3] + rng.normal(size=(60, 3)), axis=1)]
    return [
        Data(X, classes),
        Data(X[:, :8], np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=80)),
        Data(wide, (wide[:, 3] > 0).astype(int)),
        Data(counts, letters),
    ]


def _fit(estimator: BaseEstimator, data: Data) -> None:
    """Fit, use and copy an estimator."""
    fitted = clone(estimator).fit(data.X, data.y)
    use = fitted.transform if hasattr(fitted, "transform") else fitted.predict
    use(data.X)
    pickle.loads(pickle.dumps(fitted))


def _report(selector: BaseEstimator, data: Data) -> None:
    """Make a report and write it."""
    page = clone(selector).fit(data.X, data.y).report(data.X, data.y)
    with TemporaryDirectory() as folder:
        page.save(Path(folder) / "page.html")


def _interrupt(selector: BaseEstimator, data: Data) -> None:
    """Raise an error in the middle of a fit; one that was over before is as good."""
    told = 0

    def raise_later(_share: float, _words: str) -> None:
        nonlocal told
        told += 1
        if told == 3:
            raise Interruption

    try:
        with listen(raise_later):
            clone(selector).fit(data.X, data.y)
    except Interruption:
        return


def _commands(data: Data) -> None:
    """Run commands in this process, right ones and a wrong one."""
    columns = {f"x{place}": column for place, column in enumerate(data.X.T)}
    with TemporaryDirectory() as folder:
        path = write_csv(Path(folder) / "data.csv", {**columns, "y": data.y})
        beside = path.parent
        usual = ("--target", "y", "-k", 2)
        right = [
            ("select", path, *usual, "--report", beside / "page.html", "--plot", beside / "p.png"),
            (
                "select",
                path,
                *usual,
                "-m",
                "n3lars",
                "--checkpoint",
                beside / "kept",
                "--out",
                beside / "out.csv",
            ),
            ("select", path, *usual, "-m", "bahsic", "--p-values", "gamma"),
            ("compare", path, *usual, "--methods", "n3lars,mrmr", "--folds", 3),
            ("interactions", path, "--target", "y"),
        ]
        for words in right:
            result = invoke(*words)
            if result.exit_code != 0:
                raise RuntimeError(result.output) from result.exception
        result = invoke("select", path, "--target", "nothing")
        if result.exit_code != 2:
            raise RuntimeError(result.output) from result.exception


def _functions(data: Data, seed: int) -> None:
    """Call what is no estimator."""
    hsieve.select(data.X, data.y, time_allowed=2, random_state=seed)
    hsieve.compare([hsieve.N3LARS(2), hsieve.MRMR(2)], data.X, data.y, cv=3)
    hsieve.feature_tests(data.X, data.y)
    hsieve.hsic_test(data.X[:, :2], data.y)
    hsieve.lsmi(data.X[:, :2], data.y)
