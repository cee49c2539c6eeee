"""Interrupted and gone on with, a run ends as if nothing had happened."""

import dataclasses
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.composition import composed
from nmt.files import write_sums
from nmt.interrupt import InterruptRequest, Stopping
from nmt.pipeline import check_parts
from nmt.ranks import ALONE
from nmt.training.checkpoint import TENSORS
from nmt.training.monitor import Validation
from nmt.training.trainer import Data
from tests.conftest import ROOT, assert_refused
from tests.training.toys import bytes_of, resumed, toy_trainer, trained


@pytest.mark.parametrize("overrides", [("model=bahdanau",), ("model=luong", "model/cell=lstm")], ids=" ".join)
@pytest.mark.parametrize("changes", [{}, {"accumulate": 3}, {"average_decay": 0.9}], ids=str)
def test_resume_is_bit_exact(tmp_path: Path, overrides: tuple[str, ...], changes: dict[str, Any]) -> None:
    """Twelve updates at once, or seven (in the middle of an epoch, between log lines) and five more: the same bytes."""
    chosen: dict[str, Any] = {"teacher_forcing": 0.9, "teacher_forcing_end": 0.5, **changes}
    whole = trained(tmp_path / "whole", *overrides, dropout=0.3, **chosen)
    trained(tmp_path / "parts", *overrides, dropout=0.3, **chosen, max_steps=7)
    second = resumed(tmp_path / "parts", *overrides, dropout=0.3, **chosen)
    assert second.state.step == 7
    second.fit()
    assert bytes_of(second) == bytes_of(whole)
    assert all(map(torch.equal, second.model.parameters(), whole.model.parameters()))
    places = [(state.epoch, state.position, state.tokens) for state in (second.state, whole.state)]
    assert places[0] == places[1]


OPTIMIZERS: dict[str, dict[str, Any]] = {
    **{path.stem: composed(f"optimizer={path.stem}").optimizer for path in (ROOT / "configs/optimizer").iterdir()},
    **{name: {"_target_": f"torch.optim.{name}"} for name in torch.optim.__all__ if name[0].isupper()},
    "SGD with momentum": {"_target_": "torch.optim.SGD", "momentum": 0.9, "nesterov": True},
    "Adam with amsgrad": {"_target_": "torch.optim.Adam", "amsgrad": True},
    "centred RMSprop": {"_target_": "torch.optim.RMSprop", "centered": True, "momentum": 0.5},
}
REFUSED = ("LBFGS", "Muon", "SparseAdam")


@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() - {"Optimizer", *REFUSED}))
def test_every_optimiser_resumes_bit_exact(tmp_path: Path, name: str) -> None:
    spec = OPTIMIZERS[name]
    whole = trained(tmp_path / "whole", max_steps=5, optimizer=spec)
    trained(tmp_path / "parts", max_steps=3, optimizer=spec)
    second = resumed(tmp_path / "parts", max_steps=5, optimizer=spec)
    second.fit()
    assert bytes_of(second) == bytes_of(whole)


@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() & set(REFUSED)))  # PyTorch 2.6 has no Muon
def test_an_optimiser_that_cannot_train_here_is_refused_before_any_work(name: str) -> None:
    config = dataclasses.replace(composed(), optimizer=OPTIMIZERS[name])
    assert_refused(f"torch.optim.{name} cannot be used with these settings of optimizer: ", check_parts, config, ALONE)


def test_the_state_of_another_optimiser_is_one_sentence(tmp_path: Path) -> None:
    trained(tmp_path, max_steps=2, optimizer=OPTIMIZERS["Adafactor"])
    for name in ("Adadelta", "Adam", "sgd"):
        assert_refused("does not fit this training", resumed, tmp_path, optimizer=OPTIMIZERS[name])


def test_same_seed_same_bytes_other_seed_other_bytes(tmp_path: Path) -> None:
    seeds = {"a": 1, "b": 1, "c": 2}
    a, b, c = (bytes_of(trained(tmp_path / name, dropout=0.3, max_steps=5, seed=seed)) for name, seed in seeds.items())
    assert a == b != c


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
def test_mixed_precision_trains_and_resumes(tmp_path: Path, precision: torch.dtype) -> None:
    whole = trained(tmp_path / "a", precision=precision)
    trained(tmp_path / "b", max_steps=6, precision=precision)
    second = resumed(tmp_path / "b", precision=precision)
    assert second.scaler.is_enabled() == (precision == torch.float16)
    second.fit()
    assert bytes_of(second) == bytes_of(whole)


def scored(model: torch.nn.Module) -> Validation:
    """A validation whose score the weights decide."""
    return Validation({"bleu": float(next(model.parameters()).detach().sum())}, [], {})


def interrupts(number: int, seconds: float = 0.0) -> Callable[[object], Validation]:
    """A validation during which a signal comes."""

    def validate(model: object) -> Validation:
        os.kill(os.getpid(), number)
        time.sleep(seconds)
        assert not seconds, "the signal should have ended this"
        return Validation({"bleu": 1.0, "loss": 1.0}, [], {})

    return validate


