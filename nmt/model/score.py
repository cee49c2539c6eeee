"""Scores e(s, h): how well a decoder state fits each source position.

Shapes: B batch, T queries, S source positions, Q query size, H state size, A attention size, K heads.
A score is written as two halves: `keys` holds what depends on the source alone and is computed once per
sentence; `forward` compares them with the queries. Masking and normalisation follow in the alignment. A score with
heads has K after B in its keys, values and energies; alignments broadcast over it.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.energies import additive_energies, dot_energies
from nmt.model.marks import mark


class Score(nn.Module):
    """Base of all scores: `keys` and `forward` are its formula, the rest is for those that do more than score.

    c = Σ αᵢ hᵢ: members may have other `values`.
    """

    context_size: int
    has_heads = False
    looks_back = False  # whether the keys depend on the weights of earlier steps

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__()
        self.context_size = state_size

    def keys(self, states: Tensor) -> Tensor:
        """The part that depends on the encoder states only: (B, S, H) → (B, S, A)."""
        return states

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Energies (B, T, S) of queries (B, T, Q) against keys (B, S, A)."""
        raise NotImplementedError(f"{type(self).__name__} defines no formula")

    def values(self, states: Tensor) -> Tensor:
        """What is averaged to the context: (B, S, H), or (B, K, S, …) with heads."""
        return states

    def merge(self, contexts: Tensor) -> Tensor:
        """The heads' contexts (B, K, T, …) as one (B, T, context size)."""
        return contexts

    def look_back(self, keys: Tensor, attended: Tensor) -> Tensor:
        """The keys, given the sum of the weights of each source position so far (B, 1, S)."""
        return keys


class Dot(Score):
    """e = s'h (Luong 2015, eq. 8): no parameters, so both sizes must agree."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__(query_size, state_size)
        if query_size != state_size:
            raise UserError(
                "The dot score needs decoder states as large as the encoder's: set "
                f"model.decoder.hidden_size={state_size} (it is {query_size}), or use model/score=general."
            )

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_energies(query, keys)


class ScaledDot(Dot):
    """e = s'h / √H (Vaswani 2017, eq. 1): energies keep their size as states grow, and softmax its slope."""

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_energies(query, keys, divisor=math.sqrt(keys.size(-1)))


