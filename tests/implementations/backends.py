"""A right backend of the operator's own arithmetic, and wrong ones, each with one mistake; commands load this file."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aclnn_spec import PhaseOne, Tensor, from_function, load_spec
from aclnn_spec.certification.implementation import store
from aclnn_spec.spec.operator import Operator

NAME = "aclnnL1LossBackward"
INPUTS = ("gradOutput", "self", "target")
LONELY = (3, 1, 5)
"""The shape of the calls that some of these stumble over."""

Floats = npt.NDArray[np.float64]


@cache
def _operator() -> Operator:
    return load_spec().operator(NAME)


class Right:
    """The operator in double precision, rounded once."""

    name = "right"
    version = "1.0"
    operators = (NAME,)

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        """Check the call by the spec."""
        assert operator == NAME
        return PhaseOne(int(_operator().validate(arguments).status), 0, dict(arguments))

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        """Compute and store."""
        assert operator == NAME
        arguments: Any = phase_one.executor
        grad, one, other = (self.read(arguments[name]) for name in INPUTS)
        values = self.formula(grad, one, other, arguments["reduction"])
        store(values, arguments["gradInput"])
        return 0

    def read(self, tensor: Tensor) -> Floats:
        """A tensor's elements."""
        return tensor.array.astype(np.float64)

    def formula(self, grad: Floats, one: Floats, other: Floats, reduction: int) -> Floats:
        """The formula on arrays."""
        values: Floats = ((one > other) * 1.0 - (one < other)) * grad
        return values / values.size if reduction == 1 and values.size else values


class WrongSign(Right):
    """Descends uphill."""

    def formula(self, grad: Floats, one: Floats, other: Floats, reduction: int) -> Floats:
        return super().formula(grad, other, one, reduction)


class MeanBySelf(Right):
    """Divides by the number of self's elements."""

    def formula(self, grad: Floats, one: Floats, other: Floats, reduction: int) -> Floats:
        values = super().formula(grad, one, other, 0)
        return values / one.size if reduction == 1 and one.size else values


class IgnoresStrides(Right):
    """Takes every input for a dense one."""

    def read(self, tensor: Tensor) -> Floats:
        count = int(np.prod(tensor.shape))
        # A tensor of stride 0 has fewer elements in memory than in its shape.
        return np.resize(tensor.storage[:count].astype(np.float64), tensor.shape)


class InvalidForNull(Right):
    """Answers 161002 to a null pointer."""

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        if None in [arguments[name] for name in arguments]:
            return PhaseOne(161002, 0, None)
        return super().get_workspace_size(operator, arguments)


class Aborts(Right):
    """Ends the process in phase 2."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:  # noqa: ARG002
        os.abort()


class _Stumbles(Right):
    """Does something of its own in phase 2 of FLOAT calls of one shape."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        arguments: Any = phase_one.executor
        if arguments["gradInput"].shape == LONELY and str(arguments["gradInput"].dtype) == "FLOAT":
            self.stumble()
        return super().execute(operator, phase_one)

    def stumble(self) -> None:
        """Do it."""


class AbortsOnce(_Stumbles):
    """Ends the process in those calls."""

    def stumble(self) -> None:
        os.abort()


class Hangs(_Stumbles):
    """Does not come back from those calls."""

    def stumble(self) -> None:
        time.sleep(600)


class ExitsInPhaseOne(Right):
    """Leaves the process in phase 1 of those calls, with a code of its own."""

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        found = super().get_workspace_size(operator, arguments)
        if not found.status and arguments["gradInput"].shape == LONELY:
            os._exit(7)
        return found


class CannotOpen(Right):
    """Finds no device."""

    def open(self) -> None:
        """Look for the device."""
        raise RuntimeError("no device 0")


class Opens(Right):
    """Says where it was opened and closed."""

    def open(self) -> None:
        """Note it."""
        self._note("open")

    def close(self) -> None:
        """Note it."""
        self._note("close")

    def _note(self, what: str) -> None:
        with Path(os.environ["ACLNN_TEST_NOTES"]).open("a") as file:
            file.write(f"{what} {os.getpid()}\n")


class FloatStatus(Right):
    """Reports success as 0.0."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        return float(super().execute(operator, phase_one))


class FlushesAll(Right):
    """Has no subnormals, in whatever type."""

    narrow: tuple[str, ...] = ("FLOAT", "FLOAT16", "BFLOAT16")

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        assert operator == NAME
        arguments: Any = phase_one.executor
        types = {name: str(arguments[name].dtype) for name in (*INPUTS, "gradInput")}
        common = "FLOAT16" if {types[name] for name in INPUTS} == {"FLOAT16"} else "FLOAT"
        grad, one, other = (self.flush(self.read(arguments[name]), types[name]) for name in INPUTS)
        with np.errstate(all="ignore"):
            difference = self.flush(one - other, common)
        sign = np.where(np.isnan(difference), 0.0, np.sign(difference))
        values = self.formula(grad, sign, np.zeros_like(sign), arguments["reduction"])
        store(self.flush(self.flush(values, common), types["gradInput"]), arguments["gradInput"])
        return 0

    def flush(self, values: Floats, dtype: str) -> Floats:
        """The values, zero where they are subnormal in the type."""
        limit = 2.0**-14 if dtype == "FLOAT16" else 2.0**-126
        return np.where(np.abs(values) < limit, 0.0, values) if dtype in self.narrow else values


class FlushesHalf(FlushesAll):
    """Has no subnormals in FLOAT16, but keeps those of the other types."""

    narrow = ("FLOAT16",)


class Flaky(Right):
    """Is wrong the first time, and right from then on."""

    def __init__(self) -> None:
        self._seen = False

    def formula(self, grad: Floats, one: Floats, other: Floats, reduction: int) -> Floats:
        values = super().formula(grad, one, other, reduction)
        if self._seen or not values.size:
            return values
        self._seen = True
        return values + 1.0


def uphill(**arguments: Any) -> Any:
    """The formula with the wrong sign, in a line."""
    grad, one, other = (np.asarray(arguments[name], np.float64) for name in INPUTS)
    values = -np.sign(one - other) * grad
    return values / values.size if arguments["reduction"] == 1 else values


function = from_function("uphill", "1.0", {NAME: uphill})
