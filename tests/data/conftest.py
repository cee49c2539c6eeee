"""Corpora for the tests of the data stage: made up, and real ones where they are at hand."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nmt.data.settings import DataSettings

ANIMALS = ["cat", "dog", "horse", "cow", "bird", "fish", "mouse", "goat", "duck", "hen"]
VERBS = ["sees", "likes", "finds", "hears", "follows", "knows", "fears", "helps"]


@pytest.fixture(scope="session")
def pairs() -> list[tuple[str, str]]:
    """640 distinct pairs; every fourth source has two translations, and some targets are shared."""
    rows = []
    for i, (subject, verb, thing) in enumerate((s, v, o) for s in ANIMALS for v in VERBS for o in ANIMALS[:8]):
        source = f"The {subject} {verb} the {thing}."
        rows.append((source, f"{thing.upper()} {verb[::-1]} {subject[::-1]} !"))
        if i % 4 == 0:
            rows.append((source, f"{thing[::-1]} — {verb[::-1]}"))
    return rows


@pytest.fixture
def tsv(tmp_path: Path, pairs: list[tuple[str, str]]) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path, tsv: Path) -> Callable[..., DataSettings]:
    """Settings for the small corpus; arguments override them."""

    def build(**changes: object) -> DataSettings:
        values: dict[str, object] = {
            "name": "small",
            "path": str(tsv),
            "columns": ["eng", "bkw"],
            "val_size": 20,
            "test_size": 20,
            "vocab_size": 400,
            "prepared_dir": str(tmp_path / "prepared"),
        }
        return DataSettings(**{**values, **changes})  # type: ignore[arg-type]

    return build
