"""A translation explained step by step: attention weights and the likeliest tokens.

The numbers are computed again, by force-decoding the finished translation, so any model can be explained, with
attention or without. Shapes: S source length.
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from nmt.data.cleaning import clean
from nmt.evaluation.text_bar import cell_width, text_bar
from nmt.search_settings import NEVER, SearchSettings
from nmt.special import WORD_START
from nmt.translation import Engine, Translation

SHOWN = 5  # source pieces and next tokens per step
NUMBERS = 4  # of a vector
_WIDTH = 88  # of running text
_BAR_CELLS = 10

LOOKS_AT, OF_HEAD, ENERGY, NEXT_TOKEN = "looks at", "head 1 looks at", "energy", "next token"
# The five steps of attention, by the names that tutorials give them: s is the decoder's state, h a source piece's.
ATTENTION = (
    "Score: every source piece gets an energy. {score}",
    "Softmax: the energies become the weights under “looks at”{heads}. {alignment}",
    "Weigh: what the encoder knows of each piece is multiplied by the piece's weight.",
    "Sum: added up, it is the context.",
    "Combine: context and state give the probabilities under “next token”. {wiring}",
)
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
class Worked:
    """A context as the sum that it is; of the first head where there are several."""

    terms: list[tuple[int, float, list[float]]]  # of source pieces: number, weight and first numbers of the value
    rest: list[float]  # first numbers of the sum over all other pieces
    total: list[float]  # first numbers of the context
    size: int  # of the context
    others: int  # pieces that are summed in `rest`
    heads: int | None  # None for a score without heads


@dataclass(frozen=True)
class Step:
    """One step of the decoder."""

    written: str  # text so far
    weights: list[float] | None  # (S,) attention, the mean over heads, None without
    energies: list[float] | None  # (S,) that the weights were made from; None without attention
    of_head: list[float] | None  # (S,) weights of the first head, whose energies these are; None without heads
    worked: Worked | None  # None without attention
    candidates: list[Candidate]  # likeliest first; the one chosen is always among them
    log_probability: float  # of the token chosen
    must_end: bool  # whether the length limit left no choice


@dataclass(frozen=True)
class Explanation:
    """A translation with the steps that led to it."""

    translation: Translation
    steps: list[Step]
    search: SearchSettings
    formulas: dict[str, dict[str, str]]  # of score, alignment, context and wiring (`nmt.model.formulas`)

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
        return Explanation(translation, [], search, {})
    limit = search.longest(len(translation.source_ids))
    steps: list[Step] = []
    source, inspected = translator.inspect(translation.source_ids, ids)
    for t, (token, (log_probs, weights, marks)) in enumerate(zip(ids, inspected, strict=True)):
        # As in the search: forbidden tokens keep their share of the probability.
        likely = log_probs.copy()
        likely[NEVER] = -np.inf
        best = np.argsort(-likely, kind="stable")[: min(SHOWN, len(likely) - len(NEVER))].tolist()
        best = best if token in best else [*best, token]
        written, attention = clean(tokenizer.decode(ids[:t])), None if weights is None else weights.tolist()
        candidates = [Candidate(tokenizer.pieces([i])[0], math.exp(log_probs[i]), i == token) for i in best]
        energies, of_head = _first(marks.get("energies")), None
        if "weights" in marks and marks["weights"].ndim == 2:
            of_head = _first(marks["weights"])
        worked = _worked(marks["weights"], source["values"]) if "weights" in marks else None
        log_prob, must_end = float(log_probs[token]), t + 1 >= limit
        steps.append(Step(written, attention, energies, of_head, worked, candidates, log_prob, must_end))
    return Explanation(translation, steps, search, translator.formulas())


def _first(numbers: np.ndarray | None) -> list[float] | None:
    """Numbers (S,), or those of the first head of (K, S)."""
    if numbers is None:
        return None
    row: list[float] = numbers.reshape(-1, numbers.shape[-1])[0].tolist()
    return row


def _worked(weights: np.ndarray, values: np.ndarray) -> Worked:
    """The context of weights (S,) and values (S, C), or of the first head of (K, S) and (K, S, C/K)."""
    heads = len(weights) if weights.ndim == 2 else None
    if heads is not None:
        weights, values = weights[0], values[0]
    best = np.argsort(-weights, kind="stable")[:SHOWN]
    context, shown = weights @ values, weights[best] @ values[best]
    terms = [(int(i), float(weights[i]), values[i, :NUMBERS].tolist()) for i in best]
    rest, total = (context - shown)[:NUMBERS].tolist(), context[:NUMBERS].tolist()
    return Worked(terms, rest, total, len(context), len(weights) - len(best), heads)


def as_text(explanation: Explanation) -> str:
    """An explanation as plain text: the source, every step, and the score."""
    translation = explanation.translation
    if not explanation.steps:
        return "Nothing to translate.\n"
    source = [f"{number} {readable(piece)}" for number, piece in enumerate(translation.source_tokens)]
    text = "".join(translation.source_tokens[:-1]).replace(WORD_START, " ").strip()
    parts = [text, "", f"The source in {len(source)} pieces (▁ begins a word):", _wrapped(*source)]
    tokens = [readable(candidate.piece) for step in explanation.steps for candidate in step.candidates]
    looks_at = _looks_at(explanation.steps[0])
    widths = max(map(cell_width, [looks_at, *source])), max(map(cell_width, [NEXT_TOKEN, *tokens]))
    for number, step in enumerate(explanation.steps, start=1):
        so_far = f"written so far: “{step.written}”" if number > 1 else "nothing written yet"
        parts += ["", f"Step {number} · {so_far}"]
        if number == 1:
            parts += [_wrapped(line) for line in _mechanism(explanation.formulas, bool(step.of_head))]
        parts += _rows(step, source, widths)
        if number == 1 and step.worked is not None:
            parts += _context(step.worked, source)
        if note := _note(step, explanation.search):
            parts.append(_wrapped(note))
    return "\n".join([*parts, "", translation.text, *_score(explanation), ""])


def _mechanism(formulas: Mapping[str, Mapping[str, str]], has_heads: bool) -> list[str]:
    """The five steps of attention, with the formulas of the model's parts: the first lines of their docstrings."""
    if "score" not in formulas:
        return [NO_ATTENTION]
    first = {role: part["text"].partition("\n")[0] for role, part in formulas.items()}
    first["score"] += f" {first['inner']}" if "inner" in first else ""
    heads = ", in each head by itself" if has_heads else ""
    return [f"({i}) {line.format(**first, heads=heads)}" for i, line in enumerate(ATTENTION, start=1)]


