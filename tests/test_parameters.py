"""Rules of parameters: what they accept, and what they say."""

import inspect

import numpy as np
import pytest
from typer.main import get_command

import hsieve
from hsieve.cli.main import app
from hsieve.parameters import BOOLEAN, NONE, integer, number, numbers, word


@pytest.mark.parametrize(
    ("rule", "right", "wrong", "words"),
    [
        (integer(1), [1, np.int64(7)], [0, 1.0, True, "1", None], "an integer of at least 1"),
        (integer(2, 3), [2, 3], [1, 4], "an integer from 2 to 3"),
        (integer(2, as_float=True), [2, 40.0], [2.5, np.inf, True], "an integer of at least 2"),
        (number(above=0), [0.1, np.float32(2), 3], [0, np.nan, np.inf, False, "1"], "above 0"),
        (number(above=0, is_finite=False), [np.inf], [np.nan, -1], "above 0"),
        (number(least=0, below=1), [0, 0.99], [1, -0.1], "of at least 0 and below 1"),
        (number(above=0, most=1), [1], [0, 1.1], "above 0 and at most 1"),
        (number(above=0, below=1), [0.5], [0, 1], "a number between 0 and 1"),
        (number(least=0, most=1), [0, 1], [-1, 2], "a number from 0 to 1"),
        (numbers(above=0), [[1, 2.5], np.array([0.1])], [[], [0], 3, "12"], "a list of numbers"),
        (word("a", "b"), ["a"], ["c", ["a"], None, np.array(["a"])], "'a' or 'b'"),
        (BOOLEAN, [True, np.bool_(False)], [0, None], "True or False"),
        (NONE | word("auto") | integer(1), [None, "auto", 2], [0], "None, 'auto' or an integer"),
    ],
)
def test_rules_accept_what_their_words_say(rule, right, wrong, words):
    for value in right:
        rule.check("given", value)
    for value in wrong:
        with pytest.raises(ValueError, match=r"^given must be ") as refused:
            rule.check("given", value)
        assert words in str(refused.value)
        assert str(refused.value).endswith(f", got {value!r}.")


@pytest.mark.parametrize(
    "kind",
    [
        one
        for one in (getattr(hsieve, name) for name in hsieve.__all__)
        if getattr(one, "allowed", None)
    ],
    ids=lambda kind: kind.__name__,
)
def test_rules_are_about_parameters_and_allow_their_defaults(kind):
    usual = kind().get_params(deep=False)
    for name, rule in kind.allowed.items():
        rule.check(name, usual[name])


@pytest.mark.parametrize("name", [one for one in hsieve.__all__ if callable(getattr(hsieve, one))])
def test_cores_and_seeds_have_one_name_in_python(name):
    try:
        given = set(inspect.signature(getattr(hsieve, name)).parameters)
    except ValueError:  # some built-in classes have none
        return
    assert not given & {"jobs", "n_threads", "n_workers", "threads", "workers", "seed", "rng"}


def test_cores_and_seeds_have_one_name_at_the_command_line():
    commands = get_command(app).commands
    given = {name: {o for one in of.params for o in one.opts} for name, of in commands.items()}
    assert {name for name, of in given.items() if "--random-state" in of} == set(given) - {
        "methods"
    }
    assert not set().union(*given.values()) & {"--seed", "--threads", "--n-jobs", "--cores"}
