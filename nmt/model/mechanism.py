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
    heads = ", the mean of all heads" if attention.score.has_heads else ""
    return [line.format(**formulas, heads=heads) for line in ATTENTION]


def formulas(decoder: nn.Module) -> dict[str, dict[str, str]]:
    """Of score, alignment and wiring: the name of the class, its equation ("" if it has none) and its docstring."""
    attention = getattr(decoder, "attention", None)
    parts = {} if attention is None else {"score": attention.score, "alignment": attention.alignment}
    if hasattr(parts.get("score"), "inner"):
        parts["inner"] = parts["score"].inner
    found = {}
    for role, part in {**parts, "wiring": decoder}.items():
        text = inspect.cleandoc(type(part).__doc__ or "")
        lines = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
        equations = (_CITATION.split(line)[0] for line in lines)
        equation = next((each for each in equations if _EQUATION.match(each)), "")
        found[role] = {"name": type(part).__name__, "equation": equation.rstrip(". "), "text": text}
    return found


def _formula(part: object) -> str:
    """The first line of a class's docstring."""
    return (type(part).__doc__ or "").partition("\n")[0]
