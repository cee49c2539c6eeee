"""Converts records of earlier versions to the current format."""

import re
from collections.abc import Mapping
from typing import Any

BEAM = "nmt.search.Beam"
_CELLS = {"gru": "nmt.model.cell.GRU", "lstm": "nmt.model.cell.LSTM"}
_WRAPPED = re.compile(r"\b(recurrence|asking|reading)\.rnn\.")


def settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Upgrade a run's settings: format 1 named cells by a word, and had no search method but the beam."""
    values = dict(values)
    if isinstance(values.get("decode"), Mapping):
        values["decode"] = search(values["decode"])
    if isinstance(values.get("model"), Mapping):
        values["model"] = _with_cells(values["model"])
    if isinstance(values.get("data"), Mapping):
        known = {name: value for name, value in values["data"].items() if name != "max_megabytes"}
        values["data"] = _with_format(known)
    return values


def search(decode: Mapping[str, Any]) -> dict[str, Any]:
    """The search method and settings of a run or of its scores."""
    return {"_target_": BEAM, **decode}


def tensor_name(name: str) -> str:
    """The name of a tensor in a checkpoint: format 1 had the decoder's cells inside a wrapper."""
    return _WRAPPED.sub(r"\1.", name)


def _with_format(data: Mapping[str, Any]) -> dict[str, Any]:
    """Name the format of a corpus from before formats were found out: tabs without header, or parallel files."""
    if data.get("format", "auto") != "auto":
        return dict(data)
    return {**data, "format": "parallel" if isinstance(data.get("path"), list) else "tsv", "header": False}


def _with_cells(model: Mapping[str, Any]) -> dict[str, Any]:
    """Name cells by their classes, once if encoder and decoder have the same."""
    sides = {
        name: part for name, part in model.items() if isinstance(part, Mapping) and isinstance(part.get("cell"), str)
    }
    cells = {name: {"_target_": _CELLS.get(part["cell"], part["cell"])} for name, part in sides.items()}
    if cells.keys() == {"encoder", "decoder"} and cells["encoder"] == cells["decoder"]:
        bare = {name: {key: part[key] for key in part if key != "cell"} for name, part in sides.items()}
        return {**model, **bare, "cell": cells["encoder"]}
    return {**model, **{name: {**part, "cell": cells[name]} for name, part in sides.items()}}
