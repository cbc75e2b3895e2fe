"""What an author says of a case: shapes, types, layouts and data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from aclnn_spec.golden.tensor import Array
from aclnn_spec.spec.model import Text, contiguous_strides
from aclnn_spec.spec.tables import Shape


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A way to lay a shape out in a storage: gives strides, offset and storage shape, in elements."""

    name: str
    text: Text
    make: Callable[[Shape], tuple[Shape, int, Shape]]


CONTIGUOUS = Layout(
    name="contiguous",
    text=Text(zh="连续", en="contiguous"),
    make=lambda shape: (contiguous_strides(shape), 0, shape),
)

Values: TypeAlias = Array | Sequence[float]
"""float64 values to be rounded to the tensor's type, or an array already in its NumPy type; any shape that fits."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What an author says of a case; what is left out is filled in.

    shapes, dtypes and layouts are given by parameter name, or once for all inputs (dtypes and layouts: the output
    too). The output's shape is the one due unless it is among the shapes. Clauses that the operator does not have
    stand for its first one.
    """

    group: str
    what: str
    """The last part of the id."""
    reason: Text
    clauses: tuple[str, ...]
    shapes: Shape | Mapping[str, Shape]
    dtypes: str | Mapping[str, str] = "FLOAT"
    reduction: str | int = "none"
    attributes: Mapping[str, float] = field(default_factory=dict)
    """Those of other attributes that are not to have their plainest value."""
    layouts: Layout | Mapping[str, Layout] = CONTIGUOUS
    formats: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Values] = field(default_factory=dict)
    alias: Mapping[str, str] = field(default_factory=dict)
    order: str = "twice"
    partner: str | None = None
