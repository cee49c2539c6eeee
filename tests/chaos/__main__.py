"""Kill training anywhere, fill its disk, and check that nothing is lost: `make chaos`.

Real processes of `python train.py` are killed (SIGKILL), stopped (SIGTERM, SIGINT, SIGHUP) or lose their disk, and are
resumed with the command that they printed. Each run must end with the same bytes as an undisturbed one. Figures go to
stdout as JSON.
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

from nmt.commands.options import plain_parser

from .disks import can_mount, full_disk_trial, read_only_trial
from .figures import summary
from .reference import Reference, run_reference
from .trials import Trial, signal_trial

Work = Callable[[Path, Reference, str], Trial]  # one trial, in this folder, with this seed
JOBS = 2  # runs at a time
SIGNALS_PER_RUN = 12  # then it may end: more would hit the same few moments again
COUNTS = {  # kind of trial → how many, how many with --quick, and of what
    "kills": (500, 10, "SIGKILLs"),
    "signals": (100, 4, "SIGTERMs, SIGINTs and SIGHUPs"),
    "fills": (24, 1, "disks that become full"),
    "read-only": (6, 1, "run directories that become read-only"),
}
EXAMPLES = """examples:
  python -m tests.chaos                              500 kills, 100 signals, 24 full disks: most of an hour
  python -m tests.chaos --quick                      a small one, in minutes
  python -m tests.chaos --kills 50 --signals 0 --fills 0 --read-only 0 --seed 7
"""


def main() -> int:
    """Run the trials and print their figures; 0 if there was no problem."""
    options = parse()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs with SIGINT ignored
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    if (options.fills or options.read_only) and not can_mount(folder / "disk"):
        restart_in_namespace(folder)
        note("No right to mount a file system: full and read-only disks are left out.")
        options.fills = options.read_only = 0
    note(f"The undisturbed run, in {folder} …")
    reference = run_reference(folder / "reference")
    with ThreadPoolExecutor(JOBS) as pool:

        def run(name: str, trials: Sequence[Work], first: int = 0) -> list[Trial]:
            numbered = enumerate(trials, first)
            places = [(work, folder / f"{name}-{i}", reference, f"{options.seed} {name} {i}") for i, work in numbered]
            return list(pool.map(run_trial, *zip(*places, strict=True))) if places else []

        def send(name: str, wanted: int, kinds: list[int]) -> list[Trial]:
            trials: list[Trial] = []
            # A run may end before it got its share of the signals, so more trials follow.
            while (missing := wanted - sum(len(trial.signals) for trial in trials)) > 0:
                if any(trial.problems for trial in trials):
                    break
                random = Random(f"{options.seed} {name} {len(trials)}")
                shares = [min(SIGNALS_PER_RUN, missing - begun) for begun in range(0, missing, SIGNALS_PER_RUN)]
                some = [partial(signal_trial, numbers=random.choices(kinds, k=share)) for share in shares]
                trials += run(name, some, first=len(trials))
            return trials

        try:
            trials = {
                "kills": send("kill", options.kills, [signal.SIGKILL]),
                "signals": send("signal", options.signals, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]),
                "fills": run("fill", [full_disk_trial] * options.fills),
                "read-only": run("read-only", [read_only_trial] * options.read_only),
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


def run_trial(trial: Work, folder: Path, reference: Reference, seed: str) -> Trial:
    """Run a trial in its own folder, which stays if there are problems."""
    done = trial(folder, reference, seed)
    events = [f"{sent.doing} ({sent.code})" for sent in done.signals] or [done.error or "room enough"]
    note(f"{folder.name}: {'; '.join([*events, *done.problems])}")
    if not done.problems:
        shutil.rmtree(folder)
    return done


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
    parser = plain_parser("python -m tests.chaos", __doc__ or "", EXAMPLES)
    parser.add_argument("--quick", action="store_true", help="a few of each kind")
    for name, (full, few, what) in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, help=f"{what} (default: {full}, or {few} with --quick)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    options = parser.parse_args()
    for name, (full, few, _) in COUNTS.items():
        if getattr(options, option := name.replace("-", "_")) is None:
            setattr(options, option, few if options.quick else full)
    return options


if __name__ == "__main__":
    sys.exit(main())
