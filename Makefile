# Commands for people; the work is in make/. `make run` leaves standard output to the command it starts.
ARGS ?=
VERSION ?=
.PHONY: help setup run test test-all test-replicas test-python extension changelog packages sbom pictures documents reference docs links clients check fmt bench faults faults-replicas fuzz newest lock clean
help: ## show this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/'
setup: ## install what development needs into .venv; the other commands do it by themselves
	@make/setup dev >&2
run: ## start the bridge, a sample API and a page: make run ARGS="--port 8642"
	@exec make/run $(ARGS)
test: ## run the tests of each change, or some: make test ARGS="tests/unit -x"
	@make/setup dev >&2 && exec make/test $(ARGS)
test-all: ## run the tests that take long; make test has the others
	@make/setup dev >&2 && exec make/test-all $(ARGS)
test-replicas: ## run the HTTP, model, conversation and socket tests through two replicas
	@make/setup dev >&2 && exec make/test-replicas $(ARGS)
test-python: ## prove make run and most tests in a Debian 13 with Python 3.13, as root with debootstrap
	@exec make/test-python $(ARGS)
extension: ## pack the companion extension into build/companion.zip, with its digest
	@make/setup dev >&2 && exec .venv/bin/python make/build_extension.py build/companion.zip $(ARGS)
changelog: ## move the entries of changes/ into the changelog: make changelog VERSION=0.2.0
	@make/setup dev >&2 && exec .venv/bin/python -m make.changelog "$(VERSION)"
packages: ## build a release into dist/: make packages ARGS=Unreleased before its version has a heading in the changelog
	@make/setup dev >&2 && make/page_tools >&2 && make/client_environments release >&2 && exec make/packages $(ARGS)
sbom: ## list what a package brings along, as CycloneDX, into build/sbom.cdx.json
	@make/setup dev >&2 && make/client_environments release >&2 && exec .venv/bin/python -m make.sbom build/sbom.cdx.json
pictures: ## take the pictures of the page and of the companion for docs/pictures anew
	@CHROMIUM=$$(make/chromium) && export CHROMIUM && make/setup dev >&2 && .venv/bin/python -m tests.browser.views.pictures $(ARGS) && exec .venv/bin/python -m tests.browser.companion.pictures $(ARGS)
documents: ## bring the real OpenAPI documents that tests read, each by its SHA-256, into the user's cache
	@make/setup dev >&2 && exec make/documents
reference: ## write the parts of the documentation that come from the code anew
	@make/setup dev >&2 && exec .venv/bin/python -m make.reference
docs: ## build the documentation as a site in build/site: make docs, or of a tag: make docs VERSION=0.2.0
	@make/site/setup >&2 && exec build/site-tools/bin/python make/site/build.py --version "$(VERSION)" $(ARGS)
links: ## ask every address of others to which the documentation has links whether it is still there
	@make/site/setup >&2 && exec build/site-tools/bin/python make/site/build.py --links
clients: ## run other people's MCP clients and the conformance suite against a bridge
	@make/setup dev >&2 && exec make/clients $(ARGS)
check: ## lint, format, types, imports, spelling, house rules
	@make/setup dev >&2 && exec make/check
fmt: ## format Python, the page and the companion, and apply ruff's safe fixes
	@make/setup dev >&2 && .venv/bin/ruff check --fix-only --quiet . && .venv/bin/ruff format .
	@make/page_tools >&2 && .venv/bin/node node_modules/@biomejs/biome/bin/biome format --write
bench: ## run the benchmarks
	@CHROMIUM=$$(make/chromium) && export CHROMIUM && make/setup dev >&2 && make/page_tools >&2 && exec .venv/bin/python -m bench $(ARGS)
faults: ## play random faults against a ledger: make faults ARGS="--seconds 600"
	@make/setup dev >&2 && exec .venv/bin/python -m tests.faults $(ARGS)
faults-replicas: ## kill and freeze real replicas under load: make faults-replicas ARGS="--faults 70"
	@POSTGRES_BIN=$$(make/postgres) && REDIS_SERVER=$$(make/redis) && export POSTGRES_BIN REDIS_SERVER && make/setup dev >&2 && exec .venv/bin/python -m tests.replicas $(ARGS)
fuzz: ## send what no client sends to all that strangers reach: make fuzz ARGS="--seconds 600 --only mcp"
	@make/setup dev >&2 && exec .venv/bin/python -m tests.fuzz $(ARGS)
newest: ## run contract and socket tests with the newest of all dependencies, whatever is capped and locked
	@exec make/newest $(ARGS)
lock: ## pin what pyproject.toml and package.json ask for
	@exec make/lock
clean: ## remove what these commands made
	@rm -rf .venv node_modules build/page* .pytest_cache .ruff_cache .hypothesis .coverage*
