"""SentencePiece with the project's special ids, bytes for rare characters, and vocabularies that shrink with the text.

Imported whenever translate.py starts, so it imports nothing but SentencePiece.
"""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Literal

import sentencepiece

from nmt.errors import UserError
from nmt.special import BOS, EOS, PAD, UNK

log = logging.getLogger(__name__)

_BLOCK = 4096  # sentences handled together
_SKIPPED = "▅"  # SentencePiece skips sentences that contain this, its sign for unknown characters
_RESERVED = 256 + 4  # byte pieces and specials
_CHARACTER_SHARE = 0.9  # the largest share of the other pieces that may be single characters


class Tokenizer:
    """Converts clean text to ids and back; what no piece covers is spelt in bytes, so no text is lost."""

    def __init__(self, model: bytes) -> None:
        self.model = model
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Read a model file."""
        try:
            return cls(path.read_bytes())
        except FileNotFoundError as error:
            advice = "the tokenizer belongs beside the model it was trained for"
            raise UserError(f"{path} does not exist: {advice}.") from error
        except (RuntimeError, ValueError) as error:
            advice = "restore the file or prepare the data again"
            raise UserError(f"{path} is not a SentencePiece model: {advice}.") from error

    def save(self, path: Path) -> None:
        """Write the model file."""
        path.write_bytes(self.model)

    @classmethod
    def train(
        cls,
        sentences: Iterable[str],
        vocab_size: int,
        vocab_type: Literal["bpe", "unigram"] = "bpe",
        character_coverage: float = 0.9998,
        characters: Counter[str] | None = None,
    ) -> "Tokenizer":
        """Learn pieces from clean sentences, which are iterated over twice unless their `characters` are given.

        The vocabulary is smaller than asked where the text does not yield as many pieces, and characters
        that do not fit are left to the bytes; both are logged.
        """
        counts = Counter(chain.from_iterable(sentences)) if characters is None else characters
        rare = _rare_characters(counts, vocab_size, character_coverage) + (_SKIPPED if _SKIPPED in counts else "")
        if not set(counts) - {*rare, " "}:
            raise UserError("data.path holds no text that a vocabulary could be learnt from: add more pairs.")
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_blanked(sentences, rare),
            model_writer=model,
            vocab_size=vocab_size,
            model_type=vocab_type,
            character_coverage=1.0,  # rare characters are blanked already
            byte_fallback=True,
            hard_vocab_limit=False,  # shrink instead of failing on a small corpus
            normalization_rule_name="identity",  # nmt.data.cleaning.clean does it
            max_sentence_length=2**20,
            pad_id=PAD,
            bos_id=BOS,
            eos_id=EOS,
            unk_id=UNK,
            num_threads=4,  # fixed, as the number is written into the model and orders its sums
            minloglevel=2,
        )
        tokenizer = cls(model.getvalue())
        if len(tokenizer) < vocab_size:
            log.info("The text yields %d pieces; data.vocab_size=%d asked for more.", len(tokenizer), vocab_size)
        return tokenizer

    def __len__(self) -> int:
        return self._processor.get_piece_size()

    def encode(self, text: str) -> list[int]:
        """Ids of a clean sentence, without BOS and EOS."""
        return self._processor.encode(text)

    def encode_batch(self, texts: list[str]) -> list[list[int]]:
        """Ids of many sentences, encoded in parallel."""
        return self._processor.encode(texts)

    def decode_batch(self, sequences: list[list[int]]) -> list[str]:
        """Texts of many sentences."""
        return self._processor.decode(sequences)

    def decode(self, ids: list[int]) -> str:
        """Text of some ids; special ids are left out."""
        return self._processor.decode(ids)

    def pieces(self, ids: list[int]) -> list[str]:
        """One readable piece per id, where ▁ marks the start of a word.

        The first byte of a character that is spelt in bytes shows the whole character and the others are
        empty, so joining pieces always gives text. Bytes that spell nothing show as U+FFFD.
        """
        pieces = [self._processor.id_to_piece(i) for i in ids]
        is_byte = [self._processor.is_byte(i) for i in ids]
        start = 0
        while start < len(pieces):
            if not is_byte[start]:
                start += 1
                continue
            length = _character_bytes(int(pieces[start][1:-1], 16))
            run = range(start, min(start + length, len(pieces)))
            raw = bytes(int(pieces[i][1:-1], 16) for i in run if is_byte[i])
            try:
                shown = raw.decode()
            except UnicodeDecodeError:
                shown, length = "\ufffd", 1
            pieces[start : start + length] = [shown] + [""] * (length - 1)
            start += length
        return pieces


def _character_bytes(first: int) -> int:
    """How many bytes the UTF-8 character with this first byte has."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _rare_characters(counts: Counter[str], vocab_size: int, coverage: float) -> str:
    """The characters that get no piece of their own.

    SentencePiece has an option for this, but fails where it should cover less than 98 % of the text, as a
    small vocabulary of a large script does.
    """
    by_frequency = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shares = accumulate(count / counts.total() for _, count in by_frequency)
    wanted = 1 + sum(share < coverage for share in shares)
    room = int(_CHARACTER_SHARE * (vocab_size - _RESERVED))
    if wanted > room:
        message = "data.vocab_size=%d has room for %d of %d characters; the rarer ones are spelt in bytes."
        log.warning(message, vocab_size, room, len(counts))
    return "".join(character for character, _ in by_frequency[min(wanted, room) :])


def _blanked(sentences: Iterable[str], characters: str) -> Iterator[str]:
    """Replace some characters by spaces."""
    if not characters:
        yield from sentences
        return
    pattern, sentences = re.compile(f"[{re.escape(characters)}]"), iter(sentences)
    while block := list(islice(sentences, _BLOCK)):  # clean sentences contain no newline
        yield from pattern.sub(" ", "\n".join(block)).split("\n")
