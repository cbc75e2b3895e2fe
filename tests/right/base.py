"""An implementation in steps that each right one may take in its own way, and the steps of aclnnL1LossBackward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aclnn_spec import PhaseOne, Tensor, load_spec
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from .call import KINDS, WHOLE, Call, Floats, rounded, whole

NAME = "aclnnL1LossBackward"
INVALID = 161002
SPEC = load_spec()

Scale: TypeAlias = Callable[[Floats], Floats]

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
class Steps:
    """A right implementation: what it does, what its certificate must show, and the steps it takes in its own way."""

    name: str
    text: Text
    operator: str = NAME
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Clause → labels, where they are not the usual ones; an empty tuple stands for none."""
    version: str = "1.0"
    product: str | None = None
    slow: bool = False

    operand: Callable[[Floats, str], Floats] = as_it_is
    """Values of an operand, and its type, as they are read."""
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
    def operators(self) -> tuple[str, ...]:
        """The one operator it implements."""
        return (self.operator,)

    @property
    def key(self) -> str:
        """What it is called among all."""
        return f"{self.operator}/{self.name}"

    @cached_property
    def spec(self) -> Operator:
        """The operator's spec."""
        return SPEC.operator(self.operator)

    @property
    def missing(self) -> str:
        """Why it cannot run here: it always can."""
        return ""

    @property
    def usual(self) -> Mapping[str, tuple[str, ...]]:
        """What the steps show that are not its own."""
        return USUAL

    @property
    def expected(self) -> Mapping[str, tuple[str, ...]]:
        """All that its certificate must show."""
        return {clause: labels for clause, labels in {**self.usual, **self.shows}.items() if labels}

    def make(self) -> Steps:
        """Give the implementation: itself, as it remembers nothing."""
        return self

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        """Check the call, and ask for a workspace unless there is nothing to do."""
        assert operator == self.operator
        status = self._fault(arguments) or self._refusal(arguments)
        if status:
            return PhaseOne(status, 0, None)
        call = Call(operator=self.spec, arguments=dict(arguments))
        return PhaseOne(0, self.workspace(call) if call.output.size else 0, call)

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Compute and store."""
        assert operator == self.operator
        call = phase_one.executor
        assert isinstance(call, Call)
        if call.output.size:
            result = np.broadcast_to(self._stored(self._result(call), call.output), call.output.shape)
            self.write(call.output.array, result)
        return 0

    def values(self, call: Call, operands: list[Floats]) -> Floats:
        """The formula's values, still to be rounded to the common type."""
        raise NotImplementedError

    def _fault(self, arguments: Mapping[str, Any]) -> int:
        broken = self.spec.validate(arguments).broken
        if not broken:
            return 0
        name = broken[-1 if self.last_fault else 0].accepts[0]
        return int(self.spec.tables.status_codes[name])

    def _refusal(self, arguments: Mapping[str, Any]) -> int:
        if not self.refuses:
            return 0
        touched = [clause.id for clause in self.spec.open_clauses(arguments, self.product)]
        return next((status for clause, status in self.refuses.items() if clause in touched), 0)

    def _result(self, call: Call) -> Floats:
        operands = [
            self._loaded(view, str(tensor.dtype), call.common)
            for view, tensor in zip(call.views(), call.inputs, strict=True)
        ]
        values, dtype = self.values(call, operands), str(call.output.dtype)
        if call.common == WHOLE:
            return rounded(whole(values), dtype) if dtype in KINDS else values
        values = self.into_common(values, call.common)
        return self.cast(values, call.common, dtype) if dtype in KINDS and dtype != call.common else values

    def _loaded(self, view: npt.NDArray[Any], dtype: str, common: str) -> Floats:
        if common == WHOLE:
            return view.astype(np.int64)
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


@dataclass(frozen=True, kw_only=True)
class Kernel(Steps):
    """A right aclnnL1LossBackward: gradOutput with the sign of self - target."""

    sign: Callable[[Floats, Floats, str], Floats] = compare
    """self and target in the common type, and that type."""
    formula: Callable[[Floats, Floats, Scale], Floats] = multiply
    """gradOutput, the sign, and how to scale for mean."""

    def values(self, call: Call, operands: list[Floats]) -> Floats:
        """The formula's values."""
        grad, one, other = operands
        scale: Scale = (lambda each: self.scale(each, call)) if call.mean else (lambda each: each)
        return self.formula(grad, self.sign(one, other, call.common), scale)
