"""Alignments e → α: which source positions receive weight, and how it is normalised.

Shapes: … batch, and heads where the score has them; T queries, S source positions, Q query size.
An alignment may carry a state from step to step (a counter, a running sum): a tuple of tensors with the batch
first, empty for those that need none. Whatever a member does, its weights are ≥ 0, sum to 1 over the real
tokens of each sentence (`LocalP` says why it differs) and are exactly 0 on padding.
"""

import torch
from torch import Tensor, nn

from nmt.errors import UserError

State = tuple[Tensor, ...]


class Alignment(nn.Module):
    """Base of all alignments."""

    sums_to_one = True

    def __init__(self, query_size: int) -> None:
        super().__init__()

    def initial_state(self, mask: Tensor) -> State:
        """State before the first target token, for sentences with this mask (…, 1, S)."""
        return ()

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        """Weights (…, T, S) for energies (…, T, S) of queries (…, T, Q), and the state after them."""
        raise NotImplementedError(f"{type(self).__name__} defines no formula")


class Soft(Alignment):
    """α = softmax(e) over the real tokens (Bahdanau 2015, eq. 6; Luong's "global")."""

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        return masked_softmax(energies, mask), state


class Hard(Alignment):
    """All weight on one position (Xu 2015): the best one in use, one drawn from softmax(e) in training.

    Drawing is argmax(e + Gumbel noise). It has no gradient, so that of softmax((e + noise) / τ) stands in for it
    (straight-through; Jang 2017): a biased gradient, but one of small variance.
    """

    def __init__(self, query_size: int, temperature: float = 1.0) -> None:
        super().__init__(query_size)
        if not temperature > 0:
            raise UserError(f"model.alignment.temperature must be above 0; it is {temperature}.")
        self.temperature = temperature

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        if self.training:
            energies = (energies + self.noise(energies)) / self.temperature
        soft = masked_softmax(energies, mask)
        chosen = (positions(energies) == soft.argmax(dim=-1, keepdim=True)).to(soft.dtype)
        return chosen + (soft - soft.detach()), state  # the value is `chosen`, the gradient that of `soft`

    def noise(self, energies: Tensor) -> Tensor:
        """Gumbel noise −log(−log u), u uniform, in the shape of the energies."""
        return -torch.empty_like(energies).exponential_().log()


class LocalM(Alignment):
    """α = softmax(e) within a window of D around p, where pₜ = t: source and target run alike (Luong 2015, 3.2).

    Where the target is longer than the source, the window stays at the source's end.
    """

    def __init__(self, query_size: int, window: int) -> None:
        """Look at `window` positions on either side (D)."""
        super().__init__(query_size)
        self.window = checked_window(window)

    def initial_state(self, mask: Tensor) -> State:
        return (torch.zeros_like(mask[..., :1], dtype=torch.long),)  # tokens written so far (…, 1, 1)

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        steps, (written,) = energies.size(-2), state
        here = written + torch.arange(steps, device=energies.device).unsqueeze(-1)  # (…, T, 1)
        last = mask.sum(dim=-1, keepdim=True) - 1
        distance = positions(energies) - torch.minimum(here, last)
        return masked_softmax(energies, mask & (distance.abs() <= self.window)), (written + steps,)


class LocalP(Alignment):
    """α = softmax(e) within a window of D around p, times a Gaussian with σ = D/2 (Luong 2015, eq. 9 and 10).

    pₜ = S σ(v'tanh(W sₜ)), S the number of real tokens. The Gaussian is what gives p a gradient. As in the paper the
    product is not normalised again: the sum of the weights tells how near to p the matching words are.
    """

    sums_to_one = False

    def __init__(self, query_size: int, window: int) -> None:
        """Look at `window` positions on either side (D)."""
        super().__init__(query_size)
        self.window = checked_window(window)
        self.project = nn.Linear(query_size, query_size, bias=False)
        self.v = nn.Linear(query_size, 1, bias=False)

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        length = mask.sum(dim=-1, keepdim=True)
        # Half precision cannot represent fractional positions in a long sentence.
        wide = torch.promote_types(query.dtype, torch.float32)
        centre = length * self.v(self.project(query).tanh()).to(wide).sigmoid()  # (…, T, 1)
        distance = positions(energies) - centre
        weights = masked_softmax(energies, mask & (distance.abs() <= self.window))
        deviation = self.window / 2
        return weights * (-distance.square() / (2 * deviation**2)).exp(), state


class Static(Alignment):
    """α = softmax(e₁): the weights of the first step serve the whole sentence, which gets one context."""

    def initial_state(self, mask: Tensor) -> State:
        nothing_yet = torch.zeros_like(mask, dtype=torch.get_default_dtype())  # later the weights, of each head
        return (nothing_yet,)

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        (kept,) = state
        first = masked_softmax(energies[..., :1, :], mask)
        kept = torch.where((kept > 0).any(dim=-1, keepdim=True), kept, first)
        return kept.expand_as(energies), (kept,)


class ForwardOnly(Alignment):
    """α ∝ exp(eₜ) / Σ exp(e) of the steps before, the first step plain (Paulus 2017, section 2.1).

    What has had high scores is passed over, so attention moves on. Sums are kept as logarithms: they never overflow.
    """

    def initial_state(self, mask: Tensor) -> State:
        nothing_yet = torch.zeros_like(mask, dtype=torch.get_default_dtype())
        return (nothing_yet.fill_(float("-inf")),)  # log Σ exp(e), of each head

    def forward(self, energies: Tensor, query: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        (past,) = state
        eased = []
        for now in energies.split(1, dim=-2):  # (…, 1, S)
            eased.append(now - past.masked_fill(past == float("-inf"), 0.0))
            past = torch.logaddexp(past, now)
        return masked_softmax(torch.cat(eased, dim=-2), mask), (past,)


def masked_softmax(energies: Tensor, mask: Tensor) -> Tensor:
    """Softmax of (…, T, S) over the positions where the mask (…, 1 or T, S) is True; exactly 0 elsewhere."""
    return energies.masked_fill(~mask, float("-inf")).softmax(dim=-1)


def checked_window(window: int) -> int:
    """Return the window, or raise a UserError if it is below 1."""
    if window < 1:
        raise UserError(f"model.alignment.window must be at least 1; it is {window}.")
    return window


def positions(energies: Tensor) -> Tensor:
    """0, 1, 2, … along the source (S,)."""
    return torch.arange(energies.size(-1), device=energies.device)
