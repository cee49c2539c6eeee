"""What the engines give of a sentence's translations: plain values that processes can exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nmt.commands.engines import Loaded
from nmt.commands.rendering import as_dict
from nmt.evaluation.links import Link, translation_links
from nmt.translation import Translation


class Job(NamedTuple):
    """One sentence to translate."""

    model: int  # place in the list of models
    sentence: str
    best: int = 1  # translations wanted; fewer come if the beam is narrower
    result: str = "texts"  # key of RESULTS


def texts(loaded: Loaded, sentence: str, found: Sequence[Translation]) -> list[str]:
    """The texts, best first."""
    return [each.text for each in found]


def linked(loaded: Loaded, sentence: str, found: Sequence[Translation]) -> tuple[str, list[Link]]:
    """The best text, and which of its words belongs to which source word; no links without attention."""
    best = found[0]
    return best.text, [] if best.attention is None else translation_links(sentence, best)


def explained(loaded: Loaded, sentence: str, found: Sequence[Translation]) -> dict[str, Any]:
    """Tokens, attention, alignment and confidence of the best translation, and reasons not to rely on it."""
    best = found[0]
    reasons = loaded.known.differences(sentence, max(0, len(best.source_tokens) - 1))
    guessed = best.is_guess(loaded.threshold)
    if guessed:
        reasons.append(f"is translated by guessing (confidence {best.confidence:.2f})")
    alignment = None if best.attention is None else translation_links(sentence, best)
    values = as_dict(best) | {"confidence": round(best.confidence, 6), "alignment": alignment}
    return {"source": sentence, **values, "guessing": guessed, "doubts": reasons}


RESULTS: dict[str, Callable[[Loaded, str, Sequence[Translation]], Any]] = {
    "texts": texts,
    "linked": linked,
    "explained": explained,
}


def work(loaded: Loaded, jobs: Sequence[Job]) -> list[Any]:
    """Translate the sentences of jobs for one model that want equally many translations."""
    engine = loaded.engine
    found = engine.nbest([job.sentence for job in jobs], min(jobs[0].best, engine.search.width))
    return [RESULTS[job.result](loaded, job.sentence, each) for job, each in zip(jobs, found, strict=True)]
