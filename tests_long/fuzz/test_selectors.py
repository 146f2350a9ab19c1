"""Hostile values at every estimator: an answer that holds together, or a refusal in words.

The quick run asks every estimator two dozen questions. The slow one asks each family as many as
``HSIEVE_FUZZ_INPUTS`` says, 20,000 by default; one family alone is

    HSIEVE_FUZZ_INPUTS=500 pytest -m slow tests_long/fuzz -k "LARS"

The seed is fixed (``HSIEVE_FUZZ_SEED``), and both are printed with what came of the inputs.
"""

import os
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from tests.every_selector import ALL, FAMILIES, missing
from tests_long.fuzz.oracle import Refused, answer, check_again, check_answer, check_twin
from tests_long.fuzz.recipes import Case, cases

QUICK_INPUTS = 24
INPUTS = int(os.environ.get("HSIEVE_FUZZ_INPUTS", "20000"))
SEED = int(os.environ.get("HSIEVE_FUZZ_SEED", "20070613"))


def ask(estimator: BaseEstimator, case: Case, tally: Counter[str]) -> None:
    """Give an estimator one input and judge what comes of it."""
    began = time.perf_counter()
    X, y = case.X(), case.y()
    tally["inputs"] += 1
    try:
        fitted, told = answer(estimator, X, y)
    except Refused:
        tally["refused"] += 1
    else:
        check_answer(fitted, X, told)
        if case.seed % 4 == 0:
            check_again(fitted, X, y)
        tally["compared with a twin"] += check_twin(fitted, case, X, y)
        tally["answered"] += 1
    taken = round(1e6 * (time.perf_counter() - began))
    tally["microseconds"] += taken
    tally["longest"] = max(tally["longest"], taken)


def ask_many(estimators: tuple[BaseEstimator, ...], n_inputs: int) -> Counter[str]:
    """Ask one of the estimators each time."""
    tally: Counter[str] = Counter()

    @seed(SEED)
    @settings(
        max_examples=n_inputs,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
    )
    @given(place=st.integers(0, len(estimators) - 1), case=cases())
    def one(place: int, case: Case) -> None:
        ask(estimators[place], case, tally)

    one()
    return tally


def told(name: str, tally: Counter[str]) -> str:
    """Put into words what came of many inputs."""
    each = tally["microseconds"] / 1000 / tally["inputs"]
    return (
        f"\n{name}: {tally['inputs']} inputs, seed {SEED}: {tally['answered']} answered, "
        f"{tally['refused']} refused, {tally['compared with a twin']} compared with a twin; "
        f"{each:.1f} ms an input, the longest {tally['longest'] / 1000:.0f} ms"
    )


def test_no_public_estimator_is_forgotten():
    assert missing() == set()


@pytest.mark.parametrize("name", sorted({type(one).__name__ for one in ALL.values()}))
def test_every_estimator_answers_or_refuses_in_words(name):
    settings_of_it = tuple(one for one in ALL.values() if type(one).__name__ == name)
    tally = ask_many(settings_of_it, QUICK_INPUTS)
    assert tally["answered"] + tally["refused"] >= QUICK_INPUTS


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_families_answer_or_refuse_in_words(family, capsys):
    tally = ask_many(FAMILIES[family], INPUTS)
    with capsys.disabled():
        print(told(family, tally))
    assert tally["inputs"] >= INPUTS
