"""Kill training anywhere, fill its disk, and see that nothing is lost: `make chaos`.

Real processes of `python train.py` are killed (SIGKILL), asked to stop (SIGTERM, SIGINT) or starved of disk, and gone
on with by the command that they printed. Each run must end with the bytes of one that nobody disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from rich.console import Console
from torment.disks import can_mount, fill_disk, make_read_only
from torment.report import problems, summary, table
from torment.strikes import Trial, strike_out
from torment.undisturbed import Reference, run_undisturbed

from nmt.cli import positive

STRIKES = 12  # to one run, then it may end: more would see the same few moments again
EXAMPLES = """examples:
  python scripts/chaos.py                            500 kills, 100 signals, 24 full disks: most of an hour
  python scripts/chaos.py --quick                    a small one, in minutes
  python scripts/chaos.py --kills 50 --signals 0 --fills 0 --read-only 0 --seed 7
"""


def main() -> int:
    """Torment runs as the options say; 0 if all of them came through."""
    options = parse()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would have it ignored by all
    folder = Path(tempfile.mkdtemp(prefix="chaos-", dir=options.directory))
    if (options.fills or options.read_only) and not can_mount(folder / "disk"):
        become_root_of_a_namespace(folder)
        note("No right to mount a file system: full and read-only disks are left out.")
        options.fills = options.read_only = 0
    note(f"The undisturbed run, in {folder} …")
    reference = run_undisturbed(folder / "reference")
    with ThreadPoolExecutor(options.jobs) as pool:
        torment = Tormentor(folder, reference, options.seed, pool)
        try:
            trials = {
                "kills": torment.strike("kill", options.kills, [signal.SIGKILL]),
                "signals": torment.strike("signal", options.signals, [signal.SIGTERM, signal.SIGINT]),
                "fills": torment.spoil("fill", options.fills, fill_disk),
                "read-only": torment.spoil("read-only", options.read_only, make_read_only),
            }
        except KeyboardInterrupt:
            note(f"Stopping after the trials that are under way; {folder} stays.")
            pool.shutdown(cancel_futures=True)
            return 130
    results = summary(reference, trials)
    found = problems(reference, trials)
    Console().print(table(results))
    if options.output:
        options.output.write_text(json.dumps(results | {"problems": found}, indent=2) + "\n", encoding="utf-8")
    for problem in found:
        print(f"PROBLEM {problem}")
    if not found:
        shutil.rmtree(folder)
    return 1 if found else 0


class Tormentor:
    """Runs trials side by side; keeps the folders of those that went wrong."""

    def __init__(self, folder: Path, reference: Reference, seed: int, pool: ThreadPoolExecutor) -> None:
        self.folder, self.reference, self.seed, self.pool = folder, reference, seed, pool

    def strike(self, name: str, wanted: int, signals: list[int]) -> list[Trial]:
        """Trials with so many strikes in all; a run may end before all of its own have come."""
        trials: list[Trial] = []
        while (missing := wanted - sum(len(trial.strikes) for trial in trials)) > 0:
            counts = [min(STRIKES, missing - begun) for begun in range(0, missing, STRIKES)]

            def one(number: int, counts: list[int] = counts, begun: int = len(trials)) -> Trial:
                seed = f"{self.seed} {name} {begun + number}"
                chosen = Random(seed).choices(signals, k=counts[number])
                return self._note(strike_out(self.folder / f"{name}-{begun + number}", self.reference, chosen, seed))

            trials += self.pool.map(one, range(len(counts)))
            if any(trial.problems for trial in trials):
                break  # no way of making up for what is missing
        return trials

    def spoil(self, name: str, wanted: int, trial: Callable[[Path, Reference, str], Trial]) -> list[Trial]:
        """So many trials with a disk that goes bad."""

        def one(number: int) -> Trial:
            where = self.folder / f"{name}-{number}"
            return self._note(trial(where, self.reference, f"{self.seed} {name} {number}"))

        return list(self.pool.map(one, range(wanted)))

    def _note(self, trial: Trial) -> Trial:
        done = [f"{struck.doing} ({struck.code})" for struck in trial.strikes] or [trial.error or "room enough"]
        note(f"{trial.folder.name}: {'; '.join([*done, *trial.problems])}")
        if not trial.problems:
            shutil.rmtree(trial.folder)
        return trial


def become_root_of_a_namespace(folder: Path) -> None:
    """Start again where mounting is allowed, if the system lets us have such a place."""
    words = ["unshare", "--map-root-user", "--mount"]
    tried = "CHAOS_UNSHARED" in os.environ
    if tried or shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True).returncode:
        return
    shutil.rmtree(folder)
    os.environ["CHAOS_UNSHARED"] = "1"
    os.execvp(words[0], [*words, sys.executable, *sys.argv])


def note(text: str) -> None:
    """Say something beside the results."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=500, help="SIGKILLs (default: %(default)s)")
    parser.add_argument("--signals", type=int, default=100, help="SIGTERMs and SIGINTs (default: %(default)s)")
    parser.add_argument("--fills", type=int, default=24, help="disks that become full (default: %(default)s)")
    parser.add_argument("--read-only", type=int, default=6, help="directories that do (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="10 kills, 4 signals, 1 full and 1 read-only disk")
    parser.add_argument("--jobs", type=positive, default=2, help="runs at a time (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    parser.add_argument("--directory", type=Path, help="where the runs are (default: the system's temporary directory)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the numbers as JSON")
    options = parser.parse_args()
    if options.quick:
        options.kills, options.signals, options.fills, options.read_only = 10, 4, 1, 1
    return options


if __name__ == "__main__":
    sys.exit(main())
