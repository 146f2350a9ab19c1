"""Tries an installed hsieve, away from its sources: names, command line, a report.

With ``--without-extras``, what needs an extra must say so and name it.
"""

import importlib
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import hsieve
from hsieve.data.sequences import residue_scales
from hsieve.datasets import make_n3lars

COMMAND = Path(sys.executable).with_name("hsieve")
# Brought by extras: no module of ours may import them before they are asked for.
OPTIONAL = ("matplotlib", "jinja2", "anndata", "aaindex", "dask", "distributed", "pyspark", "zarr")


def run(*words, fails=False):
    """Run the command line; return all it says."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if (done.returncode != 0) is not fails:
        sys.exit(f"hsieve {' '.join(words)} ended with {done.returncode}:\n{said}")
    return said


def expect(text, said):
    """End the trial unless a text is among what was said."""
    if text not in " ".join(said.split()):
        sys.exit(f"expected {text!r}, but it said:\n{said}")


def try_names():
    """Import every module, and take every public name of it."""
    count = 0
    for module in pkgutil.walk_packages(hsieve.__path__, "hsieve."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        names = getattr(loaded, "__all__", ())
        count += len([getattr(loaded, name) for name in names])
    count += len([getattr(hsieve, name) for name in hsieve.__all__])
    if early := [name for name in OPTIONAL if name in sys.modules]:
        sys.exit(f"importing hsieve imports {', '.join(early)}, which are extras")
    print(f"{count} public names")


def write_table(path):
    """Write a table whose columns 0, 1 and 2 matter, or copies of them."""
    problem = make_n3lars(n_samples=200, n_features=40, random_state=0)
    head = ",".join([*(f"x{place}" for place in range(problem.X.shape[1])), "outcome"])
    rows = np.column_stack([problem.X, problem.y])
    np.savetxt(path, rows, delimiter=",", header=head, comments="", fmt="%.5f")


def try_without_extras(folder, select):
    """Ask for what every extra brings; each must be refused by its name."""
    page, single_cells, blocks = folder / "page.html", folder / "x.h5ad", folder / "x.zarr"
    single_cells.write_text("not read")
    blocks.mkdir()
    (blocks / "zarr.json").write_text("{}")
    asked = {
        "report": [(*select, "--report", str(page)), (*select, "--plot", str(folder / "p.png"))],
        "dask": [(*select, "--engine", "dask")],
        "spark": [(*select, "--engine", "spark")],
        "anndata": [("select", str(single_cells), "--target", "outcome", "-k", "3")],
        "zarr": [("select", str(blocks), "--target", "outcome", "-k", "3")],
    }
    for extra, commands in asked.items():
        for words in commands:
            expect(f"hsieve[{extra}]", run(*words, fails=True))
    try:
        residue_scales()
    except ImportError as error:
        expect("hsieve[sequences]", str(error))
    else:
        sys.exit("scales of residues were given without the extra that brings them")
    print("without extras: demo and selection run, and what needs an extra names it")


def main():
    """Try everything; end at the first thing that is wrong."""
    if Path(hsieve.__file__).is_relative_to(Path(__file__).resolve().parents[1] / "src"):
        sys.exit("this is the folder of sources, not the wheel")
    try_names()
    run("demo")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, page = folder / "table.csv", folder / "page.html"
        write_table(table)
        select = ("select", str(table), "--target", "outcome", "-k", "3")
        expect("x0", run(*select))
        if "--without-extras" in sys.argv:
            try_without_extras(folder, select)
        else:
            run(*select, "--report", str(page), "--plot", str(folder / "path.png"))
            expect("<html", page.read_text(encoding="utf-8"))
            print(f"with the extra: a report of {page.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
