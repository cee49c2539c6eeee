"""The whole model: embeddings → encoder → decoder → output layer.

Shapes: B batch, S source length, T target length, E embedding size, R readout size, V target vocabulary.
"""

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.alignment import Alignment
from nmt.model.cell import GRU
from nmt.model.decoder import Decoder, Parts, State, Unrolled
from nmt.model.dropout import SequenceDropout
from nmt.model.encoder import RecurrentEncoder
from nmt.model.recurrence import Cell
from nmt.model.score import Score
from nmt.special import PAD


class Output(NamedTuple):
    """The output of a teacher-forced pass."""

    readout: Tensor  # (B, T, R); the output layer is left to the loss, which needs it on real tokens only
    weights: Tensor | None  # (B, T, S), None without attention


class Seq2Seq(nn.Module):
    """An encoder and a decoder over two vocabularies.

    Parts are passed as constructors; sizes that must agree between parts are filled in here, so the configuration never
    repeats a size.
    """

    def __init__(
        self,
        source_vocab: int,  # sizes of the vocabularies
        target_vocab: int,
        encoder: Callable[..., RecurrentEncoder],
        decoder: Callable[..., Decoder],
        embedding_size: int,  # of both embeddings
        readout_size: int,  # of the vector in front of the output layer
        cell: Callable[..., Cell] = GRU,  # for the decoder, and for an encoder without a cell of its own
        score: Callable[..., Score] | None = None,  # None for a wiring without attention
        alignment: Callable[..., Alignment] | None = None,
        tie: Literal["none", "target", "all"] = "target",  # share target embedding and output layer, or all three
        joint_vocab: bool = False,  # whether both languages share one vocabulary
        embedding_dropout: float = 0.0,
        state_dropout: float = 0.0,  # on recurrent states, between layers and where they are read
        readout_dropout: float = 0.0,
        initialise: bool = True,  # False saves time where trained weights are about to be loaded
    ) -> None:
        super().__init__()
        self.embed_source = nn.Embedding(source_vocab, embedding_size, padding_idx=PAD)
        self.embed_target = nn.Embedding(target_vocab, embedding_size, padding_idx=PAD)
        own_cell = encoder.keywords.get("cell") if isinstance(encoder, functools.partial) else None
        self.encoder = encoder(input_size=embedding_size, dropout=state_dropout, cell=own_cell or cell)
        source_size = self.encoder.output_size
        self.decoder = decoder(Parts(embedding_size, source_size, readout_size, state_dropout, cell, score, alignment))
        self.embedding_dropout = SequenceDropout(embedding_dropout)
        self.readout_dropout = SequenceDropout(readout_dropout)
        self.output = nn.Linear(readout_size, target_vocab)
        if initialise:
            self._initialise()
        self._tie(tie, joint_vocab)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Any, State]:
        """The decoder's memory and first state for source tokens (B, S) of these lengths (B,)."""
        embedded = self.embedding_dropout(self.embed_source(source))
        return self.decoder.start(self.encoder(embedded, lengths, source != PAD))

    def step(self, tokens: Tensor, memory: Any, state: State) -> tuple[Tensor, Tensor | None, State]:
        """Logits (B, V), attention weights (B, S) and the new state after the last tokens (B,)."""
        readout, weights, state = self._decode(tokens.unsqueeze(1), memory, state)
        return self.output(readout.squeeze(1)), None if weights is None else weights.squeeze(1), state

    def forward(self, source: Tensor, lengths: Tensor, target_in: Tensor, teacher_forcing: float = 1.0) -> Output:
        """Readouts and weights for every target position, given source tokens (B, S) and target tokens with BOS (B, T).

        `lengths` (B,) are on the CPU; `teacher_forcing` is the probability, per token, that the decoder's input is the
        reference and not its own best guess.
        """
        memory, state = self.encode(source, lengths)
        if teacher_forcing >= 1.0:
            return Output(*self._decode(target_in, memory, state)[:2])
        return self._decode_freely(target_in, memory, state, teacher_forcing)

    def _decode(self, tokens: Tensor, memory: Any, state: State) -> Unrolled:
        unrolled = self.decoder.unroll(self.embedding_dropout(self.embed_target(tokens)), memory, state)
        return unrolled._replace(readout=self.readout_dropout(unrolled.readout))

    def _decode_freely(self, target_in: Tensor, memory: Any, state: State, teacher_forcing: float) -> Output:
        """Scheduled sampling (Bengio 2015): each input token is the reference's or the model's own."""
        is_given = torch.rand(target_in.shape, device=target_in.device) < teacher_forcing  # (B, T)
        readouts: list[Tensor] = []
        weights: list[Tensor] = []
        tokens = target_in[:, :1]
        for t in range(target_in.size(1)):
            if t > 0:
                guesses = self.output(readouts[-1].detach()).argmax(dim=-1)
                tokens = torch.where(is_given[:, t : t + 1], target_in[:, t : t + 1], guesses)
            readout, alpha, state = self._decode(tokens, memory, state)
            readouts.append(readout)
            if alpha is not None:
                weights.append(alpha)
        return Output(torch.cat(readouts, dim=1), torch.cat(weights, dim=1) if weights else None)

    def _initialise(self) -> None:
        """Draw first weights: cells draw their own; Xavier for matrices; embeddings of length about 1, padding 0."""
        for module in self.modules():
            if isinstance(module, Cell):
                module.initialise()
            elif isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
                module.weight.data[PAD].zero_()

    def _tie(self, tie: str, joint_vocab: bool) -> None:
        if tie == "none":
            return
        if self.output.in_features != self.embed_target.embedding_dim:
            raise UserError(
                f"model.tie={tie} shares the embeddings with the output layer, so model.readout_size must equal "
                f"model.embedding_size ({self.embed_target.embedding_dim}); it is {self.output.in_features}."
            )
        self.output.weight = self.embed_target.weight
        if tie == "all":
            if not joint_vocab:
                raise UserError("model.tie=all needs one vocabulary for both languages: set data.joint_vocab=true.")
            self.embed_source.weight = self.embed_target.weight
