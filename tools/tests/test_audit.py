"""An audit that got no answer is not taken for a good one."""

import pytest

from tools.audit import verdict

SOUND = {"name": "good", "version": "1", "vulns": []}
WEAK = {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
UNASKED = {"name": "unheard", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("dependencies", "status", "words"),
    [
        ([SOUND], 0, "answers for 1 of 1 packages, 0 known weaknesses"),
        ([SOUND, WEAK], 1, "bad 2: PYSEC-1, mended in 2.1"),
        ([SOUND, UNASKED], 2, "NOT AUDITED, no answer from the service: unheard"),
        ([WEAK, UNASKED], 1, "NOT AUDITED, no answer from the service: unheard"),
        ([], 2, "NOT AUDITED, no answer from the service: all"),
    ],
)
def test_weaknesses_and_missing_answers_are_told_apart(dependencies, status, words):
    said, ended = verdict(dependencies)
    assert ended == status
    assert words in said
