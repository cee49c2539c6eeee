"""The output of translate.py for a sentence: plain text, an n-best list, or JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nmt.translation import Engine, Translation, Word

# str.splitlines, and programs like it, would break a line of JSON at these.
_LINE_BREAKS = str.maketrans({character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"})


def render(
    source: str,
    candidates: list[Translation],
    number: int,
    options: argparse.Namespace,
    translator: Engine,
    guessed: bool | None,
) -> str:
    """Format the translations of one sentence by the options; `guessed` says whether the best one is a guess."""
    if options.explain:
        from nmt.evaluation.explain import as_text, explain

        return as_text(explain(translator, candidates[0]))
    if options.json:
        found = [_as_dict(candidate, source, options, translator) for candidate in candidates]
        values = {"source": source, **found[0], "guessing": guessed}
        values |= {"nbest": found} if options.nbest > 1 else {}
        return json.dumps(values, ensure_ascii=False).translate(_LINE_BREAKS)
    lines = [_as_line(candidate, source, options.alignments) for candidate in candidates]
    if options.nbest > 1:
        scored = zip(candidates, lines, strict=True)
        return "\n".join(f"{number}\t{candidate.score:.4f}\t{line}" for candidate, line in scored)
    return lines[0]


def _as_line(translation: Translation, source: str, alignments: bool) -> str:
    """A translation as text, with its alignment links if `alignments` is set."""
    if not alignments:
        return translation.text
    from nmt.evaluation.links import format_links, translation_links

    return f"{translation.text}\t{format_links(translation_links(source, translation))}"


def _as_dict(translation: Translation, source: str, options: argparse.Namespace, translator: Engine) -> dict[str, Any]:
    """A translation as plain values for JSON, with what the options ask for."""
    alignment = {}
    if options.alignments:
        from nmt.evaluation.links import translation_links

        alignment["alignment"] = translation_links(source, translation)
    words = None
    if options.samples:
        from nmt.evaluation.confidence import sampled_confidence
        from nmt.translator import Translator

        assert isinstance(translator, Translator), "--samples needs PyTorch"
        words = sampled_confidence(translator, translation, options.samples)
    return as_dict(translation, words) | alignment


def as_dict(translation: Translation, words: Sequence[Word] | None = None) -> dict[str, Any]:
    """A translation as plain values for JSON; `words` may have other confidences than its own."""
    attention = translation.attention
    return {
        "text": translation.text,
        "score": translation.score,
        "source_tokens": translation.source_tokens,
        "target_tokens": translation.target_tokens,
        "attention": None if attention is None else [[round(w, 6) for w in row] for row in attention.tolist()],
        "words": [
            {"text": word.text, "confidence": round(word.confidence, 6)}
            | ({} if word.spread is None else {"spread": round(word.spread, 6)})
            for word in (translation.words if words is None else words)
        ],
    }
