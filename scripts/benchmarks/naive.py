"""The classic tutorial's form of Bahdanau's model: everything inside the loop, everything left to autograd.

Shapes: B batch, S source length, T target length, V vocabulary.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nmt.special import PAD


def naive_loss(model: Any, batch: Any, label_smoothing: float) -> Tensor:
    """The objective of a batch, by the weights of a `BahdanauDecoder` model without dropout.

    At each step the keys are projected again, the recurrence runs alone and the output layer follows; the loss then
    looks at every position, padding too. It equals the fast path's objective, and takes its time.
    """
    decoder, attention = model.decoder, model.decoder.attention
    embedded = model.embed_source(batch.source)
    packed = pack_padded_sequence(embedded, batch.source_lengths, batch_first=True, enforce_sorted=False)
    outputs, last = model.encoder.rnn(packed)
    states, _ = pad_packed_sequence(outputs, batch_first=True)  # (B, S, H)
    hidden = torch.tanh(decoder.bridge.project(torch.cat([last[0], last[1]], dim=-1))).unsqueeze(0)
    blocked = (batch.source == PAD).unsqueeze(1)
    logits = []
    for t in range(batch.target_in.size(1)):
        query = hidden.transpose(0, 1)  # (B, 1, D)
        inner = torch.tanh(attention.score.key(states) + attention.score.query(query))
        energies = attention.score.v(inner).transpose(1, 2)  # (B, 1, S)
        weights = energies.masked_fill(blocked, float("-inf")).softmax(dim=-1)
        context = torch.bmm(weights, states)
        token = model.embed_target(batch.target_in[:, t : t + 1])
        output, hidden = decoder.recurrence(torch.cat([token, context], dim=-1), hidden)
        logits.append(model.output(decoder.readout(output, token, context)))
    return F.cross_entropy(
        torch.cat(logits, dim=1).flatten(0, 1),
        batch.target_out.flatten(),
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )
