"""A configuration can build this project's parts and PyTorch's optimisers, and set nothing else in motion."""

import sys

import pytest

from nmt.factory import constructor
from tests.conftest import assert_refused

NASTY = [
    *("os.system", "builtins.eval", "subprocess.Popen", "nmt.run.Run", "nmt.data.tokenizer.Tokenizer", "nmt.modelx.A"),
    *("", ".", "..", "nmt", "nmt.model", "nmt.model.", "nmt.model..os", "nmt.model...os.system"),
    *(".nmt.model.score.Dot", "nmt.model.os.system", "nmt.model.score.os", "nmt.model.score.Dot.__init__"),
    *("nmt.model.score.Dot.forward", "nmt.model.score.__builtins__", "nmt.model.__init__.score", "nmt.model.score.nn"),
    *("nmt.model.score.nn.Linear", "nmt.model.score.Tensor", "nmt.model.score.Any", "nmt.model.attention.Memory"),
    *("nmt.model.alignment.masked_softmax", "nmt.model.score", "torch.optim.lr_scheduler"),  # functions, modules
    *("nmt.model.products.Function", "nmt.model.decoder.NamedTuple", "nmt.model.score.Dot ", "nmt.model.score.Dot\n"),
    *("nmt.model.score.Dot\0", "nmt.model/score.Dot", "nmt.model.score:Dot", "nmt.model.ѕcore.Dot"),
    *("nmt.model.score.0", "torch.optim.optimizer.OrderedDict", "torch.optim.optimizer.Any", "torch.optim...."),
    *("torch.optim.optimizer.warnings.warn", "torch.optim.lr_scheduler.LambdaLR", "torch.optim"),
    *("torch.optim.swa_utils.AveragedModel", "torch.optim.sgd._use_grad_for_differentiable", "torch.load"),
    *("torch.optim._functional.adam", "torch.hub.load", "nmt.search.base.Tensor", "nmt.search.Hypothesis"),
    *("nmt.search.sample.np", "nmt.search.beam._best", "nmt.training.schedule.math", "nmt.training.schedule.UserError"),
    *("nmt.training.trainer.Trainer", "antigravity.x", "this.x", "nmt.model.antigravity.x", "a" * 100_000),
    *(None, 3, ["os.system"], {"_target_": "os.system"}),
]


def test_nasty_targets_are_refused_before_anything_runs() -> None:
    before = set(sys.modules)
    for where in ("model.encoder", "optimizer"):
        for target in NASTY:
            assert_refused(rf"^{where}\b", constructor, {"_target_": target}, where)
    imported = set(sys.modules) - before
    assert all(name.startswith(("nmt.model.", "nmt.search.", "torch.")) for name in imported), imported


@pytest.mark.parametrize(
    ("where", "target"),
    [
        *(("optimizer", "nmt.model.seq2seq.Seq2Seq"), ("optimizer", "nmt.training.schedule.Cosine")),
        *(("scheduler", "torch.optim.SGD"), ("scheduler", "nmt.search.Beam"), ("model", "torch.optim.SGD")),
        *(("model.encoder", "nmt.training.schedule.Cosine"), ("decode", "nmt.model.seq2seq.Seq2Seq")),
    ],
)
def test_a_part_belongs_in_its_place(where: str, target: str) -> None:
    assert_refused(rf"{where}\._target_ may only name classes under", constructor, {"_target_": target}, where)
