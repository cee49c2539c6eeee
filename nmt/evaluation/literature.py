"""BLEU as papers on small corpora report it: lower-cased, on Moses tokens ("lc-tok").

It is comparable with their figures, not between languages or tokenisers: sacreBLEU on plain text is the one to trust.
"""

import re
from collections.abc import Sequence
from importlib.metadata import version

from sacrebleu.metrics.bleu import BLEU
from sacremoses import MosesPunctNormalizer, MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

from nmt.evaluation.metrics import Score, interval, reference_streams

# Moses knows languages by two letters, Anki files by three.
_TWO_LETTERS = dict(
    re.findall(
        r"(\w+):(\w+)",
        """asm:as ben:bn cat:ca ces:cs deu:de ell:el eng:en est:et fin:fi fra:fr gle:ga guj:gu hin:hi hun:hu isl:is
        ita:it kan:kn lav:lv lit:lt mal:ml mar:mr nld:nl ori:or pan:pa pol:pl por:pt ron:ro rus:ru slk:sk slv:sl spa:es
        swe:sv tam:ta tel:te""",
    )
)
# Moses has the rules of English for any other. So have we for Chinese, whose characters its own rules leave together.
_KNOWN = set(NonbreakingPrefixes().available_langs.values()) - {"zh", "yue"}


class LowerCasedTokens:
    """Lower-case → normalise punctuation → tokenise: the order that Multi30k's own files were made in."""

    def __init__(self, language: str) -> None:
        language = _TWO_LETTERS.get(language, language)
        self.language = language if language in _KNOWN else "en"
        self._normaliser, self._tokenizer = MosesPunctNormalizer(self.language), MosesTokenizer(self.language)

    def __call__(self, text: str) -> str:
        """Tokens of a sentence, with spaces between them."""
        normalised = self._normaliser.normalize(text.lower())
        return str(self._tokenizer.tokenize(normalised, return_str=True, escape=False))


def lc_tok_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], language: str, bootstrap: int = 1000
) -> Score:
    """BLEU of detokenised translations against any number of detokenised references each."""
    tokenise = LowerCasedTokens(language)
    bleu = BLEU(tokenize="none", force=True)
    streams = reference_streams([[tokenise(text) for text in group] for group in references])
    corpus = bleu.corpus_score([tokenise(text) for text in hypotheses], streams, n_bootstrap=bootstrap)
    moses = f"lc-tok:moses-{tokenise.language}-{version('sacremoses')}"
    return Score(corpus.score, f"{moses}|{bleu.get_signature()}", *interval(corpus, bootstrap))
