# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Python 3.11+, make and a package index are all they need; the second run takes seconds to start.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run-installed
DEV    := $(VENV)/.dev-installed
WORKERS ?= 2
# Tests that compile most loops run first, two sets of which neither needs the other's, each in one process: so nothing is compiled
# twice. What is static runs beside all of it and behind it in rank, so that it takes the time in which tests wait for browsers and servers.
LOOPS  := tests/kernels/test_twins.py tests/agreement/test_among_coders.py tests/gold/test_unification.py tests/metrics/test_single_calls.py
OTHER_LOOPS := tests/vowels/test_restorer.py tests/vowels/test_chooser.py tests/agreement/test_unitizing.py
PYTEST := $(BIN)/python -m pytest
COMPILE := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -q

# Bytecode is kept, whatever the machine says: the tests start many programs.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test tests static compiled loops other-loops coverage lint types imports docs serve-docs check bench lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

demo: $(RUN) ## create the environment, install, run the tour
	$(BIN)/caesura demo

test: $(DEV) compiled ## create the environment, install, lint, type-check, build the docs, run all tests
	$(MAKE) --keep-going --jobs 2 tests static

tests: $(DEV)
	$(MAKE) --keep-going --jobs $(WORKERS) other-loops loops
	$(PYTEST) -n $(WORKERS) --dist worksteal $(addprefix --ignore=,$(LOOPS) $(OTHER_LOOPS)) $(ARGS)

static: $(DEV)
	nice $(MAKE) --keep-going --jobs 1 check docs

compiled: $(DEV)
	$(BIN)/python -m compileall -q -j $(WORKERS) src

loops: $(DEV)
	$(PYTEST) -n 0 -p no:cacheprovider $(LOOPS)

other-loops: $(DEV)
	$(PYTEST) -n 0 -p no:cacheprovider $(OTHER_LOOPS)

coverage: $(DEV) ## which lines of the package the tests run
	$(PYTEST) -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered $(ARGS)

check: lint types imports ## everything static

lint: $(DEV) ## ruff: format and rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DEV) ## strict mypy
	$(BIN)/mypy

imports: $(DEV) ## import-linter: rooms of the house import one way only
	$(BIN)/lint-imports

docs: $(DEV) ## build the site into site/, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

serve-docs: $(DEV) ## look at the site while writing it
	$(BIN)/mkdocs serve

bench: $(DEV) ## measure against the peers that are installed
	$(BIN)/pip install --quiet --require-hashes -r requirements/bench.txt
	for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script; done

lock: $(DEV) ## pin all requirements anew, with hashes and without addresses
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml requirements/build.in --extra demo $(COMPILE) -o requirements/demo.txt
	$(BIN)/uv pip compile pyproject.toml requirements/build.in --extra dev -c requirements/demo.txt $(COMPILE) -o requirements/dev.txt
	$(BIN)/uv pip compile requirements/bench.in -c requirements/dev.txt $(COMPILE) -o requirements/bench.txt

clean: ## remove what was built, the environment included
	rm -rf $(VENV) build dist site artifacts .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN): requirements/demo.txt pyproject.toml
	$(call install,demo)
	@touch $@

# All that the demo needs is among it. Compiling the packages takes pip one core, and a while.
$(DEV): requirements/dev.txt pyproject.toml
	$(call install,dev,--no-compile)
	-$(BIN)/python -m compileall -qq -j $(WORKERS) $(VENV)/lib
	@touch $(RUN) $@

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Caesura needs Python 3.11 or newer; set PYTHON=python3.12, say.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(2) --require-hashes -r requirements/$(1).txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
endef
