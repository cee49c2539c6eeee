"""The training loop: teacher-forced updates, validation, checkpoints, and a save when a signal stops it."""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nmt.config import TrainSettings
from nmt.device import autocast
from nmt.errors import UserError
from nmt.interrupt import InterruptRequest, Stopping
from nmt.memory import return_freed
from nmt.metrics import is_improvement
from nmt.ranks import ALONE, Ranks
from nmt.training.average import WeightAverage
from nmt.training.checkpoint import Checkpoints, Snapshot, broadcast_snapshot, optimizer_tensors, restore_optimizer
from nmt.training.loss import token_loss
from nmt.training.meter import Meter
from nmt.training.monitor import Monitor, Validation
from nmt.training.nan_guard import NanGuard
from nmt.training.schedule import Schedule
from nmt.training.state import TrainState, is_last_update, reason_to_stop


@dataclass(frozen=True)
class Data:
    """Functions that give the training data; pairs are named by their numbers."""

    epoch: Callable[[int], Sequence[np.ndarray]]  # the batches of an epoch, as pair numbers
    batch: Callable[[np.ndarray], Any]  # a batch of tensors, on the device
    tokens: Callable[[np.ndarray], int]  # target tokens of some pairs, known without loading them


class Trainer:
    """Trains one model."""

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
        ranks: Ranks = ALONE,
        keep: Callable[[int], None] = lambda step: None,
    ) -> None:
        """Combine the parts; `validate` scores the model, in evaluation mode, and `keep` may store it at some steps."""
        self.model, self.data, self.device, self.precision, self.ranks = model, data, device, precision, ranks
        self.optimizer, self.schedule, self.settings = optimizer, schedule, settings
        self.checkpoints, self.monitor, self.validate, self.keep = checkpoints, monitor, validate, keep
        self.output: Any = model.output  # the last layer belongs to the loss, which applies it to real tokens only
        self.base_rates = [group["lr"] for group in optimizer.param_groups]
        self.scaler = torch.amp.GradScaler(device.type, enabled=precision == torch.float16)
        self.scaler.scale(torch.zeros((), device=device))  # initialise the scale, even without a batch
        self.forward = torch.compile(model) if settings.compile else model
        self.average = WeightAverage(model, settings.average_decay)
        self.state = TrainState()
        self.nan_guard = NanGuard()
        self.meter = Meter(device, ranks)
        self._epoch_groups: tuple[int, list[Sequence[np.ndarray]]] = (-1, [])
        self._saved: tuple[int, int] | None = None

    def fit(self) -> str:
        """Train until a limit is reached and return the reason for stopping."""
        self.model.train()
        self.ranks.broadcast(parameter.detach() for parameter in self.model.parameters())
        self._started = time.perf_counter() - self.state.seconds
        with InterruptRequest(patient=self.ranks.size > 1) as self._request, self.monitor.live(self.state.step):
            try:
                if self.state.step == 0:
                    self.model.eval()
                    self.keep(0)
                    self.model.train()
                if self._validation_is_due():  # the validation of this step was interrupted
                    self._validate()
                    self._agree()
                while (reason := reason_to_stop(self.state, self.settings)) is None:
                    with self.meter.timed():
                        self._update()
                    if self._due(self.settings.log_every) or is_last_update(self.state, self.settings):
                        self._log()
                        self.meter.reset()
                    if self._validation_is_due():
                        self._validate()
                    elif self._due(self.settings.save_every):
                        self.save()
                    self._agree()
                if self.state.validated_step != self.state.step:
                    self._validate()
                    self._agree()
            except Stopping:
                if self._saved != (self.state.step, self.state.validated_step):
                    self.save()
                raise
        return reason

    def save(self) -> None:
        """Write a checkpoint of this step."""
        self.nan_guard.check()
        tensors = {
            "rng.cpu": self.ranks.all_gather(torch.get_rng_state()),
            "sums": self.ranks.all_gather(self.meter.sums),
        }
        if self.device.type != "cpu":
            state = torch.get_device_module(self.device).get_rng_state()
            tensors[f"rng.{self.device.type}"] = self.ranks.all_gather(state)
        numbers = {"scaler": self.scaler.state_dict(), "interval_seconds": self.meter.seconds}
        if self.ranks.is_first:
            tensors |= optimizer_tensors(self.optimizer) | self.average.tensors()
            with self.average.in_place():
                self.checkpoints.save(self.model, Snapshot(self.state, numbers, tensors))
        self._saved = self.state.step, self.state.validated_step

    def restore(self) -> None:
        """Restore the last checkpoint: weights, optimiser, RNG, position in the data."""
        found = self.checkpoints.load_last(self.model) if self.ranks.is_first else None
        snapshot = broadcast_snapshot(found, self.ranks)
        try:
            self._put_back(snapshot)
        except (RuntimeError, ValueError, TypeError, LookupError) as error:  # undamaged, but of another version
            where = self.checkpoints.path(snapshot.state.step)
            raise UserError(f"{where} does not fit this training ({error}): begin a new run.") from error

    def _put_back(self, snapshot: Snapshot) -> None:
        self.state, numbers, tensors = snapshot
        if not 0 <= self.state.position < len(self._groups(self.state.epoch)):
            raise ValueError(f"epoch {self.state.epoch} has no update {self.state.position}")
        restore_optimizer(self.optimizer, tensors)
        self.ranks.broadcast(parameter.detach() for parameter in self.model.parameters())  # only rank 0 has read them
        self.average.restore(tensors)
        if self.scaler.is_enabled() and numbers["scaler"]:
            self.scaler.load_state_dict(numbers["scaler"])
        self.meter.restore(tensors["sums"], float(numbers["interval_seconds"]))
        rank = self.ranks.rank
        if rank < len(tensors["rng.cpu"]):  # a rank that was added keeps its fresh RNG
            torch.set_rng_state(tensors["rng.cpu"][rank].cpu().clone())  # a view at an offset crashes PyTorch
            if self.device.type != "cpu" and f"rng.{self.device.type}" in tensors:
                state = tensors[f"rng.{self.device.type}"][rank].cpu().clone()
                torch.get_device_module(self.device).set_rng_state(state)

    def _update(self) -> None:
        """One update of the weights: the gradients of `accumulate` batches, over all ranks' target tokens."""
        groups = self._groups(self.state.epoch)
        group = groups[self.state.position]
        tokens = sum(self.data.tokens(indices) for indices in group)
        for parameters, rate in zip(self.optimizer.param_groups, self.base_rates, strict=True):
            parameters["lr"] = rate * self.schedule(self.state.step)
        objective = torch.zeros((), device=self.device)
        for indices in map(self.ranks.share, group):
            if len(indices):  # a batch may have fewer pairs than there are ranks
                objective += self._backward(self.data.batch(indices), tokens)
        self.ranks.all_reduce_gradients(self.model, objective)
        self.scaler.unscale_(self.optimizer)  # before clipping, so that the limit means the same in fp16
        norm = self._clip()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        self.average.update(self.state.step)

        # fp16 gradients overflow now and then by design, and the scaler skips the update; a bad loss is never right.
        watched = objective if self.scaler.is_enabled() else objective + norm
        self.nan_guard.note(watched, self.state.step, self.state.epoch)
        self.meter.add_update(norm, tokens)
        self._advance(tokens, last_of_epoch=self.state.position + 1 == len(groups))
        if self.device.type == "cpu":  # on a GPU, reading would wait for it: checked on logging and saving
            self.nan_guard.check()

    def _backward(self, batch: Any, tokens: int) -> Tensor:
        """Accumulate the gradients of a batch and return its share of the objective."""
        forcing = self.settings.teacher_forcing_at(self.state.step)
        with autocast(self.device, self.precision):
            output = self.forward(batch.source, batch.source_lengths, batch.target_in, forcing)
        sums = token_loss(output.readout, batch.target_out, batch.real, self.output, self.settings.label_smoothing)
        objective = sums.objective / tokens
        self.scaler.scale(objective).backward()
        self.meter.add_batch(sums)
        return objective.detach()

    def _clip(self) -> Tensor:
        """Clip the gradients to a norm of `clip_norm` and return the norm that they had."""
        parameters = list(self.model.parameters())
        norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
        limit = self.settings.clip_norm
        # Comparing would make the host wait for a GPU, which always multiplies; a CPU skips a multiplication by 1.
        if limit and (self.device.type != "cpu" or norm > limit):
            nn.utils.clip_grads_with_norm_(parameters, limit, norm)
        return norm

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
            return_freed()  # planning an epoch of many pairs needs more memory than its plan
        return self._epoch_groups[1]

    def _validation_is_due(self) -> bool:
        new = self.state.step > 0 and self.state.validated_step != self.state.step
        return new and self._due(self.settings.validate_every, at_epoch_end=True)

    def _due(self, every: int | None, at_epoch_end: bool = False) -> bool:
        if every is None:
            return at_epoch_end and self.state.position == 0
        return self.state.step % every == 0

    def _log(self) -> None:
        """Report the averages of the interval so far."""
        averages = self.meter.averages()
        self.nan_guard.check()
        if averages:
            self.monitor.training(self.state, averages | {"learning_rate": self.optimizer.param_groups[0]["lr"]})

    def _validate(self) -> None:
        """Score the model, remember whether it is the best so far, and save."""
        self.nan_guard.check()
        self.model.eval()
        # A signal abandons a validation, which is repeated on resuming, unless other ranks wait for this one.
        at_once = self._request.raised_at_once() if self.ranks.size == 1 else nullcontext()
        return_freed()  # training and validation each leave holes that the other cannot use
        with self.average.in_place(), at_once:
            validation = self.validate()
            self.keep(self.state.step)
        return_freed()
        self.model.train()
        state = self.state
        value = validation.metrics[self.settings.monitor]
        is_best = is_improvement(self.settings.monitor, value, state.best)
        if is_best:
            state.best, state.best_step, state.validations_since_best = value, state.step, 0
        else:
            state.validations_since_best += 1
        state.validated_step = state.step
        state.seconds = time.perf_counter() - self._started
        self.monitor.validation(state, validation, is_best)
        self.save()

    def _agree(self) -> None:
        """Agree with all ranks on the time used, and stop everywhere if one rank received a signal."""
        seconds = time.perf_counter() - self._started
        signal_number, self.state.seconds = self.ranks.all_reduce_max(self._request.number, seconds)
        if signal_number:
            raise Stopping(int(signal_number))
