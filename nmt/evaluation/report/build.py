"""Writes eval/report.html; a part that cannot be made is left out with a warning, and never ends an evaluation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nmt.evaluation.history import read_history
from nmt.evaluation.report import origin, quality
from nmt.evaluation.report.analysis import Analysis
from nmt.evaluation.report.curves import training_figures
from nmt.evaluation.report.figures import Figure, Section
from nmt.evaluation.report.findings import findings
from nmt.evaluation.report.words import WordCounts
from nmt.evaluation.score_report import REPORT
from nmt.evaluation.scores import Scores
from nmt.files import write_listed
from nmt.metrics import METRICS
from nmt.unlike_training import TrainingData
from nmt.web.assemble import language
from nmt.web.report_page import report_page

if TYPE_CHECKING:
    from nmt.evaluation.evaluate import Evaluation
    from nmt.evaluation.verdict import Verdict
    from nmt.run import OpenRun

log = logging.getLogger(__name__)

Found = TypeVar("Found")


def write_report(
    directory: Path,
    evaluation: Evaluation,
    languages: tuple[str, str],
    details: Mapping[str, Any],
    verdict: Verdict,
    run: OpenRun,
) -> None:
    """Write report.html into the directory of an evaluation, listed in its SHA256SUMS."""

    def write() -> None:
        page = report_page(report_data(evaluation, languages, details, verdict, run))
        write_listed(directory / REPORT, page.encode("utf-8", "backslashreplace"))

    attempt("all", write)


def attempt(part: str, make: Callable[[], Found]) -> Found | None:
    """What `make` returns; None, with a warning, if it fails."""
    try:
        return make()
    except Exception as error:  # whatever it is, the evaluation is worth more than its report
        log.warning("The report leaves out a part (%s), as it cannot be made: %r", part, error)
        return None


def report_data(
    evaluation: Evaluation, languages: tuple[str, str], details: Mapping[str, Any], verdict: Verdict, run: OpenRun
) -> dict[str, Any]:
    """The content of the page, as plain values for JSON."""
    analysis = Analysis(evaluation)
    (source, source_lang), (target, target_lang) = map(language, languages)
    codes = source_lang, target_lang
    good_and_bad = attempt("quality", lambda: quality_figures(analysis, codes, run)) or []
    training = attempt("training", lambda: training_figures(read_history(run.tensorboard), run.finished()["best_step"]))
    data = attempt("origin", lambda: origin.figures(run, details, evaluation.examples)) or []
    sections = [
        Section("quality", "Where it is good and bad", good_and_bad),
        Section("sentences", "Sentences", []),
        Section("scores", "Scores and signatures", [quality.score_figure(evaluation.scores)]),
        Section("training", "Training", training or []),
        Section("origin", "What this is, and how to repeat it", data),
    ]
    tested = f"{details['examples']}, {evaluation.scores.sentences:,} sentences"
    pairs = f"{run.config.data.name}, {TrainingData.of(run).pairs:,} training pairs"
    return {
        "title": f"{run.config.name}: {source} → {target}",
        "subtitle": " · ".join([pairs, tested, details["checkpoint"]]),
        "languages": {"source": source_lang, "target": target_lang},
        "scores": evaluation.scores.to_dict(),
        "tiles": tiles(evaluation.scores),
        "verdict": [f"Of {verdict.headline}", *filter(None, [verdict.typical])],
        "findings": findings({figure.id: figure for figure in good_and_bad}),
        "facts": origin.facts(run, details) | not_measured(evaluation, details, run),
        "sections": [section.plain() for section in sections if section.figures or section.id == "sentences"],
        "sentences": analysis.rows(),
    }


def not_measured(evaluation: Evaluation, details: Mapping[str, Any], run: OpenRun) -> dict[str, str]:
    """How to measure whether attention matters; nothing where that is known, or cannot be."""
    attentive = any(translation.attention is not None for translation in evaluation.translations)
    if evaluation.faithfulness or "ensemble" in details or not attentive:
        return {}
    command = f"{origin.evaluation_command(run, details)} --faithfulness"
    return {"Does it matter where it looks?": f"Not measured. {command} tells, in twice the time of an evaluation."}


def tiles(scores: Scores) -> dict[str, dict[str, str]]:
    """The scores in large type."""
    return {
        METRICS[name].label: {
            "value": f"{score.value:.1f}",
            "interval": "" if score.low is None else f"{score.low:.1f}–{score.high:.1f}",
        }
        for name, score in scores.metrics.items()
    }


def quality_figures(analysis: Analysis, codes: tuple[str, str], run: OpenRun) -> list[Figure]:
    """All figures on translations; those by frequency only if the run has counts of the same words."""
    known = WordCounts.of(run)
    counts = known.counts if known and known.tokenizer == analysis.evaluation.scores.tokenizer else None
    return [
        quality.length_figure(analysis),
        quality.chrf_figure(analysis),
        *([] if counts is None else [quality.frequency_figure(analysis, counts)]),
        *quality.missed_figures(analysis, counts, codes[1]),
        quality.copying_figure(analysis),
        quality.trouble_figure(analysis),
        quality.mistakes_figure(analysis, codes),
        *quality.calibration_figures(analysis),
        *quality.faithfulness_figure(analysis),
    ]
