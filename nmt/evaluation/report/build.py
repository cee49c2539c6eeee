"""Writes eval/report.html; a part that cannot be made is left out with a warning, and never ends an evaluation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nmt.evaluation.history import read_history
from nmt.evaluation.report import origin, quality, signs
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
    evaluation: Evaluation,
    languages: tuple[str, str],
    details: Mapping[str, Any],
    verdict: Verdict,
    run: OpenRun,
) -> dict[str, Any]:
    """The content of the page, as plain values for JSON."""
    analysis = Analysis(evaluation)
    (source, source_lang), (target, target_lang) = map(language, languages)
    codes = source_lang, target_lang
    scores = [quality.score_figure(evaluation.scores)]
    good_and_bad = quality_figures(analysis, codes, run)
    training = attempt("curves", lambda: training_figures(read_history(run.tensorboard), run.finished()["best_step"]))
    leak = attempt("leak", lambda: origin.leak_note(run, details, evaluation.examples)) or "Leak: not checked."
    data = attempt("data", lambda: origin.data_figures(run, leak)) or []
    settings = attempt("settings", lambda: [origin.settings_figure(run)]) or []
    by_id = {figure.id: figure for figure in good_and_bad}
    sections = [
        Section("quality", "Where it is good and bad", good_and_bad),
        Section("sentences", "Sentences", []),
        Section("scores", "Scores and signatures", scores),
        Section("training", "Training", training or []),
        Section("origin", "What this is, and how to repeat it", [*data, *settings]),
    ]
    pairs = attempt("training data", lambda: f"{run.config.data.name}, {TrainingData.of(run).pairs:,} training pairs")
    tested = f"{details['examples']}, {evaluation.scores.sentences:,} sentences"
    subtitle = filter(None, [pairs, tested, details["checkpoint"]])
    return {
        "title": f"{run.config.name}: {source} → {target}",
        "subtitle": " · ".join(subtitle),
        "languages": {"source": source_lang, "target": target_lang},
        "scores": evaluation.scores.to_dict(),
        "tiles": tiles(evaluation.scores),
        "verdict": [f"Of {verdict.headline}", *filter(None, [verdict.typical])],
        "findings": attempt("findings", lambda: findings(by_id)) or [],
        "facts": attempt("origin", lambda: origin.facts(run, details) | not_measured(analysis, details, run)) or {},
        "sections": [section.plain() for section in sections if section.figures or section.id == "sentences"],
        "sentences": attempt("sentences", analysis.rows) or [],
    }


def not_measured(analysis: Analysis, details: Mapping[str, Any], run: OpenRun) -> dict[str, str]:
    """How to measure whether attention matters; nothing where that is known, or cannot be."""
    if analysis.evaluation.faithfulness or "ensemble" in details or not any(analysis.attention):
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
    """All figures on translations that can be made."""
    words = {word for pair in analysis.bags for bag in pair for word in bag}
    known = attempt("word counts", lambda: WordCounts.of(run, words))
    counts = known.counts if known and known.tokenizer == analysis.evaluation.scores.tokenizer else None
    makers: dict[str, Callable[[], list[Figure]]] = {
        "lengths": lambda: [quality.length_figure(analysis)],
        "sentence chrF": lambda: [quality.chrf_figure(analysis)],
        "frequencies": lambda: [] if counts is None else [quality.frequency_figure(analysis, counts)],
        "scripts": lambda: [quality.script_figure(analysis)],
        "missed words": lambda: quality.missed_figures(analysis, counts, codes[1]),
        "copying": lambda: [quality.copying_figure(analysis)],
        "signs of trouble": lambda: [signs.trouble_figure(analysis)],
        "words left out": lambda: signs.left_out_figure(analysis, codes[0]),
        "mistakes": lambda: [quality.mistakes_figure(analysis, codes)],
        "calibration": lambda: quality.calibration_figures(analysis),
        "other attention": lambda: quality.faithfulness_figure(analysis),
    }
    return [figure for part, make in makers.items() for figure in attempt(part, make) or []]
