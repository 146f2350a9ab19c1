"""Hostile and damaged files: an answer that is true, or one sentence; never anything else.

The ordinary run reads some hundred files with each reader, drawn by hypothesis, which shrinks what
fails. The long run (`-m slow`) reads many more in processes of their own, so that a crash or a hang
is noticed; HSIEVE_FUZZ_INPUTS says how many, HSIEVE_FUZZ_SEED which, and `-k csv` picks a reader.
"""

import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests_long.fuzz.cases import check_case
from tests_long.fuzz.choices import N_BYTES, Choices
from tests_long.fuzz.readers import READERS
from tests_long.fuzz.running import n_inputs, run_inputs

# Inputs of the ordinary run; those that take ten times as long are a tenth.
COUNTS = {"h5ad": 60, "zarr": 60}
USUAL_COUNT = 300
LONG_COUNT = 100_000
# Less than half of what is seen: else hardly anything would be compared with the truth.
LEAST_SHARE = 0.08


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(autouse=True)
def little_unpacked(monkeypatch):
    monkeypatch.setenv("HSIEVE_UNPACKED_LIMIT", "100MB")


@pytest.mark.parametrize("reader", READERS)
def test_any_file_gives_the_truth_or_a_sentence(reader, folder, reads_here):
    @settings(
        max_examples=COUNTS.get(reader, USUAL_COUNT),
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(min_size=N_BYTES, max_size=N_BYTES))
    def check(data):
        with warnings.catch_warnings():
            # What libraries say about old or damaged files is for users, and no fault of ours.
            warnings.filterwarnings("ignore", module=r"(anndata|zarr|h5py|numcodecs)\.")
            warnings.filterwarnings("ignore", r".*\.h5ad: ")
            check_case(READERS[reader](Choices(data)), folder)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_many_files_in_processes_of_their_own(reader):
    found = run_inputs(reader, n_inputs(LONG_COUNT))
    assert not found.failures, "\n\n".join(found.failures)
    assert found.n_answers > LEAST_SHARE * found.n_inputs
