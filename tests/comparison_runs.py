"""Made-up runs to compare."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch.utils.tensorboard.writer import SummaryWriter

from nmt.composition import composed
from nmt.evaluation.score_report import Row, write_evaluation
from nmt.evaluation.scores import score
from nmt.files import write_json, write_record, write_sums, write_text
from nmt.metrics import Score
from nmt.run import PREPARED, Run
from nmt.training.checkpoint import Checkpoints, Snapshot
from nmt.training.state import TrainState

WORDS = ["the", "a", "cat", "dog", "house", "sees", "hears", "red", "old", "small", "big", "tree", "never"]
PLAIN = asdict(composed("data=parallel", "data.path=[pairs.en,pairs.fr]"))
DECODE = {"_target_": "nmt.search.Beam", "beam_size": 5, "length_penalty": 1.0, "batch_tokens": 4096}


def references(count: int = 60, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(4, 12))) for _ in range(count)]


def noisy(texts: Sequence[str], share: float, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(word if rng.random() > share else "zzz" for word in text.split()) for text in texts]


def make_run(
    folder: Path,
    name: str,
    seed: int,
    hypotheses: Sequence[str],
    *,
    expected: Sequence[str] | None = None,
    decode: dict[str, Any] = DECODE,
    bleu: float | None = None,
    aer: float | None = None,
    gold: str = "links.align",
    **settings: Any,
) -> Path:
    """A finished run, as far as a comparison looks at it: scores of `hypotheses`, a checkpoint, a few validations."""
    expected = references() if expected is None else expected
    run = folder / f"{len(list(folder.glob('*')))}_{name}_seed{seed}"
    run.mkdir(parents=True)
    values = PLAIN | {"name": name, "seed": seed, "run_dir": str(run), "decode": decode}
    values |= {"train": PLAIN["train"] | settings, "provenance": {"split_hash": "abc", "data_key": "def"}}
    write_text(run / "config.yaml", yaml.safe_dump(values))
    write_json(run / "changes.json", {"changes": []})
    for copy in PREPARED.values():
        write_text(run / copy, "not looked at")
    write_sums(run)
    identity = Run(run).read_identity()
    state = TrainState(step=20, best_step=20, tokens=6000, seconds=60.0 * seed)
    model = torch.nn.ParameterDict({"a": torch.zeros(3, 4), "b": torch.zeros(5)})
    Checkpoints(Run(run).checkpoints, identity).save(model, Snapshot(state, {}, {"x": torch.zeros(1)}))
    Run(run).finish("done", state, "bleu")
    scores = score(hypotheses, [(text,) for text in expected], expected, bootstrap=0)
    if bleu is not None:
        scores.metrics["bleu"] = Score(bleu, scores["bleu"].signature)
    sample = {"run": identity, "examples": "test.tsv", "split_hash": "abc"}
    evaluated = sample | {"checkpoint": "step-00000020", "decode": decode}
    rows = [Row(text, hypothesis, -1.0, (text,)) for text, hypothesis in zip(expected, hypotheses, strict=True)]
    write_evaluation(run / "eval", scores, evaluated, rows)
    if aer is not None:
        write_record(run / "eval/alignment.json", {"aer": aer, "gold": gold, "pairs": 9, "evaluated": evaluated})
    with SummaryWriter(str(run / "tensorboard"), purge_step=1) as writer:
        for step in (10, 20, 30):
            writer.add_scalar("validation/bleu", step + seed, step)
            if name != "seq2seq":
                writer.add_scalar("validation/attention_entropy", step / 10 + seed, step)
    return run
