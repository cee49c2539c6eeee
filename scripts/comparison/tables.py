"""The table of a comparison for the terminal, for LaTeX and as CSV, and its legend."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from comparison.runs import Member, differing
from comparison.summary import Row, Spread
from nmt.metrics import METRICS

NOTHING = "–"
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
_TEX |= {"Δ": r"$\Delta$", "−": "$-$", "–": "--"} | {sign: f"\\{sign}" for sign in "{}$&#_%"}

_OTHERS: dict[str, Callable[[Row], str]] = {
    "Δ BLEU": lambda row: NOTHING if row.delta is None else f"{row.delta:+.1f}".replace("-", "−"),
    "p": lambda row: _p(row.p),
    "parameters": lambda row: f"{row.parameters:,}",
    "tokens/s": lambda row: f"{row.tokens_per_second:,.0f}",
    "minutes": lambda row: f"{row.minutes:.1f}",
    "entropy": lambda row: NOTHING if row.entropy is None else f"{row.entropy:.2f}",
    "AER %": lambda row: NOTHING if row.aer is None else _spread(row.aer, 100),
}


def cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and the text below them: a column per metric, and AER only if some run has one."""
    metrics = rows[0].scores
    names = [name for name in _OTHERS if name != "AER %" or any(row.aer for row in rows)]
    body = [
        [row.name, str(len(row.seeds)), *map(_spread, row.scores.values()), *(_OTHERS[name](row) for name in names)]
        for row in rows
    ]
    return ["model", "runs", *(METRICS[name].label for name in metrics), *names], body


def terminal(rows: Sequence[Row], title: str, notes: Sequence[str], console: Console) -> RenderableType:
    """The table and its legend, for rich; a narrow terminal gets several tables, each with some of the columns."""
    (model, *names), _ = cells(rows)
    unlimited = console.options.update(max_width=1000)
    parts = [[model]]
    for name in names:
        wider = [*parts[-1], name]
        if Measurement.get(console, unlimited, _table(rows, wider)).maximum <= console.width:
            parts[-1] = wider
        else:
            parts.append([model, name])
    tables = [_table(rows, part) for part in parts]
    return Group(Text(title, style="bold"), *tables, *(Text(note, style="dim") for note in notes))


def _table(rows: Sequence[Row], wanted: Sequence[str]) -> Table:
    names, body = cells(rows)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in wanted:
        table.add_column(name, justify="left" if name == "model" else "right", overflow="fold")  # never cut
    for line in body:
        table.add_row(*(Text(line[names.index(name)]) for name in wanted))
    return table


def latex(rows: Sequence[Row], title: str) -> str:
    """The table for LaTeX with booktabs; numbers are aligned to the right."""
    names, body = cells(rows)
    head, *lines = (f"{' & '.join(map(_escaped, line))} \\\\" for line in (names, *body))
    inside = "\n".join([r"\toprule", head, r"\midrule", *lines, r"\bottomrule"])
    tabular = f"\\begin{{tabular}}{{l{'r' * (len(names) - 1)}}}\n{inside}\n\\end{{tabular}}"
    return f"\\begin{{table}}\n\\centering\n{tabular}\n\\caption{{{_escaped(title)}}}\n\\end{{table}}\n"


def _escaped(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    return "".join(_TEX.get(character, character) for character in text)


def comma_separated(rows: Sequence[Row]) -> str:
    """The unrounded numbers as CSV, a line per model; a missing number is an empty cell."""
    lines = []
    for row in rows:
        line: dict[str, Any] = {"model": row.name, "runs": len(row.seeds), "seeds": " ".join(map(str, row.seeds))}
        for name, spread in row.scores.items():
            line |= {f"{name}_mean": spread.mean, f"{name}_std": spread.std}
        line |= {"delta_bleu": row.delta, "p": row.p, "parameters": row.parameters}
        line |= {"tokens_per_second": row.tokens_per_second, "minutes": row.minutes, "attention_entropy": row.entropy}
        lines.append(line | ({"aer_mean": row.aer.mean, "aer_std": row.aer.std} if row.aer else {}))
    out = io.StringIO()
    columns = dict.fromkeys(name for line in lines for name in line)
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()


def _search_name(decode: Mapping[str, Any]) -> str:
    """The search method of a record, with its beam size where it has one."""
    if "beam_size" in decode:
        return f"beam {decode['beam_size']}"
    return str(decode["_target_"]).rpartition(".")[2].lower()


def legend(members: Sequence[Member], rows: Sequence[Row], baseline: str, trials: int) -> list[str]:
    """What the columns mean, and what they do not tell."""
    scores = members[0].scores
    evaluated, metrics = scores["evaluated"], [METRICS[name] for name in (rows[0].scores if rows else ())]
    signatures = "; ".join(f"{metric.label} {scores[metric.name]['signature']}" for metric in metrics)
    lower = " and ".join(metric.label for metric in metrics if not metric.higher_is_better)
    notes = [
        f"Scores: {evaluated['examples']}, {scores['sentences']} sentences, split {evaluated['split_hash'][:12]}, "
        f"{_search_name(evaluated['decode'])}; {signatures}.",
        f"±: sample standard deviation (n − 1) over the runs of a model, which differ in the seed; {NOTHING} for one.",
        f"Δ BLEU: mean BLEU minus that of {baseline}, the baseline." + (f" {lower}: lower is better." if lower else ""),
        f"p: how likely so large a difference in BLEU from {baseline} is by chance, given these test sentences: "
        f"sacreBLEU's paired approximate randomisation test ({trials} trials, two-sided) between runs of one seed, the "
        "median over the seeds that both models have, corrected by Holm for the number of models tested. It covers the "
        f"sampling of test sentences, not of seeds; the ± covers the seeds. {NOTHING} with fewer than two such seeds "
        "(one pair of runs cannot tell a better model from a lucky seed), or where the seeds disagree on which of the "
        "two is better.",
        "parameters: trained numbers, tied ones counted once. tokens/s: target tokens per second of training, "
        "validations included. minutes: of training, mean over runs.",
        "entropy: of the attention, in nats, mean over target tokens of the validation set at the best update; "
        f"{NOTHING} without attention; of several heads, that of their mean.",
    ]
    if any(row.aer for row in rows):
        gold = next(member.alignment for member in members if member.alignment)
        notes.append(
            f"AER: alignment error rate of the attention against {gold.gold} ({gold.pairs} pairs, forced decoding), in "
            "percent; lower is better."
        )
    different = [name for name in differing(members) if name != "name" and not name.startswith("model.")]
    if different:
        notes.append(f"Settings that differ between models, besides the model itself: {', '.join(different)}.")
    return notes


def _p(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value >= 0.0005 else "< 0.001"


def _spread(value: Spread, scale: float = 1) -> str:
    std = NOTHING if value.std is None else f"{value.std * scale:.1f}"
    return f"{value.mean * scale:.1f} ± {std}"
