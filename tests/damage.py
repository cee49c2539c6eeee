"""A run that is known in every detail, a hundred ways to damage a copy of it, and the readers that must notice."""

import json
import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
import verify_run
from comparison.runs import Member, load_members
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from safetensors.torch import load_file

from nmt import composition, pipeline
from nmt.config import Config
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.aer import AlignmentScore, write_alignment
from nmt.run import PREPARED, Run
from nmt.training.checkpoint import MODEL, TENSORS, Checkpoints
from nmt.translator import Translator, build_model
from tests.commands import train_arguments
from tests.conftest import ROOT


def mutate(random: Random, file: Path) -> str:
    """Alter the content of a file; says how."""
    content = altered = file.read_bytes()
    while altered == content:  # such as zeros over zeros
        way, changed = random.choice(["flip", "cut", "append", "zero", "drop"]), bytearray(content)
        place = random.randrange(len(content))
        if way == "flip":
            changed[place] ^= 1 << random.randrange(8)
        elif way == "cut":
            del changed[place:]
        elif way == "append":
            changed += random.choice([b"\n", b" ", b"\0", b"\0" * 512, random.randbytes(7), content])
        elif way == "zero":
            end = min(place + random.choice([1, 16, 512]), len(content))
            changed[place:end] = bytes(end - place)
        else:
            del changed[place]
        altered = bytes(changed)
    file.write_bytes(altered)
    return way


STEPS = (4, 8, 12)
OPTIONAL = ("eval/alignment.json", "portable.nmt")  # runs without these are in order
UNREAD = shutil.ignore_patterns("tensorboard", "heatmaps", "train.log")


@dataclass(frozen=True)
class Truth:
    """Two runs of one model that differ in their seed, and all that is right about the first."""

    run: Path
    foreign: Path
    best: str
    settings: Config
    tokenizers: tuple[bytes, bytes]
    weights: dict[str, dict[str, torch.Tensor]]  # by the name of a checkpoint
    tensors: dict[str, dict[str, torch.Tensor]]
    numbers: dict[str, dict[str, Any]]
    member: Member


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    folder = tmp_path_factory.mktemp("truth")
    # No attention, no pictures: quick. Learning so little, it ties in BLEU, and the first validation stays the best.
    quick = ["model=seq2seq", "optimizer.lr=0.00001", "train.max_steps=12", "train.validate_every=4"]
    runs = [folder / "run", folder / "foreign"]
    for seed, run in enumerate(runs, start=1):
        pipeline.train(composition.composed(*train_arguments(folder, *quick), f"seed={seed}", f"run_dir={run}"))
        opened = Run.open(run)
        details = opened.evaluated("test.tsv", opened.config.decode)
        write_alignment(opened.evaluation, AlignmentScore(0.25, 0.5, 0.5, 20, 90, "gold.align"), details)
        opened.write_changes([f"train.log_every={seed + 6}"])
    composition.register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):  # as if train.py resume=… had been typed
        HydraConfig.instance().set_config(compose("train", return_hydra_config=True))
    run = Run(runs[0])
    names = [f"step-{step:08d}" for step in STEPS]
    assert sorted(path.name for path in run.checkpoints.iterdir()) == names
    return Truth(
        run=runs[0],
        foreign=runs[1],
        best=run.best_checkpoint().name,
        settings=without_place(composition.resumed(runs[0])[0]),
        tokenizers=(run.source_tokenizer.read_bytes(), run.target_tokenizer.read_bytes()),
        weights={name: load_file(run.checkpoints / name / MODEL) for name in names},
        tensors={name: load_file(run.checkpoints / name / TENSORS) for name in names},
        numbers={name: json.loads((run.checkpoints / name / "training.json").read_text()) for name in names},
        member=load_members([run])[0],
    )


def without_place(config: Config) -> Config:
    return replace(config, run_dir="")


