"""Heatmaps of several translations: one file for one sentence, or a directory with a numbered file for each."""

from collections.abc import Sequence
from pathlib import Path

from nmt.errors import UserError
from nmt.evaluation import heatmap
from nmt.translation import Translation


class Gallery:
    """Writes a heatmap for each translation that it is given."""

    def __init__(self, path: Path, languages: tuple[str, str], words: bool) -> None:
        """Draw into `path`, a picture's name or a directory; by words, or by the model's own pieces."""
        self.path, self.languages, self.words = path, languages, words
        self.single = bool(path.suffix) and not path.is_dir()
        if self.single:
            heatmap.check_name(path)
        self.drawn = self.expected = 0

    def expect(self, texts: Sequence[str]) -> None:
        """Refuse several sentences for one file before any of them is translated."""
        self.expected += sum(bool(text.strip()) for text in texts)
        if self.single and self.expected > 1:
            raise UserError(f"--heatmap {self.path} holds one picture: name a directory to draw several sentences.")

    def add(self, translation: Translation) -> Path:
        """Draw one sentence; gives the picture's path."""
        if translation.attention is None:
            raise UserError("--heatmap: this model has no attention to draw; use one with attention (model=bahdanau).")
        self.drawn += 1
        path = self.path if self.single else self.path / f"{self.drawn:04d}.png"
        heatmap.save(heatmap.draw_translation(translation, self.languages, words=self.words), path)
        return path
