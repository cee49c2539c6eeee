"""Memory of a training process on a CPU."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from nmt.config import ROOT

PREPARE = """
import sys
from nmt.composition import composed
from nmt.data.discovery import complete
from nmt.data.prepare import prepare
prepare(complete(composed(*sys.argv[1:]).data))
print(open("/proc/self/status").read())
"""

SHAPES = """
import contextlib
from nmt import cli
from nmt.commands import train

with contextlib.suppress(SystemExit):  # a mistake that is found once PyTorch is imported
    cli.run(lambda: train.main(["device=cuda:99"]))

import torch

def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 >> 20

torch.set_num_threads(1)
layer = torch.nn.Linear(256, 1024)
with torch.autocast("cpu", torch.bfloat16):
    for rows in range(1, 401):
        if rows == 101:
            begin = resident()
        layer(torch.zeros(rows, 256)).sum().backward()
print(resident() - begin)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif(not torch.ops.mkldnn._is_mkldnn_bf16_supported(), reason="bf16 has no kernels of its own here")
@pytest.mark.slow
def test_batches_of_ever_new_shapes_do_not_fill_the_memory() -> None:
    """With PyTorch's default caches, these 300 shapes take 450 MiB; with ours, 15."""
    done = subprocess.run([sys.executable, "-c", SHAPES], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout) < 100, done.stderr


def peak_of_preparing(settings: list[str]) -> int:
    """Kilobytes; not ru_maxrss, which counts what the parent held when it started the process."""
    done = subprocess.run([sys.executable, "-c", PREPARE, *settings], cwd=ROOT, check=True, stdout=-1, text=True)
    return kilobytes("VmHWM", done.stdout)


def memory_of_training(settings: list[str]) -> int:
    """Kilobytes after 100 updates of train.py, without those of mapped files, which the system can take back."""
    endless = ["train.max_epochs=null", "train.max_steps=100000", "train.validate_every=100000", "train.log_every=1"]
    command = [sys.executable, str(ROOT / "train.py"), "threads=1", *endless, *settings]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        try:
            assert any("step 100 ·" in line for line in child.stderr)
            return kilobytes("RssAnon", Path(f"/proc/{child.pid}/status").read_text())
        finally:
            child.send_signal(signal.SIGTERM)
            child.stderr.read()


def kilobytes(figure: str, status: str) -> int:
    (number,) = re.findall(rf"{figure}:\s+(\d+)", status)
    return int(number)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_larger_corpus_adds_hashes_to_preparing_and_nothing_to_training(tmp_path: Path) -> None:
    """A million pairs against 100,000, from which vocabularies are learnt, with and without made-up words."""
    preparing, training = [], []
    for pairs in (100_000, 1_000_000):
        corpus = tmp_path / f"{pairs}.tsv"
        numbers = range(0, 1_000_000, 1_000_000 // pairs)
        corpus.write_text("".join(f"{i:07} kinds of box {i % 99}\t{i:07} sortes de caisse {i % 99}\n" for i in numbers))
        settings = [f"data.path={corpus}", "data.columns=[eng,fra]", f"data.prepared_dir={tmp_path / 'prepared'}"]
        settings += ["size=30k", "data.vocab_size=400"]
        preparing.append(peak_of_preparing(settings))
        runs = {share: f"run_dir={tmp_path / f'{pairs}-{share}'}" for share in (0, 0.1)}
        training.append([memory_of_training([*settings, run, f"train.made_up_words={x}"]) for x, run in runs.items()])
    assert (preparing[1] - preparing[0]) * 1024 / 900_000 < 120  # bytes a pair
    for small, large in zip(*training, strict=True):
        assert large < 1.1 * small, training
