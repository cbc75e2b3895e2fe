"""What is judged: the protocol an implementation fills, adapters to it, and the ways of naming one."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np

from aclnn_spec.golden.tensor import Array, Tensor, bits
from aclnn_spec.reference.floats import FORMATS, Format, encode, from_integers, round_to
from aclnn_spec.spec.errors import InputError

SCOPES = ("full", "numerics")
"""What is judged: everything, or the values of good calls alone."""

MEMBERS = ("name", "version", "operators", "get_workspace_size", "execute")
"""What every implementation has."""

WORKER = "ACLNN_SPEC_WORKER"
"""The environment variable that tells a worker of the command its number."""

Arguments: TypeAlias = Mapping[str, Any]
"""Parameter name → Tensor, number, or None for a null pointer."""


@dataclass(frozen=True)
class PhaseOne:
    """What phase 1 answered: the status, the workspace's size in bytes, and an executor that phase 2 uses up."""

    status: int
    workspace_size: int
    executor: object


class Implementation(Protocol):
    """A backend that offers operators through the two-phase call.

    Optional members: `scope` (`full` unless given), `open()`, `close()`, `details() -> dict`, whose entries go into the
    certificate, `product`, the id of the product it runs on, known once it is open, `recent_error() -> str`, what it
    says of the call that has just failed, and `isolated`, true of one that may crash or hang the process it runs in.
    What it finds wrong by itself, bytes overwritten in a memory of its own say, it raises as a FaultError.
    """

    @property
    def name(self) -> str:
        """What the implementation is called in its certificate."""

    @property
    def version(self) -> str:
        """Its version, any text."""

    @property
    def operators(self) -> Collection[str]:
        """The names of the operators it offers."""

    def get_workspace_size(self, operator: str, arguments: Arguments) -> PhaseOne:
        """Phase 1: check the call.

        None is a null pointer; the keys `workspaceSize` and `executor` appear only in calls that pass them as null.
        """

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Phase 2: write the outputs into the Tensors of the call, and give the status."""


class ResultError(TypeError):
    """A function's result has the wrong shape or type; the message says what was found and expected."""


@dataclass(frozen=True, kw_only=True)
class FunctionImplementation:
    """Plain functions behind the two-phase call."""

    name: str
    version: str
    functions: Mapping[str, Callable[..., Any]]
    scope: str

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators there are functions for."""
        return tuple(self.functions)

    def get_workspace_size(self, operator: str, arguments: Arguments) -> PhaseOne:  # noqa: ARG002
        """Accept any call: a function says nothing of status codes."""
        return PhaseOne(0, 0, arguments)

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Call the function and store its result in the output, rounded once."""
        arguments: Any = phase_one.executor
        # The output is the last parameter of the prototype, and golden calls keep the prototype's order.
        *names, output = (name for name in arguments if name not in ("workspaceSize", "executor"))
        given = {name: _plain(arguments[name]) for name in names}
        store(self.functions[operator](**given), arguments[output])
        return 0


def from_function(
    name: str, version: str, functions: Mapping[str, Callable[..., Any]], scope: str = "numerics"
) -> FunctionImplementation:
    """Make an implementation of functions by operator name.

    Each takes inputs and attributes as keyword arguments under the API's names: tensors as NumPy arrays (strided
    views; BFLOAT16 with ml_dtypes' own type), and returns anything `numpy.asarray` takes, of the output's shape and
    of any float type wide enough. It is rounded to the output's type once, to nearest even.
    """
    if scope not in SCOPES:
        raise InputError(f"scope: found {scope!r}, expected {' or '.join(SCOPES)}")
    return FunctionImplementation(name=name, version=version, functions=MappingProxyType(dict(functions)), scope=scope)


