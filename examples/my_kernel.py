"""A kernel behind the two-phase call, judged in full: aclnn-spec certify examples/my_kernel.py:MyKernel.

It computes in FLOAT whatever the types of a call are, and multiplies by 1/N where mean divides by N, as kernels do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aclnn_spec import PhaseOne, load_spec

OPERATOR = "aclnnL1LossBackward"
MEAN = 1
INVALID = 161002
INPUTS = ("gradOutput", "self", "target")
FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")


class MyKernel:
    """Everything a certification asks of a backend; `open`, `close` and `details` may be added."""

    name = "my-kernel"
    version = "1.0"
    operators = (OPERATOR,)

    def __init__(self) -> None:
        self._rules = load_spec().operator(OPERATOR)

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:  # noqa: ARG002
        """Check the call; the executor is whatever phase 2 needs."""
        status = int(self._rules.validate(arguments).status)
        # The spec leaves open what becomes of other types: this kernel refuses them.
        if status == 0 and any(arguments[name].dtype not in FLOATS for name in (*INPUTS, "gradInput")):
            status = INVALID
        return PhaseOne(status, 0, dict(arguments) if status == 0 else None)

    def execute(self, operator: str, phase_one: PhaseOne) -> int:  # noqa: ARG002
        """Write the result into gradInput's view; `array` honours strides and offset."""
        call: Any = phase_one.executor
        gradient, one, other = (call[name].array.astype(np.float32) for name in INPUTS)
        result = np.where(one > other, gradient, np.where(one < other, -gradient, np.float32(0)))
        if call["reduction"] == MEAN and result.size:
            result *= np.float32(1 / result.size)
        with np.errstate(over="ignore"):  # beyond FLOAT16's range is infinity
            call["gradInput"].array[...] = result
        return 0
