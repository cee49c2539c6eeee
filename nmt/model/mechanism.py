"""The steps of a model's attention in words, with the formulas of its parts."""

import inspect
import re

from torch import nn

# The five steps of attention, by the names that tutorials give them. The formulas are the first lines of the docstrings
# of the model's classes: s the decoder's state, h a source piece's.
ATTENTION = (
    "Score: every source piece gets an energy. {score}",
    "Softmax: the energies become the weights under “looks at”{heads}. {alignment}",
    "Weigh: what the encoder knows of each piece is multiplied by the piece's weight.",
    "Sum: added up, it is the context.",
    "Combine: context and state give the probabilities under “next token”. {wiring}",
)


_EQUATION = re.compile(r"\S{1,6} [=∝] ")  # at the beginning of a paragraph: e = …, sₜ = …
_CONTEXT = "c = "
_CITATION = re.compile(r" \((?=[A-Z][^()]*\d{4})|: |(?<=\.) ")  # what follows an equation: (Luong 2015 …


def in_words(decoder: nn.Module) -> list[str]:
    """The five steps of attention, with the formulas of a decoder's parts; empty without attention."""
    attention = getattr(decoder, "attention", None)
    if attention is None:
        return []
    parts = {"score": attention.score, "alignment": attention.alignment, "wiring": decoder}
    formulas = {name: _formula(part) for name, part in parts.items()}
    if hasattr(attention.score, "inner"):
        formulas["score"] += " " + _formula(attention.score.inner)
    heads = ", in each head by itself" if attention.score.has_heads else ""
    return [line.format(**formulas, heads=heads) for line in ATTENTION]


def formulas(decoder: nn.Module) -> dict[str, dict[str, str]]:
    """Of score, alignment, context and wiring: name of the class, equation ("" if it has none) and docstring.

    The equation of the context, c = …, is that of the score's class, or of the nearest base that has one.
    """
    attention = getattr(decoder, "attention", None)
    parts = {} if attention is None else {"score": attention.score, "alignment": attention.alignment}
    if hasattr(parts.get("score"), "inner"):
        parts["inner"] = parts["score"].inner
    found = {}
    for role, part in {**parts, "wiring": decoder}.items():
        text, equations = inspect.cleandoc(type(part).__doc__ or ""), _equations(type(part))
        equation = next((each for each in equations if not each.startswith(_CONTEXT)), "")
        found[role] = {"name": type(part).__name__, "equation": equation, "text": text}
    if attention is not None:
        kinds = type(attention.score).__mro__
        equations = [each for kind in kinds for each in _equations(kind) if each.startswith(_CONTEXT)]
        found["context"] = {**found["score"], "equation": equations[0] if equations else ""}
    return found


def _equations(kind: type) -> list[str]:
    """The equations that paragraphs of a class's docstring begin with."""
    paragraphs = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    lines = (_CITATION.split(" ".join(paragraph.split()))[0] for paragraph in paragraphs)
    return [line.rstrip(". ") for line in lines if _EQUATION.match(line)]


def _formula(part: object) -> str:
    """The first line of a class's docstring."""
    return (type(part).__doc__ or "").partition("\n")[0]
