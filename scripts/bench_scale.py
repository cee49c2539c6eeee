"""Training speed on two processes against one, by the real commands, in turn: one run of each, then the next round.

All of them make the same updates: the batch is that of an update, whatever the number of processes.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.yardstick import in_turn, medians
from rich.console import Console
from rich.table import Table

from nmt import cli
from nmt.commands.options import plain_parser
from nmt.config import ROOT
from nmt.errors import UserError

EXAMPLES = """examples:
  python scripts/bench_scale.py
  python scripts/bench_scale.py --rounds 1 --batch-sizes 64 model=luong
"""
INTERVAL = 20  # updates between log lines, of which the first is left out
SUBJECTS = {  # name → processes, threads of each
    "1 process, 1 thread": (1, 1),
    "1 process, 2 threads": (1, 2),
    "2 processes, 1 thread each": (2, 1),
}


def train(folder: Path, processes: int, threads: int, batch_size: int, overrides: list[str]) -> dict[str, float]:
    """Train for a few dozen updates; returns the median of the logged tokens per second."""
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    with tempfile.TemporaryDirectory(dir=folder) as run:
        done = subprocess.run(
            [
                *(sys.executable, *(torchrun if processes > 1 else []), str(ROOT / "train.py")),
                *(f"run_dir={run}", f"data.prepared_dir={folder / 'prepared'}", f"threads={threads}"),
                *("data.val_size=20", "data.test_size=20", f"train.batch_size={batch_size}"),
                *("train.max_epochs=null", f"train.max_steps={4 * INTERVAL}", f"train.log_every={INTERVAL}"),
                *(f"train.validate_every={4 * INTERVAL}", *overrides),
            ],
            env=os.environ | {"OMP_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=False,
        )
    speeds = [float(speed.replace(",", "")) for speed in re.findall(r"([\d,]+) tokens/s", done.stderr)]
    if done.returncode or len(speeds) < 2:
        raise UserError(f"Training did not work: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    return {"speed": statistics.median(speeds[1:])}


def main() -> None:
    """Measure and print."""
    parser = plain_parser("bench_scale.py", __doc__ or "", EXAMPLES)
    parser.add_argument("overrides", nargs="*", help="settings for all, such as model=luong")
    parser.add_argument("--rounds", type=cli.positive, default=3)
    parser.add_argument("--batch-sizes", type=cli.positive, nargs="+", default=[64, 256])
    options = parser.parse_args()
    table = Table("batch", "", "tokens/s", "against the first", title="Training speed")
    with tempfile.TemporaryDirectory() as folder:
        for batch_size in options.batch_sizes:
            subjects = {
                name: partial(train, Path(folder), *cores, batch_size, options.overrides)
                for name, cores in SUBJECTS.items()
            }
            speeds = {name: medians(rows)["speed"] for name, rows in in_turn(subjects, options.rounds).items()}
            first = next(iter(speeds.values()))
            for name, speed in speeds.items():
                table.add_row(str(batch_size), name, f"{speed:,.0f}", f"{speed / first:.2f}×")
    Console().print(table)


if __name__ == "__main__":
    cli.run(main)
