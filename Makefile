# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Python 3.11+, make and a package index are all they need; the second run takes seconds to start.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run-installed
DEV    := $(VENV)/.dev-installed
WORKERS ?= 2
# Tests that compile most kernels run first, in two processes that compile different ones, so that nothing is compiled twice: all stages
# share the cache beside the sources (kernels/__pycache__). Then the
# tests of the core, which compute, run beside those of the other packages, which mostly wait for browsers and servers. Static checks run at
# low priority beside all tests.
# The tests of the core run without plug-ins; the other packages run its harnesses on their own metrics and formats.
CORE    := packages/caesura/tests
VOWELS  := packages/caesura-vowels/tests
CORE_KERNELS   := $(addprefix $(CORE)/,kernels/test_plain_and_compiled.py agreement/test_among_coders.py agreement/test_unitizing.py gold/test_unification.py metrics/test_single_calls.py)
PLUGIN_KERNELS := $(VOWELS)/test_restorer.py $(VOWELS)/test_chooser.py tests/test_wheels.py
PYTEST := $(BIN)/python -m pytest
LOCK   := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --no-emit-package caesura --no-emit-package caesura-vowels --no-emit-package caesura-workbench -q

# Bytecode is kept, whatever the machine says: the tests start many programs.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test tests static compiled core-tests plugin-tests core-kernels plugin-kernels coverage lint types imports scripts docs serve-docs check mutants bench lock sbom clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

demo: $(RUN) ## create the environment, install, run the tour
	$(BIN)/caesura demo

test: $(DEV) compiled ## create the environment, install, lint, type-check, build the docs, run all tests
	$(MAKE) --keep-going --jobs 2 tests static

tests: $(DEV)
	$(MAKE) --keep-going --jobs $(WORKERS) plugin-kernels core-kernels
	$(MAKE) --keep-going --jobs 2 --output-sync=target core-tests plugin-tests

core-tests: $(DEV) ## the tests of the package caesura, without plug-ins
	CAESURA_DISABLE_PLUGINS=1 $(PYTEST) -n $(WORKERS) --dist worksteal packages/caesura $(addprefix --ignore=,$(CORE_KERNELS)) $(ARGS)

plugin-tests: $(DEV) ## the tests of the other packages, the documentation and everything together
	$(PYTEST) -n $(WORKERS) --dist worksteal packages/caesura-vowels packages/caesura-workbench tests $(addprefix --ignore=,$(PLUGIN_KERNELS)) $(ARGS)

static: $(DEV)
	nice $(MAKE) --keep-going --jobs 1 check docs

compiled: $(DEV)
	$(BIN)/python -m compileall -q -j $(WORKERS) packages

core-kernels: $(DEV)
	CAESURA_DISABLE_PLUGINS=1 $(PYTEST) -n 0 -p no:cacheprovider $(CORE_KERNELS)

plugin-kernels: $(DEV)
	$(PYTEST) -n 0 -p no:cacheprovider $(PLUGIN_KERNELS)

coverage: $(DEV) ## which lines of the package the tests run
	$(PYTEST) -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered $(ARGS)

check: lint types imports scripts ## everything static

lint: $(DEV) ## ruff: format and rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

scripts: $(DEV) ## types, lint and unit tests of the workbench's scripts; skips what node or npm cannot provide
	-@command -v npm >/dev/null && cd packages/caesura-workbench/tests/scripts && { test -x node_modules/.bin/tsc || timeout 60 npm install --no-audit --no-fund --no-package-lock --silent; }
	$(PYTEST) -n 0 -rs packages/caesura-workbench/tests/test_scripts.py

types: $(DEV) ## strict mypy
	$(BIN)/mypy

imports: $(DEV) ## import-linter: layers import one way only
	$(BIN)/lint-imports

docs: $(DEV) ## build the site into site/, warnings are errors; try its search and its pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(PYTEST) -n 0 -q tests/docs/test_search.py tests/docs/test_site.py

serve-docs: $(DEV) ## look at the site while writing it
	$(BIN)/mkdocs serve

mutants: $(DEV) ## change the code place by place and see whether the tests notice (ARGS="--random 20" draws more)
	$(BIN)/python tests/mutants/run.py $(ARGS)

bench: $(DEV) ## measure against the peers that are installed
	$(BIN)/pip install --quiet --require-hashes -r requirements/bench.txt
	for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script; done

lock: $(DEV) ## pin all requirements anew, with hashes and without addresses
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --group demo requirements/build.in $(LOCK) -o requirements/demo.txt
	$(BIN)/uv pip compile --group dev requirements/build.in -c requirements/demo.txt $(LOCK) -o requirements/dev.txt
	$(BIN)/uv pip compile requirements/bench.in -c requirements/dev.txt $(LOCK) -o requirements/bench.txt
	@echo "now run make sbom, which installs the new pins and lists their licences"

sbom: $(DEV) ## list name, version, licence and hashes of all pinned packages in requirements/sbom.json
	$(BIN)/python requirements/sbom.py > requirements/sbom.json.new && mv requirements/sbom.json.new requirements/sbom.json

clean: ## remove what was built, the environment included
	rm -rf $(VENV) build dist site artifacts .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find packages tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

PROJECTS := $(wildcard packages/*/pyproject.toml)

$(RUN): requirements/demo.txt pyproject.toml $(PROJECTS)
	$(call install,demo,packages/caesura packages/caesura-vowels)
	@touch $@

# Includes what the demo needs. pip would compile the packages on one core only.
$(DEV): requirements/dev.txt pyproject.toml $(PROJECTS)
	$(call install,dev,$(dir $(PROJECTS)),--no-compile)
	-$(BIN)/python -m compileall -qq -j $(WORKERS) $(VENV)/lib
	@touch $(RUN) $@

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Caesura needs Python 3.11 or newer; set PYTHON=python3.12, say.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-deps $(3) --require-hashes -r requirements/$(1).txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation $(addprefix -e ,$(2))
endef
