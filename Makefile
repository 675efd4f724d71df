# Commands of the project. Each installs what it needs first (.ci/prepare) and does nothing twice.
.DEFAULT_GOAL := help
.ONESHELL:
.SHELLFLAGS := -ec
MAKEFLAGS += --no-print-directory
BIN := .venv/bin
# Compiled modules are kept whatever the surroundings say: tests start the program some hundred times.
unexport PYTHONDONTWRITEBYTECODE
# Tests write into memory where 2 GB are free there: some thousand journals are synced, and no test proves what a disk does.
MEMORY := $(shell [ -w /dev/shm ] && [ "$$(df -Pk /dev/shm | awk 'END { print $$4 }')" -gt 2000000 ] && echo /dev/shm)
TSC := .venv/pages/node_modules/.bin/tsc

# One check: its name, and its output only when it fails.
define check
printf '%-22s' '$(1)'
if output=$$($(2) 2>&1); then echo ok; else echo failed; printf '%s\n' "$$output"; exit 1; fi
endef

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

.PHONY: demo
demo: ## a simulated table in real time; HANDS=5 plays five hands fast and checks chips and cards; TABLES=8 shows a floor; ARGS="--variant razz" adds options
	@.ci/prepare runtime mosquitto
	exec $(BIN)/stud-table demo $(if $(TABLES),--tables $(TABLES)) $(if $(HANDS),--hands $(HANDS) --speed fast) $(ARGS)

.PHONY: test
test: prepared check-lint check-format check-types check-pages check-imports ## everything that CI runs
	@$(if $(MEMORY),export TMPDIR=$(MEMORY))
	$(BIN)/pytest -n 2 -m 'not ports'
	$(BIN)/pytest -n 2 --dist loadfile -m ports

.PHONY: test-long
test-long: prepared ## the soaks and large counts
	@.ci/prepare dev docs
	$(BIN)/pytest --long --timeout 3600

.PHONY: drill
drill: prepared ## upgrade from a release and back, with the programs of both: FROM=v0.1.0
	@.ci/drill "$(FROM)"

.PHONY: docs
docs: ## the documentation as a site, into site/; a link that leads nowhere is an error
	@.ci/prepare runtime docs
	NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --strict
	echo "site/index.html"

.PHONY: release
release: prepared ## wheel, sources, bill of materials, licences and digests of COMMIT=HEAD in OUT=dist/release, tried in an empty environment
	@$(BIN)/python -m release --commit "$(or $(COMMIT),HEAD)" --out "$(or $(OUT),dist/release)"

.PHONY: audit
audit: prepared ## known vulnerabilities of what the lock names, where somebody can be asked
	@$(BIN)/python -m release.audit requirements-dev.lock

.PHONY: lint
lint: prepared check-lint check-format check-types check-pages check-imports ## ruff, types and import contracts alone

.PHONY: lock
lock: prepared ## compile the lock files anew
	@.ci/lock

.PHONY: prepared
prepared:
	@.ci/prepare dev mosquitto libnfc postgresql pages $(if $(wildcard tests/browser/test_*.py),chromium firefox)

.PHONY: check-lint check-format check-types check-pages check-imports
check-lint: prepared
	@$(call check,ruff check,$(BIN)/ruff check --quiet)
check-format: prepared
	@$(call check,ruff format,$(BIN)/ruff format --check --quiet)
check-types: prepared
	@$(call check,mypy,$(BIN)/mypy --no-color-output)
check-pages: prepared
	@if [ ! -x $(TSC) ] && [ -z "$$CI" ]; then printf '%-22s%s\n' tsc 'skipped: TypeScript is not installed, see above'; exit 0; fi
	$(call check,tsc,$(TSC) --project tsconfig.json)
check-imports: prepared
	@$(call check,import contracts,$(BIN)/lint-imports --no-logo)
