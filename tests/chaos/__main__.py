"""Kill training anywhere, fill its disk, and check that nothing is lost: `make chaos`.

Real processes of `python train.py` are killed (SIGKILL), stopped (SIGTERM, SIGINT) or lose their disk, and are resumed
with the command that they printed. Each run must end with the same bytes as an undisturbed one. Figures go to stdout
as JSON.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

from nmt.cli import positive

from .disks import can_mount, full_disk_trial, read_only_trial
from .figures import summary
from .reference import Reference, run_reference
from .trials import Trial, signal_trial

SIGNALS_PER_RUN = 12  # then it may end: more would hit the same few moments again
EXAMPLES = """examples:
  python -m tests.chaos                              500 kills, 100 signals, 24 full disks: most of an hour
  python -m tests.chaos --quick                      a small one, in minutes
  python -m tests.chaos --kills 50 --signals 0 --fills 0 --read-only 0 --seed 7
"""


def main() -> int:
    """Run the trials and print their figures; 0 if there was no problem."""
    options = parse()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs with SIGINT ignored
    folder = Path(tempfile.mkdtemp(prefix="chaos-", dir=options.directory))
    if (options.fills or options.read_only) and not can_mount(folder / "disk"):
        restart_in_namespace(folder)
        note("No right to mount a file system: full and read-only disks are left out.")
        options.fills = options.read_only = 0
    note(f"The undisturbed run, in {folder} …")
    reference = run_reference(folder / "reference")
    with ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(folder, reference, options.seed, pool)
        try:
            trials = {
                "kills": runner.signals("kill", options.kills, [signal.SIGKILL]),
                "signals": runner.signals("signal", options.signals, [signal.SIGTERM, signal.SIGINT]),
                "fills": runner.run("fill", [full_disk_trial] * options.fills),
                "read-only": runner.run("read-only", [read_only_trial] * options.read_only),
            }
        except KeyboardInterrupt:
            note(f"Stopping after the trials that are under way; {folder} stays.")
            pool.shutdown(cancel_futures=True)
            return 130
    results = summary(reference, trials)
    print(json.dumps(results, indent=2, ensure_ascii=False))
    if not results["problems"]:
        shutil.rmtree(folder)
    return 1 if results["problems"] else 0


class Runner:
    """Runs trials side by side and keeps the folders of those with problems."""

    def __init__(self, folder: Path, reference: Reference, seed: int, pool: ThreadPoolExecutor) -> None:
        self.folder, self.reference, self.seed, self.pool = folder, reference, seed, pool

    def signals(self, name: str, wanted: int, kinds: list[int]) -> list[Trial]:
        """Trials with this many signals in all; a run may end before it got its share, so more trials follow."""
        trials: list[Trial] = []
        while (missing := wanted - sum(len(trial.signals) for trial in trials)) > 0:
            if any(trial.problems for trial in trials):
                break
            random = Random(f"{self.seed} {name} {len(trials)}")
            shares = [min(SIGNALS_PER_RUN, missing - begun) for begun in range(0, missing, SIGNALS_PER_RUN)]
            some = [partial(signal_trial, numbers=random.choices(kinds, k=share)) for share in shares]
            trials += self.run(name, some, first=len(trials))
        return trials

    def run(self, name: str, trials: Sequence[Callable[[Path, Reference, str], Trial]], first: int = 0) -> list[Trial]:
        """Run these trials, each in its own folder and with its own seed."""

        def one(number: int) -> Trial:
            folder = self.folder / f"{name}-{first + number}"
            trial = trials[number](folder, self.reference, f"{self.seed} {name} {first + number}")
            done = [f"{sent.doing} ({sent.code})" for sent in trial.signals] or [trial.error or "room enough"]
            note(f"{folder.name}: {'; '.join([*done, *trial.problems])}")
            if not trial.problems:
                shutil.rmtree(folder)
            return trial

        return list(self.pool.map(one, range(len(trials))))


def restart_in_namespace(folder: Path) -> None:
    """Start again as root of a user namespace, where mounting is allowed, if the system permits one."""
    words = ["unshare", "--map-root-user", "--mount"]
    tried = "CHAOS_UNSHARED" in os.environ
    if tried or shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True).returncode:
        return
    shutil.rmtree(folder)
    os.environ["CHAOS_UNSHARED"] = "1"
    os.execvp(words[0], [*words, sys.executable, "-m", "tests.chaos", *sys.argv[1:]])


def note(text: str) -> None:
    """Print progress to stderr."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        "python -m tests.chaos",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    counts = {"kills": (500, "SIGKILLs"), "signals": (100, "SIGTERMs and SIGINTs")}
    counts |= {"fills": (24, "disks that become full"), "read-only": (6, "run directories that become read-only")}
    for name, (default, help_) in counts.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{help_} (default: {default})")
    parser.add_argument("--quick", action="store_true", help="10 kills, 4 signals, 1 full and 1 read-only disk")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at a time (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    parser.add_argument("--directory", type=Path, help="where the runs are (default: the system's temporary directory)")
    options = parser.parse_args()
    if options.quick:
        options.kills, options.signals, options.fills, options.read_only = 10, 4, 1, 1
    return options


if __name__ == "__main__":
    sys.exit(main())
