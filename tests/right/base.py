"""The operator on NumPy, in steps that each right implementation may take in its own way.

Nothing of the arithmetic comes from the package: that an implementation is right shall not hang on the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

from aclnn_spec import PhaseOne, Tensor, load_spec
from aclnn_spec.spec.model import Text

NAME = "aclnnL1LossBackward"
INPUTS = ("gradOutput", "self", "target")
MEAN = 1
INVALID = 161002
OPERATOR = load_spec().operator(NAME)

Floats: TypeAlias = npt.NDArray[Any]
Scale: TypeAlias = Callable[[Floats], Floats]

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

DOUBLE_BITS = 53
TRACED = 2**11
"""What remains of a 64-bit integer over this is less than the last place of any of the three types."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "rank_0": ("value",),
    "integer_mix": ("value",),
    "wide_output": ("value",),
    "other_formats": ("value",),
    "aliasing": ("value",),
    "nan_operand": ("zero",),
    "grad_nonfinite_at_tie": ("nan",),
    "equal_infinities": ("zero",),
    "subnormals": ("keep",),
    "subnormals_on_the_way": ("keep",),
    "cast_overflow": ("infinity",),
    "infinity_in_cast": ("infinity",),
}
"""What a kernel shows that compares, multiplies with the sign, and leaves out no step: clause → labels."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A checked call: what its steps need to know."""

    arguments: Mapping[str, Any]

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        """The three inputs."""
        return tuple(self.arguments[name] for name in INPUTS)

    @cached_property
    def output(self) -> Tensor:
        """The output."""
        made: Tensor = self.arguments["gradInput"]
        return made

    @cached_property
    def common(self) -> str:
        """The deduced type."""
        return str(OPERATOR.tables.deduce(tensor.dtype for tensor in self.inputs))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that everything broadcasts to."""
        return self.output.shape

    @property
    def count(self) -> int:
        """What mean divides by."""
        return prod(self.shape)

    def views(self) -> list[npt.NDArray[Any]]:
        """The inputs broadcast; axes along which none of them moves are left at one element."""
        spread = [np.broadcast_to(tensor.array, self.shape) for tensor in self.inputs]
        still = [all(view.strides[axis] == 0 for view in spread) for axis in range(len(self.shape))]
        return [view[(*(slice(0, 1) if each else slice(None) for each in still), ...)] for view in spread]


def rounded(values: Any, dtype: str) -> Any:
    """Round values to a type once and give them in FLOAT, which holds all values of the three types."""
    return values.astype(KINDS[dtype]).astype(np.float32) if dtype != "FLOAT" else values.astype(np.float32)


def whole(integers: npt.NDArray[Any]) -> Floats:
    """Give BOOL or integers as doubles; of those too long for one, the end leaves only a trace that breaks ties."""
    values = integers.astype(np.int64)
    rest = values % TRACED
    traced = np.where(rest, values - rest + TRACED // 2, values)
    long = (values >> DOUBLE_BITS) != (values >> 63)
    return np.where(long, traced, values).astype(np.float64)


def cast(values: Floats, source: str, target: str) -> Floats:  # noqa: ARG001
    """Cast values of one type to another."""
    return rounded(values, target)


def as_it_is(values: Floats, dtype: str) -> Floats:  # noqa: ARG001
    """Take an operand of a type as it is."""
    return values


def compare(one: Floats, other: Floats, dtype: str) -> Floats:  # noqa: ARG001
    """Give the sign by comparing; 0 where an operand is NaN."""
    return (one > other).astype(np.float32) - (one < other).astype(np.float32)


def multiply(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Multiply with the sign, then scale."""
    return scale(sign * grad)


def by_reciprocal(values: Floats, call: Call) -> Floats:
    """Multiply with 1/N, both in FLOAT."""
    return values * (np.float32(1) / np.float32(call.count))


