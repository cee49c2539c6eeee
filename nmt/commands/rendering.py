"""The output of translate.py for a sentence: plain text, an n-best list, or JSON."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nmt.translation import Engine, Translation

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
        nbest = [_as_dict(candidate, source, options.alignments) for candidate in candidates]
        values = {"source": source, **nbest[0], "guessing": guessed}
        values |= {"nbest": nbest} if options.nbest > 1 else {}
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


def _as_dict(translation: Translation, source: str, alignments: bool) -> dict[str, Any]:
    """A translation as plain values for JSON, with its alignment links if `alignments` is set."""
    if not alignments:
        return as_dict(translation)
    from nmt.evaluation.links import translation_links

    return as_dict(translation) | {"alignment": translation_links(source, translation)}


def as_dict(translation: Translation) -> dict[str, Any]:
    """A translation as plain values for JSON."""
    attention = translation.attention
    return {
        "text": translation.text,
        "score": translation.score,
        "source_tokens": translation.source_tokens,
        "target_tokens": translation.target_tokens,
        "attention": None if attention is None else [[round(w, 6) for w in row] for row in attention.tolist()],
        "words": [{"text": word.text, "confidence": round(word.confidence, 6)} for word in translation.words],
    }
