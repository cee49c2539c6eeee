"""The pages of a run in Chromium: sizes, first paint, and frames while the explorer's player is scrubbed."""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from browser import chromium
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.commands.explore import examples, explored
from nmt.config import ROOT
from nmt.data.heldout import read_held_out
from nmt.errors import UserError
from nmt.run import Run, newest_finished
from nmt.web.explorer_page import explorer_page

LENGTHS = (30, 200)  # words of the sentences that are scrubbed
EMPTY = "<!doctype html><title>empty</title><p>0</p>"
# Go through all steps of the player, one a frame; resolves to the times between frames in milliseconds.
SCRUB = """() => new Promise((resolve) => {
  const slider = document.querySelector(".transport input");
  const times = [];
  let [at, last] = [+slider.min, performance.now()];
  const frame = (now) => {
    times.push(now - last);
    last = now;
    slider.value = at++;
    slider.dispatchEvent(new Event("input"));
    if (at <= +slider.max) requestAnimationFrame(frame);
    else resolve(times.slice(2));
  };
  requestAnimationFrame(frame);
})"""
# The same on a page with nothing to draw but a number: what this machine can do.
IDLE = """(count) => new Promise((resolve) => {
  const times = [];
  let last = performance.now();
  const frame = (now) => {
    times.push(now - last);
    last = now;
    document.querySelector("p").textContent = times.length;
    if (times.length < count) requestAnimationFrame(frame);
    else resolve(times.slice(2));
  };
  requestAnimationFrame(frame);
})"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the pages of a run, each several times and in turn, and print medians."""
    options = parse(argv)
    run = Run.open(options.run) if options.run else newest_finished(ROOT / "outputs")
    texts = {words: sentence(run, words) for words in LENGTHS}
    with tempfile.TemporaryDirectory() as folder, chromium() as opened:
        pages = {"explorer": Path(folder) / "explore.html", "report": run.evaluation / "report.html"}
        pages["explorer"].write_text(explorer_page(explored([run.directory]), examples(run.directory)), "utf-8")
        (empty := Path(folder) / "empty.html").write_text(EMPTY, "utf-8")
        paints = {name: [painted(opened, page) for _ in range(options.repeat)] for name, page in pages.items()}
        frames: dict[str, list[float]] = {"an empty page": []}
        costs: dict[str, list[float]] = {}
        for _ in range(options.repeat):
            tab = opened.new_page()
            tab.goto(empty.as_uri())
            frames["an empty page"] += tab.evaluate(IDLE, 100)
            tab.close()
            for words, state in texts.items():
                shape, times, cost = scrubbed(opened, pages["explorer"], state)
                frames.setdefault(name := f"{words} words, {shape} pieces", []).extend(times)
                costs.setdefault(name, []).append(cost)
        show(run.directory.name, {name: page.stat().st_size for name, page in pages.items()}, paints, frames, costs)


def sentence(run: Run, words: int) -> dict[str, str]:
    """Test sentences one after another up to this many words, and their references, which must be written."""
    source: list[str] = []
    reference: list[str] = []
    for entry in cycle(read_held_out(run.test_set)):
        source += entry.source.split()
        reference += entry.references[0].split()
        if len(source) >= words:
            return {"text": " ".join(source[:words]), "begin": " ".join(reference[:words])}
    raise UserError(f"{run.directory} has no test sentences.")


def painted(browser: Any, page: Path) -> float:
    """Milliseconds to the first paint of text in a new window."""
    tab = browser.new_context().new_page()
    tab.goto(page.as_uri())
    for _ in range(100):
        if (time := tab.evaluate(PAINT)) is not None:
            tab.context.close()
            return float(time)
        tab.wait_for_timeout(20)
    raise UserError(f"{page} was not painted within two seconds.")


def scrubbed(browser: Any, page: Path, state: dict[str, str]) -> tuple[str, list[float], float]:
    """Pieces read × written; times between frames (ms); processor time of a frame (ms), without painting."""
    tab = browser.new_page(viewport={"width": 1280, "height": 860})
    tab.goto(f"{page.as_uri()}#{urlencode(state)}")
    tab.wait_for_selector("body[data-busy=false]", timeout=120_000)
    watch = tab.context.new_cdp_session(tab)
    watch.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = {each["name"]: each["value"] for each in watch.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(sum(metrics[f"{part}Duration"] for part in ("Script", "Layout", "RecalcStyle")))

    tab.evaluate(SCRUB)  # to warm up
    before = spent()
    times = tab.evaluate(SCRUB)
    cost = (spent() - before) / len(times)
    shape = " × ".join(str(tab.locator(f".words.{side} li").count()) for side in ("source", "target"))
    tab.close()
    return shape, times, cost


def show(
    run: str,
    sizes: dict[str, int],
    paints: dict[str, list[float]],
    frames: dict[str, list[float]],
    costs: dict[str, list[float]],
) -> None:
    """Print what was measured."""
    table = Table("page", "MB", "first paint, ms", title=run)
    for name, size in sizes.items():
        table.add_row(name, f"{size / 1e6:.2f}", f"{statistics.median(paints[name]):.0f}")
    Console().print(table)
    table = Table("scrubbing", "frames/s", "ms a frame: median", "95 %", "processor ms a frame")
    for name, times in frames.items():
        tail = statistics.quantiles(times, n=20)[-1]
        cost = f"{statistics.median(costs[name]):.1f}" if name in costs else ""
        table.add_row(
            name, f"{1000 / statistics.mean(times):.1f}", f"{statistics.median(times):.1f}", f"{tail:.1f}", cost
        )
    Console().print(table)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="run directory (default: the newest finished run under outputs/)")
    parser.add_argument("--repeat", type=int, default=5, help="how often to measure everything (default: 5)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    cli.run(main)
