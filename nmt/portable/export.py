"""Makes a portable model of a trained PyTorch model: its graphs, checked against it, and the record of its file."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nmt.ensemble import Ensemble
from nmt.errors import UserError
from nmt.files import write_listed
from nmt.guessing import Guessing
from nmt.metrics import METRICS
from nmt.model.decoder import State
from nmt.model.formulas import formulas
from nmt.model.marks import mark, marked, recorded
from nmt.model.recurrence import Cell
from nmt.model.seq2seq import Seq2Seq
from nmt.portable.beam import Beam as PortableBeam
from nmt.portable.builder import Constants, NotPortable
from nmt.portable.capture import capture
from nmt.portable.card import card, recorded_scores
from nmt.portable.file import pack
from nmt.portable.model import PortableModel
from nmt.portable.translator import SOURCE, TARGET, PortableTranslator
from nmt.run import OpenRun
from nmt.search import Beam, Greedy, Search
from nmt.special import BOS, EOS
from nmt.translator import Translator
from nmt.unlike_training import TrainingData

log = logging.getLogger(__name__)

_TOLERANCE = 1e-3  # of logits, relative to the largest; rounding is far below, a wrong operation far above
_TRIED = (9, 4)  # source tokens and hypotheses of the check: other sizes than those of the recordings

Draw = Callable[..., Tensor]  # random numbers of a shape


def portable(run: OpenRun, translator: Translator) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and the record of the portable file of a finished run; NotPortable if that cannot be."""
    known, guessing = TrainingData.of(run), Guessing.of(run, translator.checkpoint)
    scores = recorded_scores(run, translator.checkpoint)
    about = {
        **asdict(known),
        "guessing": guessing.threshold if guessing else None,
        "identity": run.identity,
        "scores": {name: score["value"] for name in METRICS if (score := scores.get(name))},
        "card": card(run, translator.checkpoint, translator.languages, known, scores, guessing),
    }
    tensors, record = of_translator(translator)
    return tensors, record | about


def of_translator(translator: Translator) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and the part of the record that make the model; NotPortable if it cannot be captured."""
    captured, constants = graphs(translator.model)
    source, target = translator.source_tokenizer.model, translator.target_tokenizer.model
    tensors = arrays(constants) | {SOURCE: np.frombuffer(source, np.uint8)}
    if target != source:
        tensors[TARGET] = np.frombuffer(target, np.uint8)
    record = {
        "graphs": captured,
        "decode": beam_of(translator.search).record(),
        "languages": list(translator.languages),
        "checkpoint": translator.checkpoint,
        "formulas": formulas(translator.model.decoder),
    }
    return tensors, record


def beam_of(search: Search) -> PortableBeam:
    """The beam search of the portable engine with the same limits; greedy search is a beam of 1."""
    return search.converted(PortableBeam, **({"beam_size": 1} if isinstance(search, Greedy) else {}))


def in_numpy(translator: Translator) -> PortableTranslator:
    """The same translator in numpy; a UserError if its model cannot be captured."""
    if isinstance(translator.model, Ensemble):
        raise UserError("An ensemble of several runs cannot be looked into: load one of them.")
    try:
        tensors, record = of_translator(translator)
    except NotPortable as error:
        raise UserError(f"This model cannot be looked into: {error}.") from error
    unknown = {**asdict(TrainingData({}, 0, 0)), "guessing": None, "identity": "", "scores": {}, "card": {}}
    return PortableTranslator(tensors, record | unknown)


def write_into_run(run: OpenRun, translator: Translator) -> None:
    """Write portable.nmt, in float32, so that translations are those of PyTorch; a warning if that cannot be."""
    if not isinstance(translator.search, (Beam, Greedy)):
        return  # the run's own method, such as sampling, needs PyTorch
    try:
        tensors, record = portable(run, translator)
    except NotPortable as error:
        log.warning("translate.py will need PyTorch, and export.py cannot be used: %s.", error)
        return
    write_listed(run.portable_file, pack(tensors, record, int8=False))


def arrays(constants: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Constants in numpy, in float32."""
    return {name: tensor.float().numpy() for name, tensor in constants.items()}


