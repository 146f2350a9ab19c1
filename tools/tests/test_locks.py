"""The locked versions are those of pyproject.toml, whole, and every file is known by its hash."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.licences import project, requirements_of

FOLDER = Path(__file__).parents[2] / "requirements"
PARTS = ("test", "spark", "browser", "check", "docs")
GROUPS = (*PARTS, "build", "bench", "quality", "release")
LOCKS = ("ci", "runtime", "report", *GROUPS)
PYTHONS = ("3.11.0", "3.12.0", "3.13.0", "3.14.0")


def locked(name):
    """Return the requirements of a lock, each with its hashes: name -> (requirement, hashes)."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    entries = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words, *hashes = line.split("--hash=")
            requirement = Requirement(words)
            entries[canonicalize_name(requirement.name)] = requirement, [h.strip() for h in hashes]
    return entries


def asked_for(lock):
    """Return the requirements that pyproject.toml has for a lock."""
    about = project()["project"]
    extras = about["optional-dependencies"]
    if lock in GROUPS:
        more = project()["build-system"]["requires"] if lock == "build" else []
        return [*requirements_of(lock), *more]
    return [
        *about["dependencies"],
        *{
            "runtime": [],
            "report": extras["report"],
            "ci": [
                *(line for lines in extras.values() for line in lines),
                *(line for part in PARTS for line in requirements_of(part)),
            ],
        }[lock],
    ]


def version_of(requirement):
    """Return the one version that a line of a lock names."""
    (pin,) = requirement.specifier
    assert pin.operator == "==", f"not one version: {requirement}"
    return Version(pin.version)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_all_that_pyproject_names_in_versions_it_allows(lock):
    entries = locked(lock)
    for line in asked_for(lock):
        asked = Requirement(line)
        name = canonicalize_name(asked.name)
        assert name in entries, f"{line} is not in requirements/{lock}.txt: run `make lock`"
        version = version_of(entries[name][0])
        assert asked.specifier.contains(version), f"{line}, but {version} is locked: `make lock`"


def test_every_group_of_pyproject_has_a_lock():
    assert set(project()["dependency-groups"]) == set(GROUPS)


def test_the_main_job_installs_nothing_that_is_built_or_large():
    assert {"pyspark", "sphinx", "playwright", "dask", "pytest"}.isdisjoint(locked("runtime"))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_has_a_version_and_hashes(lock):
    for requirement, hashes in locked(lock).values():
        version_of(requirement)
        assert hashes, f"no hash: {requirement}"
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", text) for text in hashes), str(requirement)


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_a_place(lock):
    text = (FOLDER / f"{lock}.txt").read_text(encoding="utf-8")
    assert not re.search(
        r"://|^--?(i|index|extra-index|find-links|trusted)|[a-z]:\\|@ ", text, re.M
    )
    assert not re.search(r"(^|\s)/\w", text)


def test_locks_of_one_environment_agree():
    ci = locked("ci")
    for lock in ("build", "runtime", "report", "bench", *PARTS):
        for name, (requirement, hashes) in locked(lock).items():
            if name in ci:
                assert version_of(requirement) == version_of(ci[name][0]), name
                assert hashes == ci[name][1], name


def test_peers_and_gpu_packages_are_not_part_of_the_full_run():
    assert {"pyhsiclasso", "mrmr-selection"}.isdisjoint(locked("ci"))
    names = {name for lock in LOCKS for name in locked(lock)}
    heavy = re.compile("torch|cuda|cupy|nvidia|tensorflow|triton|jax")
    assert [name for name in names if heavy.search(name)] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_what_every_user_needs_is_locked_for_every_python(python):
    here = {"python_full_version": python, "python_version": python.rsplit(".", 1)[0]}
    entries = locked("runtime")
    for line in asked_for("runtime"):
        marker = entries[canonicalize_name(Requirement(line).name)][0].marker
        assert marker is None or marker.evaluate(here), f"{line} on Python {python}"
