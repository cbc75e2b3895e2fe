"""What must come of a call: the reference's result and every other value an unspecified clause accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from aclnn_spec.golden.case import Alternative
from aclnn_spec.golden.tensor import Array, Tensor, bits, numpy_dtype
from aclnn_spec.reference import REFERENCES, evaluate
from aclnn_spec.reference.evaluate import BlockFunction, Reference
from aclnn_spec.reference.floats import FORMATS, Format
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import DType
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import broadcast

_COMPRESS = 64
"""From this many elements on, axes along which every input repeats are stored once, with stride 0."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The expected output and the alternatives to it."""

    expected: Tensor
    alternatives: tuple[Alternative, ...]


def result_of(operator: Operator, arguments: Mapping[str, Any], ulp: int) -> Result:
    """Evaluate a good call with every reading that the spec leaves open; `ulp` is the call's tolerance.

    InputError for an operator that has no reference.
    """
    return _Evaluation(operator, arguments, ulp).result()


def reference_of(operator: Operator) -> Reference:
    """The operator's reference function and its other readings; InputError if it has none."""
    if operator.name not in REFERENCES:
        raise InputError(f"{operator.name}: found no reference function, expected one in REFERENCES")
    return REFERENCES[operator.name]


def common_dtype(operator: Operator, arguments: Mapping[str, Any]) -> DType:
    """The deduced type of a good call."""
    common = operator.tables.deduce(arguments[p.name].dtype for p in operator.inputs)
    if common is None:
        raise ValueError(f"{operator.name}: the types have no common type")
    return common


