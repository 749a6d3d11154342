# Everything that is done often, by name. `make demo` and `make test` need nothing but Python 3.11 or newer.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
WHEEL_VENV := .venv-wheel
PHOTO ?= sample_images/easy_1.jpg
OUT := out
BENCH_PHOTOS ?= 80
BENCH_MEMORY ?= 1000

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-source test-wheel test-web wheel check format bench accuracy validate validate-dice \
	validate-cards validate-fleet kills fuzz cluster train dev clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(VENV)/installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "boardsight needs Python 3.11 or newer"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

$(VENV)/installed-browser: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet -e '.[browser]'
	@touch $@

$(VENV)/installed-train: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -e '.[train]'
	@touch $@

demo: $(VENV)/installed ## score a sample photo, print its sheet and draw the annotated picture
	@mkdir -p $(OUT)
	$(BIN)/boardsight score $(PHOTO) --annotate $(OUT)/demo.jpg
	@echo "Open $(CURDIR)/$(OUT)/demo.jpg to see what was read."

$(VENV)/installed-web: $(VENV)/installed
	$(BIN)/python -m pip install --quiet -e '.[web]'
	@touch $@

serve: $(VENV)/installed-web ## open the page for phones at the table and show its code
	$(BIN)/boardsight serve --lan

dev: $(VENV)/installed-dev ## make .venv with everything that tests and checks need

test: test-source test-wheel ## run all tests, then again against the built wheel

test-source: $(VENV)/installed-test ## run all tests in the checkout
	$(BIN)/python -m pip check
	$(BIN)/pytest

wheel: $(VENV)/installed-test ## build the wheel and the sdist into dist/
	rm -rf build dist
	$(BIN)/python -m build --outdir dist . >/dev/null
	@ls dist

test-wheel: wheel ## run the command and the quick tests against the built wheel, in a fresh environment
	rm -rf $(WHEEL_VENV)
	$(BIN)/python -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python -m pip install --quiet dist/*.whl
	cd / && "$(CURDIR)/$(WHEEL_VENV)/bin/boardsight" score --json "$(CURDIR)/$(PHOTO)" >/dev/null
	$(WHEEL_VENV)/bin/python -m pip install --quiet pytest hypothesis httpx2 "$$(echo dist/*.whl)[fonts,web]"
	$(WHEEL_VENV)/bin/pytest -m "not slow"

test-web: $(VENV)/installed-browser ## try the page in a headless Chromium, which is installed if that is possible
	@chromium=$$(.ci/chromium) && BOARDSIGHT_CHROMIUM="$$chromium" $(BIN)/pytest tests/web

check: $(VENV)/installed-dev ## ruff, mypy and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/installed-dev ## let ruff format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/installed-test ## time a photo and a batch: stages, cold start, memory, one and two processes
	$(BIN)/python -m tests.photos.bench
	$(BIN)/python -m tests.tournament.bench --photos $(BENCH_PHOTOS) --memory $(BENCH_MEMORY)

kills: $(VENV)/installed-test ## kill a batch of 1,000 photos five times and compare with an undisturbed run
	$(BIN)/python -m tests.tournament.kills --photos 1000

fuzz: $(VENV)/installed-test ## read 5,000 damaged JPEG, PNG and HEIC files
	$(BIN)/python -m tests.tournament.fuzz --files 5000

cluster: $(VENV)/installed-test ## read photos on a Dask cluster, and again while a worker is killed
	$(BIN)/python -m tests.tournament.cluster_try

accuracy: $(VENV)/installed-test ## print the accuracy table over all photo folders
	$(BIN)/python -m tests.photos.accuracy

validate: $(VENV)/installed-test ## read a thousand drawn boards in styles that training never saw
	$(BIN)/python -m boardsight.training.validate --boards 800 --nothing 200

validate-fleet: $(VENV)/installed-test ## read drawn boards with spaceships in shapes that training never saw
	$(BIN)/python -m boardsight.training.validate_fleet --boards 400

validate-dice: $(VENV)/installed-test ## read hundreds of drawn throws of dice in styles that training never saw
	$(BIN)/python -m boardsight.training.validate_pieces dice --scenes 400 --nothing 200 --jobs 2

validate-cards: $(VENV)/installed-test ## read hundreds of drawn card piles in styles that training never saw
	$(BIN)/python -m boardsight.training.validate_pieces cards --scenes 300 --nothing 100 --jobs 2

train: $(VENV)/installed-train ## train the models again from nothing (under an hour a network on two cores)
	$(BIN)/python -m boardsight.training

clean: ## remove everything that make has made
	rm -rf $(VENV) $(WHEEL_VENV) build dist $(OUT) *.egg-info .pytest_cache .mypy_cache .ruff_cache
