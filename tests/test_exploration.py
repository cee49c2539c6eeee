"""Risk training against its formula: the weighted likelihood must have the gradient of Σ q(u)·(1 − gain(u))."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nmt.config import DecodeSettings, TrainSettings
from nmt.data.batching import Batch, collate
from nmt.data.store import TokenStore
from nmt.errors import UserError
from nmt.exploration import BEAM, SHARPNESS, WEIGHT, Explored, explore, sentence_bleu
from nmt.model.seq2seq import Seq2Seq
from nmt.search import search
from nmt.special import BOS, EOS
from nmt.training.loss import token_loss
from nmt.training.trainer import Trainer
from tests.conftest import logits_of, tiny_model
from tests.training.toys import COPY, DROPOUT, VOCAB, make_trainer, settings, toy_store

DECODE = DecodeSettings(beam_size=BEAM)


def test_the_gradient_is_that_of_the_expected_risk() -> None:
    model = tiny_model("model=stacked", vocab=VOCAB).double().eval()
    batch = collate(toy_store(5, COPY, shortest=2), np.arange(5))
    explored = explore(model, batch, DECODE)
    assert explored is not None
    own, weights = explored
    readout = model(own.source, own.source_lengths, own.target_in).readout
    ours = token_loss(readout, own.target_out, own.real, model.output, 0.0, weights.double()).objective

    naive = torch.zeros((), dtype=torch.float64)  # sentence by sentence, translation by translation
    found = search(model, batch.source, batch.source_lengths, DECODE)
    for row, hypotheses in enumerate(found):
        length = int(batch.source_lengths[row])
        source, reference = batch.source[row : row + 1, :length], batch.source[row, : length - 1].tolist()
        exponents, gains = [], []
        for hypothesis in hypotheses:
            target = torch.tensor([[*hypothesis.tokens, EOS]])
            shifted = torch.tensor([[BOS, *hypothesis.tokens]])
            log_p = logits_of(model, source, torch.tensor([length]), shifted).log_softmax(-1)
            of_tokens = log_p.gather(-1, target.unsqueeze(-1))
            exponents.append(SHARPNESS * of_tokens.mean())
            gains.append(sentence_bleu(hypothesis.tokens, reference))
        q = torch.stack(exponents).softmax(0)
        risk = (q * (1 - torch.tensor(gains, dtype=torch.float64))).sum()
        naive = naive + WEIGHT * length * risk
    parameters = [p for p in model.parameters() if p.requires_grad]
    for a, b in zip(*(torch.autograd.grad(x, parameters) for x in (ours, naive)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)  # the weights are single precision
        assert b.abs().max() > 0 or a.abs().max() == 0


def test_sentences_with_nothing_to_choose_from_are_left_out() -> None:
    model = tiny_model("model=stacked", vocab=VOCAB).eval()
    batch = collate(toy_store(3, COPY), np.arange(3))
    assert explore(model, batch, DecodeSettings(max_length_ratio=0.0, max_length_extra=1)) is None  # all are empty


@given(st.lists(st.integers(4, 7), max_size=8), st.lists(st.integers(4, 7), max_size=8))
def test_sentence_bleu_is_the_smoothed_formula(tokens: list[int], reference: list[int]) -> None:
    found = sentence_bleu(tokens, reference)
    assert 0 <= found <= 1
    if tokens == reference:
        assert found == pytest.approx(1)
    if not tokens or not reference:
        return
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = (Counter(str(x[i : i + n]) for i in range(len(x) - n + 1)) for x in (tokens, reference))
        matches = sum(min(count, theirs[gram]) for gram, count in ours.items())
        more = 0 if n == 1 else 1
        precisions.append((matches + more) / (sum(ours.values()) + more))
    brevity = 1.0 if len(tokens) >= len(reference) else math.exp(1 - len(reference) / len(tokens))
    assert found == pytest.approx(brevity * math.prod(precisions) ** 0.25)


def expected_gain(model: Seq2Seq, store: TokenStore) -> float:
    """Σ q·gain, the mean over sentences."""
    batch = collate(store, np.arange(len(store)))
    gains = []
    for row, hypotheses in enumerate(search(model.eval(), batch.source, batch.source_lengths, DECODE)):
        means = torch.tensor([sum(each.log_probs) / len(each.log_probs) for each in hypotheses])
        of_each = torch.tensor([sentence_bleu(each.tokens, store.target[row]) for each in hypotheses])
        gains.append(float(((SHARPNESS * means).softmax(0) * of_each).sum()))
    return float(np.mean(gains))


def test_the_last_epochs_explore_and_lower_the_risk(tmp_path: Path) -> None:
    store, explored = toy_store(64, COPY, shortest=3), []
    trainer = make_trainer(tmp_path, store, settings(max_steps=None, max_epochs=13, risk_epochs=1), "model=stacked")
    model = trainer.model

    def note(batch: Batch) -> Explored | None:
        explored.append(len(batch))
        return explore(model, batch, DECODE)

    trainer.explore = note
    trainer.fit()
    assert sum(explored) == len(store)

    before, optimizer = expected_gain(model, store), torch.optim.Adam(model.parameters(), lr=1e-3)
    batch = collate(store, np.arange(len(store)))
    for _ in range(20):
        own, weights = explore(model.eval(), batch, DECODE) or pytest.fail("nothing to choose from")
        readout = model(own.source, own.source_lengths, own.target_in).readout
        optimizer.zero_grad()
        token_loss(readout, own.target_out, own.real, model.output, 0.0, weights).objective.backward()
        optimizer.step()
    assert expected_gain(model, store) > before + 0.05


@pytest.mark.parametrize("precision", [None, torch.bfloat16])
def test_an_epoch_of_risk_resumes_to_the_same_bytes(tmp_path: Path, precision: torch.dtype | None) -> None:
    store, limits = toy_store(60, COPY), {"max_epochs": 2, "risk_epochs": 1}  # of 8 updates each

    def trainer_in(name: str, most: int) -> Trainer:
        chosen = settings(**limits, max_steps=most)
        trainer = make_trainer(tmp_path / name, store, chosen, "model=stacked", *DROPOUT, precision=precision)
        trainer.explore = lambda batch: explore(trainer.model, batch, DECODE)
        return trainer

    whole = trainer_in("whole", 16)
    whole.fit()
    trainer_in("parts", 12).fit()
    second = trainer_in("parts", 16)
    second.restore()
    second.fit()
    files = [trainer.checkpoints.path(16) / "model.safetensors" for trainer in (whole, second)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_last_epochs_are_those_of_risk() -> None:
    chosen = TrainSettings(max_epochs=5, risk_epochs=2)
    assert [chosen.risks(epoch) for epoch in range(5)] == [False, False, False, True, True]
    assert not any(TrainSettings(max_epochs=5).risks(epoch) for epoch in range(5))
    for impossible in (
        {"risk_epochs": 6, "max_epochs": 5},
        {"risk_epochs": -1},
        {"risk_epochs": 1, "max_epochs": None},
    ):
        with pytest.raises(UserError, match=r"train\.risk_epochs"):
            TrainSettings(**{"max_steps": 10, **impossible})  # type: ignore[arg-type]
