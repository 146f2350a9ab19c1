"""Searches with jobs or rounds: a fit that was ended is taken up, to the last digit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsieve import (
    BAHSIC,
    FOHSIC,
    L1HSIC,
    L1LSMI,
    N3LARS,
    BackwardLSMI,
    ForwardLSMI,
    LassoSelector,
    RandSel,
    StabilitySelection,
    kernels,
)
from hsieve.parallel.checkpoint import CheckpointError, KeptResults

THREADS = {"name": "threads", "n_workers": 2}
Maker = Callable[..., Any]

MAKERS: dict[str, Maker] = {
    "BAHSIC": lambda **options: BAHSIC(3, **options),
    "BAHSIC of the paper": lambda **options: BAHSIC(
        3, kernel_x=kernels.Gaussian("maximise"), n_contexts=1, compensate=False, **options
    ),
    "FOHSIC": lambda **options: FOHSIC(5, **options),
    "ForwardLSMI": lambda **options: ForwardLSMI(4, n_centres=20, **options),
    "BackwardLSMI": lambda **options: BackwardLSMI(3, step=0.5, n_centres=20, **options),
    "RandSel": lambda **options: RandSel(3, n_rounds=8, **options),
    "RandSel, plain": lambda **options: RandSel(
        3, n_rounds=32, estimator="plain", fix_after=2, **options
    ),
    "L1LSMI": lambda **options: L1LSMI(3, n_restarts=5, n_centres=20, **options),
    "L1HSIC of the paper": lambda **options: L1HSIC(3, n_restarts=4, optimiser="paper", **options),
    "StabilitySelection": lambda **options: StabilitySelection(n_subsamples=10, **options),
    "StabilitySelection of N3LARS": lambda **options: StabilitySelection(
        N3LARS(), n_subsamples=8, sampling="halves", **options
    ),
}
WITH_WORKERS = [name for name in MAKERS if name.startswith(("RandSel", "L1", "Stability"))]


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(60, 40))
    return X, np.sin(2 * X[:, 0]) + X[:, 5] ** 2


@contextmanager
def ended_after(n_results: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """End the work once so many results are kept."""
    put = KeptResults.put

    def put_and_end(kept: KeptResults, of_task: str, result: Any) -> None:
        nonlocal n_results
        put(kept, of_task, result)
        n_results -= 1
        if n_results == 0:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(KeptResults, "put", put_and_end)
        with pytest.raises(KeyboardInterrupt):
            yield


def times_in(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.glob("*/*.result")}


def answer(selector: Any) -> tuple[list[int], bytes, bytes]:
    scores = selector.path_.set_scores
    return selector.path_.order.tolist(), selector.scores_.tobytes(), scores.tobytes()


def check_taken_up(
    first: Any, second: Any, undisturbed: Any, monkeypatch: pytest.MonkeyPatch, data: Any
) -> None:
    folder = Path(first.checkpoint)
    expected = answer(undisturbed.fit(*data))
    with ended_after(3, monkeypatch):
        first.fit(*data)
    before = times_in(folder)
    assert len(before) == 3
    assert answer(second.fit(*data)) == expected
    after = times_in(folder)
    assert len(after) > 3
    assert before.items() <= after.items()
    # A third time nothing is done.
    assert answer(second.fit(*data)) == expected
    assert times_in(folder) == after


@pytest.mark.parametrize("name", MAKERS)
def test_a_fit_that_was_ended_is_taken_up(
    name: str, data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, folder = MAKERS[name], tmp_path / "kept"
    check_taken_up(make(checkpoint=folder), make(checkpoint=folder), make(), monkeypatch, data)


@pytest.mark.parametrize("name", WITH_WORKERS)
def test_a_fit_is_taken_up_by_other_workers(
    name: str, data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, folder = MAKERS[name], tmp_path / "kept"
    first = make(checkpoint=folder, engine=THREADS)
    check_taken_up(first, make(checkpoint=folder), make(), monkeypatch, data)


def test_a_fit_is_taken_up_by_processes(
    data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, folder = MAKERS["StabilitySelection"], tmp_path / "kept"
    second = make(checkpoint=folder, n_jobs=2)
    check_taken_up(make(checkpoint=folder), second, make(), monkeypatch, data)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("BAHSIC", {"step": 0.1}, "step=0.25, now 0.1"),
        ("RandSel", {"random_state": 1}, "random_state=0, now 1"),
        ("StabilitySelection", {"estimator": LassoSelector()}, "estimator=None, now"),
    ],
)
def test_other_settings_are_refused(
    name: str, options: dict[str, Any], words: str, data: Any, tmp_path: Path
) -> None:
    selector = MAKERS[name](checkpoint=tmp_path / "kept").fit(*data)
    with pytest.raises(CheckpointError, match=words):
        selector.set_params(**options).fit(*data)
    with pytest.raises(CheckpointError, match="other data"):
        MAKERS[name](checkpoint=tmp_path / "kept").fit(data[0] + 1e-9, data[1])


@pytest.mark.parametrize("name", ["BAHSIC", "RandSel", "L1LSMI", "StabilitySelection"])
def test_random_numbers_that_never_come_again_are_refused(
    name: str, data: Any, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"checkpoint=.* give random_state a number"):
        MAKERS[name](checkpoint=tmp_path / "kept", random_state=None).fit(*data)


def test_a_rule_for_the_number_goes_with_a_checkpoint(data: Any, tmp_path: Path) -> None:
    for rule in ("alignment", "cv"):
        found, expected = (
            BAHSIC(rule, checkpoint=kept).fit(*data) for kept in (tmp_path / rule, None)
        )
        assert answer(found) == answer(expected)
