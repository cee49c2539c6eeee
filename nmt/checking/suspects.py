"""The ranking: pairs with their scores and reasons, the most suspicious first."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nmt.checking.evidence import KINDS
from nmt.checking.measures import Measures, Pair
from nmt.errors import UserError

log = logging.getLogger(__name__)

FEWEST = 100  # pairs: with fewer, nothing is usual
_WORTH_NAMING = 1.0  # strength from which evidence is a reason


@dataclass(frozen=True)
class Suspect:
    """A pair that may be wrong."""

    pair: Pair
    score: float  # 0: nothing speaks against it; deviations from what is usual, roughly
    reasons: list[str]  # the strongest first


def find_suspects(pairs: Sequence[Pair]) -> list[Suspect]:
    """Rank pairs by the evidence against them: the root of the sum of its squares. Pairs without any are left out."""
    if len(pairs) < FEWEST:
        raise UserError(f"{len(pairs)} usable pairs are too few to tell what is usual: at least {FEWEST} are needed.")
    log.info("comparing words and letters of %s pairs with models that have not seen them …", f"{len(pairs):,}")
    measures = Measures.of(pairs)
    evidence = [each for kind in KINDS for each in kind(measures)]
    strengths = np.stack([each.strength for each in evidence])
    scores = np.sqrt((strengths**2).sum(axis=0))
    suspects = []
    for i in np.argsort(-scores, kind="stable"):
        named = [k for k in np.argsort(-strengths[:, i], kind="stable") if strengths[k, i] >= _WORTH_NAMING]
        if named:
            suspects.append(Suspect(pairs[i], float(scores[i]), [evidence[k].explain(int(i)) for k in named]))
    return suspects
