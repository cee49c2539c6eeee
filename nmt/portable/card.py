"""The model card of a portable file: in plain words, what the model was trained on, how good it is, what to expect."""

from __future__ import annotations

from typing import Any

from nmt.evaluation.score_report import SCORES
from nmt.evaluation.verdict import VERDICT
from nmt.files import read_listed, read_record
from nmt.guessing import Guessing
from nmt.languages import LANGUAGES
from nmt.run import OpenRun
from nmt.unlike_training import TrainingData

_CAUTION = (
    "It is a small model and makes mistakes, also in fluent sentences: names, numbers and negations can be wrong or "
    "missing. It translates each line by itself, without the lines around it. Sentences about other things than those "
    "it was trained on come out worse. Have what matters (medicine, law, safety, publications) checked by a person who "
    "knows both languages."
)


def recorded_scores(run: OpenRun, checkpoint: str | None) -> dict[str, Any]:
    """The scores of a checkpoint on the run's own test set, as scores.json has them; empty if it was not scored."""
    if not (run.evaluation / SCORES).is_file():
        return {}
    scores = read_record(run.evaluation / SCORES)
    evaluated = scores.get("evaluated", {})
    return scores if evaluated.get("run") == run.identity and evaluated.get("checkpoint") == checkpoint else {}


def card(
    run: OpenRun,
    checkpoint: str | None,
    languages: tuple[str, str],
    known: TrainingData,
    scores: dict[str, Any],
    guessing: Guessing | None,
) -> dict[str, str]:
    """Texts by headings."""
    source, target = map(language_name, languages)
    scripts = " and ".join(name.capitalize() for name in known.scripts) or "no"
    trained = f"{known.pairs:,} pairs of sentences of the corpus “{run.config.data.name}”"
    lengths = f"the longest source sentence had {known.longest} pieces (a piece is a word or a part of one)"
    reliance = _CAUTION
    if guessing is not None and guessing.threshold is not None:
        notices = f"{guessing.deserved} of {guessing.notices} such translations of its validation set were bad"
        reliance += f" A confidence of {guessing.threshold:.2f} or less means that it is guessing: {notices}."
    finished = str(run.finished()["finished_at"])[:10]
    return {
        "Translates": f"from {source} to {target}",
        "Trained on": f"{trained}, written in {scripts} letters; {lengths}.",
        "How good it is": _quality(run, scores),
        "What not to rely on": reliance,
        "Origin": f"model {run.config.name}, {checkpoint} of run {run.identity[:12]}, finished on {finished}.",
    }


def _quality(run: OpenRun, scores: dict[str, Any]) -> str:
    """How many test sentences came out right, where that was recorded, and the scores."""
    if not scores:
        return "It was not measured."
    parts = []
    if (run.evaluation / VERDICT).is_file():  # earlier versions wrote none
        first, *_ = read_listed(run.evaluation / VERDICT).decode("utf-8").splitlines()
        parts.append(first.removeprefix("Verdict: ").replace("of ", "Of ", 1))
    values = [f"{name} {scores[key]['value']:.1f}" for key, name in (("bleu", "BLEU"), ("chrf", "chrF"))]
    tested = f"{scores['sentences']:,} sentences of the same kind that it had not seen in training"
    parts.append(f"{' and '.join(values)} on {tested}; 100 is the best possible score.")
    return " ".join(parts)


def language_name(label: str) -> str:
    """The English name of a language code, or the label itself."""
    known = LANGUAGES.get(label)
    return known.names[0].capitalize() if known else label
