"""What lies in dist/ is whole and holds nothing else: wheel, sdist and list of parts.

The wheel has every module and template, the sdist what tests and documentation need. Neither
has data sets, caches or what else lies about in a folder of work.
"""

import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
# Endings of what we write ourselves. Data sets and caches have others.
WRITTEN = {
    ".py",
    ".md",
    ".txt",
    ".toml",
    ".csv",
    ".css",
    ".js",
    ".html",
    ".jinja",
    ".png",
    ".rst",
    ".svg",
    ".typed",
}
WITHOUT_ENDING = {"LICENSE", "Makefile", "PKG-INFO", ".gitignore", "release", "run"}
LARGEST = 400_000  # bytes of one file
LARGEST_SDIST = 4_000_000
# Of the list of parts: folders of the machine it was made on.
MACHINE_PATH = re.compile(r"file://|/(home|root|tmp|work|Users|opt)/|[A-Z]:\\\\")


def strangers(files):
    """Return files that are neither written by us nor small; `files` has sizes by name."""
    return [
        name
        for name, size in files.items()
        if size > LARGEST
        or any(part in {"__pycache__", ".git", "build", "dist"} for part in name.split("/"))
        or not (PurePosixPath(name).suffix in WRITTEN or PurePosixPath(name).name in WITHOUT_ENDING)
    ]


def check_wheel(path):
    """Return what is wrong with the wheel: it has the files of src/hsieve, and its own notes."""
    with zipfile.ZipFile(path) as wheel:
        inside = {entry.filename: entry.file_size for entry in wheel.infolist()}
    package = {name for name in inside if ".dist-info/" not in name}
    source = ROOT / "src"
    files = source.glob("hsieve/**/*")
    expected = {
        file.relative_to(source).as_posix()
        for file in files
        if file.is_file() and "__pycache__" not in file.parts
    }
    wrong = [f"the wheel lacks {name}" for name in sorted(expected - package)]
    wrong += [f"the wheel has {name} too much" for name in sorted(package - expected)]
    wrong += [f"strange in the wheel: {n}" for n in strangers({n: inside[n] for n in package})]
    for needed in ("hsieve/py.typed", "/licenses/LICENSE"):
        if not any(name.endswith(needed) for name in inside):
            wrong.append(f"the wheel lacks {needed}")
    if not any("/templates/" in name for name in package):
        wrong.append("the wheel lacks the templates of reports")
    return wrong


def check_sdist(path):
    """Return what is wrong with the sdist."""
    with tarfile.open(path) as sdist:
        entries = [entry for entry in sdist if entry.isfile()]
    inside = {entry.name.partition("/")[2]: entry.size for entry in entries}
    wrong = [f"strange in the sdist: {name} ({inside[name]:,} bytes)" for name in strangers(inside)]
    wanted = ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "conftest.py")
    wrong += [f"the sdist lacks {name}" for name in wanted if name not in inside]
    if path.stat().st_size > LARGEST_SDIST:
        wrong.append(f"the sdist has {path.stat().st_size:,} bytes, at most {LARGEST_SDIST:,}")
    return wrong


def check_parts(path, requirements):
    """Return what is wrong with the list of parts: it has what runs, and no folder of a machine."""
    text = path.read_text(encoding="utf-8")
    parts = json.loads(text)
    listed = {
        (part["name"].lower().replace("_", "-"), part["version"]) for part in parts["components"]
    }
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pins = [re.match(r"([a-z0-9.-]+)==(\S+)(.*)", line) for line in lines]
    expected = {(pin[1], pin[2]) for pin in pins if pin and "win32" not in pin[3]}
    wrong = [f"the list of parts lacks {name} {version}" for name, version in expected - listed]
    more = {name for name, _ in listed - expected} - {"hsieve"}
    wrong += [f"the list of parts has {name}, which nobody needs" for name in sorted(more)]
    if found := MACHINE_PATH.search(text):
        wrong.append(f"the list of parts names a folder of this machine: {found[0]}")
    return wrong


def main():
    """Check the three files in the folder; end with all that is wrong."""
    folder, requirements = map(Path, sys.argv[1:])
    (wheel,), (sdist,), (parts,) = (
        [*folder.glob(f"*{ending}")] for ending in (".whl", ".tar.gz", ".cdx.json")
    )
    wrong = [*check_wheel(wheel), *check_sdist(sdist), *check_parts(parts, requirements)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{wheel.name}, {sdist.name} and {parts.name} are whole")


if __name__ == "__main__":
    main()
