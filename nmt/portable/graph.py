"""A computation as data: a list of elementary operations, with sizes that depend on the input.

Sizes: N hypotheses, S source tokens. A size is a number, or a sum such as {"1": 2, "N": 1, "NS": 3} for 2 + N + 3NS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Size: TypeAlias = "int | dict[str, int]"
Ref: TypeAlias = "int | str"  # a value of the graph (its inputs come first), or the name of a constant


@dataclass(frozen=True)
class Node:
    """One operation, which makes one value."""

    op: str
    inputs: list[Ref]
    settings: dict[str, Any] = field(default_factory=dict)  # numbers, text, and sizes


@dataclass(frozen=True)
class Graph:
    """Operations in the order in which they run; value i + `inputs` is that of the i-th node."""

    inputs: int
    nodes: list[Node]
    outputs: list[Ref]
    marks: dict[str, tuple[Ref, int | None]] = field(default_factory=dict)  # values by name (`nmt.model.marks`)

    def record(self) -> dict[str, Any]:
        """The graph as JSON can hold it."""
        nodes = [[node.op, node.inputs, node.settings] for node in self.nodes]
        record = {"inputs": self.inputs, "nodes": nodes, "outputs": self.outputs}
        return record | {"marks": {name: list(mark) for name, mark in self.marks.items()}} if self.marks else record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Graph:
        """The inverse of `record`; a ValueError if a node refers to a value that comes later."""
        marks = {str(name): (ref, dim) for name, (ref, dim) in record.get("marks", {}).items()}
        graph = cls(record["inputs"], [Node(*node) for node in record["nodes"]], record["outputs"], marks)
        known = graph.inputs
        results = Node("", [*graph.outputs, *(ref for ref, _ in marks.values())])
        for number, node in enumerate([*graph.nodes, results]):
            if not all(isinstance(ref, str) or 0 <= ref < known + number for ref in node.inputs):
                raise ValueError("a graph that refers to values it does not have")
        return graph

    def constants(self) -> set[str]:
        """The names of all constants that it refers to."""
        marked = (ref for ref, _ in self.marks.values())
        refs = [*self.outputs, *marked, *(ref for node in self.nodes for ref in node.inputs)]
        return {ref for ref in refs if isinstance(ref, str)}


def evaluate(size: Any, hypotheses: int, source: int) -> Any:
    """The number that a size stands for, or the numbers of a list of sizes."""
    if isinstance(size, dict):
        units = _units(hypotheses, source)
        return sum(count * units[unit] for unit, count in size.items())
    return [evaluate(each, hypotheses, source) for each in size] if isinstance(size, list) else size


def symbolic(values: Sequence[int], sizes: Sequence[tuple[int, int]]) -> Size | None:
    """The size that has these values for these (N, S), in its simplest form; None if there is none."""
    if len(set(values)) == 1:
        return values[0]
    first, units = values[0], _units(*sizes[0])
    multiples = [{unit: first // units[unit]} for unit in ("N", "S", "NS") if first % units[unit] == 0]
    sums = [{"1": first - units[unit], unit: 1} for unit in ("N", "S", "NS")]
    fits = (s for s in multiples + sums if [evaluate(s, *at) for at in sizes] == list(values))
    return next(fits, None)


def has_size(setting: Any) -> bool:
    """Whether a setting of a node depends on the input."""
    return isinstance(setting, dict) or (isinstance(setting, list) and any(map(has_size, setting)))


def _units(hypotheses: int, source: int) -> dict[str, int]:
    return {"1": 1, "N": hypotheses, "S": source, "NS": hypotheses * source}
