"""How well a model copies what it cannot translate: numbers, names and addresses that it has never seen.

    python scripts/challenge_copying.py --run outputs/RUN

English sentences with a gap are filled with strings made up on the spot, always the same. A translation passes if it
holds the string as it was, and not as a part of something longer.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from nmt import cli

EXAMPLES = """examples:
  python scripts/challenge_copying.py --run outputs/RUN
  python scripts/challenge_copying.py --run outputs/RUN --style captions --failures 5
"""
SENTENCES = {  # by style, then by kind
    "talk": {
        "number": ["I have {} books.", "The number is {}.", "He was born in {}.", "It costs {} dollars."],
        "name": ["My name is {}.", "I saw {} yesterday.", "{} is my friend.", "Where is {}?"],
        "address": ["Look at {}.", "The address is {}.", "I read it on {}.", "Write to {}."],
    },
    "captions": {
        "number": [
            "A man with the number {} on his shirt is running.",
            "A woman is standing next to a sign with the number {}.",
            "A white car with the number {} is driving on a street.",
            "Two boys in front of house number {}.",
        ],
        "name": [
            "A man named {} is playing a guitar.",
            "A woman is sitting in front of a store called {}.",
            "A boy is wearing a red shirt that says {}.",
            "{} is walking his dog.",
        ],
        "address": [
            "A man is holding a sign that says {}.",
            "A bus with {} on its side is driving down the street.",
            "A woman in a shirt with {} on it is running.",
            "A white van that says {} is parked on a street.",
        ],
    },
}
_SYLLABLES = ["ba", "del", "fi", "gor", "ka", "lin", "mo", "nar", "pel", "ri", "sto", "tu", "vel", "zan"]


def number(chance: random.Random) -> str:
    """Such as 7, 482 or 3915."""
    return str(chance.randrange(10 ** chance.randint(1, 4)))


def name(chance: random.Random) -> str:
    """Such as Gorlin or Velkari."""
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))).capitalize()


def address(chance: random.Random) -> str:
    """Such as www.tuzan.org or nar@moka.com."""
    host = f"{name(chance).lower()}.{chance.choice(['com', 'org', 'net'])}"
    return f"www.{host}" if chance.random() < 0.5 else f"{name(chance).lower()}@{host}"


KINDS: dict[str, Callable[[random.Random], str]] = {"number": number, "name": name, "address": address}


def challenge(style: str, each: int = 25) -> Iterator[tuple[str, str, str]]:
    """Kinds, strings and sentences that hold them: so many strings for each sentence with a gap."""
    chance = random.Random(0)
    for kind, sentences in SENTENCES[style].items():
        for sentence in sentences:
            for _ in range(each):
                string = KINDS[kind](chance)
                yield kind, string, sentence.format(string)


def is_copied(string: str, text: str) -> bool:
    """Whether a text holds a string that no digit or Latin letter makes longer: 14 is no copy of 4.

    Other letters may touch it, as in 我有4本书.
    """
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(string)}(?![0-9A-Za-z])", text) is not None


def scores_by_kind(items: Sequence[tuple[str, str, str]], texts: Sequence[str]) -> dict[str, list[bool]]:
    """For each kind, whether the translation of each of its sentences holds what it should."""
    pairs = list(zip(items, texts, strict=True))
    return {kind: [is_copied(string, text) for (of, string, _), text in pairs if of == kind] for kind in KINDS}


def main() -> None:
    """Translate the challenge, print how much of each kind was copied."""
    options = parse(sys.argv[1:])
    from rich.console import Console
    from rich.table import Table

    from nmt.console import log_to_console
    from nmt.translator import Translator

    log_to_console()
    translator = Translator.load(options.run, options.device)
    items = list(challenge(options.style))
    found = [each.text for each in translator.translate([sentence for _, _, sentence in items])]
    table = Table("kind", "copied", "of", "share", title=f"Copying · {options.style}")
    for kind, passed in scores_by_kind(items, found).items():
        table.add_row(kind, str(sum(passed)), str(len(passed)), f"{sum(passed) / len(passed):.0%}")
    Console().print(table)
    pairs = zip(items, found, strict=True)
    failed = [(sentence, text) for (_, string, sentence), text in pairs if not is_copied(string, text)]
    for sentence, text in random.Random(0).sample(failed, min(options.failures, len(failed))):
        print(f"{sentence}\t{text}")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="challenge_copying.py",
        description="Score how well a model that reads English copies unseen numbers, names and addresses.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", type=Path, action="append", required=True, help="run directory; several: an ensemble")
    parser.add_argument("--style", choices=list(SENTENCES), default="talk", help="kind of sentences (%(default)s)")
    parser.add_argument("--failures", type=cli.positive, default=0, metavar="N", help="also print so many failures")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    cli.run(main)