class General(Score):
    """e = s'Wh (Luong 2015, eq. 8)."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__(query_size, state_size)
        self.key = nn.Linear(state_size, query_size, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        return self.key(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_energies(query, keys)


class Additive(Score):
    """e = v'tanh(W₁h + W₂s + b) (Bahdanau 2015, appendix A.1.2, which has no b).

    Luong's "concat", v'tanh(W[s; h]), is the same function: W₁ and W₂ are the two halves of W.
    """

    def __init__(self, query_size: int, state_size: int, size: int) -> None:
        super().__init__(query_size, state_size)
        at_least_one(size=size)
        self.key = nn.Linear(state_size, size)
        self.query = nn.Linear(query_size, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        return self.key(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return additive_energies(self.query(query), keys, self.v.weight[0])


class NormalisedAdditive(Additive):
    """e = g (v / ‖v‖)'tanh(W₁h + W₂s + b) (Salimans and Kingma 2016; Raffel 2017): length and direction apart.

    The gain g is learnt as its logarithm, which starts at 0.
    """

    def __init__(self, query_size: int, state_size: int, size: int) -> None:
        super().__init__(query_size, state_size, size)
        self.log_gain = nn.Parameter(torch.zeros(1))

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        direction = self.v.weight[0] / self.v.weight[0].norm()
        energies = additive_energies(self.query(query), keys, direction)
        return mark("scale", self.log_gain.exp()) * energies


class Coverage(Additive):
    """e = v'tanh(W₁h + W₂s + b + uC), C the weight that h has had so far (Tu 2016): what is done can be left.

    Tu's coverage of dimension 1, without fertilities. Every step has keys of its own, which are stored for the backward
    pass: very long sentences need smaller batches.
    """

    looks_back = True

    def __init__(self, query_size: int, state_size: int, size: int) -> None:
        super().__init__(query_size, state_size, size)
        self.u = nn.Linear(1, size, bias=False)

    def look_back(self, keys: Tensor, attended: Tensor) -> Tensor:
        return keys + self.u(attended.mT)  # (B, S, 1) → (B, S, A)


class FeedForward(Score):
    """e = v'tanh(Wh + b) (Raffel and Ellis 2016): no query; a position matters or does not, whatever is written."""

    def __init__(self, query_size: int, state_size: int, size: int) -> None:
        super().__init__(query_size, state_size)
        at_least_one(size=size)
        self.key = nn.Linear(state_size, size)
        self.v = nn.Linear(size, 1, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        mark("column", self.v.weight)
        return self.v(mark("rows", self.key(states).tanh()))  # (B, S, 1)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return keys.mT.expand(-1, query.size(1), -1)


class KeyValue(Score):
    """h = [k; v]: another score compares s with the keys k, and the context is made of the values v (Daniluk 2017).

    c = Σ αᵢ vᵢ.
    """

    def __init__(self, query_size: int, state_size: int, score: Callable[..., Score]) -> None:
        super().__init__(query_size, state_size)
        self.context_size = state_size // 2
        self.inner = score(query_size=query_size, state_size=state_size - self.context_size)
        if self.inner.has_heads or self.inner.looks_back:
            raise UserError(
                f"The key-value score cannot hold {type(self.inner).__name__}: use a score such as additive or general."
            )

    def keys(self, states: Tensor) -> Tensor:
        # Every other number, not the first half as in the paper, whose encoder has one direction: here that would be
        # all of one direction and nothing of the other.
        return self.inner.keys(states[..., 0::2])

    def values(self, states: Tensor) -> Tensor:
        return states[..., 1::2].contiguous()

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        energies: Tensor = self.inner(query, keys)
        return energies


class WithHeads(Score):
    """Base of the scores with K heads, which projects their concatenated contexts.

    c = W_O [c₁; …; c_K], cₖ = Σ αᵢ hᵢ: members may have other `values`.
    """

    has_heads = True

    def __init__(self, query_size: int, state_size: int, heads: int, values_size: int) -> None:
        super().__init__(query_size, state_size)
        self.heads = heads
        self.output = nn.Linear(values_size, state_size, bias=False)

    def merge(self, contexts: Tensor) -> Tensor:
        return self.output(contexts.transpose(1, 2).flatten(2))


class MultiHead(WithHeads):
    """eₖ = (W_Qₖ s)'(W_Kₖ h) / √d: scaled dot products of K projections side by side (Vaswani 2017, section 3.2.2).

    c = W_O [c₁; …; c_K], cₖ = Σ αᵢ W_Vₖ hᵢ.
    """

    def __init__(self, query_size: int, state_size: int, size: int, heads: int) -> None:
        """Use `size` numbers for all heads together."""
        at_least_one(size=size, heads=heads)
        if size % heads:
            raise UserError(f"Multi-head attention shares its size of {size} equally: {heads} heads do not divide it.")
        super().__init__(query_size, state_size, heads, size)
        self.query = nn.Linear(query_size, size, bias=False)
        self.key = nn.Linear(state_size, size, bias=False)
        self.value = nn.Linear(state_size, size, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        return self._split(self.key(states))

    def values(self, states: Tensor) -> Tensor:
        return self._split(self.value(states))

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return dot_energies(self._split(self.query(query)), keys, divisor=math.sqrt(keys.size(-1)))

    def _split(self, x: Tensor) -> Tensor:
        """(B, N, A) → (B, K, N, A/K)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous()


class Structured(WithHeads):
    """eₖ = vₖ'tanh(Wh): K views of the sentence, none of which needs a query (Lin 2017).

    In the paper A = softmax(V tanh(W H')), C = AH. Its penalty on views that are alike is left out.
    """

    def __init__(self, query_size: int, state_size: int, size: int, heads: int) -> None:
        at_least_one(size=size, heads=heads)
        super().__init__(query_size, state_size, heads, heads * state_size)
        self.key = nn.Linear(state_size, size, bias=False)
        self.v = nn.Linear(size, heads, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        mark("column", self.v.weight)
        return self.v(mark("rows", self.key(states).tanh())).mT.unsqueeze(2)  # (B, K, 1, S)

    def values(self, states: Tensor) -> Tensor:
        return states.unsqueeze(1).expand(-1, self.heads, -1, -1)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return keys.expand(-1, -1, query.size(1), -1)


def at_least_one(**sizes: int) -> None:
    """Raise a UserError for a size below 1."""
    for name, value in sizes.items():
        if value < 1:
            raise UserError(f"The {name} of a score must be at least 1; it is {value}.")
