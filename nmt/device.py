"""Choice of the device and the precision."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from nmt.errors import UserError


def choose_device(name: str) -> torch.device:
    """The device that `name` asks for; auto is a CUDA GPU if there is one, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UserError(f"device={name} is not known: use auto, cpu, cuda, cuda:1 or mps.") from error
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    present = {"cpu": 1, "cuda": gpus, "mps": int(torch.backends.mps.is_available())}
    if (device.index or 0) >= present.get(device.type, 0):
        raise UserError(f"device={name} is not available on this machine: use device=auto or device=cpu.")
    if device.type == "cpu":
        return torch.device("cpu")  # cpu:0 is the same, but not every loader knows it
    if device.type == "cuda":
        if device.index is not None:
            torch.cuda.set_device(device)  # random numbers and NCCL follow it
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
    return device


def choose_precision(name: str, device: torch.device) -> torch.dtype | None:
    """The autocast type, or None for plain fp32; auto is bf16 where the device does not merely emulate it."""
    if name == "auto":
        name = "bf16" if _multiplies_bf16(device) else "fp32"
    return {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}[name]


def autocast(device: torch.device, precision: torch.dtype | None) -> AbstractContextManager[Any]:
    """Compute matrix products in this type inside; None changes nothing."""
    return nullcontext() if precision is None else torch.autocast(device.type, dtype=precision)


def _multiplies_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):  # older versions of PyTorch cannot tell
        return False
    instructions = torch.cpu.get_capabilities()
    return any(instructions.get(name, False) for name in ("avx512_bf16", "amx_bf16"))
