import pytest
import torch

from nmt.device import choose_device, choose_precision
from tests.conftest import assert_refused


def pretend_gpus(monkeypatch: pytest.MonkeyPatch, count: int, capability: tuple[int, int] = (8, 0)) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: current.append(device.index + 0))  # needs an index


current: list[int] = []


def test_auto_is_a_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_gpus(monkeypatch, 0)
    assert choose_device("auto").type == "cpu"
    pretend_gpus(monkeypatch, 2)
    assert choose_device("auto").type == "cuda"
    assert choose_device("cuda:1").index == 1
    assert current == [1]
    assert choose_device("cpu") == choose_device("cpu:0") == torch.device("cpu")


@pytest.mark.parametrize("name", ["cuda:2", "tpu", "mps:x", "mps:3", "xla", "meta", "cpu:7", ""])
def test_what_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pretend_gpus(monkeypatch, 2)
    assert_refused(f"device={name}", choose_device, name)


def test_auto_precision_is_bf16_only_where_it_is_native(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    for instructions, chosen in [({"avx512_bf16": True}, torch.bfloat16), ({"avx512_f": True}, None), ({}, None)]:
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=instructions: found)
        assert choose_precision("auto", cpu) is chosen
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert choose_precision("auto", cpu) is None
    pretend_gpus(monkeypatch, 1, capability=(8, 6))
    assert choose_precision("auto", gpu) is torch.bfloat16
    pretend_gpus(monkeypatch, 1, capability=(7, 5))
    assert choose_precision("auto", gpu) is None
    assert choose_precision("fp16", gpu) is torch.float16
    assert choose_precision("bf16", cpu) is torch.bfloat16
    assert choose_precision("fp32", gpu) is None
