import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from nmt.ranks import ALONE
from nmt.training.checkpoint import MODEL
from nmt.training.meter import Meter
from nmt.training.monitor import Validation
from nmt.training.trainer import Data, Trainer
from tests.conftest import KINDS, assert_refused
from tests.training.toys import resumed, toy_trainer, trained


def test_accumulation_equals_one_large_batch(tmp_path: Path) -> None:
    """The loss is per token over all batches of an update, so how they are cut does not matter."""
    large = trained(tmp_path / "large", pairs=24, batch_size=24, max_steps=6)
    small = trained(tmp_path / "small", pairs=24, batch_size=5, accumulate=5, max_steps=6)
    for a, b in zip(large.model.parameters(), small.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=2e-5)


def test_clipping_bounds_the_unscaled_gradient(tmp_path: Path) -> None:
    """With SGD of rate 1, the weights move by at most the limit, in fp16 too."""
    for name, precision in (("fp32", None), ("fp16", torch.float16)):
        trainer = toy_trainer(tmp_path / name, clip_norm=0.01, max_steps=1, precision=precision)
        trainer.optimizer = torch.optim.SGD(trainer.model.parameters(), lr=1.0)
        trainer.base_rates = [1.0]
        trainer.scaler = torch.amp.GradScaler("cpu", enabled=precision is not None, init_scale=128.0)
        trainer.schedule.warmup_steps = 0
        before = [p.detach().clone() for p in trainer.model.parameters()]
        trainer.fit()
        moved = math.sqrt(
            sum(float((a - b).detach().square().sum()) for a, b in zip(before, trainer.model.parameters(), strict=True))
        )
        assert moved == pytest.approx(0.01, rel=0.02)


def test_a_loss_that_is_not_finite_stops_training_and_names_the_update(tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, save_every=2)
    trainer.schedule = lambda step: 1.0 if step < 4 else float("nan")  # type: ignore[assignment]
    assert_refused(r"not finite at update 6 \(epoch 1\)", trainer.fit)
    assert trainer.checkpoints.steps() == [2, 4]
    for path in trainer.checkpoints.directory.iterdir():
        assert path.name in ("step-00000002", "step-00000004")


def scores_in_turn(name: str, *values: float) -> Callable[[object], Validation]:
    scores = iter(values)
    return lambda model: Validation({name: next(scores)}, [], {})


def test_best_last_and_the_one_before_are_kept(tmp_path: Path) -> None:
    scores = scores_in_turn("bleu", 1.0, 5.0, 2.0, 3.0, 4.0, 4.5)
    trainer = trained(tmp_path, validate_every=2, patience=None, validate=scores)
    assert trainer.state.best_step == 4
    assert trainer.checkpoints.steps() == [4, 10, 12]


@pytest.mark.parametrize(("monitor", "values"), [("bleu", [3.0, 2.0, 2.0, 9.0]), ("loss", [2.0, 3.0, 3.0, 1.0])])
def test_patience(tmp_path: Path, monitor: str, values: list[float]) -> None:
    scores = scores_in_turn(monitor, *values)
    trainer = toy_trainer(tmp_path, validate_every=2, patience=2, monitor=monitor, validate=scores)
    assert trainer.fit() == f"no better {monitor} in 2 validations"
    assert (trainer.state.step, trainer.state.best_step, trainer.state.best) == (6, 2, values[0])


def test_time_is_a_limit(tmp_path: Path) -> None:
    assert toy_trainer(tmp_path, max_steps=100_000, max_minutes=0.005).fit() == "0.005 minutes used"


def test_a_save_that_fails_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trained(tmp_path, max_steps=4)
    files = sorted(tmp_path.rglob("checkpoints/**/*"))
    trainer.state.step = 5

    def full_disk(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nmt.training.checkpoint.save_file", full_disk)
    with pytest.raises(OSError, match="No space left"):
        trainer.save()
    assert sorted(tmp_path.rglob("checkpoints/**/*")) == files


def test_the_best_of_the_last_step_is_remembered(tmp_path: Path) -> None:
    """The last step may be saved before it is validated; what validation found must be saved as well."""
    trained(tmp_path, max_steps=4, save_every=2, validate=scores_in_turn("bleu", 50.0))
    again = resumed(tmp_path)
    assert (again.state.best, again.state.best_step, again.state.validated_step) == (50.0, 4, 4)


def test_a_best_that_was_lost_with_a_damaged_checkpoint_is_forgotten(tmp_path: Path) -> None:
    trainer = trained(tmp_path, validate_every=4, validate=scores_in_turn("bleu", 1.0, 0.5, 2.0))
    assert trainer.checkpoints.steps() == [8, 12]  # 4, the best until 12 came, is gone
    (trainer.checkpoints.path(12) / MODEL).unlink()
    again = resumed(tmp_path)
    assert (again.state.step, again.state.best, again.state.best_step) == (8, None, None)


@pytest.mark.parametrize(
    ("name", "forcing"),
    [
        *(pytest.param(*kind.values, 1.0, marks=kind.marks) for kind in KINDS),
        ("bahdanau", 0.5),
        ("stacked", 0.5),
        ("seq2seq", 0.5),
    ],
)
def test_an_update_never_waits_for_a_gpu(tmp_path: Path, name: str, forcing: float) -> None:
    """Meta tensors stand for a GPU's: they have no values, so whatever reads one, by .item() or .cpu(), raises."""
    trainer = toy_trainer(tmp_path, f"model={name}", dropout=0.3, pairs=5, accumulate=2, teacher_forcing=forcing)
    put_on(trainer, torch.device("meta"))
    updates = 2 if name == "bahdanau" else 1  # they take long
    for _ in range(updates):
        trainer._update()
    assert trainer.state.step == updates
    with pytest.raises(NotImplementedError, match="meta"):  # a log line is where the values are asked for
        trainer._log()


def put_on(trainer: Trainer, device: torch.device) -> None:
    """Move a new trainer to a device."""
    trainer.model.to(device).train()
    trainer.device, trainer.meter = device, Meter(device, ALONE)
    trainer.optimizer = torch.optim.AdamW(trainer.model.parameters())
    on_host = trainer.data.batch
    trainer.data = Data(trainer.data.epoch, lambda indices: on_host(indices).to(device), trainer.data.tokens)
    trainer._started = 0.0


def test_clipping_scales_long_gradients_only(tmp_path: Path) -> None:
    norms = {}
    for limit in (0.0, 1e6, 1e-3):
        trainer = toy_trainer(tmp_path / str(limit), clip_norm=limit)
        for parameter in trainer.model.parameters():
            parameter.grad = torch.ones_like(parameter)
        before = trainer._clip()
        gradients = [parameter.grad.flatten() for parameter in trainer.model.parameters()]
        norms[limit] = (float(before), float(torch.cat(gradients).norm()))
    unclipped = norms[0.0][0]
    assert norms[0.0] == norms[1e6] == pytest.approx((unclipped, unclipped))
    assert norms[1e-3] == pytest.approx((unclipped, 1e-3), rel=1e-3)