def _rows(step: Step, source: Sequence[str], widths: tuple[int, int]) -> list[str]:
    """The largest attention weights beside the likeliest tokens."""
    right = [_row(NEXT_TOKEN, None, widths[1])]
    for candidate in step.candidates:
        mark = " ← chosen" if candidate.chosen else ""
        right.append(_row(readable(candidate.piece), candidate.probability, widths[1]) + mark)
    if step.weights is None:
        return [f"  {row}".rstrip() for row in right]
    best = sorted(enumerate(step.of_head or step.weights), key=lambda item: -item[1])[:SHOWN]
    energies = [ENERGY, *(f"{step.energies[number]:.3f}" for number, _ in best)] if step.energies else []
    column = max(map(len, energies), default=0)
    cells = [f" {energy:>{column}}" for energy in energies] or [""] * (len(best) + 1)
    labels = [(_looks_at(step), None), *((source[number], weight) for number, weight in best)]
    left = [_row(label, share, widths[0], cell) for (label, share), cell in zip(labels, cells, strict=True)]
    nothing = _row("", None, widths[0], " " * len(cells[0]))
    return [f"  {one}    {other}".rstrip() for one, other in zip_longest(left, right, fillvalue=nothing)]


def _looks_at(step: Step) -> str:
    """The heading of the weights that are shown."""
    return OF_HEAD if step.of_head else LOOKS_AT


def _row(label: str, share: float | None, width: int, before: str = "") -> str:
    """A label, and a share of one as a number and a bar; all rows are equally wide."""
    padded = label + " " * (width - cell_width(label)) + before  # in cells: a Chinese character takes two
    return f"{padded} {'' if share is None else f'{share:.3f}':5} {text_bar(share or 0.0, _BAR_CELLS):{_BAR_CELLS}}"


def _context(worked: Worked, source: Sequence[str]) -> list[str]:
    """The sum that makes a context, with the first numbers of its vectors."""
    of_head = "" if worked.heads is None else f", of the first of {worked.heads} heads"
    shown = min(NUMBERS, worked.size)
    lines = [f"  (3) and (4) with numbers: the context{of_head}, the first {shown} of its {worked.size} numbers"]
    for place, (number, weight, values) in enumerate(worked.terms):
        lines.append(f"  {'+' if place else ' '} {weight:.3f} × {_vector(values)}  {source[number]}")
    if worked.others:
        lines.append(f"  +         {_vector(worked.rest)}  the other {worked.others}")
    return [*lines, f"  =         {_vector(worked.total)}"]


def _vector(numbers: Sequence[float]) -> str:
    return f"({', '.join(f'{number:6.3f}' for number in numbers)} …)"


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
