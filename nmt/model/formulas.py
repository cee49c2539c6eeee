"""The formulas of a model's parts, as the docstrings of their classes have them."""

import inspect
import re

from torch import nn

_EQUATION = re.compile(r"\S{1,6} [=∝] ")  # at the beginning of a paragraph: e = …, sₜ = …
_CONTEXT = "c = "
_CITATION = re.compile(r" \((?=[A-Z][^()]*\d{4})|: |(?<=\.) ")  # what follows an equation: (Luong 2015 …


def formulas(decoder: nn.Module) -> dict[str, dict[str, str]]:
    """Of score, alignment, context and wiring: name of the class, equation ("" if it has none) and docstring.

    The equation of the context, c = …, is that of the score's class, or of the nearest base that has one.
    """
    attention = getattr(decoder, "attention", None)
    parts = {} if attention is None else {"score": attention.score, "alignment": attention.alignment}
    if hasattr(parts.get("score"), "inner"):
        parts["inner"] = parts["score"].inner
    by_role = {}
    for role, part in {**parts, "wiring": decoder}.items():
        text, equations = inspect.cleandoc(type(part).__doc__ or ""), _equations(type(part))
        equation = next((each for each in equations if not each.startswith(_CONTEXT)), "")
        by_role[role] = {"name": type(part).__name__, "equation": equation, "text": text}
    if attention is not None:
        kinds = type(attention.score).__mro__
        equations = [each for kind in kinds for each in _equations(kind) if each.startswith(_CONTEXT)]
        by_role["context"] = {**by_role["score"], "equation": equations[0] if equations else ""}
    return by_role


def _equations(kind: type) -> list[str]:
    """The equations that paragraphs of a class's docstring begin with."""
    paragraphs = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    lines = (_CITATION.split(" ".join(paragraph.split()))[0] for paragraph in paragraphs)
    return [line.rstrip(". ") for line in lines if _EQUATION.match(line)]
