"""Loops are compiled when they are first needed, wherever that is possible."""

import os
import subprocess
import sys

import numpy as np
import pytest

from hsieve.kernels.loops.compilation import compiled

FIT = """
import sys
import numpy as np
from hsieve import N3LARS
assert "numba" not in sys.modules
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 6))
y = X[:, 2] + X[:, 4] ** 2 + 0.1 * rng.normal(size=200)
N3LARS(2).fit(X, y)
assert "numba" not in sys.modules, "small problems compile nothing"
print(sorted(N3LARS(2, form="coded").fit(X, y).selected_indices_.tolist()))
assert "numba" in sys.modules
"""


@pytest.mark.parametrize(
    "settings",
    [{"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_CACHE_DIR": os.devnull + "/no/folder"}],
    ids=["plain Python", "cache folder that cannot be made"],
)
def test_a_fit_is_the_same_in_any_environment(settings):
    done = subprocess.run(
        [sys.executable, "-c", FIT],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[2, 4]", done.stderr


def test_a_loop_without_a_folder_for_its_cache_is_compiled_in_memory():
    made = {}
    # Code that is in no file has no place where a compiled form could be kept.
    exec("def loop(values):\n    return 2 * values.sum()", made)
    assert compiled(made["loop"])(np.arange(4.0)) == 12.0
