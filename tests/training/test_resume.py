"""Interrupted and gone on with, a run ends as if nothing had happened."""

import dataclasses
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.composition import composed
from nmt.config import load_config
from nmt.errors import UserError
from nmt.files import write_json, write_sums
from nmt.interrupt import Interrupted, InterruptRequest, Stopping
from nmt.pipeline import check_parts
from nmt.ranks import ALONE
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS
from nmt.training.monitor import Validation
from nmt.training.trainer import Data, Trainer
from tests.conftest import ROOT
from tests.training.toys import COPY, DROPOUT, make_trainer, settings, toy_store


def bytes_of(trainer: Trainer, step: int) -> list[bytes]:
    return [(trainer.checkpoints.path(step) / name).read_bytes() for name in (MODEL, TENSORS)]


@pytest.mark.parametrize("overrides", [("model=bahdanau",), ("model=luong", "model/cell=lstm")], ids=" ".join)
@pytest.mark.parametrize("accumulate", [1, 3])
def test_resume_is_bit_exact(tmp_path: Path, overrides: tuple[str, ...], accumulate: int) -> None:
    """Twelve updates at once, or seven (in the middle of an epoch, between log lines) and five more: the same bytes."""
    store = toy_store(60, COPY)
    chosen = settings(accumulate=accumulate, teacher_forcing=0.9, teacher_forcing_end=0.5)
    whole = make_trainer(tmp_path / "whole", store, chosen, *overrides, *DROPOUT)
    whole.fit()
    first = make_trainer(
        tmp_path / "parts",
        store,
        settings(accumulate=accumulate, teacher_forcing=0.9, teacher_forcing_end=0.5, max_steps=7),
        *overrides,
        *DROPOUT,
    )
    first.fit()
    torch.manual_seed(999)  # whatever happened in between
    second = make_trainer(tmp_path / "parts", store, chosen, *overrides, *DROPOUT, seed=1)
    torch.manual_seed(998)
    second.restore()
    assert second.state.step == 7
    second.fit()
    assert bytes_of(second, 12) == bytes_of(whole, 12)
    assert (second.state.epoch, second.state.position, second.state.tokens) == (
        whole.state.epoch,
        whole.state.position,
        whole.state.tokens,
    )


OPTIMIZERS: dict[str, dict[str, Any]] = {
    **{path.stem: composed(f"optimizer={path.stem}")["optimizer"] for path in (ROOT / "configs/optimizer").iterdir()},
    **{name: {"_target_": f"torch.optim.{name}"} for name in torch.optim.__all__ if name[0].isupper()},
    "SGD with momentum": {"_target_": "torch.optim.SGD", "momentum": 0.9, "nesterov": True},
    "Adam with amsgrad": {"_target_": "torch.optim.Adam", "amsgrad": True},
    "centred RMSprop": {"_target_": "torch.optim.RMSprop", "centered": True, "momentum": 0.5},
}
REFUSED = ("LBFGS", "Muon", "SparseAdam")


@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() - {"Optimizer", *REFUSED}))
def test_every_optimiser_resumes_bit_exact(tmp_path: Path, name: str) -> None:
    store, spec = toy_store(60, COPY), OPTIMIZERS[name]
    whole = make_trainer(tmp_path / "whole", store, settings(max_steps=5), optimizer=spec)
    whole.fit()
    make_trainer(tmp_path / "parts", store, settings(max_steps=3), optimizer=spec).fit()
    second = make_trainer(tmp_path / "parts", store, settings(max_steps=5), optimizer=spec)
    torch.manual_seed(9)
    second.restore()
    second.fit()
    assert bytes_of(second, 5) == bytes_of(whole, 5)


@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() & set(REFUSED)))  # PyTorch 2.6 has no Muon
def test_an_optimiser_that_cannot_train_here_is_refused_before_any_work(name: str) -> None:
    config = load_config(composed() | {"optimizer": OPTIMIZERS[name]})
    with pytest.raises(UserError, match=f"torch.optim.{name} cannot be used with these settings of optimizer: "):
        check_parts(config, ALONE)


def test_the_state_of_another_optimiser_is_one_sentence(tmp_path: Path) -> None:
    store = toy_store(60, COPY)
    make_trainer(tmp_path, store, settings(max_steps=2), optimizer=OPTIMIZERS["Adafactor"]).fit()
    for name in ("Adadelta", "Adam", "sgd"):
        with pytest.raises(UserError, match="does not fit this training"):
            make_trainer(tmp_path, store, settings(), optimizer=OPTIMIZERS[name]).restore()