class _Evaluation:
    """One call, whose arrays are made once and evaluated under several readings."""

    def __init__(self, operator: Operator, arguments: Mapping[str, Any], ulp: int) -> None:
        self.operator, self.ulp = operator, ulp
        self.reference = reference_of(operator)
        self.common = common_dtype(operator, arguments)
        self.output = operator.tables.dtypes[arguments[operator.output.name].dtype]
        inputs = {p.name: arguments[p.name] for p in operator.inputs}
        self.shape = broadcast(tensor.shape for tensor in inputs.values()) or ()
        self.reduces = operator.reduces(arguments)
        self.result_shape = tuple(arguments[operator.output.name].shape) if self.reduces else self.shape
        self.attributes = {p.name: arguments[p.name] for p in operator.parameters if p.role == "attribute"}
        arrays = {name: np.broadcast_to(bits(tensor.array), self.shape) for name, tensor in inputs.items()}
        still = [size > 1 and all(a.strides[i] == 0 for a in arrays.values()) for i, size in enumerate(self.shape)]
        compress = prod(self.shape) >= _COMPRESS and not self.reduces
        self.still = still if compress else [False] * len(self.shape)
        index = (*(slice(0, 1) if each else slice(None) for each in self.still), ...)
        self.operands = {name: (array[index], inputs[name].dtype.__str__()) for name, array in arrays.items()}

    def result(self) -> Result:
        usual = self.evaluate(self.reference.function)
        alternatives = [
            Alternative(clause=clause, label=label, values=self.tensor(values))
            for clause, label, values in self.readings(usual)
            if not _same(values, usual)
        ]
        return Result(expected=self.tensor(usual), alternatives=tuple(alternatives))

    def readings(self, usual: Array) -> Iterator[tuple[str, str, Array]]:
        known = {clause.id for clause in self.operator.clauses}
        for reading in self.reference.readings:
            yield reading.clause, reading.label, self.evaluate(reading.function)
        if not {self.output, self.common} <= FORMATS.keys():
            return
        if {"subnormals", "subnormals_on_the_way"} <= known:
            yield from self.flushed(usual, FORMATS[self.output])
        if self.output != self.common and "cast_overflow" in known:
            yield from self.saturated(usual, FORMATS[self.output])
        if FORMATS[self.output].largest > FORMATS[self.common].largest and "overflow_before_cast" in known:
            yield from self.unrounded(usual, FORMATS[self.output])

    def flushed(self, usual: Array, target: Format) -> Iterator[tuple[str, str, Array]]:
        """The results of an implementation without subnormals.

        Its results are certain only where the type does not change on the way and rounding cannot carry a result
        over the edge; elsewhere it may flush.
        """
        position, edge = _position(usual, target), _edge(target)
        certain = (position > 0) & (position < edge - self.ulp) & (self.output == self.common)
        near = (position > 0) & (position < edge + self.ulp)
        if self.output != self.common:
            before = FORMATS[self.common]
            place = _position(self.evaluate(self.reference.function, output=self.common), before)
            near |= (place > 0) & (place < _edge(before) + self.ulp)
        near &= ~certain
        yield "subnormals", "flush", np.where(certain, np.zeros_like(usual), usual)
        yield "subnormals_on_the_way", "flush", np.where(near, np.zeros_like(usual), usual)
        small = self.evaluate(self.reference.function, {n: _flush(*o) for n, o in self.operands.items()})
        tiny = _position(small, target) < edge
        yield (
            "subnormals_on_the_way",
            "flush",
            np.where(certain, usual, np.where(tiny, np.zeros_like(small), small)),
        )

    def saturated(self, usual: Array, target: Format) -> Iterator[tuple[str, str, Array]]:
        """The results of an implementation whose casts stop at the largest number.

        That is certain of finite results which nothing made infinite on the way; infinite ones it may leave alone.
        """
        before = _values(self.evaluate(self.reference.function, output=self.common), FORMATS[self.common])
        for reading in self.reference.readings:
            if reading.clause == "overflow_on_the_way":
                way = _values(self.evaluate(reading.function, output=self.common), FORMATS[self.common])
                before = np.where(np.isinf(way), way, before)
        values = _values(usual, target)
        largest = _stored(np.copysign(target.largest, values), target)
        yield "cast_overflow", "largest", np.where(np.isfinite(before) & np.isinf(values), largest, usual)
        if target.largest < FORMATS[self.common].largest:
            yield "infinity_in_cast", "largest", np.where(np.isinf(before) & np.isinf(values), largest, usual)

    def unrounded(self, usual: Array, target: Format) -> Iterator[tuple[str, str, Array]]:
        """The results of an implementation that rounds to the output's type alone, where the other range is too small.

        Where it is not, they are within the tolerance.
        """
        straight = self.evaluate(self.reference.function, rounded=self.output)
        lost = np.isinf(_values(usual, target)) & np.isfinite(_values(straight, target))
        yield "overflow_before_cast", "value", np.where(lost, straight, usual)

    def evaluate(
        self,
        function: BlockFunction,
        operands: Mapping[str, tuple[Array, str]] | None = None,
        output: DType | None = None,
        rounded: DType | None = None,
    ) -> Array:
        dtype = output or self.output
        kind = numpy_dtype(dtype)
        shape = tuple(1 if each else size for each, size in zip(self.still, self.shape, strict=True))
        shape = self.result_shape if self.reduces else shape
        array = np.zeros(shape, np.uint16 if dtype == "BFLOAT16" else kind)
        evaluate(
            function,
            operands or self.operands,
            common=str(self.common),
            output=(array, str(dtype)),
            attributes=self.attributes,
            count=prod(self.shape),
            reduces=self.reduces,
            rounded=None if rounded is None else str(rounded),
        )
        return array

    def tensor(self, values: Array) -> Tensor:
        """The values as a tensor of the full shape."""
        steps = [s // values.itemsize for s in values.strides]
        still = [False] * len(steps) if self.reduces else self.still
        strides = tuple(0 if each else step for each, step in zip(still, steps, strict=True))
        storage = np.ascontiguousarray(values).reshape(-1).view(numpy_dtype(self.output))
        return Tensor(
            dtype=self.output,
            shape=self.result_shape,
            strides=strides,
            storage=storage,
            storage_shape=(storage.size,),
        )


def _values(array: Array, source: Format) -> Array:
    """The values of an array of a float format, in float32."""
    if source.name == "BFLOAT16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def _stored(values: Array, target: Format) -> Array:
    """Values that a float format holds exactly, in its storage type."""
    if target.name == "BFLOAT16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(target.storage)


def _position(array: Array, source: Format) -> Array:
    """The place of a value's magnitude among the format's: 0 for zero, 1 for the least subnormal."""
    exact = array if array.dtype == source.storage else _stored(array, source)
    width = exact.dtype.itemsize * 8
    return exact.view(f"u{width // 8}").astype(np.int64) & ((1 << (width - 1)) - 1)


def _edge(source: Format) -> int:
    """The position of the smallest normal value."""
    return 1 << (source.precision - 1)


def _flush(array: Array, dtype: str) -> tuple[Array, str]:
    """The operand with its subnormals replaced by zero."""
    if dtype not in FORMATS:
        return array, dtype
    source = FORMATS[dtype]
    small = _position(np.ascontiguousarray(array), source).reshape(array.shape) < _edge(source)
    return np.where(small, np.zeros_like(array), array), dtype


def _same(a: Array, b: Array) -> bool:
    """Whether two arrays hold the same values; the signs of zeros and the bits of NaN do not count."""
    if a.dtype.names:
        return all(_same(a[name], b[name]) for name in a.dtype.names)
    if a.dtype == np.uint16:  # BFLOAT16's bits
        return np.array_equal(_values(a, FORMATS["BFLOAT16"]), _values(b, FORMATS["BFLOAT16"]), equal_nan=True)
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
