"""What several rules ask about one call, worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from aclnn_spec.spec.model import Arguments, DType
from aclnn_spec.spec.tables import Shape, Tables, broadcast, broadcast_two


class Facts:
    """A call under examination.

    A null argument leaves some facts open: they are then given for every type that the parameter lists, so that a
    rule counts as broken only when it is broken whatever stood in the null's place.
    """

    __slots__ = ("_broadcast", "_deduced", "arguments", "listed", "tables")

    def __init__(self, arguments: Arguments, tables: Tables, listed: Mapping[str, tuple[DType, ...]]) -> None:
        self.arguments = arguments
        self.tables = tables
        self.listed = listed
        self._deduced: dict[tuple[str, ...], tuple[DType | None, ...]] = {}
        self._broadcast: dict[tuple[str, ...], tuple[Shape | None, bool]] = {}

    def deduced(self, names: tuple[str, ...]) -> tuple[DType | None, ...]:
        """The possible common types of these tensors; None stands for no common type. One when none is null."""
        known = self._deduced.get(names)
        if known is None:
            known = self._deduced[names] = self._deduce(names)
        return known

    def _deduce(self, names: tuple[str, ...]) -> tuple[DType | None, ...]:
        tensors = [self.arguments[name] for name in names]
        if None not in tensors:
            table = self.tables.deduction
            first = tensors[0].dtype
            common = table.get((first, first))
            for tensor in tensors[1:]:
                if common is None:
                    break
                common = table.get((common, tensor.dtype))
            return (common,)
        choices = [self.listed[name] if t is None else (t.dtype,) for name, t in zip(names, tensors, strict=True)]
        return tuple({self.tables.deduce(types) for types in product(*choices)})

    def broadcast(self, names: tuple[str, ...]) -> tuple[Shape | None, bool]:
        """The broadcast shape of these tensors (None: they do not fit), and whether none of them is null."""
        known = self._broadcast.get(names)
        if known is None:
            known = self._broadcast[names] = self._shape(names)
        return known

    def _shape(self, names: tuple[str, ...]) -> tuple[Shape | None, bool]:
        arguments = self.arguments
        tensors = [arguments[name] for name in names]
        if None in tensors:
            return broadcast(tensor.shape for tensor in tensors if tensor is not None), False
        shape: Shape | None = tensors[0].shape
        for tensor in tensors[1:]:
            if shape is None:
                break
            if tensor.shape != shape:
                shape = broadcast_two(shape, tensor.shape)
        return shape, True
