"""Finished runs, as a comparison sees them, and whether they may be compared at all."""

import inspect
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml

from nmt.errors import UserError
from nmt.evaluation.aer import ALIGNMENT_FILE
from nmt.evaluation.history import History, in_order_of_numbers, read_history
from nmt.evaluation.report.origin import count_parameters
from nmt.evaluation.score_report import SCORES, read_evaluation
from nmt.factory import constructor
from nmt.files import read_record
from nmt.metrics import MAIN
from nmt.run import OpenRun, Run
from nmt.shell import shell_command
from nmt.training.checkpoint import Checkpoints
from nmt.typed import written_to

log = logging.getLogger("nmt.compare")

# Where and how fast a run was made, not what it is. The rest must be equal among the seeds of one model.
_INCIDENTAL = {"seed", "run_dir", "device", "threads", "decode.batch_tokens", "train.keep"} | {
    f"data.{name}" for name in ("path", "val_path", "test_path", "prepared_dir")
}
_SCORED = ("with different search settings", "with different tokenizers of BLEU")
PARTS = ("model", "optimizer", "scheduler", "decode")  # settings that name classes
_SPEED = {"batch_tokens", "batch_size"}  # of a search: they change how fast it is, never what it finds


class Alignment(NamedTuple):
    """How well a run's attention aligns words, and against what."""

    aer: float
    gold: str  # name of the file of links
    pairs: int


@dataclass(frozen=True, eq=False)
class Member:
    """One finished run with its scores on the test set."""

    run: OpenRun
    name: str
    seed: int
    settings: dict[str, Any]  # dotted name → value, without what is incidental
    finished: dict[str, Any]
    scores: dict[str, Any]
    sources: tuple[str, ...]
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    alignment: Alignment | None

    @property
    def scored(self) -> tuple[Any, ...]:
        """How the test set was scored, in the order of _SCORED; it must be the same for all runs."""
        with written_to(self.run.evaluation / SCORES):
            record = constructor(
                self.scores["evaluated"]["decode"], "decode"
            )().record()  # with the defaults of what the run was written without
        search = {name: value for name, value in record.items() if name not in _SPEED}
        return search, self.scores["tokenizer"]

    @property
    def test_set(self) -> tuple[Any, ...]:
        """The sentences that were scored; they must be the same for all runs."""
        evaluated = self.scores["evaluated"]
        return evaluated["examples"], evaluated["split_hash"], self.sources, self.references

    @cached_property
    def history(self) -> History:
        """How its validations went."""
        return read_history(self.run.tensorboard)

    @property
    def parameters(self) -> int:
        """Numbers that training adjusted."""
        return count_parameters(self.run)

    @property
    def bleu(self) -> float:
        """BLEU on the test set."""
        return float(self.scores[MAIN]["value"])


def find_runs(paths: Sequence[Path]) -> list[Run]:
    """Run directories among `paths` and directly inside them, each once, in the order given and of their numbers."""
    found: dict[Path, Run] = {}
    for path in paths:
        if not path.is_dir():
            raise UserError(f"{path} is not a directory: name runs, or directories of runs such as outputs/SWEEP.")
        inside = sorted((child for child in path.iterdir() if child.name[0] != "."), key=in_order_of_numbers)
        for directory in [path] if is_run(path) else filter(is_run, inside):
            found.setdefault(directory.resolve(), Run(directory))
    if not found:
        raise UserError(f"No run in {', '.join(map(str, paths))}: name runs, or directories that runs are directly in.")
    return list(found.values())


def is_run(path: Path) -> bool:
    """Whether a directory is that of a run."""
    return Run(path).config_file.is_file()


def load_members(runs: Sequence[Run]) -> list[Member]:
    """Read the runs that are finished and scored; a warning names each of the others."""
    members = []
    for run in runs:
        if not run.finished_file.is_file():
            log.warning("%s is not finished; it is passed over.", run.directory)
        elif not (run.evaluation / SCORES).is_file():
            log.warning("%s is passed over: %s", run.directory, _score_it(run, "has no scores"))
        else:
            members.append(_load(run))
    if not members:
        raise UserError("There is no finished run to compare: train some, or go on with those that were interrupted.")
    return members


