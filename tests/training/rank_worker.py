"""One of several processes that train a toy model; `test_ranks.py` starts them, with torchrun's variables."""

import contextlib
import json
import time
from pathlib import Path

import numpy as np
import torch

from nmt.config import TrainSettings
from nmt.launch import Launch
from nmt.ranks import Ranks
from nmt.training.trainer import Data
from tests.training.toys import make_trainer, toy_store


def main(directory: Path, steps: int, batch_size: int) -> None:
    torch.set_num_threads(1)
    ranks = Ranks(Launch.from_environment())
    assert ranks.broadcast_json({"from": ranks.rank}) == {"from": 0}
    ranks.connect(torch.device("cpu"))
    settings = TrainSettings(
        batch_size=batch_size, accumulate=2, max_epochs=None, max_steps=steps, validate_every=steps, log_every=7
    )
    trainer = make_trainer(directory, toy_store(61, list), settings, "model=bahdanau", ranks=ranks)
    trainer.model.double()  # in double precision rounding cannot hide, or pass for, a wrong update
    if not ranks.is_first:
        trainer.monitor.silent = True
        for parameter in trainer.model.parameters():  # the first rank's weights count
            torch.nn.init.zeros_(parameter)
    seen: list[list[int]] = []
    data = trainer.data

    def batch(indices: np.ndarray) -> object:
        seen.append(indices.tolist())
        return data.batch(indices)

    trainer.data = Data(data.epoch, batch, data.tokens)
    trainer.fit()
    (directory / f"seen-{ranks.rank}.json").write_text(json.dumps(seen))
    ranks.close()
    deadline = time.monotonic() + 10  # the system lists threads a moment longer than they live
    while (left := group_threads()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left  # now and then, one that outlives Python aborts the process


def group_threads() -> list[str]:
    """Threads of the group and its store, as far as the system tells."""
    names = []
    for path in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it has ended
            names.append(path.read_text().strip())
    return [name for name in names if "gloo" in name or "tcpstore" in name]
