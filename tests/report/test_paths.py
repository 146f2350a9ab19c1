"""A path in words: why it ended, what left, what was filled up and what was spared."""

from dataclasses import replace

import numpy as np
import pytest

from hsieve import FOHSIC, N3LARS
from hsieve.report import path_in_words
from hsieve.text import shortened


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(120, 12))
    return X, X[:, 0] ** 2 + X[:, 3]


def test_enough_features_names_the_next_one(data):
    selector = N3LARS(2).fit(*data)
    lars = selector.path_.lars
    words = path_in_words(selector, feature_names=[f"f{i}" for i in range(12)])
    next_one = f"'f{lars.events[-1].feature}' would have come in next (level {lars.levels[-1]:.3g})"
    assert words.startswith(f"The path ended with 2 features in, where {next_one}.")
    assert words.endswith(f"{lars.share_spared:.1%} never had to be compared.")


def test_end_of_the_path_tells_what_was_filled_up(data):
    X, y = data
    selector = N3LARS(4).fit(np.column_stack([X[:, :3], X[:, 0]]), y)
    words = path_in_words(selector)
    n_in = len(selector.path_.lars.selected)
    assert n_in < 4
    assert f"ran down to level zero with {n_in} feature" in words
    assert f"{4 - n_in} with a coefficient of zero" in words


def test_limit_of_steps_and_features_that_left_are_told(data):
    selector = N3LARS(3).fit(*data)
    lars = selector.path_.lars
    changed = replace(lars, stop_reason="step limit", order=np.append(lars.order, 11))
    selector.path_ = replace(selector.path_, lars=changed)
    words = path_in_words(selector)
    assert "cut off by its limit of steps" in words
    assert "1 came in and left again" in words


def test_selector_without_a_path_is_refused(data):
    with pytest.raises(TypeError, match="FOHSIC follows no regularisation path"):
        path_in_words(FOHSIC(2).fit(*data))


@pytest.mark.parametrize("longest", [3, 4, 11, 28])
def test_shortened_names_keep_to_their_length_and_both_ends(longest):
    name = "beginning" + "-" * 50 + "end"
    text = shortened(name, longest)
    assert len(text) == longest
    assert text[0] == "b"
    assert text[-1] == "d"
    assert shortened("short", 5) == "short"
