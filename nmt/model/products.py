"""How a step multiplies, and how a whole loop does: forward and backward by hand, where autograd repeats itself.

Shapes: B batch, T steps, S source positions, I input size, O output size, H state size, A attention size.
Everything here equals a plain formula, which stands beside it and which the tests differentiate instead. Two ideas:

* Steps share their matrices. Autograd adds up T gradients of each, one small product a step; but yₜ = xₜ M gives
  dM = Σ xₜ'gₜ = X'G, one large product when the loop's backward is over (`LoopProducts`).
* The additive score's tanh(key + query) is B·T·S·A numbers. Beyond a budget they are not stored but made again in the
  backward pass, a step at a time: memory then grows with B·S·A.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function

CACHED = 2**18  # numbers that a core's cache holds
KEEP_HIDDEN = 2**26  # numbers of the additive score's tanh that are stored for the backward pass: 256 MiB

Tape = list[tuple[Tensor, Tensor]]  # of each step: what was multiplied, and the gradient of the product


class Products:
    """How a step multiplies: here, in PyTorch's own way."""

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """The product xW' + b for x (…, I), weight (O, I) and bias (O,)."""
        return F.linear(x, weight, bias)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        """The products QK' of each sentence, and head if there are several: (B, T, A), (B, S, A) → (B, T, S)."""
        return torch.matmul(queries, keys.mT)

    def weigh(self, weights: Tensor, values: Tensor) -> Tensor:
        """The products αV, likewise: (B, T, S), (B, S, H) → (B, T, H)."""
        return torch.matmul(weights, values)

    def additive(self, queries: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        """v'tanh(query + key) for every query (B, T, A) and key (B, S, A): (B, T, S)."""
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            return LoopProducts(queries.size(1)).additive(queries, keys, v)
        return torch.stack([_energies(query, keys, v) for query in queries.unbind(dim=1)], dim=1)


def _energies(query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    """v'tanh(query + key) (B, S) of queries (B, A), some sentences at a time: what is made stays in cache."""
    rows = max(1, CACHED // keys[0].numel())
    parts = zip(query.split(rows), keys.split(rows), strict=True)
    return torch.cat([(k + q.unsqueeze(1)).tanh_() @ v for q, k in parts])


PLAIN = Products()


class LoopProducts(Products):
    """The same products within one loop, where each matrix gets its gradient at once, from all steps."""

    def __init__(self, steps: int) -> None:
        """Begin a loop of so many steps."""
        self.steps = steps
        # By id, and by side: the dot score's states are keys (transposed) and values. The matrix is kept too, so that
        # no other tensor can get its id while the loop lasts.
        self._matrices: dict[tuple[int, bool], tuple[Tensor, _Operand]] = {}
        self._keys: dict[int, tuple[Tensor, Tensor, _AdditiveWork]] = {}

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        rows = x.flatten(0, -2)
        return self._multiply(rows, weight, True, bias).view(*x.shape[:-1], -1)

    def match(self, queries: Tensor, keys: Tensor) -> Tensor:
        return self._multiply(queries, keys, True)

    def weigh(self, weights: Tensor, values: Tensor) -> Tensor:
        return self._multiply(weights, values, False)

    def additive(self, queries: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        if id(keys) not in self._keys:
            work = _AdditiveWork(keys.detach(), v.detach().to(keys.dtype), self.steps)
            token: Tensor = _TakeAdditiveGradient.apply(keys, v, work)
            self._keys[id(keys)] = keys, token, work
        _, token, work = self._keys[id(keys)]
        return torch.stack([_Additive.apply(query, token, work) for query in queries.unbind(dim=1)], dim=1)

    def _multiply(self, x: Tensor, matrix: Tensor, transposed: bool, bias: Tensor | None = None) -> Tensor:
        name = (id(matrix), transposed)
        if name not in self._matrices:
            tape: Tape = []
            token: Tensor = _TakeGradient.apply(matrix, bias, transposed, tape)
            value = matrix.detach().to(_compute_dtype(matrix))
            if transposed:  # a weight is laid out for the many products to come; that is the faster order
                value = value.mT.contiguous() if value.dim() == 2 else value.mT
            self._matrices[name] = matrix, _Operand(value, token, tape)
        product: Tensor = _Multiply.apply(x, *self._matrices[name][1], bias)
        return product


class _Operand(NamedTuple):
    """A matrix as the steps of a loop multiply by it."""

    value: Tensor
    token: Tensor
    tape: Tape


def loop_products(steps: int) -> Products:
    """Products for a loop that begins: plain ones for a single step, for search, and for the compiler."""
    training = torch.is_grad_enabled() and not torch.compiler.is_compiling()
    return LoopProducts(steps) if training and steps > 1 else PLAIN


class _TakeGradient(Function):
    """Stands for a matrix in front of its loop: gives a token that all of the loop's products depend on.

    So its backward comes after all of theirs, and finds what they wrote on the tape.
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, bias: Tensor | None, transposed: bool, tape: Tape) -> Tensor:
        ctx.transposed, ctx.tape = transposed, tape
        return matrix.new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: Tensor) -> tuple[Tensor | None, ...]:
        x, g = (torch.cat(parts, dim=-2) for parts in zip(*ctx.tape, strict=True))
        ctx.tape.clear()
        d_matrix = g.mT @ x if ctx.transposed else x.mT @ g
        return d_matrix, g.sum(dim=0) if ctx.needs_input_grad[1] else None, None, None


class _Multiply(Function):
    """One step's product, xM + b: backward passes gM' on and leaves the gradients of M and b to the tape."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Tensor, token: Tensor, tape: Tape, bias: Tensor | None) -> Tensor:
        x = x.to(matrix.dtype)
        ctx.tape = tape
        ctx.save_for_backward(x, matrix)
        return torch.matmul(x, matrix) if bias is None else torch.addmm(bias.detach().to(x.dtype), x, matrix)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix = ctx.saved_tensors
        if ctx.needs_input_grad[2]:
            ctx.tape.append((x, g))
        return g @ matrix.mT, None, g.new_zeros(()), None, None


class _AdditiveWork:
    """What the steps of a loop share when they compute v'tanh(key + query): tensors and where gradients add up."""

    def __init__(self, keys: Tensor, v: Tensor, steps: int) -> None:
        self.keys, self.v = keys, v
        self.keep = steps * keys.numel() <= KEEP_HIDDEN
        # All at once: one such tensor a step, among small ones that stay, would leave holes all over the memory.
        self.hidden = keys.new_empty(steps if self.keep else 1, *keys.shape)
        self.step = 0
        self.d_keys: Tensor | None = None  # without the factor v
        self.d_v: Tensor | None = None

    def next_place(self) -> int:
        """Where the next step's hidden layer goes."""
        place = self.step if self.keep else 0
        self.step += 1
        return place

    def fill(self, place: int, query: Tensor) -> Tensor:
        """tanh(key + query) (B, S, A)."""
        return torch.add(self.keys, query.unsqueeze(1), out=self.hidden[place]).tanh_()


class _TakeAdditiveGradient(Function):
    """What `_TakeGradient` is to products: e = v'tanh(k + q) gives dk = Σ gₜ v∘(1 − tanhₜ²) and dv = Σ gₜ tanhₜ."""

    @staticmethod
    def forward(ctx: Any, keys: Tensor, v: Tensor, work: _AdditiveWork) -> Tensor:
        ctx.work = work
        return keys.new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: Tensor) -> tuple[Tensor | None, ...]:
        work = ctx.work
        d_keys, d_v, work.d_keys, work.d_v = work.d_keys, work.d_v, None, None
        return d_keys.mul_(work.v), d_v, None


class _Additive(Function):
    """One step's energies v'tanh(k + q) (B, S) of queries (B, A)."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, token: Tensor, work: _AdditiveWork) -> Tensor:
        ctx.work, ctx.place, ctx.kept = work, work.next_place(), work.keep
        ctx.save_for_backward(query)
        return work.fill(ctx.place, query) @ work.v

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        work, (query,) = ctx.work, ctx.saved_tensors
        hidden = work.hidden[ctx.place] if ctx.kept else work.fill(ctx.place, query)
        ctx.kept = False  # overwritten below
        d_v = g.flatten() @ hidden.flatten(0, 1)
        one = torch.ones((), dtype=hidden.dtype, device=hidden.device)
        slope = torch.addcmul(one, hidden, hidden, value=-1, out=hidden)  # 1 − tanh²
        d_query = torch.bmm(g.unsqueeze(1), slope).squeeze(1) * work.v
        if work.d_keys is None:
            work.d_keys, work.d_v = slope * g.unsqueeze(-1), d_v
        else:
            work.d_keys.addcmul_(g.unsqueeze(-1), slope)
            work.d_v += d_v
        return d_query, g.new_zeros(()), None


def _compute_dtype(tensor: Tensor) -> torch.dtype:
    """The type that products are computed in: autocast's, where it is on."""
    device = tensor.device.type
    on = torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)
    return torch.get_autocast_dtype(device) if on else tensor.dtype
