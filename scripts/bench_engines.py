"""The engines on the test set of a run: size, time a sentence, texts equal to PyTorch's, BLEU; sentences in turn."""

import nmt.portable  # isort: skip  # noqa: F401  # before all others: it sets the threads of numpy

import argparse
import base64
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.config import ROOT
from nmt.data.heldout import HeldOut, read_held_out
from nmt.evaluation.scores import score
from nmt.portable.export import portable
from nmt.portable.file import pack
from nmt.portable.translator import PortableTranslator
from nmt.run import Run, newest_finished
from nmt.translator import Translator
from nmt.web.assemble import bundle
from nmt.web.translator_page import page

FLAGS = ["--no-sandbox", "--disable-gpu"]
OPEN = """async (model) => {
  const translator = await module_translator.Translator.open(module_file.fromBase64(model));
  window.translated = (text) => {
    for (const steps = translator.translate(text); ; ) {
      const { done, value } = steps.next();
      if (done) return value.candidates[0]?.text ?? "";
    }
  };
}"""


class Subject(NamedTuple):
    """An engine with a model: what to send to a user, and how it translates one sentence."""

    size: int  # bytes
    translate: Callable[[str], str]


def engine(translator: Any) -> Callable[[str], str]:
    """Translate one sentence with an engine in Python."""
    return lambda text: str(translator.translate([text])[0].text)


@contextmanager
def in_browser(executable: str, model: bytes) -> Iterator[Callable[[str], str]]:
    """Translate one sentence with the engine of the page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=FLAGS)
        tab = browser.new_page()
        tab.add_script_tag(content=bundle("worker"))
        tab.evaluate(OPEN, base64.b64encode(model).decode())
        yield lambda text: str(tab.evaluate("text => window.translated(text)", text))
        browser.close()


def measure(subjects: dict[str, Subject], sources: Sequence[str]) -> dict[str, tuple[list[str], float]]:
    """The translations of each subject, and its median milliseconds a sentence; each sentence by all, in turn."""
    texts: dict[str, list[str]] = {name: [] for name in subjects}
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for source in sources:
        for name, subject in subjects.items():
            began = time.perf_counter()
            texts[name].append(subject.translate(source))
            times[name].append(1000 * (time.perf_counter() - began))
    return {name: (texts[name], statistics.median(times[name])) for name in subjects}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="run directory (default: the newest finished one)")
    parser.add_argument("--sentences", type=int, help="only the first so many of the test set")
    parser.add_argument("--browser", metavar="FILE", help="a Chromium, such as /usr/bin/chromium (default: none)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    run = Run.open(options.run or newest_finished(ROOT / "outputs"))
    examples = list(read_held_out(run.test_set))[: options.sentences]
    translator = Translator.load(run, "cpu")
    tensors, record = portable(run, translator)
    files = {precision: pack(tensors, record, int8=precision == "int8") for precision in ("fp32", "int8")}
    weights = sum(parameter.numel() for parameter in translator.model.parameters())
    with in_browser(options.browser, files["int8"]) if options.browser else nullcontext() as tab:
        subjects = {"PyTorch": Subject(4 * weights, engine(translator))}
        for precision, content in files.items():
            name = Path(f"{precision}.nmt")
            subjects[f"numpy, {precision}"] = Subject(
                len(content), engine(PortableTranslator.from_content(content, name))
            )
        if tab:
            subjects["browser, int8"] = Subject(len(page(files["int8"]).encode()), tab)
        found = measure(subjects, [example.source for example in examples])
    show(subjects, found, examples)


def show(
    subjects: dict[str, Subject],
    found: dict[str, tuple[list[str], float]],
    examples: Sequence[HeldOut],
) -> None:
    """Print the table."""
    sources, references = [each.source for each in examples], [each.references for each in examples]
    table = Table("engine", "MB", "ms a sentence", "equal texts", "BLEU", "chrF", title=f"{len(sources):,} sentences")
    expected, _ = found["PyTorch"]
    for name, (texts, milliseconds) in found.items():
        equal = sum(one == other for one, other in zip(texts, expected, strict=True))
        scores = score(texts, references, sources, bootstrap=0).metrics
        values = [f"{scores[metric].value:.2f}" for metric in ("bleu", "chrf")]
        table.add_row(name, f"{subjects[name].size / 1e6:.2f}", f"{milliseconds:.1f}", str(equal), *values)
    Console().print(table)


if __name__ == "__main__":
    cli.run(main)
