# Everything runs inside .venv in this folder; only Python 3.11+ and make are needed.
PYTHON ?= python3
# Versions: `yes` takes the locked ones (requirements/*.txt), `no` the newest that pyproject.toml allows.
LOCKED ?= yes
BIN := .venv/bin
TOOLS := .venv-release/bin
# Modules are compiled when something imports them, not all of them at once.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
# Every file is known by its hash. Only pyspark and yattag are built, since there is no wheel of them, by what build.txt names.
INSTALL_LOCKED := $(INSTALL) --require-hashes --no-deps --only-binary :all: --no-binary pyspark,yattag --no-build-isolation

# One environment, set up in stages: each is a group of pyproject.toml and a file in requirements/, installed on top of `runtime`.
STAGE := .venv/.$(if $(filter no,$(LOCKED)),newest,locked)-
# Without Java there is no Spark to test, and without Chromium no report to open: pytest lists what it leaves out.
TEST_STAGES := test \
	$(if $(shell command -v java 2>/dev/null),spark) \
	$(if $(HSIEVE_CHROMIUM)$(shell command -v chromium chromium-browser google-chrome 2>/dev/null),browser)
# Parts of the full run. They take their versions from the file of all of them, ci.txt.
PARTS := test spark browser check docs
TESTED := $(addprefix $(STAGE),$(TEST_STAGES))
CHECKED := $(addprefix $(STAGE),test check)

.PHONY: setup demo reproduce test test-long test-processors test-oldest test-newest check format bench recovery docs pictures \
	lock audit licences release soak mutants coverage clean

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hsieve needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

.venv/.locked-runtime: pyproject.toml requirements/build.txt requirements/runtime.txt | .venv/bin/python
	$(BIN)/python $(INSTALL_LOCKED) --requirement requirements/build.txt --requirement requirements/runtime.txt || { echo "The locked versions do not install here. They are for Python 3.11 to 3.14 (this is $$($(BIN)/python -V)); 'LOCKED=no' after the command takes the newest versions instead."; exit 1; }
	$(BIN)/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@rm -f .venv/.newest-* && touch $@

.venv/.locked-%: requirements/%.txt .venv/.locked-runtime
	$(BIN)/python $(INSTALL_LOCKED) --requirement $<
	@touch $@

.venv/.newest-runtime: pyproject.toml | .venv/bin/python
	$(BIN)/python $(INSTALL) --upgrade "pip>=25.1"
	$(BIN)/python $(INSTALL) --upgrade --upgrade-strategy eager --editable . --group build
	@rm -f .venv/.locked-* && touch $@

.venv/.newest-%: .venv/.newest-runtime
	$(BIN)/python $(INSTALL) --upgrade --upgrade-strategy eager --editable . --group $*
	@touch $@

setup: $(TESTED) $(CHECKED) $(STAGE)docs  ## what `make test`, `make check` and `make docs` need, for an editor

NAME ?=
ARGS ?=
reproduce: $(STAGE)test  ## a paper's experiment beside its figures, resumed: make reproduce NAME=bahsic-table4 ARGS="--jobs 2"
	$(BIN)/python -m reproduction $(if $(NAME),$(NAME),--list) $(ARGS)

# One thread: on a busy machine those of BLAS wait for each other.
demo: $(STAGE)runtime  ## the main job: choose the features that matter on data that come with the package
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/hsieve demo

test: $(TESTED)        ## all tests that this machine can run in minutes; what is left out is listed with the reason
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

test-long: $(TESTED) $(STAGE)bench  ## fuzzers, faults, levels and recovery rates (hours); HSIEVE_FUZZ_INPUTS and HSIEVE_KILLS set how many
	$(BIN)/python -m pytest -p no:randomly tests_long

SHORT ?=
test-processors: $(TESTED)  ## the numeric tests as if on several processors (half an hour); SHORT=1 for some of them on one
	$(BIN)/python tools/processors.py $(if $(SHORT),--short)

# Selections and scores only, so warnings of other versions are no errors here.
SAME_RESULTS := -m pytest -p no:cacheprovider -o filterwarnings= -o addopts= tests/same_results

soak: $(STAGE)test     ## two hours of all kinds of work (or HSIEVE_SOAK_MINUTES): does the process grow?
	@mkdir -p build
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests_long.soak build/soak.jsonl

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

coverage: $(TESTED) $(STAGE)quality  ## the tests with the lines and branches of src that none reaches (an hour); fails below 95 %
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export COVERAGE_FILE="$$folder/lines" && \
	{ $(BIN)/coverage run -m pytest -p no:randomly; status=$$?; $(BIN)/coverage report && exit $$status; }

check: $(CHECKED)      ## format, lint, types, import layers, words of the documentation and the package
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/words.py

format: $(CHECKED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAGE)test $(STAGE)bench  ## seconds, memory and growth beside plain NumPy and other packages in the same run
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
mutants: $(STAGE)test $(STAGE)quality  ## changes SIZE spots of the source, by turns, and lists in build/mutants what no test notices
	$(BIN)/python tools/mutants/run.py cover
	$(BIN)/python tools/mutants/run.py try --size $(SIZE) --seed $(SEED)

recovery: $(STAGE)test  ## writes the table of recovery rates in docs/explanation/recovery.md (an hour or so)
	$(BIN)/python benchmarks/recovery.py

docs: $(STAGE)docs     ## the documentation, with all examples run, into docs/_build/html; a warning is an error
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build --fail-on-warning --keep-going docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pictures: $(STAGE)docs  ## draws the pictures that the README and the docs keep in docs/pictures
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
	$(COMPILE) pyproject.toml --all-extras $(addprefix --group ,$(PARTS)) -c requirements/build.txt --output-file requirements/ci.txt
	$(COMPILE) pyproject.toml -c requirements/ci.txt --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra report -c requirements/ci.txt --output-file requirements/report.txt
	for part in $(PARTS) bench quality; do $(COMPILE) --group $$part -c requirements/ci.txt --output-file requirements/$$part.txt || exit; done
	$(COMPILE) --group release -c requirements/build.txt --output-file requirements/release.txt

audit: .venv-release/.setup  ## asks for known weaknesses of the locked versions; fails if there are any, or no answer
	$(TOOLS)/python tools/audit.py requirements/ci.txt requirements/release.txt

licences: $(addprefix $(STAGE),$(PARTS))  ## writes build/licences.md; fails on a licence that is not allowed
	$(BIN)/python tools/licences.py build/licences.md

release: licences .venv-release/.setup  ## wheel, sdist, list of parts and licences into dist/, each checked and tried
	PYTHON=$(PYTHON) tools/release

clean:
	rm -rf .venv .venv-oldest .venv-newest .venv-release .venv-wheel .pytest_cache .mypy_cache .ruff_cache .hypothesis \
		build dist docs/_build docs/gallery docs/reference/api/generated docs/reference/api/backreferences