def test_same_seed_same_bytes_other_seed_other_bytes(tmp_path: Path) -> None:
    store = toy_store(60, COPY)
    runs = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        trainer = make_trainer(tmp_path / name, store, settings(max_steps=5), *DROPOUT, seed=seed)
        trainer.fit()
        runs.append(bytes_of(trainer, 5))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
def test_mixed_precision_trains_and_resumes(tmp_path: Path, precision: torch.dtype) -> None:
    store = toy_store(60, COPY)
    whole = make_trainer(tmp_path / "a", store, settings(), precision=precision)
    whole.fit()
    make_trainer(tmp_path / "b", store, settings(max_steps=6), precision=precision).fit()
    second = make_trainer(tmp_path / "b", store, settings(), precision=precision)
    second.restore()
    assert second.scaler.is_enabled() == (precision == torch.float16)
    second.fit()
    assert bytes_of(second, 12) == bytes_of(whole, 12)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_finishes_the_step_saves_and_can_go_on(tmp_path: Path, number: int, code: int) -> None:
    store = toy_store(60, COPY)
    before = signal.getsignal(number)

    def interrupt(model: object) -> Validation:
        os.kill(os.getpid(), number)
        return Validation({"bleu": 1.0, "loss": 1.0}, [], {})

    trainer = make_trainer(tmp_path, store, settings(validate_every=4), validate=interrupt)
    with pytest.raises(Interrupted) as stop:
        trainer.fit()
    assert stop.value.exit_code == code
    assert signal.getsignal(number) is before
    resumed = make_trainer(tmp_path, store, settings())
    resumed.restore()
    assert resumed.state.step == 4
    assert resumed.fit() == "12 updates made"


def test_a_signal_during_the_last_validation_counts(tmp_path: Path) -> None:
    def interrupt(model: object) -> Validation:
        os.kill(os.getpid(), signal.SIGTERM)
        return Validation({"bleu": 1.0}, [], {})

    with pytest.raises(Interrupted):
        make_trainer(tmp_path, toy_store(60, COPY), settings(), validate=interrupt).fit()


def test_precision_may_change_on_the_way(tmp_path: Path) -> None:
    store = toy_store(60, COPY)
    for precision, steps in ((None, 4), (torch.float16, 8), (torch.bfloat16, 12)):
        trainer = make_trainer(tmp_path, store, settings(max_steps=steps), precision=precision)
        if steps > 4:
            trainer.restore()
        trainer.fit()
    assert trainer.checkpoints.steps() == [4, 8, 12]  # 4 is the best of three equal ones


def test_an_interrupted_validation_is_given_up_and_made_up_for(tmp_path: Path) -> None:
    """The signal does not wait for it; weights, early stopping and the best end as if nothing had happened."""
    store, chosen = toy_store(60, COPY), settings(validate_every=4, patience=3)

    def scored(model: torch.nn.Module) -> Validation:
        return Validation({"bleu": float(next(model.parameters()).detach().sum())}, [], {})

    def interrupted(model: torch.nn.Module) -> Validation:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
        raise AssertionError("the signal should have ended this")

    whole = make_trainer(tmp_path / "whole", store, chosen, *DROPOUT, validate=scored)
    whole.fit()
    first = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT, validate=interrupted)
    with pytest.raises(Interrupted):
        first.fit()
    assert (first.state.step, first.state.validated_step, first.state.best) == (4, 0, None)
    second = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT, validate=scored)
    second.restore()
    second.fit()
    assert bytes_of(second, 12) == bytes_of(whole, 12)
    ours, theirs = dataclasses.asdict(second.state), dataclasses.asdict(whole.state)
    assert ours | {"seconds": 0} == theirs | {"seconds": 0}


