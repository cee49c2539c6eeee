"""Checks of a disturbed run: same bytes as the reference run, no leftovers, no tracebacks."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    SCALARS,
    EventAccumulator,
)

from nmt.files import damage, sha256
from nmt.portable.file import unpack
from nmt.training.checkpoint import MODEL, NUMBERS, TENSORS

from .process import Workspace

# Printed by Python, by logging, by a thread, by a destructor: a user should see none of them.
TRACES = ("Traceback", "Logging error", "Exception in thread", "Exception ignored")
# Compared keys of the JSON files: no times, and nothing that belongs to one run alone.
_FINISHED = ("reason", "best_step", "best", "steps", "epochs", "target_tokens")
_SCORES = ("bleu", "chrf", "ter", "tokenizer", "sentences", "hypothesis_length", "reference_length", "by_length")
_SPEED = "train/tokens_per_second"


def outcome(run: Path) -> dict[str, Any]:
    """Everything about a finished run that does not depend on the clock."""
    finished = _some(run / "finished.json", _FINISHED)
    result: dict[str, Any] = {
        "finished.json": finished,
        "eval/scores.json": _some(run / "eval/scores.json", _SCORES),
        "eval/translations.tsv": sha256(run / "eval/translations.tsv"),
    }
    result["portable.nmt"] = unpack((run / "portable.nmt").read_bytes())[1]["sha256"]  # of its tensors
    for role, step in (("last", finished["steps"]), ("best", finished["best_step"])):
        checkpoint = run / "checkpoints" / f"step-{step:08d}"
        for name in (MODEL, TENSORS):
            result[f"{name} of the {role} checkpoint"] = sha256(checkpoint / name)
        numbers = _some(checkpoint / NUMBERS, ("state", "scaler"))
        del numbers["state"]["seconds"]
        result[f"{NUMBERS} of the {role} checkpoint"] = numbers
    for tag, points in scalars(run / "tensorboard").items():
        result[f"TensorBoard's {tag}"] = points
    return result


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """TensorBoard's curves as it shows them, after purges and without speed."""
    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it logs every purge
    events = EventAccumulator(str(folder), size_guidance={SCALARS: 0}).Reload()
    curves = {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
    curves.pop(_SPEED, None)
    # Test scores have no step: a process that was killed after writing them writes them again.
    return {tag: sorted(set(points)) if tag.startswith("test/") else points for tag, points in curves.items()}


def differences(run: Path, reference: dict[str, Any]) -> list[str]:
    """What differs between a finished run and the reference."""
    try:
        found = outcome(run)
    except (OSError, ValueError, KeyError) as error:
        return [f"the run cannot be read ({error})"]
    return [f"{name} differs" for name in {**reference, **found} if found.get(name) != reference.get(name)]


def leftovers(work: Workspace) -> list[str]:
    """Temporary files, locks and incomplete checkpoints."""
    found = [path for path in work.disk.rglob("*") if ".tmp-" in path.name or path.suffix == ".lock"]
    broken = [problem for path in work.checkpoints.glob("step-*") if (problem := damage(path))]
    return [f"{path.relative_to(work.disk)} is left over" for path in found] + broken


def traces(printed: str) -> list[str]:
    """Tracebacks in what was printed."""
    return [f"'{trace}' on stderr" for trace in TRACES if trace in printed]


def error_problems(printed: str, folder: Path) -> list[str]:
    """Problems of an error message: it must be one last sentence that names a path below `folder`."""
    last = printed.splitlines()[-1] if printed else ""
    problems = [] if last.startswith("error: ") else ["no 'error: …' at the end of stderr"]
    if not problems and str(folder) not in last:
        problems = [f"the error does not name the file: {last}"]
    return problems + traces(printed)


def _some(path: Path, names: Sequence[str]) -> dict[str, Any]:
    values = json.loads(path.read_text(encoding="utf-8"))
    return {name: values[name] for name in names}
