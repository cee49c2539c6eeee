"""Lower-cased Moses tokens, on which papers on small corpora compute BLEU."""

import re

from sacremoses import MosesPunctNormalizer, MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

# From the three-letter codes of Anki files to the two-letter codes of Moses.
_TWO_LETTERS = dict(
    re.findall(
        r"(\w+):(\w+)",
        """asm:as ben:bn cat:ca ces:cs deu:de ell:el eng:en est:et fin:fi fra:fr gle:ga guj:gu hin:hi hun:hu isl:is
        ita:it kan:kn lav:lv lit:lt mal:ml mar:mr nld:nl ori:or pan:pa pol:pl por:pt ron:ro rus:ru slk:sk slv:sl spa:es
        swe:sv tam:ta tel:te""",
    )
)
# Other languages get the rules of English, and so does Chinese: the Moses rules for it do not split its characters.
_KNOWN = set(NonbreakingPrefixes().available_langs.values()) - {"zh", "yue"}


class LowerCasedTokens:
    """Lower-case, normalise punctuation, tokenise: in the order in which Multi30k's own files were made."""

    def __init__(self, language: str) -> None:
        language = _TWO_LETTERS.get(language, language)
        self.language = language if language in _KNOWN else "en"
        self._normaliser, self._tokenizer = MosesPunctNormalizer(self.language), MosesTokenizer(self.language)

    def __call__(self, text: str) -> str:
        """The tokens of a sentence, separated by spaces."""
        normalised = self._normaliser.normalize(text.lower())
        return str(self._tokenizer.tokenize(normalised, return_str=True, escape=False))
