# Everything runs inside .venv in this folder; only Python 3.11+ and make are needed.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.setup-done

.PHONY: setup demo test test-slow check format bench recovery docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hsieve needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(STAMP)

demo: setup            ## the main job: choose the features that matter on data that come with the package
	$(BIN)/hsieve demo

test: setup            ## all tests that this machine can run; what is left out is listed with the reason
	$(BIN)/python -m pytest -m "not slow"

test-slow: setup       ## the long statistical runs (levels, recovery rates) and the comparison with peers
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python -m pytest -m slow -p no:randomly

check: setup           ## format, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup           ## seconds, memory and growth beside plain NumPy and other packages in the same run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	$(BIN)/python benchmarks/bench_bahsic.py
	$(BIN)/python benchmarks/bench_n3lars.py
	$(BIN)/python benchmarks/bench_interactions.py
	$(BIN)/python benchmarks/bench_l1lsmi.py
	$(BIN)/python benchmarks/bench_alignment.py
	$(BIN)/python benchmarks/bench_randsel.py
	$(BIN)/python benchmarks/bench_engines.py

recovery: setup        ## writes the table of recovery rates in docs/recovery.md (an hour or so)
	$(BIN)/python benchmarks/recovery.py

docs: setup            ## draws the pictures of the README and the docs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	$(BIN)/python docs/make_pictures.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
