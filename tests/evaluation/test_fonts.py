import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager

from nmt.evaluation import fonts

BUNDLED = Path(matplotlib.get_data_path(), "fonts", "ttf")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget choices and warnings, so that each test is the first of its process."""
    monkeypatch.setattr(fonts, "_warned", set())
    fonts._families.cache_clear()
    yield
    fonts._families.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, **coverage: str) -> None:
    """Install made-up fonts beside the one that matplotlib brings."""
    real = fonts._codepoints
    known = {name.replace("_", " "): np.array([*map(ord, text)]) for name, text in coverage.items()}
    monkeypatch.setattr(fonts, "_installed", lambda: (fonts.DEFAULT, *known))
    monkeypatch.setattr(fonts, "_codepoints", lambda name: known[name] if name in known else real(name))
    monkeypatch.setattr(fonts, "_add_new_fonts", lambda: False)


def test_families_cover_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    marathi = "मराठी"
    fonts_of = {"Noto_Serif_Marathi": marathi, "Noto_Sans_Marathi": marathi, "Partial": marathi[:2], "Han": "中文"}
    pretend(monkeypatch, Noto_Sans="abcé", **fonts_of)
    assert fonts.families("abc é </s>") == (fonts.DEFAULT,)
    assert fonts.families("मराठी a") == ("Noto Sans Marathi", fonts.DEFAULT)
    assert fonts.families("中 मराठी") == ("Noto Sans Marathi", "Han", fonts.DEFAULT)
    joiners = "\u200d\ufe0f "  # these need no glyph
    assert fonts.families(joiners.join(marathi)) == ("Noto Sans Marathi", fonts.DEFAULT)


def test_shapes_of_chinese_characters_follow_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = "骨の한"
    pretend(monkeypatch, Noto_Sans_CJK_JP=everything, Noto_Sans_CJK_KR=everything, Noto_Sans_CJK_SC=everything)
    assert fonts.families("骨")[0] == "Noto Sans CJK SC"
    assert fonts.families("骨の")[0] == "Noto Sans CJK JP"
    assert fonts.families("骨한")[0] == "Noto Sans CJK KR"


def test_a_missing_script_is_named_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    pretend(monkeypatch)
    with caplog.at_level(logging.WARNING):
        for text in ("मराठी", "हिन्दी", "मराठी", "中文", "日本", "한국"):
            assert fonts.families(text) == (fonts.DEFAULT,)
    messages = [record.getMessage() for record in caplog.records]
    scripts = ("Devanagari", "core"), ("Chinese characters", "cjk"), ("Hangul", "cjk")
    for message, (script, package) in zip(messages, scripts, strict=True):
        assert script in message
        assert f"fonts-noto-{package}" in message


def test_fonts_installed_after_matplotlibs_list_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    new = shutil.copy(BUNDLED / "DejaVuSansMono.ttf", tmp_path / "New.ttf")
    (tmp_path / "Broken.ttf").write_bytes(b"not a font")
    found = [str(tmp_path / "Broken.ttf"), str(new)]
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: found)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", list(font_manager.fontManager.ttflist))
    fonts._add_new_fonts.cache_clear()
    assert fonts._add_new_fonts()
    assert str(new) in {font.fname for font in font_manager.fontManager.ttflist}
    fonts._add_new_fonts.cache_clear()
    assert not fonts._add_new_fonts()
    fonts._add_new_fonts.cache_clear()
    fonts._installed.cache_clear()
