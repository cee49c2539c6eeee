"""The file of a portable model: the safetensors format, with everything that is not a tensor as JSON in its metadata.

A file begins with the length of its header (8 bytes, little-endian) and the header in JSON; then come the tensors.
The header's `__metadata__` has the record of the model and a SHA-256 of the file, taken with zeros in its place.
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

VERSION = 2
SUFFIX = ".nmt"
# What malformed content can raise, whatever it is: JSON, shapes, graphs.
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError, MemoryError)

_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I8": np.dtype("i1"), "U8": np.dtype("u1")}
_LARGEST_HEADER = 64 * 2**20
_SCALE = ":scale"  # suffix of the scales of an int8 matrix
_NO_DIGEST = "0" * 64

Tensors = dict[str, np.ndarray]


def pack(tensors: Mapping[str, np.ndarray], record: Mapping[str, Any], int8: bool) -> bytes:
    """The bytes of a file: tensors, matrices as int8 with a scale for each row if asked, and a JSON record."""
    stored: Tensors = {}
    for name, tensor in tensors.items():
        if int8 and tensor.dtype == np.float32 and tensor.ndim == 2:
            stored[name], stored[name + _SCALE] = quantise(tensor)
        else:
            stored[name] = np.ascontiguousarray(tensor)
    names = {dtype: name for name, dtype in _TYPES.items()}
    entries: dict[str, Any] = {}
    data = bytearray()
    for name, tensor in sorted(stored.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):  # aligns F32
        begin = len(data)
        data += tensor.tobytes()
        place = [begin, len(data)]
        entries[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
    text = json.dumps({**record, "version": VERSION}, ensure_ascii=False)
    metadata = {"sha256": _NO_DIGEST, "format": "nmt", "nmt": text}
    header = json.dumps({"__metadata__": metadata, **entries}, ensure_ascii=False).encode("utf-8")
    header += b" " * (-len(header) % 8)
    content = len(header).to_bytes(8, "little") + header + bytes(data)
    return content.replace(_NO_DIGEST.encode(), hashlib.sha256(content).hexdigest().encode(), 1)


def write(path: Path, tensors: Mapping[str, np.ndarray], record: Mapping[str, Any], int8: bool = True) -> None:
    """Write a file atomically."""
    write_bytes(path, pack(tensors, record, int8))


def read(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """The tensors of a file, in float32 (or bytes), and its record; a UserError if it is damaged or something else."""
    return read_content(content_of(path), path)


def content_of(path: Path) -> bytes:
    """The bytes of a file; a UserError, before all of them are read, if it is something else."""
    try:
        with path.open("rb") as file:
            begin = file.read(8)
            if _header_size(begin, path.stat().st_size) is None:
                raise UserError(f"{path} is not a model that export.py wrote.")
            return begin + file.read()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}).") from error


def read_content(content: bytes, path: Path) -> tuple[Tensors, dict[str, Any]]:
    """The same for the content of a file."""
    try:
        return unpack(content)
    except MALFORMED as error:
        raise malformed(path, error) from error


def malformed(path: Path, error: BaseException) -> UserError:
    """The error of a file with wrong content."""
    reason = str(error) if type(error) is ValueError else type(error).__name__
    return UserError(f"{path} is damaged, or not a model that export.py wrote ({reason}): export it again.")


def unpack(content: bytes) -> tuple[Tensors, dict[str, Any]]:
    """The inverse of `pack`; one of `MALFORMED` if the bytes are no such file."""
    size = _header_size(content[:8], len(content))
    if size is None:
        raise ValueError("no header")
    entries = json.loads(content[8 : 8 + size].decode("utf-8"))
    metadata = entries.pop("__metadata__")
    record = json.loads(metadata["nmt"])
    if record["version"] != VERSION:
        raise ValueError(f"format {record['version']}, and this version reads {VERSION}")
    digest = metadata["sha256"]
    if hashlib.sha256(content.replace(digest.encode(), _NO_DIGEST.encode(), 1)).hexdigest() != digest:
        raise ValueError("wrong checksum")
    data = memoryview(content)[8 + size :]
    stored = {name: _tensor(entry, data) for name, entry in entries.items()}
    tensors = {}
    for name, tensor in stored.items():
        if name.endswith(_SCALE):
            continue
        if tensor.dtype == np.int8:
            tensor = tensor.astype(np.float32) * stored[name + _SCALE][:, None]
        tensors[name] = tensor
    return tensors, record


def quantise(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as int8, and the scale of each row: value = int8 × scale."""
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.round(matrix / scale[:, None]).astype(np.int8), scale


def _header_size(begin: bytes, total: int) -> int | None:
    """The length of the header by the first 8 bytes of a file of `total` bytes; None if it cannot be one."""
    size = int.from_bytes(begin, "little")
    return size if len(begin) == 8 and 2 <= size <= min(_LARGEST_HEADER, total - 8) else None


def _tensor(entry: Mapping[str, Any], data: memoryview) -> np.ndarray:
    dtype, (begin, end) = _TYPES[entry["dtype"]], entry["data_offsets"]
    shape = [int(length) for length in entry["shape"]]
    if not 0 <= begin <= end <= len(data) or math.prod(shape) * dtype.itemsize != end - begin:
        raise ValueError("tensors that do not fit their places")
    return np.frombuffer(data[begin:end], dtype).reshape(shape)
