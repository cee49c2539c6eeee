import functools
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import torch

from nmt.composition import composed
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.factory import constructor
from nmt.model.seq2seq import Seq2Seq
from nmt.search import Beam
from nmt.special import EOS, PAD
from nmt.translator import Translator

pytest_plugins = ["tests.browser", "tests.commands"]  # fixtures: Chromium, a finished run

ROOT = Path(__file__).resolve().parent.parent
MODELS = sorted(path.stem for path in (ROOT / "configs/model").glob("*.yaml"))
_KINDS = {"bahdanau", "luong_input_feeding", "stacked", "multi_head", "hard", "local_p", "seq2seq", "self_attentive"}
# For tests that hardly depend on the model: one of each kind is fast, and the others are slow tests.
KINDS = [pytest.param(name, marks=() if name in _KINDS else pytest.mark.slow) for name in MODELS]
CELLS = sorted(path.stem for path in (ROOT / "configs/model/cell").glob("*.yaml"))

# Two test processes share two cores: more threads than that only get in each other's way.
torch.set_num_threads(1)
# Else a tenth of the time goes to collecting garbage among all that PyTorch and the collected tests hold.
gc.freeze()
gc.set_threshold(100_000)
# A busy machine is no failure.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


def tiny_model(*overrides: str, vocab: int = 23, seed: int = 3, dropout: float = 0.0) -> Seq2Seq:
    """A model of a few thousand weights."""
    settings = _model_settings("experiment=smoke", *overrides)
    settings = settings | {f"{kind}_dropout": dropout for kind in ("embedding", "state", "readout")}
    torch.manual_seed(seed)
    model = constructor(settings, "model")(source_vocab=vocab, target_vocab=vocab, joint_vocab=True)
    assert isinstance(model, Seq2Seq)
    for parameter in model.parameters():  # biases start at 0, where a missing one would not show
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return model


@functools.cache
def _model_settings(*overrides: str) -> dict[str, Any]:
    """Composed once for the many tests of one model, and small where only some models have a size."""
    settings = composed(*overrides).model
    for part in (settings, settings["encoder"]):
        _shrink(part.get("score", {}))
    return settings


def _shrink(score: dict[str, Any]) -> None:
    if score.get("size") == 256:  # nobody asked for another
        score["size"] = 32
    if "score" in score:
        _shrink(score["score"])


@functools.cache
def tiny_tokenizer() -> Tokenizer:
    return Tokenizer.train(["I see a cat .", "we see it .", "je vois un chat .", "nous le voyons ."] * 20, 300)


def tiny_translator(model: str = "bahdanau", dropout: float = 0.0, **settings: float) -> Translator:
    """A translator that has learnt nothing, with opinions strong enough that rounding decides nothing."""
    tokenizer = tiny_tokenizer()
    built = tiny_model(f"model={model}", vocab=len(tokenizer), dropout=dropout).eval()
    with torch.no_grad():
        built.output.bias.normal_(std=2, generator=torch.Generator().manual_seed(1))
    return Translator(built, tokenizer, tokenizer, Beam(beam_size=4).changed(**settings), torch.device("cpu"))


def assert_refused(words: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """The call raises a UserError that matches these words."""
    with pytest.raises(UserError, match=words):
        function(*arguments, **options)


def sentences(lengths: Sequence[int], vocab: int = 23, seed: int = 5, width: int | None = None) -> torch.Tensor:
    """Random source tokens (B, S), each sentence ending in EOS."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.full((len(lengths), width or max(lengths)), PAD)
    for row, length in zip(rows, lengths, strict=True):
        row[: length - 1] = torch.randint(4, vocab, (length - 1,), generator=generator)
        row[length - 1] = EOS
    return rows


def logits_of(model: Seq2Seq, *arguments: Any, **options: Any) -> torch.Tensor:
    """Logits (B, T, V) of a teacher-forced pass."""
    return model.output(model(*arguments, **options).readout)
