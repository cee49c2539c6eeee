"""What every model promises, over every configs/model/*.yaml: a new file enrols itself."""

import pytest
import torch

from nmt.composition import composed
from nmt.model.recurrence import Cell
from nmt.special import BOS, PAD
from nmt.translator import build_model
from tests.conftest import CELLS, MODELS, sentences, tiny_model

STACKED = ("model.encoder.layers=2", "model.decoder.layers=3")
ONE_WAY = ("model.encoder.bidirectional=false", "model.encoder.hidden_size=32")
NORMALISED = ("model.encoder.normalise=true", "model.decoder.normalise=true")
EXTRA = [
    ("model=bahdanau", *STACKED, *ONE_WAY),
    ("model=luong", *STACKED),
    ("model=luong_input_feeding", *STACKED, *ONE_WAY),
    ("model=seq2seq", *STACKED),
    ("model=luong_input_feeding", "model/score=concat", "+model/cell@model.encoder.cell=lstm"),
    ("model=luong_input_feeding", "model/score=coverage", "model/alignment=local_p"),
    ("model=luong", "model/score=multi_head", "model/alignment=forward_only"),
    ("model=bahdanau", "model/score=multi_head", "model/alignment=static"),
    ("model=bahdanau", "model/score=structured"),
    ("model=bahdanau", "model.decoder.readout=tanh", "model.tie=none"),
    ("model=bahdanau", "model.tie=all"),
    ("model=self_attentive", "model.encoder.normalise=true"),
    ("model=stacked", *NORMALISED),
]
# Every model as it is, and deeper, with LSTM cells and reading in one direction; every cell, whole sequences and steps.
CASES = [
    *((f"model={name}", *variant) for name in MODELS for variant in ((), ("model/cell=lstm", *STACKED, *ONE_WAY))),
    *((f"model={name}", f"model/cell={cell}", *STACKED) for name in ("bahdanau", "stacked") for cell in CELLS),
    *EXTRA,
]
every_model = pytest.mark.parametrize("overrides", CASES, ids=" ".join)

LENGTHS = [7, 2, 5, 1]


def target_tokens(length: int = 6) -> torch.Tensor:
    tokens = torch.randint(4, 23, (len(LENGTHS), length), generator=torch.Generator().manual_seed(9))
    tokens[:, 0] = BOS
    return tokens


@every_model
def test_weights_are_a_distribution_over_real_tokens(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides).eval()
    source = sentences(LENGTHS, width=9)
    weights = model(source, torch.tensor(LENGTHS), target_tokens()).weights
    if weights is None:
        assert "seq2seq" in overrides[0]
        return
    assert weights.shape == (4, 6, 9)
    assert (weights >= 0).all()
    for row, length in zip(weights, LENGTHS, strict=True):
        sums = row[:, :length].sum(-1)
        if model.decoder.attention.alignment.sums_to_one:
            torch.testing.assert_close(sums, torch.ones(6))
        else:
            assert ((sums > 0) & (sums <= 1 + 1e-6)).all()
        assert (row[:, length:] == 0).all()


@every_model
def test_padding_and_batch_mates_change_nothing(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides).eval()
    source, target = sentences(LENGTHS, width=12), target_tokens()
    together = model(source, torch.tensor(LENGTHS), target)
    for i, length in enumerate(LENGTHS):
        alone = model(source[i : i + 1, :length], torch.tensor([length]), target[i : i + 1])
        torch.testing.assert_close(together.readout[i], alone.readout[0], rtol=1e-4, atol=1e-5)
        if alone.weights is not None:
            torch.testing.assert_close(together.weights[i, :, :length], alone.weights[0], rtol=1e-4, atol=1e-6)


@every_model
def test_steps_equal_the_teacher_forced_pass(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides).eval()
    source, lengths, target = sentences(LENGTHS), torch.tensor(LENGTHS), target_tokens()
    whole = model(source, lengths, target)
    memory, state = model.encode(source, lengths)
    for t in range(target.size(1)):
        logits, weights, state = model.step(target[:, t], memory, state)
        torch.testing.assert_close(logits, model.output(whole.readout[:, t]), rtol=1e-4, atol=1e-5)
        if weights is not None:
            torch.testing.assert_close(weights, whole.weights[:, t], rtol=1e-4, atol=1e-6)


@every_model
def test_gradients_reach_every_parameter(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides)
    output = model(sentences(LENGTHS), torch.tensor(LENGTHS), target_tokens())
    model.output(output.readout).square().sum().backward()
    without = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert not without


@every_model
def test_a_guessing_decoder_sees_its_own_words(overrides: tuple[str, ...]) -> None:
    """Teacher forcing 0 is greedy search; the reference must not matter beyond BOS."""
    model = tiny_model(*overrides).eval()
    source, lengths, target = sentences(LENGTHS), torch.tensor(LENGTHS), target_tokens()
    guessed = model(source, lengths, target, teacher_forcing=0.0)
    other = target.clone()
    other[:, 1:] = 4
    torch.testing.assert_close(model(source, lengths, other, teacher_forcing=0.0).readout, guessed.readout)
    memory, state = model.encode(source, lengths)
    tokens = target[:, 0]
    for t in range(target.size(1)):
        logits, _, state = model.step(tokens, memory, state)
        torch.testing.assert_close(logits, model.output(guessed.readout[:, t]), rtol=1e-4, atol=1e-5)
        tokens = logits.argmax(-1)


@every_model
def test_dropout_acts_in_training_only(overrides: tuple[str, ...]) -> None:
    model = tiny_model(*overrides, dropout=0.5)
    arguments = sentences(LENGTHS), torch.tensor(LENGTHS), target_tokens()
    assert not torch.equal(model(*arguments).readout, model(*arguments).readout)
    model.eval()
    assert torch.equal(model(*arguments).readout, model(*arguments).readout)


@pytest.mark.parametrize("name", CELLS)
def test_first_weights_are_in_their_places(name: str) -> None:
    """Norms change nothing but the scale, states are rotated, LSTMs forget little, and padding is nothing."""
    overrides = ("experiment=smoke", "model=stacked", f"model/cell={name}", *NORMALISED)
    model = build_model(composed(*overrides), source_vocab=8, target_vocab=8)
    for norm in (module for module in model.modules() if isinstance(module, torch.nn.LayerNorm)):
        assert (norm.weight == 1).all()
    assert (model.encoder.norm.bias == 0).all()
    cells = [module for module in model.modules() if isinstance(module, Cell)]
    assert len(cells) == 3
    for cell in cells:
        size = cell.hidden_size
        for gate in cell.weight_hh_l0.split(size):
            torch.testing.assert_close(gate @ gate.T, torch.eye(size), rtol=0, atol=1e-5)
        norms = [norm for name, norm in cell.named_children() if name.startswith("norm_x")]
        biases = cell.bias_ih_l0 if cell.bias else norms[0].bias
        is_open = torch.zeros_like(biases, dtype=torch.bool)
        is_open[size : 2 * size] = cell.parts == 2
        assert torch.equal(biases == 1, is_open)
        assert torch.equal(biases == 0, ~is_open)
    assert (model.embed_source.weight[PAD] == 0).all()
