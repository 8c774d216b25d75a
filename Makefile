# Everything here works on a machine that has git, make and Python 3.11 or later, and nothing of ours; what needs more says so.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Of a Lambda package: the function's processor, and its runtime's version of Python.
ARCH   ?= x86_64
LAMBDA_PYTHON = $(or $(PYTHON_VERSION),$(shell $(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'))

.PHONY: help demo test test-fast-transport test-long interleavings machine bench bench-ledger bench-search bench-instructions bench-contention bench-cold-start bench-redaction train-redaction bench-transports bench-fast-transport conformance localstack radosgw
.PHONY: adversary fuzz claude-code mcp-clients mcp-versions
.PHONY: scale terraform-check aws-acceptance rendered-policies lambda-zip lambda-layer lambda-mcp lambda-lock lambda-check
.PHONY: docs docs-pages first-use lowest release-check
.PHONY: deepagents adapters-lowest screenshots check lint types contracts format wheel-check clean

help:  ## Say what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

demo: $(VENV)/.cli  ## Set up, then run the main job offline: an agent with an encrypted memory
	$(BIN)/s3memory demo

# The tests start hundreds of processes, each of which would compile all that it imports where no byte code is kept.
test test-long test-fast-transport: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.dev  ## Set up, then run the tests but the long ones; those of the format need Node 20
	$(BIN)/pytest -n 2 --dist worksteal -m "not long"

test-fast-transport: export TEST_TRANSPORT = fast
test-fast-transport: $(VENV)/.dev  ## The tests of contract, store, keys, audit and S3, faults, kills and interleavings, on the second transport
	$(BIN)/pytest -n 2 --dist worksteal -m "not long" tests/contract tests/store tests/keys tests/audit tests/s3; rules=$$?; \
	$(BIN)/pytest -n 2 --dist worksteal -k "not mistake" $(patsubst %,tests/properties/test_%.py,adversary fault_plans leaks \
	  crashes crashes_in_flight many_processes interleavings) && exit $$rules

test-long: $(VENV)/.dev  ## The long tests: laws under drawn faults and crashes, and whatever starts many processes
	$(BIN)/pytest -n 2 --dist worksteal -m long

interleavings: $(VENV)/.dev  ## Every order of the requests of two and three commands, and every crash in each (long)
	INTERLEAVINGS=all $(BIN)/pytest -n 2 tests/properties/test_interleavings.py tests/properties/test_three_clients.py tests/properties/test_late_requests.py

machine: $(VENV)/.dev  ## The state machines and plans of faults, a hundred times as many as in the suite (long)
	MACHINE_SEED=random MACHINE_EXAMPLES=9000 FAULT_PLANS=2400 $(BIN)/pytest -n 2 tests/properties/test_machine.py tests/properties/test_fault_plans.py

adversary: $(VENV)/.dev  ## Drawn clients and faults, for ADVERSARY_SECONDS each on two processes (default: 1800; long)
	PYTHONPATH=tests $(BIN)/python -m adversary --seconds $(or $(ADVERSARY_SECONDS),1800) $(if $(ADVERSARY_SEED),--seed $(ADVERSARY_SEED))

fuzz: $(VENV)/.fuzz  ## Coverage-guided fuzzing: each of FUZZ_TARGETS for FUZZ_SECONDS (default: all, 1200; long)
	for target in $(or $(FUZZ_TARGETS),$(notdir $(wildcard tests/fuzz/corpus/*))); do \
	  $(BIN)/python tests/fuzz/run.py $$target $(or $(FUZZ_SECONDS),1200) || exit 1; done

bench: $(VENV)/.bench build/encryption_client/.ready build/s3fs/.ready  ## Beside what people would use instead; ONLY="commands views" for some parts; valgrind has to be installed
	PYTHONPATH=tests $(BIN)/python benchmarks/bench.py $(if $(ONLY),--only $(ONLY))

build/encryption_client/.ready build/s3fs/.ready: build/%/.ready: benchmarks/peers/%.txt
	$(PYTHON) -m venv build/$*
	build/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

bench-ledger: $(VENV)/.dev  ## Requests, round trips, bytes and list price of each command, beside the budget
	$(BIN)/python benchmarks/ledger.py

bench-instructions: $(VENV)/.dev  ## Instructions of sealing and opening, counted by valgrind, which has to be installed
	$(BIN)/python benchmarks/instructions.py

bench-contention: $(VENV)/.dev  ## Commits a second: 1, 4 and 16 writers, on one file and on separate files
	PYTHONPATH=tests $(BIN)/python benchmarks/contention.py

bench-search: $(VENV)/.dev  ## What a search of 1,000 files asks and takes when each answer takes 20 ms
	$(BIN)/python benchmarks/search.py

bench-cold-start: $(VENV)/.dev lambda-zip  ## What a cold start of the Lambda package costs, against boto3's own
	$(BIN)/python benchmarks/cold_start.py build/lambda/agent-$(ARCH)-py$(LAMBDA_PYTHON).zip

lambda-zip: $(BIN)/python  ## The Lambda function's zip: ARCH=arm64|x86_64 PYTHON_VERSION=3.13 (default: that of .venv)
	$(BIN)/python examples/lambda_agent/deploy/package.py zip --arch $(ARCH) --python $(LAMBDA_PYTHON)

lambda-layer: $(BIN)/python  ## The same as a layer without Anthropic's SDK and the handler
	$(BIN)/python examples/lambda_agent/deploy/package.py layer --arch $(ARCH) --python $(LAMBDA_PYTHON)

lambda-mcp: $(BIN)/python  ## The MCP server's zip, for a function whose handler is s3memory.adapters.mcp.lambda_handler
	$(BIN)/python examples/lambda_agent/deploy/package.py mcp --arch $(ARCH) --python $(LAMBDA_PYTHON)

lambda-lock: $(BIN)/python  ## Lock the newest versions of what goes into the Lambda package
	$(BIN)/python examples/lambda_agent/deploy/package.py lock

lambda-check: $(VENV)/.dev  ## Build the Lambda packages, twice, and run what is in the zip
	$(BIN)/python tests/servers/lambda_package.py

scale: $(VENV)/.dev  ## Print the tables of docs/scale.md and docs/cost.md
	$(BIN)/python benchmarks/scale.py

bench-redaction: $(VENV)/.dev build/redaction/.ready  ## What is redacted, flagged and spent, beside other libraries
	PYTHONPATH=benchmarks $(BIN)/python -m redaction --others build/redaction/bin/python \
	  $(if $(BENCH_SOURCES),--sources $(BENCH_SOURCES)) --report benchmarks/redaction.md $(BENCH)

train-redaction: build/training/.ready  ## Train the weights of words again, and say what is found of each theme that is left out
	PYTHONPATH=.:benchmarks build/training/bin/python -m redaction.lexicon > build/training/lexicon.bin
	mv build/training/lexicon.bin s3memory/redaction/rules/scoring/lexicon.bin
	PYTHONPATH=.:benchmarks:tests build/training/bin/python -m redaction.training > build/training/tables.bin
	mv build/training/tables.bin s3memory/redaction/rules/scoring/tables.bin
	PYTHONPATH=.:benchmarks:tests build/training/bin/python -m redaction.training --described > build/training/described.bin
	mv build/training/described.bin benchmarks/redaction/described.bin
	PYTHONPATH=.:benchmarks:tests build/training/bin/python -m redaction.training --report > build/training/report.md
	mv build/training/report.md benchmarks/redaction_left_out.md

bench-transports: build/transports/.ready  ## What libraries that could carry the requests to S3 cost beside boto3; valgrind has to be installed
	PYTHONPATH=benchmarks build/transports/bin/python -m transports

bench-fast-transport: $(VENV)/.dev  ## A start, a first view and many views on libcurl beside boto3; valgrind has to be installed
	cd benchmarks && ../$(BIN)/python second_transport.py

build/transports/.ready: benchmarks/transports/requirements.txt
	$(PYTHON) -m venv build/transports
	build/transports/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

build/training/.ready: benchmarks/redaction/training_requirements.txt benchmarks/redaction/training_texts.txt
	$(PYTHON) -m venv build/training
	build/training/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	build/training/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r benchmarks/redaction/training_texts.txt
	@touch $@

build/redaction/.ready: benchmarks/redaction/requirements.txt
	$(PYTHON) -m venv build/redaction
	build/redaction/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

deepagents: build/deepagents/.ready  ## The backend for deepagents with the real framework, in an environment of its own
	build/deepagents/bin/python -m pytest tests/adapters/test_deepagents.py tests/docs/test_door_pages.py

build/deepagents/.ready: pyproject.toml
	$(PYTHON) -m venv build/deepagents
	build/deepagents/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,deepagents]'
	@touch $@

conformance: $(VENV)/.dev  ## Whether the server CONFORMANCE_ENDPOINT_URL can hold a memory
	$(BIN)/pytest -n 2 --force-enable-socket tests/conformance/test_second_server.py

localstack: $(VENV)/.dev  ## The same on moto and on LocalStack, which it installs into build/
	$(BIN)/python tests/servers/localstack.py

radosgw: $(VENV)/.dev  ## What the doctor and the same rules say of Ceph, whose Debian packages have to be installed
	$(BIN)/python tests/servers/radosgw.py

adapters-lowest: $(VENV)/.dev build/deepagents/.ready build/oldest/.ready  ## The tests of adapters on the oldest frameworks that the extras allow
	PYTHONPATH=build/oldest $(BIN)/pytest tests/adapters/test_pydantic_ai.py tests/cli/test_browse.py tests/audit/test_telemetry.py
	PYTHONPATH=build/oldest-deepagents build/deepagents/bin/python -m pytest tests/adapters/test_deepagents.py

build/oldest/.ready: | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target build/oldest \
	  'pydantic-ai-slim==2.60.0' 'textual==8.2.0' 'opentelemetry-sdk==1.30.0'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/oldest-deepagents 'deepagents==0.7.0'
	@touch $@

# The oldest that the extra allows, and the newest below 2.2, where agents pin it.
MCP_VERSIONS = 2.0.0 2.1.1

mcp-versions: $(VENV)/.dev $(MCP_VERSIONS:%=build/mcp-%/.ready)  ## The tests of the MCP servers on older versions of the MCP SDK
	for version in $(MCP_VERSIONS); do PYTHONPATH=build/mcp-$$version $(BIN)/pytest -n 2 tests/adapters -k mcp || exit 1; done

build/mcp-%/.ready: | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target build/mcp-$* 'mcp==$*' 'mangum>=0.19'
	@touch $@

claude-code: $(VENV)/.dev build/claude-code/.ready  ## The real Claude Code with the memory, against a scripted Claude (downloads 170 MB)
	PYTHONPATH=build/claude-code:tests/servers $(BIN)/python tests/servers/claude_code.py

mcp-clients: $(VENV)/.dev build/claude-code/.ready build/openai-agents/.ready build/inspector/.ready  ## Run the blocks of docs/mcp.md in Claude Code, MCP Inspector and OpenAI Agents; the inspector needs npm
	$(BIN)/pytest -rs tests/adapters/test_mcp_docs.py

build/openai-agents/.ready: | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target build/openai-agents 'openai-agents==0.24.0'
	@touch $@

build/inspector/.ready:
	npm install --silent --no-audit --no-fund --prefix build/inspector @modelcontextprotocol/inspector@2.12.0
	@touch $@

build/claude-code/.ready: | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target build/claude-code 'claude-agent-sdk==0.2.187'
	@touch $@

terraform-check: $(VENV)/.dev  ## Check the Terraform module, and apply its examples to moto
	PYTHONPATH=tests $(BIN)/python tests/servers/terraform_check.py

# With ACCEPTANCE=--moto on moto. On AWS, build the package first: PACKAGE=build/lambda/agent-arm64-py3.13.zip.
aws-acceptance: $(VENV)/.dev  ## Apply the complete example to your AWS account, put it to use, destroy it; asks first
	PYTHONPATH=tests:tests/servers $(BIN)/python -m aws_acceptance $(if $(PACKAGE),--package $(PACKAGE)) $(ACCEPTANCE)

rendered-policies: $(VENV)/.dev  ## Write down the module's policies for tests/deploy/iam, after a change
	$(BIN)/python tests/servers/rendered_policies.py

screenshots: $(VENV)/.dev  ## Take the pictures of docs/pictures again
	$(BIN)/python tests/servers/screenshots.py

docs: build/docs/.ready build/docs/node_modules/.ready  ## The site of all pages in build/site, to be opened without a server; needs npm
	build/docs/bin/mkdocs build

docs-pages: $(VENV)/.dev  ## Write the parts of docs/ that are made of the code: settings, help, errors, limits
	PYTHONPATH=tests $(BIN)/python tests/docs/generated_parts.py

build/docs/.ready: pyproject.toml
	$(PYTHON) -m venv build/docs
	build/docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

build/docs/node_modules/.ready: | build/docs/.ready
	npm install --silent --no-audit --no-fund --prefix build/docs iframe-worker@1.0.4 mermaid@11.17.2
	@touch $@

release-check: build/release/.ready  ## What a release publishes, into dist/: built twice alike, valid, installed, SBOM, licences
	build/release/bin/python tests/servers/release_check.py

# The tests of the core. Old releases on newer packages of others warn, which is not our fault.
LOWEST_TESTS = tests/contract tests/store tests/format tests/keys tests/s3 tests/aws tests/audit tests/config

lowest: build/release/.ready  ## The core's tests on the oldest direct dependencies that pyproject.toml allows
	build/release/bin/uv venv --quiet --clear --python $(PYTHON) build/lowest
	build/release/bin/uv pip install --quiet --python build/lowest --resolution lowest-direct --editable '.[test]'
	build/lowest/bin/python -m pytest -n 2 -q -W ignore::DeprecationWarning $(LOWEST_TESTS)

build/release/.ready: pyproject.toml
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip install --quiet --disable-pip-version-check 'build~=1.6' 'cyclonedx-bom~=7.5' 'twine~=7.0' 'uv~=0.13'
	@touch $@

first-use:  ## Time the README's five minutes from a clone, in a folder with nothing of ours
	PYTHONPATH=tests $(PYTHON) tests/servers/first_use.py

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

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@touch $@ $(VENV)/.cli
