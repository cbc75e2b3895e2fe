"""The reference behind the two-phase call: the spec's rules for phase 1, its arithmetic for phase 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from aclnn_spec.certification.implementation import Arguments, PhaseOne
from aclnn_spec.golden.tensor import Array, Tensor, bits, is_bfloat16
from aclnn_spec.reference import REFERENCES, evaluate
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, load_spec

_USED = "ACLNN_ERR_INNER_NULLPTR"


@dataclass(kw_only=True)
class _Executor:
    """A checked call; None once it has run."""

    operator: Operator
    arguments: Arguments | None


class NumpyImplementation:
    """Every operator the spec has a reference for. What the spec leaves open is not refused but computed."""

    name = "numpy"
    version = np.__version__

    def __init__(self, spec: Spec | None = None) -> None:
        known = (spec or load_spec()).operators
        self._operators: Mapping[str, Operator] = {name: known[name] for name in REFERENCES if name in known}
        self.operators = tuple(self._operators)

    def get_workspace_size(self, operator: str, arguments: Arguments) -> PhaseOne:
        """Check the call by the spec's rules; no workspace is ever needed."""
        one = self._operators[operator]
        status = int(one.validate(arguments).status)
        if status:
            return PhaseOne(status, 0, None)
        return PhaseOne(status, 0, _Executor(operator=one, arguments=dict(arguments)))

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Evaluate the call; an executor that has run already is refused."""
        executor = phase_one.executor
        if not isinstance(executor, _Executor) or executor.arguments is None:
            return int(self._operators[operator].tables.status_codes[_USED])
        arguments, executor.arguments = executor.arguments, None
        _evaluate(executor.operator, arguments)
        return 0


def _evaluate(operator: Operator, arguments: Arguments) -> None:
    inputs: dict[str, Tensor] = {p.name: arguments[p.name] for p in operator.inputs}
    result: Tensor = arguments[operator.output.name]
    output = result.array
    common = operator.tables.deduce(tensor.dtype for tensor in inputs.values())
    evaluate(
        REFERENCES[operator.name].function,
        {name: (bits(_apart(tensor.array, output)), str(tensor.dtype)) for name, tensor in inputs.items()},
        common=str(common),
        output=(output.view(np.uint16) if is_bfloat16(output) else output, str(result.dtype)),
        attributes={p.name: arguments[p.name] for p in operator.parameters if p.role == "attribute"},
    )


def _apart(array: Array, output: Array) -> Array:
    """The array, or a copy if writing the output could change an element before it is read."""

    def place(one: Array) -> tuple[Any, ...]:
        return one.__array_interface__["data"][0], one.shape, one.strides, one.dtype

    if place(array) == place(output) or not np.may_share_memory(array, output):
        return array
    return array.copy()