def store(result: Any, output: Tensor) -> None:
    """Write a result into the output's view, rounded to its type once; ResultError if it does not fit."""
    values = np.asarray(result)
    if values.shape != output.shape:
        raise ResultError(f"found a result of shape {values.shape}, expected {output.shape}")
    target = output.array
    with np.errstate(all="ignore"):
        if target.dtype.names:  # COMPLEX32
            values = _numbers(values, "fc")
            target["real"] = _rounded(values.real, FORMATS["FLOAT16"])
            target["imag"] = _rounded(values.imag, FORMATS["FLOAT16"])
        elif output.dtype in FORMATS:
            bits(target)[...] = _rounded(_numbers(values, "f"), FORMATS[str(output.dtype)])
        else:
            target[...] = _numbers(values, "fc" if target.dtype.kind == "c" else "f")


def scope_of(implementation: Implementation) -> str:
    """`full` or `numerics`."""
    scope: str = getattr(implementation, "scope", "full")
    return scope


def worker_number() -> int:
    """Which worker of a run this process is, from 0; 0 too where there are no workers."""
    text = os.environ.get(WORKER) or os.environ.get("PYTEST_XDIST_WORKER", "")
    digits = text.removeprefix("gw")
    return int(digits) if digits.isdecimal() else 0


def check_implementation(candidate: Any, where: str) -> Implementation:
    """Give the candidate back if it has all members; InputError names the one that is missing or wrong."""
    for member in MEMBERS:
        if not hasattr(candidate, member):
            raise InputError(
                f"{where}: found {_kind(candidate)} without {member!r}, expected an implementation, its class, "
                f"or a function that makes one"
            )
    for member in ("name", "version"):
        value = getattr(candidate, member)
        if not isinstance(value, str) or not value:
            raise InputError(f"{where}: {member}: found {value!r}, expected a text")
    for member in ("get_workspace_size", "execute"):
        if not callable(getattr(candidate, member)):
            raise InputError(f"{where}: {member}: found {getattr(candidate, member)!r}, expected a method")
    operators = candidate.operators
    if isinstance(operators, str) or not isinstance(operators, Collection):
        raise InputError(f"{where}: operators: found {operators!r}, expected a collection of operator names")
    if getattr(candidate, "scope", "full") not in SCOPES:
        raise InputError(f"{where}: scope: found {candidate.scope!r}, expected {' or '.join(SCOPES)}")
    checked: Implementation = candidate
    return checked


def last_line(error: BaseException) -> str:
    """An exception in one line: the last line of its traceback, and the file and line it came from."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return text.splitlines()[0] + place if text else type(error).__name__ + place


def _plain(argument: Any) -> Any:
    return argument.array if isinstance(argument, Tensor) else argument


def _kind(candidate: Any) -> str:
    return (
        f"the class {candidate.__name__}"
        if isinstance(candidate, type)
        else f"a value of type {type(candidate).__name__}"
    )


def _numbers(values: Array, kinds: str) -> Array:
    """The values as NumPy's own numbers; ResultError for what is no number of an accepted kind."""
    if values.dtype.kind == "V" and not values.dtype.names:  # ml_dtypes' types; float32 holds all their values
        try:
            return values.astype(np.float32)
        except (TypeError, ValueError):
            pass
    if values.dtype.kind not in "biu" + kinds:
        expected = "real numbers" if kinds == "f" else "numbers"
        raise ResultError(f"found a result of type {values.dtype}, expected {expected}")
    return values


def _rounded(values: Array, target: Format) -> Array:
    """Round to the format once, whatever the values' own type, and give the format's storage."""
    if values.dtype.kind in "biu":
        return encode(from_integers(values, target), target)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    elif values.dtype.itemsize > np.dtype(np.float64).itemsize:
        values = _to_odd(values)
    return encode(round_to(values, target), target)


def _to_odd(values: Array) -> Array:
    """Narrow a longer float to float64 such that rounding once more gives what rounding once would have."""
    near = values.astype(np.float64)
    last_bit = near.view(np.uint64) & 1
    wrong = np.isfinite(near) & (near.astype(values.dtype) != values) & (last_bit == 0)
    towards = np.where(near.astype(values.dtype) < values, np.inf, -np.inf)
    return np.where(wrong, np.nextafter(near, towards), near)
