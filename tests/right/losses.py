"""The operators on self - target, in steps: the gradients of two losses, and three losses, which reduce.

`Way` is what their formulas are made of: FLOAT arithmetic as it is, or what a kernel does after each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .base import USUAL, Steps
from .call import WHOLE, Call, Floats
from .sums import pairwise

Fit: TypeAlias = Callable[[Floats, str], Floats]
Term: TypeAlias = Callable[["Way", tuple[Floats, ...]], Floats]


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one call is computed."""

    call: Call
    fit: Fit
    """What becomes of a value, and the common type, after each operation."""
    subtract: Callable[[Floats, Floats], Floats]

    def __call__(self, values: Floats) -> Floats:
        """Give a value as it is after an operation."""
        return self.fit(values, self.call.common)

    def difference(self, one: Floats, other: Floats) -> Floats:
        """Give self - target."""
        return self(self.subtract(one, other))


def as_computed(values: Floats, common: str) -> Floats:  # noqa: ARG001
    """Keep a value as the arithmetic gives it."""
    return values


def minus(one: Floats, other: Floats) -> Floats:
    """Subtract: of equal infinities NaN."""
    return one - other


def absolute(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give |d|."""
    return np.abs(way.difference(*operands))


def square(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give d·d."""
    d = way.difference(*operands)
    return way(d * d)


def smooth(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give 0.5·d·d/beta and |d| - 0.5·beta."""
    d, beta = np.abs(way.difference(*operands)), way.call.beta.astype(operands[0].dtype)
    near = way(way(way(d * d) * 0.5) / beta)
    return np.where(d < beta, near, way(d - 0.5 * beta))


def smooth_quotient_first(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give 0.5·d·(d/beta): d/beta is below 1, so that nothing overflows or vanishes on the way."""
    d, beta = np.abs(way.difference(*operands)), way.call.beta.astype(operands[0].dtype)
    near = way(way(0.5 * d) * way(d / beta))
    return np.where(d < beta, near, way(d - 0.5 * beta))


def smooth_least(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give m·(|d| - 0.5·m)/beta with m the less of |d| and beta: one formula for both branches."""
    d, beta = np.abs(way.difference(*operands)), way.call.beta.astype(operands[0].dtype)
    if not 0 < beta < np.inf:
        return smooth(way, operands)
    m = np.minimum(d, beta)
    return way(way(m / beta) * way(d - 0.5 * m))


def doubled_first(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give (2·d)·g."""
    grad, *others = operands
    return way(way(2 * way.difference(*others)) * grad)


def doubled_last(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give (d·g)·2."""
    grad, *others = operands
    return way(way(way.difference(*others) * grad) * 2)


def doubled_gradient(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give (2·g)·d."""
    grad, *others = operands
    return way(way(2 * grad) * way.difference(*others))


def slope(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Give d/beta or the sign of d, times g."""
    grad, *others = operands
    d, beta = way.difference(*others), way.call.beta.astype(grad.dtype)
    return way(np.where(np.abs(d) < beta, way(d / beta), np.sign(d)) * grad)


def slope_clamped(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Clamp d to beta, and divide."""
    grad, *others = operands
    d, beta = way.difference(*others), way.call.beta.astype(grad.dtype)
    if not 0 < beta < np.inf:
        return slope(way, operands)
    return way(way(np.clip(d, -beta, beta) / beta) * grad)


def slope_selected(way: Way, operands: tuple[Floats, ...]) -> Floats:
    """Select g, -g, 0 or (d/beta)·g, so that zero never meets an infinite g in a product."""
    grad, *others = operands
    d, beta = way.difference(*others), way.call.beta.astype(grad.dtype)
    ends = np.where(d > 0, grad, np.where(d < 0, -grad, np.where(d == 0, np.zeros_like(grad), d)))
    return np.where((np.abs(d) < beta) & (d != 0), way(way(d / beta) * grad), ends)


FORMULAS: Mapping[str, Term] = {
    "aclnnSmoothL1LossBackward": slope,
    "aclnnMseLossBackward": doubled_first,
    "aclnnL1Loss": absolute,
    "aclnnMseLoss": square,
    "aclnnSmoothL1Loss": smooth,
}
LOSSES = tuple(FORMULAS)
SUMS = tuple(name for name in LOSSES if not name.endswith("Backward"))

OPEN: Mapping[str, tuple[str, ...]] = {
    **USUAL,
    "nan_operand": ("nan",),
    "equal_infinities": ("nan",),
    "reduced_shape": ("value",),
    "beta_not_finite": ("value",),
    "overflow": ("infinity",),
    "overflow_on_the_way": ("value", "infinity"),
    "overflow_before_cast": ("infinity",),
}
"""What a kernel shows that subtracts in FLOAT, rounds to the common type and then casts; of what is open there."""


@dataclass(frozen=True, kw_only=True)
class Loss(Steps):
    """A right implementation of one of them."""

    term: Term | None = None
    """The formula, where it is another than the operator's plainest."""
    fit: Fit = as_computed
    fit_terms: Fit | None = None
    """Where terms are summed, what becomes of values after each operation, if it is something else."""
    subtract: Callable[[Floats, Floats], Floats] = minus
    wide: bool = False
    """Whether to compute in double precision."""
    total: Callable[[Floats], Any] = pairwise
    scales_terms: bool = False
    """Whether mean's factor is applied to each term and not to their sum."""

    @property
    def expected(self) -> Mapping[str, tuple[str, ...]]:
        """All that its certificate must show: of what it would show anywhere, that on the operator's own clauses."""
        own = {clause.id for clause in self.spec.clauses if clause.outcome == "unspecified"}
        return {clause: labels for clause, labels in super().expected.items() if clause in own}

    @property
    def usual(self) -> Mapping[str, tuple[str, ...]]:
        """What the plainest kernel shows."""
        return OPEN

    def values(self, call: Call, operands: list[Floats]) -> Floats:
        """The formula's values, or their sum or mean."""
        if call.common == WHOLE:
            distance = np.abs(operands[0] - operands[1])
            return distance.sum() if call.reduces else distance
        given = tuple(each.astype(np.float64) for each in operands) if self.wide else tuple(operands)
        fit = self.fit_terms if call.reduces and self.fit_terms else self.fit
        term = self.term or FORMULAS[self.operator]
        with np.errstate(all="ignore"):
            values = term(Way(call=call, fit=fit, subtract=self.subtract), given)
            if not call.reduces:
                return self.scale(values, call) if call.mean else values
            if call.mean and not call.count:
                return np.float32(np.nan).reshape(())
            if call.mean and self.scales_terms:
                values = self.scale(values, call)
            total = np.asarray(self.total(values.ravel()))
            return self.scale(total, call) if call.mean and not self.scales_terms else total
