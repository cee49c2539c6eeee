"""The file of a portable model: the safetensors format, with the rest of the model in its metadata.

A file begins with the length of its header (8 bytes, little-endian) and the header in JSON; then come the tensors. Text
and graphs are JSON in the header's `__metadata__`, with a SHA-256 of all tensors.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nmt.errors import UserError
from nmt.files import write_bytes

VERSION = 1
_TYPES = {"F32": np.dtype("<f4"), "I8": np.dtype("i1"), "U8": np.dtype("u1")}
_LARGEST_HEADER = 64 * 2**20
_SCALE = ":scale"  # suffix of the scales of an int8 matrix


def pack(tensors: Mapping[str, np.ndarray], record: Mapping[str, Any], int8: bool) -> bytes:
    """The bytes of a file: tensors, matrices as int8 with a scale for each row if asked, and a JSON record."""
    stored: dict[str, np.ndarray] = {}
    for name, tensor in tensors.items():
        if int8 and tensor.dtype == np.float32 and tensor.ndim == 2:
            stored[name], stored[name + _SCALE] = quantise(tensor)
        else:
            stored[name] = np.ascontiguousarray(tensor)
    names = {dtype: name for name, dtype in _TYPES.items()}
    header: dict[str, Any] = {}
    data = bytearray()
    for name, tensor in sorted(stored.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):  # keeps F32 aligned
        begin = len(data)
        data += tensor.tobytes()
        place = [begin, len(data)]
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
    whole = {"version": VERSION, "sha256": hashlib.sha256(data).hexdigest(), **record}
    header["__metadata__"] = {"format": "nmt", "nmt": json.dumps(whole, ensure_ascii=False)}
    text = json.dumps(header, ensure_ascii=False).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + bytes(data)


def write(path: Path, tensors: Mapping[str, np.ndarray], record: Mapping[str, Any], int8: bool = True) -> None:
    """Write a file, whole or not at all."""
    write_bytes(path, pack(tensors, record, int8))


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors of a file, in float32 (or bytes), and its record; a UserError if it is damaged or something else."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}).") from error
    try:
        return unpack(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise UserError(f"{path} is no model of export.py, or is damaged ({error}): export it again.") from error


def unpack(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The inverse of `pack`; a ValueError or the like if the bytes are no such file."""
    size = int.from_bytes(content[:8], "little")
    if not 2 <= size <= min(_LARGEST_HEADER, len(content) - 8):
        raise ValueError("it has no header")
    header = json.loads(content[8 : 8 + size].decode("utf-8"))
    record = json.loads(header.pop("__metadata__")["nmt"])
    if record["version"] > VERSION:
        raise ValueError(f"it is of format {record['version']}, and this version reads up to {VERSION}")
    data = memoryview(content)[8 + size :]
    if hashlib.sha256(data).hexdigest() != record["sha256"]:
        raise ValueError("its checksum is wrong")
    stored = {name: _tensor(entry, data) for name, entry in header.items()}
    tensors = {}
    for name, tensor in stored.items():
        if name.endswith(_SCALE):
            continue
        if tensor.dtype == np.int8:
            tensor = tensor.astype(np.float32) * stored[name + _SCALE][:, None]
        tensors[name] = tensor
    return tensors, record


def _tensor(entry: Mapping[str, Any], data: memoryview) -> np.ndarray:
    dtype, (begin, end) = _TYPES[entry["dtype"]], entry["data_offsets"]
    shape = [int(length) for length in entry["shape"]]
    if not 0 <= begin <= end <= len(data) or math.prod(shape) * dtype.itemsize != end - begin:
        raise ValueError("its tensors do not fit their places")
    return np.frombuffer(data[begin:end], dtype).reshape(shape)


def quantise(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as int8, and the scale of each row: value = int8 × scale."""
    largest = np.abs(matrix).max(axis=1) if matrix.shape[1] else np.zeros(len(matrix), np.float32)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.round(matrix / scale[:, None]).astype(np.int8), scale
