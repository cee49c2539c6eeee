# Everything a newcomer needs: `make train`, `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup train test test-full check tensorboard bench chaos demo-corpus clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

setup: $(STAMP) ## make .venv with the tested versions; does nothing when nothing changed

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed: make PYTHON=python3.11 ...") if sys.version_info < (3, 10) else None'
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

train: setup ## train the default model on the embedded corpus, score it, draw heatmaps
	$(RUN) train.py $(ARGS)

test: setup ## fast tests, on both cores
	$(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test-full: setup ## all tests, the slow ones too
	$(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m '' $(ARGS)

check: setup ## lint, format, types and fast tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

tensorboard: setup ## look at the runs under outputs/
	$(VENV)/bin/tensorboard --logdir outputs

bench: setup ## speed of training, decoding, starting, serving; ARGS="training --against ../other --quick"
	$(RUN) scripts/bench.py $(ARGS)

chaos: setup ## kill, stop and fill the disk at every change of a file, compare bytes: half an hour; ARGS="--every 20": minutes
	$(RUN) -m tests.chaos $(ARGS)

demo-corpus: setup ## write data/demo/eng-fra.tsv and its word alignment again
	$(RUN) data/demo/write.py

clean: ## remove the environment, prepared corpora and caches; runs in outputs/ stay
	rm -rf $(VENV) data/prepared *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
