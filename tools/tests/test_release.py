"""What must not be in a release is noticed."""

import json

import pytest

from tools.check_release import check_parts, strangers


@pytest.mark.parametrize(
    "name",
    [
        "tests/io/leukemia.mat",
        "src/hsieve/__pycache__/marks.cpython-311.py",
        "build/lib/hsieve/marks.py",
        "notes.parquet",
        "core",
    ],
)
def test_data_sets_and_caches_are_strangers(name):
    assert strangers({name: 100, "src/hsieve/marks.py": 100, "LICENSE": 100}) == [name]


def test_a_large_file_is_a_stranger_whatever_it_is_called():
    assert strangers({"tests/table.csv": 10_000_000}) == ["tests/table.csv"]


def parts(tmp_path, components, **more):
    """Write a list of parts and the lock it is held against."""
    path, lock = tmp_path / "parts.cdx.json", tmp_path / "runtime.txt"
    path.write_text(json.dumps({"components": components, **more}), encoding="utf-8")
    lock.write_text("numpy==2.0 \\\ncolorama==1.0 ; sys_platform == 'win32' \\\n", encoding="utf-8")
    return check_parts(path, lock)


def test_a_whole_list_of_parts_is_accepted(tmp_path):
    assert parts(tmp_path, [{"name": "NumPy", "version": "2.0"}]) == []


def test_a_list_of_parts_with_other_versions_or_folders_is_refused(tmp_path):
    found = parts(tmp_path, [{"name": "numpy", "version": "1.0"}], place="file:///tmp/numpy.whl")
    assert len(found) == 3
    assert "lacks numpy 2.0" in found[0]
    assert "folder of this machine" in found[2]