def check_comparable(members: Sequence[Member]) -> None:
    """Raise a UserError that names two runs if their scores, or their seeds, do not belong together."""
    first = members[0]
    for other in members[1:]:
        if first.test_set != other.test_set:
            corpora = [f"{each.run.directory} ({each.settings.get('data.name', 'unnamed')})" for each in (first, other)]
            raise UserError(
                f"{' and '.join(corpora)} were scored on different test sets, so their scores cannot be compared: name "
                "only runs of one corpus, split and direction."
            )
        for how, one, another in zip(_SCORED, first.scored, other.scored, strict=True):
            if one != another:
                _refuse(first, other, f"were scored {how}: evaluate them alike, or name only runs with one decode")
    aligned = [(member, member.alignment) for member in members if member.alignment]
    for other, alignment in aligned[1:]:
        first, expected = aligned[0]
        if (alignment.gold, alignment.pairs) != (expected.gold, expected.pairs):
            _refuse(
                first, other, "have AERs against different links: run evaluate.py --alignments FILE with one for all"
            )
    seen: dict[str, list[Member]] = {}
    for member in members:
        for twin in seen.setdefault(member.name, []):
            if different := differing([twin, member]):
                names = ", ".join(different[:3])
                advice = "leave one out, or train it under another name=…"
                _refuse(twin, member, f"are both named {member.name} but differ in {names}: {advice}")
            if twin.seed == member.seed:
                _refuse(twin, member, "are one model with one seed: leave one out")
        seen[member.name].append(member)


def _refuse(one: Member, other: Member, why: str) -> NoReturn:
    raise UserError(f"{one.run.directory} and {other.run.directory} {why}.")


def differing(members: Sequence[Member]) -> list[str]:
    """Names of the settings that are not the same in all runs, apart from incidental ones."""
    names = sorted({name for member in members for name in member.settings})
    return [name for name in names if len({repr(member.settings.get(name)) for member in members}) > 1]


def _load(closed: Run) -> Member:
    run = Run.open(closed)
    changes = dict(change.partition("=")[::2] for change in run.changes)
    settings = _flat(_settings(run)) | {name: yaml.safe_load(value) for name, value in changes.items()}
    settings["data"] = run.provenance["data_key"]
    finished = run.finished()
    Checkpoints(run.checkpoints, run.identity).check(finished["best_step"])
    try:
        scores, rows = read_evaluation(run.evaluation)
        if not _is_of_the_best(scores, run):
            raise UserError(_score_it(run, "has scores of another checkpoint than its best"))
        return Member(
            run=run,
            name=run.config.name,
            seed=run.config.seed,
            settings={name: value for name, value in settings.items() if name not in _INCIDENTAL},
            finished=finished,
            scores=scores,
            sources=tuple(row.source for row in rows),
            hypotheses=tuple(row.hypothesis for row in rows),
            references=tuple(row.references for row in rows),
            alignment=_alignment(run),
        )
    except UserError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(_score_it(run, f"has an evaluation that cannot be read ({error!r})")) from error


def _settings(run: OpenRun) -> dict[str, Any]:
    """All settings of a run, with the defaults of those that it was written without."""
    with written_to(run.config_file):
        parts = {name: _filled(constructor(getattr(run.config, name), name)) for name in PARTS}
    return asdict(run.config) | parts


def _filled(part: partial[Any]) -> dict[str, Any]:
    parameters = inspect.signature(part.func).parameters.items()
    arguments = {name: parameter.default for name, parameter in parameters if parameter.default is not parameter.empty}
    parts = {name: _filled(value) if isinstance(value, partial) else value for name, value in part.keywords.items()}
    return {"_target_": part.func.__qualname__, **arguments, **parts}


def _alignment(run: OpenRun) -> Alignment | None:
    """What evaluate.py --alignments has left, if it was run."""
    path = run.evaluation / ALIGNMENT_FILE
    if not path.is_file():
        return None
    values = read_record(path)
    if not _is_of_the_best(values, run):
        raise UserError(
            _score_it(run, "has an alignment error rate of another checkpoint than its best", values["gold"])
        )
    return Alignment(float(values["aer"]), str(values["gold"]), int(values["pairs"]))


def _is_of_the_best(scores: Mapping[str, Any], run: OpenRun) -> bool:
    evaluated = scores["evaluated"]
    return (evaluated["run"], evaluated["checkpoint"]) == (run.identity, run.best_checkpoint().name)


def _score_it(run: Run, problem: str, gold: str | None = None) -> str:
    alignments = ["--alignments", gold] if gold else []
    return f"{run.directory} {problem}: run `{shell_command('evaluate.py', '--run', run.directory, *alignments)}`."


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return flat
