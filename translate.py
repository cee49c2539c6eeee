"""Translate text with a trained model: `python translate.py "They are watching."`.

Translations go to stdout, one line for each line in, in order; everything else goes to stderr.
"""

from __future__ import annotations

import argparse
import codecs
import io
import json
import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from nmt import cli
from nmt.errors import UserError

LINES_TOGETHER = 2048  # read before the first is translated
ATTENTION_TOGETHER = 2**29  # bytes; the attention of these lines takes no more, even if a model never finds an end
LONG_LINE = 1000  # bytes; nothing beyond so many tokens of a line is translated
MAX_LINE_BYTES = 2**20  # what is beyond is not even read into memory
NAMED = 5  # of the lines that are not taken as they came, so many are named and the others counted
# str.splitlines, and programs like it, would break a line of JSON at these.
LINE_BREAKS = str.maketrans({character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"})

EXAMPLES = """examples:
  python translate.py "They are watching."
  python translate.py --heatmap attention.png "They are watching."
  python translate.py --explain "They are watching."
  python translate.py --alignments "They are watching."
  python translate.py --beam 10 --nbest 3 --json "They are watching."
  python translate.py --run outputs/A --run outputs/B "They are watching."
  cat sentences.txt | python translate.py > translations.txt
  some-program | python translate.py --interactive
"""


def main() -> None:
    """Read the command line, load a run, translate."""
    options = parse(sys.argv[1:])
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # whatever the locale: what came in goes out
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    # Imported late: --help and a mistyped option answer at once.
    from nmt.config import ROOT
    from nmt.familiar import Familiar
    from nmt.run import Run, newest_finished
    from nmt.translator import Translator

    runs = [Run.open(run) for run in options.run or [newest_finished(ROOT / "outputs")]]
    if options.run is None:
        print(f"run: {runs[0].directory}", file=sys.stderr)
    chosen = {
        "beam_size": options.beam,
        "length_penalty": options.length_penalty,
        "batch_tokens": options.batch_tokens,
    }
    overrides = {name: value for name, value in chosen.items() if value is not None}
    translator = Translator.load_all(runs, options.device, **overrides)
    if options.nbest > translator.settings.beam_size:
        raise UserError(f"--nbest {options.nbest} needs a beam as wide: add --beam {options.nbest}.")
    familiar, doubtful = Familiar.of(runs[0]), 0
    gallery = None
    if options.heatmap:
        from nmt.evaluation.gallery import Gallery  # with matplotlib, which only pictures need

        direction = runs[0].config.data.direction()
        gallery = Gallery(options.heatmap, (direction.source, direction.target), words=not options.pieces)

    lines = read_lines(options)
    # Whoever waits for each answer gets it; all others are faster in chunks, which are sorted by length.
    waiting = not options.text and not options.file and sys.stdin.isatty()
    size = 1 if options.interactive or waiting else LINES_TOGETHER
    number = 0
    for chunk in chunks(lines, size, options.nbest):
        if gallery:
            gallery.expect(chunk)
        for source, candidates in zip(chunk, translator.translate(chunk, options.nbest), strict=True):
            number += 1
            if doubts := familiar.doubts(source, len(candidates[0].source_tokens) - 1):
                doubtful += 1
                if doubtful <= NAMED:
                    notice = f"Sentence {number} {', and '.join(doubts)}: do not rely on its translation."
                    print(notice, file=sys.stderr)
            if gallery and candidates[0].source_tokens:
                path = gallery.add(candidates[0])
                print(f"heatmap: {path}", file=sys.stderr)
            if options.explain:
                from nmt.evaluation.explain import as_text, explain

                print(as_text(explain(translator, candidates[0])))
            else:
                print(render(source, candidates, number, options, translator))
        sys.stdout.flush()
    if doubtful > NAMED:
        print(f"{doubtful} of {number} sentences are so unlike the training data.", file=sys.stderr)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="translate.py",
        description="Translate text with a trained model; lines of stdin if no text and no file is given.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("text", nargs="*", help="sentences to translate")
    parser.add_argument("--file", type=Path, action="append", help="translate the lines of this file")
    parser.add_argument(
        "--run",
        type=Path,
        action="append",
        help="run directory (default: the newest finished one under outputs/); several make an ensemble",
    )
    parser.add_argument("--beam", type=cli.positive, help="beam size (default: the run's; 1 is greedy)")
    parser.add_argument(
        "--length-penalty", type=float, help="score = log p / length^penalty: higher is longer (default: the run's)"
    )
    parser.add_argument("--nbest", type=cli.positive, default=1, help="translations per sentence: number, score, text")
    parser.add_argument(
        "--batch-tokens", type=cli.positive, help="hypotheses × source tokens at once; changes speed, never results"
    )
    parser.add_argument(
        "--interactive", action="store_true", help="answer each line as it comes (always so at a terminal)"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="a JSON object per line: text, score, words with confidence, tokens, attention",
    )
    parser.add_argument(
        "--samples",
        type=cli.positive,
        metavar="N",
        help="with --json: the words' confidence as mean and spread over N samples of dropout",
    )
    parser.add_argument(
        "--alignments",
        action="store_true",
        help="after each translation, a tab and which source word each of its words looked at: 0-0 1-2",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show each step of the decoder: where it looked, which tokens it weighed up, how the score came about",
    )
    parser.add_argument(
        "--heatmap",
        type=Path,
        metavar="FILE|DIR",
        help="draw the attention: a .png, .svg or .pdf, or a directory",
    )
    parser.add_argument("--pieces", action="store_true", help="draw the model's pieces instead of whole words")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    options = parser.parse_args(arguments)
    if options.text and options.file:
        parser.error("give text or --file, not both")
    if options.samples and not (options.json and len(options.run or [1]) == 1):
        parser.error("--samples adds to what --json tells of one model: give it with --json and one --run")
    if options.explain and len(options.run or []) > 1:
        parser.error("--explain tells what one model did: give it with one --run")
    if options.explain and (options.json or options.alignments or options.nbest > 1):
        parser.error(
            "--explain is for reading, one translation at a time: give it without --json, --alignments, --nbest"
        )
    return options


def read_lines(options: argparse.Namespace) -> Iterator[str]:
    """The lines to translate, as they come."""
    if options.text:
        for text in options.text:
            # Bytes that are not UTF-8 arrive as surrogates: back to bytes, to be decoded like all others.
            yield from decode(io.BytesIO(text.encode("utf-8", "surrogateescape") + b"\n"), "the command line")
    elif options.file:
        for path in options.file:
            if not path.is_file():
                raise UserError(f"{path} does not exist: name a text file with one sentence a line.")
            with path.open("rb") as file:
                yield from decode(file, str(path))
    else:
        yield from decode(sys.stdin.buffer, "standard input")


def decode(stream: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a stream without their ends; whatever they hold, each becomes a text, with a notice if need be."""
    number = mended = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        problems = []
        whole = line.endswith(b"\n") or not skip_to_end_of_line(stream)
        if not whole:
            problems.append("longer than 1 MiB, and cut there")
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        try:
            text, _ = codecs.utf_8_decode(line, "strict", whole)  # a character that was cut in two is left out
        except UnicodeDecodeError:
            text, _ = codecs.utf_8_decode(line, "replace", whole)
            problems.append("not valid UTF-8, with \N{REPLACEMENT CHARACTER} for what cannot be read")
        if problems:
            mended += 1
            if mended <= NAMED:
                print(f"{name}, line {number} is {' and '.join(problems)}.", file=sys.stderr)
        yield text
    if mended > NAMED:
        print(f"{name}: {mended} such lines of {number}.", file=sys.stderr)


def skip_to_end_of_line(stream: IO[bytes]) -> bool:
    """Read on without keeping anything; tells whether there was more of the line."""
    more = False
    while (rest := stream.readline(MAX_LINE_BYTES)) not in (b"", b"\n"):
        more = True
        if rest.endswith(b"\n"):
            break
    return more


def chunks(lines: Iterable[str], size: int, nbest: int) -> Iterator[list[str]]:
    """Lines to be translated together: at most `size`, and fewer if they are long."""
    chunk: list[str] = []
    memory = 0
    for line in lines:
        chunk.append(line)
        # No text has more tokens than bytes. Attention, in 4 bytes, has a row for each token of a translation,
        # which is rarely longer than twice its source, and a column for each of the source.
        memory += nbest * 4 * 2 * min(len(line.encode()), LONG_LINE) ** 2
        if len(chunk) == size or memory >= ATTENTION_TOGETHER:
            yield chunk
            chunk, memory = [], 0
    if chunk:
        yield chunk


def render(source: str, candidates: list[Any], number: int, options: argparse.Namespace, translator: Any) -> str:
    """What stdout gets for one line of input."""
    if options.json:
        found = [
            as_dict(candidate, source, options.alignments) | {"words": words(candidate, options.samples, translator)}
            for candidate in candidates
        ]
        more = {"nbest": found} if options.nbest > 1 else {}
        return json.dumps({"source": source, **found[0], **more}, ensure_ascii=False).translate(LINE_BREAKS)
    lines = [as_line(candidate, source, options.alignments) for candidate in candidates]
    if options.nbest > 1:
        scored = zip(candidates, lines, strict=True)
        return "\n".join(f"{number}\t{candidate.score:.4f}\t{line}" for candidate, line in scored)
    return lines[0]


def as_line(translation: Any, source: str, alignments: bool) -> str:
    """A translation as text, with its links if asked."""
    if not alignments:
        return str(translation.text)
    from nmt.evaluation.links import format_links, translation_links

    return f"{translation.text}\t{format_links(translation_links(source, translation))}"


def as_dict(translation: Any, source: str, alignments: bool) -> dict[str, Any]:
    """A translation as plain values."""
    attention = translation.attention
    values = {
        "text": translation.text,
        "score": translation.score,
        "source_tokens": translation.source_tokens,
        "target_tokens": translation.target_tokens,
        "attention": None if attention is None else [[round(w, 6) for w in row] for row in attention.tolist()],
    }
    if alignments:
        from nmt.evaluation.links import translation_links

        values["alignment"] = translation_links(source, translation)
    return values


def words(translation: Any, samples: int | None, translator: Any) -> list[dict[str, Any]]:
    """The words of a translation, with how sure the model is of each."""
    from nmt.evaluation.confidence import sampled_confidence, word_confidence

    if samples is None:
        return [{"text": word.text, "confidence": round(word.confidence, 6)} for word in word_confidence(translation)]
    return [
        {"text": word.text, "confidence": round(word.confidence, 6), "spread": round(word.spread or 0.0, 6)}
        for word in sampled_confidence(translator, translation, samples)
    ]


if __name__ == "__main__":
    cli.run(main)
