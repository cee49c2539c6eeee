from __future__ import annotations

import pytest
import torch

from nmt.model.dropout import SequenceDropout, WordDropout
from nmt.special import BOS
from tests.conftest import sentences, tiny_model


def test_one_mask_for_all_steps_of_a_sequence_and_another_for_the_next() -> None:
    torch.manual_seed(1)
    x = torch.ones(200, 7, 50)
    dropped = SequenceDropout(0.3)(x)
    assert (dropped == dropped[:, :1]).all()
    assert not (dropped[0] == dropped[1]).all()
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.03)


def test_states_without_steps_are_dropped_too() -> None:
    torch.manual_seed(1)
    dropped = SequenceDropout(0.5)(torch.ones(100, 100))
    assert (dropped == 0).double().mean().item() == pytest.approx(0.5, abs=0.03)


def test_a_word_is_dropped_as_a_whole() -> None:
    torch.manual_seed(1)
    dropped = WordDropout(0.2)(torch.ones(100, 30, 8))
    assert (dropped == dropped[..., :1]).all()
    assert (dropped[..., 0] == 0).double().mean().item() == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("kind", [SequenceDropout, WordDropout])
def test_nothing_is_dropped_in_evaluation_or_with_probability_zero(kind: type) -> None:
    x = torch.randn(3, 4, 5)
    assert kind(0.9).eval()(x) is x
    assert kind(0.0)(x) is x
    with pytest.raises(ValueError, match="probability"):
        kind(1.0)


def test_word_dropout_reaches_both_languages() -> None:
    model = tiny_model(
        "model=luong", "model.word_dropout=0.5", *(f"model.{k}_dropout=0" for k in ("embedding", "state", "readout"))
    )
    source, lengths = sentences([5, 5]), torch.tensor([5, 5])
    target = torch.full((2, 20), BOS)
    model.eval()
    known = model(source, lengths, target).readout
    assert torch.equal(known, model(source, lengths, target).readout)
    model.train()
    torch.manual_seed(0)
    assert not torch.equal(known, model(source, lengths, target).readout)
    model.embed_source.weight.data.zero_()  # now only words of the target can be missed
    torch.manual_seed(0)
    one, other = model(source, lengths, target).readout, model(source, lengths, target).readout
    assert not torch.equal(one, other)
