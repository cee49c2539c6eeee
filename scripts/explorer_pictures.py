"""Draw the pictures of docs/explorer.md with Chromium: `python scripts/explorer_pictures.py --run outputs/RUN`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from browser import chromium

from nmt import cli
from nmt.commands.explore import examples, explored
from nmt.config import ROOT
from nmt.web.explorer_page import explorer_page

SENTENCE = "Emma doesn't see the black cat anymore."
# Name → state of the page, and the size of the window.
PICTURES: dict[str, tuple[dict[str, str | int], tuple[int, int]]] = {
    "explorer": ({"text": "They are watching.", "at": 2, "unfold": "w2"}, (1200, 1080)),
    "explorer-beam": ({"text": SENTENCE, "view": "beam"}, (1200, 1000)),
    "explorer-whatif": ({"text": SENTENCE, "view": "whatif", "at": 6, "look": "6:uniform"}, (1200, 860)),
}
COLOURS = 96  # of the palette
# Of the moving picture: its sentence, milliseconds for each step, and its window.
PLAYED, MOMENT = "She has a red car.", 900
WINDOW: Any = {"width": 860, "height": 900}


def main(argv: Sequence[str] | None = None) -> None:
    """Draw all pictures of a run."""
    from PIL import Image

    options = parse(argv)
    with tempfile.TemporaryDirectory() as folder, chromium() as opened:
        (page_file := Path(folder) / "page.html").write_text(
            explorer_page(explored([options.run]), examples(options.run), tour=True), encoding="utf-8"
        )
        for name, (state, (width, height)) in PICTURES.items():
            page = opened.new_page(viewport={"width": width, "height": height})
            page.goto(f"{page_file.as_uri()}#{urlencode(state)}")
            page.wait_for_selector("body[data-busy=false]")
            page.wait_for_timeout(1000)  # images of strips are decoded a moment later
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
            output = options.output / f"{name}.png"
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(output, optimize=True)
            print(output)
        output = options.output / "explorer.gif"
        frames = [Image.open(BytesIO(frame)) for frame in played(opened.new_page(viewport=WINDOW), page_file)]
        first, *rest = [frame.convert("RGB").quantize(32, dither=Image.Dither.NONE) for frame in frames]
        times = [MOMENT] * len(rest) + [4 * MOMENT]
        first.save(output, save_all=True, append_images=rest, duration=times, loop=0, optimize=True)
        print(output)


def played(page: Any, page_file: Path) -> Iterator[bytes]:
    """The picture of a sentence after each step of the decoder."""
    page.goto(f"{page_file.as_uri()}#{urlencode({'text': PLAYED, 'at': 1})}")
    page.wait_for_selector("body[data-busy=false]")
    while True:
        page.wait_for_timeout(300)
        yield page.locator(".look > .card").screenshot()
        if page.locator(".transport.ended").count():
            return
        page.keyboard.press("ArrowRight")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="run directory or exported file")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/images", help="folder (default: docs/images)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    cli.run(main)
