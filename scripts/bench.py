"""Measure the speed of training, decoding, preparing, saving and starting: `make bench`.

Everything is measured in turn, in one process, so that a busy machine slows all of it alike; figures are medians.
Utilisation is matrix arithmetic done ÷ (time × the rate of a large sgemm, measured in between).
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from bench_start import cold_start
from benchmarks import decoding, preparing, saving, training
from benchmarks.yardstick import MODELS, Peak, configure
from rich.console import Console
from rich.table import Column, Table

from nmt import cli
from nmt.config import ROOT
from nmt.data.prepare import prepare
from nmt.errors import UserError
from nmt.run import Run, newest_finished

MULTI30K = ROOT / "data/raw/multi30k"


def main() -> None:
    """Measure what the options ask for, print a table, write JSON."""
    options = parse()
    torch.set_num_threads(options.threads)
    corpus_files = options.corpus or (MULTI30K / "train.en.gz", MULTI30K / "train.de.gz")
    if not all(file.is_file() for file in corpus_files):
        note("No Multi30k in data/raw/multi30k and no --corpus: measuring on the embedded corpus, of short sentences.")
        corpus_files = None
    prepared = Path(tempfile.mkdtemp(prefix="bench-"))
    configs = {name: configure(name, corpus_files, prepared) for name in MODELS}
    corpus = prepare(configs["bahdanau"].data)
    if options.profile:
        training.write_profile(configs["bahdanau"], corpus, options.profile)
        note(f"Trace: {options.profile} (open it at ui.perfetto.dev, or in TensorBoard)")
        return
    note("Measuring training, decoding, preparing, saving and starting, in this order …")
    peak = Peak()
    repeats, updates = (2, 1) if options.quick else (7, 4)
    results: dict[str, Any] = {"threads": options.threads, "torch": torch.__version__}
    sentences, turns = (60, 2) if options.quick else (1000, 3)
    results["training"] = training.measure(configs, corpus, repeats, updates, peak)
    results["decoding"] = decoding.measure(configs["bahdanau"], corpus, sentences, turns, peak)
    if options.compile:
        results["compile"] = {"times as fast": training.compile_effect(configs["bahdanau"], corpus, 3, 4)}
    results["preparing"] = preparing.measure(configs["bahdanau"].data, 1 if options.quick else 5)
    results["saving"] = saving.measure(str(prepared), *((2, 3) if options.quick else (9, 20)))
    results |= of_a_run(options)
    results["sgemm_gflops"] = peak.rate / 1e9
    show(results)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    note(f"JSON: {options.json}")


def of_a_run(options: argparse.Namespace) -> dict[str, Any]:
    """The figures that need a trained model: cold start, and texts that depend on the batch."""
    try:
        run = Run(options.run) if options.run else newest_finished(ROOT / "outputs")
    except UserError:
        note("No finished run under outputs/: cold start and batch invariance are left out (make train first).")
        return {}
    changed, texts = decoding.texts_that_change(run, 20 if options.quick else 500)
    return {
        "starting": cold_start(run.directory, 1 if options.quick else 9),
        "batch invariance": {"sentences": texts, "other text when alone": changed},
    }


def show(results: dict[str, Any]) -> None:
    """Print everything as one table."""
    title = f"sgemm {results['sgemm_gflops']:.0f} GFLOP/s, {results['threads']} thread(s)"
    table = Table("what", "figure", Column("value", justify="right"), title=title)
    for part, figures in results.items():
        if not isinstance(figures, dict):
            continue
        nested = all(isinstance(value, dict) for value in figures.values())
        for what, values in figures.items() if nested else [("", figures)]:
            for figure, value in values.items():
                shown = f"{value:,.0f}" if value >= 20 else f"{value:.3g}"
                table.add_row(f"{part} {what}".strip(), figure.replace("_", " "), shown)
            table.add_section()
    Console().print(table)


def note(text: str) -> None:
    """Print progress to stderr."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less than a minute, and noisier")
    parser.add_argument("--compile", action="store_true", help="also the effect of torch.compile: some minutes more")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="write a trace of three updates, and no more")
    parser.add_argument("--corpus", type=Path, nargs=2, help="two parallel files (default: data/raw/multi30k)")
    parser.add_argument("--run", type=Path, help="a trained run, for the cold start (default: the newest finished)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, default=ROOT / "outputs/bench.json")
    return parser.parse_args()


if __name__ == "__main__":
    cli.run(main, results_on_disk=True)
