"""Steps in which right implementations of the losses and their gradients differ."""

from __future__ import annotations

import numpy as np

from .arithmetic import native
from .base import by_reciprocal
from .call import LARGEST, Call, Floats, rounded
from .values import flush


def minus_or_zero(one: Floats, other: Floats) -> Floats:
    """Subtract, but give zero for what compares equal: infinities, too."""
    return np.where(one == other, one.dtype.type(0), one - other)


def largest(values: Floats, dtype: str) -> Floats:
    """Round to a type; what is finite and beyond its range becomes its largest value."""
    near = rounded(values, dtype)
    return np.where(np.isinf(near) & np.isfinite(values), np.copysign(np.float32(LARGEST[dtype]), values), near)


def half_steps(values: Floats, common: str) -> Floats:
    """Round to the common type after each operation, as arithmetic in that type does."""
    return rounded(values, common)


def flush_steps(values: Floats, common: str) -> Floats:  # noqa: ARG001
    """Flush what is subnormal in FLOAT after each operation."""
    return flush(values, "FLOAT")


def half_scale(values: Floats, call: Call) -> Floats:
    """Multiply with 1/N in the common type where there is a value for each element, in FLOAT for a sum."""
    return by_reciprocal(values, call) if call.reduces else native(values, call)


def flush_scale(values: Floats, call: Call) -> Floats:
    """Multiply with 1/N and flush."""
    return flush(by_reciprocal(values, call), "FLOAT")
