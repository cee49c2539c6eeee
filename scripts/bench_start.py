"""How long one sentence takes from a cold start, against `import torch` alone.

The two are run in turn and compared by their medians, so that a machine that is busy is busy for both.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from nmt.config import ROOT
from nmt.run import newest_finished


def cold_start(run: Path, repeats: int) -> dict[str, float]:
    """Median seconds of both, and their ratio."""
    commands = {
        "import torch": [sys.executable, "-c", "import torch"],
        "translate.py": [sys.executable, str(ROOT / "translate.py"), "--run", str(run), "They are watching."],
        "train.py --help": [sys.executable, str(ROOT / "train.py"), "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {**medians, "ratio": medians["translate.py"] / medians["import torch"]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", type=Path, help="run directory (default: the newest finished one)")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    for name, value in cold_start(options.run or newest_finished(ROOT / "outputs").directory, options.repeats).items():
        print(f"{name:16} {value:.2f}" + ("" if name == "ratio" else " s"))


if __name__ == "__main__":
    main()
