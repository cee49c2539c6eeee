"""The training loop: teacher-forced updates, validation, checkpoints, a stop that loses nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nmt.config import TrainSettings
from nmt.training.checkpoint import Checkpoints, Snapshot, optimizer_tensors, restore_optimizer
from nmt.training.finite import FiniteWatch
from nmt.training.interrupt import Interrupted, InterruptRequest
from nmt.training.loss import token_loss
from nmt.training.monitor import Monitor, Validation
from nmt.training.schedule import Schedule
from nmt.training.state import TrainState

SUMS = ("objective", "nll", "correct", "gradient_norm", "tokens", "updates")


@dataclass(frozen=True)
class Data:
    """What the trainer asks of the data: an order for each epoch, and batches by their pairs' numbers."""

    epoch: Callable[[int], Sequence[np.ndarray]]
    batch: Callable[[np.ndarray], Any]


class Trainer:
    """Trains one model; each part decides for itself whether it is due."""

    def __init__(
        self,
        model: nn.Module,
        data: Data,
        optimizer: torch.optim.Optimizer,
        schedule: Schedule,
        settings: TrainSettings,
        checkpoints: Checkpoints,
        monitor: Monitor,
        validate: Callable[[], Validation],
        device: torch.device,
        precision: torch.dtype | None,
    ) -> None:
        """Put the parts together; `validate` scores the model that is being trained, in evaluation mode."""
        self.model, self.data, self.device, self.precision = model, data, device, precision
        self.optimizer, self.schedule, self.settings = optimizer, schedule, settings
        self.checkpoints, self.monitor, self.validate = checkpoints, monitor, validate
        self.output: Any = model.output  # the last layer belongs to the loss, which applies it to real tokens only
        self.base_rates = [group["lr"] for group in optimizer.param_groups]
        self.scaler = torch.amp.GradScaler(device.type, enabled=precision == torch.float16)
        self.forward = torch.compile(model) if settings.compile else model
        self.state = TrainState()
        self.watch = FiniteWatch()
        # Sums since the last log line stay on the device: reading them makes the host wait for a GPU.
        self.sums = torch.zeros(len(SUMS), device=device)
        self._epoch_groups: tuple[int, list[Sequence[np.ndarray]]] = (-1, [])
        self._interval_seconds = 0.0

    def fit(self) -> str:
        """Train until a limit is reached; gives the reason for stopping."""
        self.model.train()
        self._started = time.perf_counter() - self.state.seconds
        with InterruptRequest() as request, self.monitor.live(self.state.step):
            while (reason := self._reason_to_stop()) is None:
                self._update()
                if self._due(self.settings.log_every):
                    self._log()
                    self._begin_interval()
                if self._due(self.settings.validate_every, at_epoch_end=True):
                    self._validate()
                elif self._due(self.settings.save_every):
                    self.save()
                if request.signal_number is not None:
                    break
            else:
                self._log()
                if self.state.validated_step != self.state.step:
                    self._validate()
            if request.signal_number is not None:
                self.save()
                raise Interrupted(request.signal_number)
        assert reason is not None
        return reason

    def save(self) -> None:
        """Write a checkpoint of this step."""
        self.watch.check()
        tensors = {"rng.cpu": torch.get_rng_state(), "sums": self.sums, **optimizer_tensors(self.optimizer)}
        if self.device.type != "cpu":
            tensors["rng.device"] = torch.get_device_module(self.device).get_rng_state()
        numbers = {"scaler": self.scaler.state_dict(), "interval_seconds": self._interval_seconds}
        self.checkpoints.save(self.model, Snapshot(self.state, numbers, tensors))

    def restore(self) -> None:
        """Go back to the last checkpoint: weights, optimiser, random numbers, place in the data."""
        self.state, numbers, tensors = self.checkpoints.load_last(self.model, self.device)
        restore_optimizer(self.optimizer, tensors)
        if self.scaler.is_enabled() and numbers["scaler"]:
            self.scaler.load_state_dict(numbers["scaler"])
        self._interval_seconds = numbers["interval_seconds"]
        self.sums.copy_(tensors["sums"])
        torch.set_rng_state(tensors["rng.cpu"].cpu())
        if self.device.type != "cpu" and "rng.device" in tensors:
            torch.get_device_module(self.device).set_rng_state(tensors["rng.device"].cpu())

    def _update(self) -> None:
        """One update of the weights: the gradients of `accumulate` batches, over all their target tokens."""
        began = time.perf_counter()
        groups = self._groups(self.state.epoch)
        group = groups[self.state.position]
        batches = [self.data.batch(indices) for indices in group]
        tokens = sum(batch.tokens for batch in batches)
        for parameters, rate in zip(self.optimizer.param_groups, self.base_rates, strict=True):
            parameters["lr"] = rate * self.schedule(self.state.step)
        objective = torch.stack([self._backward(batch, tokens) for batch in batches]).sum()
        self.scaler.unscale_(self.optimizer)  # before clipping, so that the limit means the same in fp16
        norm = self._clip()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)

        # fp16 gradients overflow now and then by design, and the scaler skips the update; a bad loss is never right.
        watched = objective if self.scaler.is_enabled() else objective + norm
        self.watch.note(watched, self.state.step, self.state.epoch, np.concatenate(group))
        self.sums[3] += norm
        self.sums[4] += tokens
        self.sums[5] += 1
        self._advance(tokens, last_of_epoch=self.state.position + 1 == len(groups))
        self._interval_seconds += time.perf_counter() - began
        if self.device.type == "cpu":  # reading costs nothing here; a GPU is asked when something is logged or saved
            self.watch.check()

    def _backward(self, batch: Any, tokens: int) -> Tensor:
        """Add a batch's gradients; gives its share of the objective."""
        forcing = self.settings.teacher_forcing_at(self.state.step)
        with self._autocast():
            output = self.forward(batch.source, batch.source_lengths, batch.target_in, forcing)
        smoothing = self.settings.label_smoothing
        sums = token_loss(output.readout, batch.target_out, batch.real, self.output, smoothing)
        objective = sums.objective / tokens
        self.scaler.scale(objective).backward()
        self.sums[:3] += torch.stack([part.detach().float() for part in sums])
        return objective.detach()

    def _clip(self) -> Tensor:
        """Scale the gradients down to `clip_norm`, if they are longer; gives the length that they had."""
        parameters = list(self.model.parameters())
        norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
        limit = self.settings.clip_norm
        # A GPU multiplies by 1 rather than be asked; on a CPU that would be a pass over memory for nothing.
        if limit and (self.device.type != "cpu" or norm > limit):
            nn.utils.clip_grads_with_norm_(parameters, limit, norm)
        return norm

    def _autocast(self) -> AbstractContextManager[Any]:
        if self.precision is None:
            return nullcontext()
        return torch.autocast(self.device.type, dtype=self.precision)

    def _advance(self, tokens: int, last_of_epoch: bool) -> None:
        state = self.state
        state.step += 1
        state.tokens += tokens
        state.position += 1
        state.seconds = time.perf_counter() - self._started
        if last_of_epoch:
            state.epoch, state.position = state.epoch + 1, 0

    def _groups(self, epoch: int) -> list[Sequence[np.ndarray]]:
        """The batches of each update of an epoch."""
        if self._epoch_groups[0] != epoch:
            order, size = self.data.epoch(epoch), self.settings.accumulate
            self._epoch_groups = epoch, [order[i : i + size] for i in range(0, len(order), size)]
        return self._epoch_groups[1]

    def _due(self, every: int | None, at_epoch_end: bool = False) -> bool:
        if every is None:
            return at_epoch_end and self.state.position == 0
        return self.state.step % every == 0

    def _log(self) -> None:
        """Report the averages of the interval so far."""
        began = time.perf_counter()
        objective, nll, correct, norms, tokens, updates = self.sums.tolist()  # waits for a GPU to catch up
        self.watch.check()
        if not updates:
            return
        self._interval_seconds += time.perf_counter() - began
        self.monitor.training(
            self.state,
            {
                "loss": objective / tokens,
                "perplexity": math.exp(min(nll / tokens, 100.0)),
                "accuracy": correct / tokens,
                "gradient_norm": norms / updates,
                "learning_rate": self.optimizer.param_groups[0]["lr"],
                "tokens_per_second": tokens / self._interval_seconds,
            },
        )

    def _begin_interval(self) -> None:
        self.sums.zero_()
        self._interval_seconds = 0.0

    def _validate(self) -> None:
        """Score the model, remember whether it is the best so far, and save."""
        self.watch.check()
        self.model.eval()
        validation = self.validate()
        self.model.train()
        state = self.state
        value = validation.metrics[self.settings.monitor]
        sign = -1 if self.settings.monitor == "loss" else 1
        is_best = state.best is None or sign * value > sign * state.best
        if is_best:
            state.best, state.best_step, state.validations_since_best = value, state.step, 0
        else:
            state.validations_since_best += 1
        state.validated_step = state.step
        state.seconds = time.perf_counter() - self._started
        self.monitor.validation(state, validation, is_best)
        self.save()

    def _reason_to_stop(self) -> str | None:
        state, settings = self.state, self.settings
        if settings.max_steps is not None and state.step >= settings.max_steps:
            return f"{state.step} updates made"
        if settings.max_epochs is not None and state.epoch >= settings.max_epochs:
            return f"{state.epoch} epochs finished"
        if settings.max_minutes is not None and state.seconds >= 60 * settings.max_minutes:
            return f"{settings.max_minutes:g} minutes used"
        if settings.patience is not None and state.validations_since_best >= settings.patience:
            return f"no better {settings.monitor} in {settings.patience} validations"
        return None