def graphs(model: Seq2Seq) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The graphs of a model in evaluation mode, as JSON can hold them, and their constants, on the CPU."""
    if model.output.weight.device.type != "cpu":
        model = copy.deepcopy(model).cpu()
    try:
        record, constants = _capture(model)
        _check(model, PortableModel(record, arrays(constants)))
    except NotPortable:
        raise
    except Exception as error:  # whatever the code of a model may raise when it is captured
        raise NotPortable(f"its model cannot be captured ({type(error).__name__}: {error})") from error
    return record, constants


def _capture(model: Seq2Seq) -> tuple[dict[str, Any], dict[str, Tensor]]:
    constants, encoder, attention = Constants(model), model.encoder, getattr(model.decoder, "attention", None)
    random = torch.Generator().manual_seed(0)  # the numbers of training stay as they are

    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random)

    def tokens(*shape: int) -> Tensor:
        return torch.ones(shape, dtype=torch.long)

    def start(states: Tensor, summary: Tensor, mask: Tensor) -> Any:
        with recorded():  # apart: the marks of the encoder's own attention
            encoded = encoder.finish(states, summary, mask)
        mark("states", encoded.states)
        memory, state = model.decoder.start(encoded)
        if attention is not None:
            mark("values", memory.values)
        return memory, state

    def step(tokens: Tensor, memory: Any, state: State) -> Any:
        logits, weights, state = model.step(tokens, memory, state)
        mark("state", state.recurrent[0])
        if attention is None:
            mark("context", memory[0])
        return logits, weights, state

    def encoded(batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
        mask = torch.ones(batch, length, dtype=torch.bool)
        return numbers(batch, length, encoder.output_size), numbers(batch, encoder.output_size), mask

    def stepping(batch: int, length: int) -> tuple[Any, ...]:
        with torch.inference_mode():
            return tokens(batch), *start(*encoded(batch, length))

    with torch.inference_mode():
        _, memory, _ = trial = stepping(1, 3)
        _, weights, _ = model.step(*trial)
    with nullcontext() if attention is None else marked(attention):
        record = {
            "embed": capture(model.embed_source, lambda n, s: (tokens(1, s),), constants).record(),
            "layers": [
                [_direction(encoder.rnn, layer, suffix, numbers, constants) for suffix in encoder.rnn.directions]
                for layer in range(encoder.rnn.num_layers)
            ],
            "start": capture(start, lambda n, s: encoded(1, s), constants).record(),
            "step": capture(step, stepping, constants).record(),
            "memory": len(memory),
            "weights": weights is not None,
        }
    return record, constants.tensors


def _direction(cell: Cell, layer: int, suffix: str, numbers: Draw, constants: Constants) -> dict[str, Any]:
    """One direction of a layer of an encoder: W x + b of all inputs, and the formula of one step."""
    name, size = f"l{layer}{suffix}", cell.hidden_size
    width = size * len(cell.directions) if layer else cell.input_size

    def project(inputs: Tensor) -> Tensor:
        return cell.from_inputs(name, inputs)

    def step(from_x: Tensor, *state: Tensor) -> Any:
        return cell.formula(name, from_x, state)

    def stepping(batch: int, length: int) -> tuple[Tensor, ...]:
        return numbers(1, cell.gates * size), *(numbers(1, size) for _ in range(cell.parts))

    return {
        "project": capture(project, lambda n, s: (numbers(s, width),), constants).record(),
        "step": capture(step, stepping, constants).record(),
        "backward": bool(suffix),
        "parts": cell.parts,
        "size": size,
    }


@torch.inference_mode()
def _check(model: Seq2Seq, captured: PortableModel) -> None:
    """Raise NotPortable unless captured graphs compute what the model computes, over two steps at other sizes."""
    length, hypotheses = _TRIED
    vocabularies = model.embed_source.num_embeddings, model.embed_target.num_embeddings
    source = [*(place % vocabularies[0] for place in range(4, 3 + length)), EOS]
    memory, state = model.encode(torch.tensor([source] * hypotheses), torch.full((hypotheses,), length))
    own_memory, own_state = captured.encode(source)
    own_state = [np.repeat(part, hypotheses, axis=0) for part in own_state]
    for first in (BOS, EOS + 1):
        tokens = [(first + place) % vocabularies[1] for place in range(hypotheses)]
        logits, _, state = model.step(torch.tensor(tokens), memory, state)
        own_logits, _, own_state, _ = captured.step(tokens, own_memory, own_state)
        expected = logits.float().numpy()
        if not np.abs(own_logits - expected).max() <= _TOLERANCE * max(1.0, np.abs(expected).max()):
            raise NotPortable("the graph of its model computes something else than the model")
