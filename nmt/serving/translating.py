"""Whole texts, plain or HTML, by way of their sentences."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from nmt.evaluation.links import Link
from nmt.serving.jobs import Jobs
from nmt.serving.markup import Passage, Placing, Word, elements, passages
from nmt.serving.results import Job
from nmt.serving.sentences import cut

_WORD = re.compile(r"\S+")


class Texts:
    """Translates texts with the jobs of an engine."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs

    async def translate(self, model: int, texts: Sequence[str], alternatives: int) -> list[list[str]]:
        """The translations of each text, best first: up to one more than `alternatives`."""
        parts = [cut(text) for text in texts]
        sentences = [sentence for part in parts for sentence in part.sentences]
        found = await self._sentences(Job(model, "", alternatives + 1, "texts"), sentences)
        results = []
        for part in parts:
            candidates = [found[sentence] for sentence in part.sentences]
            number = max(map(len, candidates), default=1)
            whole = [part.joined([each[min(i, len(each) - 1)] for each in candidates]) for i in range(number)]
            results.append(list(dict.fromkeys(whole)))
        return results

    async def translate_html(self, model: int, texts: Sequence[str]) -> list[str]:
        """The translation of each text, with its tags."""
        documents = [list(passages(text)) for text in texts]
        sentences = [each for document in documents for passage in document for each in cut(passage.text).sentences]
        found = await self._sentences(Job(model, "", 1, "linked"), sentences)
        return ["".join(_translated(passage, found) for passage in document) for document in documents]

    async def explain(self, model: int, text: str) -> list[dict[str, Any]]:
        """How each sentence of a text was translated."""
        sentences = cut(text).sentences
        found = await self._sentences(Job(model, "", 1, "explained"), sentences)
        return [found[sentence] for sentence in sentences]

    async def _sentences(self, job: Job, sentences: Sequence[str]) -> dict[str, Any]:
        """Do a job for every sentence, a few at a time, so that the requests of others get their turn."""
        results: dict[str, Any] = {}
        waiting = iter(dict.fromkeys(sentences))

        async def work() -> None:
            for sentence in waiting:
                results[sentence] = await self.jobs.run(job._replace(sentence=sentence))

        tasks = [asyncio.ensure_future(work()) for _ in range(min(self.jobs.capacity, len(sentences)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return results


def _translated(passage: Passage, found: dict[str, tuple[str, list[Link]]]) -> str:
    """A passage with its sentences translated and its markup around the words that it belongs to."""
    part = cut(passage.text)
    if not part.sentences:
        return passage.unchanged()
    words: list[Word] = []
    offset = len(part.gaps[0])
    translations = [found[sentence][0] for sentence in part.sentences]
    gaps = part.joined_gaps(translations)
    for sentence, gap, source_gap in zip(part.sentences, gaps[1:], part.gaps[1:], strict=True):
        text, links = found[sentence]
        words += _words(text, gap, [match.span() for match in _WORD.finditer(sentence)], links, offset)
        offset += len(sentence) + len(source_gap)
    return Placing(words, passage.text).text(elements(passage.marks), part.gaps[0]) + passage.after


def _words(text: str, gap: str, source: list[tuple[int, int]], links: list[Link], offset: int) -> list[Word]:
    """The words of a sentence, with the source words that they are linked to; without links, those in their order."""
    parts = text.split()
    by_target = {target: link for link, target in links if link < len(source)}
    if not by_target:
        by_target = {i: i * len(source) // len(parts) for i in range(len(parts))}
    words = []
    for i, part in enumerate(parts):
        span = source[by_target[i]] if i in by_target else None
        place = None if span is None else (span[0] + offset, span[1] + offset)
        words.append(Word(part, " " if i + 1 < len(parts) else gap, place))
    return words