def test_the_curves_of_a_resumed_run_are_those_of_a_whole_one(tmp_path: Path) -> None:
    """Ended at update 12, with step 10 in TensorBoard but not on disk: each step is shown once, with its value."""
    store, chosen = toy_store(60, COPY), settings(log_every=5, validate_every=4, save_every=3)

    def scored(model: torch.nn.Module) -> Validation:
        return Validation({"bleu": float(next(model.parameters()).detach().sum())}, [], {})

    make_trainer(tmp_path / "whole", store, chosen, *DROPOUT, validate=scored).fit()
    first = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT, validate=scored)
    epoch, batch, tokens = dataclasses.astuple(first.data)

    def die_at_twelve(indices: object) -> object:
        if first.state.step == 11:
            raise MemoryError
        return batch(indices)

    first.data = Data(epoch, die_at_twelve, tokens)
    with pytest.raises(MemoryError):
        first.fit()
    first.monitor.events.close()
    assert max(step for step, _ in curves(tmp_path / "parts")["train/loss"]) == 10
    second = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT, validate=scored)
    second.restore()
    assert second.state.step == 9
    second.fit()
    second.monitor.events.close()
    assert curves(tmp_path / "parts") == curves(tmp_path / "whole")
    assert [step for step, _ in curves(tmp_path / "parts")["train/loss"]] == [5, 10, 12]
    third = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT, validate=scored)
    third.restore()
    third.fit()  # nothing is left to do, and nothing is said twice
    assert curves(tmp_path / "parts") == curves(tmp_path / "whole")


@pytest.fixture
def hearing_ctrl_c() -> Iterator[None]:
    """What a shell starts in the background ignores SIGINT, and the tests may be such a thing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hearing_ctrl_c")
def test_a_second_signal_ends_at_once_and_saves_nothing_that_is_half_done(tmp_path: Path) -> None:
    """Between the optimiser's step and the count of it, weights and step do not belong together."""
    store, chosen = toy_store(60, COPY), settings(save_every=4)
    whole = make_trainer(tmp_path / "whole", store, chosen, *DROPOUT)
    whole.fit()
    first = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT)
    counted = first.meter.add_update

    def signals_at_seven(norm: torch.Tensor, tokens: int) -> None:
        if first.state.step == 6:
            signal.raise_signal(signal.SIGTERM)  # os.kill may choose another thread, and be heard later
            signal.raise_signal(signal.SIGINT)
        counted(norm, tokens)

    first.meter.add_update = signals_at_seven  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        first.fit()
    assert first.checkpoints.steps() == [4]
    second = make_trainer(tmp_path / "parts", store, chosen, *DROPOUT)
    second.restore()
    second.fit()
    assert bytes_of(second, 12) == bytes_of(whole, 12)


def test_a_request_that_nobody_asked_about_is_raised_at_the_end() -> None:
    with pytest.raises(Stopping, match="SIGTERM"), InterruptRequest() as request:
        os.kill(os.getpid(), signal.SIGTERM)
        assert request.number == signal.SIGTERM


def test_a_patient_process_hears_one_signal_only() -> None:
    with InterruptRequest(patient=True) as request:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert request.number == signal.SIGTERM
        with pytest.raises(Stopping), request.raised_at_once():
            raise AssertionError("not reached")


@pytest.mark.parametrize(
    "forged", ["too small", "missing", "of no parameter", "sums", "no sums", "no rng.cpu", "position", "seconds"]
)
def test_a_forged_checkpoint_is_one_sentence(tmp_path: Path, forged: str) -> None:
    """Its checksums fit. The optimiser's fast kernels would read and write wherever the sizes led them."""
    store, chosen = toy_store(60, COPY), settings(max_steps=4)
    trainer = make_trainer(tmp_path, store, chosen)
    trainer.fit()
    directory = trainer.checkpoints.path(4)
    tensors = load_file(directory / TENSORS)
    numbers = json.loads((directory / NUMBERS).read_text())
    if forged == "too small":
        tensors["optimizer.3.exp_avg"] = torch.zeros(1)
    elif forged == "missing":
        del tensors["optimizer.0.exp_avg_sq"]
    elif forged == "of no parameter":
        tensors |= {key.replace(".0.", ".999."): value for key, value in tensors.items() if ".0." in key}
        tensors = {key: value for key, value in tensors.items() if not key.startswith("optimizer.0.")}
    elif forged.startswith("no "):
        del tensors[forged.removeprefix("no ")]
    elif forged == "sums":
        tensors["sums"] = torch.zeros(1, 2)
    elif forged == "position":
        numbers["state"]["position"] = 999
    else:
        numbers["interval_seconds"] = "x"
    save_file(tensors, directory / TENSORS)
    write_json(directory / NUMBERS, numbers)
    write_sums(directory)
    with pytest.raises(UserError, match="does not fit this training"):
        make_trainer(tmp_path, store, chosen).restore()


def curves(run: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard shows of a run, but for the speed."""
    events = EventAccumulator(str(run / "tensorboard"))
    events.Reload()
    tags = [tag for tag in events.Tags()["scalars"] if not tag.endswith("tokens_per_second")]
    return {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in tags}
