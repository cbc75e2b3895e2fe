"""A checked call, and the float types in NumPy: what right implementations of all operators share.

Nothing of the arithmetic comes from the package: that an implementation is right shall not hang on the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

from aclnn_spec import Tensor
from aclnn_spec.spec.operator import Operator

MEAN = 1

Floats: TypeAlias = npt.NDArray[Any]

KINDS: Mapping[str, np.dtype[Any]] = {
    "FLOAT": np.dtype(np.float32),
    "FLOAT16": np.dtype(np.float16),
    "BFLOAT16": np.dtype(ml_dtypes.bfloat16),
}
LEAST: Mapping[str, float] = {"FLOAT": 2.0**-126, "FLOAT16": 2.0**-14, "BFLOAT16": 2.0**-126}
"""The smallest normal number of each type."""
LARGEST: Mapping[str, float] = {
    "FLOAT": (2 - 2.0**-23) * 2.0**127,
    "FLOAT16": 65504.0,
    "BFLOAT16": (2 - 2.0**-7) * 2.0**127,
}
WHOLE = "INT64"
"""The integers that some operators compute in."""

DOUBLE_BITS = 53
TRACED = 2**11
"""What remains of a 64-bit integer over this is less than the last place of any of the three types."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A checked call: what its steps need to know."""

    operator: Operator
    arguments: Mapping[str, Any]

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs, in the order of the prototype."""
        return tuple(self.arguments[each.name] for each in self.operator.inputs)

    @cached_property
    def output(self) -> Tensor:
        """The output."""
        made: Tensor = self.arguments[self.operator.output.name]
        return made

    @cached_property
    def common(self) -> str:
        """The deduced type."""
        return str(self.operator.tables.deduce(tensor.dtype for tensor in self.inputs))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape that the inputs broadcast to."""
        return np.broadcast_shapes(*(tensor.shape for tensor in self.inputs))

    @property
    def count(self) -> int:
        """What mean divides by."""
        return prod(self.shape)

    @property
    def mean(self) -> bool:
        """Whether the count divides the result."""
        return bool(self.arguments["reduction"] == MEAN)

    @cached_property
    def reduces(self) -> bool:
        """Whether one element comes of all."""
        return self.operator.reduces(self.arguments)

    @property
    def beta(self) -> np.float32:
        """The attribute beta, a C float."""
        with np.errstate(over="ignore"):
            return np.float32(self.arguments["beta"])

    def views(self) -> list[npt.NDArray[Any]]:
        """The inputs broadcast; axes along which none of them moves are left at one element, unless all are summed."""
        spread = [np.broadcast_to(tensor.array, self.shape) for tensor in self.inputs]
        if self.reduces:
            return spread
        still = [all(view.strides[axis] == 0 for view in spread) for axis in range(len(self.shape))]
        return [view[(*(slice(0, 1) if each else slice(None) for each in still), ...)] for view in spread]


def rounded(values: Any, dtype: str) -> Any:
    """Round values to a type once and give them in FLOAT, which holds all values of the three types."""
    if dtype == "BFLOAT16" and values.dtype == np.float64:
        values = to_odd(values)  # NumPy would round to FLOAT on the way
    return values.astype(KINDS[dtype]).astype(np.float32) if dtype != "FLOAT" else values.astype(np.float32)


def to_odd(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Cut doubles off to FLOATs whose last bit is odd where something was cut off, so that no tie is made of them."""
    near = values.astype(np.float32)
    cut = np.where(np.abs(near) > np.abs(values), np.nextafter(near, np.float32(0)), near)
    return (cut.view(np.uint32) | (cut != values) & np.isfinite(values)).astype(np.uint32).view(np.float32)


def whole(integers: npt.NDArray[Any]) -> Floats:
    """Give BOOL or integers as doubles; of those too long for one, the end leaves only a trace that breaks ties."""
    values = integers.astype(np.int64)
    rest = values % TRACED
    traced = np.where(rest, values - rest + TRACED // 2, values)
    long = (values >> DOUBLE_BITS) != (values >> 63)
    return np.where(long, traced, values).astype(np.float64)
