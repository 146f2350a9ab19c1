"""The words that we do not use are found, those that we use pass."""

import pytest

from tools import words

PAIRS = [
    ("a fraction of the samples", "a share of the samples"),
    ("must be an integer", "must be a whole number"),
    ("a measure bound to data", "a measure tied to data"),
    ("redundant features", "what repeats"),
    ("the same command resumes", "the same command goes on where it was"),
    ("outliers are clipped", "wild values are tamed"),
    ("15 columns per feature", "15 columns a feature"),
    ("Weights are not supported", "There is not"),
    ("works offline", "asks nothing of any network"),
    ("the features it uses", "which features it stands on"),
    ("when not to use it", "when to leave it"),
    ("can crash on corrupt files", "does not stand damaged files"),
    ("each fold selects again", "each fold selects anew"),
    ("choose the number of features automatically", "not to say how many features"),
]


@pytest.mark.parametrize(("plain", "ours"), PAIRS)
def test_plain_words_pass_and_ours_fail(plain, ours):
    assert words.found_in(plain) == []
    assert words.found_in(ours)


def test_a_phrase_is_found_across_lines_of_a_docstring(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('one = 1\n\ndef f():\n    """Take a\n    whole\n    number."""\n')
    assert words.hits_in(module) == [(5, "whole number", "integer")]
