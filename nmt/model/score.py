"""Scores e(s, h): how well a decoder state fits each source position.

Shapes: B batch, T queries, S source positions, Q query size, H state size, A attention size.
A score is written as two halves: `keys` holds what depends on the source alone and is computed once per
sentence; `forward` meets the queries. Masking and normalisation are not its business.
"""

from __future__ import annotations

from torch import Tensor, nn

from nmt.errors import UserError
from nmt.model.kernels import PLAIN, Products


class Score(nn.Module):
    """Base of all scores."""

    def keys(self, states: Tensor) -> Tensor:
        """What the score needs of the encoder states: (B, S, H) → (B, S, A)."""
        return states

    def forward(self, query: Tensor, keys: Tensor, products: Products = PLAIN) -> Tensor:
        """Energies (B, T, S) of queries (B, T, Q) against keys (B, S, A); a loop brings its own `products`."""
        raise NotImplementedError(f"{type(self).__name__} defines no formula")


class Dot(Score):
    """e = s'h (Luong 2015, eq. 8): no parameters, so both sizes must agree."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__()
        if query_size != state_size:
            raise UserError(
                "The dot score needs decoder states as large as the encoder's: set "
                f"model.decoder.hidden_size={state_size} (it is {query_size}), or use model/score=general."
            )

    def forward(self, query: Tensor, keys: Tensor, products: Products = PLAIN) -> Tensor:
        return products.match(query, keys)


class General(Score):
    """e = s'Wh (Luong 2015, eq. 8)."""

    def __init__(self, query_size: int, state_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(state_size, query_size, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        return self.key(states)

    def forward(self, query: Tensor, keys: Tensor, products: Products = PLAIN) -> Tensor:
        return products.match(query, keys)


class Additive(Score):
    """e = v'tanh(W₁h + W₂s) (Bahdanau 2015, appendix A.1.2).

    Luong's "concat", v'tanh(W[s; h]), is the same function: W₁ and W₂ are the two halves of W.
    """

    def __init__(self, query_size: int, state_size: int, size: int) -> None:
        super().__init__()
        self.key = nn.Linear(state_size, size)
        self.query = nn.Linear(query_size, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)

    def keys(self, states: Tensor) -> Tensor:
        return self.key(states)

    def forward(self, query: Tensor, keys: Tensor, products: Products = PLAIN) -> Tensor:
        return products.additive(products.linear(query, self.query.weight), keys, self.v.weight[0])
