"""A translation explained step by step: attention weights and the likeliest tokens.

The numbers are computed again, by force-decoding the finished translation, so any model can be explained, with
attention or without. Shapes: S source length.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from nmt.data.cleaning import clean
from nmt.evaluation.text_bar import cell_width, text_bar
from nmt.search_settings import NEVER, SearchSettings
from nmt.special import WORD_START
from nmt.translation import Engine, Translation

SHOWN = 5  # source pieces and next tokens per step
_WIDTH = 88  # of running text
_BAR_CELLS = 10

LOOKS_AT, NEXT_TOKEN = "looks at", "next token"
NO_ATTENTION = (
    "This model has no attention: all it ever knows of the source is one vector, the same at every step. So there is "
    "nothing to look at, only the probabilities under “next token”."
)


@dataclass(frozen=True)
class Candidate:
    """A token that could have come next."""

    piece: str
    probability: float
    chosen: bool


@dataclass(frozen=True)
class Step:
    """One step of the decoder."""

    written: str  # text so far
    weights: list[float] | None  # (S,) attention, None without
    candidates: list[Candidate]  # likeliest first; the one chosen is always among them
    log_probability: float  # of the token chosen
    must_end: bool  # whether the length limit left no choice


@dataclass(frozen=True)
class Explanation:
    """A translation with the steps that led to it."""

    translation: Translation
    steps: list[Step]
    search: SearchSettings
    mechanism: list[str]  # what the model's attention does; empty without attention

    @property
    def log_probability(self) -> float:
        """Log probability of the whole translation."""
        return sum(step.log_probability for step in self.steps)

    @property
    def score(self) -> float:
        """The score that the search ranks by: log p / length^penalty."""
        return self.log_probability / len(self.steps) ** self.search.length_penalty


def explain(translator: Engine, translation: Translation) -> Explanation:
    """Force-decode a translation and record each step."""
    ids, search, tokenizer = translation.target_ids, translator.search, translator.target_tokenizer
    if not ids:
        return Explanation(translation, [], search, [])
    limit = search.longest(len(translation.source_ids))
    steps: list[Step] = []
    for t, (token, inspected) in enumerate(
        zip(ids, translator.inspect(translation.source_ids, ids).steps, strict=True)
    ):
        log_probs, weights, _ = inspected
        # As in the search: forbidden tokens keep their share of the probability.
        likely = log_probs.copy()
        likely[NEVER] = -np.inf
        best = np.argsort(-likely, kind="stable")[: min(SHOWN, len(likely) - len(NEVER))].tolist()
        best = best if token in best else [*best, token]
        written, attention = clean(tokenizer.decode(ids[:t])), None if weights is None else weights.tolist()
        candidates = [Candidate(tokenizer.pieces([i])[0], math.exp(log_probs[i]), i == token) for i in best]
        steps.append(Step(written, attention, candidates, float(log_probs[token]), must_end=t + 1 >= limit))
    return Explanation(translation, steps, search, translator.mechanism())


def as_text(explanation: Explanation) -> str:
    """An explanation as plain text: the source, every step, and the score."""
    translation = explanation.translation
    if not explanation.steps:
        return "Nothing to translate.\n"
    source = [f"{number} {readable(piece)}" for number, piece in enumerate(translation.source_tokens)]
    text = "".join(translation.source_tokens[:-1]).replace(WORD_START, " ").strip()
    parts = [text, "", f"The source in {len(source)} pieces (▁ begins a word):", _wrapped(*source)]
    tokens = [readable(candidate.piece) for step in explanation.steps for candidate in step.candidates]
    widths = max(map(cell_width, [LOOKS_AT, *source])), max(map(cell_width, [NEXT_TOKEN, *tokens]))
    for number, step in enumerate(explanation.steps, start=1):
        so_far = f"written so far: “{step.written}”" if number > 1 else "nothing written yet"
        parts += ["", f"Step {number} · {so_far}"]
        if number == 1:
            lines = [f"({i}) {line}" for i, line in enumerate(explanation.mechanism, start=1)]
            parts += [_wrapped(line) for line in lines or [NO_ATTENTION]]
        parts += _rows(step, source, widths)
        if note := _note(step, explanation.search):
            parts.append(_wrapped(note))
    return "\n".join([*parts, "", translation.text, *_score(explanation), ""])


def _rows(step: Step, source: Sequence[str], widths: tuple[int, int]) -> list[str]:
    """The largest attention weights beside the likeliest tokens."""
    right = [_row(NEXT_TOKEN, None, widths[1])]
    for candidate in step.candidates:
        mark = " ← chosen" if candidate.chosen else ""
        right.append(_row(readable(candidate.piece), candidate.probability, widths[1]) + mark)
    if step.weights is None:
        return [f"  {row}".rstrip() for row in right]
    best = sorted(enumerate(step.weights), key=lambda item: -item[1])[:SHOWN]
    left = [_row(LOOKS_AT, None, widths[0]), *(_row(source[number], weight, widths[0]) for number, weight in best)]
    nothing = _row("", None, widths[0])
    return [f"  {one}    {other}".rstrip() for one, other in zip_longest(left, right, fillvalue=nothing)]


def _row(label: str, share: float | None, width: int) -> str:
    """A label, and a share of one as a number and a bar; all rows are equally wide."""
    padded = label + " " * (width - cell_width(label))  # in cells: a Chinese character takes two
    return f"{padded} {'' if share is None else f'{share:.3f}':5} {text_bar(share or 0.0, _BAR_CELLS):{_BAR_CELLS}}"


def _note(step: Step, search: SearchSettings) -> str:
    """Why the chosen token was not the likeliest, if so."""
    if step.candidates[0].chosen:
        return ""
    if step.must_end:
        return "The translation was as long as decode.max_length_ratio and max_length_extra allow: it could only end."
    return f"Not the likeliest token here. {search.other_choice}"


def _score(explanation: Explanation) -> list[str]:
    length, penalty = len(explanation.steps), f"{explanation.search.length_penalty:g}"
    terms = " + ".join(f"({step.log_probability:.3f})" for step in explanation.steps)
    return [
        _wrapped(f"log p = {terms} = {explanation.log_probability:.4f}, summed over its {length} tokens"),
        _wrapped(f"score = log p / {length}^{penalty} = {explanation.score:.4f} (decode.length_penalty={penalty})"),
    ]


def readable(piece: str) -> str:
    """A piece for the terminal: partial bytes and unprintable characters are named."""
    if piece in ("", "\ufffd"):
        return "(byte)"
    return "".join(c if c.isprintable() and not c.isspace() else f"(U+{ord(c):04X})" for c in piece)


def _wrapped(*parts: str) -> str:
    """Wrap text in indented lines; with several parts, lines break between them only."""
    whole = "   ".join(part.replace(" ", "\xa0") for part in parts) if len(parts) > 1 else parts[0]
    filled = textwrap.fill(whole, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return filled.replace("\xa0", " ")
