"""Time from a cold start to the translation of one sentence, against `import torch` alone; medians of runs in turn."""

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.yardstick import in_turn, medians, timed

from nmt import cli
from nmt.config import ROOT
from nmt.run import newest_finished


def cold_start(run: Path, repeats: int) -> dict[str, float]:
    """Median seconds of each command, and the ratio of translate.py to `import torch`."""
    commands = {
        "import torch": ["-c", "import torch"],
        "translate.py": [str(ROOT / "translate.py"), "--run", str(run), "They are watching."],
        "--engine torch": [str(ROOT / "translate.py"), "--engine", "torch", "--run", str(run), "They are watching."],
        "train.py --help": [str(ROOT / "train.py"), "--help"],
    }

    def start(arguments: list[str]) -> dict[str, float]:
        command = [sys.executable, *arguments]
        return {"seconds": timed(lambda: subprocess.run(command, check=True, capture_output=True))}

    rows = in_turn({name: partial(start, arguments) for name, arguments in commands.items()}, repeats)
    seconds = {name: medians(each)["seconds"] for name, each in rows.items()}
    return {**seconds, "ratio": seconds["translate.py"] / seconds["import torch"]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="run directory (default: the newest finished one)")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    for name, value in cold_start(options.run or newest_finished(ROOT / "outputs").directory, options.repeats).items():
        print(f"{name:16} {value:.2f}" + ("" if name == "ratio" else " s"))


if __name__ == "__main__":
    cli.run(main)
