"""The memory of one call: fresh tensors with guarded storages, and what happened to the bytes around the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.fault import Fault, fault
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.tensor import CANARY, Array, Tensor, with_storage
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.base import counted

GUARD = 256
"""Bytes of canary before and behind every storage."""

_BLOCK = 2**20
"""Bytes that are compared at a time, a multiple of every element's."""

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The arguments of one call on memory of its own, and the case they were made from."""

    case: Case
    operator: Operator
    arguments: Mapping[str, Any]
    buffers: Mapping[str, Bytes]

    def faults(self) -> Iterator[Fault]:
        """Every place that changed and was not the output's to change."""
        output = self.operator.output.name
        for name, tensor in self.arguments.items():
            if not isinstance(tensor, Tensor) or name in self.case.alias:
                continue
            yield from self._guard_faults(name)
            if name != output and name not in self.case.alias.values():
                yield from self._input_faults(name, tensor)
        if isinstance(self.arguments.get(output), Tensor):
            yield from self._output_faults(self.arguments[output])

    def untouched(self) -> bool:
        """Whether the output's storage is as it was before the call."""
        name = self.operator.output.name
        tensor = self.arguments.get(name)
        if not isinstance(tensor, Tensor):
            return True
        source = self.case.alias.get(name)
        before = CANARY if source is None else _content(self.case.arguments[source])
        return bool((tensor.storage.view(np.uint8) == before).all())

    def result_bytes(self) -> Bytes:
        """A copy of the bytes of the output's storage."""
        storage: Array = self.arguments[self.operator.output.name].storage
        return storage.view(np.uint8).copy()

    def differs(self, earlier: Bytes) -> int | None:
        """The first element of the output's storage within the view whose bits are not the earlier ones."""
        tensor: Tensor = self.arguments[self.operator.output.name]
        places = _changed(tensor, earlier)
        places = places[tensor.covered[places]] if places.size else places
        return int(places[0]) if places.size else None

    def _guard_faults(self, name: str) -> Iterator[Fault]:
        buffer = self.buffers[name]
        for zh, en, part in (("之前", "before", buffer[:GUARD]), ("之后", "behind", buffer[-GUARD:])):
            count = int(np.count_nonzero(part != CANARY))
            if count:
                yield fault(
                    "stray_write",
                    zh=f"{name} 的存储{zh}有 {count} 个字节被改写",
                    en=f"{count} bytes {en} the storage of {name} were overwritten",
                )

    def _input_faults(self, name: str, tensor: Tensor) -> Iterator[Fault]:
        places = _changed(tensor, _content(self.case.arguments[name]))
        if places.size:
            many = counted(places.size, "element")
            yield fault(
                "input_changed",
                zh=f"输入 {name} 的存储有 {places.size} 个元素被改写，首个是第 {places[0]} 个",
                en=f"{many} of the storage of input {name} changed, the first at {places[0]}",
            )

    def _output_faults(self, tensor: Tensor) -> Iterator[Fault]:
        name = self.operator.output.name
        source = self.case.alias.get(name)
        if _dense(tensor):
            return
        before = CANARY if source is None else _content(self.case.arguments[source])
        places = _changed(tensor, before, ~tensor.covered)
        if places.size:
            many = counted(places.size, "element")
            yield fault(
                "stray_write",
                zh=f"{name} 视图以外有 {places.size} 个存储元素被改写，首个是第 {places[0]} 个",
                en=f"{many} of {name}'s storage outside its view changed, the first at {places[0]}",
            )


def fresh(case: Case, operator: Operator) -> Memory:
    """Copy a case's call onto new memory, in the prototype's order; outputs are all canary unless they alias."""
    buffers: dict[str, Bytes] = {}
    storages: dict[str, Array] = {}
    for name, value in case.arguments.items():
        if isinstance(value, Tensor) and name not in case.alias:
            buffers[name] = buffer = _guarded(name, value, case)
            inner = buffer[GUARD : buffer.size - GUARD]
            if name != operator.output.name:
                inner[...] = _content(value)
            storages[name] = inner.view(value.storage.dtype)
    order = {parameter.name: i for i, parameter in enumerate(operator.parameters)}
    arguments = {
        name: with_storage(case.arguments[name], storages[case.alias.get(name, name)])
        if isinstance(case.arguments[name], Tensor)
        else case.arguments[name]
        for name in sorted(case.arguments, key=lambda name: order.get(name, len(order)))
    }
    return Memory(case=case, operator=operator, arguments=arguments, buffers=buffers)


def _guarded(name: str, tensor: Tensor, case: Case) -> Bytes:
    """Canary for a tensor's storage and its guards."""
    size = tensor.storage.nbytes + 2 * GUARD
    try:
        return np.full(size, CANARY, np.uint8)
    except MemoryError:
        raise InputError(f"{case.id}: {name}: found no memory for {size} bytes, expected as much") from None


def _content(tensor: Tensor) -> Bytes | int:
    """The bytes of a storage; one byte where all are that."""
    return CANARY if tensor.repeats else tensor.storage.view(np.uint8)


def _changed(tensor: Tensor, before: Bytes | int, within: NDArray[np.bool] | None = None) -> NDArray[np.intp]:
    """The elements of a storage, of all or of a mask's, with a byte that is not what it was before.

    The bytes are compared in blocks, so that their number costs no memory.
    """
    now, itemsize = tensor.storage.view(np.uint8), tensor.storage.itemsize
    found = []
    for start in range(0, now.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        differs = now[block] != (before if isinstance(before, int) else before[block])
        if differs.any():
            elements = np.logical_or.reduce(differs.reshape(-1, itemsize), axis=1)
            first = start // itemsize
            if within is not None:
                elements &= within[first : first + elements.size]
            found.append(first + np.flatnonzero(elements))
    return np.concatenate(found) if found else np.empty(0, np.intp)


def _dense(tensor: Tensor) -> bool:
    """Whether the view certainly covers the whole storage."""
    return tensor.size == tensor.storage.size and 0 not in [
        stride for size, stride in zip(tensor.shape, tensor.strides, strict=True) if size > 1
    ]