def forwards(target: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
    """Write a result in the order of its elements."""
    target[...] = values


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A right implementation: what it does, what its certificate must show, and the steps it takes in its own way."""

    name: str
    text: Text
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Clause → labels, where they are not USUAL."""
    version: str = "1.0"
    operators: tuple[str, ...] = (NAME,)
    product: str | None = None
    slow: bool = False

    operand: Callable[[Floats, str], Floats] = as_it_is
    """Values of an operand, and its type, as they are read."""
    sign: Callable[[Floats, Floats, str], Floats] = compare
    """self and target in the common type, and that type."""
    formula: Callable[[Floats, Floats, Scale], Floats] = multiply
    """gradOutput, the sign, and how to scale for mean."""
    scale: Callable[[Floats, Call], Floats] = by_reciprocal
    into_common: Callable[[Floats, str], Floats] = rounded
    """The formula's values and the common type."""
    cast: Callable[[Floats, str, str], Floats] = cast
    """The values, the common type and the output's, where that is another of the three."""
    write: Callable[[npt.NDArray[Any], npt.NDArray[Any]], None] = forwards
    refuses: Mapping[str, int] = field(default_factory=dict)
    """Unspecified clause → the status that calls touching it get."""
    last_fault: bool = False
    """Whether of several faults the last one is reported, not the first."""
    workspace: Callable[[Call], int] = lambda _: 0

    @property
    def missing(self) -> str:
        """Why it cannot run here: it always can."""
        return ""

    @property
    def expected(self) -> Mapping[str, tuple[str, ...]]:
        """All that its certificate must show."""
        return {**USUAL, **self.shows}

    def make(self) -> Kernel:
        """Give the implementation: itself, as it remembers nothing."""
        return self

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        """Check the call, and ask for a workspace unless there is nothing to do."""
        assert operator == NAME
        status = self._fault(arguments) or self._refusal(arguments)
        if status:
            return PhaseOne(status, 0, None)
        call = Call(arguments=dict(arguments))
        empty = any(tensor.size == 0 for tensor in call.inputs)
        return PhaseOne(0, 0 if empty else self.workspace(call), call)

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Compute and store."""
        assert operator == NAME
        call = phase_one.executor
        assert isinstance(call, Call)
        if call.output.size:
            result = np.broadcast_to(self._stored(self._result(call), call.output), call.shape)
            self.write(call.output.array, result)
        return 0

    def _fault(self, arguments: Mapping[str, Any]) -> int:
        broken = OPERATOR.validate(arguments).broken
        if not broken:
            return 0
        name = broken[-1 if self.last_fault else 0].accepts[0]
        return int(OPERATOR.tables.status_codes[name])

    def _refusal(self, arguments: Mapping[str, Any]) -> int:
        if not self.refuses:
            return 0
        touched = [clause.id for clause in OPERATOR.open_clauses(arguments, self.product)]
        return next((status for clause, status in self.refuses.items() if clause in touched), 0)

    def _result(self, call: Call) -> Floats:
        grad, one, other = (
            self._loaded(view, str(tensor.dtype), call.common)
            for view, tensor in zip(call.views(), call.inputs, strict=True)
        )
        reduction = call.arguments["reduction"]
        values = self.formula(
            grad,
            self.sign(one, other, call.common),
            (lambda each: self.scale(each, call)) if reduction == MEAN else (lambda each: each),
        )
        values = self.into_common(values, call.common)
        dtype = str(call.output.dtype)
        return self.cast(values, call.common, dtype) if dtype in KINDS and dtype != call.common else values

    def _loaded(self, view: npt.NDArray[Any], dtype: str, common: str) -> Floats:
        if dtype not in KINDS:  # BOOL or integers
            return self.operand(rounded(whole(view), common), common)
        values = self.operand(view.astype(np.float32), dtype)
        return values if dtype == common else self.operand(rounded(values, common), common)

    @staticmethod
    def _stored(values: Floats, output: Tensor) -> npt.NDArray[Any]:
        kind = output.storage.dtype
        if kind.names:  # COMPLEX32
            made = np.zeros(values.shape, kind)
            made["real"] = values
            return made
        return values.astype(kind)
