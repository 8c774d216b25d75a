# Everything here works on a machine that has git, make and Python 3.11 or later, and nothing of ours.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: help demo test interleavings bench-contention conformance localstack check lint types contracts format wheel-check clean

help:  ## Say what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/.cli  ## Set up, then run the main job offline: an agent with an encrypted memory
	$(BIN)/s3memory demo

test: $(VENV)/.dev  ## Set up, then run the tests
	$(BIN)/pytest -n 2

interleavings: $(VENV)/.dev  ## Every order of every two commands' requests, and every crash in each (long)
	INTERLEAVINGS=all $(BIN)/pytest -n 2 -s tests/test_interleavings.py

bench-contention: $(VENV)/.dev  ## Commits a second: 1, 4 and 16 writers, on one file and on separate files
	$(BIN)/python benchmarks/contention.py

conformance: $(VENV)/.dev  ## Whether the server CONFORMANCE_ENDPOINT_URL can hold a memory
	$(BIN)/pytest -n 2 --force-enable-socket tests/conformance/test_second_server.py

localstack: $(VENV)/.dev  ## The same on moto and on LocalStack, which it installs into build/
	$(BIN)/python tests/servers/localstack.py

check: lint types contracts  ## Lint, types, import contracts

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## Let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel-check: $(VENV)/.dev  ## Build the wheel, install it alone into a new environment, and import it there
	rm -rf dist build/wheel-venv
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build && wheel-venv/bin/python -c 'import s3memory; from importlib.resources import files; \
	  assert (files("s3memory") / "py.typed").is_file(); \
	  print(*(getattr(s3memory, name).__name__ for name in s3memory.__all__), sep="\n")'

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "s3memory needs Python 3.11 or later; name one with make PYTHON=..." >&2; exit 1; }
	@echo "Setting up $(VENV). The first time, this takes about a minute."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.cli: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cli,local]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@touch $@ $(VENV)/.cli