class Injector:
    """Damages copies of a run, each in a way drawn from a seed."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self.truth, self.random = truth, Random(seed)
        self.files = [
            *("config.yaml", "SHA256SUMS", "finished.json", "changes.json", "portable.nmt", *PREPARED.values()),
            *(f"eval/{name}" for name in ("scores.json", "translations.tsv", "alignment.json", "SHA256SUMS")),
            *(f"checkpoints/{path.parent.name}/{path.name}" for path in sorted(truth.run.glob("checkpoints/*/*"))),
        ]
        self.kinds: list[Callable[[Path], str]] = [
            *[self.rewrite] * 15,
            self.remove,
            self.swap_files,
            self.edit_config,
            self.take_a_file_of_another_run,
            self.swap_checkpoints,
            self.renumber_a_checkpoint,
            self.take_a_checkpoint_of_another_run,
            self.remove_a_checkpoint,
            self.add_a_file,
            self.link,
        ]

    def damage(self, run: Path) -> str:
        """Damage a run in one way; says how."""
        return self.random.choice(self.kinds)(run)

    def rewrite(self, run: Path) -> str:
        name = self.random.choice(self.files)
        return f"{mutate(self.random, run / name)} {name}"

    def remove(self, run: Path) -> str:
        name = self.random.choice([name for name in self.files if name not in OPTIONAL])
        (run / name).unlink()
        return f"remove {name}"

    def swap_files(self, run: Path) -> str:
        while True:
            one, other = self.random.sample(self.files, 2)
            contents = [(run / name).read_bytes() for name in (one, other)]
            if contents[0] != contents[1]:
                (run / one).write_bytes(contents[1])
                (run / other).write_bytes(contents[0])
                return f"swap {one} and {other}"

    def edit_config(self, run: Path) -> str:
        lines = (run / "config.yaml").read_text().splitlines()
        number = self.random.randrange(len(lines))
        lines[number : number + 1] = self.random.choice([[], [lines[number] + "0"], [lines[number], "# mine"]])
        (run / "config.yaml").write_text("\n".join(lines) + "\n")
        return f"edit config.yaml, line {number + 1}"

    def take_a_file_of_another_run(self, run: Path) -> str:
        altered = [f for f in self.files if (self.truth.foreign / f).read_bytes() != (run / f).read_bytes()]
        name = self.random.choice(altered)
        shutil.copyfile(self.truth.foreign / name, run / name)
        return f"foreign {name}"

    def swap_checkpoints(self, run: Path) -> str:
        one, other = (run / f"checkpoints/step-{step:08d}" for step in self.random.sample(STEPS, 2))
        one.rename(run / "aside")
        other.rename(one)
        (run / "aside").rename(other)
        return f"swap {one.name} and {other.name}"

    def renumber_a_checkpoint(self, run: Path) -> str:
        one, number = run / f"checkpoints/step-{self.random.choice(STEPS):08d}", self.random.randrange(13, 10**9)
        shutil.copytree(one, run / f"checkpoints/step-{number:08d}")
        return f"copy {one.name} as {number}"

    def take_a_checkpoint_of_another_run(self, run: Path) -> str:
        name = f"step-{self.random.choice(STEPS):08d}"
        place = run / "checkpoints" / self.random.choice([name, "step-00000016"])
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.truth.foreign / "checkpoints" / name, place)
        return f"foreign {name} as {place.name}"

    def remove_a_checkpoint(self, run: Path) -> str:
        name = self.random.choice([self.truth.best, "step-00000012"])
        shutil.rmtree(run / "checkpoints" / name)
        return f"remove {name}"

    def add_a_file(self, run: Path) -> str:
        place = run / f"checkpoints/step-{self.random.choice(STEPS):08d}" / self.random.choice(["x", ".x", "x/y"])
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(self.random.randbytes(3))
        return f"add {place.relative_to(run)}"

    def link(self, run: Path) -> str:
        name = self.random.choice([*self.files, "checkpoints", "eval", "tokenizers", "train.log"])
        if (run / name).exists():
            (run / name).rename(run.parent / "elsewhere")
        (run / name).symlink_to(run.parent / "elsewhere")
        return f"link {name}"


def translate(run: Path, truth: Truth, notices: list[str]) -> bool:
    """Whether translate.py uses the run as it was, and says nothing; what it uses is always the truth."""
    translator = Translator.load(Run(run), "cpu")
    assert translator.checkpoint is not None
    assert_same(dict(translator.model.named_parameters()), truth.weights[translator.checkpoint])
    assert (translator.source_tokenizer.model, translator.target_tokenizer.model) == truth.tokenizers
    assert translator.search.record() == Run.open(truth.run).config.decode
    assert translator.checkpoint == truth.best or notices
    return translator.checkpoint == truth.best


def resume(run: Path, truth: Truth, notices: list[str]) -> bool:
    """The same of train.py resume=DIR."""
    config, _, opened = composition.resumed(run)
    assert without_place(config) == truth.settings
    tokenizers = opened.source_tokenizer, opened.target_tokenizer
    model = build_model(opened.config, *map(len, map(Tokenizer.load, tokenizers)))
    snapshot = Checkpoints(opened.checkpoints, opened.identity).load_last(model)
    name = f"step-{snapshot.state.step:08d}"
    assert_same(dict(model.named_parameters()), truth.weights[name])
    assert_same(snapshot.tensors, truth.tensors[name])
    state = vars(snapshot.state)
    if state["best_step"] is None:  # the best is gone: said, and forgotten
        assert any("new best" in notice for notice in notices)
        state = state | {key: truth.numbers[name]["state"][key] for key in ("best", "best_step", "validated_step")}
    assert state == truth.numbers[name]["state"]
    assert snapshot.numbers.items() <= truth.numbers[name].items()
    return name == "step-00000012" and not notices


def score(run: Path, truth: Truth, notices: list[str]) -> bool:
    """The same of compare.py."""
    (member,) = load_members([Run(run)])
    for part in ("name", "seed", "settings", "finished", "scores", "sources", "hypotheses", "references", "alignment"):
        assert getattr(member, part) == getattr(truth.member, part), part
    assert member.parameters == truth.member.parameters
    return True


def verify(run: Path, truth: Truth, notices: list[str]) -> bool:
    """The same of verify_run.py, up to the first failure."""
    for _, check in verify_run.checks(Run(run)):
        check()
    return True


READERS = (translate, resume, score)


def look(reader: Callable[[Path, Truth, list[str]], bool], run: Path, truth: Truth, caught: logging.Handler) -> str:
    """What a reader makes of a run: "as it was", "fell back" (with a notice) or "refused"."""
    notices: list[str] = []
    caught.emit = lambda record: notices.append(record.getMessage())  # type: ignore[method-assign]
    try:
        return "as it was" if reader(run, truth, notices) and not notices else "fell back"
    except UserError:
        return "refused"


def assert_same(found: dict[str, Any], expected: dict[str, torch.Tensor]) -> None:
    assert set(found) == set(expected)
    assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())


@pytest.fixture
def caught() -> Iterator[logging.Handler]:
    handler, logger = logging.Handler(logging.WARNING), logging.getLogger("nmt")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def copied(truth: Truth, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(truth.run, folder / "run", ignore=UNREAD)
    return folder / "run"
