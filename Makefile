# Everything a newcomer needs: `make train`, `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup train test test-full check tensorboard bench bench-start bench-engines bench-attention bench-scale bench-corpus bench-checker bench-serve bench-pages chaos demo-corpus clean

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

bench: setup ## speed of training, decoding, preparing and starting; ARGS=--quick takes a minute
	$(RUN) scripts/bench.py $(ARGS)

bench-start: setup ## cold start of translate.py against `import torch`
	$(RUN) scripts/bench_start.py

bench-engines: setup ## PyTorch, numpy and the browser on the test set of a run; ARGS="--run DIR --browser /usr/bin/chromium"
	$(RUN) scripts/bench_engines.py $(ARGS)

bench-attention: setup ## training speed of every named model, in turn
	$(RUN) scripts/bench_attention.py $(ARGS)

bench-scale: setup ## training speed on two processes against one
	$(RUN) scripts/bench_scale.py $(ARGS)

bench-corpus: setup ## time and memory on corpora of up to a million pairs: half an hour
	$(RUN) scripts/bench_corpus.py $(ARGS)

bench-checker: setup ## precision of check_corpus.py on planted mistakes; ARGS="data.path=… --other third-language.txt"
	$(RUN) scripts/bench_checker.py $(ARGS)

bench-serve: setup ## serve.py under load against translate.py; ARGS="--soak 100000" looks at its memory
	$(RUN) scripts/bench_serve.py $(ARGS)

bench-pages: setup ## explorer and report in Chromium: sizes, first paint, frames a second; ARGS="--run DIR"
	$(RUN) scripts/bench_pages.py $(ARGS)

chaos: setup ## kill training 500 times, fill its disk, compare bytes: most of an hour; ARGS=--quick takes minutes
	$(RUN) -m tests.chaos $(ARGS)

demo-corpus: setup ## write data/demo/eng-fra.tsv and its word alignment again
	$(RUN) data/demo/write.py

clean: ## remove the environment, prepared corpora and caches; runs in outputs/ stay
	rm -rf $(VENV) data/prepared *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