@pytest.fixture
def heard() -> Iterator[None]:
    """A shell starts background jobs with SIGINT ignored, and nohup with SIGHUP: this may be true of the tests."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_finishes_the_step_saves_and_can_go_on(tmp_path: Path, number: int, code: int) -> None:
    before = signal.getsignal(number)
    with pytest.raises(Stopping) as stop:
        trained(tmp_path, validate_every=4, validate=interrupts(number))
    assert stop.value.exit_code == code
    assert signal.getsignal(number) is before
    second = resumed(tmp_path)
    assert second.state.step == 4
    assert second.fit() == "12 updates made"


def test_a_signal_during_the_last_validation_counts(tmp_path: Path) -> None:
    with pytest.raises(Stopping):
        trained(tmp_path, validate=interrupts(signal.SIGTERM))


def test_precision_may_change_on_the_way(tmp_path: Path) -> None:
    trained(tmp_path, max_steps=4)
    for precision, steps in ((torch.float16, 8), (torch.bfloat16, 12)):
        trainer = resumed(tmp_path, max_steps=steps, precision=precision)
        trainer.fit()
    assert trainer.checkpoints.steps() == [4, 8, 12]  # 4 is the best of three equal ones


def test_an_interrupted_validation_is_given_up_and_made_up_for(tmp_path: Path) -> None:
    """The signal does not wait for it; weights, early stopping and the best end as if nothing had happened."""
    chosen = {"validate_every": 4, "patience": 3}
    whole = trained(tmp_path / "whole", dropout=0.3, **chosen, validate=scored)
    first = toy_trainer(tmp_path / "parts", dropout=0.3, **chosen, validate=interrupts(signal.SIGTERM, seconds=5))
    with pytest.raises(Stopping):
        first.fit()
    assert (first.state.step, first.state.validated_step, first.state.best) == (4, 0, None)
    second = resumed(tmp_path / "parts", dropout=0.3, **chosen, validate=scored)
    second.fit()
    assert bytes_of(second) == bytes_of(whole)
    ours, theirs = dataclasses.asdict(second.state), dataclasses.asdict(whole.state)
    assert ours | {"seconds": 0} == theirs | {"seconds": 0}


def test_the_curves_of_a_resumed_run_are_those_of_a_whole_one(tmp_path: Path) -> None:
    """Ended at update 12, with step 10 in TensorBoard but not on disk: each step is shown once, with its value."""
    chosen: dict[str, Any] = {"log_every": 5, "validate_every": 4, "save_every": 3, "validate": scored}
    trained(tmp_path / "whole", dropout=0.3, **chosen)
    first = toy_trainer(tmp_path / "parts", dropout=0.3, **chosen)
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
    for step in (9, 12):  # the second time nothing is left to do, and nothing is said twice
        second = resumed(tmp_path / "parts", dropout=0.3, **chosen)
        assert second.state.step == step
        second.fit()
        second.monitor.events.close()
        assert curves(tmp_path / "parts") == curves(tmp_path / "whole")
    assert [step for step, _ in curves(tmp_path / "parts")["train/loss"]] == [5, 10, 12]


@pytest.mark.usefixtures("heard")
def test_a_second_signal_ends_at_once_and_saves_nothing_that_is_half_done(tmp_path: Path) -> None:
    """Between the optimiser's step and the count of it, weights and step do not belong together."""
    whole = trained(tmp_path / "whole", dropout=0.3, save_every=4)
    first = toy_trainer(tmp_path / "parts", dropout=0.3, save_every=4)
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
    second = resumed(tmp_path / "parts", dropout=0.3, save_every=4)
    second.fit()
    assert bytes_of(second) == bytes_of(whole)


def test_a_request_that_nobody_asked_about_is_raised_at_the_end() -> None:
    with pytest.raises(Stopping, match="SIGTERM"), InterruptRequest() as request:
        os.kill(os.getpid(), signal.SIGTERM)
        assert request.number == signal.SIGTERM


@pytest.mark.usefixtures("heard")
def test_a_terminal_that_closes_may_say_so_twice() -> None:
    """The shell sends SIGHUP to its jobs, and the kernel once more when the shell ends: the save goes on."""
    with pytest.raises(Stopping, match="SIGHUP"), InterruptRequest() as request:
        for _ in range(2):
            signal.raise_signal(signal.SIGHUP)
        assert request.number == signal.SIGHUP
        with pytest.raises(KeyboardInterrupt):  # of somebody who does not want to wait
            signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("heard")
def test_a_hang_up_stays_ignored_under_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with InterruptRequest() as request:
        signal.raise_signal(signal.SIGHUP)
        assert request.number == 0


def test_a_patient_process_hears_one_signal_only() -> None:
    with InterruptRequest(patient=True) as request:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert request.number == signal.SIGTERM
        with pytest.raises(Stopping), request.raised_at_once():
            raise AssertionError("not reached")


def test_a_state_of_other_sizes_does_not_reach_the_optimiser(tmp_path: Path) -> None:
    """Its fast kernels would read and write wherever the sizes led them."""
    directory = trained(tmp_path, max_steps=4).checkpoints.path(4)
    save_file(load_file(directory / TENSORS) | {"optimizer.3.exp_avg": torch.zeros(1)}, directory / TENSORS)
    write_sums(directory)
    assert_refused("does not fit this training", resumed, tmp_path, max_steps=4)


def curves(run: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard shows of a run, but for the speed."""
    events = EventAccumulator(str(run / "tensorboard"))
    events.Reload()
    tags = [tag for tag in events.Tags()["scalars"] if not tag.endswith("tokens_per_second")]
    return {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in tags}
