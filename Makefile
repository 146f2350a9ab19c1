# Everything runs inside .venv in this folder; only Python 3.11+ and make are needed.
PYTHON ?= python3
# Versions: `yes` takes the locked ones (requirements/ci.txt), `no` the newest that pyproject.toml allows.
LOCKED ?= yes
BIN := .venv/bin
TOOLS := .venv-release/bin
INSTALL := -m pip install --quiet --disable-pip-version-check
# Every file is known by its hash. Only pyspark and yattag are built, since there is no wheel of them, by what build.txt names.
INSTALL_LOCKED := $(INSTALL) --require-hashes --no-deps --only-binary :all: --no-binary pyspark,yattag --no-build-isolation
STAMP := .venv/.setup-$(if $(filter no,$(LOCKED)),newest,locked)

.PHONY: setup demo reproduce test test-slow test-processors test-oldest test-newest check format bench recovery docs pictures \
	lock audit licences release soak mutants coverage clean

setup: $(STAMP)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hsieve needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

.venv/.setup-locked: pyproject.toml requirements/build.txt requirements/ci.txt | .venv/bin/python
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/build.txt
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/ci.txt || { echo "The locked versions do not install here. They are for Python 3.11 to 3.14 (this is $$($(BIN)/python -V)); 'make setup LOCKED=no' takes the newest versions instead."; exit 1; }
	$(BIN)/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@rm -f .venv/.setup-* && touch $@

.venv/.setup-newest: pyproject.toml | .venv/bin/python
	$(BIN)/python $(INSTALL) --upgrade "pip>=25.1"
	$(BIN)/python $(INSTALL) --upgrade --upgrade-strategy eager --editable . --group dev --group docs --group build
	@rm -f .venv/.setup-* && touch $@

demo: setup            ## the main job: choose the features that matter on data that come with the package
	$(BIN)/hsieve demo

NAME ?=
ARGS ?=
reproduce: setup       ## a paper's experiment beside its figures, resumed: make reproduce NAME=bahsic-table4 ARGS="--jobs 2"
	$(BIN)/python -m reproduction $(if $(NAME),$(NAME),--list) $(ARGS)

test: setup            ## all tests that this machine can run; what is left out is listed with the reason
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

test-slow: setup       ## the long statistical runs (levels, recovery rates) and the comparison with peers
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/bench.txt
	$(BIN)/python -m pytest -m slow -p no:randomly

SHORT ?=
test-processors: setup  ## the numeric tests as if on several processors (half an hour); SHORT=1 for two of them
	$(BIN)/python tools/processors.py $(if $(SHORT),--short)

# Selections and scores only, so warnings of other versions are no errors here.
SAME_RESULTS := -m pytest -p no:cacheprovider -o filterwarnings= -o addopts= tests/same_results

soak: setup            ## two hours of all kinds of work (or HSIEVE_SOAK_MINUTES): does the process grow?
	@mkdir -p build
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.soak build/soak.jsonl

test-oldest:           ## the kept selections and scores with the oldest versions we allow, in .venv-oldest
	@test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python $(INSTALL) --requirement requirements/oldest.txt
	.venv-oldest/bin/python $(INSTALL) --no-deps --editable .
	@.venv-oldest/bin/python -V && .venv-oldest/bin/python -m pip freeze --exclude-editable
	.venv-oldest/bin/python $(SAME_RESULTS)

test-newest:           ## the same with the newest versions there are for this Python, in .venv-newest
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python $(INSTALL) --editable . pytest hypothesis
	@.venv-newest/bin/python -V && .venv-newest/bin/python -m pip freeze --exclude-editable
	.venv-newest/bin/python $(SAME_RESULTS)

coverage: setup        ## the tests with the lines and branches of src that none reaches (an hour); fails below 95 %
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/quality.txt
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export COVERAGE_FILE="$$folder/lines" && \
	{ $(BIN)/coverage run -m pytest -m "not slow" -p no:randomly; status=$$?; $(BIN)/coverage report && exit $$status; }

check: setup           ## format, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup           ## seconds, memory and growth beside plain NumPy and other packages in the same run
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/bench.txt
	$(BIN)/python benchmarks/bench_bahsic.py
	$(BIN)/python benchmarks/bench_n3lars.py
	$(BIN)/python benchmarks/bench_pursuit.py
	$(BIN)/python benchmarks/bench_interactions.py
	$(BIN)/python benchmarks/bench_l1lsmi.py
	$(BIN)/python benchmarks/bench_alignment.py
	$(BIN)/python benchmarks/bench_randsel.py
	$(BIN)/python benchmarks/bench_representation.py
	$(BIN)/python benchmarks/bench_kernel_classifiers.py
	$(BIN)/python benchmarks/bench_kernel_ensemble.py
	$(BIN)/python benchmarks/bench_engines.py

SIZE ?= 400
SEED ?= 0
mutants: setup         ## changes SIZE spots of the source, by turns, and lists in .mutants what no test notices
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/quality.txt
	$(BIN)/python tools/mutants/run.py cover
	$(BIN)/python tools/mutants/run.py try --size $(SIZE) --seed $(SEED)

recovery: setup        ## writes the table of recovery rates in docs/recovery.md (an hour or so)
	$(BIN)/python benchmarks/recovery.py

docs: setup            ## the documentation, with all examples run, into docs/_build/html; a warning is an error
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build --fail-on-warning --keep-going docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pictures: setup        ## draws the pictures that the README and the docs keep in docs/pictures
	$(BIN)/python docs/make_pictures.py

# Tools that only maintainers need, away from what is tested.
.venv-release/.setup: requirements/release.txt
	$(PYTHON) -m venv --clear .venv-release
	$(TOOLS)/python $(INSTALL_LOCKED) --requirement requirements/release.txt
	@touch $@

# One version of each package for all Pythons, so that results do not depend on which one runs them.
UPGRADE ?= --upgrade
COMPILE := $(TOOLS)/uv pip compile --quiet --python $(TOOLS)/python --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-annotate --custom-compile-command "make lock" $(UPGRADE)

lock: .venv-release/.setup  ## renews requirements/*.txt; `make lock UPGRADE=` keeps the versions that still fit
	$(COMPILE) --group build --output-file requirements/build.txt
	$(COMPILE) pyproject.toml --all-extras --group dev --group docs -c requirements/build.txt --output-file requirements/ci.txt
	$(COMPILE) pyproject.toml -c requirements/ci.txt --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra report -c requirements/ci.txt --output-file requirements/report.txt
	$(COMPILE) --group bench -c requirements/ci.txt --output-file requirements/bench.txt
	$(COMPILE) --group coverage --group mutation -c requirements/ci.txt --output-file requirements/quality.txt
	$(COMPILE) --group release -c requirements/build.txt --output-file requirements/release.txt

audit: .venv-release/.setup  ## asks for known weaknesses of the locked versions; fails if there are any, or no answer
	$(TOOLS)/python tools/audit.py requirements/ci.txt requirements/release.txt

licences: setup        ## writes docs/licences.md anew; fails on a licence that is not allowed
	$(BIN)/python tools/licences.py

release: setup .venv-release/.setup  ## wheel, sdist and list of parts into dist/, each checked and tried
	PYTHON=$(PYTHON) tools/release

clean:
	rm -rf .venv .venv-oldest .venv-newest .venv-release .venv-wheel .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants \
		build dist docs/_build docs/gallery docs/api/generated docs/api/backreferences
