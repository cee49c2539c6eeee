"""Graphs of a trained PyTorch model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from nmt.model.recurrence import Cell
from nmt.model.seq2seq import Seq2Seq
from nmt.portable.capture import Constants, capture


def graphs(model: Seq2Seq) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The graphs of a model in evaluation mode, as JSON can hold them, and their constants."""
    constants, encoder = Constants(model), model.encoder
    width, device = encoder.output_size, model.output.weight.device

    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, device=device)

    def tokens(*shape: int) -> Tensor:
        return torch.ones(shape, dtype=torch.long, device=device)

    def start(states: Tensor, summary: Tensor, mask: Tensor) -> Any:
        return model.decoder.start(encoder.finish(states, summary, mask))

    def encoded(batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
        mask = torch.ones(batch, length, dtype=torch.bool, device=device)
        return numbers(batch, length, width), numbers(batch, width), mask

    def stepping(batch: int, length: int) -> tuple[Any, ...]:
        with torch.inference_mode():
            return tokens(batch), *start(*encoded(batch, length))

    with torch.inference_mode():
        memory, _ = start(*encoded(1, 3))
        _, weights, _ = model.step(*stepping(1, 3))
    record = {
        "embed": capture(model.embed_source, lambda n, s: (tokens(1, s),), constants).record(),
        "layers": [_layer(encoder.rnn, layer, numbers, constants) for layer in range(encoder.rnn.num_layers)],
        "start": capture(start, lambda n, s: encoded(1, s), constants).record(),
        "step": capture(model.step, stepping, constants).record(),
        "memory": len(memory),
        "weights": weights is not None,
    }
    return record, constants.tensors


def _layer(cell: Cell, layer: int, numbers: Any, constants: Constants) -> list[dict[str, Any]]:
    """One layer of an encoder, with both of its directions."""
    return [_direction(cell, layer, f"l{layer}{suffix}", bool(suffix), numbers, constants) for suffix in cell.directions]


def _direction(
    cell: Cell, layer: int, name: str, backward: bool, numbers: Any, constants: Constants
) -> dict[str, Any]:
    width = cell.hidden_size * len(cell.directions) if layer else cell.input_size
    size = cell.hidden_size

    def step(from_x: Tensor, *state: Tensor) -> Any:
        return cell.formula(name, from_x, state)

    return {
        "project": capture(lambda x: cell.from_inputs(name, x), lambda n, s: (numbers(s, width),), constants).record(),
        "step": capture(
            step, lambda n, s: (numbers(1, cell.gates * size), *(numbers(1, size) for _ in range(cell.parts))), constants
        ).record(),
        "backward": backward,
        "parts": cell.parts,
        "size": size,
    }
