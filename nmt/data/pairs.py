"""The training pairs of each epoch: as stored, or with made-up words that are new in every epoch."""

import random
from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from nmt.data.batching import Batch, Indices, Plan, collate
from nmt.data.lexicon import Lexicon, Pair
from nmt.data.madeup import with_made_up_word
from nmt.data.store import Replaced, Sequences, TokenStore, part
from nmt.data.tokenizer import Tokenizer

_SAMPLE = 50_000  # pairs that the lexicon is learnt from
_BLOCK = 4096  # pairs that are read or encoded together

Sides = tuple[Sequences, Sequences]  # some pairs: their sources and their targets


class TrainingPairs:
    """Serves the batches of the current epoch by pair numbers."""

    def __init__(
        self,
        store: TokenStore,
        tokenizers: tuple[Tokenizer, Tokenizer],  # of the source and of the target
        plan: Callable[[TokenStore], Plan],  # of an epoch: made-up words change the lengths of sentences
        made_up_words: float = 0.0,  # share of pairs with a word and its translation replaced by a made-up string
        seed: int = 0,  # of the made-up words, which depend on the seed and the epoch alone
        place: Callable[[Batch], Any] = lambda batch: batch,  # moves a batch to its device
    ) -> None:
        self._stored = self._current = store
        self._tokenizers, self._plan, self._place = tokenizers, plan, place
        self._made_up_words, self._seed = made_up_words, seed
        self._begun: tuple[int, list[Indices]] | None = None  # the epoch under way and its batches

    def epoch(self, epoch: int) -> list[Indices]:
        """Begin an epoch and return its batches as pair numbers."""
        if self._begun is None or self._begun[0] != epoch:
            self._begun = None  # frees the last epoch before the next takes memory
            if self._made_up_words:
                self._current = self._stored
                self._current = self._changed(epoch)
            self._begun = epoch, self._plan(self._current).epoch(epoch)
        return self._begun[1]

    def batch(self, indices: Indices) -> Any:
        """These pairs, as tensors."""
        return self._place(collate(self._current, indices))

    def tokens(self, indices: Indices) -> int:
        """Target tokens of these pairs, EOS included."""
        return self._current.target_tokens(indices)

    @cached_property
    def _lexicon(self) -> Lexicon:
        step = max(1, -(-len(self._stored) // _SAMPLE))
        blocks = self._blocks(range(0, len(self._stored), step))
        return Lexicon(self._text(sides, place) for numbers, sides in blocks for place in range(len(numbers)))

    def _blocks(self, numbers: range) -> Iterator[tuple[range, Sides]]:
        """Stored pairs by their numbers, read in blocks because single reads are slow."""
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            yield block, (part(self._stored.source, block), part(self._stored.target, block))

    def _text(self, sides: Sides, place: int) -> Pair:
        source, target = (tokenizer.decode(ids[place]) for tokenizer, ids in zip(self._tokenizers, sides, strict=True))
        return source, target

    def _changed(self, epoch: int) -> TokenStore:
        """The pairs of an epoch, some of them with a made-up word."""
        changes, at = self._with_made_up_words(epoch), array("q")
        sides = self._stored.source, self._stored.target
        new = [[Sequences.of([], side.dtype)] for side in sides]
        while block := list(islice(changes, _BLOCK)):  # lists of ids take ten times the memory of arrays
            at.extend(i for i, _ in block)
            for number, tokenizer in enumerate(self._tokenizers):
                ids = tokenizer.encode_batch([pair[number] for _, pair in block])
                new[number].append(Sequences.of(ids, sides[number].dtype))
        places = np.frombuffer(at, np.int64)
        return TokenStore(
            *(Replaced(side, places, Sequences.joined(parts)) for side, parts in zip(sides, new, strict=True))
        )

    def _with_made_up_words(self, epoch: int) -> Iterator[tuple[int, Pair]]:
        """Numbers and texts of the pairs that an epoch changes."""
        rng = random.Random(int(np.random.SeedSequence((self._seed, epoch)).generate_state(1)[0]))
        for numbers, sides in self._blocks(range(len(self._stored))):
            for place, number in enumerate(numbers):
                if rng.random() >= self._made_up_words:
                    continue
                if changed := with_made_up_word(self._text(sides, place), self._lexicon, rng):
                    yield number, changed
